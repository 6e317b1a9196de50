//! The functions that every runtime has, under their names. A process may register others under the same names.
//!
//! The compiler names them (`tilewright_ir::op::Builtin`): each gets the values of the operator's attributes, then its
//! arguments.

use std::io::Write;
use std::sync::Arc;

use tilewright_support::fill_placeholders;
use tilewright_tensor::abi::TENSOR_ALIGN;
use tilewright_tensor::{DataType, Layout, Tensor};

use crate::error::{Error, ErrorKind, Result};
use crate::value::{PackedFunc, Value};
use crate::{data_dependent, debug, kv_cache, kv_state, shape_heap, tensor_properties};

pub(crate) type Builtin = fn(&[Value]) -> Result<Value>;

const ALL: [(&str, Builtin); 10] = [
    ("vm.builtin.shape_of", shape_of),
    ("relax.run.shape_to_tensor", shape_to_tensor),
    ("vm.builtin.tensor_to_shape", tensor_to_shape),
    ("vm.builtin.null_value", |_| Ok(Value::None)),
    ("relax.run.print", print),
    ("relax.run.assert_op", assert_op),
    ("vm.builtin.view", view),
    ("vm.builtin.alloc_storage", alloc_storage),
    ("vm.builtin.alloc_tensor", alloc_tensor),
    ("vm.builtin.context", |_| Ok(Value::Object(Arc::new(Context)))),
];

/// The object that represents the machine: functions of the process may ask whether an object is one, and nothing else.
struct Context;

/// The function of this name, if the runtime has one.
pub(crate) fn get(name: &str) -> Option<PackedFunc> {
    let files = [
        &ALL[..],
        &debug::ALL,
        &kv_cache::ALL,
        &kv_state::ALL,
        &tensor_properties::ALL,
        &data_dependent::ALL,
        &shape_heap::ALL,
    ];
    let mut all = files.into_iter().flatten();
    all.find(|(known, _)| *known == name).map(|&(known, function)| {
        let named = move |args: &[Value]| function(args).map_err(|error| error.in_packed(known));
        Arc::new(named) as PackedFunc
    })
}

pub(crate) fn refused(message: impl Into<String>) -> Error {
    Error::callback(message.into())
}

pub(crate) fn wrong_arguments(expected: &str, args: &[Value]) -> Error {
    let found: Vec<_> = args.iter().map(Value::kind_name).collect();
    refused(format!("expected {expected}, found {}", found.join(", ")))
}

fn shape_of(args: &[Value]) -> Result<Value> {
    match args {
        [Value::Tensor(tensor)] => Ok(Value::shape(tensor.shape())),
        other => Err(wrong_arguments("a tensor", other)),
    }
}

fn shape_to_tensor(args: &[Value]) -> Result<Value> {
    match args {
        [Value::Shape(dims)] => Ok(Tensor::from_vec(&[dims.len() as i64], dims.to_vec())?.into()),
        other => Err(wrong_arguments("a shape", other)),
    }
}

fn tensor_to_shape(args: &[Value]) -> Result<Value> {
    let [Value::Tensor(tensor)] = args else { return Err(wrong_arguments("a tensor", args)) };
    if tensor.ndim() != 1 {
        return Err(refused(format!("a shape comes from a tensor of 1 dimension, found {}", tensor.ndim())));
    }
    let dims = tensor.to_vec::<i64>()?;
    match dims.iter().find(|&&dim| dim < 0) {
        Some(dim) => Err(refused(format!("a shape cannot have a dimension of {dim}"))),
        None => Ok(Value::shape(&dims)),
    }
}

/// A value as programs print it.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::None => "()".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Str(text) => text.to_string(),
        Value::DataType(dtype) => dtype.to_string(),
        Value::Shape(dims) => format!("{dims:?}"),
        Value::Tensor(tensor) => tensor.to_string(),
        Value::Tuple(items) => {
            let items: Vec<String> = tilewright_support::with_stack(|| items.iter().map(text).collect());
            format!("({})", items.join(", "))
        }
        other => format!("{other:?}"),
    }
}

/// The line that a format and values make.
fn line(format: &Value, values: &[Value]) -> Result<String> {
    let Value::Str(format) = format else { return Err(wrong_arguments("a text", std::slice::from_ref(format))) };
    let values: Vec<String> = values.iter().map(text).collect();
    fill_placeholders(format, &values).map_err(refused)
}

/// The one place where the runtime writes to the standard output: the program asks for it.
fn print(args: &[Value]) -> Result<Value> {
    let Some((format, values)) = args.split_first() else { return Err(wrong_arguments("a text", args)) };
    let line = line(format, values)?;
    let written = writeln!(std::io::stdout(), "{line}");
    written.map_err(|error| refused(format!("the line cannot be written: {error}")))?;
    Ok(Value::None)
}

fn assert_op(args: &[Value]) -> Result<Value> {
    let [format, condition, values @ ..] = args else { return Err(wrong_arguments("a text and a bool", args)) };
    let holds = match condition {
        Value::Bool(holds) => *holds,
        Value::Tensor(tensor) if tensor.ndim() == 0 && tensor.dtype().is_bool() => tensor.to_vec::<bool>()? == [true],
        other => return Err(wrong_arguments("a scalar bool", std::slice::from_ref(other))),
    };
    if holds {
        return Ok(Value::None);
    }
    Err(ErrorKind::Assertion { message: line(format, values)? }.into())
}

/// `(dtype, offset, data, shape)`; without a shape the one of the data, without a type its type.
fn view(args: &[Value]) -> Result<Value> {
    let [Value::DataType(dtype), Value::Int(offset), Value::Tensor(data), shape] = args else {
        return Err(wrong_arguments("a data type, an offset, a tensor and a shape", args));
    };
    let dims = match shape {
        Value::Shape(dims) => dims.to_vec(),
        _ => data.shape().to_vec(),
    };
    if *offset < 0 || !data.is_contiguous() {
        return Err(refused("a view lies inside a compact tensor"));
    }
    let dtype = if dtype.is_void() { data.dtype() } else { *dtype };
    let layout = Layout::compact(dtype, &dims)?;
    let end = usize::try_from(*offset).ok().and_then(|offset| offset.checked_add(layout.num_bytes()));
    if end.is_none_or(|end| end > data.num_bytes()) {
        let (needed, given) = (layout.num_bytes(), data.num_bytes());
        return Err(refused(format!("{needed} bytes at {offset} do not lie inside a tensor of {given} bytes")));
    }
    Ok(data.view_as(Arc::new(layout), *offset)?.into())
}

/// `(device, dtype, scope, size)`: a tensor of bytes.
fn alloc_storage(args: &[Value]) -> Result<Value> {
    match args {
        [Value::Int(0), Value::DataType(_), Value::Str(_), Value::Shape(size)] if size.len() == 1 => {
            Ok(Tensor::zeros(DataType::U8, size)?.into())
        }
        other => Err(wrong_arguments("device 0, a data type, a scope and a shape of 1 dimension", other)),
    }
}

/// `(offset, dtype, storage, shape)`.
fn alloc_tensor(args: &[Value]) -> Result<Value> {
    let [Value::Int(offset), dtype, storage, shape] = args else {
        return Err(wrong_arguments("an offset, a data type, a storage and a shape", args));
    };
    if offset.rem_euclid(TENSOR_ALIGN as i64) != 0 {
        return Err(refused(format!("offset {offset} of a tensor in a storage is no multiple of {TENSOR_ALIGN}")));
    }
    view(&[dtype.clone(), Value::Int(*offset), storage.clone(), shape.clone()])
}
