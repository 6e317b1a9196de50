//! What files say about themselves: numbers, texts, lists.

use std::fmt;

use tilewright_tensor::Tensor;

/// A value of a checkpoint's metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum Meta {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Text(String),
    /// An array of numbers or bools of one type, as it is stored.
    Numbers(Tensor),
    List(Vec<Meta>),
    Map(Vec<(String, Meta)>),
}

/// Items of a list that a line of text shows.
const SHOWN_ITEMS: usize = 4;
/// Characters of a text that a line of text shows.
const SHOWN_CHARS: usize = 80;

impl Meta {
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::UInt(value) => Some(*value),
            Self::Int(value) => u64::try_from(*value).ok(),
            _ => None,
        }
    }
}

/// One line of text: long texts and lists are shortened.
impl fmt::Display for Meta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::UInt(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Text(text) => {
                let shown: String = text.chars().take(SHOWN_CHARS).collect();
                let rest = text.chars().count().saturating_sub(SHOWN_CHARS);
                write!(f, "{}", shown.escape_debug())?;
                if rest > 0 { write!(f, "… and {rest} more characters") } else { Ok(()) }
            }
            Self::Numbers(tensor) => write!(f, "{} values of {}", tensor.num_elements(), tensor.dtype()),
            Self::List(items) => {
                f.write_str("[")?;
                for (number, item) in items.iter().take(SHOWN_ITEMS).enumerate() {
                    write!(f, "{}{item}", if number > 0 { ", " } else { "" })?;
                }
                match items.len().saturating_sub(SHOWN_ITEMS) {
                    0 => f.write_str("]"),
                    rest => write!(f, ", … and {rest} more]"),
                }
            }
            Self::Map(items) => {
                f.write_str("{")?;
                for (number, (key, value)) in items.iter().take(SHOWN_ITEMS).enumerate() {
                    write!(f, "{}{}: {value}", if number > 0 { ", " } else { "" }, key.escape_debug())?;
                }
                match items.len().saturating_sub(SHOWN_ITEMS) {
                    0 => f.write_str("}"),
                    rest => write!(f, ", … and {rest} more}}"),
                }
            }
        }
    }
}
