//! Another shape.

use tilewright_expr::{BinOp, Expr};
use tilewright_ir::op::{Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};

use super::legalize_regrouped;
use crate::{attributes, gradient, shapes};

op! {
    /// The same elements in the same order under another shape.
    ///
    /// One dimension may be -1: it is inferred from the others. A dimension of 0 is that of `x` at the same position,
    /// unless `x` has no elements: then it is 0.
    "reshape" {
        args: {
            x: Tensor, "The input tensor.";
            shape: ResultShape, "The shape, with as many elements as `x` has.";
        }
        attrs: {}
        infer: infer,
        legalize: Legalize::PrimFunc(legalize_regrouped),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        gradient: |cx, call, adjoint| gradient::of_first(cx, call, adjoint, |g, x, _| Ok(g.reshape_like(x))),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (from, dtype) = call.tensor(0)?;
    let shape = match attributes::shape(call, 1)? {
        TensorShape::Known(to) => resolved(cx, call, from, to)?,
        other => other.clone(),
    };
    Ok(StructInfo::tensor_with(shape, dtype))
}

/// The wished shape with -1 and 0 replaced.
fn resolved(cx: &InferCx, call: &OpCall<'_>, from: &TensorShape, to: &[Expr]) -> Result<TensorShape, InferError> {
    let wrong = |why: String| InferError::at(1, format!("`{}` to {}: {why}", call.op.name, shapes::dims_text(to)));
    let is = |dim: &Expr, value: i64| dim.as_int() == Some(value);
    if to.iter().filter(|dim| is(dim, -1)).count() > 1 {
        return Err(wrong("only one dimension may be -1".into()));
    }
    if let Some(negative) = to.iter().find_map(|dim| dim.as_int().filter(|dim| *dim < -1)) {
        return Err(wrong(format!("a tensor cannot have a dimension of {negative}")));
    }
    let TensorShape::Known(from) = from else {
        let open = to.iter().any(|dim| is(dim, -1) || is(dim, 0));
        return Ok(if open { TensorShape::Rank(to.len()) } else { TensorShape::Known(to.to_vec()) });
    };
    let empty = from.iter().any(|dim| is(dim, 0));
    let copied = |(at, dim): (usize, &Expr)| match from.get(at) {
        _ if !is(dim, 0) || empty => Ok(dim.clone()),
        Some(own) => Ok(own.clone()),
        None => Err(wrong(format!("the 0 at position {at} matches no dimension of {}", shapes::dims_text(from)))),
    };
    let mut dims = to.iter().enumerate().map(copied).collect::<Result<Vec<_>, _>>()?;
    let total = shapes::product(cx, from);
    if let Some(open) = dims.iter().position(|dim| is(dim, -1)) {
        dims[open] = Expr::i64(1);
        let others = shapes::product(cx, &dims);
        // A dimension that is copied is the same in both products.
        let copied = |at: &usize| !empty && to.get(*at).is_some_and(|dim| is(dim, 0));
        let left = |dims: &[Expr]| -> Vec<Expr> {
            dims.iter().enumerate().filter(|(at, _)| !copied(at)).map(|(_, dim)| dim.clone()).collect()
        };
        dims[open] = match (total.as_int(), others.as_int()) {
            (_, Some(0)) => return Err(wrong("with a dimension of 0 any number could replace -1".into())),
            (Some(total), Some(others)) if total % others != 0 => {
                return Err(wrong(format!(
                    "{others} does not divide the {total} elements of {}",
                    shapes::dims_text(from)
                )));
            }
            _ => {
                let [total, others] = [from, &dims].map(|dims| shapes::product(cx, &left(dims)));
                let rest = Expr::binary(BinOp::FloorDiv, &total, &others);
                cx.analyzer.simplify(&rest.map_err(|error| wrong(error.0))?)
            }
        };
    }
    let count = shapes::product(cx, &dims);
    if cx.clash(&total, &count) {
        let (given, wanted) = (shapes::dim_text(&total), shapes::dim_text(&count));
        return Err(wrong(format!("{} has {given} elements, not {wanted}", shapes::dims_text(from))));
    }
    Ok(TensorShape::Known(dims))
}
