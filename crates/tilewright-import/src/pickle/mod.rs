//! Python's pickles, as far as they hold data.
//!
//! A pickle is a program for a small machine with a stack. This reader knows the instructions that build numbers,
//! texts, bytes and containers, and the few functions by which NumPy's arrays and scalars are rebuilt ([`globals`]). It
//! calls nothing else: a pickle that asks for any other function or class is refused with its name. Protocols 0 to 5
//! are read; buffers outside the pickle are not. In a file of PyTorch a pickle may refer to storages outside of it, and
//! build tensors over them ([`torch`]).
//!
//! Phases: the [`unpickler`] runs the program over an arena of nodes, where containers refer to their parts by number,
//! so that neither depth nor sharing nor cycles cost anything; then the result is copied out as a tree, within limits.

mod calls;
mod decode;
mod globals;
mod nodes;
mod torch;
mod unpickler;

use tilewright_tensor::Tensor;

pub(crate) use torch::{FindStorage, Place};

use crate::ImportError;

/// What a pickle holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Tuple(Vec<Value>),
    /// In order of insertion; each key once.
    Dict(Vec<(Value, Value)>),
    Set(Vec<Value>),
    /// A NumPy array, a NumPy scalar as an array without dimensions, or a tensor of PyTorch.
    Array(Tensor),
}

impl Value {
    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "a bool",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Str(_) => "a text",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "a list",
            Self::Tuple(_) => "a tuple",
            Self::Dict(_) => "a dictionary",
            Self::Set(_) => "a set",
            Self::Array(_) => "an array",
        }
    }

    /// The value of a dictionary's key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Dict(items) => items.iter().find(|(k, _)| matches!(k, Self::Str(s) if s == key)).map(|(_, v)| v),
            _ => None,
        }
    }
}

/// The value of a pickle. Nothing in it is run.
///
/// # Errors
/// If the bytes are no pickle, need another function or class than those of NumPy's arrays and plain containers, or
/// unfold into something out of proportion to their length.
pub fn read_pickle(bytes: &[u8]) -> Result<Value, ImportError> {
    unpickler::run(bytes, None).map(|(value, _)| value)
}

/// The value of a pickle in a file of PyTorch, whose storages `find` gives, and the pickle's length.
pub(crate) fn read_torch(bytes: &[u8], find: &mut FindStorage<'_>) -> Result<(Value, usize), ImportError> {
    unpickler::run(bytes, Some(torch::Storages(find)))
}
