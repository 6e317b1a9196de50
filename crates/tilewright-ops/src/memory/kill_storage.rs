//! The end of a storage's life.

use tilewright_ir::op::{Fusion, Legalize, MachineOp, Properties};
use tilewright_ir::relax::StructInfo;

op! {
    /// Says that the storage and the tensors in it are not used any more.
    "memory.kill_storage" {
        args: { storage: Value, "The storage; no later binding uses it."; }
        attrs: {}
        infer: |_, _| Ok(StructInfo::Tuple(Vec::new())),
        legalize: Legalize::Machine(MachineOp::Kill),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
    }
}
