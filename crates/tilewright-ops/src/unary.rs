//! Ops of one tensor, element by element.

use tilewright_ir::op::OpDef;

unary! {
    /// The absolute value; the least integer stays itself.
    abs "abs": signed, |x| x.intrinsic(tilewright_expr::Intrinsic::Abs);
    /// The least integer that is not less.
    ceil "ceil": float, |x| x.intrinsic(tilewright_expr::Intrinsic::Ceil);
    /// The greatest integer that is not greater.
    floor "floor": float, |x| x.intrinsic(tilewright_expr::Intrinsic::Floor);
    /// The negative; the least integer stays itself.
    negative "negative": signed, |x| -&x;
    /// The square root, correctly rounded; NaN for negative numbers.
    sqrt "sqrt": float, |x| x.intrinsic(tilewright_expr::Intrinsic::Sqrt);
    /// The element multiplied by itself.
    square "square": number, |x| &x * &x;
    /// The integer part.
    trunc "trunc": float, |x| x.intrinsic(tilewright_expr::Intrinsic::Trunc);
}

/// The family, in the order of the reference page.
pub const OPS: &[&OpDef] = ELEMENTWISE;
