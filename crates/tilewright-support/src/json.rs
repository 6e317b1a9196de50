//! Diagnostics as JSON for programs: one object on one line for each.

use std::fmt::Write;

use crate::{Diagnostic, Diagnostics, Span};

impl Diagnostic {
    /// The message as one line of JSON, with everything that [`Diagnostic::render`] shows and that text as `rendered`.
    ///
    /// Keys: `severity`, `code` (null where there is none), `message`, `file` (that of the primary location, or null),
    /// `spans` (each with `file`, `primary`, `start` and `end` in bytes, `line`, `column`, `end_line`, `end_column`
    /// from 1 with columns in characters, `label`), `notes`, `help` (null where there is none), `rendered`.
    pub fn to_json(&self) -> String {
        let spans: Vec<String> = self.places().map(|(primary, span, label)| span_json(primary, span, label)).collect();
        let notes: Vec<String> = self.notes.iter().map(|note| quote(note)).collect();
        let code = if self.code.is_empty() { "null".to_owned() } else { quote(self.code) };
        let optional = |text: Option<&str>| text.map_or_else(|| "null".to_owned(), quote);
        format!(
            "{{\"severity\": {}, \"code\": {code}, \"message\": {}, \"file\": {}, \"spans\": [{}], \"notes\": [{}], \
             \"help\": {}, \"rendered\": {}}}",
            quote(self.severity.name()),
            quote(&self.message),
            optional(self.span.as_ref().map(|span| span.file.name.as_str())),
            spans.join(", "),
            notes.join(", "),
            optional(self.help.as_deref()),
            quote(&self.render(false)),
        )
    }

    /// Every location with its label, the primary one (true) first.
    pub fn places(&self) -> impl Iterator<Item = (bool, &Span, &str)> {
        let primary = self.span.iter().map(|span| (true, span, self.label.as_str()));
        primary.chain(self.secondary.iter().map(|label| (false, &label.span, label.text.as_str())))
    }
}

impl Diagnostics {
    /// One line of JSON for each message, every line with its end.
    pub fn to_json(&self) -> String {
        self.0.iter().map(|diagnostic| diagnostic.to_json() + "\n").collect()
    }
}

fn span_json(primary: bool, span: &Span, label: &str) -> String {
    let (line, column) = span.line_column();
    let (end_line, end_column) = span.file.line_column(span.end as usize);
    format!(
        "{{\"file\": {}, \"primary\": {primary}, \"start\": {}, \"end\": {}, \"line\": {line}, \"column\": {column}, \
         \"end_line\": {end_line}, \"end_column\": {end_column}, \"label\": {}}}",
        quote(&span.file.name),
        span.start,
        span.end,
        quote(label),
    )
}

/// The text as a JSON string.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            // Line separators of Unicode end a line for some readers of lines.
            c if c.is_control() || c == '\u{2028}' || c == '\u{2029}' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceFile;

    #[test]
    fn every_part_is_there_on_one_line() {
        let file = SourceFile::part("m\"ö.py", "é = 1\ny = zz\n", 10);
        let diagnostic = Diagnostic::error("TW0201", "unknown name `zz`")
            .at(Span::new(&file, 11, 13))
            .label("not\tfound")
            .also(Span::new(&file, 0, 2), "near")
            .note("a\nb\u{1}\u{2028}")
            .help("did you mean `\\`?");
        let json = diagnostic.to_json();
        assert!(!json.contains('\n'));
        for part in [
            r#""severity": "error", "code": "TW0201", "message": "unknown name `zz`", "file": "m\"ö.py""#,
            r#""primary": true, "start": 11, "end": 13, "line": 12, "column": 5, "end_line": 12, "end_column": 7"#,
            r#""label": "not\u0009found""#,
            r#""primary": false, "start": 0, "end": 2, "line": 11, "column": 1, "end_line": 11, "end_column": 2"#,
            r#""notes": ["a\nb\u0001\u2028"], "help": "did you mean `\\`?", "rendered": "error[TW0201]: "#,
        ] {
            assert!(json.contains(part), "{part}\n{json}");
        }
        let bare = Diagnostic::warning("", "no location").to_json();
        assert!(bare.contains(r#""severity": "warning", "code": null"#) && bare.contains(r#""spans": []"#), "{bare}");
    }
}
