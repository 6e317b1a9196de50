//! `hoist_guards`: hoists loop-invariant checks and choices in front of the loop.
//!
//! An assert that every iteration makes, and whose condition is a comparison of index arithmetic, holds in all
//! iterations exactly if it holds for the extreme one: it is made once, for that one, provided that there is an
//! iteration. One that does not depend on the loop is made once too. Conditions that read memory move only where the
//! loop does not write it, and only together with the asserts in front of them, which may be what makes the reading
//! safe.
//!
//! A loop-invariant choice without an `else` that is the whole body of a loop moves around the loop.
//!
//! An assert whose limit might overflow where the index itself does not stays inside.
//!
//! A failing function fails earlier than it did; its results are unspecified then. Nothing moves out of a loop that
//! calls foreign functions.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{
    BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, Intrinsic, PrimFunc, Range, Stmt, StmtKind, Var, written_data,
};
use tilewright_support::{Set, with_stack};

use crate::magnitude::Magnitudes;
use crate::stmt::{Result, analyzer_of, map_below, may_fault, mentions, reads, typed, with_body};

pub fn hoist_guards(function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Hoist { analyzer: analyzer_of(function), magnitudes: Magnitudes::of(function) };
    let body = cx.stmt(&function.body)?;
    Ok(with_body(function, body))
}

struct Hoist {
    analyzer: Analyzer,
    magnitudes: Magnitudes,
}

/// A loop around a body, for which something is to hold in every iteration.
struct Loop<'a> {
    var: &'a Var,
    extent: &'a Expr,
    /// Memory that the body writes.
    written: Set<VarId>,
}

impl Hoist {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let scope = self.analyzer.enter();
        match &stmt.kind {
            StmtKind::For { var, min, extent, .. } => {
                self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
                self.magnitudes.bind(&self.analyzer, var, min, extent);
            }
            StmtKind::Let { var, value, .. } => {
                self.analyzer.bind_value(var, value);
                self.magnitudes.bind_value(&self.analyzer, var, value);
            }
            _ => {}
        }
        let below = map_below(stmt, &mut |s| with_stack(|| self.stmt(s)))?;
        let hoisted = match &below.kind {
            StmtKind::For { var, extent, kind, body, .. }
                if !calls(body) && !matches!(kind, ForKind::ThreadBinding(_)) =>
            {
                let l = Loop { var, extent, written: written_data(body) };
                self.out_of_loop(&below, &l, body)?
            }
            _ => None,
        };
        self.analyzer.leave(scope);
        Ok(hoisted.unwrap_or(below))
    }

    fn out_of_loop(&self, stmt: &Stmt, l: &Loop<'_>, body: &Stmt) -> Result<Option<Stmt>> {
        let parts = match &body.kind {
            StmtKind::Seq(parts) => parts.as_slice(),
            _ => std::slice::from_ref(body),
        };
        let (mut front, mut rest) = (Vec::new(), Vec::new());
        let mut all = true;
        for part in parts {
            let StmtKind::Assert { condition, message } = &part.kind else {
                rest.push(part.clone());
                continue;
            };
            match self.in_all(l, condition)?.filter(|_| all || !reads(condition)) {
                Some(condition) => {
                    let condition = self.if_it_runs(l, condition)?;
                    front.push(Stmt::from(StmtKind::Assert { condition, message: message.clone() }));
                }
                None => {
                    all = false;
                    rest.push(part.clone());
                }
            }
        }
        let inner = if front.is_empty() { body.clone() } else { Stmt::seq(rest) };
        if let StmtKind::If { condition, then, otherwise: None } = &inner.kind
            && !mentions(condition, std::slice::from_ref(l.var))
            && !reads(condition)
            && !may_fault(condition)
        {
            let inside = map_below(stmt, &mut |_| Ok(then.clone()))?;
            let choice = StmtKind::If { condition: condition.clone(), then: inside, otherwise: None };
            return Ok(Some(Stmt::seq(front.into_iter().chain([choice.into()]))));
        }
        if front.is_empty() {
            return Ok(None);
        }
        let inside = map_below(stmt, &mut |_| Ok(inner.clone()))?;
        Ok(Some(Stmt::seq(front.into_iter().chain([inside]))))
    }

    /// The condition in front of the loop that is equivalent to the condition in every iteration, if there is any.
    fn in_all(&self, l: &Loop<'_>, condition: &Expr) -> Result<Option<Expr>> {
        if self.same_in_all(l, condition) {
            return Ok(Some(condition.clone()));
        }
        Ok(match &condition.kind {
            ExprKind::Binary(BinOp::And, a, b) => match (self.in_all(l, a)?, self.in_all(l, b)?) {
                (Some(a), Some(b)) => Some(typed(Expr::binary(BinOp::And, &a, &b))?),
                _ => None,
            },
            ExprKind::Binary(BinOp::Or, a, b) if self.same_in_all(l, a) => match self.in_all(l, b)? {
                Some(b) => Some(typed(Expr::binary(BinOp::Or, a, &b))?),
                None => None,
            },
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
                [c, then, otherwise] if self.same_in_all(l, c) => {
                    match (self.in_all(l, then)?, self.in_all(l, otherwise)?) {
                        (Some(a), Some(b)) => Some(typed(Expr::call(Intrinsic::IfThenElse, &[c.clone(), a, b]))?),
                        _ => None,
                    }
                }
                _ => None,
            },
            ExprKind::Compare(op, a, b) if a.dtype == l.var.dtype && !reads(condition) => {
                self.at_extreme(l, *op, a, b)?
            }
            _ => None,
        })
    }

    /// The comparison at its extreme iteration.
    fn at_extreme(&self, l: &Loop<'_>, op: CmpOp, a: &Expr, b: &Expr) -> Result<Option<Expr>> {
        let (small, large) = match op {
            CmpOp::Lt | CmpOp::Le => (a, b),
            CmpOp::Gt | CmpOp::Ge => (b, a),
            CmpOp::Eq | CmpOp::Ne => return Ok(None),
        };
        let room = large - small;
        let vars = std::slice::from_ref(l.var);
        if self.analyzer.linear_in(&room, vars).is_none() {
            return Ok(None);
        }
        let Some((least, _)) = self.analyzer.extremes(&room, vars) else { return Ok(None) };
        if mentions(&least, vars) || !self.magnitudes.fits(&self.analyzer, &least) {
            return Ok(None);
        }
        let zero = Expr::int(0, least.dtype);
        let op = if matches!(op, CmpOp::Lt | CmpOp::Gt) { CmpOp::Lt } else { CmpOp::Le };
        typed(Expr::compare(op, &zero, &least)).map(Some)
    }

    fn same_in_all(&self, l: &Loop<'_>, expr: &Expr) -> bool {
        let mut changes = mentions(expr, std::slice::from_ref(l.var));
        walk(expr, |buffer: &Buffer| changes |= l.written.contains(&buffer.data.id()));
        !changes
    }

    /// The condition, where the loop has an iteration at all.
    fn if_it_runs(&self, l: &Loop<'_>, condition: Expr) -> Result<Expr> {
        let runs = typed(Expr::compare(CmpOp::Gt, l.extent, &Expr::int(0, l.extent.dtype)))?;
        if self.analyzer.prove(&runs) {
            return Ok(condition);
        }
        typed(Expr::call(Intrinsic::IfThenElse, &[runs, condition, Expr::bool(true)]))
    }
}

fn calls(stmt: &Stmt) -> bool {
    let mut found = false;
    walk(stmt, |e: &Expr| found |= matches!(e.kind, ExprKind::Foreign { .. }));
    found
}
