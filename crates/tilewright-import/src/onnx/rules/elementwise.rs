//! Operators of elements: arithmetic, comparisons, bits, functions of real numbers, conversions.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{
    add, bitwise_and, bitwise_or, bitwise_xor, divide, equal, floor_mod, greater, greater_equal, left_shift, less,
    less_equal, logical_and, logical_or, logical_xor, maximum, minimum, multiply, not_equal, power, right_shift,
    subtract,
};
use tilewright_ops::unary::{
    abs, acos, acosh, asin, asinh, atan, atanh, bitwise_not, ceil, cos, cosh, erf, exp, floor, isinf, isnan, log,
    logical_not, negative, round, sigmoid, sign, sin, sinh, sqrt, tan, tanh,
};
use tilewright_tensor::DataType;

use super::super::model::AttributeValue;
use super::super::rule::{Args, Rule, binary, bound, rule, unary};
use super::super::tensors::dtype_of;
use super::super::values::Val;
use crate::common::{Cx, Op, Refused, Res, is};

pub const RULES: &[Rule] = &[
    binary("Add", &add::OP),
    binary("Sub", &subtract::OP),
    binary("Mul", &multiply::OP),
    binary("Div", &divide::OP),
    rule("Pow", "X Y", "", pow),
    rule("Mod", "A B", "fmod", modulo),
    binary("Equal", &equal::OP),
    binary("Less", &less::OP),
    binary("LessOrEqual", &less_equal::OP),
    binary("Greater", &greater::OP),
    binary("GreaterOrEqual", &greater_equal::OP),
    binary("And", &logical_and::OP),
    binary("Or", &logical_or::OP),
    binary("Xor", &logical_xor::OP),
    binary("BitwiseAnd", &bitwise_and::OP),
    binary("BitwiseOr", &bitwise_or::OP),
    binary("BitwiseXor", &bitwise_xor::OP),
    unary("BitwiseNot", &bitwise_not::OP),
    rule("BitShift", "X Y", "direction", bit_shift),
    unary("Not", &logical_not::OP),
    unary("Abs", &abs::OP),
    unary("Neg", &negative::OP),
    unary("Ceil", &ceil::OP),
    unary("Floor", &floor::OP),
    unary("Round", &round::OP),
    unary("Sign", &sign::OP),
    unary("Sqrt", &sqrt::OP),
    unary("Exp", &exp::OP),
    unary("Log", &log::OP),
    unary("Erf", &erf::OP),
    unary("Sin", &sin::OP),
    unary("Cos", &cos::OP),
    unary("Tan", &tan::OP),
    unary("Asin", &asin::OP),
    unary("Acos", &acos::OP),
    unary("Atan", &atan::OP),
    unary("Sinh", &sinh::OP),
    unary("Cosh", &cosh::OP),
    unary("Asinh", &asinh::OP),
    unary("Acosh", &acosh::OP),
    unary("Atanh", &atanh::OP),
    unary("Tanh", &tanh::OP),
    unary("Sigmoid", &sigmoid::OP),
    unary("IsNaN", &isnan::OP),
    rule("IsInf", "X", "detect_negative detect_positive", is_inf),
    rule("Reciprocal", "X", "", |cx, args| {
        let x = args.tensor(cx, 0)?;
        let one = cx.number(1.0, cx.dtype(&x)?)?;
        Ok(cx.call(&divide::OP, &[&one, &x], [])?.into())
    }),
    rule("Min", "*X", "", |cx, args| folded(cx, args, &minimum::OP)),
    rule("Max", "*X", "", |cx, args| folded(cx, args, &maximum::OP)),
    rule("Sum", "*X", "", |cx, args| folded(cx, args, &add::OP)),
    rule("Mean", "*X", "", mean),
    rule("Clip", "X min? max?", "min max", clip),
    rule("Where", "condition X Y", "", choice),
    rule("Cast", "X", "to saturate round_mode", cast),
    rule("CastLike", "X target", "saturate round_mode", |cx, args| {
        let dtype = cx.dtype(&args.tensor(cx, 1)?)?;
        Ok(converted(cx, &args.tensor(cx, 0)?, dtype)?.into())
    }),
    rule("Identity", "X", "", |_, args| Ok(args.input(0).clone())),
];

