//! One of two tensors, element by element.

use tilewright_ir::op::{Adjoint, Fusion, InferCx, InferError, Legalize, OpCall, Partials, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{compute, legalize as legalize_formula, topi};

use crate::elementwise::{any, block_name, boolean, check_dtype};
use crate::gradient::{Rule, Term};
use crate::{gradient, shapes};

op! {
    /// The element of `x1` where `condition` is true, else that of `x2`.
    "where" {
        args: {
            condition: Tensor, "Bools.";
            x1: Tensor, "What is taken where the condition is true; the shapes broadcast.";
            x2: Tensor, "What is taken where the condition is false; the shapes broadcast.";
        }
        attrs: {}
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Broadcast },
        gradient: gradient,
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    check_dtype(call, 0, call.tensor(0)?.1, boolean)?;
    let dtype = shapes::all_of_dtype(call, &[1, 2], any)?;
    Ok(StructInfo::tensor_with(shapes::broadcast_args(cx, call, &[0, 1, 2])?, dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    legalize_formula(call, |inputs| match inputs {
        [condition, a, b] => {
            let result = compute(&dims, &block_name(call), |i| {
                let [condition, a, b] = [condition, a, b].map(|x| topi::at_broadcast(x, i, &dims));
                condition.select(&a, &b)
            });
            Ok(vec![result?])
        }
        _ => Ok(Vec::new()),
    })
}

fn gradient(cx: &InferCx, call: &OpCall<'_>, adjoint: Adjoint<'_>) -> Rule {
    let [condition, ..] = &gradient::terms(cx, call)[..] else { return gradient::none(cx, call, adjoint) };
    let grad = Term::new(cx, adjoint.grad.clone());
    let none = grad.number(0.0);
    let (of_x1, of_x2) = (condition.select(&grad, &none), condition.select(&none, &grad));
    Ok(Partials::broadcast(vec![None, Some(of_x1.finish()?), Some(of_x2.finish()?)]))
}
