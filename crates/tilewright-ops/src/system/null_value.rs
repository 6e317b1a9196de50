//! Nothing, as an object.

use tilewright_ir::op::{Builtin, Fusion, Legalize, MachineOp, Properties};
use tilewright_ir::relax::StructInfo;

op! {
    /// The value of Python's `None`, where a function of the runtime takes an object that may be absent.
    "null_value" {
        args: {}
        attrs: {}
        infer: |_, _| Ok(StructInfo::Object),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::NullValue)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
