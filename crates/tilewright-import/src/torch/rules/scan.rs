//! Prefix scans: sums and products by their operators, extremes with their indices and log-sum-exp as Hillis-Steele
//! scans.
//!
//! Each step of those combines every element with one before it, at a distance that doubles, so that the number of
//! steps is the logarithm of the dimension (W. D. Hillis and G. L. Steele, "Data parallel algorithms", Communications
//! of the ACM 29, 1986).

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, equal, logical_or, maximum, minimum, subtract};
use tilewright_ops::manipulate::concat;
use tilewright_ops::statistical::{cumprod, cumsum};
use tilewright_ops::unary::{abs, exp, isfinite, isnan, negative};
use tilewright_tensor::DataType;

use super::super::operands::binary;
use super::super::promotion::{as_float, promoted};
use super::super::rule::{Rule, in_float32, rule};
use crate::common::{Args, Cx, Op, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    rule("cumsum", "input, dim|axis, dtype=None", |cx, args| by_operator(cx, args, &cumsum::OP)),
    rule("cumprod", "input, dim|axis, dtype=None", |cx, args| by_operator(cx, args, &cumprod::OP)),
    rule("cummax", "input, dim", |cx, args| extremes(cx, args, &maximum::OP)),
    rule("cummin", "input, dim", |cx, args| extremes(cx, args, &minimum::OP)),
    in_float32(rule("logcumsumexp", "input, dim", |cx, args| {
        let x = as_float(cx, &args.tensor("input")?)?;
        scanned(cx, &x, args.int("dim")?, log_add_exp).map(Value::Tensor)
    })),
    in_float32(rule("logaddexp", "input, other", |cx, args| {
        let (a, b) = promoted(cx, args.get("input"), args.get("other"))?;
        let (a, b) = (as_float(cx, &a)?, as_float(cx, &b)?);
        log_add_exp(cx, &a, &b).map(Value::Tensor)
    })),
];

/// `cumsum` or `cumprod`.
fn by_operator(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res {
    let x = super::reduce::summable(cx, args)?;
    if cx.rank(&x)? == 0 {
        return Ok(Value::Tensor(x));
    }
    cx.call(op, &[&x], [("axis", args.int("dim")?.to_attr())]).map(Value::Tensor)
}

/// The Hillis-Steele scan of an associative operation along a dimension.
fn scanned(cx: &mut Cx<'_>, x: &Expr, dim: i64, combine: impl Fn(&mut Cx<'_>, &Expr, &Expr) -> Res<Expr>) -> Res<Expr> {
    let shape = cx.shape(x)?;
    let axis = cx.axis(dim, shape.len())?;
    let Some(extent) = shape.get(axis) else { return Ok(x.clone()) };
    let Some(extent) = extent.as_int() else {
        return Err(Refused::new("a scan of a symbolic dimension has no rule, except for sums and products"));
    };
    let along = [("axis", (axis as i64).to_attr())];
    let (mut found, mut distance) = (cx.emit(x.clone())?, 1);
    while distance < extent {
        let cut = |begin: i64, end: i64| cx.slice(&found, axis, &scalar::Expr::i64(begin), &scalar::Expr::i64(end), 1);
        let (first, late, early) = (cut(0, distance)?, cut(distance, extent)?, cut(0, extent - distance)?);
        let combined = combine(cx, &early, &late)?;
        let whole = cx.call(&concat::OP, &[&Expr::tuple(vec![first, combined])], along.clone())?;
        (found, distance) = (cx.emit(whole)?, distance.saturating_mul(2));
    }
    Ok(found)
}

/// `max + log(1 + exp(-|a - b|))`; of two equal infinities that infinity.
fn log_add_exp(cx: &mut Cx<'_>, a: &Expr, b: &Expr) -> Res<Expr> {
    let (a, b) = (cx.emit(a.clone())?, cx.emit(b.clone())?);
    let larger = cx.emit(cx.call(&maximum::OP, &[&a, &b], [])?)?;
    let apart = cx.call(&abs::OP, &[&cx.call(&subtract::OP, &[&a, &b], [])?], [])?;
    let exps = cx.call(&exp::OP, &[&cx.call(&negative::OP, &[&apart], [])?], [])?;
    let rest = super::arithmetic::log_of_one_and(cx, &exps)?;
    let more = cx.call(&add::OP, &[&larger, &rest], [])?;
    let plain = cx.call(&isfinite::OP, &[&larger], [])?;
    cx.choose(&plain, &more, &larger)
}

/// The cumulative extreme, and the index of its last occurrence.
fn extremes(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res {
    let (x, dim) = (cx.emit(args.tensor("input")?)?, args.int("dim")?);
    let combine = |cx: &mut Cx<'_>, a: &Expr, b: &Expr| {
        let both = binary(cx, op, &Value::Tensor(a.clone()), &Value::Tensor(b.clone()))?;
        both.tensor().cloned().ok_or_else(|| Refused::new("expected a tensor"))
    };
    let found = scanned(cx, &x, dim, combine)?;
    let shape = cx.shape(&x)?;
    if shape.is_empty() {
        let index = cx.number(0i64, DataType::I64)?;
        return Ok(Value::List(vec![Value::Tensor(found), Value::Tensor(index)]));
    }
    let axis = cx.axis(dim, shape.len())?;
    let mut is_new = cx.call(&equal::OP, &[&x, &found], [])?;
    if cx.dtype(&x)?.is_float() {
        is_new = cx.call(&logical_or::OP, &[&is_new, &cx.call(&isnan::OP, &[&x], [])?], [])?;
    }
    let indices = cx.arange(&shape[axis])?;
    let indices = cx.along_axis(&indices, axis, shape.len())?;
    let new = cx.choose(&is_new, &indices, &cx.number(0i64, DataType::I64)?)?;
    let indices = scanned(cx, &new, dim, |cx, a, b| cx.call(&maximum::OP, &[a, b], []))?;
    Ok(Value::List(vec![Value::Tensor(found), Value::Tensor(indices)]))
}
