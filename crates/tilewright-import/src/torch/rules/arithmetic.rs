//! Element by element: arithmetic, comparisons, logic.

use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{
    add, atan2, bitwise_and, bitwise_or, bitwise_xor, divide, equal, floor_divide, floor_mod, greater, greater_equal,
    left_shift, less, less_equal, logical_and, logical_or, logical_xor, maximum, minimum, multiply, not_equal, power,
    right_shift, subtract,
};
use tilewright_ops::create::full;
use tilewright_ops::unary::{
    abs, acos, acosh, asin, asinh, atan, atanh, bitwise_not, ceil, cos, cosh, erf, exp, floor, isfinite, isinf, isnan,
    log, logical_not, negative, round, rsqrt, sigmoid, sign, sin, sinh, sqrt, square, tan, tanh, trunc,
};
use tilewright_tensor::DataType;

use super::super::numbers::numbers;
use super::super::operands::binary;
use super::super::promotion::{as_bool, as_float, call_promoted, promoted, result_type};
use super::super::rule::Precision::{Float32ForNumbers, Float32ForRoundedFactors};
use super::super::rule::{Rule, binary as two, in_float32, real, rule, unary, with};
use crate::common::{Args, Cx, Number, Op, Refused, Res, Value};

pub const RULES: &[Rule] = &[
    rule("abs absolute", "input", absolute),
    rule("neg negative", "input", negative),
    rule("sign sgn", "input", sign),
    unary("isnan", &isnan::OP),
    unary("isinf", &isinf::OP),
    unary("isfinite", &isfinite::OP),
    unary("bitwise_not invert", &bitwise_not::OP),
    unary("logical_not", &logical_not::OP),
    unary("square", &square::OP),
    rule("signbit", "input", signbit),
    rule("copysign", "input, other", copysign),
    rule("ceil", "input", |cx, args| rounded(cx, args, &ceil::OP, f64::ceil)),
    rule("floor", "input", |cx, args| rounded(cx, args, &floor::OP, f64::floor)),
    rule("trunc fix", "input", |cx, args| rounded(cx, args, &trunc::OP, f64::trunc)),
    in_float32(rule("round", "input, decimals=0", round)),
    real("acos arccos", &acos::OP),
    real("acosh arccosh", &acosh::OP),
    real("asin arcsin", &asin::OP),
    real("asinh arcsinh", &asinh::OP),
    real("atan arctan", &atan::OP),
    real("atanh arctanh", &atanh::OP),
    real("cos", &cos::OP),
    real("cosh", &cosh::OP),
    real("erf", &erf::OP),
    real("exp", &exp::OP),
    real("log", &log::OP),
    real("rsqrt", &rsqrt::OP),
    real("sin", &sin::OP),
    real("sinh", &sinh::OP),
    real("sqrt", &sqrt::OP),
    real("tan", &tan::OP),
    real("tanh", &tanh::OP),
    real("sigmoid", &sigmoid::OP),
    in_float32(rule("exp2", "input", exp2)),
    in_float32(rule("log2", "input", |cx, args| logarithm(cx, args, std::f64::consts::LN_2))),
    in_float32(rule("log10", "input", |cx, args| logarithm(cx, args, std::f64::consts::LN_10))),
    in_float32(rule("log1p", "input", log1p)),
    in_float32(rule("expm1", "input", expm1)),
    in_float32(rule("reciprocal", "input", reciprocal)),
    with(Float32ForRoundedFactors, rule("add iadd __iadd__", "input, other, alpha=1", add)),
    with(Float32ForRoundedFactors, rule("sub subtract isub __isub__", "input, other, alpha=1", sub)),
    with(Float32ForRoundedFactors, rule("rsub", "input, other, alpha=1", rsub)),
    with(Float32ForNumbers("input other"), two("mul multiply imul __imul__", &multiply::OP)),
    with(
        Float32ForNumbers("other"),
        rule("div divide true_divide truediv itruediv", "input, other, rounding_mode=None", divide),
    ),
    with(Float32ForNumbers("other"), two("floor_divide floordiv ifloordiv", &floor_divide::OP)),
    two("remainder mod imod", &floor_mod::OP),
    rule("fmod", "input, other", fmod),
    // An exponent is rounded to the type of the base.
    rule("pow ipow", "input, other|exponent", power),
    rule("atan2 arctan2", "input, other", atan2),
    two("maximum", &maximum::OP),
    two("minimum", &minimum::OP),
    rule("fmax", "input, other", |cx, args| ignoring_nan(cx, args, &maximum::OP)),
    rule("fmin", "input, other", |cx, args| ignoring_nan(cx, args, &minimum::OP)),
    rule("frac", "input", |cx, args| {
        let x = cx.emit(args.tensor("input")?)?;
        cx.op(&subtract::OP, &[&x, &cx.call(&trunc::OP, &[&x], [])?])
    }),
    two("eq", &equal::OP),
    two("ne not_equal", &not_equal::OP),
    two("lt less", &less::OP),
    two("le less_equal", &less_equal::OP),
    two("gt greater", &greater::OP),
    two("ge greater_equal", &greater_equal::OP),
    rule("logical_and", "input, other", |cx, args| logical(cx, args, &logical_and::OP)),
    rule("logical_or", "input, other", |cx, args| logical(cx, args, &logical_or::OP)),
    rule("logical_xor", "input, other", |cx, args| logical(cx, args, &logical_xor::OP)),
    two("bitwise_and and_ iand __and__ __iand__", &bitwise_and::OP),
    two("bitwise_or or_ ior __or__ __ior__", &bitwise_or::OP),
    two("bitwise_xor xor ixor __xor__ __ixor__", &bitwise_xor::OP),
    two("bitwise_left_shift lshift ilshift __lshift__ __ilshift__", &left_shift::OP),
    two("bitwise_right_shift rshift irshift __rshift__ __irshift__", &right_shift::OP),
    rule("clamp clip", "input, min=None, max=None", clamp),
    rule("clamp_min", "input, min", clamp),
    rule("clamp_max", "input, max", clamp),
    rule("where", "condition, input|self=None, other=None", choose),
    rule("masked_fill", "input, mask, value", masked_fill),
    in_float32(rule("addcmul", "input, tensor1, tensor2, value=1", addcmul)),
    in_float32(rule("addcdiv", "input, tensor1, tensor2, value=1", addcdiv)),
    rule("nan_to_num", "input, nan=0.0, posinf=None, neginf=None", nan_to_num),
    in_float32(rule("lerp", "input, end, weight", lerp)),
];

