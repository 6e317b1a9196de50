//! The wire format of protocol buffers: fields of a message, read from the bytes where they are.
//!
//! A message is a list of fields, each a key (the field's number and the type of its encoding) and a value. Texts and
//! nested messages are slices of the file. What a slice claims is compared with the bytes that are there.

use crate::ImportError;

const FORMAT: &str = "onnx";

/// A message: a part of the file.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    bytes: &'a [u8],
    /// Where the message begins in the file.
    start: usize,
    /// How deep it lies in other messages.
    depth: usize,
}

/// Messages in messages at most: graphs in attributes of nodes of graphs, and types in types.
const MAX_DEPTH: usize = 100;

/// The value of a field as it is encoded.
#[derive(Clone, Copy, Debug)]
pub enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(Message<'a>),
    Fixed32(u32),
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    pub number: u64,
    pub value: Wire<'a>,
    /// Its offset in the file.
    pub at: usize,
}

impl<'a> Message<'a> {
    /// The whole file.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, start: 0, depth: 0 }
    }

    pub fn error(&self, message: impl Into<String>) -> ImportError {
        ImportError::at(FORMAT, self.start, message)
    }

    /// The bytes as a text.
    pub fn text(&self) -> Result<&'a str, ImportError> {
        std::str::from_utf8(self.bytes)
            .map_err(|error| ImportError::at(FORMAT, self.start + error.valid_up_to(), "expected UTF-8 text"))
    }

    /// The bytes of the message.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The fields, in order.
    pub fn fields(&self) -> Fields<'a> {
        Fields { message: *self, at: 0 }
    }
}

/// The fields of a message, in order; nothing follows an error.
#[derive(Debug)]
pub struct Fields<'a> {
    message: Message<'a>,
    at: usize,
}

impl<'a> Fields<'a> {
    fn error<T>(&self, message: &str) -> Result<T, ImportError> {
        Err(ImportError::at(FORMAT, self.message.start + self.at.min(self.message.bytes.len()), message))
    }

    fn varint(&mut self) -> Result<u64, ImportError> {
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let Some(byte) = self.message.bytes.get(self.at).copied() else {
                return self.error("the file ends within a number");
            };
            self.at += 1;
            // Of the tenth byte only one bit has room.
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        self.error("a number of more than ten bytes")
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], ImportError> {
        let end = usize::try_from(count).ok().and_then(|count| self.at.checked_add(count));
        match end.and_then(|end| Some((end, self.message.bytes.get(self.at..end)?))) {
            Some((end, part)) => {
                self.at = end;
                Ok(part)
            }
            None => {
                let left = self.message.bytes.len() - self.at;
                self.error(&format!("a field of {count} bytes where {left} are left: the file is cut off or damaged"))
            }
        }
    }

    fn field(&mut self) -> Result<Field<'a>, ImportError> {
        let at = self.message.start + self.at;
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed64(self.take(8)?.iter().rev().fold(0, |all, byte| (all << 8) | u64::from(*byte))),
            2 => {
                let length = self.varint()?;
                let start = self.message.start + self.at;
                let depth = self.message.depth + 1;
                if depth > MAX_DEPTH {
                    return self.error(&format!("more than {MAX_DEPTH} messages in one another"));
                }
                Wire::Bytes(Message { bytes: self.take(length)?, start, depth })
            }
            5 => Wire::Fixed32(self.take(4)?.iter().rev().fold(0, |all, byte| (all << 8) | u32::from(*byte))),
            other => return self.error(&format!("no message of ONNX: a field has the wire type {other}")),
        };
        match key >> 3 {
            0 => self.error("no message of ONNX: a field has the number 0"),
            number => Ok(Field { number, value, at }),
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.message.bytes.len() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.at = self.message.bytes.len();
        }
        Some(field)
    }
}

impl<'a> Field<'a> {
    fn wrong<T>(&self, expected: &str) -> Result<T, ImportError> {
        Err(ImportError::at(FORMAT, self.at, format!("the field {} is no {expected}", self.number)))
    }

    pub fn message(&self) -> Result<Message<'a>, ImportError> {
        if let Wire::Bytes(message) = self.value { Ok(message) } else { self.wrong("message") }
    }

    pub fn text(&self) -> Result<&'a str, ImportError> {
        if let Wire::Bytes(message) = self.value { message.text() } else { self.wrong("text") }
    }

    pub fn bytes(&self) -> Result<&'a [u8], ImportError> {
        if let Wire::Bytes(message) = self.value { Ok(message.bytes) } else { self.wrong("bytes") }
    }

    pub fn int(&self) -> Result<i64, ImportError> {
        if let Wire::Varint(value) = self.value { Ok(value as i64) } else { self.wrong("integer") }
    }

    pub fn float(&self) -> Result<f32, ImportError> {
        if let Wire::Fixed32(value) = self.value { Ok(f32::from_bits(value)) } else { self.wrong("number") }
    }

    /// Adds the integers of a repeated field, packed or not.
    pub fn ints(&self, into: &mut Vec<i64>) -> Result<(), ImportError> {
        match self.value {
            Wire::Varint(value) => into.push(value as i64),
            Wire::Bytes(packed) => {
                let mut rest = Fields { message: packed, at: 0 };
                while rest.at < packed.bytes.len() {
                    into.push(rest.varint()? as i64);
                }
            }
            _ => return self.wrong("list of integers"),
        }
        Ok(())
    }

    /// Adds the bytes of a repeated field of numbers of `WIDTH` bytes, packed or not.
    pub fn fixed<const WIDTH: usize>(&self, into: &mut Vec<u8>) -> Result<(), ImportError> {
        match self.value {
            Wire::Fixed32(value) if WIDTH == 4 => into.extend(value.to_le_bytes()),
            Wire::Fixed64(value) if WIDTH == 8 => into.extend(value.to_le_bytes()),
            Wire::Bytes(packed) if packed.bytes.len().is_multiple_of(WIDTH) => into.extend(packed.bytes),
            _ => return self.wrong("list of numbers"),
        }
        Ok(())
    }
}
