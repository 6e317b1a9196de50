//! Rules about shapes and element types that the inference of many ops shares.

use tilewright_expr::{BinOp, Expr, ExprKind};
use tilewright_ir::Attr;
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape, VDevice};
use tilewright_tensor::DataType;

/// A dimension as users write it: a number, a name, or an expression of them.
pub fn dim_text(dim: &Expr) -> String {
    match &dim.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Var(var) => var.name.to_string(),
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (dim_text(a), dim_text(b));
            match op {
                BinOp::Add => format!("({a} + {b})"),
                BinOp::Sub => format!("({a} - {b})"),
                BinOp::Mul => format!("({a} * {b})"),
                BinOp::FloorDiv => format!("({a} // {b})"),
                BinOp::FloorMod => format!("({a} % {b})"),
                BinOp::Min => format!("min({a}, {b})"),
                BinOp::Max => format!("max({a}, {b})"),
                _ => "?".into(),
            }
        }
        _ => "?".into(),
    }
}

/// Dimensions as users write them: `(3, n)`.
pub fn dims_text(dims: &[Expr]) -> String {
    let comma = if dims.len() == 1 { "," } else { "" };
    format!("({}{comma})", dims.iter().map(dim_text).collect::<Vec<_>>().join(", "))
}

/// The number of dimensions, where known.
pub fn rank(shape: &TensorShape) -> Option<usize> {
    match shape {
        TensorShape::Known(dims) => Some(dims.len()),
        TensorShape::Rank(rank) => Some(*rank),
        TensorShape::Unknown => None,
    }
}

/// What two dimensions broadcast to; `Ok(None)` where that is known at run time only.
fn broadcast_dim(cx: &InferCx, a: &Expr, b: &Expr) -> Result<Option<Expr>, ()> {
    match (a.as_int(), b.as_int()) {
        (Some(1), _) => Ok(Some(b.clone())),
        (_, Some(1)) => Ok(Some(a.clone())),
        _ if cx.analyzer.prove_equal(a, b) => Ok(Some(if a.as_int().is_some() { a.clone() } else { b.clone() })),
        (Some(_), Some(_)) => Err(()),
        _ => Ok(None),
    }
}

/// What dimensions broadcast to, aligned at the end; `Ok(None)` where that is known at run time only. The error says
/// which do not fit.
pub fn broadcast_dims(cx: &InferCx, a: &[Expr], b: &[Expr]) -> Result<Option<Vec<Expr>>, String> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let (leading, aligned) = long.split_at(long.len() - short.len());
    let mut dims = Some(leading.to_vec());
    for (x, y) in aligned.iter().zip(short) {
        let dim = broadcast_dim(cx, x, y).map_err(|()| {
            format!(
                "shapes {} and {} do not broadcast: {} and {} differ and neither is 1",
                dims_text(a),
                dims_text(b),
                dim_text(x),
                dim_text(y)
            )
        })?;
        dims = dims.zip(dim).map(|(mut dims, dim)| {
            dims.push(dim);
            dims
        });
    }
    Ok(dims)
}

/// What shapes broadcast to, as far as known.
pub fn broadcast(cx: &InferCx, a: &TensorShape, b: &TensorShape) -> Result<TensorShape, String> {
    let ranks = rank(a).zip(rank(b)).map(|(a, b)| a.max(b));
    let unknown = ranks.map_or(TensorShape::Unknown, TensorShape::Rank);
    match (a, b) {
        (TensorShape::Known(a), TensorShape::Known(b)) => {
            Ok(broadcast_dims(cx, a, b)?.map_or(unknown, TensorShape::Known))
        }
        _ => Ok(unknown),
    }
}

/// The one element type of both operands, where known.
pub fn same_dtype(call: &OpCall<'_>, a: Option<DataType>, b: Option<DataType>) -> Result<Option<DataType>, InferError> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => {
            Err(InferError::at(1, format!("operands of `{}` must have one data type, found {a} and {b}", call.op.name)))
        }
        (Some(a), Some(_)) => Ok(Some(a)),
        _ => Ok(None),
    }
}

/// The dimensions of the call's result, which legalisation needs to know.
pub fn result_dims(call: &OpCall<'_>) -> Result<Vec<Expr>, InferError> {
    let info = (call.op.infer)(&InferCx::default(), call)?;
    info.dims().map(<[Expr]>::to_vec).ok_or_else(|| {
        InferError::new(format!(
            "the shape of the result of `{}` is not known here; `R.match_cast` on its operands can state it",
            call.op.name
        ))
    })
}

/// The rule of ops that make a tensor of the shape in their argument number `shape` and the attribute `dtype`.
pub fn infer_allocated(call: &OpCall<'_>, shape: usize) -> Result<StructInfo, InferError> {
    let dtype = match call.attr("dtype") {
        Some(Attr::DType(dtype)) if !dtype.is_handle() && dtype.is_scalar() => *dtype,
        _ => return Err(InferError::new(format!("`{}` needs the data type of an element", call.op.name))),
    };
    match call.args.get(shape).map(|arg| &arg.struct_info) {
        Some(StructInfo::Shape(shape)) => {
            if let TensorShape::Known(dims) = shape
                && let Some(negative) = dims.iter().find_map(|dim| dim.as_int().filter(|dim| *dim < 0))
            {
                return Err(InferError::new(format!("a tensor cannot have a dimension of {negative}")));
            }
            Ok(StructInfo::tensor_with(shape.clone(), Some(dtype)))
        }
        _ => Err(InferError::at(shape, format!("`{}` needs a shape", call.op.name))),
    }
}

/// The rule of ops whose only argument is the shape of a new tensor.
pub fn infer_allocation(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    infer_allocated(call, 0)
}

/// The rule of ops that give their first argument on the device of their attribute `dst_vdevice`.
pub fn infer_on_device(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let device = call.attr("dst_vdevice").and_then(VDevice::of_attr);
    if device.is_none() {
        return Err(InferError::new(format!("`{}` needs a device", call.op.name)));
    }
    Ok(StructInfo::Tensor { shape: shape.clone(), dtype, vdevice: device })
}

/// The rule of ops that give their first argument, a tensor, as it is.
pub fn infer_same(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    Ok(StructInfo::tensor_with(shape.clone(), dtype))
}

/// The bytes that a tensor of constant shape takes, if that is a number.
pub fn allocation_bytes(info: &StructInfo) -> Option<i64> {
    let element = i64::try_from(info.dtype()?.bytes()).ok()?;
    info.dims()?.iter().try_fold(element, |bytes, dim| bytes.checked_mul(dim.as_int()?))
}
