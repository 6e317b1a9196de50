//! Normalisations.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, divide, multiply, power, subtract};
use tilewright_ops::create::full;
use tilewright_ops::nn::{avg_pool1d, batch_norm, group_norm, layer_norm, rms_norm};
use tilewright_ops::statistical::{mean, sum};
use tilewright_ops::unary::{abs, rsqrt, sqrt, square};
use tilewright_tensor::DataType;

use super::super::rule::{Args, Rule, bound, rule};
use super::super::values::Val;
use super::reduce::reduced;
use crate::common::{Cx, Refused, Res, ToAttr};

pub const RULES: &[Rule] = &[
    rule(
        "BatchNormalization",
        "X scale B input_mean input_var",
        "epsilon momentum training_mode spatial is_test consumed_inputs",
        batch_normalization,
    ),
    rule("InstanceNormalization", "X scale B", "epsilon", |cx, args| {
        let x = args.tensor(cx, 0)?;
        let groups = cx.extent(&x, 1)?.as_int().ok_or_else(|| Refused::new("the number of channels must be known"))?;
        in_groups(cx, &x, &args.tensor(cx, 1)?, &args.tensor(cx, 2)?, groups, args.float("epsilon", 1e-5)?)
    }),
    rule("GroupNormalization", "X scale bias", "epsilon num_groups stash_type", group_normalization),
    rule("LayerNormalization", "X Scale B?", "axis epsilon stash_type", layer_normalization),
    rule("RMSNormalization SimplifiedLayerNormalization", "X scale", "axis epsilon stash_type", |cx, args| {
        let (x, weight) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
        let axis = cx.axis(args.int("axis", -1)?, cx.rank(&x)?)?;
        rms(cx, &x, &weight, axis, args.float("epsilon", 1e-5)?).map(Val::from)
    }),
    rule("LpNormalization", "X", "axis p", lp_normalization),
    rule("MeanVarianceNormalization", "X", "axes across_channels normalize_variance", mean_variance),
    rule("LRN", "X", "alpha beta bias size", local_response),
];

fn batch_normalization(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.bound(cx, 0)?;
    let dtype = cx.dtype(&x)?;
    let parameters = (1..5).map(|at| cx.astype(&args.tensor(cx, at)?, dtype)).collect::<Res<Vec<_>>>()?;
    let [scale, shift, mean, variance] = parameters.as_slice() else { return Err(Refused::new("expected four")) };
    if args.opset >= 14 && args.flag("training_mode", false)? {
        return in_training(cx, args, &x, [scale, shift, mean, variance]);
    }
    if args.flag("spatial", true)? {
        let attrs = [
            ("axis", 1i64.to_attr()),
            ("epsilon", args.float("epsilon", 1e-5)?.to_attr()),
            ("training", false.to_attr()),
        ];
        let all = cx.call(&batch_norm::OP, &[&x, scale, shift, mean, variance], attrs)?;
        let all = cx.emit(all)?;
        return Ok(Expr::tuple_get(all, 0)?.into());
    }
    Err(Refused::new("a mean and variance for each element (`spatial` of 0) have no rule"))
}

/// With the mean and variance of the data, and the running ones moved towards them.
fn in_training(cx: &mut Cx<'_>, args: &Args<'_>, x: &Expr, parameters: [&Expr; 4]) -> Res<Val> {
    let [scale, shift, running_mean, running_variance] = parameters;
    let rank = cx.rank(x)?;
    let axes: Vec<i64> = (0..rank as i64).filter(|axis| *axis != 1).collect();
    let mean = reduced(cx, x, Some(axes.clone()), true, &mean::OP)?;
    let mean = bound(cx, mean)?;
    let off = cx.call(&subtract::OP, &[x, &mean], [])?;
    let off = bound(cx, off)?;
    let variance = reduced(cx, &cx.call(&square::OP, &[&off], [])?, Some(axes), true, &mean::OP)?;
    let variance = bound(cx, variance)?;
    let wide = |cx: &Cx<'_>, one: &Expr| cx.along_axis(one, 1, rank);
    let inverse = cx.call(&rsqrt::OP, &[&cx.with_number(&add::OP, &variance, args.float("epsilon", 1e-5)?)?], [])?;
    let scaled = cx.call(&multiply::OP, &[&cx.call(&multiply::OP, &[&off, &inverse], [])?, &wide(cx, scale)?], [])?;
    let found = cx.call(&add::OP, &[&scaled, &wide(cx, shift)?], [])?;
    let momentum = args.float("momentum", 0.9)?;
    let moved = |cx: &mut Cx<'_>, old: &Expr, new: &Expr| -> Res<Val> {
        let kept = cx.with_number(&multiply::OP, old, momentum)?;
        let added = cx.with_number(&multiply::OP, &cx.flat(new)?, 1.0 - momentum)?;
        Ok(cx.call(&add::OP, &[&kept, &added], [])?.into())
    };
    let (a, b) = (moved(cx, running_mean, &mean)?, moved(cx, running_variance, &variance)?);
    Ok(Val::Outputs(vec![found.into(), a, b]))
}