/// `abs`, which of unsigned integers and bools is the identity.
fn absolute(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    if cx.dtype(&x)?.is_signed() || cx.dtype(&x)?.is_float() { cx.op(&abs::OP, &[&x]) } else { Ok(Value::Tensor(x)) }
}

fn negative(cx: &mut Cx<'_>, args: &Args) -> Res {
    match args.get("input") {
        Value::Tensor(x) => match cx.dtype(x)? {
            dtype if dtype.is_bool() => Err(Refused::new("bools have no negative")),
            dtype if dtype.is_float() || dtype.is_signed() => cx.op(&negative::OP, &[x]),
            dtype => call_promoted(cx, &subtract::OP, &Value::Tensor(cx.number(0i64, dtype)?), args.get("input"))
                .map(Value::Tensor),
        },
        number => numbers(cx, &subtract::OP, &Value::Int(0), number),
    }
}

/// The sign of NaN is 0.
fn sign(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    if cx.dtype(&x)?.is_bool() {
        return Ok(Value::Tensor(x));
    }
    let (sign, dtype) = (cx.call(&sign::OP, &[&x], [])?, cx.dtype(&x)?);
    if !dtype.is_float() {
        return Ok(Value::Tensor(sign));
    }
    cx.choose(&cx.call(&isnan::OP, &[&x], [])?, &cx.number(0.0, dtype)?, &sign).map(Value::Tensor)
}

/// Whether the sign bit is set; for zeros, whether the reciprocal is negative.
fn signbit(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    if cx.dtype(&x)?.is_bool() {
        return cx.op(&logical_xor::OP, &[&x, &x]);
    }
    let below = cx.with_number(&less::OP, &x, 0i64)?;
    if !cx.dtype(&x)?.is_float() {
        return Ok(Value::Tensor(below));
    }
    has_sign(cx, &x).map(Value::Tensor)
}

