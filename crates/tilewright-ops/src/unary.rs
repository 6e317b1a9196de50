//! Ops of one tensor, element by element.
//!
//! Floats follow IEEE and C: NaN gives NaN, an operand outside the domain gives NaN. Mathematical functions are right
//! within `tilewright_expr::MATH_ULPS`. Where a function has no derivative, its gradient is one of a side: that of
//! `abs` at 0 is 1.

use tilewright_expr::{BinOp, CmpOp, Intrinsic};
use tilewright_te::Value;

family! {
    clip,
}

unary! {
    /// The absolute value; the least integer stays itself.
    abs "abs" "tir_abs": signed -> Same, |x| x.intrinsic(super::Intrinsic::Abs),
        gradient |g, x, _y| g * x.less(&x.number(0.0)).select(&-x.number(1.0), &x.number(1.0));
    /// The angle in radians whose cosine is `x`.
    acos "acos" "tir_acos": float -> Same, |x| x.intrinsic(super::Intrinsic::Acos),
        gradient |g, x, _y| -(g / (1.0 - x * x).sqrt());
    /// The inverse of the hyperbolic cosine.
    acosh "acosh" "tir_acosh": float -> Same, |x| x.intrinsic(super::Intrinsic::Acosh),
        gradient |g, x, _y| g / (x * x - x.number(1.0)).sqrt();
    /// The angle in radians whose sine is `x`.
    asin "asin" "tir_asin": float -> Same, |x| x.intrinsic(super::Intrinsic::Asin),
        gradient |g, x, _y| g / (1.0 - x * x).sqrt();
    /// The inverse of the hyperbolic sine.
    asinh "asinh" "tir_asinh": float -> Same, |x| x.intrinsic(super::Intrinsic::Asinh),
        gradient |g, x, _y| g / (1.0 + x * x).sqrt();
    /// The angle in radians whose tangent is `x`.
    atan "atan" "tir_atan": float -> Same, |x| x.intrinsic(super::Intrinsic::Atan),
        gradient |g, x, _y| g / (1.0 + x * x);
    /// The inverse of the hyperbolic tangent.
    atanh "atanh" "tir_atanh": float -> Same, |x| x.intrinsic(super::Intrinsic::Atanh),
        gradient |g, x, _y| g / (1.0 - x * x);
    /// Every bit inverted; of a bool, its negation.
    bitwise_not "bitwise_not" "tir_bitwise_not" "T_bitwise_not": bits -> Same, |x| super::inverted(&x);
    /// The least integer that is not less; an integer stays itself.
    ceil "ceil" "tir_ceil": number -> Same, |x| super::rounded(&x, super::Intrinsic::Ceil);
    /// The cosine of `x` in radians.
    cos "cos" "tir_cos": float -> Same, |x| x.intrinsic(super::Intrinsic::Cos),
        gradient |g, x, _y| -g * x.sin();
    /// The hyperbolic cosine.
    cosh "cosh" "tir_cosh": float -> Same, |x| x.intrinsic(super::Intrinsic::Cosh),
        gradient |g, x, _y| g * x.sinh();
    /// The error function.
    erf "erf" "erf": float -> Same, |x| x.intrinsic(super::Intrinsic::Erf),
        gradient |g, x, _y| g * (std::f64::consts::FRAC_2_SQRT_PI * (-(x * x)).exp());
    /// e to the power of `x`.
    exp "exp" "tir_exp": float -> Same, |x| x.intrinsic(super::Intrinsic::Exp),
        gradient |g, _x, y| g * y;
    /// The greatest integer that is not greater; an integer stays itself.
    floor "floor" "tir_floor": number -> Same, |x| super::rounded(&x, super::Intrinsic::Floor);
    /// Whether the element is neither infinite nor NaN.
    isfinite "isfinite" "tir_isfinite": any -> Bool, |x| super::special(&x, super::Intrinsic::IsFinite, true);
    /// Whether the element is one of the two infinities.
    isinf "isinf" "tir_isinf": any -> Bool, |x| super::special(&x, super::Intrinsic::IsInf, false);
    /// Whether the element is NaN.
    isnan "isnan" "tir_isnan": any -> Bool, |x| super::special(&x, super::Intrinsic::IsNan, false);
    /// The natural logarithm.
    log "log" "tir_log": float -> Same, |x| x.intrinsic(super::Intrinsic::Log),
        gradient |g, x, _y| g / x;
    /// Whether the element is zero or false.
    logical_not "logical_not" "tir_logical_not" "T_logical_not": any -> Bool, |x| x.compare(super::CmpOp::Eq, 0);
    /// The negative; the least integer stays itself.
    negative "negative" "tir_negative": signed -> Same, |x| -&x,
        gradient |g, _x, _y| -g;
    /// The nearest integer, ties to even; an integer stays itself.
    round "round" "tir_round": number -> Same, |x| super::rounded(&x, super::Intrinsic::Round);
    /// One divided by the square root.
    rsqrt "rsqrt" "tir_rsqrt": float -> Same, |x| x.intrinsic(super::Intrinsic::Rsqrt),
        gradient |g, x, y| -0.5 * g * y / x;
    /// `1 / (1 + exp(-x))`.
    sigmoid "sigmoid" "tir_sigmoid": float -> Same, |x| x.intrinsic(super::Intrinsic::Sigmoid),
        gradient |g, _x, y| g * y * (1.0 - y);
    /// 1 for positive elements, -1 for negative ones; zero and NaN stay themselves.
    sign "sign" "tir_sign" "T_sign": number -> Same, |x| super::sign_of(&x);
    /// The sine of `x` in radians.
    sin "sin" "tir_sin": float -> Same, |x| x.intrinsic(super::Intrinsic::Sin),
        gradient |g, x, _y| g * x.cos();
    /// The hyperbolic sine.
    sinh "sinh" "tir_sinh": float -> Same, |x| x.intrinsic(super::Intrinsic::Sinh),
        gradient |g, x, _y| g * x.cosh();
    /// The square root, correctly rounded; NaN for negative numbers.
    sqrt "sqrt" "tir_sqrt": float -> Same, |x| x.intrinsic(super::Intrinsic::Sqrt),
        gradient |g, _x, y| 0.5 * g / y;
    /// The element multiplied by itself.
    square "square" "tir_square" "T_multiply": number -> Same, |x| &x * &x,
        gradient |g, x, _y| 2.0 * g * x;
    /// The tangent of `x` in radians.
    tan "tan" "tir_tan": float -> Same, |x| x.intrinsic(super::Intrinsic::Tan),
        gradient |g, _x, y| g * (1.0 + y * y);
    /// The hyperbolic tangent.
    tanh "tanh" "tir_tanh": float -> Same, |x| x.intrinsic(super::Intrinsic::Tanh),
        gradient |g, _x, y| g * (1.0 - y * y);
    /// The integer part; an integer stays itself.
    trunc "trunc" "tir_trunc": number -> Same, |x| super::rounded(&x, super::Intrinsic::Trunc);
}

/// A function that rounds: an integer is round.
fn rounded(x: &Value, how: Intrinsic) -> Value {
    if x.dtype().is_some_and(|dtype| !dtype.is_float()) { x.clone() } else { x.intrinsic(how) }
}

/// A question about what only floats can be: of all others the answer is known.
fn special(x: &Value, what: Intrinsic, of_others: bool) -> Value {
    match x.dtype() {
        Some(dtype) if !dtype.is_float() => tilewright_expr::Expr::bool(of_others).into(),
        _ => x.intrinsic(what),
    }
}

fn inverted(x: &Value) -> Value {
    match x.dtype() {
        Some(dtype) if dtype.is_bool() => x.compare(CmpOp::Eq, 0),
        _ => x.binary(BinOp::BitXor, -1),
    }
}

fn sign_of(x: &Value) -> Value {
    let number = |value: i64| x.dtype().map_or_else(|| x.clone(), |d| tilewright_expr::Expr::number(value, d).into());
    let signed = x.dtype().is_some_and(|d| d.is_signed() || d.is_float());
    let below = if signed { x.compare(CmpOp::Lt, 0).select(&number(-1), x) } else { x.clone() };
    x.compare(CmpOp::Gt, 0).select(&number(1), &below)
}
