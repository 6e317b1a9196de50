//! An upper bound of the depth of a text's syntax tree, computed from tokens.
//!
//! Everything after Python's parser recurses over the text's structure. The depth of a token is the number of blocks
//! around it, plus, for every open bracket, one and the number of operators since its last comma: `a + b + c` is a tree
//! of depth 2. Dots and closed brackets after one operand, as in `f(x)(y).z`, count while that operand lasts.
//!
//! The tokens are those of the parser itself, so that no comment, string or end of a line hides from the bound what the
//! parser sees.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

use super::MAX_NESTING;

/// The point from which on a text is deeper than [`MAX_NESTING`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooDeep {
    /// The end offset of the last token before the first one that is too deep.
    pub(super) at: usize,
    /// Most of the depth is one chain of operators or dots, not brackets and blocks.
    pub(super) chain: bool,
}

/// The point from which on the text is deeper than [`MAX_NESTING`], if any.
pub(super) fn too_deep(text: &str) -> Option<TooDeep> {
    let chain = of_chain(text)?;
    // The first tokens of a text are those of its prefixes: the offset is the end of the longest shallow prefix.
    let (mut shallow, mut deep) = (0, text.len());
    loop {
        let middle = text.floor_char_boundary(shallow + (deep - shallow) / 2);
        if middle <= shallow {
            return Some(TooDeep { at: shallow, chain });
        }
        match text.get(..middle).and_then(of_chain) {
            Some(_) => deep = middle,
            None => shallow = middle,
        }
    }
}

/// Whether it is a chain that is too deep; `None` if nothing is.
fn of_chain(text: &str) -> Option<bool> {
    let mut tokens = lex(text, Mode::Module);
    let mut scan = Scan { indents: 0, brackets: vec![Frame::default()], depth: 0 };
    loop {
        let token = tokens.next_token();
        if token == TokenKind::EndOfFile {
            return None;
        }
        scan.step(token);
        let (postfix, links) = scan.brackets.last().map_or((0, 0), |f| (f.postfix, f.postfix + f.operators));
        if scan.depth + postfix + scan.indents > MAX_NESTING {
            return Some(links > MAX_NESTING / 2);
        }
    }
}

struct Scan {
    /// Blocks around the current line.
    indents: usize,
    /// The open brackets and operators around the current token; the first entry is the line itself.
    brackets: Vec<Frame>,
    /// The sum of operators over `brackets`, and their number.
    depth: usize,
}

#[derive(Default)]
struct Frame {
    /// Operators since the last comma.
    operators: usize,
    /// Dots and closed brackets after the current operand.
    postfix: usize,
}

impl Scan {
    fn step(&mut self, token: TokenKind) {
        use TokenKind as K;
        match token {
            K::Lpar | K::Lsqb | K::Lbrace | K::FStringStart | K::TStringStart => {
                self.brackets.push(Frame::default());
                self.depth += 1;
            }
            K::Rpar | K::Rsqb | K::Rbrace | K::FStringEnd | K::TStringEnd => {
                if self.brackets.len() > 1 {
                    self.forget_operators();
                    self.brackets.pop();
                    self.depth -= 1;
                }
                // The bracket's contents were not that deep yet: the bound is at most twice the depth.
                self.postfix();
            }
            K::Comma | K::Semi => self.forget_operators(),
            // No expression continues after a `def` or `class`: the parser drops open brackets before it.
            K::Newline | K::Def | K::Class => self.end_statement(),
            K::Indent => self.indents += 1,
            K::Dedent => self.indents = self.indents.saturating_sub(1),
            K::Dot => self.postfix(),
            K::Name | K::Int | K::Float | K::Complex | K::String | K::FStringMiddle | K::TStringMiddle => {}
            K::True | K::False | K::None | K::Ellipsis | K::Colon | K::Comment | K::NonLogicalNewline | K::Unknown => {}
            _ => self.operator(),
        }
    }

    fn end_statement(&mut self) {
        self.brackets.clear();
        self.brackets.push(Frame::default());
        self.depth = 0;
    }

