//! Arguments and results of the table's functions.

use tilewright_expr::Expr as Scalar;
use tilewright_ir::Attr;
use tilewright_ir::node::FloatBits;
use tilewright_tensor::DataType;

use crate::{Error, Graph, Result, Tensor};

/// What a parameter takes. Python's signatures say it; of tensors, shapes and numbers the entry checks it, of
/// attributes the graph operator does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Tensor,
    OptionalTensor,
    /// A list of tensors.
    Tensors,
    /// A tensor or a number, which gets the data type of the other operand.
    Operand,
    /// A list of dimensions: integers and integer expressions.
    Shape,
    Int,
    OptionalInt,
    /// A list of integers.
    Ints,
    OptionalInts,
    IntOrInts,
    OptionalIntOrInts,
    Float,
    OptionalFloat,
    Bool,
    OptionalBool,
    Str,
    OptionalStr,
    DType,
    OptionalDType,
    /// A number, an expression, or a list of those.
    Any,
}

impl Kind {
    /// The type in a Python signature.
    pub fn in_python(self) -> &'static str {
        match self {
            Self::Tensor => "Tensor",
            Self::OptionalTensor => "Tensor | None",
            Self::Tensors => "Sequence[Tensor]",
            Self::Operand | Self::Any => "Any",
            Self::Shape => "Sequence[Any]",
            Self::Int => "int",
            Self::OptionalInt => "int | None",
            Self::Ints => "list[int]",
            Self::OptionalInts => "list[int] | None",
            Self::IntOrInts => "int | list[int]",
            Self::OptionalIntOrInts => "int | list[int] | None",
            Self::Float => "float",
            Self::OptionalFloat => "float | None",
            Self::Bool => "bool",
            Self::OptionalBool => "bool | None",
            Self::Str | Self::DType => "str",
            Self::OptionalStr | Self::OptionalDType => "str | None",
        }
    }
}

/// A default.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Literal {
    Nothing,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'static str),
}

/// An argument.
#[derive(Clone, Debug)]
pub enum Arg {
    Tensor(Tensor),
    Tensors(Vec<Tensor>),
    /// Anything else; `Attr::None` where nothing is given.
    Attr(Attr),
}

impl Arg {
    /// The graph function of the tensors in it.
    pub(super) fn graph(&self) -> Option<&Graph> {
        match self {
            Self::Tensor(tensor) => Some(tensor.graph()),
            Self::Tensors(tensors) => tensors.first().map(Tensor::graph),
            Self::Attr(_) => None,
        }
    }

    /// The argument in the words of messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Tensor(_) => "a tensor".into(),
            Self::Tensors(_) => "a list of tensors".into(),
            Self::Attr(attr) => shown(attr),
        }
    }
}

fn shown(attr: &Attr) -> String {
    match attr {
        Attr::None => "None".into(),
        Attr::Bool(value) => if *value { "True" } else { "False" }.into(),
        Attr::Int(value) => value.to_string(),
        Attr::Float(value) => format!("{:?}", value.0),
        Attr::Str(text) => format!("'{text}'"),
        Attr::DType(dtype) => format!("'{dtype}'"),
        Attr::Array(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Attr::Expr(expr) => tilewright_ops::shapes::dim_text(expr),
        Attr::Map(_) => "a dict".into(),
        Attr::Tensor(_) => "a constant".into(),
        Attr::IndexMap(_) => "a map of indices".into(),
    }
}

/// What a function gives.
#[derive(Clone, Debug)]
pub enum Value {
    One(Tensor),
    Several(Vec<Tensor>),
}

impl Value {
    /// The tensor, where it is one.
    pub fn one(self) -> Result<Tensor> {
        match self {
            Self::One(tensor) => Ok(tensor),
            Self::Several(_) => Err(Error::new("expected one tensor, found several")),
        }
    }

    /// The tensors, where they are several.
    pub fn several(self) -> Result<Vec<Tensor>> {
        match self {
            Self::Several(tensors) => Ok(tensors),
            Self::One(_) => Err(Error::new("expected several tensors, found one")),
        }
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Self {
        Self::One(tensor)
    }
}

impl From<Literal> for Arg {
    fn from(value: Literal) -> Self {
        Self::Attr(match value {
            Literal::Nothing => Attr::None,
            Literal::Bool(value) => Attr::Bool(value),
            Literal::Int(value) => Attr::Int(value),
            Literal::Float(value) => Attr::Float(FloatBits(value)),
            Literal::Str(text) => Attr::str(text),
        })
    }
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

impl From<&[&Tensor]> for Arg {
    fn from(tensors: &[&Tensor]) -> Self {
        Self::Tensors(tensors.iter().map(|&tensor| tensor.clone()).collect())
    }
}

impl From<Attr> for Arg {
    fn from(attr: Attr) -> Self {
        Self::Attr(attr)
    }
}

impl<T: Into<Self>> From<Option<T>> for Arg {
    fn from(given: Option<T>) -> Self {
        given.map_or(Self::Attr(Attr::None), Into::into)
    }
}

/// Data as the attribute that it is.
macro_rules! data {
    ($($type:ty: $value:ident => $attr:expr;)*) => {
        $(
            impl From<$type> for Arg {
                fn from($value: $type) -> Self {
                    Self::Attr($attr)
                }
            }
        )*
    };
}

data! {
    bool: value => Attr::Bool(value);
    i64: value => Attr::Int(value);
    f64: value => Attr::Float(FloatBits(value));
    &str: text => Attr::str(text);
    DataType: dtype => Attr::DType(dtype);
    Scalar: value => dim(value);
    &Scalar: value => dim(value.clone());
    Vec<i64>: values => Attr::Array(values.into_iter().map(Attr::Int).collect());
    &[i64]: values => Attr::Array(values.iter().copied().map(Attr::Int).collect());
    Vec<Scalar>: dims => Attr::Array(dims.into_iter().map(dim).collect());
    &[Scalar]: dims => Attr::Array(dims.iter().cloned().map(dim).collect());
}

impl<const N: usize> From<[i64; N]> for Arg {
    fn from(values: [i64; N]) -> Self {
        Self::from(values.as_slice())
    }
}

impl<const N: usize> From<[Scalar; N]> for Arg {
    fn from(dims: [Scalar; N]) -> Self {
        Self::from(dims.as_slice())
    }
}

/// A dimension as data: a number where it is one.
fn dim(value: Scalar) -> Attr {
    value.as_int().map_or(Attr::Expr(value), Attr::Int)
}
