//! `truncate_divisions`: rounding down is rounding towards zero where the dividend is not negative and the divisor
//! positive; machines divide towards zero.

use tilewright_expr::node::rewrite;
use tilewright_ir::tir::{BinOp, Expr, ExprKind, PrimFunc, Stmt, StmtKind};

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
        let truncated = |e: &Expr| {
            let ExprKind::Binary(op, a, b) = &e.kind else { return None };
            let op = match op {
                BinOp::FloorDiv => BinOp::Div,
                BinOp::FloorMod => BinOp::Mod,
                _ => return None,
            };
            if !e.dtype.is_int()
                || !self.facts.analyzer.bounds(b).at_least(1)
                || !self.facts.analyzer.bounds(a).at_least(0)
            {
                return None;
            }
            Some(Expr::raw(e.dtype, ExprKind::Binary(op, a.clone(), b.clone())))
        };
        rewrite(expr, truncated).unwrap_or_else(|| expr.clone())
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
