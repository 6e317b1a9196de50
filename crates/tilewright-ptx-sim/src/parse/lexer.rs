//! Tokens of PTX text.

use crate::fault::ParseError;

/// A literal: its bits, and which of PTX's literals it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Literal {
    /// A 64-bit integer.
    Int(u64),
    /// `0f3F800000`: the bits of a float32.
    F32(u32),
    /// `0d3FF0000000000000` or `1.5`: the bits of a float64.
    F64(u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// A name, a register, a directive or an opcode with all its dots.
    Word(&'a str),
    Number(Literal),
    /// What is between quotation marks.
    Text(&'a str),
    Punct(u8),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Located<'a> {
    pub(crate) token: Token<'a>,
    pub(crate) line: u32,
}

/// All tokens of `text`; comments are left out.
pub(crate) fn tokens(text: &str) -> Result<Vec<Located<'_>>, ParseError> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, line: 1 };
    let mut out = Vec::with_capacity(text.len() / 4);
    while let Some(token) = lexer.next()? {
        out.push(token);
    }
    Ok(out)
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
}

impl<'a> Lexer<'a> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError { line: self.line, message: message.into() })
    }

    /// Skips spaces and comments.
    fn skip(&mut self) -> Result<(), ParseError> {
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (b'\n', _) => {
                    self.line += 1;
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r', _) => self.at += 1,
                (b'/', b'/') => {
                    while self.at < self.bytes.len() && self.peek(0) != b'\n' {
                        self.at += 1;
                    }
                }
                (b'/', b'*') => {
                    let Some(length) = self.text.get(self.at + 2..).and_then(|rest| rest.find("*/")) else {
                        return self.error("a comment has no end");
                    };
                    let end = self.at + 2 + length + 2;
                    self.line += self.bytes[self.at..end].iter().filter(|byte| **byte == b'\n').count() as u32;
                    self.at = end;
                }
                _ => break,
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Located<'a>>, ParseError> {
        self.skip()?;
        let line = self.line;
        let token = match self.peek(0) {
            0 if self.at >= self.bytes.len() => return Ok(None),
            b'0'..=b'9' => Token::Number(self.number()?),
            b'"' => {
                let rest = &self.text[self.at + 1..];
                let Some(length) = rest.find(['"', '\n']).filter(|end| rest.as_bytes()[*end] == b'"') else {
                    return self.error("a string has no end");
                };
                self.at += length + 2;
                Token::Text(&rest[..length])
            }
            byte if is_start(byte) => Token::Word(self.word()),
            byte if byte.is_ascii_punctuation() => {
                self.at += 1;
                Token::Punct(byte)
            }
            _ => return self.error("expected PTX, found a byte that begins no token"),
        };
        Ok(Some(Located { token, line }))
    }

    fn word(&mut self) -> &'a str {
        let start = self.at;
        self.at += 1;
        loop {
            match (self.peek(0), self.peek(1)) {
                (byte, _) if is_start(byte) || byte.is_ascii_digit() => self.at += 1,
                (b':', b':') => self.at += 2,
                _ => break,
            }
        }
        &self.text[start..self.at]
    }

    fn number(&mut self) -> Result<Literal, ParseError> {
        let start = self.at;
        while self.peek(0).is_ascii_alphanumeric()
            || self.peek(0) == b'.'
            || (matches!(self.peek(0), b'+' | b'-') && matches!(self.bytes[self.at - 1], b'e' | b'E') && {
                let so_far = &self.bytes[start..self.at];
                so_far.contains(&b'.') && !so_far.starts_with(b"0x")
            })
        {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        match parse_number(text) {
            Some(literal) => Ok(literal),
            None => self.error(format!("`{text}` is no number")),
        }
    }
}

fn is_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

fn parse_number(text: &str) -> Option<Literal> {
    let hex =
        |digits: &str, length: usize| (digits.len() == length).then(|| u64::from_str_radix(digits, 16).ok()).flatten();
    if let Some(digits) = text.strip_prefix("0f").or(text.strip_prefix("0F")) {
        return hex(digits, 8).map(|bits| Literal::F32(bits as u32));
    }
    if let Some(digits) = text.strip_prefix("0d").or(text.strip_prefix("0D")) {
        return hex(digits, 16).map(Literal::F64);
    }
    if text.contains('.') {
        return text.parse::<f64>().ok().map(|value| Literal::F64(value.to_bits()));
    }
    let text = text.strip_suffix('U').unwrap_or(text);
    let value = if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        u64::from_str_radix(digits, 16)
    } else if let Some(digits) = text.strip_prefix("0b").or(text.strip_prefix("0B")) {
        u64::from_str_radix(digits, 2)
    } else if text.len() > 1 && text.starts_with('0') {
        u64::from_str_radix(text, 8)
    } else {
        text.parse()
    };
    value.ok().map(Literal::Int)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Token<'_>> {
        tokens(text).expect("tokens").into_iter().map(|located| located.token).collect()
    }

    #[test]
    fn opcodes_are_one_word_and_labels_are_two() {
        assert_eq!(
            all("ld.shared::cta.b32 $L_1: // note"),
            [Token::Word("ld.shared::cta.b32"), Token::Word("$L_1"), Token::Punct(b':')]
        );
    }

    #[test]
    fn numbers_keep_their_bits() {
        let cases = [
            ("0f3F800000", Literal::F32(0x3f80_0000)),
            ("0d3FF0000000000000", Literal::F64(1f64.to_bits())),
            ("0x1F", Literal::Int(31)),
            ("017", Literal::Int(15)),
            ("0b101", Literal::Int(5)),
            ("42U", Literal::Int(42)),
            ("18446744073709551615", Literal::Int(u64::MAX)),
            ("1.5e-1", Literal::F64(0.15f64.to_bits())),
        ];
        for (text, literal) in cases {
            assert_eq!(all(text), [Token::Number(literal)], "{text}");
        }
    }

    #[test]
    fn broken_text_is_an_error_with_its_line() {
        for text in ["\n\"abc\n", "\n/* abc", "\n12abc", "\n0f12", "\n\u{7f}"] {
            assert_eq!(tokens(text).expect_err(text).line, 2, "{text:?}");
        }
    }
}