/// An operator of two tensors that broadcast. Before version 7 the second one is aligned at `axis` where `broadcast` is
/// set.
pub fn of_two(cx: &mut Cx<'_>, args: &Args<'_>, op: Op) -> Res<Val> {
    let (a, mut b) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    if args.flag("broadcast", false)?
        && let Some(axis) = args.maybe_int("axis")?
    {
        let (rank, own) = (cx.rank(&a)?, cx.shape(&b)?);
        let axis = cx.axis(axis, rank)?;
        let trailing = rank.saturating_sub(axis + own.len());
        b = cx.reshape(&b, [own, vec![scalar::Expr::i64(1); trailing]].concat())?;
    }
    Ok(broadcast_call(cx, op, a, b)?.into())
}

/// The operator on operands whose shapes broadcast.
pub fn broadcast_call(cx: &mut Cx<'_>, op: Op, a: Expr, b: Expr) -> Res<Expr> {
    let [a, b] = cx.broadcastable([a, b])?;
    cx.call(op, &[&a, &b], [])
}

fn folded(cx: &mut Cx<'_>, args: &Args<'_>, op: Op) -> Res<Val> {
    let mut all = args.tensors(cx, 0)?.into_iter();
    let first = all.next().ok_or_else(|| Refused::new("it needs an input"))?;
    let is_bool = cx.dtype(&first)?.is_bool();
    let found = all.try_fold(first, |all, one| broadcast_call(cx, op, all, one))?;
    if is_bool { Err(Refused::new("bools have no rule")) } else { Ok(found.into()) }
}

fn mean(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let Val::Tensor(sum) = folded(cx, args, &add::OP)? else { return Err(Refused::new("expected tensors")) };
    Ok(cx.with_number(&divide::OP, &sum, args.inputs.len() as f64)?.into())
}

/// The result has the type of the base; integers are raised as float64, and what is no integer is cut off.
fn pow(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, y) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let (dtype, exponent) = (cx.dtype(&x)?, args.input(1).known());
    if dtype.is_float()
        && let Some(exponent) =
            exponent.filter(|exponent| exponent.items.len() == 1 && exponent.dims.len() <= cx.rank(&x).unwrap_or(0))
        && super::super::values::float_of(&exponent.items[0]) == Some(2.0)
    {
        let x = bound(cx, x)?;
        return Ok(cx.call(&multiply::OP, &[&x, &x], [])?.into());
    }
    let (work, of_integers) = (if dtype.is_float() { dtype } else { DataType::F64 }, !cx.dtype(&y)?.is_float());
    let (x, y) = (cx.astype(&x, work)?, cx.astype(&y, work)?);
    let found = broadcast_call(cx, &power::OP, x, y)?;
    if dtype.is_float() {
        return Ok(found.into());
    }
    // A power that is an integer may be found a rounding below it.
    let found = match of_integers {
        true => cx.call(&round::OP, &[&found], [])?,
        false => cx.with_number(&multiply::OP, &found, 1.0 + 8.0 * f64::EPSILON)?,
    };
    Ok(cx.astype(&found, dtype)?.into())
}

