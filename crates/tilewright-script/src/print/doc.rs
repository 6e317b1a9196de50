//! The document between IR and text: pieces of text with possible line breaks.
//!
//! The tree of a document lies flat in one list, groups between [`Token::Open`] and [`Token::Close`]: any depth of
//! nesting is laid out and dropped without recursion.

use std::fmt::{self, Write};
use std::ops::Range;

#[derive(Clone, Debug)]
enum Token {
    /// A piece of `Doc::text`, and how many characters it has.
    Text(Range<usize>, usize),
    /// Nothing on one line; a line break where the group is broken.
    Soft,
    /// A blank on one line; a line break where the group is broken.
    Blank,
    /// A comma that is printed only if the group is broken.
    BrokenComma,
    /// A line break.
    Hard,
    Indent,
    Dedent,
    Open,
    Close,
    /// Where a mark begins, and where the one of this number ends: they nest.
    Begin,
    End(usize),
}

/// A document that is being written.
///
/// One that knows how it is laid out keeps only what still may change: where brackets may be broken, the line at its
/// end and what is open around it, else the last item. What is before is text already.
#[derive(Default, Debug)]
pub(super) struct Doc {
    tokens: Vec<Token>,
    text: String,
    /// The number of open brackets and marks.
    open: usize,
    /// The indentation after the last token.
    depth: usize,
    laid: Option<Layout>,
}

impl Doc {
    /// A document that is laid out line by line. Groups that do not fit into `width` characters are broken; without a
    /// width none is.
    pub(super) fn laid_out(width: Option<usize>, indent: usize) -> Self {
        Self { laid: Some(Layout::new(width, indent, 0)), ..Self::default() }
    }

    /// A document for a suite below this one's last line, for [`Doc::append`] after [`Doc::indent`].
    pub(super) fn suite(&self) -> Self {
        let depth = self.depth + 1;
        let layout = self.laid.as_ref().filter(|_| self.is_settled());
        let laid = layout.map(|layout| Layout::new(layout.width, layout.out.indent, depth));
        Self { laid, depth, ..Self::default() }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(text);
        self.wrote(text.len());
    }

    pub(super) fn write(&mut self, text: fmt::Arguments<'_>) {
        let start = self.text.len();
        // Writing to a string does not fail.
        let _ = self.text.write_fmt(text);
        self.wrote(self.text.len() - start);
    }

    /// Records that `bytes` bytes were added to the text.
    fn wrote(&mut self, bytes: usize) {
        let end = self.text.len();
        let start = end - bytes;
        let chars = self.text[start..].chars().count();
        match self.tokens.last_mut() {
            Some(Token::Text(range, before)) => {
                range.end = end;
                *before += chars;
            }
            _ => self.tokens.push(Token::Text(start..end, chars)),
        }
    }

    /// Ends the line.
    pub(super) fn line(&mut self) {
        if self.is_settled() {
            self.settle();
        }
        self.tokens.push(Token::Hard);
    }

    /// Whether nothing that comes can change how this is laid out: lines do not depend on each other, and without a
    /// width nothing in a line does.
    fn is_settled(&self) -> bool {
        self.open == 0 || self.laid.as_ref().is_some_and(|layout| layout.width.is_none())
    }

    /// Lays out what is written so far, if it is known how.
    fn settle(&mut self) {
        let Some(layout) = &mut self.laid else { return };
        layout.add(&self.tokens, &self.text);
        self.tokens.clear();
        self.text.clear();
    }

    pub(super) fn indent(&mut self) {
        self.depth += 1;
        self.tokens.push(Token::Indent);
    }

    pub(super) fn dedent(&mut self) {
        self.depth -= 1;
        self.tokens.push(Token::Dedent);
    }

    /// Begins a bracketed list; [`Doc::separator`] separates its items and [`Doc::close`] ends it.
    pub(super) fn open(&mut self, bracket: &str) {
        self.text(bracket);
        self.open += 1;
        self.tokens.extend([Token::Open, Token::Indent, Token::Soft]);
    }

    pub(super) fn separator(&mut self) {
        self.text(",");
        if self.is_settled() {
            self.settle();
        }
        self.tokens.push(Token::Blank);
    }

    pub(super) fn close(&mut self, bracket: &str) {
        self.open -= 1;
        self.tokens.extend([Token::BrokenComma, Token::Dedent, Token::Soft, Token::Close]);
        self.text(bracket);
    }

    /// Begins a stretch of the text, to which [`Doc::end`] gives its number.
    pub(super) fn begin(&mut self) {
        self.open += 1;
        self.tokens.push(Token::Begin);
    }

    pub(super) fn end(&mut self, mark: usize) {
        self.open -= 1;
        self.tokens.push(Token::End(mark));
    }

    /// Appends another document.
    pub(super) fn append(&mut self, mut other: Self) {
        other.settle();
        if let Some(theirs) = other.laid.take() {
            self.settle();
            if let Some(layout) = &mut self.laid {
                layout.append(theirs);
            }
        }
        let base = self.text.len();
        self.text.push_str(&other.text);
        self.tokens.extend(other.tokens.into_iter().map(|token| match token {
            Token::Text(range, chars) => Token::Text(range.start + base..range.end + base, chars),
            other => other,
        }));
    }

