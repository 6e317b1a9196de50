//! The Gaussian error linear unit.

use tilewright_expr::Intrinsic;
use tilewright_ir::op::{Fusion, Legalize, Properties};
use tilewright_te::Value;

use crate::elementwise::{Gives, float, in_wide, infer_unary, legalize_unary};

op! {
    /// The Gaussian error linear unit, element by element: `x / 2 * (1 + erf(x / sqrt(2)))`.
    "nn.gelu" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {}
        infer: |cx, call| infer_unary(cx, call, float, Gives::Same),
        legalize: Legalize::PrimFunc(|call| legalize_unary(call, |x| in_wide(&x, gelu))),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
    }
}

fn gelu(x: &Value) -> Value {
    (x * 0.5) * ((x * std::f64::consts::FRAC_1_SQRT_2).intrinsic(Intrinsic::Erf) + 1)
}
