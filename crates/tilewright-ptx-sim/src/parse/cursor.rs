//! A place in the tokens, and operands.

use super::Operand;
use super::lexer::{Literal, Located, Token};
use crate::fault::ParseError;

/// Brackets of operands may be nested this deep.
const MAX_DEPTH: u32 = 8;

pub(super) struct Cursor<'a> {
    tokens: Vec<Located<'a>>,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(tokens: Vec<Located<'a>>) -> Cursor<'a> {
        Cursor { tokens, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|located| located.token)
    }

    pub(super) fn peek_second(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at + 1).map(|located| located.token)
    }

    /// The line of the next token; at the end, of the last one.
    pub(super) fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |located| located.line)
    }

    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.at += 1;
        token
    }

    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError { line: self.line(), message: message.into() })
    }

    /// Takes the next token where it is `byte`.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(Token::Punct(byte));
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, byte: u8) -> Result<(), ParseError> {
        if self.eat(byte) {
            return Ok(());
        }
        self.error(format!("expected `{}`, found {}", byte as char, self.found()))
    }

    /// Takes the next token where it is the word `word`.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(Token::Word(word));
        self.at += usize::from(found);
        found
    }

    pub(super) fn word(&mut self, role: &str) -> Result<&'a str, ParseError> {
        match self.peek() {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            _ => self.error(format!("expected {role}, found {}", self.found())),
        }
    }

    /// The next token in words.
    pub(super) fn found(&self) -> String {
        match self.peek() {
            None => "the end of the text".to_owned(),
            Some(Token::Word(word)) => format!("`{word}`"),
            Some(Token::Number(_)) => "a number".to_owned(),
            Some(Token::Text(_)) => "a string".to_owned(),
            Some(Token::Punct(byte)) => format!("`{}`", byte as char),
        }
    }

    /// An integer that is no negative number.
    pub(super) fn integer(&mut self) -> Result<u64, ParseError> {
        match self.peek() {
            Some(Token::Number(Literal::Int(value))) => {
                self.at += 1;
                Ok(value)
            }
            _ => self.error(format!("expected an integer, found {}", self.found())),
        }
    }

    pub(super) fn small(&mut self) -> Result<u32, ParseError> {
        let value = self.integer()?;
        u32::try_from(value).or_else(|_| self.error(format!("{value} is too large")))
    }

    /// A number with its sign.
    pub(super) fn literal(&mut self) -> Result<Literal, ParseError> {
        let negative = self.eat(b'-');
        let Some(Token::Number(literal)) = self.peek() else {
            return self.error(format!("expected a number, found {}", self.found()));
        };
        self.at += 1;
        Ok(match literal {
            Literal::Int(value) if negative => Literal::Int(value.wrapping_neg()),
            Literal::F32(bits) if negative => Literal::F32(bits ^ (1 << 31)),
            Literal::F64(bits) if negative => Literal::F64(bits ^ (1 << 63)),
            literal => literal,
        })
    }

    /// Passes over what is on the line of the next token.
    pub(super) fn skip_line(&mut self) {
        let line = self.line();
        while self.at < self.tokens.len() && self.line() == line {
            self.at += 1;
        }
    }

    /// Passes over everything up to and including the next `byte`.
    pub(super) fn skip_past(&mut self, byte: u8) -> Result<(), ParseError> {
        while let Some(token) = self.next() {
            if token == Token::Punct(byte) {
                return Ok(());
            }
        }
        self.error(format!("expected `{}`, found the end of the text", byte as char))
    }

    /// Operands up to `end`, which is taken.
    pub(super) fn operands(&mut self, end: u8, depth: u32) -> Result<Vec<Operand<'a>>, ParseError> {
        let mut out = Vec::new();
        if self.eat(end) {
            return Ok(out);
        }
        loop {
            out.push(self.operand(depth)?);
            if self.eat(end) {
                return Ok(out);
            }
            self.expect(b',')?;
        }
    }

    fn operand(&mut self, depth: u32) -> Result<Operand<'a>, ParseError> {
        if depth > MAX_DEPTH {
            return self.error("the brackets of an operand are nested too deep");
        }
        let first = match self.peek() {
            Some(Token::Punct(b'!')) => {
                self.at += 1;
                Operand::Not(self.word("a predicate")?)
            }
            Some(Token::Punct(b'[')) => {
                self.at += 1;
                Operand::Bracket(self.operands(b']', depth + 1)?)
            }
            Some(Token::Punct(b'{')) => {
                self.at += 1;
                Operand::Vector(self.operands(b'}', depth + 1)?)
            }
            Some(Token::Punct(b'(')) => {
                self.at += 1;
                Operand::List(self.operands(b')', depth + 1)?)
            }
            Some(Token::Word(word)) => {
                self.at += 1;
                self.sum(word)?
            }
            _ => Operand::Number(self.literal()?),
        };
        if self.eat(b'|') {
            let second = self.operand(depth + 1)?;
            return Ok(Operand::Pair(Box::new((first, second))));
        }
        Ok(first)
    }

    fn sum(&mut self, word: &'a str) -> Result<Operand<'a>, ParseError> {
        let negative = self.peek() == Some(Token::Punct(b'-'));
        if !negative && !self.eat(b'+') {
            return Ok(Operand::Word(word));
        }
        match self.literal()? {
            Literal::Int(offset) => Ok(Operand::Sum(word, offset as i64)),
            _ => self.error("the offset of an address is an integer"),
        }
    }
}
