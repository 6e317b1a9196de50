//! Ops that pick elements, by numbers in the call or in tensors.
//!
//! An index that comes from a tensor is never trusted: each op says what becomes of one that is out of range.

use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::{InferError, OpCall};
use tilewright_te::Value;

use crate::elementwise::{check_dtype, integer};

family! {
    dynamic_strided_slice,
    gather_elements,
    gather_nd,
    one_hot,
    scatter_elements,
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
