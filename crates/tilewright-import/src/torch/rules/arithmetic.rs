//! Element by element: arithmetic, comparisons, logic.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::Expr;
use tilewright_tensor::DataType;

use super::super::args::Args;
use super::super::cx::{Cx, Number};
use super::super::value::{Refused, Res, Value};
use super::{Rule, binary as two, real, rule, unary};

pub const RULES: &[Rule] = &[
    rule("abs absolute", "input", absolute),
    rule("neg negative", "input", negative),
    rule("sign sgn", "input", sign),
    unary("isnan", "isnan"),
    unary("isinf", "isinf"),
    unary("isfinite", "isfinite"),
    unary("bitwise_not invert", "bitwise_not"),
    unary("logical_not", "logical_not"),
    unary("square", "square"),
    rule("signbit", "input", signbit),
    rule("ceil", "input", |cx, args| rounded(cx, args, "ceil")),
    rule("floor", "input", |cx, args| rounded(cx, args, "floor")),
    rule("trunc fix", "input", |cx, args| rounded(cx, args, "trunc")),
    rule("round", "input, decimals=0", round),
    real("acos arccos", "acos"),
    real("acosh arccosh", "acosh"),
    real("asin arcsin", "asin"),
    real("asinh arcsinh", "asinh"),
    real("atan arctan", "atan"),
    real("atanh arctanh", "atanh"),
    real("cos", "cos"),
    real("cosh", "cosh"),
    real("erf", "erf"),
    real("exp", "exp"),
    real("log", "log"),
    real("rsqrt", "rsqrt"),
    real("sin", "sin"),
    real("sinh", "sinh"),
    real("sqrt", "sqrt"),
    real("tan", "tan"),
    real("tanh", "tanh"),
    real("sigmoid", "sigmoid"),
    rule("exp2", "input", exp2),
    rule("log2", "input", |cx, args| logarithm(cx, args, std::f64::consts::LN_2)),
    rule("log10", "input", |cx, args| logarithm(cx, args, std::f64::consts::LN_10)),
    rule("log1p", "input", log1p),
    rule("expm1", "input", expm1),
    rule("reciprocal", "input", reciprocal),
    rule("add iadd __iadd__", "input, other, alpha=1", add),
    rule("sub subtract isub __isub__", "input, other, alpha=1", sub),
    rule("rsub", "input, other, alpha=1", rsub),
    two("mul multiply imul __imul__", "multiply"),
    rule("div divide true_divide truediv itruediv", "input, other, rounding_mode=None", divide),
    two("floor_divide floordiv ifloordiv", "floor_divide"),
    two("remainder mod imod", "floor_mod"),
    rule("fmod", "input, other", fmod),
    rule("pow ipow", "input, other|exponent", power),
    rule("atan2 arctan2", "input, other", atan2),
    two("maximum", "maximum"),
    two("minimum", "minimum"),
    rule("fmax", "input, other", |cx, args| beside_nan(cx, args, "maximum")),
    rule("fmin", "input, other", |cx, args| beside_nan(cx, args, "minimum")),
    rule("frac", "input", |cx, args| {
        let x = cx.emit(args.tensor("input")?)?;
        cx.op("subtract", &[&x, &cx.call("trunc", &[&x], [])?])
    }),
    two("eq", "equal"),
    two("ne not_equal", "not_equal"),
    two("lt less", "less"),
    two("le less_equal", "less_equal"),
    two("gt greater", "greater"),
    two("ge greater_equal", "greater_equal"),
    rule("logical_and", "input, other", |cx, args| logical(cx, args, "logical_and")),
    rule("logical_or", "input, other", |cx, args| logical(cx, args, "logical_or")),
    rule("logical_xor", "input, other", |cx, args| logical(cx, args, "logical_xor")),
    two("bitwise_and and_ iand __and__ __iand__", "bitwise_and"),
    two("bitwise_or or_ ior __or__ __ior__", "bitwise_or"),
    two("bitwise_xor xor ixor __xor__ __ixor__", "bitwise_xor"),
    two("bitwise_left_shift lshift ilshift __lshift__ __ilshift__", "left_shift"),
    two("bitwise_right_shift rshift irshift __rshift__ __irshift__", "right_shift"),
    rule("clamp clip", "input, min=None, max=None", clamp),
    rule("clamp_min", "input, min", clamp),
    rule("clamp_max", "input, max", clamp),
    rule("where", "condition, input|self=None, other=None", choose),
    rule("masked_fill", "input, mask, value", masked_fill),
    rule("addcmul", "input, tensor1, tensor2, value=1", addcmul),
    rule("addcdiv", "input, tensor1, tensor2, value=1", addcdiv),
    rule("nan_to_num", "input, nan=0.0, posinf=None, neginf=None", nan_to_num),
    rule("lerp", "input, end, weight", lerp),
];

