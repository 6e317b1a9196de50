//! Values: what functions take and give.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use tilewright_tensor::{DataType, Tensor};

use crate::Device;
use crate::error::{Error, ErrorKind, Result};

/// A function by name: the slow, general door between a program and the process that runs it.
pub type PackedFunc = Arc<dyn Fn(&[Value]) -> Result<Value> + Send + Sync>;

/// Anything that a register can hold. Cloning copies a pointer at most.
#[derive(Clone, Default)]
pub enum Value {
    #[default]
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Arc<str>),
    DataType(DataType),
    Device(Device),
    Shape(Arc<[i64]>),
    Tensor(Tensor),
    Tuple(Arc<[Value]>),
    Function(PackedFunc),
    /// A value of the process around, which the machine only hands on.
    Object(Arc<dyn Any + Send + Sync>),
}

impl Value {
    /// What kind of value it is, in words.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "a bool",
            Self::Int(_) => "an int",
            Self::Float(_) => "a float",
            Self::Str(_) => "a string",
            Self::DataType(_) => "a data type",
            Self::Device(_) => "a device",
            Self::Shape(_) => "a shape",
            Self::Tensor(_) => "a tensor",
            Self::Tuple(_) => "a tuple",
            Self::Function(_) => "a function",
            Self::Object(_) => "an object",
        }
    }

    pub fn as_tensor(&self) -> Result<&Tensor> {
        match self {
            Self::Tensor(tensor) => Ok(tensor),
            other => Err(other.is_not("a tensor")),
        }
    }

    pub fn as_int(&self) -> Result<i64> {
        match self {
            Self::Int(value) => Ok(*value),
            Self::Bool(value) => Ok(i64::from(*value)),
            other => Err(other.is_not("an int")),
        }
    }

    pub fn as_tuple(&self) -> Result<&[Value]> {
        match self {
            Self::Tuple(items) => Ok(items),
            other => Err(other.is_not("a tuple")),
        }
    }

    pub fn tuple(items: impl IntoIterator<Item = Value>) -> Self {
        Self::Tuple(items.into_iter().collect())
    }

    pub fn shape(dims: &[i64]) -> Self {
        Self::Shape(dims.into())
    }

    fn is_not(&self, expected: &'static str) -> Error {
        ErrorKind::WrongValue { expected, found: self.kind_name() }.into()
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Str(text) => text.fmt(f),
            Self::DataType(dtype) => dtype.fmt(f),
            Self::Device(device) => write!(f, "{device}"),
            Self::Shape(dims) => write!(f, "Shape{dims:?}"),
            Self::Tensor(tensor) => tensor.fmt(f),
            Self::Tuple(items) => {
                let mut tuple = f.debug_tuple("");
                for item in items.iter() {
                    tuple.field(item);
                }
                tuple.finish()
            }
            Self::Function(_) => f.write_str("<function>"),
            Self::Object(_) => f.write_str("<object>"),
        }
    }
}

macro_rules! from {
    ($($from:ty => |$value:ident| $to:expr),* $(,)?) => {$(
        impl From<$from> for Value {
            fn from($value: $from) -> Self {
                $to
            }
        }
    )*};
}

from! {
    bool => |value| Self::Bool(value),
    i64 => |value| Self::Int(value),
    f64 => |value| Self::Float(value),
    &str => |text| Self::Str(text.into()),
    DataType => |dtype| Self::DataType(dtype),
    Device => |device| Self::Device(device),
    Tensor => |tensor| Self::Tensor(tensor),
    &Tensor => |tensor| Self::Tensor(tensor.clone()),
    PackedFunc => |function| Self::Function(function),
}
