//! Source files and places in them.

use std::fmt;
use std::sync::Arc;

/// A piece of source text with the name under which the user knows it.
#[derive(PartialEq, Eq, Hash)]
pub struct SourceFile {
    pub name: String,
    pub text: String,
    /// How many lines of the user's file stand before `text` (a decorated function is handed over by itself).
    pub first_line: usize,
}

impl SourceFile {
    /// The text of a whole file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into(), first_line: 0 })
    }

    /// The 1-based line and column (in characters) of a byte offset; an offset past the end is the end.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1 + self.first_line;
        (line, before[line_start..].chars().count() + 1)
    }
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceFile({:?}, {} bytes)", self.name, self.text.len())
    }
}

/// A range of bytes of a source file.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Span {
    pub file: Arc<SourceFile>,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: &Arc<SourceFile>, start: u32, end: u32) -> Self {
        Self { file: file.clone(), start, end }
    }

    /// The 1-based line and column of its first character.
    pub fn line_column(&self) -> (usize, usize) {
        self.file.line_column(self.start as usize)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.line_column();
        write!(f, "{}:{line}:{column}", self.file.name)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The set of places that a piece of IR came from, in order of first mention. Passes merge the sets of what they merge.
#[derive(Clone, Default, Debug)]
pub struct Origins(Option<Arc<Vec<Span>>>);

impl Origins {
    pub fn at(span: Span) -> Self {
        Self(Some(Arc::new(vec![span])))
    }

    pub fn spans(&self) -> &[Span] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    pub fn first(&self) -> Option<&Span> {
        self.spans().first()
    }

    /// The places of both.
    pub fn merge(&self, other: &Self) -> Self {
        if other.spans().iter().all(|span| self.spans().contains(span)) {
            return self.clone();
        }
        let mut all = self.spans().to_vec();
        for span in other.spans() {
            if !all.contains(span) {
                all.push(span.clone());
            }
        }
        Self(Some(Arc::new(all)))
    }
}
