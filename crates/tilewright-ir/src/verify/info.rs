//! Struct infos: subsumption, the dimensions that they define, and their text in messages.

use std::fmt::Write;

use crate::op::InferCx;
use crate::relax::{StructInfo, TensorShape};
use crate::tir::{BinOp, Expr, ExprKind, Var};

/// Whether a value of which `given` is known also is what `claimed` says. Dimensions are compared by proof; a device
/// may be said of a tensor whose device is not known.
pub(crate) fn follows(cx: &InferCx, given: &StructInfo, claimed: &StructInfo) -> bool {
    match (given, claimed) {
        (_, StructInfo::Object) => true,
        (StructInfo::Prim { dtype: a, value: x }, StructInfo::Prim { dtype: b, value: y }) => {
            a == b
                && match (x, y) {
                    (_, None) => true,
                    (Some(x), Some(y)) => same(cx, x, y),
                    (None, Some(_)) => false,
                }
        }
        (StructInfo::Shape(a), StructInfo::Shape(b)) => shape_follows(cx, a, b),
        (
            StructInfo::Tensor { shape: a, dtype: x, vdevice: on },
            StructInfo::Tensor { shape: b, dtype: y, vdevice: claimed_on },
        ) => {
            (y.is_none() || x == y)
                && (on.is_none() || claimed_on.is_none() || on == claimed_on)
                && shape_follows(cx, a, b)
        }
        (StructInfo::Tuple(a), StructInfo::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| follows(cx, a, b))
        }
        (StructInfo::Func { params: p, ret: a, pure }, StructInfo::Func { params: q, ret: b, pure: claimed_pure }) => {
            // Functions of several parameters rename their dimensions: only what needs no renaming is compared.
            let arity = match (p, q) {
                (_, None) => true,
                (Some(p), Some(q)) => p.len() == q.len(),
                (None, Some(_)) => false,
            };
            let sort =
                std::mem::discriminant(&**a) == std::mem::discriminant(&**b) || matches!(**b, StructInfo::Object);
            arity && sort && (*pure || !*claimed_pure) || given.equal(claimed)
        }
        _ => false,
    }
}

fn shape_follows(cx: &InferCx, given: &TensorShape, claimed: &TensorShape) -> bool {
    let rank = match given {
        TensorShape::Known(dims) => Some(dims.len()),
        TensorShape::Rank(rank) => Some(*rank),
        TensorShape::Unknown => None,
    };
    match (given, claimed) {
        (_, TensorShape::Unknown) => true,
        (_, TensorShape::Rank(claimed)) => rank == Some(*claimed),
        (TensorShape::Known(a), TensorShape::Known(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(cx, a, b))
        }
        _ => false,
    }
}

fn same(cx: &InferCx, a: &Expr, b: &Expr) -> bool {
    a.equal(b) || cx.analyzer.prove_equal(a, b)
}

/// The dimensions of tensors, shapes and scalars in the info; not those inside functions, which are their own affair.
pub(super) fn dims<'i>(info: &'i StructInfo, visit: &mut dyn FnMut(&'i Expr)) {
    match info {
        StructInfo::Tensor { shape: TensorShape::Known(known), .. } | StructInfo::Shape(TensorShape::Known(known)) => {
            known.iter().for_each(visit);
        }
        StructInfo::Prim { value: Some(value), .. } => visit(value),
        StructInfo::Tuple(fields) => fields.iter().for_each(|field| dims(field, visit)),
        StructInfo::Object
        | StructInfo::Prim { .. }
        | StructInfo::Shape(_)
        | StructInfo::Tensor { .. }
        | StructInfo::Func { .. } => {}
    }
}

/// The variables that are by themselves a dimension: a value of this info defines them.
pub(crate) fn definable(info: &StructInfo) -> Vec<&Var> {
    let mut found = Vec::new();
    dims(info, &mut |dim| found.extend(dim.as_var()));
    found
}

/// The info as users write it, for messages.
pub fn show(info: &StructInfo) -> String {
    let shape = |shape: &TensorShape| match shape {
        TensorShape::Known(dims) => format!("({})", dims.iter().map(show_dim).collect::<Vec<_>>().join(", ")),
        TensorShape::Rank(rank) => format!("ndim={rank}"),
        TensorShape::Unknown => "?".to_owned(),
    };
    match info {
        StructInfo::Object => "R.Object".to_owned(),
        StructInfo::Prim { dtype, value } => {
            format!("R.Prim({})", value.as_ref().map_or_else(|| dtype.to_string(), show_dim))
        }
        StructInfo::Shape(dims) => format!("R.Shape({})", shape(dims)),
        StructInfo::Tensor { shape: dims, dtype, vdevice } => {
            let mut text = format!("R.Tensor({}", shape(dims));
            if let Some(dtype) = dtype {
                let _ = write!(text, ", {dtype}");
            }
            if let Some(vdevice) = vdevice {
                let _ = write!(text, ", {vdevice}");
            }
            text + ")"
        }
        StructInfo::Tuple(fields) => format!("R.Tuple({})", fields.iter().map(show).collect::<Vec<_>>().join(", ")),
        StructInfo::Func { params, ret, .. } => {
            let params = params.as_ref().map(|p| p.iter().map(show).collect::<Vec<_>>().join(", "));
            format!("R.Callable(({}), {})", params.as_deref().unwrap_or("..."), show(ret))
        }
    }
}

/// A dimension as users write it: a number, a name, or an expression of them; what is deep is cut off.
pub fn show_dim(dim: &Expr) -> String {
    fn show(dim: &Expr, depth: usize) -> String {
        match &dim.kind {
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Var(var) => var.name.to_string(),
            ExprKind::Binary(op, a, b) if depth > 0 => {
                let (a, b) = (show(a, depth - 1), show(b, depth - 1));
                match op {
                    BinOp::Min | BinOp::Max | BinOp::Mod => format!("{}({a}, {b})", op.symbol()),
                    _ => format!("({a} {} {b})", op.symbol()),
                }
            }
            _ => "…".to_owned(),
        }
    }
    show(dim, 4)
}