/// Whether floats are below 0, or zeros whose reciprocal is.
fn has_sign(cx: &Cx<'_>, x: &Expr) -> Res<Expr> {
    let below = cx.with_number(&less::OP, x, 0i64)?;
    let reciprocal = cx.call(&divide::OP, &[&cx.number(1.0, cx.dtype(x)?)?, x], [])?;
    cx.call(&logical_or::OP, &[&below, &cx.with_number(&less::OP, &reciprocal, 0.0)?], [])
}

/// The size of the first with the sign of the second, as floats.
fn copysign(cx: &mut Cx<'_>, args: &Args) -> Res {
    let dtype = result_type(cx, args.get("input"), args.get("other"))?;
    let dtype = if dtype.is_float() { dtype } else { DataType::F32 };
    let (x, sign) = (cx.operand(args.get("input"), dtype)?, cx.operand(args.get("other"), dtype)?);
    let (size, sign) = (cx.call(&abs::OP, &[&x], [])?, cx.emit(sign)?);
    let size = cx.emit(size)?;
    let negative = cx.call(&negative::OP, &[&size], [])?;
    cx.choose(&has_sign(cx, &sign)?, &negative, &size).map(Value::Tensor)
}

/// A number by a function of Rust, tensors by the operator.
fn rounded(cx: &Cx<'_>, args: &Args, op: Op, of_number: fn(f64) -> f64) -> Res {
    match args.get("input") {
        Value::Float(x) => Ok(Value::Int(of_number(*x) as i64)),
        Value::Int(x) => Ok(Value::Int(*x)),
        _ => cx.op(op, &[&args.tensor("input")?]),
    }
}

fn round(cx: &mut Cx<'_>, args: &Args) -> Res {
    let decimals = args.int("decimals")?;
    if decimals == 0 {
        return rounded(cx, args, &round::OP, f64::round_ties_even);
    }
    let (x, scale) = (args.tensor("input")?, 10f64.powi(decimals.unsigned_abs().min(300) as i32));
    let (up, down): (Op, Op) = if decimals > 0 { (&multiply::OP, &divide::OP) } else { (&divide::OP, &multiply::OP) };
    let scaled = cx.with_number(up, &x, scale)?;
    cx.with_number(down, &cx.call(&round::OP, &[&scaled], [])?, scale).map(Value::Tensor)
}

fn exp2(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = as_float(cx, &args.tensor("input")?)?;
    let two = cx.number(2.0, cx.dtype(&x)?)?;
    cx.op(&power::OP, &[&two, &x])
}

fn logarithm(cx: &Cx<'_>, args: &Args, of_base: f64) -> Res {
    let x = cx.call(&log::OP, &[&as_float(cx, &args.tensor("input")?)?], [])?;
    cx.with_number(&divide::OP, &x, of_base).map(Value::Tensor)
}

fn log1p(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = as_float(cx, &args.tensor("input")?)?;
    log_of_one_and(cx, &x).map(Value::Tensor)
}

/// `log(u) * x / (u - 1)` with `u = 1 + x`, in which the rounding of `u` cancels (Kahan, in HP's advanced functions
/// handbook of 1982); `x` where `u` is 1, and `log(u)` where it is infinite.
pub fn log_of_one_and(cx: &mut Cx<'_>, x: &Expr) -> Res<Expr> {
    let x = cx.emit(x.clone())?;
    let u = cx.emit(cx.with_number(&add::OP, &x, 1.0)?)?;
    let log = cx.emit(cx.call(&log::OP, &[&u], [])?)?;
    let quotient = cx.call(&divide::OP, &[&x, &cx.with_number(&subtract::OP, &u, 1.0)?], [])?;
    let exact = cx.call(&multiply::OP, &[&log, &quotient], [])?;
    let plain = cx.call(&isfinite::OP, &[&log], [])?;
    let exact = cx.choose(&plain, &exact, &log)?;
    cx.choose(&cx.with_number(&equal::OP, &u, 1.0)?, &x, &exact)
}

/// `2 t / (1 - t)` with `t = tanh(x / 2)` near 0, where `exp(x) - 1` would lose its digits.
fn expm1(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(as_float(cx, &args.tensor("input")?)?)?;
    let half = cx.with_number(&multiply::OP, &x, 0.5)?;
    let t = cx.emit(cx.call(&tanh::OP, &[&half], [])?)?;
    let one = cx.number(1.0, cx.dtype(&x)?)?;
    let below = cx.call(&subtract::OP, &[&one, &t], [])?;
    let near = cx.call(&divide::OP, &[&cx.with_number(&multiply::OP, &t, 2.0)?, &below], [])?;
    let far = cx.with_number(&subtract::OP, &cx.call(&exp::OP, &[&x], [])?, 1.0)?;
    let is_near = cx.with_number(&less::OP, &cx.call(&abs::OP, &[&x], [])?, 0.5)?;
    cx.choose(&is_near, &near, &far).map(Value::Tensor)
}

