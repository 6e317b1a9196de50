//! Normalisation over the dimensions of a layer.

use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties, Purpose};
use tilewright_ir::relax::{Expr, StructInfo};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{compute, legalize as legalize_formula};

use super::decomposition::Calls;
use super::normalised::{check_parameters, parameter, scaled, standard};
use crate::elementwise::block_name;
use crate::reduction::{kept_index, means, variances};
use crate::statistical::{mean, variance};
use crate::{attributes, shapes};

op! {
    /// `(data - mean) / sqrt(variance + epsilon) * gamma + beta`, with mean and variance over `axes`.
    "nn.layer_norm" {
        args: {
            data: Tensor, "The input tensor.";
            gamma: Tensor, "The scale, of the shape of the dimensions `axes`.";
            beta: Tensor, "The shift, of the shape of the dimensions `axes`.";
        }
        attrs: {
            axes: Ints = AttrDefault::Required, "The dimensions; negative numbers count from the end.";
            epsilon: Float = AttrDefault::Float(1e-5), "What is added to the variance.";
            center: Bool = AttrDefault::Bool(true), "Whether the shift is added.";
            scale: Bool = AttrDefault::Bool(true), "Whether the scale is multiplied in.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
        decompose: decompose,
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let given = attributes::ints(call, "axes")?;
    check_parameters(cx, call, 1..3, given.len(), &|rank| attributes::axes(call, &given, rank))?;
    shapes::infer_same(cx, call)
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let axes = attributes::axes(call, &attributes::ints(call, "axes")?, shapes::dims_of(call, 0)?.len())?;
    let (epsilon, name) = (attributes::float(call, "epsilon")?, block_name(call));
    let (center, scale) = (attributes::flag(call, "center"), attributes::flag(call, "scale"));
    legalize_formula(call, |inputs| {
        let [x, gamma, beta] = inputs else { return Ok(Vec::new()) };
        let mean = means(x, &axes, &name)?;
        let variance = variances(x, &mean, &axes, &name)?;
        let result = compute(x.shape(), &name, |i| {
            let kept = kept_index(i, &axes);
            let standard = standard(&x.at_all(i), &mean.at_all(&kept), &variance.at_all(&kept), epsilon);
            let gamma = scale.then(|| parameter(gamma, i, &axes));
            scaled(standard, gamma, center.then(|| parameter(beta, i, &axes))).cast(x.dtype())
        });
        Ok(vec![result?])
    })
}

/// For training, whose derivatives the simpler operators have. Parameters whose dimensions are in another order stay.
fn decompose(cx: &InferCx, call: &OpCall<'_>, purpose: Purpose) -> Result<Option<Expr>, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let (Some(rank), Some(dtype), Purpose::Training) = (shape.rank(), dtype, purpose) else { return Ok(None) };
    let [x, gamma, beta] = call.args else { return Ok(None) };
    let axes = attributes::axes(call, &attributes::ints(call, "axes")?, rank)?;
    if !axes.is_sorted() {
        return Ok(None);
    }
    let calls = Calls { cx, dtype: crate::elementwise::wide(dtype) };
    let wide = calls.wide(x)?;
    let over: Vec<i64> = axes.iter().map(|&axis| axis as i64).collect();
    let mean = mean::call(cx, wide.clone(), Some(&over), true)?;
    let variance = variance::call(cx, wide.clone(), Some(&over), true)?;
    let standard = calls.standard(wide, mean, variance, attributes::float(call, "epsilon")?)?;
    let spread = |parameter: &Expr| calls.spread(parameter, &axes, rank);
    let scale = attributes::flag(call, "scale").then(|| spread(gamma)).transpose()?;
    let shift = attributes::flag(call, "center").then(|| spread(beta)).transpose()?;
    calls.converted(&calls.scaled(standard, scale, shift)?, dtype).map(Some)
}
