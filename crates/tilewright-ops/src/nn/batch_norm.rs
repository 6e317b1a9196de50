//! Normalisation over a batch.

use tilewright_expr::Expr as Scalar;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Layouts, Legalize, OpCall, Properties, Purpose};
use tilewright_ir::relax::{Expr, StructInfo};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{TeError, Tensor, Value, compute, legalize as legalize_formula};

use super::decomposition::Calls;
use super::normalised::{check_parameters, scaled, standard};
use crate::elementwise::block_name;
use crate::reduction::{converted, means, variances};
use crate::statistical::{mean, variance};
use crate::{attributes, shapes};

op! {
    /// `(data - mean) / sqrt(variance + epsilon) * gamma + beta` for each channel; the result is the tuple of that, the
    /// moving mean and the moving variance.
    ///
    /// Without `training`, mean and variance are the moving ones, which stay. With it they are those of the batch, and
    /// the moving ones move to them: `(1 - momentum) * moving + momentum * batch`.
    "nn.batch_norm" {
        args: {
            data: Tensor, "The input tensor.";
            gamma: Tensor, "The scale of each channel.";
            beta: Tensor, "The shift of each channel.";
            moving_mean: Tensor, "The moving mean of each channel.";
            moving_var: Tensor, "The moving variance of each channel.";
        }
        attrs: {
            axis: Int = AttrDefault::Required, "The dimension of the channels.";
            epsilon: Float = AttrDefault::Float(1e-5), "What is added to the variance.";
            center: Bool = AttrDefault::Bool(true), "Whether the shift is added.";
            scale: Bool = AttrDefault::Bool(true), "Whether the scale is multiplied in.";
            momentum: Float = AttrDefault::Float(0.1), "How far the moving ones move.";
            training: Bool = AttrDefault::Bool(true), "Whether mean and variance are those of the batch.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
        decompose: decompose,
        layouts: Layouts::Numbered(&["axis"]),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    check_parameters(cx, call, 1..5, 1, &|rank| Ok(vec![attributes::axis_attr(call, "axis", rank)?]))?;
    let own = |arg: usize| call.tensor(arg).map(|(shape, dtype)| StructInfo::tensor_with(shape.clone(), dtype));
    Ok(StructInfo::Tuple(vec![own(0)?, own(3)?, own(4)?]))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let rank = shapes::dims_of(call, 0)?.len();
    let channel = attributes::axis_attr(call, "axis", rank)?;
    let (epsilon, momentum) = (attributes::float(call, "epsilon")?, attributes::float(call, "momentum")?);
    let (center, scale) = (attributes::flag(call, "center"), attributes::flag(call, "scale"));
    let (training, name) = (attributes::flag(call, "training"), block_name(call));
    legalize_formula(call, |inputs| {
        let [x, gamma, beta, moving_mean, moving_var] = inputs else { return Ok(Vec::new()) };
        let (mean, variance) = match training {
            true => of_batch(x, channel, &name)?,
            false => (wide(moving_mean, &name)?, wide(moving_var, &name)?),
        };
        let result = compute(x.shape(), &name, |i| {
            let of_channel = |parameter: &Tensor| parameter.at(&[&i[channel]]);
            let standard = standard(&x.at_all(i), &of_channel(&mean), &of_channel(&variance), epsilon);
            scaled(standard, scale.then(|| of_channel(gamma)), center.then(|| of_channel(beta))).cast(x.dtype())
        })?;
        let moved = |moving: &Tensor, batch: &Tensor, what: &str| {
            compute(moving.shape(), &format!("{name}_{what}"), |i| match training {
                true => {
                    let moved = moving.at_all(i).cast(batch.dtype()) * (1.0 - momentum) + batch.at_all(i) * momentum;
                    moved.cast(moving.dtype())
                }
                false => moving.at_all(i),
            })
        };
        Ok(vec![result, moved(moving_mean, &mean, "moving_mean")?, moved(moving_var, &variance, "moving_var")?])
    })
}

fn wide(x: &Tensor, name: &str) -> Result<Tensor, TeError> {
    converted(x, crate::elementwise::wide(x.dtype()), &format!("{name}_wide"))
}

/// Mean and variance of each channel.
fn of_batch(x: &Tensor, channel: usize, name: &str) -> Result<(Tensor, Tensor), TeError> {
    let axes: Vec<usize> = (0..x.rank()).filter(|at| *at != channel).collect();
    let mean = means(x, &axes, name)?;
    let variance = variances(x, &mean, &axes, name)?;
    let of_channel = |kept: &Tensor, what: &str| {
        compute(&[x.dim(channel)], &format!("{name}_batch_{what}"), |i| {
            let index = |at| if at == channel { i[0].clone() } else { Value::from(Scalar::i64(0)) };
            kept.at_all(&(0..x.rank()).map(index).collect::<Vec<_>>())
        })
    };
    Ok((of_channel(&mean, "mean")?, of_channel(&variance, "variance")?))
}

/// Mean and variance are those that the call takes; for inference the moving ones.
fn decompose(cx: &InferCx, call: &OpCall<'_>, purpose: Purpose) -> Result<Option<Expr>, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let (Some(rank), Some(dtype)) = (shape.rank(), dtype) else { return Ok(None) };
    let [x, gamma, beta, moving_mean, moving_var] = call.args else { return Ok(None) };
    let channel = attributes::axis_attr(call, "axis", rank)?;
    let (epsilon, momentum) = (attributes::float(call, "epsilon")?, attributes::float(call, "momentum")?);
    let training = attributes::flag(call, "training") && purpose != Purpose::Inference;
    let calls = Calls { cx, dtype: crate::elementwise::wide(dtype) };
    let wide = calls.wide(x)?;
    let (mean, variance) = match training {
        true => {
            let axes: Vec<i64> = (0..rank).filter(|at| *at != channel).map(|at| at as i64).collect();
            let mean = mean::call(cx, wide.clone(), Some(&axes), false)?;
            (mean, variance::call(cx, wide.clone(), Some(&axes), false)?)
        }
        false => (calls.wide(moving_mean)?, calls.wide(moving_var)?),
    };
    let spread = |parameter: &Expr| calls.spread(parameter, &[channel], rank);
    let standard = calls.standard(wide, spread(&mean)?, spread(&variance)?, epsilon)?;
    let scale = attributes::flag(call, "scale").then(|| spread(gamma)).transpose()?;
    let shift = attributes::flag(call, "center").then(|| spread(beta)).transpose()?;
    let result = calls.converted(&calls.scaled(standard, scale, shift)?, dtype)?;
    let fields = match training {
        true => {
            vec![result, calls.moved(moving_mean, mean, momentum)?, calls.moved(moving_var, variance, momentum)?]
        }
        false => vec![result, moving_mean.clone(), moving_var.clone()],
    };
    Ok(Some(Expr::tuple(fields)))
}