fn reciprocal(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = as_float(cx, &args.tensor("input")?)?;
    let one = cx.number(1.0, cx.dtype(&x)?)?;
    cx.op(&divide::OP, &[&one, &x])
}

/// The operand times `alpha`.
fn times(cx: &mut Cx<'_>, x: &Value, alpha: &Value) -> Res {
    match alpha {
        Value::Int(1) => Ok(x.clone()),
        alpha => binary(cx, &multiply::OP, x, alpha),
    }
}

fn add(cx: &mut Cx<'_>, args: &Args) -> Res {
    if let (Value::List(a), Value::List(b)) = (args.get("input"), args.get("other")) {
        return Ok(Value::List([a.as_slice(), b.as_slice()].concat()));
    }
    let other = times(cx, args.get("other"), args.get("alpha"))?;
    binary(cx, &add::OP, args.get("input"), &other)
}

fn sub(cx: &mut Cx<'_>, args: &Args) -> Res {
    let other = times(cx, args.get("other"), args.get("alpha"))?;
    binary(cx, &subtract::OP, args.get("input"), &other)
}

fn rsub(cx: &mut Cx<'_>, args: &Args) -> Res {
    let input = times(cx, args.get("input"), args.get("alpha"))?;
    binary(cx, &subtract::OP, args.get("other"), &input)
}

/// Powers of integers, which wrap as products do: by squaring, one step for each bit of the exponent. Where that is
/// negative, the power of 1 is 1, that of -1 is 1 or -1, and all others are 0.
fn integer_power(cx: &mut Cx<'_>, base: &Value, exponent: &Value, dtype: DataType) -> Res<Expr> {
    let kind = if dtype.is_bool() { DataType::U8 } else { dtype };
    let x = cx.operand(base, kind)?;
    let x = cx.emit(x)?;
    let known = Number::of(exponent).map(|number| number.as_i64());
    let by = cx.operand(exponent, kind)?;
    let by = cx.emit(by)?;
    let bits = u32::from(kind.bits) - u32::from(kind.is_signed());
    let (mut power, mut factor) = (cx.number(1i64, kind)?, x.clone());
    for bit in 0..bits.min(63) {
        let left = known.map(|known| known.max(0) >> bit);
        if left == Some(0) {
            break;
        }
        if left.is_none_or(|left| left & 1 == 1) {
            let product = cx.call(&multiply::OP, &[&power, &factor], [])?;
            power = match left {
                Some(_) => cx.emit(product)?,
                None => {
                    let bit = cx.with_number(&bitwise_and::OP, &by, 1i64 << bit)?;
                    let is_set = cx.with_number(&not_equal::OP, &bit, 0i64)?;
                    let chosen = cx.choose(&is_set, &product, &power)?;
                    cx.emit(chosen)?
                }
            };
        }
        let squared = cx.call(&multiply::OP, &[&factor, &factor], [])?;
        factor = cx.emit(squared)?;
    }
    if kind.is_signed() && known.is_none_or(|known| known < 0) {
        power = of_negative_exponent(cx, &x, &by, &power)?;
    }
    if known == Some(0) {
        // Of the shape of the base.
        power = cx.call(&full::OP, &[&Expr::shape(cx.shape(&x)?), &power], [])?;
    }
    cx.astype(&power, dtype)
}

/// The powers of integers, those of negative exponents put in.
fn of_negative_exponent(cx: &Cx<'_>, x: &Expr, by: &Expr, power: &Expr) -> Res<Expr> {
    let number = |value: i64| cx.number(value, cx.dtype(x)?);
    let is_odd = cx.with_number(&not_equal::OP, &cx.with_number(&bitwise_and::OP, by, 1i64)?, 0i64)?;
    let of_minus_one = cx.choose(&is_odd, &number(-1)?, &number(1)?)?;
    let of_others = cx.choose(&cx.with_number(&equal::OP, x, -1i64)?, &of_minus_one, &number(0)?)?;
    let found = cx.choose(&cx.with_number(&equal::OP, x, 1i64)?, &number(1)?, &of_others)?;
    cx.choose(&cx.with_number(&less::OP, by, 0i64)?, &found, power)
}

