//! Losses.

use tilewright_ir::relax::Expr;
use tilewright_ops::binary::subtract;
use tilewright_ops::nn::{log_softmax, nll_loss};
use tilewright_ops::statistical::{mean, sum};
use tilewright_ops::unary::{abs, square};

use super::super::promotion::call_promoted;
use super::super::rule::{Rule, in_float32, rule};
use crate::common::{Args, Cx, Op, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    in_float32(rule(
        "cross_entropy",
        "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction=mean, \
        label_smoothing=0.0",
        cross_entropy,
    )),
    in_float32(rule(
        "nll_loss",
        "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction=mean",
        nll_loss,
    )),
    in_float32(rule(
        "aten.nll_loss aten.nll_loss_nd",
        "input, target, weight=None, reduction=1, ignore_index=-100",
        nll_loss,
    )),
    in_float32(rule("aten.mse_loss", "input, target, reduction=1", |cx, args| distance(cx, args, &square::OP))),
    in_float32(rule("aten.l1_loss", "input, target, reduction=1", |cx, args| distance(cx, args, &abs::OP))),
    in_float32(rule("mse_loss", "input, target, size_average=None, reduce=None, reduction=mean", |cx, args| {
        distance(cx, args, &square::OP)
    })),
    in_float32(rule("l1_loss", "input, target, size_average=None, reduce=None, reduction=mean", |cx, args| {
        distance(cx, args, &abs::OP)
    })),
];

/// The argument `reduction`: a text, or ATen's number.
fn reduction(args: &Args) -> Res<&str> {
    match args.get("reduction") {
        Value::Int(0) => Ok("none"),
        Value::Int(1) => Ok("mean"),
        Value::Int(2) => Ok("sum"),
        Value::Str(word) if ["none", "mean", "sum"].contains(&&**word) => Ok(word),
        other => Err(Refused(format!("`reduction` is \"none\", \"mean\" or \"sum\", found {}", other.in_words()))),
    }
}

fn cross_entropy(cx: &mut Cx<'_>, args: &Args) -> Res {
    if args.float("label_smoothing")? != 0.0 {
        return Err(Refused::new("`label_smoothing` has no rule"));
    }
    let x = args.tensor("input")?;
    let axis = if cx.rank(&x)? == 1 { 0i64 } else { 1 };
    let logarithms = cx.call(&log_softmax::OP, &[&x], [("axis", axis.to_attr())])?;
    likelihood(cx, args, &logarithms)
}

fn nll_loss(cx: &mut Cx<'_>, args: &Args) -> Res {
    likelihood(cx, args, &args.tensor("input")?)
}

/// The negative logarithms of the targets' probabilities.
fn likelihood(cx: &Cx<'_>, args: &Args, logarithms: &Expr) -> Res {
    let target = args.tensor("target")?;
    if cx.dtype(&target)?.is_float() {
        return Err(Refused::new("targets that are probabilities have no rule"));
    }
    let weight = args.optional_tensor("weight")?.unwrap_or_else(|| Expr::tuple(Vec::new()));
    let attrs = [("reduction", reduction(args)?.to_attr()), ("ignore_index", args.int("ignore_index")?.to_attr())];
    cx.call(&nll_loss::OP, &[logarithms, &target, &weight], attrs).map(Value::Tensor)
}

/// A function of the differences (their squares or absolute values), reduced as `reduction` says.
fn distance(cx: &mut Cx<'_>, args: &Args, size: Op) -> Res {
    let difference = call_promoted(cx, &subtract::OP, args.get("input"), args.get("target"))?;
    let sizes = cx.call(size, &[&difference], [])?;
    match reduction(args)? {
        "none" => Ok(Value::Tensor(sizes)),
        reduction => {
            let reduce: Op = if reduction == "sum" { &sum::OP } else { &mean::OP };
            super::reduce::reduced(cx, &sizes, None, false, reduce).map(Value::Tensor)
        }
    }
}
