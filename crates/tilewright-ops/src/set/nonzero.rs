//! The indices of the elements that are not 0.

use tilewright_ir::op::{Builtin, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_tensor::DataType;

use crate::elementwise::{any, check_dtype};

op! {
    /// The indices of the elements that are not 0, in order, as a tensor of `int64` with a row for each dimension. A
    /// tensor without dimensions counts as one of one element.
    "nonzero" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {}
        infer: infer,
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::Nonzero)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    check_dtype(call, 0, call.tensor(0)?.1, any)?;
    Ok(StructInfo::tensor_with(TensorShape::Rank(2), Some(DataType::I64)))
}
