//! A scalar against a number, and into a heap of numbers.

use tilewright_ir::Attr;
use tilewright_ir::op::{AttrDefault, Builtin, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, Properties};
use tilewright_ir::relax::StructInfo;

use super::check_heap;

op! {
    /// Compares a scalar, or stores it in a heap (see `vm.match_shape`, whose codes these are). A float is stored there
    /// as the bits of a `float64`, a bool as 0 or 1. A run with another scalar ends with an error.
    "vm.match_prim_value" {
        args: {
            value: Scalar, "The scalar.";
            heap: Tensor, "The numbers.";
        }
        attrs: {
            code: Int = AttrDefault::Required, "What is done with it.";
            number: Int = AttrDefault::Required, "The number or the slot.";
            dtype: DType = AttrDefault::Required, "The scalar's data type.";
            label: Str = AttrDefault::Str(""), "What the scalar is called in errors.";
        }
        infer: infer,
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::MatchPrimValue)),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    check_heap(call, 1)?;
    let said = call.attr("dtype");
    match call.args.first().map(|value| &value.struct_info) {
        Some(StructInfo::Prim { dtype, .. }) if matches!(said, Some(Attr::DType(said)) if said == dtype) => {
            Ok(StructInfo::Tuple(Vec::new()))
        }
        _ => Err(InferError::at(0, format!("the scalar's data type is said to be {said:?}"))),
    }
}
