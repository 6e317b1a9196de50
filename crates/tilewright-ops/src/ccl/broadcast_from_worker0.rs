//! The first worker's tensor.

use tilewright_ir::op::{Fusion, Legalize, Properties};

use super::{infer_own, legalize_own};

op! {
    /// The tensor of the first worker, for all workers.
    "ccl.broadcast_from_worker0" {
        args: { x: Tensor, "The worker's tensor."; }
        attrs: {}
        infer: infer_own,
        legalize: Legalize::PrimFunc(legalize_own),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
