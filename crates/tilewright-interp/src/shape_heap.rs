//! Numbers in a heap: a tensor of `int64` that a program keeps the sizes of its tensors in. A float is stored as the
//! bits of a `float64`, a bool as 0 or 1.

use std::sync::Arc;

use tilewright_expr::semantics::{Scalar, cast};
use tilewright_ir::Attrs;
use tilewright_ir::op::Builtin;
use tilewright_tensor::{DataType, Layout, Tensor};

use crate::builtin::{dtype, int, refused};
use crate::interpreter::Res;
use crate::value::Value;

/// `vm.match_shape`: `dims` of a value against codes and numbers.
pub(crate) fn match_shape(dims: &[i64], heap: &Tensor, codes: &[Value]) -> Res<Value> {
    const OF: Builtin = Builtin::MatchShape;
    let pairs = pairs(OF, codes)?;
    if pairs.len() != dims.len() {
        return Err(refused(OF, format!("the shape {dims:?} has {} dimensions, not {}", dims.len(), pairs.len())));
    }
    for (&(code, number), &size) in pairs.iter().zip(dims) {
        match_number(OF, heap, (code, number), size)?;
    }
    Ok(Value::unit())
}

/// `vm.match_prim_value`.
pub(crate) fn match_prim_value(value: Scalar, heap: &Tensor, attrs: &Attrs) -> Res<Value> {
    let pair = (int(attrs, "code"), int(attrs, "number"));
    match_number(Builtin::MatchPrimValue, heap, pair, encoded(value))?;
    Ok(Value::unit())
}

fn match_number(of: Builtin, heap: &Tensor, (code, number): (i64, i64), found: i64) -> Res<()> {
    let expected = match code {
        0 => number,
        1 => return Ok(element(of, heap, number)?.overwrite(&found.to_ne_bytes())?),
        2 => found,
        3 => load(of, heap, number)?,
        other => return Err(refused(of, format!("a number is matched by a code of 0 to 3, found {other}"))),
    };
    if expected == found { Ok(()) } else { Err(refused(of, format!("expected {expected}, found {found}"))) }
}

/// `vm.make_shape`.
pub(crate) fn make_shape(heap: &Tensor, codes: &[Value]) -> Res<Value> {
    const OF: Builtin = Builtin::MakeShape;
    let size = |(code, number)| match code {
        0 => Ok(number),
        1 => load(OF, heap, number),
        other => Err(refused(OF, format!("a dimension has a code of 0 or 1, found {other}"))),
    };
    let dims = pairs(OF, codes)?.into_iter().map(size).collect::<Res<Vec<_>>>()?;
    match dims.iter().find(|&&size| size < 0) {
        Some(size) => Err(refused(OF, format!("a shape cannot have a dimension of {size}"))),
        None => Ok(Value::Shape(dims)),
    }
}

/// `vm.make_prim_value`.
pub(crate) fn make_prim_value(heap: &Tensor, attrs: &Attrs) -> Res<Value> {
    let number = load(Builtin::MakePrimValue, heap, int(attrs, "slot"))?;
    let dtype = dtype(attrs);
    Ok(Value::Scalar(if dtype.is_float() {
        Scalar::from_float(f64::from_bits(number as u64), dtype)
    } else {
        cast(Scalar::from_int(number, DataType::I64), dtype)
    }))
}

fn encoded(value: Scalar) -> i64 {
    match value.dtype() {
        dtype if dtype.is_float() => value.as_float().to_bits() as i64,
        dtype if dtype.is_bool() => i64::from(value.as_bool()),
        _ => value.as_int(),
    }
}

/// Codes and numbers in turn.
fn pairs(of: Builtin, codes: &[Value]) -> Res<Vec<(i64, i64)>> {
    codes
        .chunks(2)
        .map(|pair| match pair {
            [Value::Scalar(code), Value::Scalar(number)] => Ok((code.as_int(), number.as_int())),
            _ => Err(refused(of, "expected a code and a number".to_owned())),
        })
        .collect()
}

/// The slot as a tensor of one element.
fn element(of: Builtin, heap: &Tensor, slot: i64) -> Res<Tensor> {
    let is_heap = heap.dtype() == DataType::I64 && heap.ndim() == 1;
    if !is_heap || !(0..heap.num_elements() as i64).contains(&slot) {
        return Err(refused(of, format!("no heap of numbers with a slot {slot}")));
    }
    let one = Arc::new(Layout::compact(DataType::I64, &[1])?);
    Ok(heap.view_as(one, slot * size_of::<i64>() as i64)?)
}

fn load(of: Builtin, heap: &Tensor, slot: i64) -> Res<i64> {
    Ok(element(of, heap, slot)?.to_vec::<i64>()?.first().copied().unwrap_or_default())
}
