//! `guard_selects`: a `T.Select` whose condition keeps an access of one of its values in range becomes a lazy choice,
//! as programs write `T.Select(i >= 3, A[i - 3], 0)`. So does one of whose access nothing can be proven, if the
//! condition is about the same variables (`T.Select(i > 0, A[i * n - 1], 0)`): the access is checked at run time, where
//! it is made. Others stay, since they are evaluated as vectors.

use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{CmpOp, Expr, ExprKind, Intrinsic, PrimFunc, Range, Stmt, StmtKind, Var};

use crate::stmt::{Result, analyzer_of, evaluates, map_below, map_own, mentions, reads, with_body};

pub fn guard_selects(function: &PrimFunc) -> Result<PrimFunc> {
    let mut analyzer = analyzer_of(function);
    Ok(with_body(function, lazy(&mut analyzer, &function.body)?))
}

fn lazy(analyzer: &mut tilewright_arith::Analyzer, stmt: &Stmt) -> Result<Stmt> {
    let own = map_own(stmt, &mut |expr| {
        if !evaluates(expr, |e| matches!(e.kind, ExprKind::Select { .. })) {
            return expr.clone();
        }
        rewrite(expr, |e: &Expr| choice(analyzer, e)).unwrap_or_else(|| expr.clone())
    });
    let scope = analyzer.enter();
    match &own.kind {
        StmtKind::For { var, min, extent, .. } => analyzer.bind(var, &Range::new(min.clone(), extent.clone())),
        StmtKind::Let { var, value, .. } if !reads(value) && value.dtype.is_int() => analyzer.bind_value(var, value),
        _ => {}
    }
    let done = map_below(&own, &mut |s| lazy(analyzer, s));
    analyzer.leave(scope);
    done
}

fn choice(analyzer: &mut tilewright_arith::Analyzer, expr: &Expr) -> Option<Expr> {
    let ExprKind::Select { condition, then, otherwise } = &expr.kind else { return None };
    if !condition.dtype.is_scalar() || reads(condition) {
        return None;
    }
    let opposite = condition.not().ok()?;
    let guards = guards(analyzer, condition, then) || guards(analyzer, &opposite, otherwise);
    let args = vec![condition.clone(), then.clone(), otherwise.clone()];
    guards.then(|| Expr::raw(expr.dtype, ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args }))
}

/// Whether an index is in range because the condition holds, or may be.
fn guards(analyzer: &mut tilewright_arith::Analyzer, condition: &Expr, value: &Expr) -> bool {
    let mut open: Vec<Expr> = Vec::new();
    evaluates(value, |e| {
        if let ExprKind::Load { buffer, indices, .. } = &e.kind {
            for (index, extent) in indices.iter().zip(&buffer.shape).filter(|(index, _)| index.dtype.is_scalar()) {
                let ends = [
                    Expr::compare(CmpOp::Le, &Expr::int(0, index.dtype), index),
                    Expr::compare(CmpOp::Lt, index, extent),
                ];
                open.extend(ends.into_iter().flatten().filter(|inside| !analyzer.prove(inside)));
            }
        }
        false
    });
    if open.is_empty() {
        return false;
    }
    let scope = analyzer.enter();
    analyzer.assume(condition);
    let mut vars: Vec<Var> = Vec::new();
    walk(condition, |var: &Var| vars.push(var.clone()));
    let guarded = open.iter().any(|inside| mentions(inside, &vars) || analyzer.prove(inside));
    analyzer.leave(scope);
    guarded
}