fn in_groups(cx: &mut Cx<'_>, x: &Expr, scale: &Expr, shift: &Expr, groups: i64, epsilon: f64) -> Res<Val> {
    let attrs = [
        ("num_groups", groups.to_attr()),
        ("channel_axis", 1i64.to_attr()),
        ("axes", (2..cx.rank(x)? as i64).collect::<Vec<_>>().to_attr()),
        ("epsilon", epsilon.to_attr()),
    ];
    Ok(cx.call(&group_norm::OP, &[x, scale, shift], attrs)?.into())
}

/// Before version 21 the scale is one for each group, since then one for each channel.
fn group_normalization(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, mut scale, mut shift) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?, args.tensor(cx, 2)?);
    let groups = args.int("num_groups", 0)?;
    if args.opset < 21 {
        let channels = cx.extent(&x, 1)?;
        let each = cx.integer(scalar::BinOp::FloorDiv, &channels, &scalar::Expr::i64(groups.max(1)))?;
        let count = each.as_int().ok_or_else(|| Refused::new("the number of channels must be known"))?;
        let attrs = [("repeats", count.to_attr()), ("axis", 0i64.to_attr())];
        scale = cx.call(&tilewright_ops::manipulate::repeat::OP, &[&scale], attrs.clone())?;
        shift = cx.call(&tilewright_ops::manipulate::repeat::OP, &[&shift], attrs)?;
    }
    in_groups(cx, &x, &scale, &shift, groups, args.float("epsilon", 1e-5)?)
}

fn layer_normalization(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, scale) = (args.bound(cx, 0)?, args.tensor(cx, 1)?);
    let axis = cx.axis(args.int("axis", -1)?, cx.rank(&x)?)?;
    let epsilon = args.float("epsilon", 1e-5)?;
    let found = layer(cx, &x, &scale, args.optional(cx, 2)?, axis, epsilon)?;
    if !args.wants(1) && !args.wants(2) {
        return Ok(found.into());
    }
    let (mean, inverse) = moments(cx, &x, axis, epsilon)?;
    Ok(Val::Outputs(vec![found.into(), mean.into(), inverse.into()]))
}

/// The mean and one over the deviation along the dimensions from `axis` on, as float32.
pub fn moments(cx: &mut Cx<'_>, x: &Expr, axis: usize, epsilon: f64) -> Res<(Expr, Expr)> {
    let axes: Vec<i64> = (axis as i64..cx.rank(x)? as i64).collect();
    let x = cx.astype(x, DataType::F32)?;
    let mean = reduced(cx, &x, Some(axes.clone()), true, &mean::OP)?;
    let mean = bound(cx, mean)?;
    let off = cx.call(&square::OP, &[&cx.call(&subtract::OP, &[&x, &mean], [])?], [])?;
    let variance = reduced(cx, &off, Some(axes), true, &tilewright_ops::statistical::mean::OP)?;
    let inverse = cx.call(&rsqrt::OP, &[&cx.with_number(&add::OP, &variance, epsilon)?], [])?;
    Ok((mean, inverse))
}

/// A parameter of the shape that is normalised, to which it may have to be broadcast.
fn of_shape(cx: &Cx<'_>, parameter: &Expr, shape: &[scalar::Expr]) -> Res<Expr> {
    let own = cx.shape(parameter)?;
    let analyzer = &cx.bb.infer_cx().analyzer;
    match own.len() == shape.len() && own.iter().zip(shape).all(|(a, b)| analyzer.prove_equal(a, b)) {
        true => Ok(parameter.clone()),
        false => cx.call(&tilewright_ops::manipulate::broadcast_to::OP, &[parameter, &Expr::shape(shape.to_vec())], []),
    }
}

/// The norm of the dimensions from `axis` on. The scale is broadcast with the data.
pub fn layer(cx: &mut Cx<'_>, x: &Expr, scale: &Expr, shift: Option<Expr>, axis: usize, epsilon: f64) -> Res<Expr> {
    let shape = cx.shape(x)?[axis..].to_vec();
    let dtype = cx.dtype(x)?;
    let attrs =
        [("axes", (axis as i64..cx.rank(x)? as i64).collect::<Vec<_>>().to_attr()), ("epsilon", epsilon.to_attr())];
    if cx.rank(scale)? > shape.len() {
        return Err(Refused::new("a scale of more dimensions than are normalised has no rule"));
    }
    let scale = of_shape(cx, &cx.astype(scale, dtype)?, &shape)?;
    let shift = match shift {
        Some(shift) => of_shape(cx, &cx.astype(&shift, dtype)?, &shape)?,
        None => cx.call(&full::OP, &[&Expr::shape(shape), &cx.number(0.0, dtype)?], [])?,
    };
    cx.call(&layer_norm::OP, &[x, &scale, &shift], attrs)
}

