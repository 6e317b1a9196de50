//! Values: the arguments of PrimFuncs, and the values of graphs.

use std::rc::Rc;
use std::sync::Arc;

use tilewright_expr::semantics::Scalar;
use tilewright_ir::relax::{Function, Var};
use tilewright_tensor::{DataType, Tensor};

use crate::graph::Scope;

/// An argument of a PrimFunc.
#[derive(Clone, Debug)]
pub enum Arg {
    /// Read and written in place.
    Tensor(Tensor),
    /// A destination whose contents mean nothing: reading an element before writing it is an error.
    Destination(Tensor),
    Scalar(Scalar),
}

impl From<Tensor> for Arg {
    fn from(tensor: Tensor) -> Self {
        Self::Tensor(tensor)
    }
}

impl From<&Tensor> for Arg {
    fn from(tensor: &Tensor) -> Self {
        Self::Tensor(tensor.clone())
    }
}

impl From<Scalar> for Arg {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

/// A value of a graph.
#[derive(Clone, Debug)]
pub enum Value {
    /// Shares memory with whoever else has it, as on the virtual machine.
    Tensor(Tensor),
    Tuple(Vec<Value>),
    Shape(Vec<i64>),
    Scalar(Scalar),
    Str(Arc<str>),
    DType(DataType),
    Closure(Closure),
    /// A function with its last arguments given.
    Partial(Box<Value>, Vec<Value>),
    /// A function of the module, by name.
    Global(Arc<str>),
    /// A function of the host, by name.
    Packed(Arc<str>),
}

/// A function value with the variables that it captured.
#[derive(Clone, Debug)]
pub struct Closure {
    pub(crate) function: Rc<Function>,
    pub(crate) captured: Rc<Scope>,
    /// The variable that the closure is bound to, so that it can call itself.
    pub(crate) itself: Option<Var>,
}

impl Value {
    /// Nothing: the empty tuple.
    pub fn unit() -> Self {
        Self::Tuple(Vec::new())
    }

    /// The tensor, if this is one.
    pub fn as_tensor(&self) -> Option<&Tensor> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The fields, if this is a tuple.
    pub fn as_tuple(&self) -> Option<&[Self]> {
        match self {
            Self::Tuple(fields) => Some(fields),
            _ => None,
        }
    }

    /// The dimensions, if this is a shape.
    pub fn as_shape(&self) -> Option<&[i64]> {
        match self {
            Self::Shape(dims) => Some(dims),
            _ => None,
        }
    }

    /// The sort of value, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Tensor(tensor) => format!("a tensor of shape {:?} and dtype {}", tensor.shape(), tensor.dtype()),
            Self::Tuple(fields) => format!("a tuple of {} fields", fields.len()),
            Self::Shape(dims) => format!("the shape {dims:?}"),
            Self::Scalar(scalar) => format!("the scalar {scalar:?}"),
            Self::Str(text) => format!("the text {text:?}"),
            Self::DType(dtype) => format!("the dtype {dtype}"),
            Self::Closure(_) | Self::Partial(..) => "a closure".to_owned(),
            Self::Global(name) => format!("the function `{name}`"),
            Self::Packed(name) => format!("the packed function `{name}`"),
        }
    }

    /// Equality bit for bit: NaN equals itself, 0.0 differs from -0.0. Functions are equal by name, closures never.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tensor(a), Self::Tensor(b)) => a == b,
            (Self::Tuple(a), Self::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            (Self::Shape(a), Self::Shape(b)) => a == b,
            (Self::Scalar(a), Self::Scalar(b)) => a == b,
            (Self::Str(a), Self::Str(b)) | (Self::Global(a), Self::Global(b)) | (Self::Packed(a), Self::Packed(b)) => {
                a == b
            }
            (Self::DType(a), Self::DType(b)) => a == b,
            _ => false,
        }
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Self {
        Self::Tensor(tensor)
    }
}
