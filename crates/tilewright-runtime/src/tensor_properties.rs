//! Properties of tensors as functions: dimensions, strides, address, element type; and the only element of one.

use tilewright_tensor::{Tensor, TypeCode, bf16, f16};

use crate::builtins::{Builtin, refused, wrong_arguments};
use crate::error::Result;
use crate::value::Value;

/// The functions of this file.
pub(crate) const ALL: [(&str, Builtin); 9] = [
    ("relax.run.tensor_stride_i", |args| along(args, stride)),
    ("relax.run.tensor_byte_offset", |args| whole(args, |_| 0)),
    ("relax.run.tensor_elem_offset", |args| whole(args, |_| 0)),
    ("relax.run.tensor_shape_i", |args| along(args, |x, axis| x.shape()[axis])),
    ("relax.run.tensor_ndim", |args| whole(args, |x| x.ndim() as i64)),
    ("relax.run.tensor_dtype_code", |args| whole(args, |x| x.dtype().code as i64)),
    ("relax.run.tensor_dtype_bits", |args| whole(args, |x| i64::from(x.dtype().bits))),
    ("relax.run.tensor_dtype_lanes", |args| whole(args, |x| i64::from(x.dtype().lanes))),
    ("relax.run.item", item),
];

/// `(tensor)`: the element of a tensor of the host that has one, a `uint64` by its bits.
fn item(args: &[Value]) -> Result<Value> {
    let [Value::Tensor(tensor)] = args else { return Err(wrong_arguments("a tensor", args)) };
    if tensor.shape().iter().product::<i64>() != 1 {
        return Err(refused(format!("expected a tensor of one element, found the shape {:?}", tensor.shape())));
    }
    let dtype = tensor.dtype();
    Ok(match (dtype.code, dtype.bits) {
        (TypeCode::Bool, _) => Value::Bool(only(tensor.to_vec::<bool>()?)?),
        (TypeCode::Int, 8) => Value::Int(only(tensor.to_vec::<i8>()?)?.into()),
        (TypeCode::Int, 16) => Value::Int(only(tensor.to_vec::<i16>()?)?.into()),
        (TypeCode::Int, 32) => Value::Int(only(tensor.to_vec::<i32>()?)?.into()),
        (TypeCode::Int, 64) => Value::Int(only(tensor.to_vec::<i64>()?)?),
        (TypeCode::UInt, 8) => Value::Int(only(tensor.to_vec::<u8>()?)?.into()),
        (TypeCode::UInt, 16) => Value::Int(only(tensor.to_vec::<u16>()?)?.into()),
        (TypeCode::UInt, 32) => Value::Int(only(tensor.to_vec::<u32>()?)?.into()),
        (TypeCode::UInt, 64) => Value::Int(only(tensor.to_vec::<u64>()?)? as i64),
        (TypeCode::Float, 16) => Value::Float(only(tensor.to_vec::<f16>()?)?.into()),
        (TypeCode::BFloat, 16) => Value::Float(only(tensor.to_vec::<bf16>()?)?.into()),
        (TypeCode::Float, 32) => Value::Float(only(tensor.to_vec::<f32>()?)?.into()),
        (TypeCode::Float, 64) => Value::Float(only(tensor.to_vec::<f64>()?)?),
        _ => return Err(refused(format!("an element of {dtype} is no scalar"))),
    })
}

fn only<T: Copy>(elements: Vec<T>) -> Result<T> {
    elements.first().copied().ok_or_else(|| refused("expected a tensor of one element, found none"))
}

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
