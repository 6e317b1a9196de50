//! Struct infos of arguments against those of parameters, and what two of them have in common.

use tilewright_expr as scalar;
use tilewright_expr::node::{EqCx, rewrite};

use crate::op::{InferCx, InferError, describe};
use crate::relax::{StructInfo, TensorShape};

/// The least upper bound of two struct infos.
pub(crate) fn common(a: &StructInfo, b: &StructInfo) -> StructInfo {
    match (a, b) {
        (
            StructInfo::Tensor { shape: p, dtype: x, vdevice: on },
            StructInfo::Tensor { shape: q, dtype: y, vdevice: other },
        ) => StructInfo::Tensor {
            shape: common_shape(p, q),
            dtype: x.filter(|x| Some(*x) == *y),
            vdevice: on.clone().filter(|on| Some(on) == other.as_ref()),
        },
        (StructInfo::Shape(p), StructInfo::Shape(q)) => StructInfo::Shape(common_shape(p, q)),
        (StructInfo::Prim { dtype: x, .. }, StructInfo::Prim { dtype: y, .. }) if x == y => {
            StructInfo::Prim { dtype: *x, value: None }
        }
        (StructInfo::Func { .. }, StructInfo::Func { .. }) => common_function(a, b),
        (StructInfo::Tuple(x), StructInfo::Tuple(y)) if x.len() == y.len() => {
            StructInfo::Tuple(x.iter().zip(y).map(|(x, y)| if x.equal(y) { x.clone() } else { common(x, y) }).collect())
        }
        _ => StructInfo::Object,
    }
}

fn common_shape(a: &TensorShape, b: &TensorShape) -> TensorShape {
    match (a, b) {
        (TensorShape::Known(x), TensorShape::Known(y)) if EqCx::compare(x, y).is_ok() => a.clone(),
        _ => match (a.rank(), b.rank()) {
            (Some(m), Some(n)) if m == n => TensorShape::Rank(m),
            _ => TensorShape::Unknown,
        },
    }
}

/// Functions of different types: only whether both are pure is known.
fn common_function(a: &StructInfo, b: &StructInfo) -> StructInfo {
    let pure = [a, b].iter().all(|info| matches!(info, StructInfo::Func { pure: true, .. }));
    StructInfo::Func { params: None, ret: Box::new(StructInfo::Object), pure }
}

/// The value of each symbolic dimension of a callee at a call.
pub type DimBindings = Vec<(scalar::Var, scalar::Expr)>;

/// The info with symbolic dimensions replaced.
pub fn substitute_dims(info: &StructInfo, bound: &DimBindings) -> StructInfo {
    let replace = |e: &scalar::Expr| {
        e.as_var().and_then(|v| bound.iter().find(|(var, _)| var == v)).map(|(_, value)| value.clone())
    };
    rewrite(info, replace).unwrap_or_else(|| info.clone())
}

/// Checks argument infos against parameter infos; what is not known at compile time is left to run time.
pub fn check_against(
    cx: &InferCx,
    callee: &str,
    params: &[StructInfo],
    args: &[&StructInfo],
) -> Result<DimBindings, InferError> {
    if params.len() != args.len() {
        return Err(InferError::new(format!(
            "{callee} takes {} argument{}, found {}",
            params.len(),
            if params.len() == 1 { "" } else { "s" },
            args.len()
        )));
    }
    let mut bound = DimBindings::new();
    for (i, (param, arg)) in params.iter().zip(args).enumerate() {
        check_one(cx, callee, i, param, arg, &mut bound)?;
    }
    Ok(bound)
}

fn check_one(
    cx: &InferCx,
    callee: &str,
    i: usize,
    param: &StructInfo,
    arg: &StructInfo,
    bound: &mut DimBindings,
) -> Result<(), InferError> {
    let wrong = |what: String| Err(InferError::at(i, format!("argument {i} of {callee}: {what}")));
    match (param, arg) {
        (StructInfo::Object, _) | (_, StructInfo::Object) => Ok(()),
        (StructInfo::Tensor { dtype: p, .. }, StructInfo::Tensor { dtype: a, .. }) => {
            if let (Some(p), Some(a)) = (p, a)
                && p != a
            {
                return wrong(format!("expected dtype {p}, found {a}"));
            }
            if let (Some(p), Some(a)) = (param.vdevice(), arg.vdevice())
                && p != a
            {
                return wrong(format!("expected it on {p}, found it on {a}"));
            }
            check_dims(cx, param, arg, bound).or_else(wrong)
        }
        (StructInfo::Shape(_), StructInfo::Shape(_)) => check_dims(cx, param, arg, bound).or_else(wrong),
        (StructInfo::Prim { dtype: p, .. }, StructInfo::Prim { dtype: a, .. }) => match p == a {
            true => Ok(()),
            false => wrong(format!("expected a scalar of {p}, found one of {a}")),
        },
        (StructInfo::Tuple(p), StructInfo::Tuple(a)) if p.len() == a.len() => {
            p.iter().zip(a).try_for_each(|(p, a)| check_one(cx, callee, i, p, a, bound))
        }
        (StructInfo::Func { .. }, StructInfo::Func { .. }) => Ok(()),
        _ => wrong(format!("expected {}, found {}", describe(Some(param)), describe(Some(arg)))),
    }
}

fn check_dims(cx: &InferCx, param: &StructInfo, arg: &StructInfo, bound: &mut DimBindings) -> Result<(), String> {
    if let (Some(p), Some(a)) = (param.rank(), arg.rank())
        && p != a
    {
        return Err(format!("expected {p} dimensions, found {a}"));
    }
    let (Some(params), Some(args)) = (param.dims(), arg.dims()) else { return Ok(()) };
    for (axis, (p, a)) in params.iter().zip(args).enumerate() {
        if let Some(var) = p.as_var()
            && !bound.iter().any(|(v, _)| v == var)
        {
            bound.push((var.clone(), a.clone()));
            continue;
        }
        let expected = rewrite(p, |e: &scalar::Expr| {
            e.as_var().and_then(|v| bound.iter().find(|(var, _)| var == v)).map(|(_, value)| value.clone())
        });
        let expected = expected.as_ref().unwrap_or(p);
        if cx.analyzer.prove_different(expected, a) {
            let (expected, found) = (cx.analyzer.simplify(expected), cx.analyzer.simplify(a));
            return Err(match (expected.as_int(), found.as_int()) {
                (Some(e), Some(f)) => format!("expected {e} in dimension {axis}, found {f}"),
                _ => format!("dimension {axis} can never be what is expected"),
            });
        }
    }
    Ok(())
}
