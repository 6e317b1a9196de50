//! Ops of tensors whose shapes broadcast, element by element.
//!
//! Division, remainders and floors follow NumPy. Integers wrap around; an integer division by zero ends the run with an
//! error.

use tilewright_expr::{BinOp, CmpOp, Expr, Intrinsic};
use tilewright_te::Value;

use crate::gradient::Term;

family! {
    ewise_fma,
    r#where,
}

binary! {
    /// The sum.
    add "add": number -> Same, |a, b| a + b,
        gradient |g, _a, _b, _y| (g.clone(), g.clone());
    /// The angle in radians of the point with ordinate `x1` and abscissa `x2`.
    atan2 "atan2": float -> Same, |a, b| super::Value::call(super::Intrinsic::Atan2, &[&a, &b]),
        gradient |g, a, b, _y| (g * b / (a * a + b * b), -g * a / (a * a + b * b));
    /// The quotient: of floats as IEEE has it, of integers rounded towards zero.
    divide "divide": number -> Same, |a, b| a / b,
        gradient |g, _a, b, y| (g / b, -g * y / b);
    /// The quotient rounded towards minus infinity; of floats as NumPy has it, consistent with `floor_mod`.
    floor_divide "floor_divide": number -> Same, |a, b| super::floor_quotient(&a, &b);
    /// The remainder with the sign of the divisor, as NumPy and Python have it.
    floor_mod "floor_mod": number -> Same, |a, b| super::floor_remainder(&a, &b);
    /// The remainder with the sign of the divisor, as NumPy and Python have it. Another name of `floor_mod`.
    r#mod "mod": number -> Same, |a, b| super::floor_remainder(&a, &b);
    /// The larger one; NaN if either is.
    maximum "maximum": any -> Same, |a, b| a.max(b),
        gradient |g, a, b, _y| super::chosen(g, &a.less(b), &a.greater_equal(b));
    /// The smaller one; NaN if either is.
    minimum "minimum": any -> Same, |a, b| a.min(b),
        gradient |g, a, b, _y| super::chosen(g, &a.greater_equal(b), &a.less(b));
    /// The product.
    multiply "multiply": number -> Same, |a, b| a * b,
        gradient |g, a, b, _y| (g * b, g * a);
    /// `x1` to the power of `x2`; special values as C's `pow` has them.
    power "power": float -> Same, |a, b| super::Value::call(super::Intrinsic::Pow, &[&a, &b]),
        gradient |g, a, b, y| (
            b.unless_zero(&(g * b * a.pow(&(b - b.number(1.0))))),
            a.unless_zero_power(b, &(g * y * a.log())),
        );
    /// The difference.
    subtract "subtract": number -> Same, |a, b| a - b,
        gradient |g, _a, _b, _y| (g.clone(), -g);
    /// The bits that are set in both.
    bitwise_and "bitwise_and": bits -> Same, |a, b| a.binary(super::BinOp::BitAnd, b);
    /// The bits that are set in one or both.
    bitwise_or "bitwise_or": bits -> Same, |a, b| a.binary(super::BinOp::BitOr, b);
    /// The bits that are set in one but not in both.
    bitwise_xor "bitwise_xor": bits -> Same, |a, b| a.binary(super::BinOp::BitXor, b);
    /// The bits of `x1` moved up by `x2`; 0 where that is the width or more (negative counts included).
    left_shift "left_shift": integer -> Same, |a, b| a.binary(super::BinOp::Shl, b);
    /// The bits of `x1` moved down by `x2`, the sign kept; 0 where that is the width or more (negative counts
    /// included).
    right_shift "right_shift": integer -> Same, |a, b| a.binary(super::BinOp::Shr, b);
    /// Whether both are true.
    logical_and "logical_and": boolean -> Same, |a, b| a.binary(super::BinOp::BitAnd, b);
    /// Whether one or both are true.
    logical_or "logical_or": boolean -> Same, |a, b| a.binary(super::BinOp::BitOr, b);
    /// Whether one is true but not both.
    logical_xor "logical_xor": boolean -> Same, |a, b| a.binary(super::BinOp::BitXor, b);
    /// Whether the elements are equal; false where one is NaN.
    equal "equal": any -> Bool, |a, b| a.compare(super::CmpOp::Eq, b);
    /// Whether the elements differ; true where one is NaN.
    not_equal "not_equal": any -> Bool, |a, b| a.compare(super::CmpOp::Ne, b);
    /// Whether the first is greater; false where one is NaN.
    greater "greater": any -> Bool, |a, b| b.compare(super::CmpOp::Lt, a);
    /// Whether the first is greater or equal; false where one is NaN.
    greater_equal "greater_equal": any -> Bool, |a, b| b.compare(super::CmpOp::Le, a);
    /// Whether the first is less; false where one is NaN.
    less "less": any -> Bool, |a, b| a.compare(super::CmpOp::Lt, b);
    /// Whether the first is less or equal; false where one is NaN.
    less_equal "less_equal": any -> Bool, |a, b| a.compare(super::CmpOp::Le, b);
}

/// The gradients of operands of which one is chosen, by where each is not. Of equal ones the first is.
fn chosen<'c>(g: &Term<'c>, not_first: &Term<'c>, not_second: &Term<'c>) -> (Term<'c>, Term<'c>) {
    (not_first.select(&g.number(0.0), g), not_second.select(&g.number(0.0), g))
}

/// The remainder with the sign of the divisor; a float that is zero has the divisor's sign too.
fn floor_remainder(a: &Value, b: &Value) -> Value {
    let rest = a.binary(BinOp::FloorMod, b);
    match b.dtype() {
        Some(dtype) if dtype.is_float() => {
            let zero = Value::call(Intrinsic::Copysign, &[&zero_like(a), b]);
            rest.compare(CmpOp::Eq, 0).select(&zero, &rest)
        }
        _ => rest,
    }
}

/// The quotient rounded towards minus infinity. Of floats it is worked out from the exact remainder, because the
/// rounded quotient may lie above the integer that the true one lies below: `1 // 0.1` is 9.
fn floor_quotient(a: &Value, b: &Value) -> Value {
    if !a.dtype().is_some_and(|dtype| dtype.is_float()) {
        return a.binary(BinOp::FloorDiv, b);
    }
    let (plain, rest) = (a / b, a.binary(BinOp::Mod, b));
    let even = (a - &rest) / b;
    let signs_differ = rest.compare(CmpOp::Lt, 0).compare(CmpOp::Ne, b.compare(CmpOp::Lt, 0));
    let one_less = rest.compare(CmpOp::Ne, 0).binary(BinOp::BitAnd, signs_differ);
    let whole = one_less.select(&(&even - 1), &even);
    let below = whole.intrinsic(Intrinsic::Floor);
    let nearest = (&whole - &below).compare(CmpOp::Gt, 0.5).select(&(&below + 1), &below);
    // A zero has the sign of the quotient; a zero divisor gives what division gives.
    let zero = Value::call(Intrinsic::Copysign, &[&zero_like(a), &plain]);
    let result = whole.compare(CmpOp::Eq, 0).select(&zero, &nearest);
    b.compare(CmpOp::Eq, 0).select(&plain, &result)
}

fn zero_like(x: &Value) -> Value {
    x.dtype().map_or_else(|| x.clone(), |dtype| Expr::number(0, dtype).into())
}
