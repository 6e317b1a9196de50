//! The mean over dimensions.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};

use crate::elementwise::float;
use crate::gradient;
use crate::reduction::{infer_reduced, kept, legalize_mean, reduced_axes};

op! {
    /// The mean over dimensions.
    ///
    /// Of float16 and bfloat16 it is worked out in float32. The mean of nothing is NaN.
    "mean" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            axis: OptionalInts = AttrDefault::None, "The dimensions; `None`: all. Negative ones count from the end.";
            keepdims: Bool = AttrDefault::Bool(false), "Whether the dimensions stay, with size 1.";
        }
        infer: |cx, call| infer_reduced(cx, call, float, None),
        legalize: Legalize::PrimFunc(legalize_mean),
        properties: Properties { pure: true, fusion: Fusion::Reduction },
        gradient: |cx, call, adjoint| {
            gradient::of_first(cx, call, adjoint, |g, x, _| {
                let count = x.count(&reduced_axes(call, x.rank()?)?);
                Ok(kept(call, &(g / count)).broadcast_like(x))
            })
        },
        layouts: Layouts::Dropped("axis"),
    }
}
