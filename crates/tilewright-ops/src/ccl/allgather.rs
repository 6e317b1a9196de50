//! The workers' tensors, joined.

use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;

use super::{legalize_alone, workers};
use crate::shapes;

op! {
    /// The tensors of all workers, concatenated along the first dimension; of one worker its own.
    "ccl.allgather" {
        args: { x: Tensor, "The worker's tensor, of at least one dimension."; }
        attrs: {
            num_workers: Int = AttrDefault::Required, "The number of workers.";
            in_group: Bool = AttrDefault::Bool(true), "Whether only the workers of a group take part.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize_alone),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let ((shape, dtype), workers) = (call.tensor(0)?, workers(call)?);
    if shape.rank() == Some(0) {
        return Err(InferError::at(0, "`ccl.allgather` needs at least one dimension, found a scalar"));
    }
    let joined = |dims: &[tilewright_expr::Expr]| {
        let mut dims = dims.to_vec();
        dims[0] = cx.analyzer.simplify(&(&dims[0] * workers));
        Ok(dims)
    };
    Ok(StructInfo::tensor_with(shapes::map_shape(shape, joined, Ok)?, dtype))
}
