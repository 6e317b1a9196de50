//! The state of a monoid in the memory of a task, and what the results of a row need of it.
//!
//! A state has one index: of a row that is alone `0`, of rows side by side the row in its strip.

use tilewright_ir::tir::{BinOp, Buffer, Expr, Stmt, Var};

use super::formula_at;
use super::vectors::Row;
use crate::build::exprs::{binary, substituted};
use crate::build::loops::{load, store};
use crate::families::rows::RowProgram;
use crate::families::rows::monoid::Monoid;
use crate::fault::Fault;

pub(super) struct State {
    pub(super) monoid: Monoid,
    /// The components.
    pub(super) components: Vec<Buffer>,
    /// The first component of the row whose result is written.
    pub(super) last: Buffer,
    /// The name in the map of terms that it reads again, and whether these are kept in memory.
    pub(super) again: Option<Var>,
    pub(super) keep: bool,
    /// Kept terms, and the first component when those of a run were worked out.
    pub(super) kept: Buffer,
    pub(super) kept_from: Buffer,
}

impl State {
    /// The name in the map of terms that it reads again.
    pub(super) fn again(program: &RowProgram) -> Option<Var> {
        program.kept().map(|(_, name)| name.clone())
    }

    /// The components by their names.
    pub(super) fn load(&self, at: &Expr) -> Result<Row, Fault> {
        let named = self.monoid.state.iter().zip(&self.components);
        named.map(|(component, own)| Ok((component.var.clone(), load(own, &[at])?))).collect()
    }

    pub(super) fn load_first(&self, at: &Expr) -> Result<Expr, Fault> {
        let first = self.components.first().ok_or_else(|| Fault::of_call("the monoid has no state"))?;
        load(first, &[at])
    }

    /// The program's totals, of the state and the sum of a row.
    pub(super) fn totals(&self, at: &Expr, sum: Expr) -> Result<Row, Fault> {
        let mut values = self.load(at)?;
        values.push((self.monoid.names.sum.clone(), sum));
        let totals = self.monoid.totals.iter();
        Ok(totals.map(|(var, total)| (var.clone(), substituted(total, &values))).collect())
    }

    /// Leaves the first component to the results, which work terms out with it.
    pub(super) fn store_last(&self, at: &Expr) -> Result<Stmt, Fault> {
        store(&self.last, &[at], &self.load_first(at)?)
    }

    /// What terms that were kept where the first component was `from` have to be multiplied by.
    pub(super) fn scale(&self, at: &Expr, from: &Expr) -> Result<Option<Expr>, Fault> {
        Ok(self.monoid.rescaled(from, &[load(&self.last, &[at])?]))
    }

    /// The term of an element by its name in the map: a kept one times its scale, or worked out again.
    pub(super) fn term(
        &self,
        at: &Expr,
        axes: &Row,
        kept: Option<(&[&Expr], &Expr)>,
    ) -> Result<Option<(Var, Expr)>, Fault> {
        let Some(name) = &self.again else { return Ok(None) };
        let term = match kept {
            Some((indices, scale)) => Some(binary(BinOp::Mul, &load(&self.kept, indices)?, scale)?),
            None => {
                let last = load(&self.last, &[at])?;
                self.monoid.tail_of_row(&formula_at(&self.monoid.element, axes, &[]), &[last])
            }
        };
        Ok(term.map(|term| (name.clone(), term)))
    }
}
