//! The loss of negative log-likelihoods.

use tilewright_ir::op::{
    Adjoint, AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, OpRef, Partials, Properties,
};
use tilewright_ir::relax::{Expr, StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{compute, legalize as legalize_formula, sum};

use super::likelihood::{Reduction, Targets, check_likelihood};
use crate::elementwise::block_name;
use crate::grad::nll_loss_backward;
use crate::gradient::Rule;
use crate::reduction::reduced;

op! {
    /// `-prediction * weight` of each target's class, or the sum or weighted mean of these.
    ///
    /// The class of a target is held within the classes. Of float16 and bfloat16 it is worked out in float32.
    "nn.nll_loss" {
        args: {
            predictions: Tensor, "Logarithms of probabilities, `(batch, classes, …)` or `(classes,)`.";
            targets: Tensor, "The classes, integers in the shape of the predictions without that dimension.";
            weights: OptionalTensor, "What each class weighs; 1 where they are left out.";
        }
        attrs: {
            reduction: Str = AttrDefault::Str("mean"), "`none`, `sum` or `mean`.";
            ignore_index: Int = AttrDefault::Int(-100), "Targets of this class do not count.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
        gradient: gradient,
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let targets = check_likelihood(cx, call, 0)?;
    let shape = match Reduction::of(call)? {
        Reduction::None => targets,
        Reduction::Sum | Reduction::Mean => TensorShape::Known(Vec::new()),
    };
    Ok(StructInfo::tensor_with(shape, call.tensor(0)?.1))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (reduction, name) = (Reduction::of(call)?, block_name(call));
    legalize_formula(call, |inputs| {
        let [predictions, targets, weights @ ..] = inputs else { return Ok(Vec::new()) };
        let dtype = predictions.dtype();
        let given = Targets::of(call, predictions, targets, weights.first())?;
        if reduction == Reduction::None {
            return Ok(vec![compute(targets.shape(), &name, |i| given.loss(predictions, i).cast(dtype))?]);
        }
        let all: Vec<usize> = (0..targets.rank()).collect();
        let total =
            reduced(targets, &all, false, &format!("{name}_sum"), |i, over| sum(given.loss(predictions, i), over))?;
        let weight = match reduction {
            Reduction::Mean => Some(given.total_weight(&format!("{name}_weight"))?),
            Reduction::Sum | Reduction::None => None,
        };
        let loss = compute(&[], &name, |_| match &weight {
            Some(weight) => (total.at(&[]) / weight.at(&[])).cast(dtype),
            None => total.at(&[]).cast(dtype),
        });
        Ok(vec![loss?])
    })
}

fn gradient(cx: &InferCx, call: &OpCall<'_>, adjoint: Adjoint<'_>) -> Rule {
    let args = [std::slice::from_ref(adjoint.grad), call.args].concat();
    let of_predictions = Expr::call_op(cx, OpRef(&nll_loss_backward::OP), args, call.attrs.clone())?;
    Ok(Partials::exact(vec![Some(of_predictions), None, None]))
}