/// Both operands as floats, if one of them is a tensor.
fn reals(cx: &Cx<'_>, a: &Value, b: &Value) -> Res<(Expr, Expr)> {
    let common = result_type(cx, a, b)?;
    let dtype = if common.is_float() { common } else { DataType::F32 };
    Ok((cx.operand(a, dtype)?, cx.operand(b, dtype)?))
}

fn divide(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (a, b) = (args.get("input"), args.get("other"));
    let tensors = matches!((a, b), (Value::Tensor(_), _) | (_, Value::Tensor(_)));
    match args.get("rounding_mode") {
        Value::Str(mode) if mode == "floor" => binary(cx, &floor_divide::OP, a, b),
        Value::Str(mode) if mode == "trunc" && tensors => {
            let quotient = call_promoted(cx, &divide::OP, a, b)?;
            if cx.dtype(&quotient)?.is_float() { cx.op(&trunc::OP, &[&quotient]) } else { Ok(Value::Tensor(quotient)) }
        }
        Value::None if tensors => {
            let (a, b) = reals(cx, a, b)?;
            let [a, b] = cx.broadcastable([a, b])?;
            cx.op(&divide::OP, &[&a, &b])
        }
        Value::None => numbers(cx, &divide::OP, a, b),
        other => Err(Refused(format!("`rounding_mode` is \"floor\" or \"trunc\", found {}", other.in_words()))),
    }
}

/// The remainder with the sign of the dividend: `a - trunc(a / b) * b`, by way of the one with the divisor's sign: of
/// floats the remainder of their sizes; an integer may have no size, so that the divisor is taken off where the signs
/// of operands differ.
fn fmod(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (a, b) = promoted(cx, args.get("input"), args.get("other"))?;
    let (a, dtype) = (cx.emit(a)?, cx.dtype(&b)?);
    if !dtype.is_float() && !dtype.is_signed() {
        return cx.op(&floor_mod::OP, &[&a, &b]);
    }
    let below = cx.with_number(&less::OP, &a, 0i64)?;
    if !dtype.is_float() {
        let rest = cx.emit(cx.call(&floor_mod::OP, &[&a, &b], [])?)?;
        let differ = cx.call(&not_equal::OP, &[&below, &cx.with_number(&less::OP, &b, 0i64)?], [])?;
        let some = cx.with_number(&not_equal::OP, &rest, 0i64)?;
        let moved = cx.call(&subtract::OP, &[&rest, &b], [])?;
        return cx.choose(&cx.call(&logical_and::OP, &[&differ, &some], [])?, &moved, &rest).map(Value::Tensor);
    }
    let (size, divisor) = (cx.call(&abs::OP, &[&a], [])?, cx.call(&abs::OP, &[&b], [])?);
    let rest = cx.emit(cx.call(&floor_mod::OP, &[&size, &divisor], [])?)?;
    let negative = cx.call(&negative::OP, &[&rest], [])?;
    cx.choose(&below, &negative, &rest).map(Value::Tensor)
}

/// Small whole exponents are products.
fn power(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (base, exponent) = (args.get("input"), args.get("other"));
    if let (Value::Tensor(x), Some(exponent)) = (base, Number::of(exponent))
        && let dtype = cx.dtype(x)?
        && (dtype.is_float() || !matches!(exponent, Number::Float(_)))
    {
        match exponent.as_f64() {
            1.0 => return Ok(base.clone()),
            2.0 => return cx.op(&square::OP, &[x]),
            3.0 => {
                let x = cx.emit(x.clone())?;
                return cx.op(&multiply::OP, &[&cx.call(&square::OP, &[&x], [])?, &x]);
            }
            0.5 if dtype.is_float() => return cx.op(&sqrt::OP, &[x]),
            -0.5 if dtype.is_float() => return cx.op(&rsqrt::OP, &[x]),
            _ => {}
        }
    }
    if matches!((base, exponent), (Value::Tensor(_), _) | (_, Value::Tensor(_)))
        && !result_type(cx, base, exponent)?.is_float()
    {
        let dtype = result_type(cx, base, exponent)?;
        return integer_power(cx, base, exponent, dtype).map(Value::Tensor);
    }
    binary(cx, &power::OP, base, exponent)
}

