//! Logarithms of shares of exponentials.

use tilewright_expr::Intrinsic;
use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};

use super::exponentials::{infer_along_axis, legalize_exponentials};
use crate::{attributes, gradient};

op! {
    /// The logarithm of `softmax`, without its rounding.
    "nn.log_softmax" {
        args: { data: Tensor, "The input tensor."; }
        attrs: { axis: Int = AttrDefault::Int(-1), "The dimension; negative numbers count from the end."; }
        infer: infer_along_axis,
        legalize: Legalize::PrimFunc(|call| {
            legalize_exponentials(call, |distance, _, total| distance - total.intrinsic(Intrinsic::Log))
        }),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
        gradient: |cx, call, adjoint| {
            let axis = attributes::int(call, "axis")?;
            gradient::unary(cx, call, adjoint, |g, _, y| g - g.sum(Some(&[axis]), true) * y.exp())
        },
        layouts: Layouts::Numbered(&["axis"]),
    }
}
