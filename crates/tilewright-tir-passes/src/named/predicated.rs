//! Conditions moved inwards: `if c: S; barrier; T` becomes `if c: S`, the barrier, `if c: T`, so that all threads come
//! to the barrier.
//!
//! A condition that reads memory, or may fault, is evaluated once in front. Loops, declarations and values around a
//! barrier run whether the condition holds or not; a loop has to have a range that is safe to evaluate everywhere.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Expr, Intrinsic, Stmt, StmtKind, Var};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;

use super::{below, refuse, seq};
use crate::stmt::{Result, is_foreign, may_fault, reads, typed};

/// The `if` without a barrier under its condition.
pub(super) fn taken_apart(stmt: &Stmt, is_barrier: &dyn Fn(&Stmt) -> bool) -> Result<Stmt> {
    let StmtKind::If { condition, then, otherwise } = &stmt.kind else { return Ok(stmt.clone()) };
    if is_safe(condition) {
        return apart(condition, then, otherwise.as_ref(), is_barrier);
    }
    let var = Var::new("condition", DataType::BOOL);
    let body = apart(&Expr::var(&var), then, otherwise.as_ref(), is_barrier)?;
    Ok(StmtKind::Let { var, value: condition.clone(), body }.into())
}

fn is_safe(expr: &Expr) -> bool {
    !reads(expr) && !is_foreign(expr) && !may_fault(expr)
}

fn apart(condition: &Expr, then: &Stmt, otherwise: Option<&Stmt>, is_barrier: &dyn Fn(&Stmt) -> bool) -> Result<Stmt> {
    let then = under(condition, then, is_barrier)?;
    let Some(otherwise) = otherwise else { return Ok(then) };
    let opposite = typed(condition.not())?;
    Ok(seq([then, under(&opposite, otherwise, is_barrier)?]))
}

/// The statement, of which what is no barrier runs where the condition holds.
fn under(condition: &Expr, stmt: &Stmt, is_barrier: &dyn Fn(&Stmt) -> bool) -> Result<Stmt> {
    let has_barrier = |stmt: &Stmt| {
        let mut found = false;
        walk(stmt, |s: &Stmt| found |= is_barrier(s));
        found
    };
    if is_barrier(stmt) {
        return Ok(stmt.clone());
    }
    if !has_barrier(stmt) {
        return Ok(StmtKind::If { condition: condition.clone(), then: stmt.clone(), otherwise: None }.into());
    }
    match &stmt.kind {
        StmtKind::Seq(stmts) => {
            let mut done = Vec::new();
            for run in stmts.chunk_by(|a, b| !has_barrier(a) && !has_barrier(b)) {
                done.push(with_stack(|| under(condition, &seq(run.iter().cloned()), is_barrier))?);
            }
            Ok(seq(done))
        }
        StmtKind::For { min, extent, .. } if is_safe(min) && is_safe(extent) => {
            below(stmt, &mut |s| under(condition, s, is_barrier))
        }
        StmtKind::If { condition: inner, .. } if is_safe(inner) => {
            below(stmt, &mut |s| under(condition, s, is_barrier))
        }
        StmtKind::Allocate { .. } | StmtKind::AllocateConst { .. } | StmtKind::Attr { .. } => {
            below(stmt, &mut |s| under(condition, s, is_barrier))
        }
        StmtKind::Let { var, value, body } if !value.dtype.is_handle() => {
            let body = with_stack(|| under(condition, body, is_barrier))?;
            let value = match is_safe(value) {
                true => value.clone(),
                false => {
                    let zero = typed(Expr::i32(0).cast(value.dtype))?;
                    typed(Expr::call(Intrinsic::IfThenElse, &[condition.clone(), value.clone(), zero]))?
                }
            };
            Ok(StmtKind::Let { var: var.clone(), value, body }.into())
        }
        _ => refuse(
            "a barrier is needed under a condition that differs between threads, within a statement that cannot run \
             without the condition: move the condition inwards, to the stores",
        ),
    }
}
