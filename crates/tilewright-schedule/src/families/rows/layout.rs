//! How the elements of rows lie in memory: along a row, or side by side.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{Buffer, Expr};
use tilewright_tensor::DataType;

use super::axes::Axes;
use super::{ReducedAxes, fault};
use crate::analysis::axes::{Axis, Group};
use crate::analysis::stride::{Steps, run, steps, steps_of};
use crate::fault::Fault;

/// What is read and written.
pub(super) struct Accesses<'a> {
    /// What is reduced, and what else is read.
    pub(super) terms: &'a [Expr],
    pub(super) value: Option<&'a Expr>,
    pub(super) out: &'a Buffer,
    pub(super) indices: &'a [Expr],
}

/// The rows, those of them that are side by side, and the reduced axes.
pub(super) type Layout = (Group, Option<Group>, ReducedAxes);

impl Accesses<'_> {
    pub(super) fn layout(&self, known: &Analyzer, axes: &Axes) -> Result<Layout, Fault> {
        let group = |axes: &[Axis]| Group::new(known, axes.to_vec(), DataType::I64);
        if let Some((inner, is_whole)) = self.along(known, &axes.reduced) {
            let (outer, inner) = axes.reduced.split_at(axes.reduced.len() - inner);
            let whole = if is_whole { Some(group(&axes.reduced)?) } else { None };
            let reduced = ReducedAxes { outer: group(outer)?, inner: group(inner)?, whole };
            return Ok((group(&axes.rows)?, None, reduced));
        }
        let apart = || fault("columns do not lie together in memory");
        if axes.reduced.len() > 1 {
            return Err(apart());
        }
        let neighbours = self.side_by_side(known, &axes.rows).ok_or_else(apart)?;
        let is_row = |axis: &&Axis| neighbours.iter().all(|other| other.var != axis.var);
        let rows: Vec<Axis> = axes.rows.iter().filter(is_row).cloned().collect();
        let reduced = ReducedAxes { outer: group(&[])?, inner: group(&axes.reduced)?, whole: None };
        Ok((group(&rows)?, Some(group(&neighbours)?), reduced))
    }

    /// How many of the reduced axes, from the last on, all that is read and written is contiguous along; and whether
    /// the terms are so along all axes. `None` where neighbours of a row are not neighbours in memory.
    fn along(&self, known: &Analyzer, axes: &[Axis]) -> Option<(usize, bool)> {
        let mut terms = Vec::new();
        for term in self.terms {
            terms.extend(steps_of(known, term, axes)?);
        }
        let mut all = terms.clone();
        if let Some(value) = self.value {
            all.extend(steps_of(known, value, axes)?);
            let written = steps(known, axes, self.out, self.indices)?;
            if written.last() != Some(&1) {
                return None;
            }
            all.push(written);
        }
        let is_near = |steps: &Steps| matches!(steps.last(), Some(0 | 1));
        let lies_along = |steps: &Steps| steps.last() == Some(&1);
        let has_elements = self.value.is_some() || !terms.is_empty();
        (has_elements && terms.iter().all(lies_along) && all.iter().all(is_near))
            .then(|| (run(&all, axes), run(&terms, axes) == axes.len()))
    }

    /// The last of the rows' axes that lie side by side: they are contiguous where the result is written, and
    /// contiguous or not of this axis where something is read.
    fn side_by_side(&self, known: &Analyzer, rows: &[Axis]) -> Option<Vec<Axis>> {
        let wide: Vec<Axis> = rows.iter().filter(|axis| axis.extent.as_int() != Some(1)).cloned().collect();
        let steps_along = |axes: &[Axis]| {
            let mut all = vec![steps(known, axes, self.out, self.indices)?];
            for value in self.terms.iter().chain(self.value) {
                all.extend(steps_of(known, value, axes)?);
            }
            Some(all)
        };
        let last = steps_along(std::slice::from_ref(wide.last()?))?;
        if last.first() != Some(&vec![1]) || !last.iter().all(|steps| matches!(steps.as_slice(), [0 | 1])) {
            return None;
        }
        // Where steps between them are not constants, axes are not taken together.
        let count = steps_along(&wide).map_or(1, |all| run(&all, &wide));
        Some(wide.get(wide.len() - count..)?.to_vec())
    }
}
