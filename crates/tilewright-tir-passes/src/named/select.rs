//! `RewriteUnsafeSelect`: a choice that evaluates both values becomes one that evaluates only the value it takes, where
//! a value may fault that is not taken.

use tilewright_expr::node::rewrite;
use tilewright_ir::tir::{Expr, ExprKind, Intrinsic, PrimFunc, Stmt};

use super::{Options, below, with};
use crate::stmt::{Result, evaluates, map_own};

pub(super) fn rewrite_unsafe_select(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    fn rewritten(stmt: &Stmt) -> Result<Stmt> {
        let safe = map_own(stmt, &mut |expr| rewrite(expr, lazily).unwrap_or_else(|| expr.clone()));
        below(&safe, &mut rewritten)
    }
    Ok(with(function, rewritten(&function.body)?))
}

fn lazily(expr: &Expr) -> Option<Expr> {
    let ExprKind::Select { condition, then, otherwise } = &expr.kind else { return None };
    if !condition.dtype.is_scalar() || !(is_unsafe(then) || is_unsafe(otherwise)) {
        return None;
    }
    let args = vec![condition.clone(), then.clone(), otherwise.clone()];
    Some(Expr::raw(expr.dtype, ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args }))
}

/// Whether the evaluation reads memory, divides by what may be 0, or calls a function with effects. What a lazy choice
/// guards does not count.
fn is_unsafe(expr: &Expr) -> bool {
    let own = |e: &Expr| match &e.kind {
        ExprKind::Load { .. } => true,
        ExprKind::Foreign { callee, .. } => !callee.is_pure(),
        _ => false,
    };
    evaluates(expr, own) || crate::stmt::may_fault(expr)
}
