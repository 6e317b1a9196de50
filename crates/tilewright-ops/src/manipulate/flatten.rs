//! One dimension.

use tilewright_expr::Expr;
use tilewright_ir::op::{Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};

use super::legalize_regrouped;
use crate::{gradient, shapes};

op! {
    /// The same elements in the same order in one dimension.
    "flatten" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {}
        infer: infer,
        legalize: Legalize::PrimFunc(legalize_regrouped),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "reshape", "T_reshape",
        gradient: |cx, call, adjoint| gradient::of_first(cx, call, adjoint, |g, x, _| Ok(g.reshape_like(x))),
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let shape = match shape {
        TensorShape::Known(dims) => TensorShape::Known(vec![shapes::product_in_order(dims)]),
        TensorShape::Rank(0) => TensorShape::Known(vec![Expr::i64(1)]),
        TensorShape::Rank(_) | TensorShape::Unknown => TensorShape::Rank(1),
    };
    Ok(StructInfo::tensor_with(shape, dtype))
}
