//! Attributes: named plain data on functions, blocks, loops, calls and modules.

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_expr::Expr;
use tilewright_expr::node::{FloatBits, IrNode};
use tilewright_tensor::DataType;

use crate::IndexMap;
use crate::relax::Constant;

/// The value of an attribute.
#[derive(Clone, Debug, IrNode)]
pub enum Attr {
    None,
    Bool(bool),
    Int(i64),
    Float(FloatBits),
    Str(Arc<str>),
    DType(DataType),
    Array(Vec<Attr>),
    Map(Attrs),
    /// A scalar expression (a typed constant or something symbolic).
    Expr(Expr),
    /// A tensor, such as a parameter of the function's model.
    Tensor(Constant),
    /// A map of indices, such as that of a layout.
    IndexMap(IndexMap),
}

/// Attributes by name, in alphabetical order.
pub type Attrs = BTreeMap<Arc<str>, Attr>;

impl Attr {
    pub fn str(text: impl Into<Arc<str>>) -> Self {
        Self::Str(text.into())
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Bool(value) => Some(i64::from(*value)),
            Self::Expr(expr) => expr.as_int(),
            _ => None,
        }
    }

    /// True for `True` and for any integer but 0.
    pub fn is_true(&self) -> bool {
        self.as_int().is_some_and(|value| value != 0)
    }

    /// The kind of the attribute, for messages.
    pub fn in_words(&self) -> String {
        match self {
            Self::None => "None".to_owned(),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Int(value) => format!("the integer {value}"),
            Self::Float(value) => format!("the number {:?}", value.0),
            Self::Str(text) => format!("the text \"{text}\""),
            Self::DType(dtype) => format!("the data type {dtype}"),
            Self::Array(items) if items.len() <= 8 => {
                let items: Vec<String> = items.iter().map(Self::in_words).collect();
                format!("a list of {}", if items.is_empty() { "nothing".to_owned() } else { items.join(", ") })
            }
            Self::Array(items) => format!("a list of {} values", items.len()),
            Self::Map(_) => "a dict".to_owned(),
            Self::Expr(expr) => format!("an expression of type {}", expr.dtype),
            Self::IndexMap(map) => format!("a map of {} indices", map.initial().len()),
            Self::Tensor(Constant(tensor)) => format!("a tensor of type {}", tensor.dtype()),
        }
    }

    /// The integers of an array of integers.
    pub fn as_ints(&self) -> Option<Vec<i64>> {
        match self {
            Self::Array(items) => items.iter().map(Self::as_int).collect(),
            _ => None,
        }
    }
}
