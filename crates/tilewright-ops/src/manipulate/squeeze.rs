//! Dimensions of size 1 taken out.

use tilewright_expr::Expr;
use tilewright_ir::Attr;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Layouts, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, Value, compute, legalize as legalize_formula};

use crate::elementwise::block_name;
use crate::{attributes, gradient, shapes};

op! {
    /// Dimensions of size 1 taken out.
    "squeeze" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            axis: OptionalInts = AttrDefault::None,
                "The dimensions, which must have size 1; `None`: all that have.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        gradient: |cx, call, adjoint| gradient::of_first(cx, call, adjoint, |g, x, _| Ok(g.reshape_like(x))),
        layouts: Layouts::Dropped("axis"),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let one = Expr::i64(1);
    let Some(given) = call.attr("axis").and_then(Attr::as_ints) else {
        let shape = match shape {
            // Whether a symbolic dimension is 1 only a run can tell, unless it is known to be another number.
            TensorShape::Known(dims)
                if dims.iter().all(|dim| dim.as_int().is_some() || cx.analyzer.prove_different(dim, &one)) =>
            {
                TensorShape::Known(dims.iter().filter(|dim| dim.as_int() != Some(1)).cloned().collect())
            }
            _ => TensorShape::Unknown,
        };
        return Ok(StructInfo::tensor_with(shape, dtype));
    };
    let squeezed = |dims: &[Expr]| {
        let axes = attributes::axes(call, &given, dims.len())?;
        if let Some(axis) = axes.iter().find(|axis| cx.clash(&dims[**axis], &one)) {
            let (size, shape) = (shapes::dim_text(&dims[*axis]), shapes::dims_text(dims));
            return Err(InferError::new(format!("`squeeze` of {shape}: dimension {axis} has size {size}, not 1")));
        }
        Ok(dims.iter().enumerate().filter(|(at, _)| !axes.contains(at)).map(|(_, dim)| dim.clone()).collect())
    };
    let shape = shapes::map_shape(shape, squeezed, |rank| Ok(rank - attributes::axes(call, &given, rank)?.len()))?;
    Ok(StructInfo::tensor_with(shape, dtype))
}

/// The loops: the dimensions that are left in their order, index 0 of the others.
fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (from, dims) = (shapes::dims_of(call, 0)?, shapes::result_dims(call)?);
    let dropped: Vec<usize> = match call.attr("axis").and_then(Attr::as_ints) {
        Some(given) => attributes::axes(call, &given, from.len())?,
        None => (0..from.len()).filter(|&at| from[at].as_int() == Some(1)).collect(),
    };
    legalize_formula(call, |inputs| {
        let squeezed = |x: &Tensor| {
            compute(&dims, &block_name(call), |i| {
                let mut left = i.iter();
                let first = |at: usize| Value::from(Expr::int(0, from[at].dtype));
                let index = |at: usize| match dropped.contains(&at) {
                    true => first(at),
                    false => left.next().cloned().unwrap_or_else(|| first(at)),
                };
                x.at_all(&(0..from.len()).map(index).collect::<Vec<_>>())
            })
        };
        inputs.iter().map(squeezed).collect()
    })
}
