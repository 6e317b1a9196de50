//! What a walk over rows costs, in cycles of one core.
//!
//! All walks read each row from memory once, write its result, and do the arithmetic of its formulas; they differ in
//! what they do again or wait for. Rows that are reduced before a task has its first result are left out: every walk
//! has them.

use tilewright_target::Target;

use super::{ASSUMED_COLUMNS, lanes};
use crate::analysis::size::size;
use crate::build::exprs::elements_read;
use crate::families::rows::{Map, RowProgram};
use crate::plan::Cost;
use crate::units::TASKS;

/// Rows that a symbolic number of rows is taken for: some of every task.
const ASSUMED_ROWS: i64 = TASKS * 16;

/// How much there is of a program, as costs count it.
pub(super) struct Work<'a> {
    program: &'a RowProgram,
    target: &'a Target,
    pub(super) rows: f64,
    pub(super) elements: f64,
}

impl<'a> Work<'a> {
    pub(super) fn of(program: &'a RowProgram, target: &'a Target) -> Self {
        let known = |extent: Option<i64>, assumed: i64| extent.unwrap_or(assumed).max(1) as f64;
        let neighbours = program.side_by_side.as_ref().map_or(Some(1), |neighbours| neighbours.size.as_int());
        let rows = known(program.rows.size.as_int(), ASSUMED_ROWS) * known(neighbours, ASSUMED_ROWS);
        let columns = program.reduced.outer.size.as_int().zip(program.reduced.inner.size.as_int());
        let columns = columns.map(|(outer, inner)| outer.saturating_mul(inner));
        Self { program, target, rows, elements: rows * known(columns, ASSUMED_COLUMNS) }
    }

    /// What every walk does.
    pub(super) fn cost(&self) -> Cost {
        let Self { program, target, .. } = self;
        let read = elements_read(&program.formulas(), |_| true).iter().map(|e| e.dtype.bytes()).sum::<usize>();
        let written = if matches!(program.map, Map::Elements(_)) { program.out.dtype.bytes() } else { 0 };
        let bytes = self.elements * (read + written) as f64;
        // A term, and the operation that reduces it.
        let terms = program.reductions.iter().map(|reduction| size(&reduction.term.value).1 + 1).sum::<usize>();
        let value = program.elements().map_or(0, |map| size(&map.value).1);
        Cost::default()
            .with("read and write", bytes / target.plan.elementwise_bytes_per_cycle)
            .with("arithmetic", self.vectors() * (terms + value) as f64)
    }

    /// The exponentials, or other terms, that the result works out once more.
    pub(super) fn terms_again(&self) -> f64 {
        self.program.kept().map_or(0.0, |(kept, _)| self.vectors() * size(&kept.term.value).1 as f64)
    }

    /// Cycles until a vector of each accumulator has become one number: by halves, each of which waits for the last.
    pub(super) fn fold_cycles(&self, accumulators: i64) -> f64 {
        let halvings = (accumulators.max(1) * lanes(self.target)).ilog2();
        f64::from(halvings) * self.target.plan.sum_latency_cycles
    }

    /// Vectors of elements, each of which takes a cycle for an operation.
    pub(super) fn vectors(&self) -> f64 {
        self.elements / lanes(self.target) as f64
    }
}
