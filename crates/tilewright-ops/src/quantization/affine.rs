//! Shape inference and loops of `quantize` and `dequantize`: a scale and a zero point per tensor, or per index of an
//! axis.

use tilewright_expr::Expr;
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, Value, compute, legalize as legalize_formula};
use tilewright_tensor::DataType;

use crate::elementwise::{Takes, block_name, check_dtype, float, number};
use crate::{attributes, shapes};

/// The rule: the data's shape, and the type of the attribute `out_dtype`.
pub(super) fn infer(cx: &InferCx, call: &OpCall<'_>, takes: Takes, gives: Takes) -> Result<StructInfo, InferError> {
    let (data, dtype) = call.tensor(0)?;
    check_dtype(call, 0, dtype, takes)?;
    check_dtype(call, 1, call.tensor(1)?.1, float)?;
    check_dtype(call, 2, call.tensor(2)?.1, number)?;
    if data.rank().is_none() {
        return Err(InferError::at(0, format!("`{}` needs data with a known number of dimensions", call.op.name)));
    }
    let axis =
        data.rank().filter(|rank| *rank > 0).map(|rank| attributes::axis_attr(call, "axis", rank)).transpose()?;
    for arg in [1, 2] {
        check_parameter(cx, call, arg, data, axis)?;
    }
    let given = out_dtype(call)?;
    if !(gives.0)(given) {
        return Err(InferError::new(format!("`{}` gives {}, `out_dtype` is {given}", call.op.name, gives.1)));
    }
    let known = call.tensor(1)?.1.and(call.tensor(2)?.1).and(dtype);
    Ok(StructInfo::tensor_with(data.clone(), known.map(|_| given)))
}

/// Refuses a parameter that is neither one for all nor one for each index of the dimension.
fn check_parameter(
    cx: &InferCx,
    call: &OpCall<'_>,
    arg: usize,
    data: &TensorShape,
    axis: Option<usize>,
) -> Result<(), InferError> {
    let own = call.tensor(arg)?.0;
    let name = call.op.args.get(arg).map_or("?", |def| def.name);
    let max = if data.rank() == Some(0) { 0 } else { 1 };
    if let Some(rank) = own.rank().filter(|rank| *rank > max) {
        let message = format!("`{}`: `{name}` must have at most {max} dimensions, found {rank}", call.op.name);
        return Err(InferError::at(arg, message));
    }
    let (TensorShape::Known(dims), TensorShape::Known(own), Some(axis)) = (data, own, axis) else { return Ok(()) };
    match own.as_slice() {
        [size] if size.as_int() != Some(1) && cx.clash(size, &dims[axis]) => {
            let (size, extent) = (shapes::dim_text(size), shapes::dim_text(&dims[axis]));
            let message =
                format!("`{}`: `{name}` is of {size}, dimension {axis} of the data of {extent}", call.op.name);
            Err(InferError::at(arg, message))
        }
        _ => Ok(()),
    }
}

fn out_dtype(call: &OpCall<'_>) -> Result<DataType, InferError> {
    attributes::dtype(call, "out_dtype")?
        .ok_or_else(|| InferError::new(format!("`{}` needs the attribute `out_dtype`", call.op.name)))
}

/// The loops: `formula` gets an element, its scale, its zero point, and the type of the result.
pub(super) fn legalize(
    call: &OpCall<'_>,
    formula: fn(&Value, &Value, &Value, DataType) -> Value,
) -> Result<PrimFunc, InferError> {
    let rank = shapes::dims_of(call, 0)?.len();
    let axis = if rank == 0 { 0 } else { attributes::axis_attr(call, "axis", rank)? };
    let dtype = out_dtype(call)?;
    legalize_formula(call, |inputs| {
        let [x, scale, zero_point] = inputs else { return Ok(Vec::new()) };
        let result = compute(x.shape(), &block_name(call), |i| {
            let of = |parameter: &Tensor| match parameter.shape() {
                [] => parameter.at(&[]),
                [size] if size.as_int() == Some(1) => parameter.at(&[&Expr::i64(0).into()]),
                _ => parameter.at(&[&i[axis]]),
            };
            formula(&x.at_all(i), &of(scale), &of(zero_point), dtype)
        });
        Ok(vec![result?])
    })
}
