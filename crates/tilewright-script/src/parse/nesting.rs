//! A bound on nesting, found on the bytes: what the syntax tree of a text can be deep at most.
//!
//! Python's parser and everything behind it recurse over the text's structure. The depth of a place is the number of
//! blocks around it, plus, for every open bracket, one and the number of operators since its last comma: `a + b + c` is
//! a tree of depth 2. Dots and closed brackets behind one operand, as in `f(x)(y).z`, count while that operand lasts.

use super::MAX_NESTING;

/// The byte at which the text gets deeper than [`MAX_NESTING`], if it does.
pub(super) fn too_deep(text: &str) -> Option<usize> {
    Scan { text: text.as_bytes(), at: 0, indents: Vec::new(), brackets: vec![Frame::default()], depth: 0 }.run()
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    /// Widths of the blocks around the current line.
    indents: Vec<usize>,
    /// What is open around the current byte; the first is the line itself.
    brackets: Vec<Frame>,
    /// The sum of operators over `brackets`, and their number.
    depth: usize,
}

#[derive(Default)]
struct Frame {
    /// Operators since the last comma.
    operators: usize,
    /// Dots and closed brackets behind the current operand.
    postfix: usize,
}

impl Scan<'_> {
    fn run(mut self) -> Option<usize> {
        self.line_start();
        while let Some(&byte) = self.text.get(self.at) {
            self.step(byte);
            let postfix = self.brackets.last().map_or(0, |frame| frame.postfix);
            if self.depth + postfix + self.indents.len() > MAX_NESTING {
                return Some(self.at.min(self.text.len().saturating_sub(1)));
            }
        }
        None
    }

    fn step(&mut self, byte: u8) {
        match byte {
            b'#' => {
                self.at = self.text[self.at..].iter().position(|&b| b == b'\n').map_or(self.text.len(), |n| self.at + n)
            }
            b'"' | b'\'' => self.string(byte),
            b'\\' => self.at += 2,
            b'\n' => {
                self.at += 1;
                if self.brackets.len() == 1 {
                    self.forget_operators();
                    self.line_start();
                }
            }
            b'(' | b'[' | b'{' => {
                self.brackets.push(Frame::default());
                self.depth += 1;
                self.at += 1;
            }
            b')' | b']' | b'}' => {
                if self.brackets.len() > 1 {
                    self.forget_operators();
                    self.brackets.pop();
                    self.depth -= 1;
                }
                // What stood in the bracket was not that deep yet: the bound is twice what it says, at worst.
                self.postfix();
                self.at += 1;
            }
            b',' | b';' => {
                self.forget_operators();
                self.at += 1;
            }
            b'.' => {
                if !self.text.get(self.at + 1).is_some_and(u8::is_ascii_digit) {
                    self.postfix();
                }
                self.at += 1;
            }
            b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^' | b'~' | b'<' | b'>' | b'=' => {
                self.operator();
                self.at += 1;
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => self.word(),
            _ => self.at += 1,
        }
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

    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let length =
            rest.iter().position(|&b| !(b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80)).unwrap_or(rest.len());
        if matches!(&rest[..length], b"not" | b"lambda" | b"if" | b"else" | b"await" | b"and" | b"or") {
            self.operator();
        }
        self.at += length;
    }

    /// Skips a string. The expressions in the braces of a formatted one become no part of the IR, but of the syntax tree.
    fn string(&mut self, quote: u8) {
        let formatted = self.is_formatted();
        let triple = self.text[self.at..].starts_with(&[quote; 3]);
        let end: &[u8] = if triple { &[quote; 3] } else { &[quote] };
        self.at += end.len();
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\\' => self.at += 2,
                b'\n' if !triple => return,
                _ if self.text[self.at..].starts_with(end) => {
                    self.at += end.len();
                    return;
                }
                b'{' | b'(' | b'[' | b'-' | b'~' if formatted => {
                    self.operator();
                    self.at += 1;
                }
                _ => self.at += 1,
            }
            if self.depth > MAX_NESTING {
                return;
            }
        }
    }

    /// Whether the letters right before the quote make it the begin of a formatted string.
    fn is_formatted(&self) -> bool {
        let before = self.text[..self.at].iter().rev().take(2);
        let letters = before.take_while(|byte| byte.is_ascii_alphabetic());
        letters.into_iter().any(|byte| matches!(byte, b'f' | b'F' | b't' | b'T'))
    }

    fn line_start(&mut self) {
        let rest = &self.text[self.at..];
        let width = rest.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\x0c')).unwrap_or(rest.len());
        if matches!(rest.get(width), None | Some(b'\n' | b'\r' | b'#')) {
            return;
        }
        while self.indents.last().is_some_and(|&outer| outer >= width) {
            self.indents.pop();
        }
        self.indents.push(width);
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
}
