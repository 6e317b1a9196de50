//! The end of an object's life.

use tilewright_ir::op::{Fusion, Legalize, MachineOp, Properties};
use tilewright_ir::relax::StructInfo;

op! {
    /// Says that the value is not used any more.
    "vm.kill_object" {
        args: { obj: Value, "The value; no later binding uses it."; }
        attrs: {}
        infer: |_, _| Ok(StructInfo::Tuple(Vec::new())),
        legalize: Legalize::Machine(MachineOp::Kill),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
    }
}
