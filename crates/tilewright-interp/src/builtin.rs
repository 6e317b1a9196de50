//! The functions that every runtime has: shapes as values, lines for the user, conditions, views.

use std::sync::Arc;

use tilewright_expr::semantics::Scalar;
use tilewright_ir::op::{Builtin, Legalize, MachineOp};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::{fill_placeholders, with_stack};
use tilewright_tensor::abi::TENSOR_ALIGN;
use tilewright_tensor::{DataType, Layout, Tensor};

use crate::error::ErrorKind;
use crate::graph::{Graph, mismatch};
use crate::interpreter::Res;
use crate::value::Value;
use crate::{data_dependent, shape_heap};

pub(crate) fn eval(graph: &Graph<'_>, builtin: Builtin, args: &[Value], attrs: &Attrs) -> Res<Value> {
    match (builtin, args) {
        (Builtin::ShapeOf, [Value::Tensor(tensor)]) => Ok(Value::Shape(tensor.shape().to_vec())),
        (Builtin::ShapeToTensor, [Value::Shape(dims)]) => {
            Ok(Value::Tensor(Tensor::from_vec(&[dims.len() as i64], dims.clone())?))
        }
        (Builtin::TensorToShape, [Value::Tensor(tensor)]) => {
            let dims = tensor.to_vec::<i64>()?;
            match dims.iter().find(|&&dim| dim < 0) {
                Some(dim) => Err(refused(builtin, format!("a shape cannot have a dimension of {dim}"))),
                None => Ok(Value::Shape(dims)),
            }
        }
        (Builtin::NullValue | Builtin::Context, []) => Ok(Value::unit()),
        (Builtin::Print, values) => print(graph, attrs, values),
        (Builtin::Assert, [condition, values @ ..]) => {
            if crate::graph::truth(condition)? {
                return Ok(Value::unit());
            }
            let message = line(builtin, attrs, values)?;
            Err(ErrorKind::Assert(if message.is_empty() { "assertion failed".to_owned() } else { message }).into())
        }
        (Builtin::View, [Value::Tensor(data), shape]) => {
            let dims = match shape {
                Value::Shape(dims) => dims,
                _ => data.shape(),
            };
            let dtype = Some(dtype(attrs)).filter(|dtype| !dtype.is_void()).unwrap_or(data.dtype());
            view(builtin, data, dims, dtype, int(attrs, "relative_byte_offset")).map(Value::Tensor)
        }
        (Builtin::AllocStorage, [Value::Shape(size)]) if size.len() == 1 => {
            Ok(Value::Tensor(graph.garbage(size, DataType::U8)?))
        }
        (Builtin::AllocTensor, [Value::Tensor(storage), Value::Shape(dims)]) => {
            let offset = int(attrs, "offset");
            if offset.rem_euclid(TENSOR_ALIGN as i64) != 0 {
                let problem = format!("offset {offset} of a tensor in a storage is no multiple of {TENSOR_ALIGN}");
                return Err(refused(builtin, problem));
            }
            let tensor = view(builtin, storage, dims, dtype(attrs), offset)?;
            graph.spoil(&tensor)?;
            Ok(Value::Tensor(tensor))
        }
        (Builtin::MatchShape, [Value::Tensor(value), Value::Tensor(heap), codes @ ..]) => {
            shape_heap::match_shape(value.shape(), heap, codes)
        }
        (Builtin::MatchShape, [Value::Shape(dims), Value::Tensor(heap), codes @ ..]) => {
            shape_heap::match_shape(dims, heap, codes)
        }
        (Builtin::MatchPrimValue, [Value::Scalar(value), Value::Tensor(heap)]) => {
            shape_heap::match_prim_value(*value, heap, attrs)
        }
        (Builtin::MakeShape, [Value::Tensor(heap), codes @ ..]) => shape_heap::make_shape(heap, codes),
        (Builtin::MakePrimValue, [Value::Tensor(heap)]) => shape_heap::make_prim_value(heap, attrs),
        (Builtin::Unique, [Value::Tensor(x)]) => data_dependent::unique(x, attrs),
        (Builtin::Nonzero, [Value::Tensor(x)]) => data_dependent::nonzero(x),
        (
            Builtin::DynamicStridedSlice,
            [Value::Tensor(x), Value::Tensor(begin), Value::Tensor(end), Value::Tensor(strides)],
        ) => data_dependent::strided_slice(x, [begin, end, strides])?.map_err(|message| refused(builtin, message)),
        (_, [Value::Tensor(x), axis @ ..]) if let Some(answer) = property(builtin, x, axis)? => Ok(answer),
        (_, other) => {
            let expected = "what the operator declares";
            Err(mismatch(&format!("arguments of `{}`", builtin.name()), expected, &Value::Tuple(other.to_vec())))
        }
    }
}

/// The function of the runtime of this name on the values of its attributes and its arguments; nothing if there is
/// none.
pub(crate) fn call(graph: &Graph<'_>, name: &str, args: &[Value]) -> Option<Res<Value>> {
    let named = |op: &tilewright_ir::op::OpRef| match op.legalize {
        Legalize::Machine(MachineOp::Builtin(builtin)) => (builtin.name() == name).then_some(builtin),
        _ => None,
    };
    let (op, builtin) = tilewright_ops::all().find_map(|op| Some((op, named(&op)?)))?;
    let Some((given, args)) = args.split_at_checked(op.attrs.len()) else {
        return Some(Err(refused(builtin, format!("expected {} values of attributes", op.attrs.len()))));
    };
    let attrs = op.attrs.iter().zip(given).map(|(def, value)| (def.name.into(), as_attr(value))).collect();
    Some(eval(graph, builtin, args, &attrs))
}

