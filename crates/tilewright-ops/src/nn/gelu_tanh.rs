//! The Gaussian error linear unit, approximately.

use tilewright_expr::Intrinsic;
use tilewright_ir::op::{Fusion, Legalize, Properties};
use tilewright_te::Value;

use crate::elementwise::{Gives, float, in_wide, infer_unary, legalize_unary};
use crate::gradient;

op! {
    /// The Gaussian error linear unit by the hyperbolic tangent: `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 *
    /// x^3)))`.
    "nn.gelu_tanh" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {}
        infer: |cx, call| infer_unary(cx, call, float, Gives::Same),
        legalize: Legalize::PrimFunc(|call| legalize_unary(call, |x| in_wide(&x, gelu_tanh))),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
        gradient: |cx, call, adjoint| {
            gradient::unary(cx, call, adjoint, |g, x, _| {
                let squares = x * x;
                // `(1 + tanh(y)) / 2` and its derivative by `y`.
                let share = (2.0 * SCALE * x * (1.0 + 0.044_715 * &squares)).sigmoid();
                let slope = 2.0 * SCALE * (1.0 + 3.0 * 0.044_715 * &squares);
                g * (&share + x * &share * (1.0 - &share) * slope)
            })
        },
    }
}

/// `sqrt(2 / pi)`.
const SCALE: f64 = std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2;

/// `(1 + tanh(y)) / 2` is the sigmoid of `2 * y`, in which nothing cancels.
fn gelu_tanh(x: &Value) -> Value {
    let inner = (x + (x * x * x) * 0.044_715) * SCALE;
    x * (inner * 2).intrinsic(Intrinsic::Sigmoid)
}
