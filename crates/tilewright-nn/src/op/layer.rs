//! Layers of networks: convolutions, normalisations, attention, images.

use tilewright_expr::Expr as Scalar;
use tilewright_ir::Attr;
use tilewright_ir::node::FloatBits;
use tilewright_ir::op::OpDef;
use tilewright_ir::relax::Expr;
use tilewright_ops::{binary, image, nn};
use tilewright_tensor::DataType;

use super::call::scalar;
use super::table::op_fns;
use super::{
    Call, Value, arange, astype, concat, cos, divide, exp, multiply, ones, pad, reshape, sin, unsqueeze, zeros,
};
use crate::{Result, Tensor};

op_fns! {
    TABLE;
    /// The convolution of (n, channels, w) with (outputs, channels / groups, k), plus a bias for each output.
    conv1d(
        x: Tensor, weight: Tensor;
        bias: OptionalTensor = Nothing, stride: Any = Int(1), padding: Any = Int(0), dilation: Any = Int(1),
        groups: Int = Int(1)
    ) -> Tensor => |call| convolution(call, &nn::conv1d::OP);
    /// The convolution of images with (outputs, channels / groups, kh, kw), plus a bias for each output.
    conv2d(
        x: Tensor, weight: Tensor;
        bias: OptionalTensor = Nothing, stride: Any = Int(1), padding: Any = Int(0), dilation: Any = Int(1),
        groups: Int = Int(1), data_layout: Str = Str("NCHW")
    ) -> Tensor => |call| convolution(call, &nn::conv2d::OP);
    /// The convolution of volumes with (outputs, channels / groups, kd, kh, kw), plus a bias for each output.
    conv3d(
        x: Tensor, weight: Tensor;
        bias: OptionalTensor = Nothing, stride: Any = Int(1), padding: Any = Int(0), dilation: Any = Int(1),
        groups: Int = Int(1), data_layout: Str = Str("NCDHW")
    ) -> Tensor => |call| convolution(call, &nn::conv3d::OP);
    /// The transposed convolution of (n, channels, w) with (channels, outputs / groups, k), plus a bias.
    conv1d_transpose(
        x: Tensor, weight: Tensor;
        bias: OptionalTensor = Nothing, stride: Any = Int(1), padding: Any = Int(0), output_padding: Any = Int(0),
        dilation: Any = Int(1), groups: Int = Int(1)
    ) -> Tensor => |call| convolution(call, &nn::conv1d_transpose::OP);
    /// The last axes, as many as `normalized_shape` has, brought to mean 0 and variance 1, times weight plus bias.
    layer_norm(
        x: Tensor, normalized_shape: Any;
        weight: OptionalTensor = Nothing, bias: OptionalTensor = Nothing, eps: Float = Float(1e-5)
    ) -> Tensor => of_layer;
    /// The elements divided by the root of their mean square along axes, times a weight.
    rms_norm(x: Tensor, weight: Tensor, axes: Any; epsilon: Float = Float(1e-5)) -> Tensor = nn::rms_norm::OP;
    /// Groups of channels, each brought to mean 0 and variance 1 along `axes`, times weight plus bias of the channel.
    ///
    /// Without `axes` these are all but the first and the channels'.
    group_norm(
        x: Tensor, num_groups: Int, weight: OptionalTensor, bias: OptionalTensor;
        eps: Float = Float(1e-5), channel_axis: Int = Int(1), axes: OptionalInts = Nothing
    ) -> Tensor => of_groups;
    /// Attention of (batch, queries, heads, width) to (batch, keys, heads, width).
    ///
    /// `attn_mask` is added to the products; `is_causal` hides keys after a query; `scale` is 1 / sqrt(width) unless it
    /// is given.
    scaled_dot_product_attention(
        query: Tensor, key: Tensor, value: Tensor;
        attn_mask: OptionalTensor = Nothing, is_causal: OptionalBool = Bool(false), scale: OptionalFloat = Nothing
    ) -> Tensor => attended;
    /// Images of another height and width: `size`, or the old ones times `scale_factor`.
    interpolate(
        x: Tensor;
        size: Any = Nothing, scale_factor: Any = Nothing, mode: Str = Str("nearest"),
        align_corners: OptionalBool = Nothing, recompute_scale_factor: OptionalBool = Nothing,
        antialias: OptionalBool = Nothing, data_layout: Str = Str("NCHW")
    ) -> Tensor => resized;
    /// Sines and cosines of steps (n,) at `embedding_dim / 2` frequencies that fall from 1 towards 1 / `max_period`.
    get_timestep_embedding(
        x: Tensor, embedding_dim: Int;
        flip_sin_to_cos: Bool = Bool(false), downscale_freq_shift: Float = Int(1), scale: Float = Int(1),
        max_period: Int = Int(10000)
    ) -> Tensor => waves;
}