fn as_attr(value: &Value) -> Attr {
    match value {
        Value::Scalar(scalar) if scalar.dtype().is_bool() => Attr::Bool(scalar.as_bool()),
        Value::Scalar(scalar) => Attr::Int(scalar.as_int()),
        Value::Str(text) => Attr::Str(text.clone()),
        Value::DType(dtype) => Attr::DType(*dtype),
        _ => Attr::None,
    }
}

/// Metadata of a tensor. Each tensor is compact and begins at its address.
fn property(builtin: Builtin, x: &Tensor, axis: &[Value]) -> Res<Option<Value>> {
    let axis = || match axis {
        [Value::Scalar(axis)] if (0..x.ndim() as i64).contains(&axis.as_int()) => Ok(axis.as_int() as usize),
        _ => Err(refused(builtin, format!("a tensor of {} dimensions has no such dimension", x.ndim()))),
    };
    let (answer, dtype) = match builtin {
        Builtin::TensorDim => (x.shape()[axis()?], DataType::I64),
        Builtin::TensorStride => (x.shape()[axis()? + 1..].iter().product(), DataType::I64),
        Builtin::TensorByteOffset | Builtin::TensorElemOffset => (0, DataType::U64),
        Builtin::TensorRank => (x.ndim() as i64, DataType::I32),
        Builtin::TensorTypeCode => (x.dtype().code as i64, DataType::U8),
        Builtin::TensorTypeBits => (i64::from(x.dtype().bits), DataType::U8),
        Builtin::TensorTypeLanes => (i64::from(x.dtype().lanes), DataType::U16),
        _ => return Ok(None),
    };
    Ok(Some(Value::Scalar(Scalar::from_int(answer, dtype))))
}

pub(crate) fn refused(builtin: Builtin, message: String) -> crate::InterpError {
    ErrorKind::Packed { name: builtin.name().to_owned(), message }.into()
}

fn view(builtin: Builtin, data: &Tensor, dims: &[i64], dtype: DataType, offset: i64) -> Res<Tensor> {
    let layout = Layout::compact(dtype, dims)?;
    let end = usize::try_from(offset).ok().and_then(|offset| offset.checked_add(layout.num_bytes()));
    if end.is_none_or(|end| end > data.num_bytes()) {
        let (needed, given) = (layout.num_bytes(), data.num_bytes());
        return Err(refused(
            builtin,
            format!("{needed} bytes at {offset} do not lie inside a tensor of {given} bytes"),
        ));
    }
    Ok(data.view_as(Arc::new(layout), offset)?)
}

/// Passes a line to the host's function of that name, if it has one; otherwise it is dropped.
fn print(graph: &Graph<'_>, attrs: &Attrs, values: &[Value]) -> Res<Value> {
    // A wrong format is an error even without such a function.
    line(Builtin::Print, attrs, values)?;
    if let Some(host) = graph.cx.packed.get(Builtin::Print.name()) {
        let format = Value::Str(format(attrs).into());
        let args: Vec<Value> = std::iter::once(format).chain(values.iter().cloned()).collect();
        host(&args).map_err(|message| refused(Builtin::Print, message))?;
    }
    Ok(Value::unit())
}

fn line(builtin: Builtin, attrs: &Attrs, values: &[Value]) -> Res<String> {
    let values: Vec<String> = values.iter().map(text).collect();
    fill_placeholders(format(attrs), &values).map_err(|message| refused(builtin, message))
}

fn format(attrs: &Attrs) -> &str {
    attrs.get("format").and_then(Attr::as_str).unwrap_or_default()
}

pub(crate) fn int(attrs: &Attrs, name: &str) -> i64 {
    attrs.get(name).and_then(Attr::as_int).unwrap_or(0)
}

pub(crate) fn dtype(attrs: &Attrs) -> DataType {
    match attrs.get("dtype") {
        Some(Attr::DType(dtype)) => *dtype,
        _ => DataType::VOID,
    }
}

/// A value as programs print it.
fn text(value: &Value) -> String {
    match value {
        Value::Tensor(tensor) => tensor.to_string(),
        Value::Shape(dims) => format!("{dims:?}"),
        Value::Scalar(scalar) => scalar_text(scalar),
        Value::Str(text) => text.to_string(),
        Value::DType(dtype) => dtype.to_string(),
        Value::Tuple(items) => {
            let items: Vec<String> = with_stack(|| items.iter().map(text).collect());
            format!("({})", items.join(", "))
        }
        other => other.describe(),
    }
}

fn scalar_text(scalar: &Scalar) -> String {
    match scalar.dtype() {
        dtype if dtype.is_bool() => if scalar.as_bool() { "True" } else { "False" }.to_owned(),
        dtype if dtype.is_float() => format!("{:?}", scalar.as_float()),
        _ => scalar.as_int().to_string(),
    }
}
