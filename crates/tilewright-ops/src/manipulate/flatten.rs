//! One dimension.

use tilewright_ir::op::{Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};

use super::legalize_regrouped;
use crate::shapes;

op! {
    /// The same elements in the same order in one dimension.
    "flatten" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {}
        infer: infer,
        legalize: Legalize::PrimFunc(legalize_regrouped),
        properties: Properties { pure: true, fusion: Fusion::Injective },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let shape = match shape {
        TensorShape::Known(dims) => TensorShape::Known(vec![shapes::product(cx, dims)]),
        TensorShape::Rank(_) | TensorShape::Unknown => TensorShape::Rank(1),
    };
    Ok(StructInfo::tensor_with(shape, dtype))
}