/// An operator of two operands: of tensors, or of numbers as Python has it.
pub fn binary(cx: &mut Cx<'_>, op: &str, a: &Value, b: &Value) -> Res {
    if !matches!((a, b), (Value::Tensor(_), _) | (_, Value::Tensor(_))) {
        return numbers(cx, op, a, b);
    }
    if ["left_shift", "right_shift", "bitwise_and", "bitwise_or", "bitwise_xor"].contains(&op)
        && cx.common(a, b)?.is_float()
    {
        return Err(Refused::new("floats have no bits to work on"));
    }
    if op == "subtract" && cx.common(a, b)?.is_bool() {
        return Err(Refused::new("bools cannot be subtracted"));
    }
    let (a, b) = cx.matched(a, b)?;
    // Bools add and multiply as truth values do.
    let op = match (op, cx.dtype(&a)?.is_bool()) {
        ("add" | "maximum", true) => "logical_or",
        ("multiply" | "minimum", true) => "logical_and",
        _ => op,
    };
    let [a, b] = cx.widened([a, b])?;
    cx.op(op, &[&a, &b])
}

/// Python's own arithmetic, of constants and of symbolic dimensions.
fn numbers(cx: &Cx<'_>, op: &str, a: &Value, b: &Value) -> Res {
    if let (Some(x), Some(y)) = (a.as_scalar(), b.as_scalar()) {
        let op = match op {
            "add" => BinOp::Add,
            "subtract" => BinOp::Sub,
            "multiply" => BinOp::Mul,
            "floor_divide" => BinOp::FloorDiv,
            "floor_mod" => BinOp::FloorMod,
            "maximum" => BinOp::Max,
            "minimum" => BinOp::Min,
            "divide" if x.as_int().is_some() && y.as_int().is_some() => return of_floats(op, a, b),
            "power" if y.as_int().is_some_and(|exponent| (0..64).contains(&exponent)) => {
                let product = (0..y.as_int().unwrap_or(0)).fold(scalar::Expr::i64(1), |product, _| product * x.clone());
                return Ok(Value::int(cx.simplified(&product)));
            }
            _ => return compared(cx, op, &x, &y),
        };
        if matches!(op, BinOp::FloorDiv | BinOp::FloorMod) && y.as_int() == Some(0) {
            return Err(Refused::new("division by zero"));
        }
        return Ok(Value::int(cx.integer(op, &x, &y)?));
    }
    of_floats(op, a, b)
}

/// A comparison of integers that is known now.
fn compared(cx: &Cx<'_>, op: &str, x: &scalar::Expr, y: &scalar::Expr) -> Res {
    use tilewright_expr::CmpOp;
    let comparison = match op {
        "equal" => CmpOp::Eq,
        "not_equal" => CmpOp::Ne,
        "less" => CmpOp::Lt,
        "less_equal" => CmpOp::Le,
        "greater" => CmpOp::Gt,
        "greater_equal" => CmpOp::Ge,
        _ => return Err(Refused(format!("`{op}` of symbolic dimensions has no rule"))),
    };
    let known = cx.bb.infer_cx().analyzer.decide(comparison, x, y);
    known.map(Value::Bool).ok_or_else(|| Refused::new("what it compares depends on symbolic dimensions"))
}

