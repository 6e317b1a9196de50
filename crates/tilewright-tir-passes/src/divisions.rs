//! `truncate_divisions`: rounding down is rounding towards zero where the dividend is not negative and the divisor
//! positive; machines divide towards zero.

use tilewright_expr::node::{AnyHandle, IrNode, Mapper, Memo};
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind};
use tilewright_support::with_stack;

use crate::facts::Facts;
use crate::stmt::{Result, map_below, map_own, with_body};

pub fn truncate_divisions(function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Divisions { facts: Facts::of(function) };
    let body = cx.stmt(&function.body)?;
    Ok(with_body(function, body))
}

struct Divisions {
    facts: Facts,
}

impl Divisions {
    fn expr(&self, expr: &Expr) -> Expr {
        expr.map_children(&mut Truncate { facts: &self.facts, memo: Memo::default() }).unwrap_or_else(|| expr.clone())
    }

    /// The statement's own expressions, then the statements below under what is known there.
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let stmt = map_own(stmt, &mut |e| self.expr(e));
        let scope = self.facts.enter();
        self.facts.bind_in(&stmt);
        if let StmtKind::If { condition, otherwise: None, .. } = &stmt.kind {
            self.facts.assume(condition);
        }
        let below = map_below(&stmt, &mut |s| self.stmt(s));
        self.facts.leave(scope);
        below
    }
}

/// Rewrites divisions; buffers stay what they are, whatever is known of their shapes where they are used.
struct Truncate<'a> {
    facts: &'a Facts,
    memo: Memo,
}

impl Truncate<'_> {
    fn truncated(&self, e: &Expr) -> Option<Expr> {
        let ExprKind::Binary(op, a, b) = &e.kind else { return None };
        let op = match op {
            BinOp::FloorDiv => BinOp::Div,
            BinOp::FloorMod => BinOp::Mod,
            _ => return None,
        };
        let analyzer = &self.facts.analyzer;
        if !e.dtype.is_int() || !analyzer.bounds(b).at_least(1) || !analyzer.bounds(a).at_least(0) {
            return None;
        }
        Some(Expr::raw(e.dtype, ExprKind::Binary(op, a.clone(), b.clone())))
    }
}

impl Mapper for Truncate<'_> {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if node.downcast::<Buffer>().is_some() {
            return None;
        }
        if let Some(known) = self.memo.get(node) {
            return known;
        }
        let inside = with_stack(|| node.map_inside(self));
        let current = inside.as_deref().unwrap_or(node);
        let truncated = current.downcast::<Expr>().and_then(|e| self.truncated(e));
        let result = truncated.map(|e| Box::new(e) as Box<dyn AnyHandle>).or(inside);
        self.memo.put(node, &result);
        result
    }
}