/// The extreme of two numbers; a NaN only where both are.
fn ignoring_nan(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res {
    let (a, b) = promoted(cx, args.get("input"), args.get("other"))?;
    let (a, b) = (cx.emit(a)?, cx.emit(b)?);
    let extreme = cx.call(op, &[&a, &b], [])?;
    if !cx.dtype(&a)?.is_float() {
        return Ok(Value::Tensor(extreme));
    }
    let without_b = cx.choose(&cx.call(&isnan::OP, &[&b], [])?, &a, &extreme)?;
    cx.choose(&cx.call(&isnan::OP, &[&a], [])?, &b, &without_b).map(Value::Tensor)
}

fn atan2(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (a, b) = reals(cx, args.get("input"), args.get("other"))?;
    cx.op(&atan2::OP, &[&a, &b])
}

fn logical(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res {
    let (a, b) = (as_bool(cx, &args.tensor("input")?)?, as_bool(cx, &args.tensor("other")?)?);
    cx.op(op, &[&a, &b])
}

fn clamp(cx: &mut Cx<'_>, args: &Args) -> Res {
    let mut x = args.get("input").clone();
    for (bound, op) in [("min", &maximum::OP), ("max", &minimum::OP)] {
        if args.has(bound) {
            x = binary(cx, op, &x, args.get(bound))?;
        }
    }
    Ok(x)
}

fn choose(cx: &mut Cx<'_>, args: &Args) -> Res {
    let condition = as_bool(cx, &args.tensor("condition")?)?;
    if !args.has("input") && !args.has("other") {
        return super::masks::indices_by_dimension(cx, &condition);
    }
    let (a, b) = (args.get("input"), args.get("other"));
    let dtype = result_type(cx, a, b)?;
    cx.choose(&condition, &cx.operand(a, dtype)?, &cx.operand(b, dtype)?).map(Value::Tensor)
}

fn masked_fill(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, mask) = (args.tensor("input")?, as_bool(cx, &args.tensor("mask")?)?);
    let value = cx.operand(args.get("value"), cx.dtype(&x)?)?;
    cx.choose(&mask, &value, &x).map(Value::Tensor)
}

fn addcmul(cx: &mut Cx<'_>, args: &Args) -> Res {
    let product = binary(cx, &multiply::OP, args.get("tensor1"), args.get("tensor2"))?;
    let product = times(cx, &product, args.get("value"))?;
    binary(cx, &add::OP, args.get("input"), &product)
}

fn addcdiv(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (a, b) = reals(cx, args.get("tensor1"), args.get("tensor2"))?;
    let quotient = times(cx, &Value::Tensor(cx.call(&divide::OP, &[&a, &b], [])?), args.get("value"))?;
    binary(cx, &add::OP, args.get("input"), &quotient)
}

fn lerp(cx: &mut Cx<'_>, args: &Args) -> Res {
    let start = Value::Tensor(cx.emit(args.tensor("input")?)?);
    let way = binary(cx, &subtract::OP, args.get("end"), &start)?;
    let part = binary(cx, &multiply::OP, args.get("weight"), &way)?;
    binary(cx, &add::OP, &start, &part)
}

/// NaN and the infinities as numbers: where none are said, 0 and the ends of the data type's range.
fn nan_to_num(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let dtype = cx.dtype(&x)?;
    let largest = match dtype {
        DataType::F64 => f64::MAX,
        DataType::F32 => f64::from(f32::MAX),
        DataType::F16 => f64::from(half::f16::MAX),
        DataType::BF16 => f64::from(half::bf16::MAX),
        // Integers are numbers all.
        _ => return Ok(Value::Tensor(x)),
    };
    let end = |name: &str, usual: f64| if args.has(name) { args.float(name) } else { Ok(usual) };
    let mut found = x.clone();
    for (infinity, end) in [(f64::INFINITY, end("posinf", largest)?), (f64::NEG_INFINITY, end("neginf", -largest)?)] {
        let there = cx.with_number(&equal::OP, &x, infinity)?;
        found = cx.choose(&there, &cx.number(end, dtype)?, &found)?;
    }
    cx.choose(&cx.call(&isnan::OP, &[&x], [])?, &cx.number(end("nan", 0.0)?, dtype)?, &found).map(Value::Tensor)
}
