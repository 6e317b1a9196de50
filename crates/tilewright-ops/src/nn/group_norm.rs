//! Normalisation over groups of channels.

use tilewright_expr::{BinOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Layouts, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{TeError, Tensor, Value, compute, legalize as legalize_formula};

use super::normalised::{channel_and_axes, check_parameters, scaled, standard};
use crate::elementwise::block_name;
use crate::reduction::{means, variances};
use crate::{attributes, shapes};

op! {
    /// `(data - mean) / sqrt(variance + epsilon) * gamma + beta`, with mean and variance over `axes` and over the
    /// channels of one group.
    "nn.group_norm" {
        args: {
            data: Tensor, "The input tensor.";
            gamma: Tensor, "The scale of each channel.";
            beta: Tensor, "The shift of each channel.";
        }
        attrs: {
            num_groups: Int = AttrDefault::Required, "The number of groups, which divides that of the channels.";
            channel_axis: Int = AttrDefault::Required, "The dimension of the channels.";
            axes: Ints = AttrDefault::Required, "The other dimensions that are averaged over.";
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
    let groups = attributes::int(call, "num_groups")?;
    if groups < 1 {
        return Err(InferError::new(format!("`nn.group_norm` needs at least one group, found {groups}")));
    }
    if let Some(dims) = call.args.first().and_then(|data| data.struct_info.dims()) {
        let channels = &dims[channel_and_axes(call, dims.len())?.0];
        if cx.leaves_rest(channels, groups) {
            let channels = shapes::dim_text(channels);
            let message = format!("`nn.group_norm`: {groups} groups do not divide {channels} channels");
            return Err(InferError::at(0, message));
        }
    }
    shapes::infer_same(cx, call)
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::dims_of(call, 0)?;
    let (channel, axes) = channel_and_axes(call, dims.len())?;
    let (epsilon, name, groups) =
        (attributes::float(call, "epsilon")?, block_name(call), attributes::int(call, "num_groups")?);
    let (center, scale) = (attributes::flag(call, "center"), attributes::flag(call, "scale"));
    let size = Expr::binary(BinOp::FloorDiv, &dims[channel], &Expr::i64(groups)).map_err(TeError::from)?;
    let known = InferCx::default().analyzer;
    let size = known.simplify(&size);
    // A tensor without elements may have groups of size 0.
    let divisor = known.simplify(&Expr::binary(BinOp::Max, &size, &Expr::i64(1)).map_err(TeError::from)?);
    legalize_formula(call, |inputs| {
        let [x, gamma, beta] = inputs else { return Ok(Vec::new()) };
        let grouped = grouped(x, channel, groups, &size, &name)?;
        // Axes after that of the groups are shifted by one.
        let mut over: Vec<usize> = axes.iter().map(|&at| at + usize::from(at > channel)).collect();
        over.push(channel + 1);
        let mean = means(&grouped, &over, &name)?;
        let variance = variances(&grouped, &mean, &over, &name)?;
        let result = compute(x.shape(), &name, |i| {
            let mut of_group: Vec<Value> = i.to_vec();
            let least = Value::from(Expr::i64(0));
            for &at in &axes {
                of_group[at] = least.clone();
            }
            of_group[channel] = i[channel].binary(BinOp::FloorDiv, divisor.clone());
            of_group.insert(channel + 1, least);
            let standard = standard(&x.at_all(i), &mean.at_all(&of_group), &variance.at_all(&of_group), epsilon);
            let of_channel = |parameter: &Tensor| parameter.at(&[&i[channel]]);
            scaled(standard, scale.then(|| of_channel(gamma)), center.then(|| of_channel(beta))).cast(x.dtype())
        });
        Ok(vec![result?])
    })
}

/// The tensor with the channels in two dimensions: the group, and the channel within it.
fn grouped(x: &Tensor, channel: usize, groups: i64, size: &Expr, name: &str) -> Result<Tensor, TeError> {
    let mut dims = x.shape().to_vec();
    dims[channel] = Expr::i64(groups);
    dims.insert(channel + 1, size.clone());
    compute(&dims, &format!("{name}_groups"), |i| {
        let mut own = i.to_vec();
        let within = own.remove(channel + 1);
        own[channel] = &i[channel] * Value::from(size.clone()) + within;
        x.at_all(&own)
    })
}