/// With `fmod` the remainder has the sign of the dividend, otherwise that of the divisor.
fn modulo(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, y) = (args.bound(cx, 0)?, args.tensor(cx, 1)?);
    let dtype = cx.dtype(&x)?;
    if !args.flag("fmod", false)? || !(dtype.is_float() || dtype.is_signed()) {
        return Ok(broadcast_call(cx, &floor_mod::OP, x, y)?.into());
    }
    let (size, by) = (cx.call(&abs::OP, &[&x], [])?, cx.call(&abs::OP, &[&y], [])?);
    let rest = broadcast_call(cx, &floor_mod::OP, size, by)?;
    let rest = bound(cx, rest)?;
    let below = cx.with_number(&less::OP, &x, 0i64)?;
    Ok(cx.choose(&below, &cx.call(&negative::OP, &[&rest], [])?, &rest)?.into())
}

fn bit_shift(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, y) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let op: Op = match args.text("direction", "")?.as_str() {
        "LEFT" => &left_shift::OP,
        "RIGHT" => &right_shift::OP,
        other => return Err(Refused(format!("`direction` is LEFT or RIGHT, found \"{other}\""))),
    };
    let dtype = cx.dtype(&x)?;
    // A sign is kept, however far the bits move; a negative count is a great one.
    let y = if is(op, &right_shift::OP) && dtype.is_signed() {
        let (y, last) = (bound(cx, y)?, i64::from(dtype.bits) - 1);
        let below = cx.with_number(&less::OP, &y, 0i64)?;
        let held = cx.with_number(&minimum::OP, &y, last)?;
        cx.choose(&below, &cx.number(last, dtype)?, &held)?
    } else {
        y
    };
    Ok(broadcast_call(cx, op, x, y)?.into())
}

fn is_inf(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.bound(cx, 0)?;
    let infinite = cx.call(&isinf::OP, &[&x], [])?;
    let signed = |op: Op| -> Res<Val> {
        let side = cx.with_number(op, &x, 0i64)?;
        Ok(cx.call(&logical_and::OP, &[&infinite, &side], [])?.into())
    };
    match (args.flag("detect_negative", true)?, args.flag("detect_positive", true)?) {
        (true, true) => Ok(infinite.into()),
        (true, false) => signed(&less::OP),
        (false, true) => signed(&greater::OP),
        (false, false) => Ok(cx.call(&not_equal::OP, &[&infinite, &infinite], [])?.into()),
    }
}

fn clip(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let mut x = args.tensor(cx, 0)?;
    let dtype = cx.dtype(&x)?;
    // The order matters where the lower bound is the greater one.
    for (at, name, op) in [(1, "min", &maximum::OP as Op), (2, "max", &minimum::OP)] {
        let limit = match args.maybe_float(name)? {
            Some(limit) => Some(cx.number(limit, dtype)?),
            None => args.optional(cx, at)?,
        };
        if let Some(limit) = limit {
            x = cx.call(op, &[&x, &limit], [])?;
        }
    }
    Ok(x.into())
}

fn choice(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (condition, x, y) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?, args.tensor(cx, 2)?);
    let [x, y] = cx.broadcastable([x, y])?;
    let [condition, x] = cx.broadcastable([condition, x])?;
    let [condition, y] = cx.broadcastable([condition, y])?;
    Ok(cx.choose(&condition, &x, &y)?.into())
}

/// The elements in another type; those that become bools are whether they are not 0.
pub fn converted(cx: &Cx<'_>, x: &Expr, dtype: DataType) -> Res<Expr> {
    match dtype.is_bool() && !cx.dtype(x)?.is_bool() {
        true => cx.with_number(&not_equal::OP, x, 0i64),
        false => cx.astype(x, dtype),
    }
}

fn cast(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    // Before version 6 the type is a text.
    let number = match args.attribute("to") {
        Some(AttributeValue::Str(text)) => {
            (1..=16).find(|number| super::super::tensors::element_name(*number).as_bytes() == text.to_ascii_lowercase())
        }
        _ => args.maybe_int("to")?,
    };
    let dtype = dtype_of(number.ok_or_else(|| Refused::new("the attribute `to` is missing"))?)?;
    Ok(converted(cx, &args.tensor(cx, 0)?, dtype)?.into())
}
