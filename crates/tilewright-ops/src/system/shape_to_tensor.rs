//! A shape as a tensor of its dimensions.

use tilewright_expr::Expr;
use tilewright_ir::op::{Builtin, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_tensor::DataType;

op! {
    /// A tensor of `int64` with one dimension that holds the dimensions of the shape.
    "shape_to_tensor" {
        args: { expr: Shape, "The shape."; }
        attrs: {}
        infer: infer,
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::ShapeToTensor)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let rank = call.args.first().and_then(|shape| shape.struct_info.rank());
    let shape = match rank {
        Some(rank) => TensorShape::Known(vec![Expr::i64(rank as i64)]),
        None => TensorShape::Rank(1),
    };
    Ok(StructInfo::tensor_with(shape, Some(DataType::I64)))
}
