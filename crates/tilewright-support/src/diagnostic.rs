//! Messages about the user's input: code, place, what was expected and found, a next step.

use std::fmt;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    Error,
    Warning,
}

/// A place with a remark.
#[derive(Clone, Debug)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// One message. Build it with [`Diagnostic::error`] and the methods that follow it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// A stable code such as `TW0101`; the documentation has a page for each.
    pub code: &'static str,
    /// Lower case, no final full stop, what was expected and found.
    pub message: String,
    /// The underlined place.
    pub span: Option<Span>,
    /// What stands under the underline.
    pub label: String,
    pub secondary: Vec<Label>,
    pub notes: Vec<String>,
    /// A next step, where there is one.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            span: None,
            label: String::new(),
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Sets the underlined place.
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Sets the remark under the underline.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Adds another place with a remark.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// The message with its excerpt of the source, in rustc's manner.
    pub fn render(&self, color: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let excerpts: Vec<Excerpt> = self.excerpts();
        let mut group = level.primary_title(self.message.as_str()).id(self.code).elements(excerpts.iter().map(|e| {
            let mut snippet = Snippet::source(e.text).line_start(e.line).path(e.name);
            for (kind, start, end, label) in &e.marks {
                let mark = kind.span(*start..*end);
                snippet = snippet.annotation(if label.is_empty() { mark } else { mark.label(*label) });
            }
            snippet
        }));
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }

    /// The lines around each marked place, one excerpt a file: rendering is slow on a whole large source.
    fn excerpts(&self) -> Vec<Excerpt<'_>> {
        let mut excerpts: Vec<Excerpt<'_>> = Vec::new();
        let primary = self.span.iter().map(|span| (AnnotationKind::Primary, span, self.label.as_str()));
        let secondary = self.secondary.iter().map(|l| (AnnotationKind::Context, &l.span, l.text.as_str()));
        let marks: Vec<_> = primary.chain(secondary).collect();
        for (_, span, _) in &marks {
            if excerpts.iter().any(|e| e.name == span.file.name) {
                continue;
            }
            let text = span.file.text.as_str();
            let of_file = || marks.iter().filter(|m| m.1.file.name == span.file.name);
            let start = of_file().map(|m| m.1.start as usize).min().unwrap_or(0).min(text.len());
            let end = of_file().map(|m| m.1.end as usize).max().unwrap_or(0).min(text.len());
            let from = text.as_bytes()[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
            let to = text.as_bytes()[end..].iter().position(|&b| b == b'\n').map_or(text.len(), |at| end + at);
            let Some(excerpt) = text.get(from..to) else { continue };
            let clamp = |at: u32| {
                let mut at = (at as usize).clamp(from, to) - from;
                while !excerpt.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            excerpts.push(Excerpt {
                name: &span.file.name,
                text: excerpt,
                line: span.file.line_column(from).0,
                marks: of_file().map(|m| (m.0, clamp(m.1.start), clamp(m.1.end.max(m.1.start)), m.2)).collect(),
            });
        }
        excerpts
    }
}

struct Excerpt<'a> {
    name: &'a str,
    text: &'a str,
    line: usize,
    marks: Vec<(AnnotationKind, usize, usize, &'a str)>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostic {}

/// All that a front end found in one go; never empty when it is an error.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|d| d.severity == Severity::Error)
    }

    /// All messages, one after the other.
    pub fn render(&self, color: bool) -> String {
        self.0.iter().map(|d| d.render(color)).collect::<Vec<_>>().join("\n\n")
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceFile;

    #[test]
    fn a_message_underlines_its_place_in_the_users_lines() {
        let file = SourceFile::new("model.py", "x = 1\ny = zz + 1\n");
        let text = Diagnostic::error("TW0001", "unknown name `zz`")
            .at(Span::new(&file, 10, 12))
            .label("not found in this scope")
            .note("names come from the file's imports")
            .help("did you mean `x`?")
            .render(false);
        for part in ["error[TW0001]: unknown name `zz`", "model.py:2:5", "^^ not found in this scope", "did you mean"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_place_past_the_end_or_inside_a_character_is_still_rendered() {
        let file = SourceFile::new("ü.py", "ü = é\n");
        for (start, end) in [(0, 1), (1, 2), (900, 1000), (5, 2)] {
            assert!(Diagnostic::error("TW0001", "odd").at(Span::new(&file, start, end)).render(true).contains("odd"));
        }
    }
}
