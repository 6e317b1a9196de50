//! A value that is not differentiated.

use tilewright_ir::op::{Fusion, Legalize, MachineOp, Properties};

op! {
    /// The value itself; to gradients it is a constant.
    "grad.no_grad" {
        args: { input: Value, "The value."; }
        attrs: {}
        infer: |_, call| super::infer_itself(call),
        legalize: Legalize::Machine(MachineOp::Same),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
        gradient: crate::gradient::none,
    }
}
