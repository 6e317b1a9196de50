//! Source files and locations in them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A piece of source text with the name under which the user knows it.
pub struct SourceFile {
    pub name: String,
    pub text: String,
    /// Lines of the user's file before `text` (a decorated function is handed over by itself).
    pub first_line: usize,
    /// The start of each line; computed on first use.
    line_starts: OnceLock<Vec<usize>>,
}

impl SourceFile {
    /// The text of a whole file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Self::part(name, text, 0)
    }

    /// A part of a file, with this many of the file's lines before it.
    pub fn part(name: impl Into<String>, text: impl Into<String>, first_line: usize) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into(), first_line, line_starts: OnceLock::new() })
    }

    /// The 1-based line and column (in characters) of a byte offset; an offset past the end is the end.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.boundary(offset);
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= offset).max(1);
        let start = starts.get(line - 1).copied().unwrap_or_default();
        let column = self.text.get(start..offset).map_or(0, |before| before.chars().count());
        (line + self.first_line, column + 1)
    }

    /// The bytes of the line around an offset, without what ends it.
    pub(crate) fn line_around(&self, offset: usize) -> Range<usize> {
        let offset = self.boundary(offset);
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= offset).max(1);
        let start = starts.get(line - 1).copied().unwrap_or_default();
        let end = starts.get(line).map_or(self.text.len(), |next| next - 1);
        let carriage_return = end > start && self.text.as_bytes().get(end - 1) == Some(&b'\r');
        start..end - usize::from(carriage_return)
    }

    /// The offset itself, or the nearest before it that lies between two characters.
    fn boundary(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset)
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| {
            let bytes = self.text.as_bytes();
            // As in Python, a carriage return that is not part of a line's end is one itself.
            let ends = bytes.iter().enumerate().filter(|&(at, &byte)| match byte {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            });
            std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
        })
    }
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.text, self.first_line) == (&other.name, &other.text, other.first_line)
    }
}

impl Eq for SourceFile {}

impl Hash for SourceFile {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, &self.text, self.first_line).hash(state);
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

    /// The span that names a statement of several lines, such as a function: its first line after decorators. A span
    /// within a line is itself.
    pub fn headline(&self) -> Self {
        let text = self.file.text.get(self.start as usize..self.end as usize).unwrap_or_default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let words = line.trim_start();
            if !words.is_empty() && !words.starts_with(['@', '#']) {
                let indent = line.len() - words.len();
                let from = self.start + (start + indent) as u32;
                return Self { start: from, end: from + words.trim_end().len() as u32, file: self.file.clone() };
            }
            start += line.len();
        }
        self.clone()
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

/// The set of locations that a piece of IR came from, in order of first mention. Passes merge the sets of nodes that
/// they merge.
#[derive(Clone, Default, Debug)]
pub struct Origins(Option<Arc<Vec<Span>>>);

/// The locations in order; the caller guarantees that each occurs once.
impl FromIterator<Span> for Origins {
    fn from_iter<I: IntoIterator<Item = Span>>(spans: I) -> Self {
        let spans: Vec<Span> = spans.into_iter().collect();
        Self((!spans.is_empty()).then(|| Arc::new(spans)))
    }
}

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

    /// The first location as [`Span::headline`] has it, alone.
    pub fn headline(&self) -> Self {
        self.first().map_or_else(Self::default, |span| Self::at(span.headline()))
    }

    /// The union of both.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_of_a_function_is_its_definition() {
        let check = |text: &str, expected: &str| {
            let file = SourceFile::new("model.py", text);
            let line = Span::new(&file, 0, text.len() as u32).headline();
            assert_eq!(&text[line.start as usize..line.end as usize], expected);
        };
        check(
            "@T.prim_func\n  # note\n\n  def f(A: T.Buffer((4,)),\r\n        B):\n    pass",
            "def f(A: T.Buffer((4,)),",
        );
        check("x = 1", "x = 1");
        check("@", "@");
        check("", "");
    }

    #[test]
    fn a_carriage_return_ends_a_line() {
        let file = SourceFile::new("model.py", "a\r\rbc\r\nd\re");
        let positions = [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2), (3, 3), (3, 4), (4, 1), (4, 2), (5, 1)];
        for (offset, position) in positions.into_iter().enumerate() {
            assert_eq!(file.line_column(offset), position, "{offset}");
        }
        let lines = [0, 2, 3, 7, 9].map(|at| &file.text[file.line_around(at)]);
        assert_eq!(lines, ["a", "", "bc", "d", "e"]);
    }

    #[test]
    fn lines_and_columns_of_every_offset() {
        let text = "é = 1\r\n\n名 = 2";
        let file = SourceFile::part("model.py", text, 10);
        for offset in 0..text.len() + 3 {
            let before = &text[..text.floor_char_boundary(offset)];
            let line = before.matches('\n').count() + 11;
            let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
            assert_eq!(file.line_column(offset), (line, column), "{offset}");
        }
    }
}
