//! The shape before a broadcast, as another tensor has it.

use tilewright_ir::op::{Fusion, Legalize, Properties};

use super::collapse_sum_to::{infer_collapsed, legalize_collapsed};
use crate::gradient;

op! {
    /// The sums over the dimensions that broadcasting from the shape of `collapse_target` to that of `data` repeats.
    "collapse_sum_like" {
        args: {
            data: Tensor, "The input tensor.";
            collapse_target: Tensor, "The tensor whose shape the result has.";
        }
        attrs: {}
        infer: |cx, call| infer_collapsed(cx, call, call.tensor(1)?.0),
        legalize: Legalize::PrimFunc(legalize_collapsed),
        properties: Properties { pure: true, fusion: Fusion::Reduction },
        loops: "collapse_sum", "T_collapse_sum",
        gradient: |cx, call, adjoint| gradient::of_first(cx, call, adjoint, |g, x, _| Ok(g.broadcast_like(x))),
    }
}
