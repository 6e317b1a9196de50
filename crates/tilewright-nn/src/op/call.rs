//! A call of an entry that is being written: its arguments by name, and the operators that it is made of.

use tilewright_expr::Expr as Scalar;
use tilewright_expr::semantics::Scalar as Element;
use tilewright_ir::Attr;
use tilewright_ir::op::{AttrDefault, OpDef};
use tilewright_ir::relax::{Expr, StructInfo};
use tilewright_tensor::DataType;

use super::{Arg, Kind, OpFn, Value};
use crate::{Error, Graph, Result, Tensor};

/// A call of an entry.
#[derive(Debug)]
pub struct Call<'a> {
    pub(super) entry: &'static OpFn,
    pub(super) graph: &'a Graph,
    pub(super) args: Vec<Arg>,
    /// What the result's variable is called.
    pub(super) name: &'a str,
}

impl Call<'_> {
    /// An error of the entry.
    pub(super) fn refused(&self, why: impl std::fmt::Display) -> Error {
        Error::new(format!("op.{}: {why}", self.entry.name))
    }

    fn arg(&self, name: &str) -> Result<&Arg> {
        let at = self.entry.params.iter().position(|param| param.name == name);
        at.and_then(|at| self.args.get(at)).ok_or_else(|| self.refused(format_args!("there is no parameter `{name}`")))
    }

    fn wrong(&self, name: &str, expected: &str, found: &Arg) -> Error {
        self.refused(format_args!("`{name}` is {expected}, found {}", found.shown()))
    }

    /// The tensor of this name.
    pub(crate) fn tensor(&self, name: &str) -> Result<&Tensor> {
        match self.arg(name)? {
            Arg::Tensor(tensor) => Ok(tensor),
            other => Err(self.wrong(name, "a tensor", other)),
        }
    }

    /// The tensor of this name, if one is given.
    pub(crate) fn optional(&self, name: &str) -> Result<Option<&Tensor>> {
        match self.arg(name)? {
            Arg::Tensor(tensor) => Ok(Some(tensor)),
            Arg::Attr(Attr::None) => Ok(None),
            other => Err(self.wrong(name, "a tensor or None", other)),
        }
    }

    /// The argument as data.
    pub(crate) fn attr(&self, name: &str) -> Result<&Attr> {
        match self.arg(name)? {
            Arg::Attr(attr) => Ok(attr),
            other => Err(self.wrong(name, "no tensor", other)),
        }
    }

    /// The same where a list is expected: one value is a list of it.
    pub(super) fn list(&self, name: &str) -> Result<Vec<Attr>> {
        Ok(match self.attr(name)? {
            Attr::Array(items) => items.clone(),
            one => vec![one.clone()],
        })
    }

    pub(super) fn int(&self, name: &str) -> Result<i64> {
        let value = self.attr(name)?.as_int();
        value.ok_or_else(|| self.refused(format_args!("`{name}` is an integer")))
    }

    pub(super) fn float(&self, name: &str) -> Result<f64> {
        match self.attr(name)? {
            Attr::Float(value) => Ok(value.0),
            Attr::Int(value) => Ok(*value as f64),
            other => Err(self.wrong(name, "a number", &other.clone().into())),
        }
    }

    /// Whether it is true; `None` is not.
    pub(super) fn flag(&self, name: &str) -> Result<bool> {
        match self.attr(name)? {
            Attr::None => Ok(false),
            Attr::Bool(value) => Ok(*value),
            Attr::Int(value) => Ok(*value != 0),
            other => Err(self.wrong(name, "True or False", &other.clone().into())),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<&str> {
        let found = self.attr(name)?;
        found.as_str().ok_or_else(|| self.wrong(name, "a text", &found.clone().into()))
    }

    /// The data type of this name; `void` where none is given.
    pub(super) fn dtype(&self, name: &str) -> Result<DataType> {
        let found = self.attr(name)?;
        let dtype = match found {
            Attr::DType(dtype) => Some(*dtype),
            Attr::None => Some(DataType::VOID),
            Attr::Str(text) => text.parse().ok(),
            _ => None,
        };
        dtype.ok_or_else(|| self.wrong(name, "a data type", &found.clone().into()))
    }

    /// The dimensions of this name.
    pub(super) fn shape(&self, name: &str) -> Result<Expr> {
        let dims = match self.arg(name)? {
            Arg::Attr(Attr::Array(items)) => items.iter().map(scalar).collect::<Option<Vec<Scalar>>>(),
            Arg::Tensors(none) if none.is_empty() => Some(Vec::new()),
            _ => None,
        };
        match dims {
            Some(dims) if dims.iter().all(|dim| dim.dtype.is_int()) => Ok(Expr::shape(dims)),
            _ => {
                let found = self.arg(name)?.shown();
                Err(self.refused(format_args!("a shape is a list of dimensions, found {found}")))
            }
        }
    }

    /// Two operands, of which one may be a number: it gets the data type of the other.
    pub(super) fn operands(&self, a: &str, b: &str) -> Result<(Tensor, Tensor)> {
        match (self.arg(a)?, self.arg(b)?) {
            (Arg::Tensor(a), b) => Ok((a.clone(), like(b, a)?)),
            (a, Arg::Tensor(b)) => Ok((like(a, b)?, b.clone())),
            (other, _) => Err(self.wrong(a, "a tensor, or the other operand is one", other)),
        }
    }

    /// A call of an operator, whose result bears the name of this call's.
    pub(super) fn op<const N: usize>(
        &self,
        op: &'static OpDef,
        args: &[&Tensor],
        attrs: [(&'static str, Attr); N],
    ) -> Result<Tensor> {
        self.graph.call(op, args.iter().map(|tensor| tensor.expr().clone()).collect(), attrs, self.name)
    }

    /// The call of an operator that the entry is: tensors are its arguments, the others its attributes.
    pub(super) fn whole(&self, op: &'static OpDef) -> Result<Value> {
        let (mut args, mut attrs) = (Vec::new(), Vec::new());
        let numbers: Vec<&str> = self.of_kind(Kind::Operand).collect();
        let operands = match numbers.as_slice() {
            [a, b] => Some(self.operands(a, b)?),
            _ => None,
        };
        for param in self.entry.params {
            match param.kind {
                Kind::Tensor => args.push(self.tensor(param.name)?.expr().clone()),
                Kind::Tensors => args.push(self.tuple(param.name)?),
                Kind::Shape => args.push(self.shape(param.name)?),
                Kind::OptionalTensor => args.extend(self.optional(param.name)?.map(|tensor| tensor.expr().clone())),
                Kind::Operand => {}
                _ => attrs.extend(unless_default(op, param.attr, self.attr(param.name)?)),
            }
        }
        args.extend(operands.into_iter().flat_map(|(a, b)| [a.expr().clone(), b.expr().clone()]));
        let result = self.graph.call(op, args, attrs, self.name)?;
        self.value(result)
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &'static str> {
        self.entry.params.iter().filter(move |param| param.kind == kind).map(|param| param.name)
    }

    fn tuple(&self, name: &str) -> Result<Expr> {
        match self.arg(name)? {
            Arg::Tensors(tensors) => Ok(Expr::tuple(tensors.iter().map(|tensor| tensor.expr().clone()).collect())),
            other => Err(self.wrong(name, "a list of tensors", other)),
        }
    }

    /// A result: of a tuple its fields, each bound to a variable.
    pub(super) fn value(&self, result: Tensor) -> Result<Value> {
        match &result.expr().struct_info {
            StructInfo::Tuple(_) => Ok(Value::Several(result.fields(self.name)?)),
            _ => Ok(Value::One(result)),
        }
    }
}

/// The attribute, unless nothing is given for one that has a default.
fn unless_default(op: &'static OpDef, name: &'static str, given: &Attr) -> Option<(&'static str, Attr)> {
    let default = op.attrs.iter().find(|def| def.name == name).map(|def| def.default);
    let has_default = !matches!(default, Some(AttrDefault::Required | AttrDefault::None) | None);
    (!has_default || !matches!(given, Attr::None)).then(|| (name, given.clone()))
}

/// A dimension or number as a scalar expression.
pub(super) fn scalar(attr: &Attr) -> Option<Scalar> {
    match attr {
        Attr::Int(value) => Some(Scalar::i64(*value)),
        Attr::Float(value) => Some(Scalar::float(value.0, DataType::F32)),
        Attr::Expr(value) => Some(value.clone()),
        _ => None,
    }
}

/// A tensor, or a number as a tensor of another one's data type.
fn like(given: &Arg, other: &Tensor) -> Result<Tensor> {
    let dtype = other.dtype()?;
    let whole = match given {
        Arg::Tensor(tensor) => return Ok(tensor.clone()),
        Arg::Attr(Attr::Float(value)) => value.0.is_finite() && value.0.fract() == 0.0,
        _ => true,
    };
    if !whole && !dtype.is_float() {
        let hint = "is no integer: convert the tensor with `astype`";
        return Err(Error::new(format!("the number {} as operand of a tensor of {dtype} {hint}", given.shown())));
    }
    constant(other.graph(), given, dtype)
}

/// A number as a tensor without dimensions.
pub(super) fn constant(graph: &Graph, given: &Arg, dtype: DataType) -> Result<Tensor> {
    let bits = match given {
        Arg::Attr(Attr::Float(value)) if dtype.is_float() => Element::from_float(value.0, dtype),
        Arg::Attr(Attr::Float(value)) => Element::from_int(value.0 as i64, dtype),
        Arg::Attr(Attr::Int(value)) if dtype.is_float() => Element::from_float(*value as f64, dtype),
        Arg::Attr(Attr::Bool(value)) if dtype.is_float() => Element::from_float(f64::from(*value), dtype),
        Arg::Attr(Attr::Int(value)) if dtype.is_bool() => Element::from_bool(*value != 0),
        Arg::Attr(Attr::Int(value)) => Element::from_int(*value, dtype),
        Arg::Attr(Attr::Bool(value)) => Element::from_int(i64::from(*value), dtype),
        other => return Err(Error::new(format!("expected a tensor or a number, found {}", other.shown()))),
    };
    let bytes = &bits.bits().to_le_bytes()[..dtype.element_bytes().min(8)];
    let scalar = tilewright_tensor::Tensor::from_bytes(dtype, &[], bytes);
    let scalar = scalar.map_err(|error| Error::new(error.to_string()))?;
    Ok(graph.tensor(Expr::constant(scalar)))
}
