//! A scalar from a slot of a heap.

use tilewright_ir::Attr;
use tilewright_ir::op::{AttrDefault, Builtin, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, Properties};
use tilewright_ir::relax::StructInfo;

use super::check_heap;

op! {
    /// The number in a slot of a heap (see `vm.match_shape`) as a scalar. A float is stored there as the bits of a
    /// `float64`, a bool as 0 or 1.
    "vm.make_prim_value" {
        args: { heap: Tensor, "The numbers."; }
        attrs: {
            slot: Int = AttrDefault::Required, "The slot of the heap.";
            dtype: DType = AttrDefault::Required, "Its data type.";
        }
        infer: infer,
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::MakePrimValue)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    check_heap(call, 0)?;
    match call.attr("dtype") {
        Some(Attr::DType(dtype)) if dtype.is_scalar() && (dtype.is_int() || dtype.is_float() || dtype.is_bool()) => {
            Ok(StructInfo::Prim { dtype: *dtype, value: None })
        }
        other => Err(InferError::new(format!("a number of a heap is an integer, a float or a bool, found {other:?}"))),
    }
}
