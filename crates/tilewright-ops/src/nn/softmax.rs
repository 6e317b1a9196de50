//! Shares of exponentials.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};

use super::exponentials::{infer_along_axis, legalize_exponentials};
use crate::{attributes, gradient};

op! {
    /// The exponentials of the elements, divided by their sum along a dimension.
    "nn.softmax" {
        args: { data: Tensor, "The input tensor."; }
        attrs: { axis: Int = AttrDefault::Int(-1), "The dimension; negative numbers count from the end."; }
        infer: infer_along_axis,
        legalize: Legalize::PrimFunc(|call| legalize_exponentials(call, |_, exponential, total| exponential / total)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
        gradient: |cx, call, adjoint| {
            let axis = attributes::int(call, "axis")?;
            gradient::unary(cx, call, adjoint, |g, _, y| (g - (g * y).sum(Some(&[axis]), true)) * y)
        },
        layouts: Layouts::Numbered(&["axis"]),
    }
}
