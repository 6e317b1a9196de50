//! The end of a checkpoint.

use tilewright_ir::op::{Fusion, Legalize, MachineOp, Properties};

op! {
    /// The value itself, at which a checkpoint that began before ends.
    "grad.end_checkpoint" {
        args: { input: Value, "The value."; }
        attrs: {}
        infer: |_, call| super::infer_itself(call),
        legalize: Legalize::Machine(MachineOp::Same),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
        gradient: |cx, call, adjoint| crate::gradient::unary(cx, call, adjoint, |g, _, _| g.clone()),
    }
}
