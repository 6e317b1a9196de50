//! The mean of the squared distances from the mean over dimensions.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};

use crate::elementwise::float;
use crate::gradient;
use crate::reduction::{infer_reduced, kept, legalize_kept, means, reduced_axes, variances};

op! {
    /// The mean of the squared distances from the mean over dimensions.
    ///
    /// It is that of a population: nothing is corrected. The mean is subtracted first; float16 and bfloat16 are
    /// worked out in float32.
    "variance" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            axis: OptionalInts = AttrDefault::None, "The dimensions; `None`: all. Negative ones count from the end.";
            keepdims: Bool = AttrDefault::Bool(false), "Whether the dimensions stay, with size 1.";
        }
        infer: |cx, call| infer_reduced(cx, call, float, None),
        legalize: Legalize::PrimFunc(|call| legalize_kept(call, |x, axes, name| variances(x, &means(x, axes, name)?, axes, name))),
        properties: Properties { pure: true, fusion: Fusion::Reduction },
        gradient: |cx, call, adjoint| {
            gradient::of_first(cx, call, adjoint, |g, x, _| {
                let (axes, count) = (gradient::axes_of(call), x.count(&reduced_axes(call, x.rank()?)?));
                // The mean is subtracted first: large means cancel nothing.
                let distance = x - x.mean(axes.as_deref(), true);
                Ok(kept(call, g) * (x.number(2.0) / count * distance))
            })
        },
        layouts: Layouts::Dropped("axis"),
    }
}
