//! The start of a checkpoint.

use tilewright_ir::op::{Fusion, Legalize, MachineOp, Properties};

op! {
    /// The value itself; what is computed from it up to the end of the checkpoint is computed again for gradients.
    "grad.start_checkpoint" {
        args: { input: Value, "The value."; }
        attrs: {}
        infer: |_, call| super::infer_itself(call),
        legalize: Legalize::Machine(MachineOp::Same),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
        gradient: |cx, call, adjoint| crate::gradient::unary(cx, call, adjoint, |g, _, _| g.clone()),
    }
}