pub fn rms(cx: &mut Cx<'_>, x: &Expr, weight: &Expr, axis: usize, epsilon: f64) -> Res<Expr> {
    let shape = cx.shape(x)?[axis..].to_vec();
    let weight = of_shape(cx, &cx.astype(weight, cx.dtype(x)?)?, &shape)?;
    let axes: Vec<i64> = (axis as i64..cx.rank(x)? as i64).collect();
    cx.call(&rms_norm::OP, &[x, &weight], [("axes", axes.to_attr()), ("epsilon", epsilon.to_attr())])
}

/// Where the norm is 0, the elements stay 0.
fn lp_normalization(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.bound(cx, 0)?;
    let axis = cx.axis(args.int("axis", -1)?, cx.rank(&x)?)? as i64;
    let norm = match args.int("p", 2)? {
        1 => reduced(cx, &cx.call(&abs::OP, &[&x], [])?, Some(vec![axis]), true, &sum::OP)?,
        2 => {
            let total = reduced(cx, &cx.call(&square::OP, &[&x], [])?, Some(vec![axis]), true, &sum::OP)?;
            cx.call(&sqrt::OP, &[&total], [])?
        }
        p => return Err(Refused(format!("a norm of p = {p} has no rule"))),
    };
    let norm = bound(cx, norm)?;
    let none = cx.with_number(&tilewright_ops::binary::equal::OP, &norm, 0.0)?;
    let norm = cx.choose(&none, &cx.number(1.0, cx.dtype(&x)?)?, &norm)?;
    Ok(cx.call(&divide::OP, &[&x, &norm], [])?.into())
}

fn mean_variance(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.bound(cx, 0)?;
    let axes = args.ints("axes")?.unwrap_or_else(|| vec![0, 2, 3]);
    let mean = reduced(cx, &x, Some(axes.clone()), true, &mean::OP)?;
    let off = cx.call(&subtract::OP, &[&x, &mean], [])?;
    let off = bound(cx, off)?;
    let squares = cx.call(&square::OP, &[&off], [])?;
    let variance = reduced(cx, &squares, Some(axes), true, &tilewright_ops::statistical::mean::OP)?;
    let deviation = cx.call(&sqrt::OP, &[&variance], [])?;
    Ok(cx.call(&divide::OP, &[&off, &cx.with_number(&add::OP, &deviation, 1e-9)?], [])?.into())
}

/// Divided by a power of the sum of squares over neighbouring channels: a mean over windows of channels.
fn local_response(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.bound(cx, 0)?;
    let size = args.int("size", 0)?;
    if !(1..=1 << 16).contains(&size) {
        return Err(Refused(format!("`size` is a number of channels, found {size}")));
    }
    let (alpha, beta, bias) = (args.float("alpha", 1e-4)?, args.float("beta", 0.75)?, args.float("bias", 1.0)?);
    let shape = cx.shape(&x)?;
    let one = scalar::Expr::i64(1);
    let [n, c, rest @ ..] = shape.as_slice() else { return Err(Refused::new("expected channels")) };
    // Channels last, as windows of one dimension go over them.
    let image = cx.product(rest);
    let rows = cx.reshape(&cx.call(&square::OP, &[&x], [])?, vec![n.clone(), c.clone(), image.clone()])?;
    let rows =
        cx.reshape(&cx.permute(&rows, vec![0, 2, 1])?, vec![cx.product(&[n.clone(), image.clone()]), one, c.clone()])?;
    let attrs = [
        ("pool_size", vec![size].to_attr()),
        ("strides", vec![1i64].to_attr()),
        ("padding", vec![(size - 1) / 2, size - 1 - (size - 1) / 2].to_attr()),
        ("count_include_pad", true.to_attr()),
    ];
    let mean = cx.call(&avg_pool1d::OP, &[&rows], attrs)?;
    let mean = cx.permute(&cx.reshape(&mean, vec![n.clone(), image, c.clone()])?, vec![0, 2, 1])?;
    // `alpha / size` times the sum is `alpha` times the mean.
    let mean = cx.with_number(&multiply::OP, &cx.reshape(&mean, shape)?, alpha)?;
    let scale = cx.with_number(&power::OP, &cx.with_number(&add::OP, &mean, bias)?, beta)?;
    Ok(cx.call(&divide::OP, &[&x, &scale], [])?.into())
}
