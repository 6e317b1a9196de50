//! The functions of layers that are more than one function of tensors.

use crate::op::table::op_fns;
use crate::op::{self, Call, Value};
use crate::{Result, Tensor};

op_fns! {
    /// `x @ weight.T + bias`, with a weight of (outputs, inputs); `out_dtype` is the type of the product.
    linear(x: Tensor, weight: Tensor; bias: OptionalTensor = Nothing, out_dtype: OptionalDType = Nothing) -> Tensor
        => product;
    /// The elements divided by the root of their mean square along `axes`, times the weight, plus the bias if any.
    rms_norm(x: Tensor, weight: Tensor, axes: Any; bias: OptionalTensor = Nothing, epsilon: Float = Float(1e-5))
        -> Tensor => root_mean_square;
    /// A row of the weight for each index, along a new last dimension.
    embedding(x: Tensor, weight: Tensor) -> Tensor => rows;
}

/// The result plus the bias, where there is one.
fn plus_bias(call: &Call<'_>, result: Tensor) -> Result<Value> {
    Ok(match call.optional("bias")? {
        Some(bias) => op::add(&result, bias)?.into(),
        None => result.into(),
    })
}

fn product(call: &Call<'_>) -> Result<Value> {
    let options = op::matmul::Options { out_dtype: call.attr("out_dtype")?.clone().into() };
    let product = op::matmul::with(call.tensor("x")?, &op::permute_dims(call.tensor("weight")?)?, options)?;
    plus_bias(call, product)
}

fn root_mean_square(call: &Call<'_>) -> Result<Value> {
    let options = op::rms_norm::Options { epsilon: call.attr("epsilon")?.clone().into() };
    let (x, weight, axes) = (call.tensor("x")?, call.tensor("weight")?, call.attr("axes")?.clone());
    plus_bias(call, op::rms_norm::with(x, weight, axes, options)?)
}

fn rows(call: &Call<'_>) -> Result<Value> {
    let (x, weight) = (call.tensor("x")?, call.tensor("weight")?);
    let rows_of = |indices: &Tensor| op::take::with(weight, indices, op::take::Options { axis: 0.into() });
    if x.expr().struct_info.rank() == Some(1) {
        return rows_of(x).map(Into::into);
    }
    let rows = rows_of(&op::reshape(x, [-1])?)?;
    let mut shape = x.shape()?.to_vec();
    shape.push(weight.dim(1)?);
    op::reshape(&rows, shape).map(Into::into)
}
