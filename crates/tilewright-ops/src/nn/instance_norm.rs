//! Normalisation of each channel of each element of a batch.

use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Layouts, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, compute, legalize as legalize_formula};

use super::normalised::{channel_and_axes, check_parameters, scaled, standard};
use crate::elementwise::block_name;
use crate::reduction::{kept_index, means, variances};
use crate::{attributes, shapes};

op! {
    /// `(data - mean) / sqrt(variance + epsilon) * gamma + beta`, with mean and variance over `axes` alone: each
    /// channel of each element of a batch has its own.
    "nn.instance_norm" {
        args: {
            data: Tensor, "The input tensor.";
            gamma: Tensor, "The scale of each channel.";
            beta: Tensor, "The shift of each channel.";
        }
        attrs: {
            channel_axis: Int = AttrDefault::Required, "The dimension of the channels.";
            axes: Ints = AttrDefault::Required, "The dimensions that are averaged over.";
            epsilon: Float = AttrDefault::Float(1e-5), "What is added to the variance.";
            center: Bool = AttrDefault::Bool(true), "Whether the shift is added.";
            scale: Bool = AttrDefault::Bool(true), "Whether the scale is multiplied in.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
        layouts: Layouts::Numbered(&["channel_axis", "axes"]),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    check_parameters(cx, call, 1..3, 1, &|rank| Ok(vec![channel_and_axes(call, rank)?.0]))?;
    shapes::infer_same(cx, call)
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (channel, axes) = channel_and_axes(call, shapes::dims_of(call, 0)?.len())?;
    let (epsilon, name) = (attributes::float(call, "epsilon")?, block_name(call));
    let (center, scale) = (attributes::flag(call, "center"), attributes::flag(call, "scale"));
    legalize_formula(call, |inputs| {
        let [x, gamma, beta] = inputs else { return Ok(Vec::new()) };
        let mean = means(x, &axes, &name)?;
        let variance = variances(x, &mean, &axes, &name)?;
        let result = compute(x.shape(), &name, |i| {
            let kept = kept_index(i, &axes);
            let standard = standard(&x.at_all(i), &mean.at_all(&kept), &variance.at_all(&kept), epsilon);
            let of_channel = |parameter: &Tensor| parameter.at(&[&i[channel]]);
            scaled(standard, scale.then(|| of_channel(gamma)), center.then(|| of_channel(beta))).cast(x.dtype())
        });
        Ok(vec![result?])
    })
}
