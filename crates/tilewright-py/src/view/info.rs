//! Struct infos: static types of values.

use std::sync::Arc;

use pyo3::prelude::*;
use tilewright::DataType;
use tilewright::expr::Expr;
use tilewright::ir::relax::{self, StructInfo, TensorShape, VDevice};

use super::{Args, Field, Node, convert::FromPython, node_of};

pub(super) fn kind(info: &StructInfo) -> &'static str {
    match info {
        StructInfo::Object => "relax.ObjectStructInfo",
        StructInfo::Prim { .. } => "relax.PrimStructInfo",
        StructInfo::Shape(_) => "relax.ShapeStructInfo",
        StructInfo::Tensor { .. } => "relax.TensorStructInfo",
        StructInfo::Tuple(_) => "relax.TupleStructInfo",
        StructInfo::Func { .. } => "relax.FuncStructInfo",
    }
}

fn rank(shape: &TensorShape) -> i64 {
    shape.rank().map_or(-1, |rank| rank as i64)
}

pub(super) fn field(info: &StructInfo, name: &str) -> Option<Field> {
    Some(match (info, name) {
        (_, "span") => Field::None,
        (StructInfo::Prim { dtype, .. }, "dtype") => Field::dtype(*dtype),
        (StructInfo::Prim { value, .. }, "value") => Field::optional(value.as_ref(), Field::scalar),
        (StructInfo::Shape(shape) | StructInfo::Tensor { shape, .. }, "ndim") => Field::Int(rank(shape)),
        (StructInfo::Shape(shape), "values") => match shape {
            TensorShape::Known(dims) => Field::scalars(dims),
            TensorShape::Rank(_) | TensorShape::Unknown => Field::None,
        },
        (StructInfo::Tensor { shape, .. }, "shape") => match shape {
            TensorShape::Known(dims) => Field::relax(&relax::Expr::shape(dims.clone())),
            TensorShape::Rank(_) | TensorShape::Unknown => Field::None,
        },
        (StructInfo::Tensor { dtype, .. }, "dtype") => Field::dtype(dtype.unwrap_or(DataType::VOID)),
        (StructInfo::Tensor { vdevice, .. }, "vdevice") => {
            Field::optional(vdevice.clone(), |device| Field::Node(Node::VDevice(device)))
        }
        (StructInfo::Tuple(fields), "fields") => Field::list(fields, Field::info),
        (StructInfo::Func { params, .. }, "params") => {
            Field::optional(params.as_ref(), |params| Field::list(params, Field::info))
        }
        (StructInfo::Func { ret, .. }, "ret") => Field::info(ret),
        (StructInfo::Func { pure, .. }, "purity") => Field::Bool(*pure),
        (StructInfo::Func { .. }, "derive_func") => Field::None,
        _ => return None,
    })
}

pub(super) fn device_field(device: &VDevice, name: &str) -> Option<Field> {
    Some(match name {
        "target_text" => Field::text(device.target.clone()),
        "vdevice_id" => Field::Int(device.id),
        "memory_scope" => Field::text(device.memory_scope.clone()),
        _ => return None,
    })
}

/// A shape from dimensions, or from a graph expression that has one. Plain numbers are int64.
fn shape(args: &Args<'_, '_>, i: usize, ndim: i64) -> PyResult<TensorShape> {
    let object = args.object(i)?;
    if object.is_none() {
        return Ok(usize::try_from(ndim).map_or(TensorShape::Unknown, TensorShape::Rank));
    }
    if let Some(Node::Relax(expr)) = node_of(&object) {
        let known = match (&expr.kind, &expr.struct_info) {
            (relax::ExprKind::Shape(dims), _) => Some(TensorShape::Known(dims.clone())),
            (_, StructInfo::Shape(shape)) => Some(shape.clone()),
            _ => None,
        };
        return known.ok_or_else(|| super::refused(args.py(), args.kind(), "the shape is no shape"));
    }
    let known = args.made(dims(args.get(i, "shape")?))?;
    if let Some(size) = known.iter().filter_map(Expr::as_int).find(|size| *size < 0) {
        let reason = format_args!("a dimension is not negative, found {size}");
        return Err(super::refused(args.py(), args.kind(), reason));
    }
    match known.len() as i64 == ndim || ndim < 0 {
        true => Ok(TensorShape::Known(known)),
        false => {
            let reason = format_args!("{} dimensions are not {ndim}, as `ndim` says", known.len());
            Err(super::refused(args.py(), args.kind(), reason))
        }
    }
}

