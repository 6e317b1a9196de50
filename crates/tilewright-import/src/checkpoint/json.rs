//! JSON, read as it comes: a value is handed to whoever asks for it, and nothing is kept that nobody keeps.
//!
//! Keys of an object are told with every occurrence, so that the reader of a format can refuse duplicates. Nesting is
//! limited; numbers are read as the type that is asked for.

use std::borrow::Cow;

use super::Meta;
use crate::ImportError;

/// Objects and arrays inside each other, at most.
const MAX_DEPTH: usize = 64;

type Res<T> = Result<T, ImportError>;

#[derive(Debug)]
pub(super) struct Json<'a> {
    format: &'static str,
    text: &'a str,
    at: usize,
    /// The offset of the text in the file, for messages.
    base: usize,
    depth: usize,
}

impl<'a> Json<'a> {
    /// The text of bytes that begin at `base` in the file.
    pub(super) fn new(format: &'static str, bytes: &'a [u8], base: usize) -> Res<Self> {
        let text = std::str::from_utf8(bytes)
            .map_err(|error| ImportError::at(format, base + error.valid_up_to(), "the JSON is not UTF-8"))?;
        Ok(Self { format, text, at: 0, base, depth: 0 })
    }

    /// An error at the place that was reached.
    pub(super) fn error(&self, message: impl Into<String>) -> ImportError {
        ImportError::at(self.format, self.base + self.at, message)
    }

