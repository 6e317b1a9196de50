//! Shared by the loss of negative log-likelihoods and its gradient.

use tilewright_expr::{BinOp, CmpOp, Expr};
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_te::{TeError, Tensor, Value, sum};
use tilewright_tensor::DataType;

use crate::elementwise::{check_dtype, check_loops, float, integer, wide};
use crate::reduction::reduced;
use crate::{attributes, shapes};

/// How the losses of a call become its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduction {
    None,
    Sum,
    Mean,
}

impl Reduction {
    pub(crate) fn of(call: &OpCall<'_>) -> Result<Self, InferError> {
        match attributes::text(call, "reduction") {
            "none" => Ok(Self::None),
            "sum" => Ok(Self::Sum),
            "mean" => Ok(Self::Mean),
            other => {
                let name = call.op.name;
                Err(InferError::new(format!("`{name}` knows the reductions `none`, `sum` and `mean`, not `{other}`")))
            }
        }
    }
}

/// The rule about predictions, targets and weights, which are the arguments from `first` on; it gives the shape of the
/// targets as far as that is known.
pub(crate) fn check_likelihood(cx: &InferCx, call: &OpCall<'_>, first: usize) -> Result<TensorShape, InferError> {
    let ((shape, dtype), (targets, target_type)) = (call.tensor(first)?, call.tensor(first + 1)?);
    let name = call.op.name;
    check_loops(cx, call, first, dtype, float)?;
    check_dtype(call, first + 1, target_type, integer)?;
    if shape.rank() == Some(0) {
        return Err(InferError::at(first, format!("`{name}` needs predictions of at least 1 dimension")));
    }
    if let (Some(rank), Some(of_targets)) = (shape.rank(), targets.rank())
        && of_targets != rank - 1
    {
        let wanted = rank - 1;
        let message =
            format!("`{name}`: predictions of {rank} dimensions need targets of {wanted}, found {of_targets}");
        return Err(InferError::at(first + 1, message));
    }
    if let TensorShape::Known(dims) = shape {
        let class = class_axis(dims.len());
        let mut own = dims.clone();
        let classes = own.remove(class);
        if shapes::is_empty(cx, &classes) {
            return Err(InferError::at(first, format!("`{name}` needs predictions of at least one class")));
        }
        if let TensorShape::Known(targets) = targets
            && own.iter().zip(targets).any(|(a, b)| cx.clash(a, b))
        {
            let (own, targets) = (shapes::dims_text(&own), shapes::dims_text(targets));
            let message = format!("`{name}` needs targets of the shape {own}, found {targets}");
            return Err(InferError::at(first + 1, message));
        }
        check_weights(cx, call, first + 2, Some(&classes), dtype)?;
        return Ok(TensorShape::Known(own));
    }
    check_weights(cx, call, first + 2, None, dtype)?;
    Ok(match (targets, shape.rank()) {
        (TensorShape::Unknown, Some(rank)) => TensorShape::Rank(rank - 1),
        (targets, _) => targets.clone(),
    })
}

fn check_weights(
    cx: &InferCx,
    call: &OpCall<'_>,
    arg: usize,
    classes: Option<&Expr>,
    dtype: Option<DataType>,
) -> Result<(), InferError> {
    let Some(StructInfo::Tensor { shape, dtype: own, .. }) = call.args.get(arg).map(|arg| &arg.struct_info) else {
        return Ok(());
    };
    let name = call.op.name;
    if let (Some(a), Some(b)) = (dtype, own)
        && a != *b
    {
        return Err(InferError::at(arg, format!("`{name}`: weights of {b} for predictions of {a}")));
    }
    if let Some(rank) = shape.rank().filter(|rank| *rank != 1) {
        return Err(InferError::at(arg, format!("`{name}` needs weights of 1 dimension, found {rank}")));
    }
    if let (TensorShape::Known(dims), Some(classes)) = (shape, classes)
        && cx.clash(&dims[0], classes)
    {
        let (found, classes) = (shapes::dim_text(&dims[0]), shapes::dim_text(classes));
        return Err(InferError::at(arg, format!("`{name}`: {found} weights for {classes} classes")));
    }
    Ok(())
}

/// The dimension of the classes.
pub(crate) fn class_axis(rank: usize) -> usize {
    usize::from(rank > 1)
}

/// Targets and what they weigh.
pub(crate) struct Targets<'a> {
    pub targets: &'a Tensor,
    pub weights: Option<&'a Tensor>,
    pub classes: Expr,
    pub ignored: i64,
    /// The type in which losses are worked out.
    pub dtype: DataType,
}

impl<'a> Targets<'a> {
    pub(crate) fn of(
        call: &OpCall<'_>,
        predictions: &Tensor,
        targets: &'a Tensor,
        weights: Option<&'a Tensor>,
    ) -> Result<Self, TeError> {
        let ignored = attributes::int(call, "ignore_index").map_err(|error| TeError(error.message))?;
        let classes = predictions.dim(class_axis(predictions.rank()));
        Ok(Self { targets, weights, classes, ignored, dtype: wide(predictions.dtype()) })
    }

    /// The class at an index of the targets, clamped to the classes.
    pub(crate) fn class(&self, i: &[Value]) -> Value {
        let class = self.targets.at_all(i).cast(DataType::I64);
        class.min(Value::from(self.classes.clone()) - 1).max(0)
    }

    /// Whether the target at an index counts.
    pub(crate) fn counts(&self, i: &[Value]) -> Value {
        self.targets.at_all(i).cast(DataType::I64).compare(CmpOp::Ne, self.ignored)
    }

    /// The weight of the target at an index: 0 if it does not count.
    pub(crate) fn weight(&self, i: &[Value]) -> Value {
        let weight = match self.weights {
            Some(weights) => weights.at(&[&self.class(i)]).cast(self.dtype),
            None => Expr::float(1.0, self.dtype).into(),
        };
        self.counts(i).select(&weight, &Expr::float(0.0, self.dtype).into())
    }

    /// The total weight of the targets.
    pub(crate) fn total_weight(&self, name: &str) -> Result<Tensor, TeError> {
        let all: Vec<usize> = (0..self.targets.rank()).collect();
        reduced(self.targets, &all, false, name, |i, over| sum(self.weight(i), over))
    }

    /// The loss of the predictions at an index of the targets.
    pub(crate) fn loss(&self, predictions: &Tensor, i: &[Value]) -> Value {
        let mut at = i.to_vec();
        at.insert(class_axis(predictions.rank()), self.class(i));
        let loss = predictions.at_all(&at).cast(self.dtype).binary(BinOp::Mul, -1) * self.weight(i);
        self.counts(i).select(&loss, &Expr::float(0.0, self.dtype).into())
    }
}
