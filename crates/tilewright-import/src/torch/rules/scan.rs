//! Scans that combine all elements up to each: extremes with their places, and logarithms of sums of powers.
//!
//! Each step combines every element with the one that lies twice as far before it as in the step before, so that the
//! logarithm of the dimension is the number of steps (W. D. Hillis and G. L. Steele, "Data parallel algorithms",
//! Communications of the ACM 29, 1986).

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, equal, logical_or, maximum, minimum, subtract};
use tilewright_ops::manipulate::concat;
use tilewright_ops::unary::{abs, exp, isfinite, isnan, negative};
use tilewright_tensor::DataType;

use super::super::operands::binary;
use super::super::promotion::{as_float, promoted};
use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Op, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    rule("cummax", "input, dim", |cx, args| extremes(cx, args, &maximum::OP)),
    rule("cummin", "input, dim", |cx, args| extremes(cx, args, &minimum::OP)),
    rule("logcumsumexp", "input, dim", |cx, args| {
        let x = as_float(cx, &args.tensor("input")?)?;
        scanned(cx, &x, args.int("dim")?, log_of_sum).map(Value::Tensor)
    }),
    rule("logaddexp", "input, other", |cx, args| {
        let (a, b) = promoted(cx, args.get("input"), args.get("other"))?;
        let (a, b) = (as_float(cx, &a)?, as_float(cx, &b)?);
        log_of_sum(cx, &a, &b).map(Value::Tensor)
    }),
];

/// All elements up to each along a dimension combined.
fn scanned(cx: &mut Cx<'_>, x: &Expr, dim: i64, combine: impl Fn(&mut Cx<'_>, &Expr, &Expr) -> Res<Expr>) -> Res<Expr> {
    let shape = cx.shape(x)?;
    let axis = cx.axis(dim, shape.len())?;
    let Some(extent) = shape.get(axis) else { return Ok(x.clone()) };
    let Some(extent) = extent.as_int() else {
        return Err(Refused::new("a scan of a symbolic dimension has no rule, sums and products excepted"));
    };
    let along = [("axis", (axis as i64).to_attr())];
    let (mut found, mut before) = (cx.emit(x.clone())?, 1);
    while before < extent {
        let cut = |begin: i64, end: i64| cx.slice(&found, axis, &scalar::Expr::i64(begin), &scalar::Expr::i64(end), 1);
        let (first, late, early) = (cut(0, before)?, cut(before, extent)?, cut(0, extent - before)?);
        let combined = combine(cx, &early, &late)?;
        let whole = cx.call(&concat::OP, &[&Expr::tuple(vec![first, combined])], along.clone())?;
        (found, before) = (cx.emit(whole)?, before.saturating_mul(2));
    }
    Ok(found)
}

/// `max + log(1 + exp(-|a - b|))`; of two equal infinities that infinity.
fn log_of_sum(cx: &mut Cx<'_>, a: &Expr, b: &Expr) -> Res<Expr> {
    let (a, b) = (cx.emit(a.clone())?, cx.emit(b.clone())?);
    let most = cx.emit(cx.call(&maximum::OP, &[&a, &b], [])?)?;
    let apart = cx.call(&abs::OP, &[&cx.call(&subtract::OP, &[&a, &b], [])?], [])?;
    let powers = cx.call(&exp::OP, &[&cx.call(&negative::OP, &[&apart], [])?], [])?;
    let rest = super::arithmetic::log_of_one_and(cx, &powers)?;
    let more = cx.call(&add::OP, &[&most, &rest], [])?;
    let plain = cx.call(&isfinite::OP, &[&most], [])?;
    cx.choose(&plain, &more, &most)
}

/// The extreme of all elements up to each, and where the last element stands that is it.
fn extremes(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res {
    let (x, dim) = (cx.emit(args.tensor("input")?)?, args.int("dim")?);
    let combine = |cx: &mut Cx<'_>, a: &Expr, b: &Expr| {
        let both = binary(cx, op, &Value::Tensor(a.clone()), &Value::Tensor(b.clone()))?;
        both.tensor().cloned().ok_or_else(|| Refused::new("expected a tensor"))
    };
    let found = scanned(cx, &x, dim, combine)?;
    let shape = cx.shape(&x)?;
    if shape.is_empty() {
        let place = cx.number(0i64, DataType::I64)?;
        return Ok(Value::List(vec![Value::Tensor(found), Value::Tensor(place)]));
    }
    let axis = cx.axis(dim, shape.len())?;
    let mut is_new = cx.call(&equal::OP, &[&x, &found], [])?;
    if cx.dtype(&x)?.is_float() {
        is_new = cx.call(&logical_or::OP, &[&is_new, &cx.call(&isnan::OP, &[&x], [])?], [])?;
    }
    let places = cx.arange(&shape[axis])?;
    let places = cx.along_axis(&places, axis, shape.len())?;
    let new = cx.choose(&is_new, &places, &cx.number(0i64, DataType::I64)?)?;
    let places = scanned(cx, &new, dim, |cx, a, b| cx.call(&maximum::OP, &[a, b], []))?;
    Ok(Value::List(vec![Value::Tensor(found), Value::Tensor(places)]))
}
