//! Logarithms of shares of exponentials.

use tilewright_expr::Intrinsic;
use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};

use super::exponentials::{infer_along_axis, legalize_exponentials};

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
        layouts: Layouts::Numbered(&["axis"]),
    }
}
