//! `remove_no_op`: statements without effect go.
//!
//! What has an effect: a store to memory that is read later or belongs to the caller, an assert, a foreign call. A
//! temporary that is only read to compute what is stored to it again is read by nobody; a loop, a choice, or a `Let`
//! around nothing is nothing; a store of what is there already changes nothing. An operand whose value is not needed
//! goes with the fault that it would report, as in simplification.
//!
//! A `While` stays as long as its body does anything that its condition may see: whether it ends is the user's business.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind};
use tilewright_support::{Set, with_stack};

use crate::stmt::{Result, is_foreign, is_nothing, map_below, with_body};

pub fn remove_no_op(function: &PrimFunc) -> Result<PrimFunc> {
    let mut dead = Dead::default();
    note_temporaries(&function.body, &mut dead.unread);
    // What is read keeps what it was computed from; each round may find more.
    loop {
        let known = dead.unread.len();
        dead.has_effect(&function.body);
        if dead.unread.len() == known {
            break;
        }
    }
    Ok(with_body(function, dead.without(&function.body)?))
}

fn note_temporaries(body: &Stmt, all: &mut Set<VarId>) {
    walk(body, |stmt: &Stmt| {
        if let StmtKind::Allocate { buffer, .. } = &stmt.kind {
            all.insert(buffer.data.id());
        }
    });
}

#[derive(Default)]
struct Dead {
    /// Data variables of temporaries that nothing with an effect is known to read.
    unread: Set<VarId>,
}

impl Dead {
    /// The expression is needed: what it reads is.
    fn keep(&mut self, expr: &Expr) {
        walk(expr, |buffer: &Buffer| {
            self.unread.remove(&buffer.data.id());
        });
    }

    /// Whether the statement has an effect; what such statements need is kept.
    fn has_effect(&mut self, stmt: &Stmt) -> bool {
        let effect = with_stack(|| match &stmt.kind {
            StmtKind::Store { buffer, .. } => !self.unread.contains(&buffer.data.id()) && !stores_what_is_there(stmt),
            StmtKind::For { body, .. } | StmtKind::Let { body, .. } | StmtKind::Allocate { body, .. } => {
                self.has_effect(body)
            }
            StmtKind::While { condition, body } => {
                // Its end depends on what the body does to what the condition reads.
                self.keep(condition);
                self.has_effect(body);
                true
            }
            StmtKind::If { then, otherwise, .. } => {
                let then = self.has_effect(then);
                otherwise.as_ref().is_some_and(|s| self.has_effect(s)) || then
            }
            StmtKind::Seq(stmts) => {
                // Each is looked at: it says what it needs.
                let effects: Vec<bool> = stmts.iter().map(|s| self.has_effect(s)).collect();
                effects.contains(&true)
            }
            StmtKind::Evaluate(e) => is_foreign(e),
            StmtKind::Attr { body, .. } | StmtKind::AllocateConst { body, .. } => {
                self.has_effect(body);
                true
            }
            StmtKind::Assert { .. } | StmtKind::Block { .. } => true,
        });
        if effect {
            stmt.own_exprs().iter().for_each(|e| self.keep(e));
            if let StmtKind::Block { block, .. } = &stmt.kind {
                walk(block, |buffer: &Buffer| {
                    self.unread.remove(&buffer.data.id());
                });
            }
        }
        effect || stmt.own_exprs().iter().any(is_foreign) && self.keeps_calls(stmt)
    }

    /// A statement whose expressions call foreign functions stays.
    fn keeps_calls(&mut self, stmt: &Stmt) -> bool {
        stmt.own_exprs().iter().for_each(|e| self.keep(e));
        if let StmtKind::Store { buffer, .. } = &stmt.kind {
            self.unread.remove(&buffer.data.id());
        }
        true
    }

    fn without(&self, stmt: &Stmt) -> Result<Stmt> {
        let calls = stmt.own_exprs().iter().any(is_foreign);
        match &stmt.kind {
            StmtKind::Store { buffer, .. } => {
                let gone = self.unread.contains(&buffer.data.id()) || (stores_what_is_there(stmt) && !calls);
                Ok(if gone { Stmt::nothing() } else { stmt.clone() })
            }
            StmtKind::Evaluate(_) => Ok(if calls { stmt.clone() } else { Stmt::nothing() }),
            StmtKind::While { .. } | StmtKind::Attr { .. } | StmtKind::AllocateConst { .. } => {
                map_below(stmt, &mut |s| self.without(s))
            }
            StmtKind::Seq(stmts) => {
                let kept = stmts.iter().map(|s| with_stack(|| self.without(s))).collect::<Result<Vec<_>>>()?;
                Ok(Stmt::seq(kept))
            }
            StmtKind::Assert { .. } | StmtKind::Block { .. } => Ok(stmt.clone()),
            StmtKind::For { .. } | StmtKind::If { .. } | StmtKind::Let { .. } | StmtKind::Allocate { .. } => {
                let below = map_below(stmt, &mut |s| self.without(s))?;
                Ok(if is_empty(&below) && !calls { Stmt::nothing() } else { below })
            }
        }
    }
}

/// Whether nothing is left inside.
fn is_empty(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::For { body, .. } | StmtKind::Let { body, .. } | StmtKind::Allocate { body, .. } => is_nothing(body),
        StmtKind::If { then, otherwise, .. } => is_nothing(then) && otherwise.as_ref().is_none_or(is_nothing),
        _ => false,
    }
}

/// `A[i] = A[i]`.
fn stores_what_is_there(stmt: &Stmt) -> bool {
    let StmtKind::Store { buffer, indices, value, predicate } = &stmt.kind else { return false };
    let ExprKind::Load { buffer: from, indices: at, predicate: read } = &value.kind else { return false };
    let same = |a: &Expr, b: &Expr| a.equal(b);
    // Where the predicate does not hold nothing is stored; where it does, the load must have read.
    let covered = match (predicate, read) {
        (_, None) => true,
        (Some(stored), Some(read)) => same(stored, read),
        (None, Some(_)) => false,
    };
    buffer == from && covered && indices.len() == at.len() && indices.iter().zip(at).all(|(a, b)| same(a, b))
}
