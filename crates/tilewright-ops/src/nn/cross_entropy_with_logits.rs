//! The cross entropy of logits and probabilities.

use tilewright_expr::{BinOp, Expr};
use tilewright_ir::op::{Adjoint, Fusion, InferCx, InferError, Legalize, OpCall, Partials, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{compute, legalize as legalize_formula, sum};

use crate::elementwise::{block_name, float, wide};
use crate::gradient::{Rule, Term};
use crate::reduction::reduced;
use crate::{gradient, shapes};

op! {
    /// `-sum(predictions * labels)`, divided by the size of the batch where there is one: of logarithms of
    /// probabilities and of probabilities the cross entropy. Of float16 and bfloat16 it is worked out in float32.
    "nn.cross_entropy_with_logits" {
        args: {
            predictions: Tensor, "The logarithms; a first of two dimensions is a batch.";
            labels: Tensor, "The probabilities, of the same shape and type.";
        }
        attrs: {}
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Reduction },
        gradient: gradient,
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let dtype = shapes::all_of_dtype(call, &[0, 1], float)?;
    let (a, b) = (call.tensor(0)?.0, call.tensor(1)?.0);
    if let Some(rank) = [a, b].into_iter().find_map(|shape| shape.rank().filter(|rank| !(1..=2).contains(rank))) {
        let message = format!("`nn.cross_entropy_with_logits` takes tensors of 1 or 2 dimensions, found {rank}");
        return Err(InferError::new(message));
    }
    if let (Some(a), Some(b)) = (a.rank(), b.rank())
        && a != b
    {
        let message = format!("`nn.cross_entropy_with_logits`: labels of {b} dimensions for predictions of {a}");
        return Err(InferError::at(1, message));
    }
    if let (TensorShape::Known(a), TensorShape::Known(b)) = (a, b) {
        shapes::check_equal_dims(cx, call, a, b, None)?;
    }
    Ok(StructInfo::tensor_with(TensorShape::Known(Vec::new()), dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    legalize_formula(call, |inputs| {
        let [x, labels] = inputs else { return Ok(Vec::new()) };
        let (dtype, name) = (wide(x.dtype()), block_name(call));
        let all: Vec<usize> = (0..x.rank()).collect();
        let total = reduced(x, &all, false, &format!("{name}_sum"), |i, over| {
            sum(x.at_all(i).cast(dtype) * labels.at_all(i).cast(dtype), over)
        })?;
        let batch = if x.rank() > 1 { x.dim(0) } else { Expr::i64(1) };
        let mean = compute(&[], &name, |_| {
            let total = total.at(&[]).binary(BinOp::Mul, -1);
            (total / tilewright_te::Value::from(batch).cast(dtype)).cast(x.dtype())
        });
        Ok(vec![mean?])
    })
}

fn gradient(cx: &InferCx, call: &OpCall<'_>, adjoint: Adjoint<'_>) -> Rule {
    let [predictions, labels] = &gradient::terms(cx, call)[..] else { return gradient::none(cx, call, adjoint) };
    let whole = Term::new(cx, adjoint.grad.clone());
    let share = if predictions.rank()? == 2 { &whole / predictions.count(&[0]) } else { whole };
    let of_predictions = -&share * labels;
    let of_labels = -&share * predictions;
    Ok(Partials::exact(vec![Some(of_predictions.finish()?), Some(of_labels.finish()?)]))
}
