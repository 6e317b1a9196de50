//! Operators of the virtual machine that programs name themselves.

use tilewright_ir::op::{InferError, OpCall};
use tilewright_tensor::DataType;

family! {
    alloc_storage,
    alloc_tensor,
    kill_object,
    call_tir_dyn,
    match_shape,
    match_prim_value,
    make_shape,
    make_prim_value,
}

/// Whether the argument may be a heap of numbers: a tensor of `int64` with one dimension.
fn check_heap(call: &OpCall<'_>, arg: usize) -> Result<(), InferError> {
    let (shape, dtype) = call.tensor(arg)?;
    match shape.rank().unwrap_or(1) == 1 && dtype.unwrap_or(DataType::I64) == DataType::I64 {
        true => Ok(()),
        false => Err(InferError::at(arg, "a heap of numbers is an int64 tensor of 1 dimension")),
    }
}
