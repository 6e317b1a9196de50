//! The text level of saved IR: JSON as a flat list of values that know their positions.
//!
//! Reading takes one pass without recursion; memory is a constant for each value. A reader that builds trees could not
//! say where a value stood once it turns out, later, not to fit.

use std::borrow::Cow;

/// Brackets inside each other in a text. Nodes of the IR do not nest in it, only what they hold by value: struct infos
/// of tuples of tuples (two brackets a level), attributes of lists of lists.
pub const MAX_NESTING: usize = 2_000;

/// The kinds of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Null,
    Bool,
    Number,
    Text,
    List,
    /// Its items are keys and values in turn.
    Object,
}

impl Kind {
    /// As messages name it.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a bool",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Value {
    kind: Kind,
    start: usize,
    end: usize,
    /// The number of the value after this one and all that is in it.
    next: u32,
}

/// An error in a text, with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub message: String,
    /// The byte at which it was noticed.
    pub offset: usize,
}

/// A text that is JSON. Its first value, of number 0, is the whole.
#[derive(Debug)]
pub struct Document<'t> {
    text: &'t str,
    values: Vec<Value>,
}

impl<'t> Document<'t> {
    /// Reads a text.
    ///
    /// # Errors
    /// Errors: the text is not one JSON value, or nests deeper than [`MAX_NESTING`].
    pub fn parse(text: &'t str) -> Result<Self, Fault> {
        let mut parser = Parser { text, at: 0, values: Vec::new(), open: Vec::new() };
        parser.whole()?;
        Ok(Self { text, values: parser.values })
    }

    pub(super) fn kind(&self, value: u32) -> Kind {
        self.values.get(value as usize).map_or(Kind::Null, |value| value.kind)
    }

    /// The bytes at which the value begins and ends.
    pub fn range(&self, value: u32) -> (usize, usize) {
        self.values.get(value as usize).map_or((0, 0), |value| (value.start, value.end))
    }

    /// The text of the value itself.
    pub(super) fn raw(&self, value: u32) -> &'t str {
        let (start, end) = self.range(value);
        self.text.get(start..end).unwrap_or_default()
    }

    /// The text that a literal means.
    pub(super) fn text(&self, value: u32) -> Cow<'t, str> {
        let raw = self.raw(value);
        let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or_default();
        if inner.contains('\\') { Cow::Owned(unescape(inner)) } else { Cow::Borrowed(inner) }
    }

    /// The values directly inside a list or object.
    pub(super) fn inside(&self, value: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.values.get(value as usize).map_or(0, |value| value.next);
        let mut at = value.saturating_add(1);
        std::iter::from_fn(move || {
            let here = at;
            (here < end).then(|| {
                at = self.values.get(here as usize).map_or(end, |value| value.next);
                here
            })
        })
    }

    /// The path of a value: keys and positions from the outside.
    pub fn path(&self, value: u32) -> String {
        let holds = |outer: u32| self.values.get(outer as usize).is_some_and(|v| outer <= value && value < v.next);
        let (mut path, mut here) = (String::new(), 0);
        while here != value && holds(here) {
            let object = self.kind(here) == Kind::Object;
            let Some((index, inner)) = self.inside(here).enumerate().find(|(_, inner)| holds(*inner)) else { break };
            match (object, index % 2) {
                (true, 0) => return path + "." + &self.text(inner),
                (true, _) => {
                    let key = self.inside(here).nth(index - 1).map(|key| self.text(key)).unwrap_or_default();
                    path = path + "." + &key;
                }
                (false, _) => path += &format!("[{index}]"),
            }
            here = inner;
        }
        path.strip_prefix('.').map(str::to_owned).unwrap_or(path)
    }
}

/// The decoded contents of a literal. Its escapes are known to be valid.
fn unescape(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = rest[at + 1..].chars().next().unwrap_or_default();
        rest = rest.get(at + 2..).unwrap_or_default();
        if escape != 'u' {
            out.push(simple_escape(escape).unwrap_or(escape));
            continue;
        }
        let high = hex(rest);
        rest = rest.get(4..).unwrap_or_default();
        let code = if (0xD800..0xDC00).contains(&high) {
            let low = hex(rest.get(2..).unwrap_or_default());
            rest = rest.get(6..).unwrap_or_default();
            0x10000 + ((high - 0xD800) << 10) + low.saturating_sub(0xDC00)
        } else {
            high
        };
        out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    out.push_str(rest);
    out
}

/// The character of an escape of one letter.
fn simple_escape(letter: char) -> Option<char> {
    Some(match letter {
        '"' | '\\' | '/' => letter,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        _ => return None,
    })
}

/// The number of the first four characters.
fn hex(text: &str) -> u32 {
    text.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or_default()
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    values: Vec<Value>,
    /// The lists and objects around.
    open: Vec<u32>,
}

