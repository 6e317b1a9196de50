//! Reductions along dimensions, cumulative sums.

use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, divide, greater, subtract};
use tilewright_ops::manipulate::flip;
use tilewright_ops::statistical::{argmax, argmin, cumprod, cumsum, max, mean, min, prod, sum};
use tilewright_ops::unary::{abs, exp, log, sqrt, square};
use tilewright_tensor::DataType;

use super::super::rule::{Args, Rule, bound, rule};
use super::super::values::Val;
use crate::common::{Cx, Op, Res, ToAttr, Value, is};

const ATTRIBUTES: &str = "axes keepdims noop_with_empty_axes";

pub const RULES: &[Rule] = &[
    rule("ReduceSum", "data axes?", ATTRIBUTES, |cx, args| reduction(cx, args, &sum::OP, |_, x| Ok(x))),
    rule("ReduceProd", "data axes?", ATTRIBUTES, |cx, args| reduction(cx, args, &prod::OP, |_, x| Ok(x))),
    rule("ReduceMean", "data axes?", ATTRIBUTES, |cx, args| reduction(cx, args, &mean::OP, |_, x| Ok(x))),
    rule("ReduceMax", "data axes?", ATTRIBUTES, |cx, args| reduction(cx, args, &max::OP, |_, x| Ok(x))),
    rule("ReduceMin", "data axes?", ATTRIBUTES, |cx, args| reduction(cx, args, &min::OP, |_, x| Ok(x))),
    rule("ReduceL1", "data axes?", ATTRIBUTES, |cx, args| {
        reduction(cx, args, &sum::OP, |cx, x| cx.call(&abs::OP, &[&x], []))
    }),
    rule("ReduceSumSquare", "data axes?", ATTRIBUTES, |cx, args| {
        reduction(cx, args, &sum::OP, |cx, x| cx.call(&square::OP, &[&x], []))
    }),
    rule("ReduceL2", "data axes?", ATTRIBUTES, |cx, args| {
        let found = reduction(cx, args, &sum::OP, |cx, x| cx.call(&square::OP, &[&x], []))?;
        through_float(cx, &found.to_expr(cx)?, &sqrt::OP).map(Val::from)
    }),
    rule("ReduceLogSum", "data axes?", ATTRIBUTES, |cx, args| {
        let found = reduction(cx, args, &sum::OP, |_, x| Ok(x))?;
        through_float(cx, &found.to_expr(cx)?, &log::OP).map(Val::from)
    }),
    rule("ReduceLogSumExp", "data axes?", ATTRIBUTES, log_sum_exp),
    rule("ArgMax", "data", "axis keepdims select_last_index", |cx, args| arg_extreme(cx, args, &argmax::OP)),
    rule("ArgMin", "data", "axis keepdims select_last_index", |cx, args| arg_extreme(cx, args, &argmin::OP)),
    rule("CumSum", "x axis", "exclusive reverse", |cx, args| cumulative(cx, args, &cumsum::OP)),
    rule("CumProd", "x axis", "exclusive reverse", |cx, args| cumulative(cx, args, &cumprod::OP)),
];

/// The dimensions that are reduced: nothing for all, and whether there are none, which leaves the data as it is.
fn axes(args: &Args<'_>) -> Res<(Option<Vec<i64>>, bool)> {
    let axes = args.ints_either(1, "axes")?.filter(|axes| !axes.is_empty());
    let nothing = axes.is_none() && args.flag("noop_with_empty_axes", false)?;
    Ok((axes, nothing))
}

