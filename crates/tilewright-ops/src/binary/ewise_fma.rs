//! A product and a sum in one.

use tilewright_expr::Intrinsic;
use tilewright_ir::op::{Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Value, compute, legalize as legalize_formula, topi};

use crate::elementwise::{any, block_name, number};
use crate::shapes;

op! {
    /// `x1 * x2 + x3`, element by element; of floats rounded once.
    "ewise_fma" {
        args: {
            x1: Tensor, "The first factor.";
            x2: Tensor, "The second factor; it has the shape of the first one.";
            x3: Tensor, "What is added; it has that shape too.";
        }
        attrs: {}
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Broadcast },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let dtype = shapes::all_of_dtype(call, &[0, 1, 2], if cx.for_loops { number } else { any })?;
    let mut shape = call.tensor(0)?.0;
    for arg in 1..3 {
        let own = call.tensor(arg)?.0;
        let same = match (shape, own) {
            (TensorShape::Known(a), TensorShape::Known(b)) => {
                a.len() == b.len() && !a.iter().zip(b).any(|(a, b)| cx.clash(a, b))
            }
            (a, b) => a.rank().zip(b.rank()).is_none_or(|(a, b)| a == b),
        };
        if !same {
            return Err(InferError::at(arg, "`ewise_fma` needs operands of one shape"));
        }
        if shape.rank().is_none() || matches!((shape, own), (TensorShape::Known(_), TensorShape::Rank(_))) {
            shape = own;
        }
    }
    Ok(StructInfo::tensor_with(shape.clone(), dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    legalize_formula(call, |inputs| match inputs {
        [a, b, c] => {
            let result = compute(&dims, &block_name(call), |i| {
                let [a, b, c] = [a, b, c].map(|x| topi::at_broadcast(x, i, &dims));
                match a.dtype() {
                    Some(dtype) if dtype.is_float() => Value::call(Intrinsic::Fma, &[&a, &b, &c]),
                    _ => a * b + c,
                }
            });
            Ok(vec![result?])
        }
        _ => Ok(Vec::new()),
    })
}
