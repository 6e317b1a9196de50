//! `RewriteUnsafeSelect`: a choice that evaluates both values becomes one that evaluates only the value it takes, where
//! a value may fault that is not taken.

use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{BinOp, Expr, ExprKind, Intrinsic, PrimFunc, Stmt};

use super::{Options, below, with};
use crate::stmt::{Result, map_own};

pub(super) fn rewrite_unsafe_select(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    fn rewritten(stmt: &Stmt) -> Result<Stmt> {
        below(&map_own(stmt, &mut safe), &mut rewritten)
    }
    Ok(with(function, rewritten(&function.body)?))
}

fn safe(expr: &Expr) -> Expr {
    let inside = rewrite(expr, lazily).unwrap_or_else(|| expr.clone());
    lazily(&inside).unwrap_or(inside)
}

fn lazily(expr: &Expr) -> Option<Expr> {
    let ExprKind::Select { condition, then, otherwise } = &expr.kind else { return None };
    if !condition.dtype.is_scalar() || !(may_fault(then) || may_fault(otherwise)) {
        return None;
    }
    let args = vec![condition.clone(), then.clone(), otherwise.clone()];
    Some(Expr::raw(expr.dtype, ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args }))
}

/// Whether the evaluation reads memory, divides by what may be 0, or calls a function with effects. What a lazy choice
/// guards does not count.
fn may_fault(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Load { .. } => true,
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => args.first().is_some_and(may_fault),
        ExprKind::Foreign { callee, args } => !callee.is_pure() || args.iter().any(may_fault),
        ExprKind::Binary(BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod, a, b) => {
            (a.dtype.is_int() && b.as_int().is_none_or(|b| b == 0)) || may_fault(a) || may_fault(b)
        }
        _ => {
            let mut found = false;
            walk(&expr.kind, |inside: &Expr| {
                found |= matches!(inside.kind, ExprKind::Load { .. })
                    || matches!(&inside.kind, ExprKind::Foreign { callee, .. } if !callee.is_pure());
            });
            found
        }
    }
}
