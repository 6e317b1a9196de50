//! The arena of the unpickler, and the copy of a node as a tree.

use std::borrow::Cow;

use tilewright_support::{Map, with_stack};
use tilewright_tensor::{DataType, Tensor};

use super::Value;
use super::globals::Global;
use super::torch::{Place, Torch};
use crate::array::NumpyType;

/// The number of a node.
pub(super) type Id = usize;

/// The nesting depth of a result, at most.
const MAX_DEPTH: usize = 1_000;

#[derive(Clone, Debug)]
pub(super) enum Node<'a> {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Cow<'a, str>),
    Bytes(Cow<'a, [u8]>),
    /// A text of Python 2: bytes to some, a text to others.
    OldStr(Cow<'a, [u8]>),
    List(Vec<Id>),
    Tuple(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    Set(Vec<Id>),
    Global(Global),
    /// A type of NumPy: the code, and the order where the state gives one.
    DType(Cow<'a, str>, Option<char>),
    /// An array without its contents.
    EmptyArray,
    Array(Tensor),
    /// Elements outside of the pickle: the type, unless they are bytes, and where they are, if that is wanted.
    Storage(Option<DataType>, Option<Place>),
}

impl Node<'_> {
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "a bool",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Str(_) | Self::OldStr(_) => "a text",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "a list",
            Self::Tuple(_) => "a tuple",
            Self::Dict(_) => "a dictionary",
            Self::Set(_) => "a set",
            Self::Global(_) => "a function or class",
            Self::DType(..) => "a NumPy type",
            Self::EmptyArray | Self::Array(_) => "an array",
            Self::Storage(..) => "a storage",
        }
    }

    /// The bytes of bytes or of an old text.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) | Self::OldStr(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A text; one of Python 2 as Latin-1.
    pub(super) fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Str(text) => Some(Cow::Borrowed(text)),
            Self::OldStr(bytes) => Some(latin1(bytes)),
            _ => None,
        }
    }

    pub(super) fn numpy_type(&self) -> Result<NumpyType, String> {
        match self {
            Self::DType(code, None) => NumpyType::parse(code),
            Self::DType(code, Some(order)) => NumpyType::parse(&format!("{order}{code}")),
            other => Err(format!("expected a NumPy type, found {}", other.kind())),
        }
    }
}

fn latin1(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.is_ascii() => Cow::Borrowed(text),
        _ => Cow::Owned(bytes.iter().map(|&b| char::from(b)).collect()),
    }
}

/// How much may still be allocated, in bytes or parts.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    /// Ample for any honest pickle of this length.
    pub(super) fn for_length(length: usize) -> Self {
        Self(length.saturating_mul(16).saturating_add(1 << 16))
    }

    pub(super) fn spend(&mut self, amount: usize) -> Result<(), String> {
        self.0 = self.0.checked_sub(amount).ok_or("the pickle unfolds into far more than its own length")?;
        Ok(())
    }
}

/// Copies a node out as a tree.
pub(super) fn copy_out(nodes: &[Node<'_>], budget: &mut Budget, id: Id, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(format!("the value is nested deeper than {MAX_DEPTH}, or contains itself"));
    }
    budget.spend(1)?;
    let all = |ids: &[Id], budget: &mut Budget| -> Result<Vec<Value>, String> {
        ids.iter().map(|&id| with_stack(|| copy_out(nodes, budget, id, depth + 1))).collect()
    };
    Ok(match nodes.get(id).ok_or("a part of the value is missing")? {
        Node::None => Value::None,
        Node::Bool(value) => Value::Bool(*value),
        Node::Int(value) => Value::Int(*value),
        Node::Float(value) => Value::Float(*value),
        node @ (Node::Str(_) | Node::OldStr(_)) => {
            let text = node.text().unwrap_or_default();
            budget.spend(text.len())?;
            Value::Str(text.into_owned())
        }
        Node::Bytes(bytes) => {
            budget.spend(bytes.len())?;
            Value::Bytes(bytes.to_vec())
        }
        Node::List(ids) => Value::List(all(ids, budget)?),
        Node::Tuple(ids) => Value::Tuple(all(ids, budget)?),
        Node::Set(ids) => Value::Set(all(ids, budget)?),
        Node::Dict(items) => {
            let mut dict: Vec<(Value, Value)> = Vec::new();
            let mut positions: Map<String, usize> = Map::default();
            for &(key, value) in items {
                let key = with_stack(|| copy_out(nodes, budget, key, depth + 1))?;
                let value = with_stack(|| copy_out(nodes, budget, value, depth + 1))?;
                // A later value of the same key replaces the earlier one, at its position.
                let known = match &key {
                    Value::Str(text) => positions.get(text).copied(),
                    _ => None,
                };
                match (known.and_then(|at| dict.get_mut(at)), &key) {
                    (Some(entry), _) => entry.1 = value,
                    (None, Value::Str(text)) => {
                        positions.insert(text.clone(), dict.len());
                        dict.push((key, value));
                    }
                    (None, _) => dict.push((key, value)),
                }
            }
            Value::Dict(dict)
        }
        Node::Array(tensor) => Value::Array(tensor.clone()),
        Node::Global(Global::Torch(Torch::DType(dtype))) => Value::Str(dtype.to_string()),
        node @ (Node::Global(_) | Node::DType(..) | Node::EmptyArray | Node::Storage(..)) => {
            return Err(format!("the value contains {} that stands for nothing", node.kind()));
        }
    })
}