/// The reduction of what `before` makes of the data.
fn reduction(cx: &mut Cx<'_>, args: &Args<'_>, op: Op, before: fn(&mut Cx<'_>, Expr) -> Res<Expr>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let x = before(cx, x)?;
    let ((axes, nothing), keep) = (axes(args)?, args.flag("keepdims", true)?);
    if nothing {
        return Ok(x.into());
    }
    reduced(cx, &x, axes, keep, op).map(Val::from)
}

pub fn reduced(cx: &Cx<'_>, x: &Expr, axes: Option<Vec<i64>>, keep: bool, op: Op) -> Res<Expr> {
    if cx.rank(x)? == 0 {
        return Ok(x.clone());
    }
    if is(op, &mean::OP) && !cx.dtype(x)?.is_float() {
        return mean_of_integers(cx, x, axes, keep);
    }
    let attrs = [("axis", axes.to_attr()), ("keepdims", keep.to_attr())];
    if cx.dtype(x)?.is_bool() {
        let found = cx.call(op, &[&cx.astype(x, DataType::I8)?], attrs)?;
        return cx.with_number(&greater::OP, &found, 0i64);
    }
    cx.call(op, &[x], attrs)
}

/// The sum over the number of elements, without the fraction.
fn mean_of_integers(cx: &Cx<'_>, x: &Expr, axes: Option<Vec<i64>>, keep: bool) -> Res<Expr> {
    let shape = cx.shape(x)?;
    let reduced_sizes = match &axes {
        Some(axes) => {
            axes.iter().map(|axis| Ok(shape[cx.axis(*axis, shape.len())?].clone())).collect::<Res<Vec<_>>>()?
        }
        None => shape,
    };
    let count = cx.operand(&Value::int(cx.product(&reduced_sizes)), DataType::I64)?;
    let total = reduced(cx, x, axes, keep, &sum::OP)?;
    cx.call(&divide::OP, &[&total, &cx.astype(&count, cx.dtype(x)?)?], [])
}

/// A function of floats; of integers it is computed in float64.
fn through_float(cx: &Cx<'_>, x: &Expr, op: Op) -> Res<Expr> {
    let dtype = cx.dtype(x)?;
    if dtype.is_float() {
        return cx.call(op, &[x], []);
    }
    cx.astype(&cx.call(op, &[&cx.astype(x, DataType::F64)?], [])?, dtype)
}

/// `log(sum(exp(x - m))) + m` with the largest element `m`, which does not overflow.
fn log_sum_exp(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let ((axes, nothing), keep) = (axes(args)?, args.flag("keepdims", true)?);
    if nothing {
        return Ok(x.into());
    }
    let dtype = cx.dtype(&x)?;
    let x = if dtype.is_float() { x } else { cx.astype(&x, DataType::F64)? };
    let x = bound(cx, x)?;
    // Of nothing, and where all elements are minus infinity, the sum of exponentials is 0.
    let largest = reduced(cx, &x, axes.clone(), true, &max::OP)?;
    let largest = cx.clip(&largest, f64::from(f32::MIN) / 2.0, f64::INFINITY)?;
    let largest = bound(cx, largest)?;
    let powers = cx.call(&exp::OP, &[&cx.call(&subtract::OP, &[&x, &largest], [])?], [])?;
    let total = reduced(cx, &powers, axes.clone(), true, &sum::OP)?;
    let found = cx.call(&add::OP, &[&cx.call(&log::OP, &[&total], [])?, &largest], [])?;
    let found = if keep { found } else { reduced(cx, &found, axes, false, &sum::OP)? };
    Ok(cx.astype(&found, dtype)?.into())
}

fn arg_extreme(cx: &mut Cx<'_>, args: &Args<'_>, op: Op) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let axis = cx.axis(args.int("axis", 0)?, cx.rank(&x)?)? as i64;
    let attrs = [("axis", axis.to_attr()), ("keepdims", args.flag("keepdims", true)?.to_attr())];
    let x = if cx.dtype(&x)?.is_bool() { cx.astype(&x, DataType::I8)? } else { x };
    if !args.flag("select_last_index", false)? {
        return Ok(cx.astype(&cx.call(op, &[&x], attrs)?, DataType::I64)?.into());
    }
    let last = cx.extent(&x, axis as usize)?;
    let reversed = cx.call(&flip::OP, &[&x], [("axis", axis.to_attr())])?;
    let found = cx.astype(&cx.call(op, &[&reversed], attrs)?, DataType::I64)?;
    let last = cx.operand(&crate::common::Value::int(cx.simplified(&(&last - 1))), DataType::I64)?;
    Ok(cx.call(&subtract::OP, &[&last, &found], [])?.into())
}

fn cumulative(cx: &mut Cx<'_>, args: &Args<'_>, op: Op) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let axis = cx.axis(args.int_at(1)?, cx.rank(&x)?)? as i64;
    let flipped = |cx: &Cx<'_>, x: &Expr| cx.call(&flip::OP, &[x], [("axis", axis.to_attr())]);
    let reverse = args.flag("reverse", false)?;
    let x = if reverse { flipped(cx, &x)? } else { x };
    let dtype = cx.dtype(&x)?;
    let attrs =
        [("axis", axis.to_attr()), ("dtype", dtype.to_attr()), ("exclusive", args.flag("exclusive", false)?.to_attr())];
    let found = cx.call(op, &[&x], attrs)?;
    Ok(if reverse { flipped(cx, &found)? } else { found }.into())
}