fn of_floats(op: &str, a: &Value, b: &Value) -> Res {
    let (Some(x), Some(y)) = (Number::of(a), Number::of(b)) else {
        return Err(Refused(format!("`{op}` of {} and {} has no rule", a.in_words(), b.in_words())));
    };
    let (x, y) = (x.as_f64(), y.as_f64());
    Ok(match op {
        "add" => Value::Float(x + y),
        "subtract" => Value::Float(x - y),
        "multiply" => Value::Float(x * y),
        "divide" if y == 0.0 => return Err(Refused::new("division by zero")),
        "divide" => Value::Float(x / y),
        "power" => Value::Float(x.powf(y)),
        "equal" => Value::Bool(x == y),
        "not_equal" => Value::Bool(x != y),
        "less" => Value::Bool(x < y),
        "less_equal" => Value::Bool(x <= y),
        "greater" => Value::Bool(x > y),
        "greater_equal" => Value::Bool(x >= y),
        _ => return Err(Refused(format!("`{op}` of numbers has no rule"))),
    })
}

/// The operator of one operand, of tensors; of numbers it is 0 minus or a like one.
fn absolute(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    if cx.dtype(&x)?.is_signed() || cx.dtype(&x)?.is_float() { cx.op("abs", &[&x]) } else { Ok(Value::Tensor(x)) }
}

fn negative(cx: &mut Cx<'_>, args: &Args) -> Res {
    match args.get("input") {
        Value::Tensor(x) => match cx.dtype(x)? {
            dtype if dtype.is_bool() => Err(Refused::new("bools have no negative")),
            dtype if dtype.is_float() || dtype.is_signed() => cx.op("negative", &[x]),
            dtype => {
                cx.binary("subtract", &Value::Tensor(cx.number(0i64, dtype)?), args.get("input")).map(Value::Tensor)
            }
        },
        number => numbers(cx, "subtract", &Value::Int(0), number),
    }
}

/// The sign of NaN is 0.
fn sign(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    if cx.dtype(&x)?.is_bool() {
        return Ok(Value::Tensor(x));
    }
    let (sign, dtype) = (cx.call("sign", &[&x], [])?, cx.dtype(&x)?);
    if !dtype.is_float() {
        return Ok(Value::Tensor(sign));
    }
    cx.choose(&cx.call("isnan", &[&x], [])?, &cx.number(0.0, dtype)?, &sign).map(Value::Tensor)
}

/// Whether there is a minus sign, which a zero shows by its reciprocal.
fn signbit(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    if cx.dtype(&x)?.is_bool() {
        return cx.op("logical_xor", &[&x, &x]);
    }
    let below = cx.with_number("less", &x, 0i64)?;
    if !cx.dtype(&x)?.is_float() {
        return Ok(Value::Tensor(below));
    }
    let reciprocal = cx.call("divide", &[&cx.number(1.0, cx.dtype(&x)?)?, &x], [])?;
    cx.op("logical_or", &[&below, &cx.with_number("less", &reciprocal, 0.0)?])
}

