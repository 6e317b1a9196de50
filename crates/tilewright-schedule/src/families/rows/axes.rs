//! Which axes of a result name a row, and which are reduced: by the indices at which it reads what was reduced.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Range, Var};
use tilewright_tensor::DataType;

use super::fault;
use crate::analysis::axes::Axis;
use crate::analysis::formulas::Stage;
use crate::analysis::stride::stride;
use crate::build::exprs::{substituted, typed};
use crate::fault::Fault;

/// The axes of a result. An axis may be both: of channels in groups of `size`, `total[c // size]` names the group, and
/// what is left is reduced.
pub(super) struct Axes {
    pub(super) rows: Vec<Axis>,
    /// Without those of extent 1.
    pub(super) reduced: Vec<Axis>,
    /// What the axes in groups are in terms of these.
    groups: Vec<(Var, Expr)>,
}

impl Axes {
    /// By the indices at which the result reads a total.
    pub(super) fn of(known: &mut Analyzer, out: &Stage, indices: &[Expr]) -> Result<Self, Fault> {
        let mut axes = Self { rows: Vec::new(), reduced: Vec::new(), groups: Vec::new() };
        let indices: Vec<Expr> = indices.iter().map(|index| known.simplify(index)).collect();
        for axis in &out.spatial {
            let is_row = indices.iter().any(|index| index.as_var() == Some(&axis.var));
            let size = indices.iter().find_map(|index| match &index.kind {
                ExprKind::Binary(BinOp::FloorDiv, a, b) if a.as_var() == Some(&axis.var) => b.as_int(),
                _ => None,
            });
            match size {
                Some(_) if is_row => return Err(fault("an axis names a row in two ways")),
                Some(size) => axes.grouped(axis, size)?,
                None if is_row || axis.extent.as_int() == Some(1) => axes.rows.push(indexed(axis)?),
                None => axes.reduced.push(indexed(axis)?),
            }
        }
        if axes.reduced.is_empty() {
            return Err(fault("the result has no axis more than the sum"));
        }
        if axes.reduced.len() > 1 && axes.reduced.iter().any(|axis| axis.extent.as_int().is_none()) {
            return Err(fault("the length of a row is not known"));
        }
        axes.bind(known)?;
        Ok(axes)
    }

    /// Of a result that has no element for each reduced one: all axes of the result are rows'.
    pub(super) fn given(known: &mut Analyzer, rows: &[Axis], column: &Axis) -> Result<Self, Fault> {
        let rows = rows.iter().map(indexed).collect::<Result<_, _>>()?;
        let axes = Self { rows, reduced: vec![indexed(column)?], groups: Vec::new() };
        axes.bind(known)?;
        Ok(axes)
    }

    fn grouped(&mut self, axis: &Axis, size: i64) -> Result<(), Fault> {
        let extent = axis.extent.as_int().filter(|extent| size > 0 && extent % size == 0);
        let extent = extent.ok_or_else(|| fault("groups are not even parts of an axis"))?;
        let (group, within) = (Var::new("group", axis.var.dtype), Var::new("within", axis.var.dtype));
        let first = &Expr::var(&group) * size;
        self.rows.push(Axis { var: group, extent: Expr::i64(extent / size) });
        if size == 1 {
            self.groups.push((axis.var.clone(), first));
        } else {
            self.groups.push((axis.var.clone(), &first + &Expr::var(&within)));
            self.reduced.push(Axis { var: within, extent: Expr::i64(size) });
        }
        Ok(())
    }

    fn bind(&self, known: &mut Analyzer) -> Result<(), Fault> {
        for axis in self.rows.iter().chain(&self.reduced) {
            known.bind(&axis.var, &Range::up_to(typed(axis.extent.cast(axis.var.dtype))?));
        }
        Ok(())
    }

    /// An expression of the result's axes, in these.
    pub(super) fn placed(&self, known: &Analyzer, value: &Expr) -> Expr {
        if self.groups.is_empty() { value.clone() } else { known.simplify(&substituted(value, &self.groups)) }
    }

    pub(super) fn all_placed(&self, known: &Analyzer, values: &[Expr]) -> Vec<Expr> {
        values.iter().map(|value| self.placed(known, value)).collect()
    }

