//! The values of subexpressions while a text is read.

use std::sync::Arc;

use tilewright_ir::relax::{self, ExprKind, GlobalVar, StructInfo};
use tilewright_ir::tir::{Buffer, Expr};
use tilewright_ir::{Attr, Attrs, GlobalFunc, GlobalInfo, IndexMap};
use tilewright_support::{Span, with_stack};
use tilewright_tensor::DataType;

use super::HostValue;

/// How deep lists and dicts of attributes may be nested: attributes are plain data, walked by plain recursion.
const MAX_ATTR_DEPTH: usize = 64;

/// A value. Numbers without a type are Python's own: they calculate as in Python and take the type of what they meet.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Bound by a statement that was in error, which has been reported.
    Poison,
    /// A variable of a dataflow block that has ended without giving it out.
    Hidden {
        block: Span,
    },
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Str(Arc<str>),
    DType(DataType),
    /// A tuple or list.
    Tuple(Vec<Value>),
    Dict(Vec<(Arc<str>, Value)>),
    Scalar(Expr),
    Buffer(Buffer),
    Graph(relax::Expr),
    Info(StructInfo),
    /// A function of the module that is being read.
    Function(Arc<str>),
    /// A function that the host names.
    Global(GlobalVar),
    /// A global info of a module.
    GlobalInfo(GlobalInfo),
    /// The module that is being read.
    Module,
    /// A function of the host, which the module takes in where it is used.
    Captured(GlobalFunc),
    /// A function inside a function, while its body is read, if the text does not say what it gives.
    Unannotated,
    /// The data type, shape or strides of a tensor at run time, of which a part is asked.
    TensorField(relax::Expr, &'static str),
    /// A map of indices.
    IndexMap(IndexMap),
    /// A function whose statements replace its calls.
    Macro(Arc<super::tir::Macro>),
}

impl Value {
    pub(super) fn is_literal(&self) -> bool {
        matches!(self, Self::Bool(_) | Self::Int(_) | Self::Float(_))
    }

    /// Of how many values it is made, itself among them.
    pub(super) fn parts(&self) -> usize {
        match self {
            Self::Tuple(items) => with_stack(|| items.iter().map(Self::parts).fold(1, usize::saturating_add)),
            _ => 1,
        }
    }

    /// The description in messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Poison | Self::Hidden { .. } => "a value in error".into(),
            Self::None => "None".into(),
            Self::Bool(value) => if *value { "True" } else { "False" }.into(),
            Self::Int(value) => format!("the number {value}"),
            Self::Float(value) => format!("the number {value:?}"),
            Self::Str(text) => format!("the text \"{text}\""),
            Self::DType(dtype) => format!("the data type {dtype}"),
            Self::Tuple(items) => format!("a tuple of {}", items.len()),
            Self::Dict(_) => "a dict".into(),
            Self::Scalar(expr) => format!("a scalar of type {}", expr.dtype),
            Self::Buffer(buffer) if buffer.name.is_empty() => "the type of a buffer".into(),
            Self::Buffer(buffer) => format!("the buffer `{}`", buffer.name),
            Self::Graph(expr) => describe_info(&expr.struct_info),
            Self::Info(_) => "a struct info".into(),
            Self::Function(name) => format!("the function `{name}`"),
            Self::Global(global) => format!("the function `{}`", global.name),
            Self::GlobalInfo(GlobalInfo::VDevice(device)) => format!("the device {device}"),
            Self::GlobalInfo(GlobalInfo::Dummy) => "a global info".into(),
            Self::Module => "the module".into(),
            Self::Captured(GlobalFunc::Prim(_)) => "a PrimFunc from outside of the text".into(),
            Self::Captured(GlobalFunc::Relax(_)) => "a Relax function from outside of the text".into(),
            Self::Unannotated => "a function whose result is not known yet".into(),
            Self::TensorField(_, field) => format!("the {field} of a tensor at run time"),
            Self::IndexMap(_) => "a map of indices".into(),
            Self::Macro(_) => "a macro".into(),
        }
    }

    /// The value as an attribute, if it can be one.
    pub(super) fn to_attr(&self) -> Option<Attr> {
        self.to_attr_within(MAX_ATTR_DEPTH)
    }

    fn to_attr_within(&self, depth: usize) -> Option<Attr> {
        let inner = depth.checked_sub(1)?;
        Some(match self {
            Self::None => Attr::None,
            Self::Bool(value) => Attr::Bool(*value),
            Self::Int(value) => Attr::Int(i64::try_from(*value).ok()?),
            Self::Float(value) => Attr::Float(tilewright_ir::node::FloatBits(*value)),
            Self::Str(text) => Attr::Str(text.clone()),
            Self::DType(dtype) => Attr::DType(*dtype),
            Self::IndexMap(map) => Attr::IndexMap(map.clone()),
            Self::Tuple(items) => {
                Attr::Array(items.iter().map(|item| item.to_attr_within(inner)).collect::<Option<_>>()?)
            }
            Self::Dict(items) => {
                let attrs = items.iter().map(|(key, value)| Some((key.clone(), value.to_attr_within(inner)?)));
                Attr::Map(attrs.collect::<Option<_>>()?)
            }
            Self::Scalar(expr) if expr.dtype.is_bool() && expr.as_int().is_some() => {
                Attr::Bool(expr.as_int() != Some(0))
            }
            Self::Scalar(expr) => Attr::Expr(expr.clone()),
            // Annotations name buffers, such as those whose layout is free.
            Self::Buffer(buffer) => Attr::Str(buffer.name.clone()),
            Self::Graph(expr) => match &expr.kind {
                ExprKind::Constant(tensor) => Attr::Tensor(tensor.clone()),
                _ => return None,
            },
            _ => return None,
        })
    }
}

