//! Normalisations.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{divide, maximum};
use tilewright_ops::create::full;
use tilewright_ops::nn::{batch_norm, group_norm, layer_norm, rms_norm};
use tilewright_tensor::DataType;

use super::super::rule::{Rule, in_float32, rule};
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    in_float32(rule(
        "batch_norm",
        "input, running_mean=None, running_var=None, weight=None, bias=None, training=False, momentum=0.1, \
        eps=1e-05",
        batch_norm,
    )),
    in_float32(rule(
        "aten.batch_norm",
        "input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=None",
        batch_norm,
    )),
    in_float32(rule(
        "_native_batch_norm_legit_no_training",
        "input, weight, bias, running_mean, running_var, momentum, eps",
        |cx, args| Ok(Value::List(vec![batch_norm(cx, args)?, Value::None, Value::None])),
    )),
    rule("layer_norm", "input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True", layer_norm),
    rule("native_layer_norm", "input, normalized_shape, weight, bias, eps", |cx, args| {
        Ok(Value::List(vec![layer_norm(cx, args)?, Value::None, Value::None]))
    }),
    rule("group_norm", "input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True", group_norm),
    in_float32(rule(
        "instance_norm",
        "input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, \
        momentum=0.1, eps=1e-05",
        instance_norm,
    )),
    in_float32(rule(
        "aten.instance_norm",
        "input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled=True",
        instance_norm,
    )),
    rule("rms_norm", "input, normalized_shape, weight=None, eps=None", rms_norm),
    in_float32(rule("normalize", "input, p=2.0, dim=1, eps=1e-12", normalize)),
];

/// A parameter, or where there is none a tensor of one value in its place.
fn or_filled(cx: &Cx<'_>, given: Option<Expr>, shape: &[scalar::Expr], value: f64, dtype: DataType) -> Res<Expr> {
    match given {
        Some(given) => cx.astype(&given, dtype),
        None => cx.call(&full::OP, &[&Expr::shape(shape.to_vec()), &cx.number(value, dtype)?], []),
    }
}

/// Scale and shift of a normalisation, of this shape.
fn parameters(cx: &Cx<'_>, args: &Args, shape: &[scalar::Expr], dtype: DataType) -> Res<[Expr; 2]> {
    let weight = or_filled(cx, args.optional_tensor("weight")?, shape, 1.0, dtype)?;
    Ok([weight, or_filled(cx, args.optional_tensor("bias")?, shape, 0.0, dtype)?])
}

/// The number of channels, which is the second dimension's.
fn channels(cx: &Cx<'_>, x: &Expr) -> Res<scalar::Expr> {
    cx.shape(x)?.get(1).cloned().ok_or_else(|| Refused::new("expected a dimension of channels"))
}

fn batch_norm(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let (mean, variance) = (args.optional_tensor("running_mean")?, args.optional_tensor("running_var")?);
    let training = args.flag("training")? || mean.is_none() || variance.is_none();
    let (shape, dtype) = ([channels(cx, &x)?], cx.dtype(&x)?);
    let [weight, bias] = parameters(cx, args, &shape, dtype)?;
    let mean = or_filled(cx, mean, &shape, 0.0, dtype)?;
    let variance = or_filled(cx, variance, &shape, 1.0, dtype)?;
    let attrs = [("axis", 1i64.to_attr()), ("epsilon", args.float("eps")?.to_attr()), ("training", training.to_attr())];
    let all = cx.call(&batch_norm::OP, &[&x, &weight, &bias, &mean, &variance], attrs)?;
    let all = cx.emit(all)?;
    Ok(Value::Tensor(Expr::tuple_get(all, 0)?))
}

/// The last dimensions, as many as the shape that is normalised has.
fn last_axes(args: &Args) -> Res<Vec<i64>> {
    let count = args.dims("normalized_shape")?.len() as i64;
    Ok((-count..0).collect())
}

fn layer_norm(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let [weight, bias] = parameters(cx, args, &args.dims("normalized_shape")?, cx.dtype(&x)?)?;
    let attrs = [("axes", last_axes(args)?.to_attr()), ("epsilon", args.float("eps")?.to_attr())];
    cx.call(&layer_norm::OP, &[&x, &weight, &bias], attrs).map(Value::Tensor)
}

fn group_norm(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    in_groups(cx, args, &x, args.int("num_groups")?)
}

fn in_groups(cx: &mut Cx<'_>, args: &Args, x: &Expr, groups: i64) -> Res {
    let [weight, bias] = parameters(cx, args, &[channels(cx, x)?], cx.dtype(x)?)?;
    let attrs = [
        ("num_groups", groups.to_attr()),
        ("channel_axis", 1i64.to_attr()),
        ("axes", (2..cx.rank(x)? as i64).collect::<Vec<_>>().to_attr()),
        ("epsilon", args.float("eps")?.to_attr()),
    ];
    cx.call(&group_norm::OP, &[x, &weight, &bias], attrs).map(Value::Tensor)
}

/// One group for each channel.
fn instance_norm(cx: &mut Cx<'_>, args: &Args) -> Res {
    if !args.flag("use_input_stats")? {
        return batch_norm(cx, args);
    }
    let x = args.tensor("input")?;
    let channels = channels(cx, &x)?.as_int();
    in_groups(cx, args, &x, channels.ok_or_else(|| Refused::new("the number of channels must be known"))?)
}

fn rms_norm(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let dtype = cx.dtype(&x)?;
    let weight = or_filled(cx, args.optional_tensor("weight")?, &args.dims("normalized_shape")?, 1.0, dtype)?;
    // The distance of 1 to the next number of the type in which PyTorch computes.
    let next = if dtype == DataType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let epsilon = if args.has("eps") { args.float("eps")? } else { next };
    let attrs = [("axes", last_axes(args)?.to_attr()), ("epsilon", epsilon.to_attr())];
    cx.call(&rms_norm::OP, &[&x, &weight], attrs).map(Value::Tensor)
}

/// Divided by the norm, which counts as `eps` where it is less.
fn normalize(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let norm = super::reduce::p_norm(cx, &x, args.float("p")?, args.axes("dim")?, true)?;
    let least = cx.number(args.float("eps")?, cx.dtype(&x)?)?;
    cx.op(&divide::OP, &[&x, &cx.call(&maximum::OP, &[&norm, &least], [])?])
}
