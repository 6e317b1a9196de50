//! `truncate_divisions`: rounding down is rounding towards zero where the dividend is not negative and the divisor
//! positive; machines divide towards zero.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{VarId, rewrite};
use tilewright_ir::tir::{BinOp, Expr, ExprKind, PrimFunc, Range, Stmt, StmtKind};
use tilewright_support::Set;

use crate::stmt::{Result, analyzer_of, assume, map_below, with_body, written_data};

pub fn truncate_divisions(function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Divisions { analyzer: analyzer_of(function), written: written_data(function) };
    let body = cx.stmt(&function.body)?;
    Ok(with_body(function, body))
}

struct Divisions {
    analyzer: Analyzer,
    written: Set<VarId>,
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
            if !e.dtype.is_int() || !self.analyzer.bounds(b).at_least(1) || !self.analyzer.bounds(a).at_least(0) {
                return None;
            }
            Some(Expr::raw(e.dtype, ExprKind::Binary(op, a.clone(), b.clone())))
        };
        rewrite(expr, truncated).unwrap_or_else(|| expr.clone())
    }

    /// The statement's own expressions, then the statements below under what is known there.
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let mut kind = stmt.kind.clone();
        let scope = self.analyzer.enter();
        match &mut kind {
            StmtKind::Store { indices, value, predicate, .. } => {
                for e in indices.iter_mut().chain([value]).chain(predicate) {
                    *e = self.expr(e);
                }
            }
            StmtKind::For { var, min, extent, .. } => {
                (*min, *extent) = (self.expr(min), self.expr(extent));
                self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
            }
            StmtKind::While { condition, .. } | StmtKind::Assert { condition, .. } => *condition = self.expr(condition),
            StmtKind::If { condition, otherwise, .. } => {
                *condition = self.expr(condition);
                if otherwise.is_none() {
                    assume(&mut self.analyzer, &self.written, condition);
                }
            }
            StmtKind::Let { var, value, .. } => {
                *value = self.expr(value);
                self.analyzer.bind_value(var, value);
            }
            StmtKind::Evaluate(e) => *e = self.expr(e),
            StmtKind::Attr { node, value, .. } => (*node, *value) = (self.expr(node), self.expr(value)),
            StmtKind::Seq(_) | StmtKind::Block { .. } | StmtKind::Allocate { .. } | StmtKind::AllocateConst { .. } => {}
        }
        let below = map_below(&kind.into(), &mut |s| self.stmt(s));
        self.analyzer.leave(scope);
        below
    }
}
