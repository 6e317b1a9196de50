//! Struct infos: what is known of a value.

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
        "target" => Field::text(device.target.clone()),
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
    Ok(TensorShape::Known(dims(args.get(i, "shape")?)))
}

/// Dimensions are int64; numbers become so.
pub(super) fn dims(dims: Vec<Expr>) -> Vec<Expr> {
    dims.into_iter().map(|dim| dim.as_int().map_or(dim, Expr::i64)).collect()
}

pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Option<Node>> {
    let info = match args.kind() {
        "relax.ObjectStructInfo" => StructInfo::Object,
        "relax.PrimStructInfo" => prim(args)?,
        "relax.ShapeStructInfo" => StructInfo::Shape(shape(args, 0, args.get(1, "ndim")?)?),
        "relax.TensorStructInfo" => {
            let dtype: DataType = args.get(1, "dtype")?;
            StructInfo::Tensor {
                shape: shape(args, 0, args.get(3, "ndim")?)?,
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
    Ok(StructInfo::Prim { dtype: value.dtype, value: Some(value) })
}
