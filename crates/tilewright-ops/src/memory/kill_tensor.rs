//! The end of a tensor's life.

use tilewright_ir::op::{Fusion, Legalize, MachineOp, Properties};
use tilewright_ir::relax::StructInfo;

op! {
    /// Says that the tensor is not used any more, so that its memory may go back before the function ends.
    "memory.kill_tensor" {
        args: { tensor: Tensor, "The tensor; no later binding uses it."; }
        attrs: {}
        infer: |_, _| Ok(StructInfo::Tuple(Vec::new())),
        legalize: Legalize::Machine(MachineOp::Kill),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
    }
}
