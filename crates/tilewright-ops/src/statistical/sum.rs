//! The sum over dimensions.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};

use crate::elementwise::number;
use crate::gradient;
use crate::reduction::{infer_reduced, kept, legalize_reduced};

op! {
    /// The sum over dimensions.
    ///
    /// Sums of float16 and bfloat16 are worked out in float32; integers wrap around. The sum of nothing is 0.
    "sum" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            axis: OptionalInts = AttrDefault::None, "The dimensions; `None`: all. Negative ones count from the end.";
            keepdims: Bool = AttrDefault::Bool(false), "Whether the dimensions stay, with size 1.";
        }
        infer: |cx, call| infer_reduced(cx, call, number, None),
        legalize: Legalize::PrimFunc(|call| legalize_reduced(call, tilewright_te::sum)),
        properties: Properties { pure: true, fusion: Fusion::Reduction },
        gradient: |cx, call, adjoint| {
            gradient::of_first(cx, call, adjoint, |g, x, _| Ok(kept(call, g).broadcast_like(x)))
        },
        layouts: Layouts::Dropped("axis"),
    }
}
