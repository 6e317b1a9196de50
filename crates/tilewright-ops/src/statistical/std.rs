//! The square root of the variance over dimensions.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};

use crate::elementwise::float;
use crate::reduction::{infer_reduced, legalize_kept, means, roots, variances};

op! {
    /// The square root of the variance over dimensions.
    ///
    /// It is that of a population: nothing is corrected. Float16 and bfloat16 are worked out in float32.
    "std" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            axis: OptionalInts = AttrDefault::None, "The dimensions; `None`: all. Negative ones count from the end.";
            keepdims: Bool = AttrDefault::Bool(false), "Whether the dimensions stay, with size 1.";
        }
        infer: |cx, call| infer_reduced(cx, call, float, None),
        legalize: Legalize::PrimFunc(|call| legalize_kept(call, |x, axes, name| {
            roots(&variances(x, &means(x, axes, name)?, axes, name)?, &format!("{name}_root"))
        })),
        properties: Properties { pure: true, fusion: Fusion::Reduction },
        layouts: Layouts::Dropped("axis"),
    }
}
