//! Dimensions of a value against numbers, and into a heap of numbers.

use tilewright_ir::op::{AttrDefault, Builtin, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, Properties};
use tilewright_ir::relax::StructInfo;

use super::check_heap;

op! {
    /// Compares the dimensions of a tensor or shape, and keeps those that are new in a heap: a tensor of `int64` whose
    /// elements are numbers. For each dimension come a code and a number: 0 and the size that it has to be; 1 and the
    /// slot of the heap that it is stored in; 2 and anything for no action; 3 and the slot that holds the required
    /// size. A run in which a dimension is another ends with an error.
    "vm.match_shape" {
        args: {
            value: Value, "The tensor or shape.";
            heap: Tensor, "The numbers.";
            codes: Values, "A code and a number for each dimension.";
        }
        attrs: { label: Str = AttrDefault::Str(""), "What the value is called in errors."; }
        infer: infer,
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::MatchShape)),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let rank = match call.args.first().map(|value| &value.struct_info) {
        Some(info @ (StructInfo::Tensor { .. } | StructInfo::Shape(_))) => info.rank(),
        _ => return Err(InferError::at(0, "`vm.match_shape` takes a tensor or a shape")),
    };
    check_heap(call, 1)?;
    let codes = call.args.len().saturating_sub(2);
    match rank {
        Some(rank) if codes != 2 * rank => {
            Err(InferError::new(format!("{rank} dimensions need as many codes and numbers, found {codes} of both")))
        }
        _ => Ok(StructInfo::Tuple(Vec::new())),
    }
}
