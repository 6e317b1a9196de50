//! The sigmoid linear unit.

use tilewright_expr::Intrinsic;
use tilewright_ir::op::{Fusion, Legalize, Properties};

use crate::elementwise::{Gives, float, in_wide, infer_unary, legalize_unary};
use crate::gradient;

op! {
    /// The sigmoid linear unit, element by element: `x * sigmoid(x)`.
    "nn.silu" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {}
        infer: |cx, call| infer_unary(cx, call, float, Gives::Same),
        legalize: Legalize::PrimFunc(|call| legalize_unary(call, |x| in_wide(&x, |x| x * x.intrinsic(Intrinsic::Sigmoid)))),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
        gradient: |cx, call, adjoint| {
            gradient::unary(cx, call, adjoint, |g, x, y| {
                let share = x.sigmoid();
                g * (&share + y * (1.0 - &share))
            })
        },
    }
}
