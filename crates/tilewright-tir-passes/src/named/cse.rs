//! `CommonSubexprElimTIR`: arithmetic that a statement does several times gets a name around that statement.
//!
//! The name stands as far outside as the variables of the arithmetic allow, and is given only where the arithmetic is
//! done twice or more. Loads and calls are no such arithmetic: what they give may change in between.

use tilewright_arith::Repetitions;
use tilewright_expr::node::{AnyHandle, IrNode, Mapper, VarId, Visitor, walk};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Set, with_stack};

use super::{Options, below, with};
use crate::stmt::{Result, may_fault};

pub(super) fn common_subexpr_elim(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    if options.get("enable_cse_tir").is_some_and(|on| !on.is_true()) {
        return Ok(function.clone());
    }
    let mut cx = Common { names: 0 };
    let body = cx.stmt(&function.body)?;
    Ok(with(function, body))
}

struct Common {
    names: usize,
}

/// Operations in a statement up to which their repetitions are looked for.
const OPERATIONS: usize = 4096;

fn is_arithmetic(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Binary(..) | ExprKind::Compare(..) | ExprKind::Not(_) | ExprKind::Select { .. } | ExprKind::Cast(_)
    )
}

/// Whether nothing but arithmetic of variables and constants is inside. A division by what may be 0 stays where it
/// is: a choice may guard it.
fn is_plain(expr: &Expr) -> bool {
    let mut plain = true;
    walk(expr, |inside: &Expr| {
        plain &= is_arithmetic(inside)
            || matches!(inside.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Var(_))
            || matches!(inside.kind, ExprKind::Ramp { .. } | ExprKind::Broadcast(_));
    });
    plain && !may_fault(expr)
}

/// Each expression in the node, every occurrence, the outer ones first; not those of buffers' declarations.
struct Occurrences<'a> {
    f: &'a mut dyn FnMut(&Expr),
}

impl Visitor for Occurrences<'_> {
    fn visit(&mut self, node: &dyn AnyHandle) {
        if node.downcast::<Buffer>().is_some() {
            return;
        }
        if let Some(expr) = node.downcast::<Expr>() {
            (self.f)(expr);
        }
        with_stack(|| node.visit_inside(self));
    }
}

fn bound_inside(stmt: &Stmt) -> Set<VarId> {
    let mut bound = Set::default();
    walk(stmt, |inside: &Stmt| match &inside.kind {
        StmtKind::For { var, .. } | StmtKind::Let { var, .. } => drop(bound.insert(var.id())),
        StmtKind::Block { block, .. } => bound.extend(block.iters.iter().map(|iter| iter.var.id())),
        _ => {}
    });
    walk(stmt, |inside: &Expr| {
        if let ExprKind::Let { var, .. } = &inside.kind {
            bound.insert(var.id());
        }
    });
    bound
}

/// Replaces equal expressions by a variable, everywhere but in declarations of buffers.
struct Replace<'a> {
    expr: &'a Expr,
    by: Expr,
}

impl Mapper for Replace<'_> {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if node.downcast::<Buffer>().is_some() {
            return None;
        }
        match node.downcast::<Expr>() {
            Some(expr) if expr.equal(self.expr) => Some(self.by.boxed()),
            _ => with_stack(|| node.map_inside(self)),
        }
    }
}

impl Common {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        if matches!(stmt.kind, StmtKind::Block { .. }) {
            return below(stmt, &mut |s| self.stmt(s));
        }
        match self.repeated(stmt) {
            Some(value) => {
                self.names += 1;
                let var = Var::new(format!("cse_var_{}", self.names), value.dtype);
                let mut replace = Replace { expr: &value, by: Expr::var(&var) };
                let body = stmt.map_children(&mut replace).unwrap_or_else(|| stmt.clone());
                let body = with_stack(|| self.stmt(&body))?;
                Ok(StmtKind::Let { var, value, body }.into())
            }
            None => below(stmt, &mut |s| self.stmt(s)),
        }
    }

    /// The largest arithmetic that the statement does twice or more, of variables from outside of it.
    fn repeated(&self, stmt: &Stmt) -> Option<Expr> {
        let bound = bound_inside(stmt);
        let mut found = Repetitions::default();
        let mut seen = 0;
        let mut note = |expr: &Expr| {
            seen += 1;
            if seen > OPERATIONS || !is_arithmetic(expr) || !is_plain(expr) {
                return;
            }
            let mut free = true;
            walk(expr, |var: &Var| free &= !bound.contains(&var.id()));
            if free {
                found.note(expr);
            }
        };
        stmt.visit_children(&mut Occurrences { f: &mut note });
        let repeated = found.all.into_iter().filter(|(_, count)| *count > 1).map(|(expr, _)| expr);
        repeated.max_by_key(size)
    }
}

fn size(expr: &Expr) -> usize {
    let mut size = 0;
    walk(expr, |_: &Expr| size += 1);
    size
}