pub(super) fn to_attrs(items: &[(Arc<str>, Value)]) -> Option<Attrs> {
    items.iter().map(|(key, value)| Some((key.clone(), value.to_attr()?))).collect()
}

/// A struct info in a few words.
pub(super) fn describe_info(info: &StructInfo) -> String {
    match info {
        StructInfo::Object => "an object".into(),
        StructInfo::Prim { dtype, .. } => format!("a scalar of type {dtype}"),
        StructInfo::Shape(_) => "a shape".into(),
        StructInfo::Tensor { .. } => {
            let dims = info.dims().map(|dims| dims.iter().map(super::dims::text).collect::<Vec<_>>().join(", "));
            let shape = match (dims, info.rank()) {
                (Some(dims), Some(1)) => format!(" of shape ({dims},)"),
                (Some(dims), _) => format!(" of shape ({dims})"),
                (None, Some(rank)) => format!(" of {rank} dimensions"),
                (None, None) => String::new(),
            };
            match info.dtype() {
                Some(dtype) if dtype.is_int() && dtype.is_signed() => format!("an {dtype} tensor{shape}"),
                Some(dtype) => format!("a {dtype} tensor{shape}"),
                None => format!("a tensor{shape}"),
            }
        }
        StructInfo::Tuple(fields) if fields.is_empty() => "an empty tuple".into(),
        StructInfo::Tuple(fields) => {
            format!("a tuple of {}", fields.iter().map(describe_info).collect::<Vec<_>>().join(" and "))
        }
        StructInfo::Func { .. } => "a function".into(),
    }
}

impl From<HostValue> for Value {
    fn from(value: HostValue) -> Self {
        match value {
            HostValue::None => Self::None,
            HostValue::Bool(value) => Self::Bool(value),
            HostValue::Int(value) => Self::Int(value),
            HostValue::Float(value) => Self::Float(value),
            HostValue::Str(text) => Self::Str(text.into()),
            HostValue::Tuple(items) => Self::Tuple(items.into_iter().map(Self::from).collect()),
            HostValue::Dict(items) => {
                Self::Dict(items.into_iter().map(|(key, value)| (key.into(), Self::from(value))).collect())
            }
            HostValue::DType(dtype) => Self::DType(dtype),
            HostValue::Tensor(tensor) => Self::Graph(relax::Expr::constant(tensor)),
            HostValue::Graph(expr) => Self::Graph(expr),
            HostValue::Scalar(expr) => Self::Scalar(expr),
            HostValue::Buffer(buffer) => Self::Buffer(buffer),
            HostValue::StructInfo(info) => Self::Info(info),
            HostValue::GlobalInfo(info) => Self::GlobalInfo(info),
            HostValue::GlobalVar(global) => Self::Global(global),
            HostValue::Module(_) => Self::Module,
            HostValue::PrimFunc(function) => Self::Captured(GlobalFunc::Prim(function)),
            HostValue::Function(function) => Self::Captured(GlobalFunc::Relax(function)),
        }
    }
}
