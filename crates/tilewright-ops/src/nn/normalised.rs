//! Shared by normalisations: the mean and variance of groups of elements, and a scale and a shift.
//!
//! All is worked out in float32 where elements are narrower, and the mean is subtracted before squares are taken.

use tilewright_expr::{Expr, Intrinsic};
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::TensorShape;
use tilewright_te::{Tensor, Value};
use tilewright_tensor::DataType;

use crate::elementwise::{check_dtype, float};
use crate::{attributes, shapes};

/// `(x - mean) / sqrt(variance + epsilon)`, in the type of the mean.
pub(super) fn standard(x: &Value, mean: &Value, variance: &Value, epsilon: f64) -> Value {
    let dtype = mean.dtype().unwrap_or(DataType::F32);
    (x.cast(dtype) - mean) / (variance + epsilon).intrinsic(Intrinsic::Sqrt)
}

/// The value scaled and shifted, in the type that it has.
pub(super) fn scaled(value: Value, scale: Option<Value>, shift: Option<Value>) -> Value {
    let dtype = value.dtype().unwrap_or(DataType::F32);
    let value = match scale {
        Some(scale) => value * scale.cast(dtype),
        None => value,
    };
    match shift {
        Some(shift) => value + shift.cast(dtype),
        None => value,
    }
}

/// The dimension of the channels, and the other dimensions that are averaged over: `channel_axis` and `axes`.
pub(super) fn channel_and_axes(call: &OpCall<'_>, rank: usize) -> Result<(usize, Vec<usize>), InferError> {
    let channel = attributes::axis_attr(call, "channel_axis", rank)?;
    let axes = attributes::axes(call, &attributes::ints(call, "axes")?, rank)?;
    if axes.contains(&channel) {
        let message = format!("`{}`: dimension {channel} is that of the channels", call.op.name);
        return Err(InferError::new(message));
    }
    Ok((channel, axes))
}

/// The rule about parameters: floats of the tensor's type whose shape is that of its dimensions `axes`, of which there
/// are `count`.
pub(super) fn check_parameters(
    cx: &InferCx,
    call: &OpCall<'_>,
    parameters: std::ops::Range<usize>,
    count: usize,
    axes: &dyn Fn(usize) -> Result<Vec<usize>, InferError>,
) -> Result<(), InferError> {
    let (shape, dtype) = call.tensor(0)?;
    check_dtype(call, 0, dtype, float)?;
    for parameter in parameters.clone() {
        let (own, own_type) = call.tensor(parameter)?;
        let (op, name) = (call.op.name, call.op.args.get(parameter).map_or("?", |def| def.name));
        if own_type != dtype {
            let [wanted, found] =
                [dtype, own_type].map(|dtype| dtype.map_or("unknown".into(), |dtype| dtype.to_string()));
            let message = format!("`{op}`: the data type of `{name}` is {found}, that of the data {wanted}");
            return Err(InferError::at(parameter, message));
        }
        if own.rank() != Some(count) {
            let found = own.rank().map_or("an unknown number".into(), |rank| rank.to_string());
            let message = format!("`{op}`: `{name}` must have {count} dimensions, found {found}");
            return Err(InferError::at(parameter, message));
        }
    }
    let Some(rank) = shape.rank() else { return Ok(()) };
    let axes = axes(rank)?;
    for parameter in parameters {
        let own = call.tensor(parameter)?.0;
        let name = call.op.args.get(parameter).map_or("?", |def| def.name);
        let (TensorShape::Known(dims), TensorShape::Known(own)) = (shape, own) else { continue };
        let wanted: Vec<Expr> = axes.iter().map(|&at| dims[at].clone()).collect();
        if wanted.iter().zip(own).any(|(a, b)| cx.clash(a, b)) {
            let (wanted, own) = (shapes::dims_text(&wanted), shapes::dims_text(own));
            let message = format!("`{}`: `{name}` must have the shape {wanted}, found {own}", call.op.name);
            return Err(InferError::at(parameter, message));
        }
    }
    Ok(())
}

/// The element of a parameter of these axes at `i` of the tensor.
pub(super) fn parameter(x: &Tensor, i: &[Value], axes: &[usize]) -> Value {
    x.at_all(&axes.iter().map(|&at| i[at].clone()).collect::<Vec<_>>())
}
