//! The statements that `guard_indices` puts in front of one statement: asserts, and names for values that several of
//! them use.
//!
//! An index that loads from an index that loads, and so on, is checked at each step. So that the checks do not repeat
//! whole chains of loads, a value with more than [`MAX_LOADS`] loads or choices inside gets a name: the chain goes on
//! from there. The value that is checked and the value that is used are one then.

use tilewright_expr::node::walk_some;
use tilewright_ir::tir::{Expr, ExprKind, Intrinsic, Stmt, StmtKind, Var};
use tilewright_support::{Map, with_stack};

use crate::access::{Accesses, Outside};
use crate::reach::{Kind, Reach, Reaches};
use crate::stmt::{Result, typed};

/// Loads and choices in a value above which it gets a name.
const MAX_LOADS: usize = 8;

/// Stands in front of a statement.
enum Step {
    Assert(Stmt),
    Name(Var, Expr),
}

pub(crate) struct Front {
    pub(crate) outside: Outside,
    pub(crate) reaches: Reaches,
    /// Whether values may have names: evaluated once, before the statement.
    names: bool,
    steps: Vec<Step>,
    /// The conditions of reaches.
    conditions: Map<Reach, Expr>,
}

impl Front {
    pub(crate) fn new(accesses: &mut Accesses, names: bool) -> Self {
        let (outside, reaches) = (accesses.outside(), std::mem::take(&mut accesses.reaches));
        Self { outside, reaches, names, steps: Vec::new(), conditions: Map::default() }
    }

    pub(crate) fn assert(&mut self, condition: Expr, message: &str) {
        self.steps.push(Step::Assert(StmtKind::Assert { condition, message: message.into() }.into()));
    }

    /// The asserts alone, where there are no names.
    pub(crate) fn asserts(&self) -> Vec<Stmt> {
        let asserts = self.steps.iter().filter_map(|step| match step {
            Step::Assert(stmt) => Some(stmt.clone()),
            Step::Name(..) => None,
        });
        asserts.collect()
    }

    /// The condition that a single step of a reach adds, in front of the statement.
    pub(crate) fn condition_of(&mut self, reach: Reach) -> Result<Option<Expr>> {
        let Kind::Where { condition, holds, .. } = self.reaches.kind(reach) else { return Ok(None) };
        let (condition, holds) = (condition.clone(), *holds);
        let condition = self.outside.expr(&condition);
        if holds { Ok(Some(condition)) } else { typed(condition.not()).map(Some) }
    }

    /// `check`, under the condition of the reach.
    pub(crate) fn under(&mut self, reach: Reach, check: Expr) -> Result<Expr> {
        let conditions = self.reaches.conditions(reach);
        if self.reaches.is_plain(reach) && conditions.len() <= MAX_LOADS {
            return conditions.iter().rev().try_fold(check, |check, &reach| match self.condition_of(reach)? {
                Some(condition) => choice(condition, check, Expr::bool(true)),
                None => Ok(check),
            });
        }
        match self.condition(reach)? {
            Some(condition) => choice(condition, check, Expr::bool(true)),
            None => Ok(check),
        }
    }

    /// The condition of the reach; `None` for always.
    fn condition(&mut self, reach: Reach) -> Result<Option<Expr>> {
        if let Some(known) = self.conditions.get(&reach) {
            return Ok(Some(known.clone()));
        }
        let (around, _) = self.reaches.needs(reach);
        let mut sides = Vec::with_capacity(around.len());
        for side in around {
            sides.push(with_stack(|| self.condition(side))?);
        }
        let condition = match self.condition_of(reach)? {
            Some(own) => match sides.pop().flatten() {
                Some(outer) => choice(outer, own, Expr::bool(false))?,
                None => own,
            },
            None => {
                let Some(sides) = sides.into_iter().collect::<Option<Vec<Expr>>>() else { return Ok(None) };
                let mut sides = sides.into_iter().rev();
                let Some(last) = sides.next() else { return Ok(None) };
                sides.try_fold(last, |any, side| choice(side, Expr::bool(true), any))?
            }
        };
        let condition = match self.name_for(&condition, "reached") {
            Some(var) => {
                self.steps.push(Step::Name(var.clone(), condition));
                Expr::var(&var)
            }
            None => condition,
        };
        self.conditions.insert(reach, condition.clone());
        Ok(Some(condition))
    }

    /// A variable for an expensive index, with the index's value where that is reached and 0 elsewhere; and that value.
    pub(crate) fn name_index(&mut self, index: &Expr, reach: Reach) -> Result<Option<(Var, Expr)>> {
        let value = self.outside.expr(index);
        if !index.dtype.is_scalar() || !index.dtype.is_int() {
            return Ok(None);
        }
        let Some(var) = self.name_for(&value, "at") else { return Ok(None) };
        let value = match self.condition(reach)? {
            Some(condition) => choice(condition, value, Expr::int(0, index.dtype))?,
            None => value,
        };
        self.steps.push(Step::Name(var.clone(), value.clone()));
        self.outside.name(index, &var);
        Ok(Some((var, value)))
    }

    fn name_for(&self, value: &Expr, name: &str) -> Option<Var> {
        (self.names && computes_much(value)).then(|| Var::new(name, value.dtype))
    }

    /// The steps, then the statement.
    pub(crate) fn before(self, stmt: Stmt) -> Stmt {
        let mut rest = vec![stmt];
        for step in self.steps.into_iter().rev() {
            match step {
                Step::Assert(assert) => rest.push(assert),
                Step::Name(var, value) => {
                    rest.reverse();
                    let body = Stmt::seq(std::mem::take(&mut rest));
                    rest.push(StmtKind::Let { var, value, body }.into());
                }
            }
        }
        rest.reverse();
        Stmt::seq(rest)
    }
}

fn choice(condition: Expr, then: Expr, otherwise: Expr) -> Result<Expr> {
    typed(Expr::call(Intrinsic::IfThenElse, &[condition, then, otherwise]))
}

/// Whether the value has many loads and choices inside.
fn computes_much(value: &Expr) -> bool {
    let mut found = 0;
    walk_some(value, |node| {
        if let Some(expr) = node.downcast::<Expr>() {
            let counts =
                matches!(expr.kind, ExprKind::Load { .. } | ExprKind::Call { intrinsic: Intrinsic::IfThenElse, .. });
            found += usize::from(counts);
        }
        found <= MAX_LOADS
    });
    let itself = matches!(value.kind, ExprKind::Load { .. } | ExprKind::Call { .. });
    found + usize::from(itself) > MAX_LOADS
}
