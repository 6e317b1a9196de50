//! The shape before a broadcast.

use tilewright_expr::Expr;
use tilewright_ir::op::{Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{ReduceAxis, Value, compute, legalize, reduce_axis, sum};

use crate::elementwise::{block_name, check_dtype, number};
use crate::{attributes, shapes};

op! {
    /// The sums over the dimensions that broadcasting from `shape` to the shape of `data` repeats.
    "collapse_sum_to" {
        args: {
            data: Tensor, "The input tensor.";
            shape: Shape, "The shape of the result, which must broadcast to that of `data`.";
        }
        attrs: {}
        infer: |cx, call| infer_collapsed(cx, call, attributes::shape(call, 1)?),
        legalize: Legalize::PrimFunc(legalize_collapsed),
        properties: Properties { pure: true, fusion: Fusion::Reduction },
    }
}

/// The rule of ops whose result has the shape `to`.
pub fn infer_collapsed(cx: &InferCx, call: &OpCall<'_>, to: &TensorShape) -> Result<StructInfo, InferError> {
    let (from, dtype) = call.tensor(0)?;
    check_dtype(call, 0, dtype, number)?;
    if let (TensorShape::Known(from), TensorShape::Known(to)) = (from, to) {
        let fits = |(wide, own): (&Expr, &Expr)| own.as_int() == Some(1) || !cx.clash(wide, own);
        if to.len() > from.len() || !from.iter().rev().zip(to.iter().rev()).all(fits) {
            let (to, from) = (shapes::dims_text(to), shapes::dims_text(from));
            return Err(InferError::at(1, format!("`{}`: shape {to} does not broadcast to {from}", call.op.name)));
        }
    }
    Ok(StructInfo::tensor_with(to.clone(), dtype))
}

pub fn legalize_collapsed(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    legalize(call, |inputs| {
        let Some(x) = inputs.first() else { return Ok(Vec::new()) };
        let leading = x.rank() - dims.len();
        let repeats =
            |at: usize| at < leading || (dims[at - leading].as_int() == Some(1) && x.dim(at).as_int() != Some(1));
        let axis = |at: usize| repeats(at).then(|| reduce_axis(Expr::i64(0), x.dim(at), &format!("k{at}")));
        let axes: Vec<Option<ReduceAxis>> = (0..x.rank()).map(axis).collect();
        let result = compute(&dims, &block_name(call), |i| {
            let index = |(at, axis): (usize, &Option<ReduceAxis>)| match axis {
                Some(axis) => Value::clone(axis),
                None => i[at - leading].clone(),
            };
            let element = x.at_all(&axes.iter().enumerate().map(index).collect::<Vec<_>>());
            let summed: Vec<&ReduceAxis> = axes.iter().flatten().collect();
            if summed.is_empty() { element } else { sum(element, &summed) }
        });
        Ok(vec![result?])
    })
}