/// A convolution; of its parameters, those that the entry has are attributes of the operator.
fn convolution(call: &Call<'_>, op: &'static OpDef) -> Result<Value> {
    let named = [
        ("stride", "strides"),
        ("padding", "padding"),
        ("output_padding", "output_padding"),
        ("dilation", "dilation"),
        ("groups", "groups"),
        ("data_layout", "data_layout"),
    ];
    let mut attrs = Vec::new();
    for (name, attr) in named {
        if call.entry.params.iter().any(|param| param.name == name) {
            attrs.push((attr, call.attr(name)?.clone()));
        }
    }
    let channels = match attrs.iter().find(|(attr, _)| *attr == "data_layout") {
        Some((_, layout)) => layout.as_str().and_then(|layout| layout.find('C')),
        None => Some(1),
    };
    let args = vec![call.tensor("x")?.expr().clone(), call.tensor("weight")?.expr().clone()];
    let result = call.graph.call(op, args, attrs, call.name)?;
    let Some(bias) = call.optional("bias")? else { return Ok(result.into()) };
    let mut shape = vec![Scalar::i64(1); result.expr().struct_info.rank().unwrap_or(0)];
    let channels = channels.and_then(|at| shape.get_mut(at));
    *channels.ok_or_else(|| call.refused("`data_layout` names no channels"))? = bias.dim(0)?;
    let args = vec![result.expr().clone(), reshape(bias, shape)?.expr().clone()];
    call.graph.call(&binary::add::OP, args, [], &format!("{}_bias", call.name)).map(Into::into)
}

/// The weight and the bias of a normalisation, ones and zeros of this shape where there are none; and which are given.
struct Affine {
    weight: Tensor,
    bias: Tensor,
    scale: Attr,
    center: Attr,
}

fn affine(call: &Call<'_>, shape: &[Attr]) -> Result<Affine> {
    let (weight, bias, shape) = (call.optional("weight")?, call.optional("bias")?, Attr::Array(shape.to_vec()));
    let (scale, center) = (Attr::Bool(weight.is_some()), Attr::Bool(bias.is_some()));
    let dtype = call.tensor("x")?.dtype()?;
    let weight = match weight {
        Some(weight) => weight.clone(),
        None => ones::with(call.graph, shape.clone(), ones::Options { dtype: dtype.into() })?,
    };
    let bias = match bias {
        Some(bias) => bias.clone(),
        None => zeros::with(call.graph, shape, zeros::Options { dtype: dtype.into() })?,
    };
    Ok(Affine { weight, bias, scale, center })
}

fn of_layer(call: &Call<'_>) -> Result<Value> {
    let shape = call.list("normalized_shape")?;
    let Affine { weight, bias, scale, center } = affine(call, &shape)?;
    let axes = (1..=shape.len() as i64).rev().map(|back| Attr::Int(-back)).collect();
    let epsilon = call.attr("eps")?.clone();
    let attrs = [("axes", Attr::Array(axes)), ("epsilon", epsilon), ("center", center), ("scale", scale)];
    call.op(&nn::layer_norm::OP, &[call.tensor("x")?, &weight, &bias], attrs).map(Into::into)
}

fn of_groups(call: &Call<'_>) -> Result<Value> {
    let (x, channel_axis) = (call.tensor("x")?, call.int("channel_axis")?);
    let rank = x.shape()?.len() as i64;
    let axes = match call.attr("axes")? {
        Attr::None => {
            let channels = channel_axis.rem_euclid(rank.max(1));
            Attr::Array((1..rank).filter(|&axis| axis != channels).map(Attr::Int).collect())
        }
        given => given.clone(),
    };
    let channels = scalar_attr(x.dim(channel_axis as isize)?);
    let Affine { weight, bias, scale, center } = affine(call, &[channels])?;
    let attrs = [
        ("num_groups", call.attr("num_groups")?.clone()),
        ("channel_axis", Attr::Int(channel_axis)),
        ("axes", axes),
        ("epsilon", call.attr("eps")?.clone()),
        ("center", center),
        ("scale", scale),
    ];
    call.op(&nn::group_norm::OP, &[x, &weight, &bias], attrs).map(Into::into)
}

fn scalar_attr(dim: Scalar) -> Attr {
    dim.as_int().map_or(Attr::Expr(dim), Attr::Int)
}

fn attended(call: &Call<'_>) -> Result<Value> {
    let causal = if call.flag("is_causal")? { Attr::str("TopLeft") } else { Attr::None };
    let attrs = [("scale", call.attr("scale")?.clone()), ("causal_mask", causal)];
    let (query, key, value) = (call.tensor("query")?, call.tensor("key")?, call.tensor("value")?);
    match call.optional("attn_mask")? {
        None => call.op(&nn::attention::OP, &[query, key, value], attrs).map(Into::into),
        Some(mask) => call.op(&nn::attention_bias::OP, &[query, key, value, mask], attrs).map(Into::into),
    }
}

