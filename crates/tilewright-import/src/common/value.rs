//! The values of arguments while a graph becomes IR, and the reason for which a rule refuses them.

use std::fmt;

use tilewright_expr as scalar;
use tilewright_expr::TypeMismatch;
use tilewright_ir::builder::BuildError;
use tilewright_ir::op::InferError;
use tilewright_ir::relax::Expr;
use tilewright_tensor::{DataType, TensorError};

/// A value of the recorded program.
#[derive(Clone, Debug)]
pub enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    DType(DataType),
    /// An integer that is computed from symbolic dimensions; never a constant.
    Dim(scalar::Expr),
    Tensor(Expr),
    List(Vec<Value>),
    Slice(Box<[Value; 3]>),
    Ellipsis,
    /// Something that has no meaning in a module, by its text.
    Opaque(String),
}

impl Value {
    /// An integer: a constant where it is one.
    pub fn int(value: scalar::Expr) -> Self {
        value.as_int().map_or(Self::Dim(value), Self::Int)
    }

    /// A list of integers, such as a shape.
    pub fn ints(values: &[scalar::Expr]) -> Self {
        Self::List(values.iter().cloned().map(Self::int).collect())
    }

    /// What it is, for messages.
    pub fn in_words(&self) -> String {
        match self {
            Self::None => "None".to_owned(),
            Self::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
            Self::Int(value) => format!("the integer {value}"),
            Self::Float(value) => format!("the number {value:?}"),
            Self::Str(text) => format!("the text \"{text}\""),
            Self::DType(dtype) => format!("the data type {dtype}"),
            Self::Dim(_) => "a symbolic integer".to_owned(),
            Self::Tensor(_) => "a tensor".to_owned(),
            Self::List(items) => format!("a list of {}", items.len()),
            Self::Slice(_) => "a slice".to_owned(),
            Self::Ellipsis => "an ellipsis".to_owned(),
            Self::Opaque(text) => format!("`{text}`"),
        }
    }

    pub fn tensor(&self) -> Option<&Expr> {
        if let Self::Tensor(expr) = self { Some(expr) } else { None }
    }

    /// The integer as a scalar expression.
    pub fn as_scalar(&self) -> Option<scalar::Expr> {
        match self {
            Self::Bool(value) => Some(scalar::Expr::i64(i64::from(*value))),
            Self::Int(value) => Some(scalar::Expr::i64(*value)),
            Self::Dim(value) => Some(value.clone()),
            _ => None,
        }
    }
}

/// A number that is known while a graph becomes IR.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl Number {
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::Int(value) => Some(Self::Int(*value)),
            Value::Float(value) => Some(Self::Float(*value)),
            _ => None,
        }
    }

    pub fn as_f64(self) -> f64 {
        match self {
            Self::Bool(value) => f64::from(u8::from(value)),
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// Floats outside of the range of integers become its ends.
    pub fn as_i64(self) -> i64 {
        match self {
            Self::Bool(value) => i64::from(value),
            Self::Int(value) => value,
            Self::Float(value) => value as i64,
        }
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

/// A rule does not take its arguments, for this reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl Refused {
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

macro_rules! reasons {
    ($($error:ty)*) => {$(
        impl From<$error> for Refused {
            fn from(error: $error) -> Self {
                Self(error.to_string())
            }
        }
    )*};
}

reasons! { BuildError InferError TensorError TypeMismatch }

/// What a rule gives.
pub type Res<T = Value> = Result<T, Refused>;
