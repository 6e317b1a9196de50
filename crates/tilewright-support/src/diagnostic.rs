//! Messages about the user's input: code, location, expectation and finding, a next step.

use std::fmt;

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    Error,
    Warning,
}

impl Severity {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A location with a label.
#[derive(Clone, Debug)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// One message. Build it with [`Diagnostic::error`] and the methods that follow it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// A stable code such as `TW0101`; the documentation has a page for each. Empty for what is no fault of a source or
    /// of a program, such as a file that does not exist.
    pub code: &'static str,
    /// Lower case, no final full stop, what was expected and found.
    pub message: String,
    /// The underlined location.
    pub span: Option<Span>,
    /// The label under the underline.
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

    /// Sets the underlined location.
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Sets the remark under the underline.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Adds another location with a label.
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

    /// Brings the messages into the order of their locations, file by file as the files are first named. Those without
    /// a location come first.
    pub fn sort(&mut self) {
        let mut files: Vec<String> = Vec::new();
        for span in self.0.iter().filter_map(|diagnostic| diagnostic.span.as_ref()) {
            if !files.contains(&span.file.name) {
                files.push(span.file.name.clone());
            }
        }
        self.0.sort_by_key(|diagnostic| {
            let span = diagnostic.span.as_ref()?;
            Some((files.iter().position(|name| *name == span.file.name), span.start))
        });
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
