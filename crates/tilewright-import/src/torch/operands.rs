//! Operators of two operands, each of them a tensor or a number.

use tilewright_ops::binary::{
    add, bitwise_and, bitwise_or, bitwise_xor, left_shift, logical_and, logical_or, maximum, minimum, multiply,
    right_shift, subtract,
};

use super::numbers::numbers;
use super::promotion::{promoted, result_type};
use crate::common::{Cx, Op, Refused, Res, Value, is};

/// Operators of the bits of integers, which floats do not have.
const OF_BITS: [Op; 5] = [&left_shift::OP, &right_shift::OP, &bitwise_and::OP, &bitwise_or::OP, &bitwise_xor::OP];

/// An operator of two operands: of tensors, or of numbers as Python has it.
pub(super) fn binary(cx: &mut Cx<'_>, op: Op, a: &Value, b: &Value) -> Res {
    if !matches!((a, b), (Value::Tensor(_), _) | (_, Value::Tensor(_))) {
        return numbers(cx, op, a, b);
    }
    if OF_BITS.iter().any(|of_bits| is(of_bits, op)) && result_type(cx, a, b)?.is_float() {
        return Err(Refused::new("floats have no bits to work on"));
    }
    if is(op, &subtract::OP) && result_type(cx, a, b)?.is_bool() {
        return Err(Refused::new("bools cannot be subtracted"));
    }
    let (a, b) = promoted(cx, a, b)?;
    let op = if cx.dtype(&a)?.is_bool() { of_truths(op) } else { op };
    let [a, b] = cx.broadcastable([a, b])?;
    cx.op(op, &[&a, &b])
}

/// Bools add and multiply as truth values do.
fn of_truths(op: Op) -> Op {
    match op {
        op if is(op, &add::OP) || is(op, &maximum::OP) => &logical_or::OP,
        op if is(op, &multiply::OP) || is(op, &minimum::OP) => &logical_and::OP,
        op => op,
    }
}
