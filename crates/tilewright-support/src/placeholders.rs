//! `{}` in texts that programs print.

/// The text with each `{}` replaced by the next value and each `{1}` by the value of that number; `{{` and `}}` are
/// literal braces. Without any text the values alone, with blanks between them.
///
/// ```
/// use tilewright_support::fill_placeholders;
///
/// let values = ["3".to_owned(), "x".to_owned()];
/// assert_eq!(fill_placeholders("{} of {}, {0} {{}}", &values).unwrap(), "3 of x, 3 {}");
/// assert_eq!(fill_placeholders("", &values).unwrap(), "3 x");
/// assert!(fill_placeholders("{} {} {}", &values).is_err());
/// ```
///
/// The error says what is wrong with the text.
pub fn fill_placeholders(format: &str, values: &[String]) -> Result<String, String> {
    if format.is_empty() {
        return Ok(values.join(" "));
    }
    let (mut text, mut rest, mut next) = (String::new(), format, 0);
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..];
        if let Some(after) = brace.strip_prefix("{{").or_else(|| brace.strip_prefix("}}")) {
            text.push_str(&brace[..1]);
            rest = after;
            continue;
        }
        let inside = brace.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let Some((name, after)) = inside else { return Err(format!("a brace of {format:?} has no partner")) };
        let index = match name {
            "" => {
                next += 1;
                next - 1
            }
            name => name.parse().map_err(|_| format!("{{{name}}} in {format:?} is no number of a value"))?,
        };
        match values.get(index) {
            Some(value) => text.push_str(value),
            None => return Err(format!("{format:?} names value {index} of {}", values.len())),
        }
        rest = after;
    }
    Ok(text + rest)
}
