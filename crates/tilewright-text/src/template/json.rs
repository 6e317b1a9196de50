//! `tojson`, as `transformers` defines it: Python's `json.dumps(x, ensure_ascii=…, indent=…, separators=…,
//! sort_keys=…)` with `ensure_ascii=False`.

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Error, ErrorKind, State, Value};

/// How deep values may be nested.
const MAX_DEPTH: usize = 160;

struct Style {
    ascii: bool,
    indent: Option<String>,
    item: String,
    key: String,
    sort: bool,
}

/// The filter.
pub(super) fn tojson(state: &State, value: &Value, options: Kwargs) -> Result<Value, Error> {
    let indent = match options.get::<Option<Value>>("indent")? {
        None => None,
        Some(indent) if indent.is_none() => None,
        Some(indent) => match (indent.as_usize(), indent.as_str()) {
            (Some(width), _) => Some(" ".repeat(width.min(64))),
            (None, Some(text)) => Some(text.chars().take(64).collect()),
            (None, None) => return Err(invalid("tojson: indent is neither a number nor a string")),
        },
    };
    let mut style = Style {
        ascii: options.get::<Option<bool>>("ensure_ascii")?.unwrap_or(false),
        item: if indent.is_some() { ",".into() } else { ", ".into() },
        key: ": ".into(),
        sort: options.get::<Option<bool>>("sort_keys")?.unwrap_or(false),
        indent,
    };
    if let Some(pair) = options.get::<Option<Value>>("separators")?.filter(|pair| !pair.is_none()) {
        let texts: Vec<Value> = pair.try_iter()?.collect();
        match texts.as_slice() {
            [item, key] if item.as_str().is_some() && key.as_str().is_some() => {
                style.item = item.to_string();
                style.key = key.to_string();
            }
            _ => return Err(invalid("tojson: separators are not two strings")),
        }
    }
    options.assert_all_used()?;
    let mut text = String::new();
    write(state, &style, value, 0, &mut text)?;
    Ok(Value::from(text))
}

fn invalid(why: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, why.to_string())
}

fn write(state: &State, style: &Style, value: &Value, depth: usize, out: &mut String) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(invalid("tojson: the value is nested too deeply"));
    }
    // What is written here is charged by the engine only once it is complete.
    state.consume_fuel(1)?;
    match value.kind() {
        ValueKind::None => out.push_str("null"),
        ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number => write_number(value, out)?,
        ValueKind::String => {
            let text = value.as_str().unwrap_or_default();
            state.consume_fuel(text.len() as u64 / 64)?;
            write_string(style, text, out);
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let items = value.try_iter()?.map(|item| (None, item));
            write_items(state, style, ('[', ']'), items, depth, out)?;
        }
        ValueKind::Map => {
            let mut entries: Vec<(Option<Value>, Value)> = Vec::new();
            for key in value.try_iter()? {
                let entry = value.get_item(&key)?;
                entries.push((Some(key), entry));
            }
            if style.sort {
                entries.sort_by(|a, b| a.0.cmp(&b.0));
            }
            write_items(state, style, ('{', '}'), entries.into_iter(), depth, out)?;
        }
        kind => return Err(invalid(&format!("tojson: a value of kind {kind} has no JSON"))),
    }
    Ok(())
}

fn write_items(
    state: &State,
    style: &Style,
    (open, close): (char, char),
    items: impl Iterator<Item = (Option<Value>, Value)>,
    depth: usize,
    out: &mut String,
) -> Result<(), Error> {
    out.push(open);
    let mut empty = true;
    for (key, item) in items {
        if !std::mem::take(&mut empty) {
            out.push_str(&style.item);
        }
        new_line(style, depth + 1, out);
        if let Some(key) = key {
            write_key(style, &key, out)?;
            out.push_str(&style.key);
        }
        write(state, style, &item, depth + 1, out)?;
    }
    if !empty {
        new_line(style, depth, out);
    }
    out.push(close);
    Ok(())
}

fn new_line(style: &Style, depth: usize, out: &mut String) {
    if let Some(indent) = &style.indent {
        out.push('\n');
        (0..depth).for_each(|_| out.push_str(indent));
    }
}

fn write_key(style: &Style, key: &Value, out: &mut String) -> Result<(), Error> {
    let mut text = String::new();
    match key.kind() {
        ValueKind::String => text.push_str(key.as_str().unwrap_or_default()),
        ValueKind::None => text.push_str("null"),
        ValueKind::Bool => text.push_str(if key.is_true() { "true" } else { "false" }),
        ValueKind::Number => write_number(key, &mut text)?,
        kind => return Err(invalid(&format!("tojson: a key of kind {kind}"))),
    }
    write_string(style, &text, out);
    Ok(())
}

fn write_number(value: &Value, out: &mut String) -> Result<(), Error> {
    if value.is_integer() {
        out.push_str(&value.to_string());
        return Ok(());
    }
    let number = f64::try_from(value.clone())?;
    out.push_str(&python_float(number));
    Ok(())
}

/// A float as Python's `repr` writes it: the shortest digits that read as the same number, with an exponent under
/// 1e-4 and from 1e16 on.
pub(super) fn python_float(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.into();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if number != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let plain = number.to_string();
    if plain.contains('.') { plain } else { format!("{plain}.0") }
}

fn write_string(style: &Style, text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{C}' => out.push_str("\\f"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c if style.ascii && (!c.is_ascii() || c == '\u{7F}') => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
