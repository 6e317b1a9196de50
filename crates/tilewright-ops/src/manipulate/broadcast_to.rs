//! Dimensions repeated to a wished shape.

use tilewright_ir::op::{Fusion, InferCx, InferError, Layouts, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_te::{compute, legalize, topi};

use crate::elementwise::block_name;
use crate::{attributes, gradient, shapes};

op! {
    /// The tensor broadcast to a shape: dimensions align at the end, those of size 1 repeat.
    "broadcast_to" {
        args: {
            x: Tensor, "The input tensor.";
            shape: Shape, "The shape, to which that of `x` must broadcast.";
        }
        attrs: {}
        infer: infer,
        legalize: Legalize::PrimFunc(|call| {
            let dims = shapes::result_dims(call)?;
            legalize(call, |inputs| {
                let broadcast = |x| compute(&dims, &block_name(call), |i| topi::at_broadcast(x, i, &dims));
                inputs.iter().map(broadcast).collect()
            })
        }),
        properties: Properties { pure: true, fusion: Fusion::Broadcast },
        gradient: |cx, call, adjoint| gradient::of_first(cx, call, adjoint, |g, x, _| Ok(g.collapse_like(x))),
        layouts: Layouts::Fixed,
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let ((from, dtype), to) = (call.tensor(0)?, attributes::shape(call, 1)?);
    let wrong = |why: &str| Err(InferError::at(1, format!("`broadcast_to`: {why}")));
    if let (Some(own), Some(wide)) = (from.rank(), to.rank())
        && own > wide
    {
        return wrong(&format!("a tensor of {own} dimensions does not broadcast to {wide} dimensions"));
    }
    if let (TensorShape::Known(a), TensorShape::Known(b)) = (from, to) {
        for (own, wide) in a.iter().rev().zip(b.iter().rev()) {
            if cx.cannot_broadcast(own, wide) {
                return wrong(&format!(
                    "shape {} does not broadcast to {}",
                    shapes::dims_text(a),
                    shapes::dims_text(b)
                ));
            }
        }
    }
    Ok(StructInfo::tensor_with(to.clone(), dtype))
}
