//! Numbers in a heap: a tensor of `int64` that a program keeps the sizes of its tensors in, where they are no slots of
//! the machine. A float stands there as the bits of an `f64`, a bool as 0 or 1.

use std::sync::Arc;

use tilewright_tensor::{DataType, Layout, Tensor};

use crate::builtins::{Builtin, refused, wrong_arguments};
use crate::error::Result;
use crate::matching::{number_of, show, value_of};
use crate::value::Value;

/// The functions of this file.
pub(crate) const ALL: [(&str, Builtin); 4] = [
    ("vm.builtin.match_shape", match_shape),
    ("vm.builtin.match_prim_value", match_prim_value),
    ("vm.builtin.make_shape", make_shape),
    ("vm.builtin.make_prim_value", make_prim_value),
];

/// What is done with a number, by its code.
enum Match {
    Equals(i64),
    Store(i64),
    Nothing,
    EqualsSlot(i64),
}

impl Match {
    fn of(code: i64, number: i64) -> Result<Self> {
        match code {
            0 => Ok(Self::Equals(number)),
            1 => Ok(Self::Store(number)),
            2 => Ok(Self::Nothing),
            3 => Ok(Self::EqualsSlot(number)),
            other => Err(refused(format!("a number is matched by a code of 0 to 3, found {other}"))),
        }
    }

    /// Does it with the number; what was expected instead is the error.
    fn run(self, heap: &Tensor, number: i64) -> Result<std::result::Result<(), i64>> {
        let expected = match self {
            Self::Nothing => number,
            Self::Equals(expected) => expected,
            Self::EqualsSlot(slot) => load(heap, slot)?,
            Self::Store(slot) => {
                element(heap, slot)?.overwrite(&number.to_ne_bytes())?;
                number
            }
        };
        Ok(if expected == number { Ok(()) } else { Err(expected) })
    }
}

/// The slot as a tensor of one element.
fn element(heap: &Tensor, slot: i64) -> Result<Tensor> {
    let is_heap = heap.dtype() == DataType::I64 && heap.ndim() == 1 && heap.is_contiguous();
    if !is_heap || !(0..heap.num_elements() as i64).contains(&slot) {
        return Err(refused(format!("{heap:?} is no heap of numbers with a slot {slot}")));
    }
    let one = Arc::new(Layout::compact(DataType::I64, &[1])?);
    Ok(heap.view_as(one, slot * size_of::<i64>() as i64)?)
}

fn load(heap: &Tensor, slot: i64) -> Result<i64> {
    Ok(element(heap, slot)?.to_vec::<i64>()?.first().copied().unwrap_or_default())
}

/// Codes and numbers in turn.
fn pairs(codes: &[Value]) -> Result<Vec<(i64, i64)>> {
    codes
        .chunks(2)
        .map(|pair| match pair {
            [Value::Int(code), Value::Int(number)] => Ok((*code, *number)),
            other => Err(wrong_arguments("a code and a number", other)),
        })
        .collect()
}

/// `(label, value, heap, codes…)`, or as TVM's programs call it `(value, heap, dimensions, codes…, label)`.
fn match_shape(args: &[Value]) -> Result<Value> {
    if let [value, heap @ Value::Tensor(_), Value::Int(count), codes @ .., label @ Value::Str(_)] = args
        && !matches!(value, Value::Str(_))
    {
        counted(*count, codes)?;
        let args: Vec<Value> = [label, value, heap].into_iter().chain(codes).cloned().collect();
        return match_shape(&args);
    }
    let [Value::Str(label), value, Value::Tensor(heap), codes @ ..] = args else {
        return Err(wrong_arguments("a text, a value, a heap and codes", args));
    };
    let dims = match value {
        Value::Tensor(tensor) => tensor.shape(),
        Value::Shape(dims) => dims,
        other => return Err(wrong_arguments("a tensor or a shape", std::slice::from_ref(other))),
    };
    let pairs = pairs(codes)?;
    if pairs.len() != dims.len() {
        let (found, expected) = (dims.len(), pairs.len());
        return Err(refused(format!("{label}: the shape {dims:?} has {found} dimensions, expected {expected}")));
    }
    for (axis, ((code, number), &size)) in pairs.into_iter().zip(dims).enumerate() {
        if let Err(expected) = Match::of(code, number)?.run(heap, size)? {
            return Err(refused(format!(
                "{label}: dimension {axis} is {size}, expected {expected} (the shape is {dims:?})"
            )));
        }
    }
    Ok(Value::None)
}

/// `(code, number, dtype, label, value, heap)`.
fn match_prim_value(args: &[Value]) -> Result<Value> {
    let [Value::Int(code), Value::Int(number), Value::DataType(dtype), Value::Str(label), value, Value::Tensor(heap)] =
        args
    else {
        return Err(wrong_arguments("a code, a number, a data type, a text, a scalar and a heap", args));
    };
    let found = number_of(*dtype, value).map_err(|message| refused(format!("{label}: {message}")))?;
    match Match::of(*code, *number)?.run(heap, found)? {
        Ok(()) => Ok(Value::None),
        Err(expected) => {
            let (found, expected) = (show(*dtype, found), show(*dtype, expected));
            Err(refused(format!("{label}: the value is {found}, expected {expected}")))
        }
    }
}

/// An error unless there are a code and a number for each dimension.
fn counted(count: i64, codes: &[Value]) -> Result<()> {
    match usize::try_from(count).ok().and_then(|count| count.checked_mul(2)) == Some(codes.len()) {
        true => Ok(()),
        false => {
            Err(refused(format!("{count} dimensions have a code and a number each, found {} values", codes.len())))
        }
    }
}

/// `(heap, codes…)`, or as TVM's programs call it `(heap, dimensions, codes…)`.
fn make_shape(args: &[Value]) -> Result<Value> {
    let [Value::Tensor(heap), codes @ ..] = args else { return Err(wrong_arguments("a heap and codes", args)) };
    let codes = match codes {
        [Value::Int(count), codes @ ..] if codes.len() % 2 == 0 => {
            counted(*count, codes)?;
            codes
        }
        codes => codes,
    };
    let dims = pairs(codes)?.into_iter().map(|(code, number)| {
        let size = match code {
            0 => number,
            1 => load(heap, number)?,
            other => return Err(refused(format!("a dimension has a code of 0 or 1, found {other}"))),
        };
        if size < 0 { Err(refused(format!("a shape cannot have a dimension of {size}"))) } else { Ok(size) }
    });
    Ok(Value::shape(&dims.collect::<Result<Vec<_>>>()?))
}

/// `(slot, dtype, heap)`.
fn make_prim_value(args: &[Value]) -> Result<Value> {
    match args {
        [Value::Int(slot), Value::DataType(dtype), Value::Tensor(heap)] => {
            value_of(*dtype, load(heap, *slot)?).map_err(refused)
        }
        other => Err(wrong_arguments("a slot, a data type and a heap", other)),
    }
}