/// A function of a real number that Python works out.
pub fn real_of_number(op: &str, x: f64) -> Res {
    let found = match op {
        "sqrt" => x.sqrt(),
        "exp" => x.exp(),
        "log" => x.ln(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "tanh" => x.tanh(),
        _ => return Err(Refused(format!("`{op}` of a number has no rule"))),
    };
    if found.is_finite() { Ok(Value::Float(found)) } else { Err(Refused(format!("`{op}` of {x} is no number"))) }
}

fn rounded(cx: &Cx<'_>, args: &Args, op: &str) -> Res {
    match (args.get("input"), op) {
        (Value::Float(x), "ceil") => return Ok(Value::Int(x.ceil() as i64)),
        (Value::Float(x), "floor") => return Ok(Value::Int(x.floor() as i64)),
        (Value::Float(x), "trunc") => return Ok(Value::Int(*x as i64)),
        (Value::Int(x), _) => return Ok(Value::Int(*x)),
        _ => {}
    }
    cx.op(op, &[&args.tensor("input")?])
}

fn round(cx: &mut Cx<'_>, args: &Args) -> Res {
    let decimals = args.int("decimals")?;
    if decimals == 0 {
        return rounded(cx, args, "round");
    }
    let (x, scale) = (args.tensor("input")?, 10f64.powi(decimals.unsigned_abs().min(300) as i32));
    let (up, down) = if decimals > 0 { ("multiply", "divide") } else { ("divide", "multiply") };
    let scaled = cx.with_number(up, &x, scale)?;
    cx.with_number(down, &cx.call("round", &[&scaled], [])?, scale).map(Value::Tensor)
}

fn exp2(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.real(&args.tensor("input")?)?;
    let two = cx.number(2.0, cx.dtype(&x)?)?;
    cx.op("power", &[&two, &x])
}

fn logarithm(cx: &Cx<'_>, args: &Args, of_base: f64) -> Res {
    let x = cx.call("log", &[&cx.real(&args.tensor("input")?)?], [])?;
    cx.with_number("divide", &x, of_base).map(Value::Tensor)
}

fn log1p(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.real(&args.tensor("input")?)?;
    log_of_one_and(cx, &x).map(Value::Tensor)
}

/// `log(u) * x / (u - 1)` with `u = 1 + x`, in which the rounding of `u` cancels (Kahan, in HP's advanced functions
/// handbook of 1982); `x` where `u` is 1, and `log(u)` where it is infinite.
pub fn log_of_one_and(cx: &mut Cx<'_>, x: &Expr) -> Res<Expr> {
    let x = cx.emit(x.clone())?;
    let u = cx.emit(cx.with_number("add", &x, 1.0)?)?;
    let log = cx.emit(cx.call("log", &[&u], [])?)?;
    let quotient = cx.call("divide", &[&x, &cx.with_number("subtract", &u, 1.0)?], [])?;
    let exact = cx.call("multiply", &[&log, &quotient], [])?;
    let plain = cx.call("isfinite", &[&log], [])?;
    let exact = cx.choose(&plain, &exact, &log)?;
    cx.choose(&cx.with_number("equal", &u, 1.0)?, &x, &exact)
}

/// `2 t / (1 - t)` with `t = tanh(x / 2)` near 0, where `exp(x) - 1` would lose its digits.
fn expm1(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(cx.real(&args.tensor("input")?)?)?;
    let half = cx.with_number("multiply", &x, 0.5)?;
    let t = cx.emit(cx.call("tanh", &[&half], [])?)?;
    let one = cx.number(1.0, cx.dtype(&x)?)?;
    let below = cx.call("subtract", &[&one, &t], [])?;
    let near = cx.call("divide", &[&cx.with_number("multiply", &t, 2.0)?, &below], [])?;
    let far = cx.with_number("subtract", &cx.call("exp", &[&x], [])?, 1.0)?;
    let is_near = cx.with_number("less", &cx.call("abs", &[&x], [])?, 0.5)?;
    cx.choose(&is_near, &near, &far).map(Value::Tensor)
}

fn reciprocal(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.real(&args.tensor("input")?)?;
    let one = cx.number(1.0, cx.dtype(&x)?)?;
    cx.op("divide", &[&one, &x])
}

/// The operand times `alpha`.
fn times(cx: &mut Cx<'_>, x: &Value, alpha: &Value) -> Res {
    match alpha {
        Value::Int(1) => Ok(x.clone()),
        alpha => binary(cx, "multiply", x, alpha),
    }
}

fn add(cx: &mut Cx<'_>, args: &Args) -> Res {
    if let (Value::List(a), Value::List(b)) = (args.get("input"), args.get("other")) {
        return Ok(Value::List([a.as_slice(), b.as_slice()].concat()));
    }
    let other = times(cx, args.get("other"), args.get("alpha"))?;
    binary(cx, "add", args.get("input"), &other)
}

fn sub(cx: &mut Cx<'_>, args: &Args) -> Res {
    let other = times(cx, args.get("other"), args.get("alpha"))?;
    binary(cx, "subtract", args.get("input"), &other)
}

fn rsub(cx: &mut Cx<'_>, args: &Args) -> Res {
    let input = times(cx, args.get("input"), args.get("alpha"))?;
    binary(cx, "subtract", args.get("other"), &input)
}

/// Both operands as floats, if one of them is a tensor.
fn reals(cx: &Cx<'_>, a: &Value, b: &Value) -> Res<(Expr, Expr)> {
    let common = cx.common(a, b)?;
    let dtype = if common.is_float() { common } else { DataType::F32 };
    Ok((cx.operand(a, dtype)?, cx.operand(b, dtype)?))
}

fn divide(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (a, b) = (args.get("input"), args.get("other"));
    let tensors = matches!((a, b), (Value::Tensor(_), _) | (_, Value::Tensor(_)));
    match args.get("rounding_mode") {
        Value::Str(mode) if mode == "floor" => binary(cx, "floor_divide", a, b),
        Value::Str(mode) if mode == "trunc" && tensors => {
            let quotient = cx.binary("divide", a, b)?;
            if cx.dtype(&quotient)?.is_float() { cx.op("trunc", &[&quotient]) } else { Ok(Value::Tensor(quotient)) }
        }
        Value::None if tensors => {
            let (a, b) = reals(cx, a, b)?;
            let [a, b] = cx.widened([a, b])?;
            cx.op("divide", &[&a, &b])
        }
        Value::None => numbers(cx, "divide", a, b),
        other => Err(Refused(format!("`rounding_mode` is \"floor\" or \"trunc\", found {}", other.in_words()))),
    }
}

/// The remainder with the sign of the dividend: `a - trunc(a / b) * b`, by way of the one with the divisor's sign.
fn fmod(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (a, b) = cx.matched(args.get("input"), args.get("other"))?;
    let (a, dtype) = (cx.emit(a)?, cx.dtype(&b)?);
    if !dtype.is_float() && !dtype.is_signed() {
        return cx.op("floor_mod", &[&a, &b]);
    }
    let (size, divisor) = (cx.call("abs", &[&a], [])?, cx.call("abs", &[&b], [])?);
    let rest = cx.emit(cx.call("floor_mod", &[&size, &divisor], [])?)?;
    let below = cx.with_number("less", &a, 0i64)?;
    let negative = cx.call("negative", &[&rest], [])?;
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
            2.0 => return cx.op("square", &[x]),
            3.0 => {
                let x = cx.emit(x.clone())?;
                return cx.op("multiply", &[&cx.call("square", &[&x], [])?, &x]);
            }
            0.5 if dtype.is_float() => return cx.op("sqrt", &[x]),
            -0.5 if dtype.is_float() => return cx.op("rsqrt", &[x]),
            _ => {}
        }
    }
    if matches!((base, exponent), (Value::Tensor(_), _) | (_, Value::Tensor(_)))
        && !cx.common(base, exponent)?.is_float()
    {
        // Whole numbers by way of float64, which holds powers up to 2^53.
        let dtype = cx.common(base, exponent)?;
        let (a, b) = (cx.operand(base, DataType::F64)?, cx.operand(exponent, DataType::F64)?);
        let power = cx.call("power", &[&a, &b], [])?;
        return cx.astype(&power, dtype).map(Value::Tensor);
    }
    binary(cx, "power", base, exponent)
}