    fn operator(&mut self) {
        if let Some(frame) = self.brackets.last_mut() {
            frame.operators += 1;
            frame.postfix = 0;
            self.depth += 1;
        }
    }

    fn postfix(&mut self) {
        if let Some(frame) = self.brackets.last_mut() {
            frame.postfix += 1;
        }
    }

    fn forget_operators(&mut self) {
        if let Some(frame) = self.brackets.last_mut() {
            self.depth -= frame.operators;
            *frame = Frame::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_shallow_however_long() {
        let line = "x = f(a, -b)[c](d) + \"((((\"  # ((((\n";
        assert_eq!(too_deep(&line.repeat(20_000)), None);
        assert_eq!(too_deep(&format!("x = [{}]", "-1, ".repeat(100_000))), None);
        assert_eq!(too_deep(&format!("x = \"\"\"{}\"\"\"", "abc=\n".repeat(100_000))), None);
    }

    #[test]
    fn every_way_to_nest_is_bounded() {
        let deep = MAX_NESTING + 1;
        for text in ["(", "[", "-", "not ", "a+", "a.", "f()", "lambda:", "f(x)[y]", "1 if x else ", "a**"] {
            assert!(too_deep(&format!("x = {}", text.repeat(deep))).is_some(), "{text}");
            assert!(too_deep(&format!("x = {}", text.repeat(MAX_NESTING / 8))).is_none(), "{text}");
        }
        let blocks: String = (0..1000).map(|i| format!("{}if x:\n", " ".repeat(i))).collect();
        assert_eq!(too_deep(&blocks), None);
        assert!(too_deep(&format!("x = f\"{}\"", "{(".repeat(deep))).is_some());
        assert!(too_deep(&format!("x = Rf'{}'", "{(".repeat(deep))).is_some());
        assert!(too_deep(&format!("x = \"{}\"", "{(".repeat(deep))).is_none());
    }

    #[test]
    fn a_chain_is_told_from_brackets() {
        let found = |text: String| too_deep(&text).map(|deep| deep.chain);
        assert_eq!(found(format!("x = a{}", " + a".repeat(30_000))), Some(true));
        assert_eq!(found(format!("x = f([a{}])", ".b".repeat(30_000))), Some(true));
        assert_eq!(found(format!("x = {}", "f(".repeat(30_000))), Some(false));
        assert_eq!(found(format!("x = {}", "(a + ".repeat(30_000))), Some(false));
        assert_eq!(found(format!("x = a{}", " + a".repeat(MAX_NESTING - 2))), None);
    }

    #[test]
    fn deep_nesting_is_always_found() {
        let minus = "-".repeat(MAX_NESTING + 1);
        let before = [
            "# a comment\r",
            "'\r",
            r##"f"{"#"}" + "##,
            r#"f"{"'''"}" + "#,
            r##"1e5f"{"#"}" + "##,
            r#"xf"{""#,
            "f'{x:#}' + ",
            "-\\\r\n",
            "\\\" ( \"",
            "x = (\ndef f():\n    ",
        ];
        for before in before {
            assert!(too_deep(&format!("{before}{minus}1")).is_some(), "{before:?}");
        }
        assert!(too_deep(&format!("x = {}1", "-\\\r\n".repeat(MAX_NESTING + 1))).is_some());
        assert!(too_deep(&"x = -1\r".repeat(MAX_NESTING + 1)).is_none());
    }

    #[test]
    fn the_place_is_the_first_that_is_too_deep() {
        let text = format!("é = {}1", "-".repeat(2 * MAX_NESTING));
        // The `=` is an operator, too.
        let at = "é = ".len() + MAX_NESTING - 1;
        assert_eq!(too_deep(&text), Some(TooDeep { at, chain: true }));
    }

    #[test]
    fn an_open_bracket_does_not_make_later_functions_deep() {
        let function = "def f(a):\n    x = a - 1\n    y = x - 1\n";
        assert_eq!(too_deep(&format!("x = f(1\n{}", function.repeat(MAX_NESTING))), None);
    }
}
