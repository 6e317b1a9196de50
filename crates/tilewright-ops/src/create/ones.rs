//! A tensor of ones.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};

use super::legalize_constant;
use crate::gradient;
use crate::shapes::infer_allocation;

op! {
    /// A tensor of ones.
    "ones" {
        args: { shape: Shape, "The shape."; }
        attrs: { dtype: DType = AttrDefault::Required, "The data type of an element."; }
        infer: infer_allocation,
        legalize: Legalize::PrimFunc(|call| legalize_constant(call, 1)),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "ones", "T_full",
        gradient: gradient::none,
    }
}
