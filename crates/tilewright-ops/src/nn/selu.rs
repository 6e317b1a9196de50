//! The scaled exponential linear unit.

use tilewright_expr::{CmpOp, Intrinsic};
use tilewright_ir::op::{Fusion, Legalize, Properties};
use tilewright_te::Value;

use crate::elementwise::{Gives, float, in_wide, infer_unary, legalize_unary};

op! {
    /// `scale * x` where `x` is positive, else `scale * alpha * (exp(x) - 1)`, element by element, with the two
    /// constants under which layers keep mean 0 and variance 1 (Klambauer et al., 2017).
    "nn.selu" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {}
        infer: |cx, call| infer_unary(cx, call, float, Gives::Same),
        legalize: Legalize::PrimFunc(|call| legalize_unary(call, |x| in_wide(&x, selu))),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
    }
}

const ALPHA: f64 = 1.673_263_242_354_377_2;
const SCALE: f64 = 1.050_700_987_355_480_5;

fn selu(x: &Value) -> Value {
    let below = x.intrinsic(Intrinsic::Expm1) * (SCALE * ALPHA);
    x.compare(CmpOp::Gt, 0).select(&(x * SCALE), &below)
}
