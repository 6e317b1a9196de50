//! A shape of numbers, and of those in a heap.

use tilewright_ir::op::{Builtin, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};

use super::check_heap;

op! {
    /// The shape whose dimensions are constants, or in a heap (see `vm.match_shape`). For each dimension come a code
    /// and a number: 0 and its size; 1 and the slot that holds it.
    "vm.make_shape" {
        args: {
            heap: Tensor, "The numbers.";
            codes: Values, "A code and a number for each dimension.";
        }
        attrs: {}
        infer: infer,
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::MakeShape)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    check_heap(call, 0)?;
    match call.args.len().saturating_sub(1) {
        codes if codes % 2 == 0 => Ok(StructInfo::Shape(TensorShape::Rank(codes / 2))),
        codes => Err(InferError::new(format!("each dimension needs a code and a number, found {codes} of both"))),
    }
}
