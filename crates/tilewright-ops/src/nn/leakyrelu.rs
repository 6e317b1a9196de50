//! The leaky rectified linear unit.

use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};
use tilewright_te::Value;
use tilewright_tensor::DataType;

use crate::attributes;
use crate::elementwise::{Gives, float, infer_unary, legalize_unary};

op! {
    /// The leaky rectified linear unit, element by element: `x` where it is positive, `alpha * x` elsewhere. NaN stays
    /// NaN.
    "nn.leakyrelu" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {
            alpha: Float = AttrDefault::Float(0.01), "The slope for negative elements.";
        }
        infer: |cx, call| infer_unary(cx, call, float, Gives::Same),
        legalize: Legalize::PrimFunc(|call| {
            let alpha = attributes::float(call, "alpha")?;
            legalize_unary(call, |x| {
                let zero = Value::from(Expr::number(0, x.dtype().unwrap_or(DataType::F32)));
                zero.compare(CmpOp::Lt, &x).select(&x, &(&x * alpha))
            })
        }),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
        loops: "leaky_relu", "compute",
    }
}
