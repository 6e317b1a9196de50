//! Values: what functions take and give.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use tilewright_support::with_stack;
use tilewright_tensor::{DataType, Tensor};

use crate::Device;
use crate::call_depth::nested;
use crate::error::{Error, ErrorKind, Result};
use crate::machine::Function;

/// A function by name: the slow, general interface between a program and its process.
pub type PackedFunc = Arc<dyn Fn(&[Value]) -> Result<Value> + Send + Sync>;

/// Values in order. Cloning copies a pointer.
#[derive(Clone)]
pub struct Tuple(Arc<TupleNode>);

struct TupleNode {
    items: Box<[Value]>,
    depth: usize,
}

impl Tuple {
    /// How deep values are nested in it: 1 for a tuple of plain values. A closure nests what it captured.
    pub fn depth(&self) -> usize {
        self.0.depth
    }
}

impl Deref for Tuple {
    type Target = [Value];
    fn deref(&self) -> &[Value] {
        &self.0.items
    }
}

impl FromIterator<Value> for Tuple {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        let items: Box<[Value]> = items.into_iter().collect();
        let depth = 1 + items.iter().map(Value::depth).max().unwrap_or(0);
        Self(Arc::new(TupleNode { items, depth }))
    }
}

impl fmt::Debug for Tuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_stack(|| f.debug_list().entries(self.iter()).finish())
    }
}

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
    Tuple(Tuple),
    /// A function of the process.
    Function(PackedFunc),
    /// A function of a machine, perhaps with its first arguments given.
    Closure(Function),
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
            Self::Function(_) | Self::Closure(_) => "a function",
            Self::Object(_) => "an object",
        }
    }

    pub fn as_tensor(&self) -> Result<&Tensor> {
        match self {
            Self::Tensor(tensor) => Ok(tensor),
            other => Err(other.is_not("a tensor")),
        }
    }

    /// How deep values are nested in this one.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::Tuple(items) => items.depth(),
            Self::Closure(function) => function.depth(),
            _ => 0,
        }
    }

    /// Calls the function that this value is.
    pub fn call(&self, args: &[Value]) -> Result<Value> {
        match self {
            Self::Function(function) => nested("a function value", || function(args)),
            Self::Closure(function) => function.call(args),
            other => Err(other.is_not("a function")),
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
                with_stack(|| {
                    for item in items.iter() {
                        tuple.field(item);
                    }
                });
                tuple.finish()
            }
            Self::Function(_) => f.write_str("<function>"),
            Self::Closure(function) => write!(f, "<function {}>", function.name()),
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
    Function => |function| Self::Closure(function),
}