    /// The next byte after spaces; it stays.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Res<()> {
        match self.takes(byte) {
            true => Ok(()),
            false => Err(self.error(format!("expected `{}`", char::from(byte)))),
        }
    }

    /// Nothing but spaces is left.
    pub(super) fn end(&mut self) -> Res<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("text after the end of the JSON value")),
        }
    }

    fn deeper(&mut self) -> Res<()> {
        self.depth += 1;
        match self.depth > MAX_DEPTH {
            true => Err(self.error(format!("JSON that is nested deeper than {MAX_DEPTH}"))),
            false => Ok(()),
        }
    }

    /// An object: `each` reads the value of every key.
    pub(super) fn object(&mut self, each: &mut dyn FnMut(&mut Self, Cow<'a, str>) -> Res<()>) -> Res<()> {
        self.expect(b'{')?;
        self.deeper()?;
        if !self.takes(b'}') {
            loop {
                let key = self.string()?;
                self.expect(b':')?;
                each(self, key)?;
                if !self.takes(b',') {
                    break;
                }
            }
            self.expect(b'}')?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// An array: `each` reads every item.
    pub(super) fn array(&mut self, each: &mut dyn FnMut(&mut Self) -> Res<()>) -> Res<()> {
        self.expect(b'[')?;
        self.deeper()?;
        if !self.takes(b']') {
            loop {
                each(self)?;
                if !self.takes(b',') {
                    break;
                }
            }
            self.expect(b']')?;
        }
        self.depth -= 1;
        Ok(())
    }

    pub(super) fn string(&mut self) -> Res<Cow<'a, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.error("expected a text in quotes"));
        }
        self.at += 1;
        let start = self.at;
        let mut owned: Option<String> = None;
        loop {
            let rest = &self.text[self.at..];
            let length = rest.bytes().take_while(|&byte| byte != b'"' && byte != b'\\' && byte >= 0x20).count();
            if let Some(text) = &mut owned {
                text.push_str(&rest[..length]);
            }
            self.at += length;
            match self.text.as_bytes().get(self.at) {
                Some(b'"') => {
                    let borrowed = &self.text[start..self.at];
                    self.at += 1;
                    return Ok(owned.map_or(Cow::Borrowed(borrowed), Cow::Owned));
                }
                Some(b'\\') => {
                    let before = &self.text[start..self.at];
                    let escaped = self.escape()?;
                    owned.get_or_insert_with(|| before.to_owned()).push(escaped);
                }
                Some(_) => return Err(self.error("a control character in a text")),
                None => return Err(self.error("a text without its closing quote")),
            }
        }
    }

    /// The character of an escape.
    fn escape(&mut self) -> Res<char> {
        let kind = self.text.as_bytes().get(self.at + 1).copied();
        let plain = match kind {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.code_unit()?;
                let code = match first {
                    0xd800..0xdc00 => {
                        let second = self.code_unit()?;
                        let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400);
                        low.map(|low| 0x10000 + ((first - 0xd800) << 10) + low)
                    }
                    code => Some(code),
                };
                return code.and_then(char::from_u32).ok_or_else(|| self.error("half of a pair of code units"));
            }
            _ => return Err(self.error("an unknown escape")),
        };
        self.at += 2;
        Ok(plain)
    }

    /// The number of `\uXXXX`.
    fn code_unit(&mut self) -> Res<u32> {
        let unit = self.text.get(self.at..self.at + 6).and_then(|text| text.strip_prefix("\\u"));
        let digits = unit.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.error("expected `\\u` and four hexadecimal digits"))?;
        self.at += 6;
        Ok(code)
    }

    /// The text of a number.
    fn number(&mut self) -> Res<&'a str> {
        let start = self.peek().map(|_| self.at).unwrap_or(self.at);
        let rest = &self.text[start..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte)).count();
        if length == 0 {
            return Err(self.error("expected a number"));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    /// An integer from 0 on.
    pub(super) fn unsigned(&mut self) -> Res<u64> {
        let text = self.number()?;
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        let value = text.parse().ok().filter(|_| is_plain);
        value.ok_or_else(|| self.error(format!("`{}` is no integer from 0 to 2^64 - 1", shortened(text))))
    }

    /// A dimension or another size.
    pub(super) fn size(&mut self) -> Res<i64> {
        let value = self.unsigned()?;
        i64::try_from(value).map_err(|_| self.error(format!("{value} is larger than any size")))
    }

    /// The dimensions of a shape.
    pub(super) fn sizes(&mut self) -> Res<Vec<i64>> {
        let mut sizes = Vec::new();
        self.array(&mut |json| {
            sizes.push(json.size()?);
            Ok(())
        })?;
        Ok(sizes)
    }

    /// Any value.
    pub(super) fn value(&mut self) -> Res<Meta> {
        Ok(match self.peek() {
            Some(b'{') => {
                let mut items = Vec::new();
                self.object(&mut |json, key| {
                    items.push((key.into_owned(), json.value()?));
                    Ok(())
                })?;
                Meta::Map(items)
            }
            Some(b'[') => {
                let mut items = Vec::new();
                self.array(&mut |json| {
                    items.push(json.value()?);
                    Ok(())
                })?;
                Meta::List(items)
            }
            Some(b'"') => Meta::Text(self.string()?.into_owned()),
            Some(b't' | b'f' | b'n') => self.word()?,
            _ => {
                let text = self.number()?;
                let whole = text.parse().map(Meta::Int).ok().or_else(|| text.parse().map(Meta::UInt).ok());
                let value = whole.or_else(|| text.parse().map(Meta::Float).ok());
                value.ok_or_else(|| self.error(format!("`{}` is no number", shortened(text))))?
            }
        })
    }

    fn word(&mut self) -> Res<Meta> {
        let words = [("true", Meta::Bool(true)), ("false", Meta::Bool(false)), ("null", Meta::Null)];
        let rest = &self.text[self.at..];
        for (word, value) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error("expected a value"))
    }

    /// Passes over any value.
    pub(super) fn skip(&mut self) -> Res<()> {
        match self.peek() {
            Some(b'{') => self.object(&mut |json, _| json.skip()),
            Some(b'[') => self.array(&mut Self::skip),
            Some(b'"') => self.string().map(drop),
            Some(b't' | b'f' | b'n') => self.word().map(drop),
            _ => self.number().map(drop),
        }
    }
}

/// The beginning of a text of digits, for messages.
fn shortened(text: &str) -> &str {
    text.get(..40).unwrap_or(text)
}
