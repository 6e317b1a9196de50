//! `ConvertSSA`: each variable is defined in one place. A second definition gets a variable of its own.

use tilewright_expr::node::{AnyHandle, IrNode, Mapper, Memo, VarId};
use tilewright_ir::tir::{Block, Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Set, with_stack};

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
    let mut cx = Lets { defined, met: 0, memo: Memo::default() };
    expr.map_children(&mut cx).unwrap_or_else(|| expr.clone())
}

/// Goes from outer lets to inner ones: an inner let of the same variable keeps its uses.
struct Lets<'a> {
    defined: &'a mut Set<VarId>,
    /// Lets so far: what has none inside is the same everywhere.
    met: usize,
    memo: Memo,
}

impl Lets<'_> {
    fn renewed(&mut self, node: &dyn AnyHandle) -> Option<Expr> {
        let expr = node.downcast::<Expr>()?;
        let ExprKind::Let { var, .. } = &expr.kind else { return None };
        self.met += 1;
        if self.defined.insert(var.id()) {
            return None;
        }
        let mut renewed = Substitute::default();
        let own = var.renewed();
        self.defined.insert(own.id());
        renewed.binders.insert(var.id(), own.clone());
        let ExprKind::Let { value, body, .. } = &expr.kind else { return None };
        let (value, body) = (value.clone(), renewed.apply(body));
        Some(Expr::raw(expr.dtype, ExprKind::Let { var: own, value, body }))
    }
}

impl Mapper for Lets<'_> {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(known) = self.memo.get(node) {
            return known;
        }
        let before = self.met;
        let renewed = self.renewed(node);
        let node = renewed.as_ref().map_or(node, |expr| expr as &dyn AnyHandle);
        let inside = with_stack(|| node.map_inside(self));
        let result = inside.or_else(|| renewed.as_ref().map(|expr| expr.boxed()));
        if self.met == before {
            self.memo.put(node, &result);
        }
        result
    }
}