impl Parser<'_> {
    fn fault<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { message: message.into(), offset: self.at.min(self.text.len()) })
    }

    fn expected<T>(&self, what: &str) -> Result<T, Fault> {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => self.fault(format!("expected {what}, found {found:?}")),
            None => self.fault(format!("expected {what}, found the end of the text")),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn whole(&mut self) -> Result<(), Fault> {
        self.value()?;
        while let Some(&open) = self.open.last() {
            self.inside(open)?;
        }
        self.blanks();
        if self.at < self.text.len() { self.expected("the end of the text") } else { Ok(()) }
    }

    /// Reads on inside a list or object that has just begun, or in which an item has just ended.
    fn inside(&mut self, open: u32) -> Result<(), Fault> {
        self.blanks();
        let (object, first) = match self.values.get(open as usize) {
            Some(value) => (value.kind == Kind::Object, self.values.len() == open as usize + 1),
            None => return self.fault("a bracket that nothing opened"),
        };
        let closing = if object { b'}' } else { b']' };
        match self.peek() {
            Some(found) if found == closing => {
                self.at += 1;
                return self.close(open);
            }
            _ if first => {}
            Some(b',') => {
                self.at += 1;
                self.blanks();
            }
            _ => return self.expected(if object { "`,` or `}`" } else { "`,` or `]`" }),
        }
        if object {
            if self.peek() != Some(b'"') {
                return self.expected("a key in quotes");
            }
            self.string()?;
            self.blanks();
            if self.peek() != Some(b':') {
                return self.expected("`:`");
            }
            self.at += 1;
        }
        self.value()
    }

    fn close(&mut self, open: u32) -> Result<(), Fault> {
        let next = self.next()?;
        if let Some(value) = self.values.get_mut(open as usize) {
            (value.end, value.next) = (self.at, next);
        }
        self.open.pop();
        Ok(())
    }

    fn next(&self) -> Result<u32, Fault> {
        u32::try_from(self.values.len()).or_else(|_| self.fault("more values than can be counted"))
    }

    fn push(&mut self, kind: Kind, start: usize) -> Result<u32, Fault> {
        let number = self.next()?;
        self.values.push(Value { kind, start, end: self.at, next: number.saturating_add(1) });
        Ok(number)
    }

    fn value(&mut self) -> Result<(), Fault> {
        self.blanks();
        let start = self.at;
        match self.peek() {
            Some(bracket @ (b'[' | b'{')) => {
                if self.open.len() >= MAX_NESTING {
                    return self.fault(format!("more than {MAX_NESTING} brackets inside each other"));
                }
                self.at += 1;
                let number = self.push(if bracket == b'[' { Kind::List } else { Kind::Object }, start)?;
                self.open.push(number);
                Ok(())
            }
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'a'..=b'z') => self.word(),
            _ => self.expected("a value"),
        }
    }

    fn word(&mut self) -> Result<(), Fault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let words = [("null", Kind::Null), ("true", Kind::Bool), ("false", Kind::Bool)];
        match words.into_iter().find(|(word, _)| rest.starts_with(word)) {
            Some((word, kind)) => {
                let start = self.at;
                self.at += word.len();
                self.push(kind, start).map(drop)
            }
            None => self.expected("a value"),
        }
    }

    fn digits(&mut self) -> Result<(), Fault> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return self.expected("a digit");
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.push(Kind::Number, start).map(drop)
    }

    fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            match rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
                None => {
                    self.at = self.text.len();
                    return self.expected("a closing quote");
                }
                Some(ahead) => self.at += ahead,
            }
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return self.push(Kind::Text, start).map(drop);
                }
                Some(b'\\') => self.escape()?,
                _ => return self.expected("an escape for a control character"),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        self.at += 1;
        match self.peek() {
            Some(b'u') => {
                let code = self.code_unit()?;
                match code {
                    0xD800..0xDC00 if self.text.as_bytes().get(self.at..self.at + 2) == Some(b"\\u".as_slice()) => {
                        self.at += 1;
                        match self.code_unit()? {
                            0xDC00..0xE000 => Ok(()),
                            _ => self.fault("half of a surrogate pair"),
                        }
                    }
                    0xD800..0xE000 => self.fault("half of a surrogate pair"),
                    _ => Ok(()),
                }
            }
            Some(letter) if simple_escape(char::from(letter)).is_some() => {
                self.at += 1;
                Ok(())
            }
            _ => self.expected("an escape that JSON has"),
        }
    }

    /// `uXXXX`.
    fn code_unit(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at + 1..self.at + 5);
        match digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            Some(digits) => {
                self.at += 5;
                Ok(hex(digits))
            }
            None => self.fault("expected four hexadecimal digits"),
        }
    }
}