    /// The text of a document that is not laid out yet.
    pub(super) fn render(self, width: Option<usize>, indent: usize) -> String {
        Self { laid: Some(Layout::new(width, indent, 0)), ..self }.finish().0
    }

    /// The text, and the bytes that each mark covers.
    pub(super) fn finish(mut self) -> (String, Marked) {
        self.settle();
        let Layout { mut out, marks, .. } = self.laid.unwrap_or_default();
        if !out.text.ends_with('\n') {
            out.text.push('\n');
        }
        (out.text, marks)
    }
}

/// Marks by number, and the bytes that each covers.
pub(super) type Marked = Vec<(usize, Range<usize>)>;

/// The text of a document, as far as it is laid out.
#[derive(Default, Debug)]
struct Layout {
    width: Option<usize>,
    out: Output,
    /// For each group around, whether it is broken.
    broken: Vec<bool>,
    /// The starts of the enclosing marks.
    begun: Vec<usize>,
    marks: Marked,
}

impl Layout {
    fn new(width: Option<usize>, indent: usize, depth: usize) -> Self {
        Self { width, out: Output { depth, indent, ..Output::default() }, ..Self::default() }
    }

    /// Lays out whole groups up to the end of a line.
    fn add(&mut self, tokens: &[Token], text: &str) {
        let ends = self.width.map(|_| group_ends(tokens)).unwrap_or_default();
        let Self { out, broken, begun, .. } = self;
        for (at, token) in tokens.iter().enumerate() {
            let is_broken = broken.last().copied().unwrap_or(false);
            match token {
                Token::Text(range, chars) => out.text(&text[range.clone()], *chars),
                Token::Hard => out.line_break(),
                Token::Soft | Token::Blank if is_broken => out.line_break(),
                Token::Blank => out.text(" ", 1),
                Token::BrokenComma if is_broken => out.text(",", 1),
                Token::Soft | Token::BrokenComma => {}
                Token::Indent => out.depth += 1,
                Token::Dedent => out.depth -= 1,
                Token::Open => broken.push(self.width.is_some_and(|width| out.column.saturating_add(ends[at]) > width)),
                Token::Close => {
                    broken.pop();
                }
                Token::Begin => begun.push(out.text.len()),
                Token::End(mark) => self.marks.push((*mark, begun.pop().unwrap_or_default()..out.text.len())),
            }
        }
    }

    fn append(&mut self, other: Self) {
        let base = self.out.text.len();
        self.out.text.push_str(&other.out.text);
        self.out.column = other.out.column;
        self.marks.extend(other.marks.into_iter().map(|(mark, bytes)| (mark, bytes.start + base..bytes.end + base)));
    }
}

/// For each `Open`, the characters from there to the first possible break after its group, all on one line.
fn group_ends(tokens: &[Token]) -> Vec<usize> {
    let mut before = Vec::with_capacity(tokens.len() + 1);
    let mut total = 0;
    for token in tokens {
        before.push(total);
        total += match token {
            Token::Text(_, chars) => *chars,
            Token::Blank => 1,
            _ => 0,
        };
    }
    let mut ends = vec![0; tokens.len()];
    let (mut next_break, mut open) = (total, Vec::new());
    for (at, token) in tokens.iter().enumerate().rev() {
        match token {
            Token::Hard | Token::Soft | Token::Blank => next_break = before[at],
            Token::Close => open.push(next_break),
            Token::Open => ends[at] = open.pop().unwrap_or(total) - before[at],
            _ => {}
        }
    }
    ends
}

/// The largest step of indentation.
const BLANKS: &str = "                                                                ";

#[derive(Default, Debug)]
struct Output {
    text: String,
    column: usize,
    depth: usize,
    indent: usize,
}

impl Output {
    fn text(&mut self, text: &str, chars: usize) {
        if self.column == 0 && chars > 0 {
            self.column = self.depth * self.indent;
            let mut left = self.column;
            while left > 0 {
                let blanks = left.min(BLANKS.len());
                self.text.push_str(&BLANKS[..blanks]);
                left -= blanks;
            }
        }
        self.text.push_str(text);
        self.column += chars;
    }

    fn line_break(&mut self) {
        self.text.push('\n');
        self.column = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(depth: usize) -> Doc {
        let mut doc = Doc::default();
        for _ in 0..depth {
            doc.open("f(");
            doc.text("x");
            doc.separator();
        }
        doc.text("y");
        for _ in 0..depth {
            doc.close(")");
        }
        doc
    }

    #[test]
    fn the_outermost_bracket_that_does_not_fit_is_broken() {
        assert_eq!(call(2).render(None, 4), "f(x, f(x, y))\n");
        assert_eq!(call(2).render(Some(13), 4), "f(x, f(x, y))\n");
        assert_eq!(call(2).render(Some(12), 4), "f(\n    x,\n    f(x, y),\n)\n");
    }

    #[test]
    fn any_depth_is_laid_out() {
        assert_eq!(call(100_000).render(None, 4).len(), 100_000 * 6 + 2);
        assert!(call(1_000).render(Some(80), 2).len() > 6_000);
    }
}
