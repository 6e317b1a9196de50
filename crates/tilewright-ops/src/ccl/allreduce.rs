//! The workers' tensors reduced to one.

use tilewright_ir::op::{AttrDefault, Fusion, InferError, Legalize, Properties};

use super::{infer_own, legalize_own};
use crate::attributes;

op! {
    /// The sum, product, smallest, largest or mean of the workers' tensors, element by element; of one worker its own.
    "ccl.allreduce" {
        args: { x: Tensor, "The worker's tensor."; }
        attrs: {
            op_type: Str = AttrDefault::Str("sum"), "`sum`, `prod`, `min`, `max` or `avg`.";
            in_group: Bool = AttrDefault::Bool(true), "Whether only the workers of a group take part.";
        }
        infer: |cx, call| match attributes::text(call, "op_type") {
            "sum" | "prod" | "min" | "max" | "avg" => infer_own(cx, call),
            other => Err(InferError::new(format!("`ccl.allreduce` knows sum, prod, min, max and avg, not `{other}`"))),
        },
        legalize: Legalize::PrimFunc(legalize_own),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
