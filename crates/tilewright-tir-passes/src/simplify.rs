//! `simplify`: brings expressions into canonical form under the facts that hold at each; removes loops of one
//! iteration, conditions that always or never hold, and empty statements.

use tilewright_expr::node::rewrite;
use tilewright_ir::tir::{Expr, ExprKind, ForKind, PrimFunc, Stmt, StmtKind, Var};

use crate::facts::Facts;
use crate::stmt::{Result, is_foreign, is_nothing, map_below, reads, with_body};
use crate::substitute::Substitute;

pub fn simplify(function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Simplify { facts: Facts::of(function) };
    let body = cx.stmt(&function.body)?;
    Ok(with_body(function, body))
}

struct Simplify {
    facts: Facts,
}

impl Simplify {
    /// The expression in canonical form. Of an expression with foreign calls only their arguments are simplified, so
    /// that each call happens as often as before.
    fn simple(&self, expr: &Expr) -> Expr {
        if !is_foreign(expr) {
            return self.facts.analyzer.simplify(expr);
        }
        let calls = rewrite(expr, |e: &Expr| {
            let ExprKind::Foreign { callee, args } = &e.kind else { return None };
            let args =
                args.iter().map(|arg| if is_foreign(arg) { arg.clone() } else { self.facts.analyzer.simplify(arg) });
            Some(Expr::foreign(e.dtype, callee.clone(), args.collect()))
        });
        calls.unwrap_or_else(|| expr.clone())
    }

