//! Ops that pick elements, by numbers in the call or in tensors.
//!
//! An index that comes from a tensor is never trusted: each op says what becomes of one that is out of range.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr};
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_te::{TeError, Value};
use tilewright_tensor::DataType;

use crate::elementwise::{check_dtype, integer};
use crate::{attributes, shapes};

family! {
    dynamic_strided_slice,
    gather_elements,
    gather_nd,
    index_put,
    index_tensor,
    one_hot,
    scatter_elements,
    scatter_nd,
    strided_slice,
    take,
}

/// Refuses indices that are no integers.
pub(crate) fn check_indices(call: &OpCall<'_>, arg: usize) -> Result<(), InferError> {
    check_dtype(call, arg, call.tensor(arg)?.1, integer)
}

/// An index counted from the end where it is negative, then held within the dimension.
pub(crate) fn guarded(index: &Value, extent: &Expr) -> Value {
    let index = index.cast(extent.dtype);
    let size = Value::from(extent.clone());
    let from_start = index.compare(CmpOp::Lt, 0).select(&(&index + &size), &index);
    from_start.min(&size - 1).max(0)
}

/// The same as statements have it, in `int64`.
pub(crate) fn held(index: &Expr, size: &Expr) -> Result<Expr, TeError> {
    let (index, zero) = (index.cast(DataType::I64)?, Expr::i64(0));
    let from_start = Expr::select(&Expr::compare(CmpOp::Lt, &index, &zero)?, &(&index + size), &index)?;
    let last = size - &Expr::i64(1);
    Ok(Expr::binary(BinOp::Max, &Expr::binary(BinOp::Min, &from_start, &last)?, &zero)?)
}

/// How an update combines with the element, by the attribute `reduction`; `None` where it replaces it.
fn reduction(call: &OpCall<'_>) -> Result<Option<BinOp>, InferError> {
    let (name, text) = (call.op.name, attributes::text(call, "reduction"));
    let op = match text {
        "update" => return Ok(None),
        "add" => BinOp::Add,
        "mul" => BinOp::Mul,
        "min" => BinOp::Min,
        "max" => BinOp::Max,
        other => {
            let message =
                format!("`{name}` knows the reductions `update`, `add`, `mul`, `min` and `max`, not `{other}`");
            return Err(InferError::new(message));
        }
    };
    match call.tensor(0)?.1 {
        Some(dtype) if !op.takes(dtype) => {
            Err(InferError::at(0, format!("`{name}` with the reduction `{text}` takes no elements of {dtype}")))
        }
        _ => Ok(Some(op)),
    }
}

/// The new value of an updated element.
fn combined(out: &Buffer, at: &[Expr], reduction: Option<BinOp>, update: Expr) -> Result<Expr, TeError> {
    match reduction {
        Some(op) => Ok(Expr::binary(op, &Expr::load(out, at.to_vec())?, &update)?),
        None => Ok(update),
    }
}

/// The number of the tensors of indices in a tuple, and the shape that they broadcast to. There are at most as many as
/// the first argument has dimensions.
fn broadcast_indices(cx: &InferCx, call: &OpCall<'_>, arg: usize) -> Result<(usize, TensorShape), InferError> {
    let name = call.op.name;
    let Some(StructInfo::Tuple(fields)) = call.args.get(arg).map(|arg| &arg.struct_info) else {
        return Err(InferError::at(arg, format!("`{name}` takes a tuple of tensors of indices")));
    };
    if fields.is_empty() {
        return Err(InferError::at(arg, format!("`{name}` needs at least one tensor of indices")));
    }
    if let Some(rank) = call.tensor(0)?.0.rank().filter(|rank| *rank < fields.len()) {
        let message = format!("`{name}`: {} tensors of indices for {rank} dimensions", fields.len());
        return Err(InferError::at(arg, message));
    }
    let mut shape = TensorShape::Known(Vec::new());
    for (number, field) in fields.iter().enumerate() {
        let StructInfo::Tensor { shape: own, dtype, .. } = field else {
            return Err(InferError::at(arg, format!("`{name}` takes tensors of indices; field {number} is none")));
        };
        if let Some(dtype) = dtype.filter(|dtype| !dtype.is_int()) {
            return Err(InferError::at(arg, format!("`{name}` takes integers as indices, found {dtype}")));
        }
        shape = shapes::broadcast(cx, &shape, own).map_err(|why| InferError::at(arg, format!("`{name}`: {why}")))?;
    }
    Ok((fields.len(), shape))
}
