//! Argmax: the index of the largest element.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};
use tilewright_te::max_over;

use super::extreme::{infer_place, legalize_place};

op! {
    /// The index of the largest element along a dimension, as int64: the first of several; the first NaN if there is
    /// one.
    "argmax" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            axis: OptionalInt = AttrDefault::None, "The dimension; `None`: that of the flattened tensor.";
            keepdims: Bool = AttrDefault::Bool(false), "Whether the dimensions stay, with size 1.";
        }
        infer: infer_place,
        legalize: Legalize::PrimFunc(|call| legalize_place(call, max_over)),
        properties: Properties { pure: true, fusion: Fusion::Reduction },
    }
}
