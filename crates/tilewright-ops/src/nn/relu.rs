//! The rectified linear unit.

use tilewright_ir::op::{Fusion, Legalize, Properties};

use crate::elementwise::{Gives, infer_unary, legalize_unary, number};
use crate::gradient;

op! {
    /// The rectified linear unit, element by element: the larger of it and 0. NaN stays NaN.
    "nn.relu" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {}
        infer: |cx, call| infer_unary(cx, call, number, Gives::Same),
        legalize: Legalize::PrimFunc(|call| legalize_unary(call, |x| x.max(0))),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
        loops: "relu", "compute",
        gradient: |cx, call, adjoint| {
            gradient::unary(cx, call, adjoint, |g, x, _| x.less(&x.number(0.0)).select(&x.number(0.0), g))
        },
    }
}