    fn exprs(&self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|e| self.simple(e)).collect()
    }

    fn scoped(&mut self, f: impl FnOnce(&mut Self) -> Result<Stmt>) -> Result<Stmt> {
        let scope = self.facts.enter();
        let result = f(self);
        self.facts.leave(scope);
        result
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate } => {
                let predicate = predicate.as_ref().map(|p| self.simple(p));
                let calls = indices.iter().chain([value]).any(is_foreign);
                let predicate = match predicate.as_ref().and_then(every_lane) {
                    Some(0) if !calls => return Ok(Stmt::nothing()),
                    Some(0) => predicate,
                    Some(_) => None,
                    None => predicate,
                };
                let (indices, value) = (self.exprs(indices), self.simple(value));
                Ok(StmtKind::Store { buffer: buffer.clone(), indices, value, predicate }.into())
            }
            StmtKind::For { var, min, extent, kind, body, .. } => self.loop_over(stmt, var, min, extent, kind, body),
            StmtKind::While { condition, body } => {
                let condition = self.simple(condition);
                if condition.as_int() == Some(0) {
                    return Ok(Stmt::nothing());
                }
                let body = self.scoped(|cx| {
                    cx.facts.assume(&condition);
                    cx.stmt(body)
                })?;
                Ok(StmtKind::While { condition, body }.into())
            }
            StmtKind::If { condition, then, otherwise } => self.choice(condition, then, otherwise.as_ref()),
            StmtKind::Let { var, value, body } => self.let_in(var, value, body),
            StmtKind::Assert { condition, message } => {
                let condition = self.simple(condition);
                if condition.as_int() == Some(1) {
                    return Ok(Stmt::nothing());
                }
                Ok(StmtKind::Assert { condition, message: message.clone() }.into())
            }
            StmtKind::Seq(stmts) => self.scoped(|cx| cx.seq(stmts)),
            StmtKind::Evaluate(e) if is_foreign(e) => Ok(StmtKind::Evaluate(self.simple(e)).into()),
            StmtKind::Evaluate(_) => Ok(Stmt::nothing()),
            StmtKind::Allocate { body, .. } => {
                let below = map_below(stmt, &mut |s| self.stmt(s))?;
                let empty = matches!(&below.kind, StmtKind::Allocate { body, .. } if is_nothing(body));
                Ok(if empty && !is_nothing(body) { Stmt::nothing() } else { below })
            }
            StmtKind::Attr { .. } | StmtKind::AllocateConst { .. } => map_below(stmt, &mut |s| self.stmt(s)),
            StmtKind::Block { block, .. } => self.scoped(|cx| {
                for iter in &block.iters {
                    cx.facts.analyzer.bind(&iter.var, &iter.domain);
                }
                map_below(stmt, &mut |s| cx.stmt(s))
            }),
        }
    }

    fn seq(&mut self, stmts: &[Stmt]) -> Result<Stmt> {
        let mut simple = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            let stmt = tilewright_support::with_stack(|| self.stmt(stmt))?;
            if let StmtKind::Assert { condition, .. } = &stmt.kind {
                self.facts.assume(condition);
            }
            simple.push(stmt);
        }
        Ok(Stmt::seq(simple))
    }

    fn loop_over(
        &mut self,
        stmt: &Stmt,
        var: &Var,
        min: &Expr,
        extent: &Expr,
        kind: &ForKind,
        body: &Stmt,
    ) -> Result<Stmt> {
        let (min, extent) = (self.simple(min), self.simple(extent));
        let threads = matches!(kind, ForKind::ThreadBinding(_));
        let calls = is_foreign(&min) || is_foreign(&extent);
        match extent.as_int() {
            Some(..=0) if !calls => return Ok(Stmt::nothing()),
            // A variable's value is read once, before the body.
            Some(1) if !threads && !reads(&min) => {
                let body = Substitute::value(var, min).apply(body);
                return tilewright_support::with_stack(|| self.stmt(&body));
            }
            _ => {}
        }
        let body = self.scoped(|cx| {
            cx.facts.bind(var, &min, &extent);
            tilewright_support::with_stack(|| cx.stmt(body))
        })?;
        if is_nothing(&body) && !calls {
            return Ok(body);
        }
        let annotations = match &stmt.kind {
            StmtKind::For { annotations, .. } => annotations.clone(),
            _ => tilewright_ir::Attrs::new(),
        };
        Ok(StmtKind::For { var: var.clone(), min, extent, kind: kind.clone(), annotations, body }.into())
    }

    fn choice(&mut self, condition: &Expr, then: &Stmt, otherwise: Option<&Stmt>) -> Result<Stmt> {
        let condition = self.simple(condition);
        match condition.as_int() {
            Some(0) => return otherwise.map_or_else(|| Ok(Stmt::nothing()), |s| self.stmt(s)),
            Some(_) => return self.stmt(then),
            None => {}
        }
        let branch = |cx: &mut Self, condition: &Expr, stmt: &Stmt| {
            cx.scoped(|cx| {
                cx.facts.assume(condition);
                tilewright_support::with_stack(|| cx.stmt(stmt))
            })
        };
        let opposite = crate::stmt::typed(condition.not())?;
        let opposite = self.simple(&opposite);
        let then = branch(self, &condition, then)?;
        let otherwise = otherwise.map(|s| branch(self, &opposite, s)).transpose()?.filter(|s| !is_nothing(s));
        Ok(match (is_nothing(&then), otherwise) {
            (true, None) if is_foreign(&condition) => StmtKind::Evaluate(condition).into(),
            (true, None) => then,
            (true, Some(otherwise)) => StmtKind::If { condition: opposite, then: otherwise, otherwise: None }.into(),
            (false, otherwise) => StmtKind::If { condition, then, otherwise }.into(),
        })
    }

    fn let_in(&mut self, var: &Var, value: &Expr, body: &Stmt) -> Result<Stmt> {
        let value = self.simple(value);
        if matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Var(_)) {
            let body = Substitute::value(var, value).apply(body);
            return tilewright_support::with_stack(|| self.stmt(&body));
        }
        let body = self.scoped(|cx| {
            cx.facts.bind_value(var, &value);
            tilewright_support::with_stack(|| cx.stmt(body))
        })?;
        Ok(if is_nothing(&body) && !is_foreign(&value) {
            body
        } else {
            StmtKind::Let { var: var.clone(), value, body }.into()
        })
    }
}

/// The constant in every lane, or the constant itself.
fn every_lane(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Broadcast(value) => every_lane(value),
        _ => None,
    }
}