fn resized(call: &Call<'_>) -> Result<Value> {
    if call.flag("recompute_scale_factor")? || call.flag("antialias")? {
        return Err(call.refused("`recompute_scale_factor` and `antialias` are not supported"));
    }
    let size = match (call.attr("size")?, call.attr("scale_factor")?) {
        (Attr::None, Attr::None) => None,
        (Attr::None, _) => Some(scaled_size(call)?),
        (size, Attr::None) => match call.list("size")?.as_slice() {
            [both] if !matches!(size, Attr::Array(_)) => Some(vec![both.clone(), both.clone()]),
            sizes => Some(sizes.to_vec()),
        },
        _ => None,
    };
    let size = size.ok_or_else(|| call.refused("the operation takes one of `size` and `scale_factor`"))?;
    let size: Option<Vec<Scalar>> = size.iter().map(scalar).collect();
    let size = size.ok_or_else(|| call.refused("`size` is two numbers"))?;
    let mode = call.text("mode")?;
    let nearest = mode.starts_with("nearest");
    let method = match mode {
        "nearest" => "nearest_neighbor",
        "bilinear" => "linear",
        "bicubic" => "cubic",
        other => other,
    };
    let corners = if call.flag("align_corners")? { "align_corners" } else { "half_pixel" };
    let attrs = [
        ("layout", call.attr("data_layout")?.clone()),
        ("method", Attr::str(method)),
        ("coordinate_transformation_mode", Attr::str(if nearest { "asymmetric" } else { corners })),
        ("rounding_method", Attr::str(if nearest { "floor" } else { "round" })),
        ("cubic_alpha", Attr::Float(FloatBits(-0.75))),
    ];
    let args = vec![call.tensor("x")?.expr().clone(), Expr::shape(size)];
    call.graph.call(&image::resize2d::OP, args, attrs, call.name).map(Into::into)
}

/// The height and the width times the factors, rounded down.
fn scaled_size(call: &Call<'_>) -> Result<Vec<Attr>> {
    let (x, layout) = (call.tensor("x")?, call.text("data_layout")?);
    let factors = call.list("scale_factor")?;
    let factors = if factors.len() == 1 { vec![factors[0].clone(), factors[0].clone()] } else { factors };
    let scaled = |(letter, factor): (char, &Attr)| {
        let at = layout.find(letter).ok_or_else(|| call.refused(format_args!("`data_layout` has no {letter}")))?;
        let dim = x.dim(at as isize)?;
        let whole = match factor {
            Attr::Float(value) if value.0.fract() == 0.0 => Some(Scalar::i64(value.0 as i64)),
            other => scalar(other).filter(|factor| factor.dtype.is_int()),
        };
        match (dim.as_int(), factor, whole) {
            (Some(dim), Attr::Float(factor), _) => Ok(Attr::Int((dim as f64 * factor.0).floor() as i64)),
            (Some(dim), Attr::Int(factor), _) => {
                let size = dim.checked_mul(*factor);
                size.map(Attr::Int).ok_or_else(|| call.refused(format_args!("{dim} times {factor} is no dimension")))
            }
            (_, _, Some(whole)) => Ok(scalar_attr(dim * whole)),
            _ => Err(call.refused("a dimension that is not known is scaled by an integer")),
        }
    };
    "HW".chars().zip(&factors).map(scaled).collect()
}

fn waves(call: &Call<'_>) -> Result<Value> {
    let (x, width, shift) = (call.tensor("x")?, call.int("embedding_dim")?, call.float("downscale_freq_shift")?);
    let (half, max_period) = (width.div_euclid(2), call.float("max_period")?);
    let steps = if x.dtype()?.is_float() { x.clone() } else { astype(x, DataType::F32)? };
    let options = arange::Options { end: half.into(), dtype: steps.dtype()?.into(), ..Default::default() };
    let exponents = multiply(&arange::with(call.graph, 0, options)?, -max_period.ln())?;
    let args = vec![exponents.into(), (half as f64 - shift).into()];
    let frequencies = exp(&divide::FN.call(call.graph, args, "exponents")?.one()?)?;
    let mut angles = multiply(&unsqueeze(&steps, 1)?, &unsqueeze(&frequencies, 0)?)?;
    if call.float("scale")? != 1.0 {
        angles = multiply(&angles, call.float("scale")?)?;
    }
    let parts = match call.flag("flip_sin_to_cos")? {
        true => [cos(&angles)?, sin(&angles)?],
        false => [sin(&angles)?, cos(&angles)?],
    };
    let [first, second] = &parts;
    if width % 2 == 0 {
        return concat::FN.call(call.graph, vec![[first, second].as_slice().into(), (-1).into()], call.name);
    }
    let waves = concat(&[first, second], -1)?;
    pad::FN.call(call.graph, vec![waves.into(), [0, 0, 0, 1].into(), "constant".into(), 0.into()], call.name)
}
