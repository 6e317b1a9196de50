//! Checking values against what a function takes. Messages are made only when something is wrong.

use std::fmt::Write;

use tilewright_tensor::{DataType, Tensor, TypeCode, bf16, f16};
use tilewright_vm_program::{DimPattern, Function, Kind};

use crate::error::{Error, ErrorKind};
use crate::symbols::round_to_odd;
use crate::value::Value;

/// Values of dimension slots; absent until something gives them one.
pub(crate) type Slots = [Option<i64>];

/// Matches a function's arguments; slots get their values.
pub(crate) fn match_arguments(function: &Function, args: &[Value], slots: &mut Slots) -> Result<(), Error> {
    if args.len() != function.params.len() {
        let expected = function.params.iter().map(|param| param.name.clone()).collect();
        return Err(ErrorKind::ArgumentCount { function: function.name.clone(), expected, found: args.len() }.into());
    }
    for (index, (param, value)) in function.params.iter().zip(args).enumerate() {
        if let Err(message) = match_value(function, &param.kind, value, slots) {
            let argument = format!("argument {index} (\"{}\")", param.name);
            return Err(ErrorKind::Argument { function: function.name.clone(), argument, message }.into());
        }
    }
    Ok(())
}

/// Matches one value; the error says what is wrong with it.
pub(crate) fn match_value(function: &Function, kind: &Kind, value: &Value, slots: &mut Slots) -> Result<(), String> {
    match (kind, value) {
        (Kind::Object, _) => Ok(()),
        (Kind::Tensor { dtype, dims }, Value::Tensor(tensor)) => {
            match_tensor(*dtype, tensor)?;
            match_dims(function, dims.as_deref(), tensor.shape(), slots)
        }
        (Kind::Shape { dims }, Value::Shape(shape)) => match_dims(function, dims.as_deref(), shape, slots),
        // Who calls from a language without shapes hands over a tuple of integers.
        (Kind::Shape { dims }, Value::Tuple(items)) => {
            let sizes = items.iter().map(|item| match item {
                Value::Int(size) => Ok(*size),
                other => Err(format!("expected a shape, found a tuple with {}", other.kind_name())),
            });
            match_dims(function, dims.as_deref(), &sizes.collect::<Result<Vec<_>, _>>()?, slots)
        }
        (Kind::Prim(dtype), value) => match_scalar(*dtype, value),
        (Kind::Tuple(fields), Value::Tuple(items)) => {
            if fields.len() != items.len() {
                return Err(format!("the tuple has {} fields, expected {}", items.len(), fields.len()));
            }
            for (index, (field, item)) in fields.iter().zip(items.iter()).enumerate() {
                match_value(function, field, item, slots).map_err(|message| format!("field {index}: {message}"))?;
            }
            Ok(())
        }
        (kind, value) => {
            let expected = kind.display(&function.slots);
            Err(format!("expected {expected}, found {}", value.kind_name()))
        }
    }
}

fn match_tensor(dtype: Option<DataType>, tensor: &Tensor) -> Result<(), String> {
    if let Some(expected) = dtype
        && expected != tensor.dtype()
    {
        return Err(format!("the elements are {}, expected {expected}", tensor.dtype()));
    }
    if !tensor.is_contiguous() {
        let (shape, strides) = (tensor.shape(), tensor.strides());
        return Err(format!(
            "the tensor of shape {shape:?} with strides {strides:?} (in elements) is not contiguous: \
             make a compact copy first, with numpy.ascontiguousarray or torch.Tensor.contiguous"
        ));
    }
    if !tensor.is_aligned() {
        let (address, dtype) = (tensor.data_ptr(), tensor.dtype());
        return Err(format!("the data at {address:p} are not aligned for {dtype}: make a copy first"));
    }
    Ok(())
}

fn match_dims(
    function: &Function,
    pattern: Option<&[DimPattern]>,
    shape: &[i64],
    slots: &mut Slots,
) -> Result<(), String> {
    let Some(pattern) = pattern else { return Ok(()) };
    if pattern.len() != shape.len() {
        let (found, expected) = (shape.len(), pattern.len());
        return Err(format!("the shape {shape:?} has {found} dimensions, expected {expected}"));
    }
    for (axis, (dim, &size)) in pattern.iter().zip(shape).enumerate() {
        match *dim {
            DimPattern::Any => {}
            DimPattern::Const(expected) if expected == size => {}
            DimPattern::Const(expected) => {
                return Err(format!("dimension {axis} is {size}, expected {expected} (the shape is {shape:?})"));
            }
            DimPattern::Slot(slot) => match &mut slots[slot as usize] {
                Some(expected) if *expected == size => {}
                Some(expected) => return Err(contradiction(function, slot, axis, size, *expected)),
                unknown => *unknown = Some(size),
            },
        }
    }
    Ok(())
}

/// A symbolic dimension that has two sizes: says where its first one came from.
fn contradiction(function: &Function, slot: u32, axis: usize, size: i64, expected: i64) -> String {
    let name = &function.slots[slot as usize];
    let mut message = format!("dimension {axis} is {size}, but {name} is {expected}");
    for (index, param) in function.params.iter().enumerate() {
        let mut names_slot = false;
        param.kind.for_each_slot(&mut |other| names_slot |= other == slot);
        if names_slot {
            // Writing to a string does not fail.
            let _ = write!(message, " by argument {index} (\"{}\")", param.name);
            break;
        }
    }
    message
}

fn match_scalar(dtype: DataType, value: &Value) -> Result<(), String> {
    let fits = match (dtype.code, value) {
        (TypeCode::Bool, Value::Bool(_)) => true,
        (TypeCode::Float | TypeCode::BFloat, Value::Float(_) | Value::Int(_)) => true,
        (TypeCode::Int, Value::Int(value)) => dtype.bits >= 64 || (value >> (dtype.bits - 1)) == (value >> 63),
        (TypeCode::UInt, Value::Int(value)) => *value >= 0 && (dtype.bits >= 64 || value >> dtype.bits == 0),
        _ => return Err(format!("expected a scalar of type {dtype}, found {}", value.kind_name())),
    };
    if fits { Ok(()) } else { Err(format!("{value:?} does not fit {dtype}")) }
}

/// A scalar as a kernel takes it: integers sign-extended, floats by their own bits.
pub(crate) fn scalar_bits(dtype: DataType, value: &Value) -> Result<i64, String> {
    match_scalar(dtype, value)?;
    let float = match value {
        Value::Bool(value) => return Ok(i64::from(*value)),
        Value::Int(value) if !dtype.is_float() => return Ok(*value),
        Value::Int(value) => *value as f64,
        Value::Float(value) => *value,
        _ => 0.0,
    };
    Ok(match (dtype.code, dtype.bits) {
        (TypeCode::BFloat, _) => i64::from(bf16::from_f32(round_to_odd(float)).to_bits()),
        (_, 16) => i64::from(f16::from_f32(round_to_odd(float)).to_bits()),
        (_, 32) => i64::from((float as f32).to_bits()),
        _ => float.to_bits() as i64,
    })
}
