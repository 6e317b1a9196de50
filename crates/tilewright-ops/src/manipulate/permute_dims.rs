//! Dimensions in another order.

use tilewright_ir::Attr;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{legalize as legalize_formula, topi};

use crate::{attributes, gradient, shapes};

op! {
    /// The tensor with its dimensions in another order: dimension `i` of the result is dimension `axes[i]` of `x`.
    "permute_dims" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            axes: OptionalInts = AttrDefault::None,
                "The order; negative numbers count from the end. `None` reverses the dimensions.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "transpose", "T_transpose",
        gradient: |cx, call, adjoint| {
            gradient::of_first(cx, call, adjoint, |g, x, _| match call.attr("axes").and_then(Attr::as_ints) {
                Some(axes) => Ok(g.permute(Some(&inverse(&attributes::axes(call, &axes, x.rank()?)?)))),
                None => Ok(g.permute(None)),
            })
        },
    }
}

/// The order for a tensor of this rank: each dimension once.
fn order(call: &OpCall<'_>, rank: usize) -> Result<Vec<usize>, InferError> {
    let Some(axes) = call.attr("axes").and_then(Attr::as_ints) else { return Ok((0..rank).rev().collect()) };
    let wrong = |why: String| Err(InferError::new(format!("`permute_dims` with axes {axes:?}: {why}")));
    if axes.len() != rank {
        return wrong(format!("the tensor has {rank} dimensions"));
    }
    let mut order = Vec::with_capacity(rank);
    for &axis in &axes {
        let from_start = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
        match usize::try_from(from_start) {
            Ok(axis) if axis < rank && !order.contains(&axis) => order.push(axis),
            Ok(axis) if axis < rank => return wrong(format!("dimension {axis} occurs twice")),
            _ => return wrong(format!("the tensor has no dimension {axis}")),
        }
    }
    Ok(order)
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let shape = match shape {
        TensorShape::Known(dims) => {
            TensorShape::Known(order(call, dims.len())?.into_iter().map(|axis| dims[axis].clone()).collect())
        }
        TensorShape::Rank(rank) => TensorShape::Rank(order(call, *rank)?.len()),
        TensorShape::Unknown => match call.attr("axes").and_then(Attr::as_ints) {
            Some(_) => {
                return Err(InferError::at(
                    0,
                    "`permute_dims` by `axes` needs a tensor with a known number of dimensions",
                ));
            }
            None => TensorShape::Unknown,
        },
    };
    Ok(StructInfo::tensor_with(shape, dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let axes = order(call, shapes::result_dims(call)?.len())?;
    legalize_formula(call, |inputs| inputs.iter().map(|x| topi::permute(x, &axes, "T_transpose")).collect())
}

/// The permutation that undoes another one.
fn inverse(axes: &[usize]) -> Vec<i64> {
    let mut inverse = vec![0; axes.len()];
    for (to, &from) in axes.iter().enumerate() {
        inverse[from] = to as i64;
    }
    inverse
}
