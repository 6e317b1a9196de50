//! A tensor that begins where its memory begins.

use tilewright_ir::op::{Fusion, Legalize, MachineOp, Properties};

use crate::shapes::infer_same;

op! {
    /// The tensor, such that the address of its first element is all that a kernel has to know. Every tensor is like
    /// that here, so that this is the tensor itself.
    "memory.ensure_zero_offset" {
        args: { data: Tensor, "The tensor."; }
        attrs: {}
        infer: infer_same,
        legalize: Legalize::Machine(MachineOp::Same),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
