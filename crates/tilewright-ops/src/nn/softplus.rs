//! A smooth rectified linear unit.

use tilewright_expr::{CmpOp, Intrinsic};
use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};
use tilewright_te::Value;

use crate::attributes;
use crate::elementwise::{Gives, float, in_wide, infer_unary, legalize_unary};

op! {
    /// `log(1 + exp(beta * x)) / beta`, element by element; `x` itself where `beta * x` is above the threshold.
    "nn.softplus" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {
            beta: Float = AttrDefault::Float(1.0), "How sharp the bend is.";
            threshold: Float = AttrDefault::Float(20.0), "Above which the function is the identity.";
        }
        infer: |cx, call| infer_unary(cx, call, float, Gives::Same),
        legalize: Legalize::PrimFunc(|call| {
            let (beta, threshold) = (attributes::float(call, "beta")?, attributes::float(call, "threshold")?);
            legalize_unary(call, |x| in_wide(&x, |x| softplus(x, beta, threshold)))
        }),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
        loops: "softplus", "compute",
    }
}

/// `log(1 + exp(s))` is `max(s, 0) + log(1 + exp(-|s|))`, in which nothing overflows.
fn softplus(x: &Value, beta: f64, threshold: f64) -> Value {
    let scaled = x * beta;
    let rest = (-scaled.intrinsic(Intrinsic::Abs)).intrinsic(Intrinsic::Exp).intrinsic(Intrinsic::Log1p);
    scaled.compare(CmpOp::Gt, threshold).select(x, &((scaled.max(0) + rest) / beta))
}
