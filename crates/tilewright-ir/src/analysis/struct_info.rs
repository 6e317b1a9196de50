//! Relations of struct infos: subsumption, least upper bounds, and their symbolic dimensions.

use tilewright_expr::node::walk;
use tilewright_support::{Set, with_stack};

use crate::op::{InferCx, InferError, check_against, substitute_dims};
use crate::relax::{StructInfo, TensorShape};
use crate::tir::{Expr, Var};

/// The degrees of certainty that a value of one struct info has another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BaseCheck {
    /// Never.
    FailL0,
    /// Not known: sort, rank or data type are not.
    FailL1,
    /// Not known: only the values of dimensions are not.
    FailL2,
    /// Always.
    Pass,
}

/// Whether a value that is `derived` also is `base`.
pub fn struct_info_base_check(cx: &InferCx, base: &StructInfo, derived: &StructInfo) -> BaseCheck {
    use StructInfo::{Func, Object, Prim, Shape, Tensor, Tuple};
    match (base, derived) {
        (Object, _) => BaseCheck::Pass,
        (_, Object) => BaseCheck::FailL1,
        (Prim { dtype: a, value: x }, Prim { dtype: b, value: y }) => match (x, y) {
            _ if a != b => BaseCheck::FailL0,
            (None, _) => BaseCheck::Pass,
            (Some(_), None) => BaseCheck::FailL2,
            (Some(x), Some(y)) => dim_check(cx, x, y),
        },
        (Shape(a), Shape(b)) => shape_check(cx, a, b),
        (Tensor { shape: a, dtype: x, vdevice: on }, Tensor { shape: b, dtype: y, vdevice: lies }) => {
            shape_check(cx, a, b).min(known_check(x.as_ref(), y.as_ref())).min(known_check(on.as_ref(), lies.as_ref()))
        }
        (Tuple(a), Tuple(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .map(|(a, b)| with_stack(|| struct_info_base_check(cx, a, b)))
            .min()
            .unwrap_or(BaseCheck::Pass),
        (Func { params: p, ret: a, pure }, Func { params: q, ret: b, pure: is_pure }) => {
            if *pure && !is_pure {
                return BaseCheck::FailL0;
            }
            match (p, q) {
                (None, _) => with_stack(|| struct_info_base_check(cx, a, b)),
                (Some(_), None) => BaseCheck::FailL1,
                (Some(p), Some(q)) if p.len() != q.len() => BaseCheck::FailL0,
                // Each side names its dimensions itself.
                (Some(_), Some(_)) if base.equal(derived) => BaseCheck::Pass,
                (Some(_), Some(_)) => BaseCheck::FailL2,
            }
        }
        _ => BaseCheck::FailL0,
    }
}

fn known_check<T: PartialEq>(base: Option<&T>, derived: Option<&T>) -> BaseCheck {
    match (base, derived) {
        (None, _) => BaseCheck::Pass,
        (Some(_), None) => BaseCheck::FailL1,
        (Some(a), Some(b)) if a == b => BaseCheck::Pass,
        (Some(_), Some(_)) => BaseCheck::FailL0,
    }
}

fn shape_check(cx: &InferCx, base: &TensorShape, derived: &TensorShape) -> BaseCheck {
    match (base, derived) {
        (TensorShape::Known(a), TensorShape::Known(b)) if a.len() == b.len() => {
            a.iter().zip(b).map(|(a, b)| dim_check(cx, a, b)).min().unwrap_or(BaseCheck::Pass)
        }
        (TensorShape::Unknown, _) => BaseCheck::Pass,
        (_, TensorShape::Unknown) => BaseCheck::FailL1,
        (base, derived) if base.rank() != derived.rank() => BaseCheck::FailL0,
        (TensorShape::Rank(_), _) => BaseCheck::Pass,
        (TensorShape::Known(_), _) => BaseCheck::FailL2,
    }
}

fn dim_check(cx: &InferCx, base: &Expr, derived: &Expr) -> BaseCheck {
    if base.equal(derived) || cx.analyzer.prove_equal(base, derived) {
        BaseCheck::Pass
    } else if cx.analyzer.prove_different(base, derived) {
        BaseCheck::FailL0
    } else {
        BaseCheck::FailL2
    }
}

/// The least upper bound of two struct infos.
pub fn struct_info_lca(cx: &InferCx, a: &StructInfo, b: &StructInfo) -> StructInfo {
    use StructInfo::{Func, Object, Prim, Shape, Tensor, Tuple};
    match (a, b) {
        (Prim { dtype: x, value: v }, Prim { dtype: y, value: w }) if x == y => {
            let same = matches!((v, w), (Some(v), Some(w)) if dim_check(cx, v, w) == BaseCheck::Pass);
            Prim { dtype: *x, value: v.clone().filter(|_| same) }
        }
        (Shape(x), Shape(y)) => Shape(shape_lca(cx, x, y)),
        (Tensor { shape: x, dtype: t, vdevice: d }, Tensor { shape: y, dtype: u, vdevice: e }) => {
            Tensor { shape: shape_lca(cx, x, y), dtype: t.filter(|_| t == u), vdevice: d.clone().filter(|_| d == e) }
        }
        (Tuple(x), Tuple(y)) if x.len() == y.len() => {
            Tuple(x.iter().zip(y).map(|(x, y)| with_stack(|| struct_info_lca(cx, x, y))).collect())
        }
        (Func { params: p, ret: x, pure: f }, Func { params: q, ret: y, pure: g }) => {
            if a.equal(b) {
                return a.clone();
            }
            let ret = match (p, q) {
                (None, None) => with_stack(|| struct_info_lca(cx, x, y)),
                // Dimensions of the results may be those of parameters that are forgotten here.
                _ => with_stack(|| struct_info_lca(cx, &erase_dims(x, &|_| false), &erase_dims(y, &|_| false))),
            };
            Func { params: None, ret: Box::new(ret), pure: *f && *g }
        }
        _ => Object,
    }
}

fn shape_lca(cx: &InferCx, a: &TensorShape, b: &TensorShape) -> TensorShape {
    match (a.rank(), b.rank()) {
        (Some(m), Some(n)) if m == n => {
            if shape_check(cx, a, b) == BaseCheck::Pass && matches!(b, TensorShape::Known(_)) {
                a.clone()
            } else {
                TensorShape::Rank(m)
            }
        }
        _ => TensorShape::Unknown,
    }
}

/// The info without dimensions that mention a variable outside of `keep`: of a shape with one such only the rank is
/// left. Dimensions that the parameters of a function's type define stay in it.
pub fn erase_dims(info: &StructInfo, keep: &dyn Fn(&Var) -> bool) -> StructInfo {
    let kept = |dim: &Expr| {
        let mut kept = true;
        walk(dim, |e: &Expr| kept &= e.as_var().is_none_or(keep));
        kept
    };
    let shape = |shape: &TensorShape| match shape {
        TensorShape::Known(dims) if !dims.iter().all(kept) => TensorShape::Rank(dims.len()),
        _ => shape.clone(),
    };
    match info {
        StructInfo::Object => StructInfo::Object,
        StructInfo::Prim { dtype, value } => {
            StructInfo::Prim { dtype: *dtype, value: value.clone().filter(|value| kept(value)) }
        }
        StructInfo::Shape(dims) => StructInfo::Shape(shape(dims)),
        StructInfo::Tensor { shape: dims, dtype, vdevice } => {
            StructInfo::Tensor { shape: shape(dims), dtype: *dtype, vdevice: vdevice.clone() }
        }
        StructInfo::Tuple(fields) => {
            StructInfo::Tuple(fields.iter().map(|field| with_stack(|| erase_dims(field, keep))).collect())
        }
        StructInfo::Func { params, ret, pure } => {
            let own: Vec<&Var> = params.iter().flatten().flat_map(definable_dims).collect();
            let inside = |dim: &Var| own.contains(&dim) || keep(dim);
            let erased = |info: &StructInfo| with_stack(|| erase_dims(info, &inside));
            StructInfo::Func {
                params: params.as_ref().map(|params| params.iter().map(erased).collect()),
                ret: Box::new(erased(ret)),
                pure: *pure,
            }
        }
    }
}

/// The info without the values of dimensions and scalars: sorts, ranks and data types.
pub fn static_type(info: &StructInfo) -> StructInfo {
    match info {
        StructInfo::Object => StructInfo::Object,
        StructInfo::Prim { dtype, .. } => StructInfo::Prim { dtype: *dtype, value: None },
        StructInfo::Shape(dims) => StructInfo::Shape(dims.rank().map_or(TensorShape::Unknown, TensorShape::Rank)),
        StructInfo::Tensor { shape, dtype, vdevice } => {
            let shape = shape.rank().map_or(TensorShape::Unknown, TensorShape::Rank);
            StructInfo::Tensor { shape, dtype: *dtype, vdevice: vdevice.clone() }
        }
        StructInfo::Tuple(fields) => StructInfo::Tuple(fields.iter().map(|f| with_stack(|| static_type(f))).collect()),
        StructInfo::Func { params, ret, pure } => StructInfo::Func {
            params: params.as_ref().map(|params| params.iter().map(|p| with_stack(|| static_type(p))).collect()),
            ret: Box::new(with_stack(|| static_type(ret))),
            pure: *pure,
        },
    }
}

/// The result of a call of a function of this type with arguments of these infos.
pub fn derive_call_ret_struct_info(
    cx: &InferCx,
    function: &StructInfo,
    args: &[&StructInfo],
) -> Result<StructInfo, InferError> {
    match function {
        StructInfo::Func { params: Some(params), ret, .. } => {
            let bound = check_against(cx, "the function", params, args)?;
            let own: Vec<&Var> = params.iter().flat_map(definable_dims).collect();
            let ret = erase_dims(ret, &|dim| !own.contains(&dim) || bound.iter().any(|(var, _)| var == dim));
            Ok(substitute_dims(&ret, &bound))
        }
        StructInfo::Func { params: None, ret, .. } => Ok((**ret).clone()),
        other => {
            let found = crate::op::describe(Some(other));
            Err(InferError::new(format!("expected the type of a function, found {found}")))
        }
    }
}

/// The symbolic dimensions that a value of this info defines: the bare variables. Each once.
pub fn definable_dims(info: &StructInfo) -> Vec<&Var> {
    let mut seen = Set::default();
    crate::verify::definable(info).into_iter().filter(|dim| seen.insert(dim.id())).collect()
}

/// Every symbolic dimension that the info mentions, each once, also inside the types of functions.
pub fn dims_in_struct_info(info: &StructInfo) -> Vec<Var> {
    let (mut found, mut seen) = (Vec::new(), Set::default());
    walk(info, |var: &Var| {
        if seen.insert(var.id()) {
            found.push(var.clone());
        }
    });
    found
}

/// The extents of tensors and shapes in the info that are no constants: none is negative. Each once.
pub fn collect_non_negative_expressions(info: &StructInfo) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    collect_extents(info, &mut |dim| {
        if dim.as_int().is_none() && !found.iter().any(|known| known.equal(dim)) {
            found.push(dim.clone());
        }
    });
    found
}

fn collect_extents(info: &StructInfo, found: &mut dyn FnMut(&Expr)) {
    match info {
        StructInfo::Tensor { .. } | StructInfo::Shape(_) => info.dims().into_iter().flatten().for_each(found),
        StructInfo::Tuple(fields) => fields.iter().for_each(|field| with_stack(|| collect_extents(field, found))),
        StructInfo::Object | StructInfo::Prim { .. } | StructInfo::Func { .. } => {}
    }
}