/// How many dimensions there are; -1 is not known.
fn ndim(args: &Args<'_, '_>, i: usize) -> PyResult<i64> {
    let ndim: i64 = args.get(i, "ndim")?;
    match ndim >= -1 {
        true => Ok(ndim),
        false => Err(super::refused(args.py(), args.kind(), format_args!("`ndim` is -1 or more, found {ndim}"))),
    }
}

/// Dimensions are int64; numbers become so. An operator's argument may have a negative one.
pub(super) fn dims(dims: Vec<Expr>) -> Result<Vec<Expr>, String> {
    let dim = |dim: Expr| match dim.as_int() {
        _ if !dim.dtype.is_int() || dim.dtype.is_vector() => {
            Err(format!("a dimension is a scalar integer, found {}", dim.dtype))
        }
        Some(size) => Ok(Expr::i64(size)),
        None if dim.dtype != DataType::I64 => {
            Err(format!("the value in ShapeStructInfo can only have dtype of int64, found one of {}", dim.dtype))
        }
        None => Ok(dim),
    };
    dims.into_iter().map(dim).collect()
}

/// A text is no scalar of a graph.
pub(super) fn no_text(value: &Expr) -> Result<(), String> {
    match &value.kind {
        tilewright::expr::ExprKind::Str(_) => Err("a scalar is a number, found a text: that is a StringImm".to_owned()),
        _ => Ok(()),
    }
}

pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Option<Node>> {
    let info = match args.kind() {
        "relax.ObjectStructInfo" => StructInfo::Object,
        "relax.PrimStructInfo" => prim(args)?,
        "relax.ShapeStructInfo" => StructInfo::Shape(shape(args, 0, ndim(args, 1)?)?),
        "relax.TensorStructInfo" => {
            let dtype: DataType = args.get(1, "dtype")?;
            StructInfo::Tensor {
                shape: shape(args, 0, ndim(args, 3)?)?,
                dtype: (!dtype.is_void()).then_some(dtype),
                vdevice: args.get(2, "vdevice")?,
            }
        }
        "relax.TupleStructInfo" => StructInfo::Tuple(args.get(0, "fields")?),
        "relax.FuncStructInfo" => StructInfo::Func {
            params: args.get(0, "params")?,
            ret: Box::new(args.get(1, "ret")?),
            pure: args.get(2, "purity")?,
        },
        "ir.VDevice" => {
            let (target, scope): (Arc<str>, Arc<str>) = (args.get(0, "target")?, args.get(2, "memory_scope")?);
            return Ok(Some(Node::VDevice(VDevice { target, id: args.get(1, "vdevice_id")?, memory_scope: scope })));
        }
        _ => return Ok(None),
    };
    Ok(Some(Node::Info(info)))
}

/// `(dtype_or_expr)`: a type, or a value that has one.
fn prim(args: &Args<'_, '_>) -> PyResult<StructInfo> {
    let object = args.object(0)?;
    if node_of(&object).is_none()
        && let Some(dtype) = DataType::from_python(&object)?
    {
        return Ok(StructInfo::Prim { dtype, value: None });
    }
    let value: Expr = args.get(0, "value")?;
    args.made(no_text(&value))?;
    Ok(StructInfo::Prim { dtype: value.dtype, value: Some(value) })
}
