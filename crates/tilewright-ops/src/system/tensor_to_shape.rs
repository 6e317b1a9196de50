//! A tensor of dimensions as a shape.

use tilewright_ir::op::{Builtin, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_tensor::DataType;

op! {
    /// The shape whose dimensions are the elements of a tensor of `int64` with one dimension. A run in which one of
    /// them is negative ends with an error. `R.match_cast` on the result names its dimensions.
    "tensor_to_shape" {
        args: { expr: Tensor, "The dimensions."; }
        attrs: {}
        infer: infer,
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::TensorToShape)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    if dtype.is_some_and(|dtype| dtype != DataType::I64) || shape.rank() != Some(1) {
        return Err(InferError::at(0, "`tensor_to_shape` takes an int64 tensor of 1 dimension"));
    }
    let count = match shape {
        TensorShape::Known(dims) => dims.first().and_then(|dim| dim.as_int()).and_then(|n| usize::try_from(n).ok()),
        TensorShape::Rank(_) | TensorShape::Unknown => None,
    };
    Ok(StructInfo::Shape(count.map_or(TensorShape::Unknown, TensorShape::Rank)))
}
