//! A mark at which the lifting of computations on parameters ends.

use tilewright_ir::op::{Fusion, Legalize, MachineOp, Properties};

use crate::shapes::infer_same;

op! {
    /// The tensor itself: computations after it are not lifted out of the function.
    "builtin.stop_lift_params" {
        args: { x: Tensor, "The tensor."; }
        attrs: {}
        infer: infer_same,
        legalize: Legalize::Machine(MachineOp::Same),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
