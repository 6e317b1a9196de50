//! Metadata of a tensor as scalars.

use tilewright_expr::Expr;
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_tensor::DataType;

use crate::attributes;

family! {
    tensor_stride_i,
    tensor_byte_offset,
    tensor_elem_offset,
    tensor_shape_i,
    tensor_ndim,
    tensor_dtype_code,
    tensor_dtype_bits,
    tensor_dtype_lanes,
}

/// The rule of a scalar that may follow from the tensor's type.
fn infer_known(
    call: &OpCall<'_>,
    dtype: DataType,
    value: impl Fn(&StructInfo) -> Option<i64>,
) -> Result<StructInfo, InferError> {
    call.tensor(0)?;
    let value = call.args.first().and_then(|x| value(&x.struct_info)).map(|value| Expr::int(value, dtype));
    Ok(StructInfo::Prim { dtype, value })
}

/// The rule of an `int64` that follows from the dimensions and one of them.
fn infer_along(
    cx: &InferCx,
    call: &OpCall<'_>,
    value: impl Fn(&InferCx, &[Expr], usize) -> Expr,
) -> Result<StructInfo, InferError> {
    let shape = call.tensor(0)?.0;
    let unknown = StructInfo::Prim { dtype: DataType::I64, value: None };
    let axis = match call.args.get(1).map(|axis| &axis.struct_info) {
        Some(StructInfo::Prim { dtype, value }) if dtype.is_int() => value.as_ref().and_then(Expr::as_int),
        _ => return Err(InferError::at(1, format!("`{}` takes an integer as its dimension", call.op.name))),
    };
    let Some(axis) = axis else { return Ok(unknown) };
    if axis < 0 {
        return Err(InferError::at(1, format!("`{}` counts dimensions from the start, found {axis}", call.op.name)));
    }
    if let Some(rank) = shape.rank() {
        attributes::axis(call, axis, rank)?;
    }
    match (shape, usize::try_from(axis)) {
        (TensorShape::Known(dims), Ok(axis)) => {
            Ok(StructInfo::Prim { dtype: DataType::I64, value: Some(value(cx, dims, axis)) })
        }
        _ => Ok(unknown),
    }
}
