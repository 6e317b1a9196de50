//! `HoistExpression` and `HoistIfThenElse`: conditions that a loop does not change move in front of it, and so do the
//! values of `let`.
//!
//! A condition moves out of a loop where it follows from values outside of it, and where nothing but choices, lets and
//! loops is between the two: no sequence, whose other statements the condition does not concern. The loop is copied for
//! the other case of the condition, if there is one. A condition on the threads of a device moves only where the
//! options say so.

use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{Expr, ExprKind, ForKind, Intrinsic, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::with_stack;

use super::{Options, below, is_on, with};
use crate::stmt::{Result, is_foreign, may_fault, mentions, reads};
use crate::substitute::Owners;

/// What moves.
#[derive(Clone, Copy)]
struct Kinds {
    statements: bool,
    expressions: bool,
    of_threads: bool,
    lets: bool,
}

/// Bits of the options, as programs give them.
const IF_STATEMENT: i64 = 1;
const IF_EXPRESSION: i64 = 2;
const OF_BLOCK_VARIABLES: i64 = 8;
const LET_STATEMENT: i64 = 2;

pub(super) fn hoist_expression(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let bits = |name: &str| options.get(name).and_then(tilewright_ir::Attr::as_int).unwrap_or(i64::MAX);
    let (conditions, lets) = (bits("hoisted_conditionals"), bits("hoisted_let_bindings"));
    let kinds = Kinds {
        statements: conditions & IF_STATEMENT != 0,
        expressions: conditions & IF_EXPRESSION != 0,
        of_threads: conditions & OF_BLOCK_VARIABLES != 0,
        lets: lets & LET_STATEMENT != 0,
    };
    hoisted(kinds, function)
}

pub(super) fn hoist_if_then_else(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let of_threads = is_on(options, "support_block_scope_hosting");
    hoisted(Kinds { statements: true, expressions: false, of_threads, lets: false }, function)
}

fn hoisted(kinds: Kinds, function: &PrimFunc) -> Result<PrimFunc> {
    let mut threads: Vec<Var> = Vec::new();
    walk(&function.body, |stmt: &Stmt| match &stmt.kind {
        StmtKind::For { var, kind: ForKind::ThreadBinding(_), .. } => threads.push(var.clone()),
        StmtKind::Attr { node, key, .. } if matches!(&**key, "thread_extent" | "virtual_thread") => {
            threads.extend(node.as_var().cloned());
        }
        _ => {}
    });
    let cx = Hoist { kinds, threads, owners: Owners::of(function) };
    Ok(with(function, cx.stmt(&function.body)?))
}

struct Hoist {
    kinds: Kinds,
    threads: Vec<Var>,
    owners: Owners,
}

/// What was found in a loop, and the loop's body without it.
enum Found {
    Condition { condition: Expr, then: Stmt, otherwise: Option<Stmt> },
    Let { var: Var, value: Expr, body: Stmt },
}

impl Hoist {
    fn stmt(&self, stmt: &Stmt) -> Result<Stmt> {
        let stmt = below(stmt, &mut |s| self.stmt(s))?;
        Ok(self.over(&stmt))
    }

    /// The statement, if it is a loop, with what it does not change in front of it.
    fn over(&self, stmt: &Stmt) -> Stmt {
        let StmtKind::For { var, min, extent, kind, annotations, body } = &stmt.kind else { return stmt.clone() };
        if matches!(kind, ForKind::ThreadBinding(_)) {
            return stmt.clone();
        }
        let again = |body: Stmt| -> Stmt {
            let (min, extent) = (min.clone(), extent.clone());
            let (kind, annotations) = (kind.clone(), annotations.clone());
            let stmt = StmtKind::For { var: var.clone(), min, extent, kind, annotations, body };
            with_stack(|| self.over(&stmt.into()))
        };
        match self.find(body, &mut vec![var.clone()]) {
            None => stmt.clone(),
            Some(Found::Let { var, value, body }) => StmtKind::Let { var, value, body: again(body) }.into(),
            Some(Found::Condition { condition, then, otherwise }) => {
                // The two copies of the loop have variables of their own.
                let otherwise = otherwise.map(|stmt| self.owners.copy_with(&again(stmt), []));
                StmtKind::If { condition, then: again(then), otherwise }.into()
            }
        }
    }

    fn is_free(&self, value: &Expr, bound: &[Var]) -> bool {
        !reads(value) && !is_foreign(value) && !may_fault(value) && !mentions(value, bound)
    }

    fn moves(&self, condition: &Expr, bound: &[Var]) -> bool {
        condition.as_int().is_none()
            && self.is_free(condition, bound)
            && (self.kinds.of_threads || !mentions(condition, &self.threads))
    }

    fn find(&self, stmt: &Stmt, bound: &mut Vec<Var>) -> Option<Found> {
        match &stmt.kind {
            StmtKind::If { condition, then, otherwise } if self.kinds.statements && self.moves(condition, bound) => {
                let (condition, then) = (condition.clone(), then.clone());
                Some(Found::Condition { condition, then, otherwise: otherwise.clone() })
            }
            StmtKind::If { condition, then, otherwise: None } => {
                let around =
                    |then| -> Stmt { StmtKind::If { condition: condition.clone(), then, otherwise: None }.into() };
                self.inside(then, bound, &around)
            }
            StmtKind::Let { var, value, body } if self.kinds.lets && self.is_free(value, bound) => {
                Some(Found::Let { var: var.clone(), value: value.clone(), body: body.clone() })
            }
            StmtKind::Let { var, value, body } => {
                bound.push(var.clone());
                let around = |body| -> Stmt { StmtKind::Let { var: var.clone(), value: value.clone(), body }.into() };
                self.inside(body, bound, &around)
            }
            StmtKind::For { var, min, extent, kind, annotations, body } => {
                bound.push(var.clone());
                let around = |body| -> Stmt {
                    let (min, extent) = (min.clone(), extent.clone());
                    let (kind, annotations) = (kind.clone(), annotations.clone());
                    StmtKind::For { var: var.clone(), min, extent, kind, annotations, body }.into()
                };
                self.inside(body, bound, &around)
            }
            StmtKind::Attr { node, key, value, body } => {
                let around = |body| -> Stmt {
                    StmtKind::Attr { node: node.clone(), key: key.clone(), value: value.clone(), body }.into()
                };
                self.inside(body, bound, &around)
            }
            StmtKind::Store { .. } if self.kinds.expressions => self.of_expressions(stmt, bound),
            _ => None,
        }
    }

    fn inside(&self, stmt: &Stmt, bound: &mut Vec<Var>, around: &dyn Fn(Stmt) -> Stmt) -> Option<Found> {
        Some(match with_stack(|| self.find(stmt, bound))? {
            Found::Let { var, value, body } => Found::Let { var, value, body: around(body) },
            Found::Condition { condition, then, otherwise } => {
                Found::Condition { condition, then: around(then), otherwise: otherwise.map(around) }
            }
        })
    }

    /// The first lazy choice in a store whose condition moves: the store for both cases.
    fn of_expressions(&self, stmt: &Stmt, bound: &[Var]) -> Option<Found> {
        let mut found: Option<Expr> = None;
        let mut bound = bound.to_vec();
        walk(stmt, |expr: &Expr| {
            if let ExprKind::Let { var, .. } = &expr.kind {
                bound.push(var.clone());
            }
        });
        walk(stmt, |expr: &Expr| {
            if found.is_none()
                && let Some((condition, ..)) = chosen(expr)
                && self.moves(condition, &bound)
            {
                found = Some(condition.clone());
            }
        });
        let condition = found?;
        let case = |holds: bool| {
            let taken = rewrite(stmt, |expr: &Expr| {
                let (own, then, otherwise) = chosen(expr)?;
                own.equal(&condition).then(|| if holds { then.clone() } else { otherwise.clone() })
            });
            taken.unwrap_or_else(|| stmt.clone())
        };
        let (then, otherwise) = (case(true), Some(case(false)));
        Some(Found::Condition { condition, then, otherwise })
    }
}

fn chosen(expr: &Expr) -> Option<(&Expr, &Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
            [condition, then, otherwise] => Some((condition, then, otherwise)),
            _ => None,
        },
        _ => None,
    }
}
