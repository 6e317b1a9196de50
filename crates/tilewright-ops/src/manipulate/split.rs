//! A tensor split along a dimension.

use tilewright_expr::{BinOp, Expr};
use tilewright_ir::Attr;
use tilewright_ir::op::{
    Adjoint, AttrDefault, Fusion, InferCx, InferError, Layouts, Legalize, OpCall, Partials, Properties,
};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Value, compute, legalize as legalize_formula};

use super::concat;
use crate::gradient::Rule;
use crate::{attributes, shapes};

op! {
    /// A tensor split along a dimension; the result is the tuple of the parts.
    ///
    /// A number of sections: parts of equal size, the last ones smaller or empty where it does not divide the
    /// dimension. Indices: the positions at which it is split, as in `numpy.split`.
    "split" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            indices_or_sections: IntOrInts = AttrDefault::Required,
                "The number of parts, or the increasing indices at which the parts after the first begin.";
            axis: Int = AttrDefault::Int(0), "The dimension; negative numbers count from the end.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        gradient: gradient,
        layouts: Layouts::Numbered(&["axis"]),
    }
}

/// Each section is a result of its own.
const MOST_SECTIONS: i64 = 65_536;

/// The start of each part, and last the end of them all.
fn cuts(cx: &InferCx, call: &OpCall<'_>, extent: &Expr) -> Result<Vec<Expr>, InferError> {
    let checked = |e: Result<Expr, tilewright_expr::TypeMismatch>| match e {
        Ok(e) => Ok(cx.analyzer.simplify(&e)),
        Err(error) => Err(InferError::new(error.0)),
    };
    let within = |at: Expr| checked(Expr::binary(BinOp::Min, &at, extent));
    let mut cuts = vec![Expr::i64(0)];
    match call.attr("indices_or_sections") {
        Some(Attr::Int(sections)) if (1..=MOST_SECTIONS).contains(sections) => {
            let size = checked(extent.ceil_div(*sections))?;
            // Where the sections divide the dimension, no part is cut short; the first of two never is.
            let even = *sections <= 2 || cx.analyzer.prove_equal(&(&size * *sections), extent);
            for part in 1..*sections {
                let at = cx.analyzer.simplify(&(&size * part));
                cuts.push(if even { at } else { within(at)? });
            }
        }
        Some(Attr::Int(sections)) => {
            return Err(InferError::new(format!("`split` makes from 1 to {MOST_SECTIONS} sections, found {sections}")));
        }
        other => {
            let indices = other.and_then(Attr::as_ints).unwrap_or_default();
            if indices.first().is_some_and(|first| *first < 0) || !indices.is_sorted() {
                return Err(InferError::new(format!("`split` needs increasing indices from 0 on, found {indices:?}")));
            }
            for at in indices {
                cuts.push(within(Expr::i64(at))?);
            }
        }
    }
    cuts.push(extent.clone());
    Ok(cuts)
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    if let TensorShape::Known(dims) = shape {
        let axis = attributes::axis_attr(call, "axis", dims.len())?;
        let cuts = cuts(cx, call, &dims[axis])?;
        let part = |(from, to): (&Expr, &Expr)| {
            let mut dims = dims.clone();
            dims[axis] = cx.analyzer.simplify(&(to - from));
            StructInfo::tensor_with(TensorShape::Known(dims), dtype)
        };
        return Ok(StructInfo::Tuple(cuts.iter().zip(&cuts[1..]).map(part).collect()));
    }
    if let Some(rank) = shape.rank() {
        attributes::axis_attr(call, "axis", rank)?;
    }
    let parts = cuts(cx, call, &Expr::i64(0))?.len() - 1;
    let rank = shape.rank().map_or(TensorShape::Unknown, TensorShape::Rank);
    Ok(StructInfo::Tuple(vec![StructInfo::tensor_with(rank, dtype); parts]))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (cx, dims) = (InferCx::default(), shapes::dims_of(call, 0)?);
    let axis = attributes::axis_attr(call, "axis", dims.len())?;
    let cuts = cuts(&cx, call, &dims[axis])?;
    let in_sections = matches!(call.attr("indices_or_sections"), Some(Attr::Int(_)));
    let name = if in_sections { "T_split_sections" } else { "T_split" };
    legalize_formula(call, |inputs| {
        let [x] = inputs else { return Ok(Vec::new()) };
        let part = |(from, to): (&Expr, &Expr)| {
            let mut dims = dims.clone();
            dims[axis] = cx.analyzer.simplify(&(to - from));
            compute(&dims, name, |i| {
                let mut indices = i.to_vec();
                if from.as_int() != Some(0) {
                    indices[axis] = &i[axis] + Value::from(from.clone());
                }
                x.at_all(&indices)
            })
        };
        cuts.iter().zip(&cuts[1..]).map(part).collect()
    })
}

/// The gradients of the parts, joined.
fn gradient(cx: &InferCx, call: &OpCall<'_>, adjoint: Adjoint<'_>) -> Rule {
    let joined = concat::call(cx, adjoint.grad.clone(), Some(attributes::int(call, "axis")?))?;
    Ok(Partials::exact(vec![Some(joined)]))
}
