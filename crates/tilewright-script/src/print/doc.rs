//! The document between IR and text: pieces of text with the places where a line may be broken.
//!
//! The tree of a document lies flat in one list, groups between [`Token::Open`] and [`Token::Close`]: any depth of
//! nesting is laid out and dropped without recursion.

use std::ops::Range;

#[derive(Clone, Debug)]
enum Token {
    /// A piece of `Doc::text`, and how many characters it has.
    Text(Range<usize>, usize),
    /// Nothing on one line; a line break where the group is broken.
    Soft,
    /// A blank on one line; a line break where the group is broken.
    Blank,
    /// A comma that stands only where the group is broken.
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
#[derive(Default, Debug)]
pub(super) struct Doc {
    tokens: Vec<Token>,
    text: String,
}

impl Doc {
    pub(super) fn text(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        match self.tokens.last_mut() {
            Some(Token::Text(range, chars)) => {
                range.end = self.text.len();
                *chars += text.chars().count();
            }
            _ => self.tokens.push(Token::Text(start..self.text.len(), text.chars().count())),
        }
    }

    /// Ends the line.
    pub(super) fn line(&mut self) {
        self.tokens.push(Token::Hard);
    }

    pub(super) fn indent(&mut self) {
        self.tokens.push(Token::Indent);
    }

    pub(super) fn dedent(&mut self) {
        self.tokens.push(Token::Dedent);
    }

    /// Begins a bracketed list; [`Doc::separator`] goes between its items and [`Doc::close`] ends it.
    pub(super) fn open(&mut self, bracket: &str) {
        self.text(bracket);
        self.tokens.extend([Token::Open, Token::Indent, Token::Soft]);
    }

    pub(super) fn separator(&mut self) {
        self.text(",");
        self.tokens.push(Token::Blank);
    }

    pub(super) fn close(&mut self, bracket: &str) {
        self.tokens.extend([Token::BrokenComma, Token::Dedent, Token::Soft, Token::Close]);
        self.text(bracket);
    }

    /// Begins a stretch of the text, to which [`Doc::end`] gives its number.
    pub(super) fn begin(&mut self) {
        self.tokens.push(Token::Begin);
    }

    pub(super) fn end(&mut self, mark: usize) {
        self.tokens.push(Token::End(mark));
    }

    /// Appends another document.
    pub(super) fn append(&mut self, other: Self) {
        let base = self.text.len();
        self.text.push_str(&other.text);
        self.tokens.extend(other.tokens.into_iter().map(|token| match token {
            Token::Text(range, chars) => Token::Text(range.start + base..range.end + base, chars),
            other => other,
        }));
    }

    /// The text. Groups that do not fit into `width` characters are broken; without a width none is.
    pub(super) fn render(&self, width: Option<usize>, indent: usize) -> String {
        self.render_marked(width, indent).0
    }

    /// The text, and the bytes that each mark covers.
    pub(super) fn render_marked(&self, width: Option<usize>, indent: usize) -> (String, Vec<(usize, Range<usize>)>) {
        let mut marks = Vec::new();
        let mut begun = Vec::new();
        let ends = width.map(|_| self.group_ends()).unwrap_or_default();
        let mut out = Output { text: String::with_capacity(self.text.len() * 2), column: 0, depth: 0, indent };
        let mut broken = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let is_broken = broken.last().copied().unwrap_or(false);
            match token {
                Token::Text(range, chars) => out.text(&self.text[range.clone()], *chars),
                Token::Hard => out.line_break(),
                Token::Soft | Token::Blank if is_broken => out.line_break(),
                Token::Blank => out.text(" ", 1),
                Token::BrokenComma if is_broken => out.text(",", 1),
                Token::Soft | Token::BrokenComma => {}
                Token::Indent => out.depth += 1,
                Token::Dedent => out.depth -= 1,
                Token::Open => broken.push(width.is_some_and(|width| out.column.saturating_add(ends[at]) > width)),
                Token::Close => {
                    broken.pop();
                }
                Token::Begin => begun.push(out.text.len()),
                Token::End(mark) => marks.push((*mark, begun.pop().unwrap_or_default()..out.text.len())),
            }
        }
        if !out.text.ends_with('\n') {
            out.text.push('\n');
        }
        (out.text, marks)
    }

    /// For each `Open`, the characters from there to the first possible break behind its group, all on one line.
    fn group_ends(&self) -> Vec<usize> {
        let mut before = Vec::with_capacity(self.tokens.len() + 1);
        let mut total = 0;
        for token in &self.tokens {
            before.push(total);
            total += match token {
                Token::Text(_, chars) => *chars,
                Token::Blank => 1,
                _ => 0,
            };
        }
        let mut ends = vec![0; self.tokens.len()];
        let (mut next_break, mut open) = (total, Vec::new());
        for (at, token) in self.tokens.iter().enumerate().rev() {
            match token {
                Token::Hard | Token::Soft | Token::Blank => next_break = before[at],
                Token::Close => open.push(next_break),
                Token::Open => ends[at] = open.pop().unwrap_or(total) - before[at],
                _ => {}
            }
        }
        ends
    }
}

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
            self.text.extend(std::iter::repeat_n(' ', self.column));
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
