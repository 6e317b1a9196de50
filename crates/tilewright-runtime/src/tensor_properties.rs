//! Properties of tensors as functions: dimensions, strides, address, element type.

use tilewright_tensor::Tensor;

use crate::builtins::{Builtin, refused, wrong_arguments};
use crate::error::Result;
use crate::value::Value;

/// The functions of this file.
pub(crate) const ALL: [(&str, Builtin); 8] = [
    ("relax.run.tensor_stride_i", |args| along(args, stride)),
    ("relax.run.tensor_byte_offset", |args| whole(args, |_| 0)),
    ("relax.run.tensor_elem_offset", |args| whole(args, |_| 0)),
    ("relax.run.tensor_shape_i", |args| along(args, |x, axis| x.shape()[axis])),
    ("relax.run.tensor_ndim", |args| whole(args, |x| x.ndim() as i64)),
    ("relax.run.tensor_dtype_code", |args| whole(args, |x| x.dtype().code as i64)),
    ("relax.run.tensor_dtype_bits", |args| whole(args, |x| i64::from(x.dtype().bits))),
    ("relax.run.tensor_dtype_lanes", |args| whole(args, |x| i64::from(x.dtype().lanes))),
];

/// `(tensor)`. A tensor's first element is where its address says: offsets are 0.
fn whole(args: &[Value], ask: fn(&Tensor) -> i64) -> Result<Value> {
    match args {
        [Value::Tensor(tensor)] => Ok(Value::Int(ask(tensor))),
        other => Err(wrong_arguments("a tensor", other)),
    }
}

/// `(tensor, axis)`, the dimension counted from the start.
fn along(args: &[Value], ask: fn(&Tensor, usize) -> i64) -> Result<Value> {
    let [Value::Tensor(tensor), Value::Int(axis)] = args else {
        return Err(wrong_arguments("a tensor and an int", args));
    };
    match usize::try_from(*axis).ok().filter(|axis| *axis < tensor.ndim()) {
        Some(axis) => Ok(Value::Int(ask(tensor, axis))),
        None => Err(refused(format!("a tensor of {} dimensions has no dimension {axis}", tensor.ndim()))),
    }
}

/// In elements. A compact tensor has the strides of its shape, whatever a dimension of one element says.
fn stride(tensor: &Tensor, axis: usize) -> i64 {
    match tensor.is_contiguous() {
        true => tensor.shape()[axis + 1..].iter().product(),
        false => tensor.strides()[axis],
    }
}