    /// What a reduction of rows is of, where the total of this row has these indices.
    pub(super) fn term(&self, known: &Analyzer, stage: &Stage, indices: &[Expr]) -> Result<Expr, Fault> {
        let reduced = stage.reduced.as_ref().ok_or_else(|| fault("there is no reduction"))?;
        check_rows(known, stage, indices, &self.rows)?;
        let all = [&reduced.axis].into_iter().chain(&reduced.more);
        let is_unit = |axis: &&Axis| !reduced.more.is_empty() && axis.extent.as_int() == Some(1);
        let (units, mut own): (Vec<&Axis>, Vec<&Axis>) = all.partition(is_unit);
        if own.len() > 1 {
            own = furthest_first(known, stage, own)?;
        }
        let same = |(own, axis): (&&Axis, &Axis)| Ok(known.prove_equal(&indexed(own)?.extent, &axis.extent));
        let same = own.iter().zip(&self.reduced).map(same).collect::<Result<Vec<bool>, Fault>>()?;
        if own.len() != self.reduced.len() || same.contains(&false) {
            return Err(fault("the sums are not of the same elements"));
        }
        let unit = |axis: &&Axis| (axis.var.clone(), Expr::int(0, axis.var.dtype));
        let mut values: Vec<(Var, Expr)> = units.iter().map(unit).collect();
        for (own, axis) in own.iter().zip(&self.reduced) {
            values.push((own.var.clone(), typed(Expr::var(&axis.var).cast(own.var.dtype))?));
        }
        let term = stage.at_places(indices, values).ok_or_else(|| fault("a sum is not of the elements of its axes"))?;
        Ok(if self.reduced.len() > 1 || !self.groups.is_empty() { known.simplify(&term) } else { term })
    }
}

/// The axes of a reduction from what goes furthest in memory, as the axes of a result do: by the first of what it
/// reads.
fn furthest_first<'a>(known: &Analyzer, stage: &Stage, axes: Vec<&'a Axis>) -> Result<Vec<&'a Axis>, Fault> {
    let far = |axis: &'a Axis| {
        let mut step = None;
        walk(&stage.value, |e: &Expr| {
            if let (ExprKind::Load { buffer, indices, .. }, None) = (&e.kind, step) {
                step = stride(known, &axis.var, buffer, indices).and_then(|step| step.as_int());
            }
        });
        let step = step.filter(|step| *step > 0).ok_or_else(|| fault("the terms of a sum do not lie in rows"))?;
        Ok((step, axis))
    };
    let mut sorted = axes.into_iter().map(far).collect::<Result<Vec<_>, Fault>>()?;
    sorted.sort_by_key(|(far, _)| std::cmp::Reverse(*far));
    Ok(sorted.into_iter().map(|(_, axis)| axis).collect())
}

/// Where the value reads the buffer.
pub(super) fn read_at(value: &Expr, wanted: &Buffer) -> Option<Vec<Expr>> {
    let mut found = None;
    walk(value, |e: &Expr| match &e.kind {
        ExprKind::Load { buffer, indices, predicate: None } if buffer == wanted => found = Some(indices.clone()),
        _ => {}
    });
    found
}

/// Refuses a reduction that has not exactly these rows of the result.
pub(super) fn check_rows(known: &Analyzer, stage: &Stage, indices: &[Expr], rows: &[Axis]) -> Result<(), Fault> {
    let extent_of = |axes: &[Axis], index: &Expr| match (index.as_var(), index.as_int()) {
        (Some(var), _) => axes.iter().find(|axis| axis.var == *var).map(|axis| indexed(axis).map(|axis| axis.extent)),
        (None, Some(0)) => Some(Ok(Expr::i64(1))),
        (None, _) => None,
    };
    for (own, index) in stage.indices.iter().zip(indices) {
        let sizes = extent_of(&stage.spatial, own).zip(extent_of(rows, index));
        let same = match sizes {
            Some((own, wanted)) => known.prove_equal(&own?, &wanted?),
            None => false,
        };
        if !same {
            return Err(fault("a reduction is not of the rows of the result"));
        }
    }
    Ok(())
}

/// The axis with its extent as 64 bits.
pub(super) fn indexed(axis: &Axis) -> Result<Axis, Fault> {
    Ok(Axis { var: axis.var.clone(), extent: typed(axis.extent.cast(DataType::I64))? })
}
