//! `ConvertSSA`: each variable is defined in one place. A second definition gets a variable of its own.

use tilewright_expr::node::{VarId, rewrite};
use tilewright_ir::tir::{Block, Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::Set;

use super::{Options, below, with};
use crate::stmt::{Result, map_own};
use crate::substitute::Substitute;

pub(super) fn convert_ssa(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut defined: Set<VarId> = Set::default();
    for param in &function.params {
        defined.insert(param.var.id());
        if let Some(buffer) = &param.buffer {
            defined.insert(buffer.data.id());
            for part in buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset) {
                tilewright_expr::node::walk(part, |var: &Var| {
                    defined.insert(var.id());
                });
            }
        }
    }
    let body = once(&mut defined, &function.body)?;
    Ok(with(function, body))
}

/// The variables that the statement binds itself.
fn binders(stmt: &Stmt) -> Vec<Var> {
    match &stmt.kind {
        StmtKind::For { var, .. } | StmtKind::Let { var, .. } => vec![var.clone()],
        StmtKind::AllocateConst { buffer, .. } => vec![buffer.data.clone()],
        StmtKind::Block { block, .. } => {
            let buffers = block.alloc_buffers.iter().chain(block.match_buffers.iter().map(|matched| &matched.buffer));
            block.iters.iter().map(|iter| iter.var.clone()).chain(buffers.map(|buffer| buffer.data.clone())).collect()
        }
        _ => Vec::new(),
    }
}

fn once(defined: &mut Set<VarId>, stmt: &Stmt) -> Result<Stmt> {
    let mut renewed = Substitute::default();
    let mut again = false;
    for var in binders(stmt) {
        if !defined.insert(var.id()) {
            let fresh = var.renewed();
            defined.insert(fresh.id());
            renewed.binders.insert(var.id(), fresh);
            again = true;
        }
    }
    let stmt = if again { renewed.apply(stmt) } else { stmt.clone() };
    let stmt = map_own(&stmt, &mut |expr| lets(defined, expr));
    match &stmt.kind {
        StmtKind::Allocate { buffer, body } => allocation(defined, buffer, body),
        StmtKind::Block { values, predicate, block } => {
            let init = block.init.as_ref().map(|init| once(defined, init)).transpose()?;
            let body = once(defined, &block.body)?;
            let block = Block { init, body, ..block.clone() };
            Ok(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
        }
        _ => below(&stmt, &mut |s| once(defined, s)),
    }
}

/// An allocation defines its memory; a declaration of a view, inside of it, does not.
fn allocation(defined: &mut Set<VarId>, buffer: &Buffer, body: &Stmt) -> Result<Stmt> {
    let is_view = defined.contains(&buffer.data.id()) && !defined.contains(&buffer.id());
    let seen = !defined.insert(buffer.id());
    if !seen || is_view {
        defined.insert(buffer.data.id());
        let body = once(defined, body)?;
        return Ok(StmtKind::Allocate { buffer: buffer.clone(), body }.into());
    }
    let mut renewed = Substitute::default();
    renewed.binders.insert(buffer.data.id(), buffer.data.renewed());
    let stmt: Stmt = StmtKind::Allocate { buffer: buffer.clone(), body: body.clone() }.into();
    let stmt = renewed.apply(&stmt);
    let StmtKind::Allocate { buffer, body } = &stmt.kind else { return Ok(stmt) };
    defined.extend([buffer.id(), buffer.data.id()]);
    let body = once(defined, body)?;
    Ok(StmtKind::Allocate { buffer: buffer.clone(), body }.into())
}

/// The expression with fresh variables in lets that were seen before.
fn lets(defined: &mut Set<VarId>, expr: &Expr) -> Expr {
    let mut fresh = |e: &Expr| -> Option<Expr> {
        let ExprKind::Let { var, .. } = &e.kind else { return None };
        if defined.insert(var.id()) {
            return None;
        }
        let mut renewed = Substitute::default();
        let own = var.renewed();
        defined.insert(own.id());
        renewed.binders.insert(var.id(), own);
        Some(renewed.apply(e))
    };
    let inside = rewrite(expr, &mut fresh);
    let expr = inside.unwrap_or_else(|| expr.clone());
    fresh(&expr).unwrap_or(expr)
}
