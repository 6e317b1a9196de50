//! The gradient of the loss of negative log-likelihoods.

use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Value, compute, legalize as legalize_formula};

use crate::elementwise::{block_name, float};
use crate::nn::likelihood::{Reduction, Targets, check_likelihood, class_axis};
use crate::shapes;

op! {
    /// The gradient of `nn.nll_loss` with respect to its predictions.
    "grad.nll_loss_backward" {
        args: {
            output_grad: Tensor, "The gradient with respect to the loss, of its shape.";
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
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let targets = check_likelihood(cx, call, 1)?;
    let dtype = shapes::all_of_dtype(call, &[0, 1], float)?;
    let wanted = match Reduction::of(call)? {
        Reduction::None => targets,
        Reduction::Sum | Reduction::Mean => TensorShape::Known(Vec::new()),
    };
    let given = call.tensor(0)?.0;
    if let (Some(a), Some(b)) = (wanted.rank(), given.rank())
        && a != b
    {
        let message = format!("`grad.nll_loss_backward` needs a gradient of {a} dimensions, found {b}");
        return Err(InferError::at(0, message));
    }
    if let (TensorShape::Known(a), TensorShape::Known(b)) = (&wanted, given) {
        shapes::check_equal_dims(cx, call, a, b, None)?;
    }
    Ok(StructInfo::tensor_with(call.tensor(1)?.0.clone(), dtype.or(call.tensor(1)?.1)))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (reduction, name) = (Reduction::of(call)?, block_name(call));
    legalize_formula(call, |inputs| {
        let [grad, predictions, targets, weights @ ..] = inputs else { return Ok(Vec::new()) };
        let given = Targets::of(call, predictions, targets, weights.first())?;
        let total = match reduction {
            Reduction::Mean => Some(given.total_weight(&format!("{name}_weight"))?),
            Reduction::Sum | Reduction::None => None,
        };
        let result = compute(predictions.shape(), &name, |i| {
            let mut own = i.to_vec();
            let class = own.remove(class_axis(predictions.rank()));
            let of_loss = if reduction == Reduction::None { grad.at_all(&own) } else { grad.at(&[]) };
            let share = of_loss.cast(given.dtype) * -given.weight(&own);
            let share = match &total {
                Some(total) => share / total.at(&[]),
                None => share,
            };
            let zero = Value::from(Expr::float(0.0, given.dtype));
            let counts = given.class(&own).compare(CmpOp::Eq, class).and(given.counts(&own));
            counts.select(&share, &zero).cast(predictions.dtype())
        });
        Ok(vec![result?])
    })
}
