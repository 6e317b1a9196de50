//! Elements held between two bounds.

use tilewright_expr::{Expr, ExprKind};
use tilewright_ir::op::{Fusion, InferError, Legalize, OpCall, Properties};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::Value;

use crate::attributes;
use crate::elementwise::{Gives, infer_unary, legalize_unary, number};

op! {
    /// Each element held between two bounds: `min` where it is less, `max` where it is greater. NaN stays NaN. Where
    /// `min` is greater than `max`, every number becomes `max`.
    "clip" {
        args: {
            x: Tensor, "The input tensor.";
            min: Scalar, "The lower bound, converted to the type of the elements.";
            max: Scalar, "The upper bound, converted to the type of the elements.";
        }
        attrs: {}
        infer: |cx, call| infer_unary(cx, call, number, Gives::Same),
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
        loops: "tir_clip", "compute",
    }
}

/// A bound in the type of the elements; integers beyond its range are the end of that range.
fn bound(value: &Expr, x: &Value) -> Value {
    match (x.dtype(), value.as_int()) {
        (Some(dtype), Some(value)) if dtype.is_int() => {
            let (low, high) = match (dtype.is_signed(), dtype.bits) {
                (true, 64) => (i64::MIN, i64::MAX),
                (false, 64) => (0, i64::MAX),
                (true, bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
                (false, bits) => (0, (1 << bits) - 1),
            };
            Expr::int(value.clamp(low, high), dtype).into()
        }
        (Some(dtype), _) => Value::from(value.clone()).cast(dtype),
        (None, _) => x.clone(),
    }
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (low, high) = (attributes::scalar(call, 1)?, attributes::scalar(call, 2)?);
    // Where the bounds are known to be in order, it does not matter which comes first.
    let in_order = low.as_int().zip(high.as_int()).is_some_and(|(low, high)| low <= high)
        || matches!((&low.kind, &high.kind), (ExprKind::Float(low), ExprKind::Float(high)) if low.0 <= high.0);
    legalize_unary(call, |x| match in_order {
        true => x.min(bound(&high, &x)).max(bound(&low, &x)),
        false => x.max(bound(&low, &x)).min(bound(&high, &x)),
    })
}
