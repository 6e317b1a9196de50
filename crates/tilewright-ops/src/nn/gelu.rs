//! The Gaussian error linear unit.

use tilewright_expr::Intrinsic;
use tilewright_ir::op::{Fusion, Legalize, Properties};
use tilewright_te::Value;

use crate::elementwise::{Gives, float, in_wide, infer_unary, legalize_unary};
use crate::gradient;

op! {
    /// The Gaussian error linear unit, element by element: `x / 2 * (1 + erf(x / sqrt(2)))`.
    "nn.gelu" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {}
        infer: |cx, call| infer_unary(cx, call, float, Gives::Same),
        legalize: Legalize::PrimFunc(|call| legalize_unary(call, |x| in_wide(&x, gelu))),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
        gradient: |cx, call, adjoint| {
            gradient::unary(cx, call, adjoint, |g, x, _| {
                let normal = 0.5 * (1.0 + (std::f64::consts::FRAC_1_SQRT_2 * x).erf());
                let density = DENSITY * (-0.5 * (x * x)).exp();
                g * (normal + x * density)
            })
        },
    }
}

fn gelu(x: &Value) -> Value {
    (x * 0.5) * ((x * std::f64::consts::FRAC_1_SQRT_2).intrinsic(Intrinsic::Erf) + 1)
}

/// `1 / sqrt(2 * pi)`.
const DENSITY: f64 = 0.5 * std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2;
