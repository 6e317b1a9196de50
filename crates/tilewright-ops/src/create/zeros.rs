//! A tensor of zeros.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};

use super::legalize_constant;
use crate::gradient;
use crate::shapes::infer_allocation;

op! {
    /// A tensor of zeros.
    "zeros" {
        args: { shape: Shape, "The shape."; }
        attrs: { dtype: DType = AttrDefault::Required, "The data type of an element."; }
        infer: infer_allocation,
        legalize: Legalize::PrimFunc(|call| legalize_constant(call, 0)),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "zeros", "T_full",
        gradient: gradient::none,
    }
}
