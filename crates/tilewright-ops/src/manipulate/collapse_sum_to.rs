//! The shape before a broadcast.

use tilewright_arith::Analyzer;
use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::{Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{ReduceAxis, Value, compute, legalize, reduce_axis, sum};

use crate::elementwise::{check_dtype, number};
use crate::{attributes, gradient, shapes};

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
        loops: "collapse_sum", "T_collapse_sum",
        gradient: |cx, call, adjoint| gradient::of_first(cx, call, adjoint, |g, x, _| Ok(g.broadcast_like(x))),
    }
}

/// The rule of ops whose result has the shape `to`.
pub fn infer_collapsed(cx: &InferCx, call: &OpCall<'_>, to: &TensorShape) -> Result<StructInfo, InferError> {
    let (from, dtype) = call.tensor(0)?;
    check_dtype(call, 0, dtype, number)?;
    if let (TensorShape::Known(from), TensorShape::Known(to)) = (from, to) {
        let fits = |(wide, own): (&Expr, &Expr)| own.as_int() == Some(1) || cx.analyzer.prove_equal(own, wide);
        if to.len() > from.len() || !from.iter().rev().zip(to.iter().rev()).all(fits) {
            let (to, from) = (shapes::dims_text(to), shapes::dims_text(from));
            return Err(InferError::at(1, format!("`{}`: shape {to} does not broadcast to {from}", call.op.name)));
        }
    }
    Ok(StructInfo::tensor_with(to.clone(), dtype))
}

/// How many elements of a dimension of `wide` are summed for one of the result's `own`: all of them where that is 1,
/// which only the run can tell of some. Nothing where both are the same.
fn summed(analyzer: &Analyzer, wide: &Expr, own: &Expr) -> Result<Option<Expr>, InferError> {
    if analyzer.prove_equal(wide, own) {
        return Ok(None);
    }
    if own.as_int() == Some(1) {
        return Ok(Some(wide.clone()));
    }
    let one = Expr::int(1, own.dtype);
    let count = Expr::compare(CmpOp::Eq, own, &one).and_then(|is_one| Expr::select(&is_one, wide, &one));
    Ok(Some(count.map_err(|error| InferError::new(error.to_string()))?))
}

pub fn legalize_collapsed(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    let (from, analyzer) = (shapes::dims_of(call, 0)?, Analyzer::new());
    let leading = from.len().saturating_sub(dims.len());
    let count = |(at, wide): (usize, &Expr)| match at.checked_sub(leading) {
        None => Ok(Some(wide.clone())),
        Some(at) => summed(&analyzer, wide, &dims[at]),
    };
    let counts = from.iter().enumerate().map(count).collect::<Result<Vec<_>, _>>()?;
    legalize(call, |inputs| {
        let Some(x) = inputs.first() else { return Ok(Vec::new()) };
        let axis = |(at, count): (usize, &Option<Expr>)| {
            count.clone().map(|count| reduce_axis(Expr::i64(0), count, &format!("k{at}")))
        };
        let axes: Vec<Option<ReduceAxis>> = counts.iter().enumerate().map(axis).collect();
        let result = compute(&dims, &format!("{}_red", x.name()), |i| {
            let index = |(at, axis): (usize, &Option<ReduceAxis>)| match axis {
                Some(axis) if at < leading || dims[at - leading].as_int() == Some(1) => Value::clone(axis),
                // One of the two runs over one element only.
                Some(axis) => i[at - leading].clone() + Value::clone(axis),
                None => i[at - leading].clone(),
            };
            let element = x.at_all(&axes.iter().enumerate().map(index).collect::<Vec<_>>());
            let summed: Vec<&ReduceAxis> = axes.iter().flatten().collect();
            if summed.is_empty() { element } else { sum(element, &summed) }
        });
        Ok(vec![result?])
    })
}
