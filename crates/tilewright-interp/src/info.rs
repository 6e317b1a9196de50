//! Values against struct infos: which symbolic dimensions they define, and whether they are what is said of them.

use tilewright_expr as scalar;
use tilewright_expr::node::VarId;
use tilewright_expr::semantics::Scalar;
use tilewright_ir::op::describe;
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_support::Map;
use tilewright_tensor::DataType;

use crate::InterpCx;
use crate::error::{ErrorKind, InterpError};
use crate::interpreter::{Interpreter, Res};
use crate::scalar::Val;
use crate::value::Value;

type Dims = Map<VarId, Scalar>;

/// The value of a scalar expression over symbolic dimensions.
pub(crate) fn scalar(cx: &InterpCx, dims: &Dims, expr: &scalar::Expr) -> Res<Scalar> {
    if let scalar::ExprKind::Int(value) = expr.kind {
        return Ok(Scalar::from_int(value, expr.dtype));
    }
    let mut interpreter = Interpreter::new(cx, "");
    interpreter.vars = dims.iter().map(|(&id, &value)| (id, Val::One(value))).collect();
    Ok(interpreter.index(expr)?.lane(0))
}

pub(crate) fn dim(cx: &InterpCx, dims: &Dims, expr: &scalar::Expr) -> Res<i64> {
    Ok(scalar(cx, dims, expr)?.as_int())
}

/// Defines the symbolic dimensions in `info` that have no value yet by the corresponding ones of `value`.
pub(crate) fn bind(dims: &mut Dims, info: &StructInfo, value: &Value) {
    match (info, value) {
        (StructInfo::Tensor { shape: TensorShape::Known(known), .. }, Value::Tensor(tensor)) => {
            bind_dims(dims, known, tensor.shape());
        }
        (StructInfo::Shape(TensorShape::Known(known)), Value::Shape(shape)) => bind_dims(dims, known, shape),
        (StructInfo::Prim { value: Some(expr), .. }, Value::Scalar(scalar)) => {
            if let Some(var) = expr.as_var()
                && var.dtype == scalar.dtype()
            {
                dims.entry(var.id()).or_insert(*scalar);
            }
        }
        (StructInfo::Tuple(infos), Value::Tuple(fields)) => {
            infos.iter().zip(fields).for_each(|(info, field)| bind(dims, info, field));
        }
        _ => {}
    }
}

fn bind_dims(dims: &mut Dims, known: &[scalar::Expr], shape: &[i64]) {
    for (expr, &dim) in known.iter().zip(shape) {
        if let Some(var) = expr.as_var() {
            dims.entry(var.id()).or_insert(Scalar::from_int(dim, var.dtype));
        }
    }
}

/// Checks that the value is what `info` says.
pub(crate) fn check(
    cx: &InterpCx,
    dims: &Dims,
    what: impl Fn() -> String,
    info: &StructInfo,
    value: &Value,
) -> Result<(), InterpError> {
    check_one(cx, dims, info, value).map_err(|problem| match problem {
        Problem::Expected(expected) => ErrorKind::Mismatch { what: what(), expected, found: value.describe() }.into(),
        Problem::Error(error) => error,
    })
}

enum Problem {
    /// The expected struct info.
    Expected(String),
    Error(InterpError),
}

impl From<InterpError> for Problem {
    fn from(error: InterpError) -> Self {
        Self::Error(error)
    }
}

fn check_one(cx: &InterpCx, dims: &Dims, info: &StructInfo, value: &Value) -> Result<(), Problem> {
    match (info, value) {
        (StructInfo::Object, _)
        | (StructInfo::Func { .. }, Value::Closure(_) | Value::Partial(..) | Value::Global(_) | Value::Packed(_)) => {
            Ok(())
        }
        (StructInfo::Prim { dtype, value: known }, Value::Scalar(found)) => {
            if found.dtype() != *dtype {
                return Err(Problem::Expected(format!("a scalar of dtype {dtype}")));
            }
            match known {
                Some(known) if scalar(cx, dims, known)? != *found => {
                    Err(Problem::Expected(format!("{:?}", scalar(cx, dims, known)?)))
                }
                _ => Ok(()),
            }
        }
        (StructInfo::Shape(shape), Value::Shape(found)) => check_shape(cx, dims, shape, None, found),
        (StructInfo::Tensor { shape, dtype, .. }, Value::Tensor(found)) => {
            if let Some(dtype) = dtype
                && *dtype != found.dtype()
            {
                return Err(Problem::Expected(format!("a tensor of dtype {dtype}")));
            }
            check_shape(cx, dims, shape, *dtype, found.shape())
        }
        (StructInfo::Tuple(infos), Value::Tuple(fields)) if infos.len() == fields.len() => {
            infos.iter().zip(fields).try_for_each(|(info, field)| check_one(cx, dims, info, field))
        }
        (StructInfo::Tuple(infos), _) => Err(Problem::Expected(format!("a tuple of {} fields", infos.len()))),
        (info, _) => Err(Problem::Expected(describe(Some(info)).to_owned())),
    }
}

fn check_shape(
    cx: &InterpCx,
    dims: &Dims,
    shape: &TensorShape,
    dtype: Option<DataType>,
    found: &[i64],
) -> Result<(), Problem> {
    let of = dtype.map(|dtype| format!(" and dtype {dtype}")).unwrap_or_default();
    match shape {
        TensorShape::Unknown => Ok(()),
        TensorShape::Rank(rank) if *rank == found.len() => Ok(()),
        TensorShape::Rank(rank) => Err(Problem::Expected(format!("{rank} dimensions{of}"))),
        TensorShape::Known(known) => {
            let expected = known.iter().map(|e| dim(cx, dims, e)).collect::<Res<Vec<_>>>()?;
            if expected == found { Ok(()) } else { Err(Problem::Expected(format!("the shape {expected:?}{of}"))) }
        }
    }
}
