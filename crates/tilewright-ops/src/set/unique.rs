//! The distinct elements.

use tilewright_ir::Attr;
use tilewright_ir::op::{AttrDefault, Builtin, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_tensor::DataType;

use crate::attributes;
use crate::elementwise::{any, check_dtype};

op! {
    /// The distinct elements, or the distinct slices along a dimension.
    ///
    /// The result is a tensor, or if more is requested the tuple of it and of tensors of `int64` with one dimension.
    /// NaN is equal to itself and greater than every number; slices are compared element by element.
    "unique" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            sorted: Bool = AttrDefault::Bool(true),
                "Whether they come in ascending order, and not in that of their first appearance.";
            return_index: Bool = AttrDefault::Bool(false), "Whether the index of the first occurrence of each is given.";
            return_inverse: Bool = AttrDefault::Bool(false),
                "Whether the number among the distinct ones is given for each element or slice.";
            return_counts: Bool = AttrDefault::Bool(false), "Whether the number of occurrences of each is given.";
            axis: OptionalInt = AttrDefault::None, "The dimension of the slices; `None`: elements, in one dimension.";
        }
        infer: infer,
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::Unique)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    check_dtype(call, 0, dtype, any)?;
    let shape = match (call.attr("axis").and_then(Attr::as_int), shape.rank()) {
        (None, _) => TensorShape::Rank(1),
        (Some(axis), Some(rank)) => {
            attributes::axis(call, axis, rank)?;
            TensorShape::Rank(rank)
        }
        (Some(_), None) => TensorShape::Unknown,
    };
    let mut results = vec![StructInfo::tensor_with(shape, dtype)];
    for also in ["return_index", "return_inverse", "return_counts"] {
        if attributes::flag(call, also) {
            results.push(StructInfo::tensor_with(TensorShape::Rank(1), Some(DataType::I64)));
        }
    }
    Ok(if results.len() == 1 { results.remove(0) } else { StructInfo::Tuple(results) })
}