/// The extreme of two, which a NaN is not if there is a number beside it.
fn beside_nan(cx: &mut Cx<'_>, args: &Args, op: &str) -> Res {
    let (a, b) = cx.matched(args.get("input"), args.get("other"))?;
    let (a, b) = (cx.emit(a)?, cx.emit(b)?);
    let extreme = cx.call(op, &[&a, &b], [])?;
    if !cx.dtype(&a)?.is_float() {
        return Ok(Value::Tensor(extreme));
    }
    let without_b = cx.choose(&cx.call("isnan", &[&b], [])?, &a, &extreme)?;
    cx.choose(&cx.call("isnan", &[&a], [])?, &b, &without_b).map(Value::Tensor)
}

fn atan2(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (a, b) = reals(cx, args.get("input"), args.get("other"))?;
    cx.op("atan2", &[&a, &b])
}

/// The tensor as bools.
pub fn truth(cx: &Cx<'_>, x: &Expr) -> Res<Expr> {
    if cx.dtype(x)?.is_bool() { Ok(x.clone()) } else { cx.with_number("not_equal", x, 0i64) }
}

fn logical(cx: &mut Cx<'_>, args: &Args, op: &str) -> Res {
    let (a, b) = (truth(cx, &args.tensor("input")?)?, truth(cx, &args.tensor("other")?)?);
    cx.op(op, &[&a, &b])
}

