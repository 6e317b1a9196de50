//! A tensor of zeros with the shape of another.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};
use tilewright_tensor::DataType;

use super::{infer_like, legalize_constant};
use crate::gradient;

op! {
    /// A tensor of zeros with the shape of another.
    "zeros_like" {
        args: { x: Tensor, "The tensor whose shape it is."; }
        attrs: {
            dtype: DType = AttrDefault::DType(DataType::VOID), "The data type of an element; `void`: that of `x`.";
        }
        infer: infer_like,
        legalize: Legalize::PrimFunc(|call| legalize_constant(call, 0)),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "zeros", "T_full",
        gradient: gradient::none,
    }
}