fn clamp(cx: &mut Cx<'_>, args: &Args) -> Res {
    let mut x = args.get("input").clone();
    for (bound, op) in [("min", "maximum"), ("max", "minimum")] {
        if args.has(bound) {
            x = binary(cx, op, &x, args.get(bound))?;
        }
    }
    Ok(x)
}

fn choose(cx: &mut Cx<'_>, args: &Args) -> Res {
    let condition = truth(cx, &args.tensor("condition")?)?;
    if !args.has("input") && !args.has("other") {
        return super::masks::place_of_each(cx, &condition);
    }
    let (a, b) = (args.get("input"), args.get("other"));
    let dtype = cx.common(a, b)?;
    cx.choose(&condition, &cx.operand(a, dtype)?, &cx.operand(b, dtype)?).map(Value::Tensor)
}

fn masked_fill(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, mask) = (args.tensor("input")?, truth(cx, &args.tensor("mask")?)?);
    let value = cx.operand(args.get("value"), cx.dtype(&x)?)?;
    cx.choose(&mask, &value, &x).map(Value::Tensor)
}

fn addcmul(cx: &mut Cx<'_>, args: &Args) -> Res {
    let product = binary(cx, "multiply", args.get("tensor1"), args.get("tensor2"))?;
    let product = times(cx, &product, args.get("value"))?;
    binary(cx, "add", args.get("input"), &product)
}

fn addcdiv(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (a, b) = reals(cx, args.get("tensor1"), args.get("tensor2"))?;
    let quotient = times(cx, &Value::Tensor(cx.call("divide", &[&a, &b], [])?), args.get("value"))?;
    binary(cx, "add", args.get("input"), &quotient)
}

fn lerp(cx: &mut Cx<'_>, args: &Args) -> Res {
    let start = Value::Tensor(cx.emit(args.tensor("input")?)?);
    let way = binary(cx, "subtract", args.get("end"), &start)?;
    let part = binary(cx, "multiply", args.get("weight"), &way)?;
    binary(cx, "add", &start, &part)
}

/// NaN and the infinities as numbers: where none are said, 0 and the ends of the data type's range.
fn nan_to_num(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let dtype = cx.dtype(&x)?;
    let most = match dtype {
        DataType::F64 => f64::MAX,
        DataType::F32 => f64::from(f32::MAX),
        DataType::F16 => f64::from(half::f16::MAX),
        DataType::BF16 => f64::from(half::bf16::MAX),
        // Integers are numbers all.
        _ => return Ok(Value::Tensor(x)),
    };
    let end = |name: &str, usual: f64| if args.has(name) { args.float(name) } else { Ok(usual) };
    let mut found = x.clone();
    for (infinity, end) in [(f64::INFINITY, end("posinf", most)?), (f64::NEG_INFINITY, end("neginf", -most)?)] {
        let there = cx.with_number("equal", &x, infinity)?;
        found = cx.choose(&there, &cx.number(end, dtype)?, &found)?;
    }
    cx.choose(&cx.call("isnan", &[&x], [])?, &cx.number(end("nan", 0.0)?, dtype)?, &found).map(Value::Tensor)
}
