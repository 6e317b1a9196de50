//! A norm by mean and variance in a function: which axes name a row, which are reduced, and its formulas.
//!
//! ```text
//! sum[row]         = sum over k of term(row, k)
//! squares[row]     = sum over k of (term(row, k) - sum[row] / n) ** 2      where there are n of them
//! result[row, k]   = value(row, k, sum[row], squares[row])
//! ```
//!
//! An axis of the result may be a row's and reduced at once: of channels in groups of `size`, `sum[c // size]` names the group,
//! and what is left the channel in it. Squares may be missing, and the sum then be of squares itself.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Intrinsic, PrimFunc, Range, Var};
use tilewright_tensor::DataType;
use tilewright_tir_passes::analyzer_of;

use crate::facts::axes::{Axis, Group};
use crate::facts::exprs::{binary, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::formulas::{self, Stage, check_temporary};
use crate::facts::size::size;
use crate::facts::stride::{Steps, run, steps, steps_of, stride};
use crate::reduced_rows::{check_rows, indexed, is_of, is_sum, once_for_row, read_at};

/// Operations of a term at most: it is worked out twice for the moments of a piece.
const COST: usize = 16;

/// A norm over rows of several axes.
pub(crate) struct Moments {
    /// What names a row.
    pub(crate) rows: Group,
    /// What is reduced: those axes along which all that is read and written goes on without a gap, and the ones around them.
    pub(crate) outer: Group,
    pub(crate) inner: Group,
    /// Both together, where the terms go on without a gap along all of them.
    pub(crate) whole: Option<Group>,
    /// Elements of a row, and those of them along the inner axes.
    pub(crate) count: i64,
    pub(crate) columns: i64,
    pub(super) term: Expr,
    /// Whether there are squares of distances: then the first moment is the mean, otherwise the sum.
    pub(super) centred: bool,
    /// The names of the moments.
    pub(super) first: Var,
    pub(super) second: Var,
    pub(super) out: Buffer,
    pub(super) indices: Vec<Expr>,
    pub(super) value: Expr,
    /// What is worked out once for a row, by its name in `value`.
    pub(super) of_row: Vec<(Var, Expr)>,
}

fn fault(message: &str) -> Fault {
    Fault::of_call(message)
}

impl Moments {
    pub(crate) fn of(function: &PrimFunc) -> Result<Self, Fault> {
        let stages = formulas::of_any_axes(function, 1)?;
        let Some((out, sums)) = stages.split_last() else { return Err(fault("there is no result")) };
        check_temporary(function, sums)?;
        let (sum, squares) = match sums {
            [sum] => (sum, None),
            [sum, squares] => (sum, Some(squares)),
            _ => return Err(fault("there are not one or two sums and one result")),
        };
        if out.reduced.is_some() || !sums.iter().all(is_sum) {
            return Err(fault("there are not one or two sums of float32 and one result"));
        }
        let mut known = analyzer_of(function);
        let place = read_at(&out.value, &squares.unwrap_or(sum).buffer).ok_or_else(|| fault("a sum is not read"))?;
        let place: Vec<Expr> = place.iter().map(|index| known.simplify(index)).collect();
        let axes = Axes::of(&mut known, out, &place)?;
        let place = axes.all_placed(&known, &place);
        let term = axes.term(&known, sum, &place)?;
        let squared = squares.map(|squares| axes.term(&known, squares, &place)).transpose()?;
        let found = Found {
            sum,
            squares,
            indices: axes.all_placed(&known, &out.indices),
            value: axes.placed(&known, &out.value),
            place,
            term,
            squared,
        };
        found.check(&out.buffer)?;
        found.named(&known, &out.buffer, axes)
    }
}

/// The axes of the result, taken apart into those of rows and those that are reduced.
struct Axes {
    rows: Vec<Axis>,
    /// Without those of one place.
    reduced: Vec<Axis>,
    /// What the axes of the result are in terms of these.
    values: Vec<(Var, Expr)>,
}

impl Axes {
    /// By the place at which the result reads its sum.
    fn of(known: &mut Analyzer, out: &Stage, place: &[Expr]) -> Result<Self, Fault> {
        let (mut rows, mut reduced, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for axis in &out.spatial {
            let is_row = place.iter().any(|index| index.as_var() == Some(&axis.var));
            let size = place.iter().find_map(|index| match &index.kind {
                ExprKind::Binary(BinOp::FloorDiv, a, b) if a.as_var() == Some(&axis.var) => b.as_int(),
                _ => None,
            });
            let extent = axis.extent.as_int();
            match (is_row, size) {
                (true, None) => rows.push(indexed(axis)?),
                (true, Some(_)) => return Err(fault("an axis names a row in two ways")),
                (false, None) if extent == Some(1) => {
                    values.push((axis.var.clone(), Expr::int(0, axis.var.dtype)));
                }
                (false, None) => reduced.push(indexed(axis)?),
                (false, Some(size)) => {
                    let groups = extent.filter(|extent| size > 0 && extent % size == 0).map(|extent| extent / size);
                    let groups = groups.ok_or_else(|| fault("groups are not even parts of an axis"))?;
                    let group = Var::new("group", axis.var.dtype);
                    let within = Var::new("within", axis.var.dtype);
                    let all = &(&Expr::var(&group) * size) + &Expr::var(&within);
                    values.push((axis.var.clone(), all));
                    rows.push(Axis { var: group, extent: Expr::i64(groups) });
                    if size > 1 {
                        reduced.push(Axis { var: within, extent: Expr::i64(size) });
                    } else {
                        values.push((within, Expr::int(0, axis.var.dtype)));
                    }
                }
            }
        }
        for axis in rows.iter().chain(&reduced) {
            known.bind(&axis.var, &Range::up_to(typed(axis.extent.cast(axis.var.dtype))?));
        }
        if reduced.is_empty() || reduced.iter().any(|axis| axis.extent.as_int().is_none_or(|extent| extent < 2)) {
            return Err(fault("the length of a row is not known"));
        }
        Ok(Self { rows, reduced, values })
    }

    /// An expression of the result's axes, in these.
    fn placed(&self, known: &Analyzer, value: &Expr) -> Expr {
        let all = substituted(value, &self.values);
        // The place in a group of one.
        known.simplify(&substituted(&all, &self.values))
    }

    fn all_placed(&self, known: &Analyzer, values: &[Expr]) -> Vec<Expr> {
        values.iter().map(|value| self.placed(known, value)).collect()
    }

    /// What a sum of rows is of, where that of this row is at this place.
    fn term(&self, known: &Analyzer, sum: &Stage, place: &[Expr]) -> Result<Expr, Fault> {
        let reduced = sum.reduced.as_ref().ok_or_else(|| fault("there is no sum"))?;
        check_rows(known, sum, place, &self.rows)?;
        let own = [&reduced.axis].into_iter().chain(&reduced.more);
        let (units, wide): (Vec<&Axis>, Vec<&Axis>) = own.partition(|axis| axis.extent.as_int() == Some(1));
        // From what goes furthest in memory, as the axes of a result do.
        let mut sorted =
            wide.into_iter().map(|axis| Ok((far(known, sum, axis)?, axis))).collect::<Result<Vec<_>, _>>()?;
        sorted.sort_by_key(|(far, _)| std::cmp::Reverse(*far));
        let same = |(own, axis): (&(i64, &Axis), &Axis)| own.1.extent.as_int() == axis.extent.as_int();
        if sorted.len() != self.reduced.len() || !sorted.iter().zip(&self.reduced).all(same) {
            return Err(fault("the sums are not of the elements of the result"));
        }
        let unit = |axis: &&Axis| (axis.var.clone(), Expr::int(0, axis.var.dtype));
        let mut values: Vec<(Var, Expr)> = units.iter().map(unit).collect();
        for ((_, own), axis) in sorted.iter().zip(&self.reduced) {
            values.push((own.var.clone(), typed(Expr::var(&axis.var).cast(own.var.dtype))?));
        }
        let term = sum.at_places(place, values).ok_or_else(|| fault("a sum is not of the elements of its axes"))?;
        Ok(known.simplify(&term))
    }
}

/// How far apart the first of what a sum reads is for neighbouring places of an axis.
fn far(known: &Analyzer, sum: &Stage, axis: &Axis) -> Result<i64, Fault> {
    let mut step = None;
    walk(&sum.value, |e: &Expr| {
        if let (ExprKind::Load { buffer, indices, .. }, None) = (&e.kind, step) {
            step = stride(known, &axis.var, buffer, indices).and_then(|step| step.as_int());
        }
    });
    step.filter(|step| *step > 0).ok_or_else(|| fault("the terms of a sum do not lie in rows"))
}

/// The sums and the result, in the axes of rows and those that are reduced.
struct Found<'a> {
    sum: &'a Stage,
    squares: Option<&'a Stage>,
    /// Where the sums of the row are.
    place: Vec<Expr>,
    term: Expr,
    squared: Option<Expr>,
    indices: Vec<Expr>,
    value: Expr,
}

impl Found<'_> {
    /// What is read of the result's memory is read where it is written, the sums are those of the row, and terms cost little
    /// and depend on no sum.
    fn check(&self, out: &Buffer) -> Result<(), Fault> {
        let is_total = |buffer: &Buffer| {
            [Some(self.sum), self.squares].into_iter().flatten().any(|sum| sum.buffer.data == buffer.data)
        };
        let (mut elsewhere, mut apart, mut costly) = (false, false, size(&self.term).1 > COST);
        for value in [Some(&self.term), self.squared.as_ref(), Some(&self.value)].into_iter().flatten() {
            walk(value, |e: &Expr| {
                let ExprKind::Load { buffer, indices, predicate } = &e.kind else { return };
                apart |= predicate.is_some();
                let here = buffer == out && same_indices(indices, &self.indices);
                elsewhere |= buffer.data == out.data && !here;
                elsewhere |= is_total(buffer) && !same_indices(indices, &self.place);
            });
        }
        walk(&self.term, |e: &Expr| match &e.kind {
            ExprKind::Let { .. } => costly = true,
            ExprKind::Call { intrinsic, .. } => costly |= *intrinsic != Intrinsic::IfThenElse,
            ExprKind::Load { buffer, .. } => elsewhere |= is_total(buffer),
            _ => {}
        });
        match () {
            () if apart => Err(fault("columns do not lie together in memory")),
            () if elsewhere => Err(fault("the result depends on more than its row")),
            () if costly => Err(fault("the terms of a sum cost much")),
            () => Ok(()),
        }
    }

    /// The norm, with names in its result for what is known by then.
    fn named(&self, known: &Analyzer, out: &Buffer, axes: Axes) -> Result<Moments, Fault> {
        let extents: Option<Vec<i64>> = axes.reduced.iter().map(|axis| axis.extent.as_int()).collect();
        let count = extents.and_then(|all| all.into_iter().try_fold(1i64, i64::checked_mul));
        let count = count.ok_or_else(|| fault("the length of a row is not known"))?;
        let (inner, whole) = self.runs(known, out, &axes.reduced)?;
        let group = |axes: &[Axis]| Group::new(known, axes.to_vec(), DataType::I64);
        let (around, along) = axes.reduced.split_at(axes.reduced.len() - inner);
        let (outer, inner) = (group(around)?, group(along)?);
        let columns = inner.size.as_int().ok_or_else(|| fault("the length of a row is not known"))?;
        let name = |name: &str| Var::new(name, DataType::F32);
        let (first, second) = (name(if self.squares.is_some() { "mean" } else { "total" }), name("squares"));
        let value = self.of_moments((&first, &second), count)?;
        let (value, of_row) = once_for_row(&value, &[first.clone(), second.clone()], |_| None);
        Ok(Moments {
            rows: group(&axes.rows)?,
            whole: if whole { Some(group(&axes.reduced)?) } else { None },
            outer,
            inner,
            count,
            columns,
            term: self.term.clone(),
            centred: self.squares.is_some(),
            first,
            second,
            out: out.clone(),
            indices: self.indices.clone(),
            value,
            of_row,
        })
    }

    /// How many of the reduced axes, from the last on, all that is read and written goes along without a gap; and whether the
    /// terms do so along all axes.
    fn runs(&self, known: &Analyzer, out: &Buffer, axes: &[Axis]) -> Result<(usize, bool), Fault> {
        let apart = || fault("columns do not lie together in memory");
        let terms = steps_of(known, &self.term, axes).ok_or_else(apart)?;
        let mut all = steps_of(known, &self.value, axes).ok_or_else(apart)?;
        all.extend(terms.iter().cloned());
        let written = steps(known, axes, out, &self.indices).ok_or_else(apart)?;
        let is_near = |steps: &Steps| matches!(steps.last(), Some(0 | 1));
        let lies_along = |steps: &Steps| steps.last() == Some(&1);
        if !lies_along(&written) || !terms.iter().all(lies_along) || !all.iter().all(is_near) {
            return Err(apart());
        }
        all.push(written);
        Ok((run(&all, axes), run(&terms, axes) == axes.len()))
    }

    /// The result of the moments of its row. What is divided by a root is multiplied by its reciprocal: that of the smallest
    /// and that of the largest are normal numbers, and 0, infinities and NaN give the same both ways.
    fn of_moments(&self, (first, second): (&Var, &Var), count: i64) -> Result<Expr, Fault> {
        let total = Var::new("total", DataType::F32);
        let sums = [(&self.sum.buffer, &total)].into_iter().chain(self.squares.map(|sum| (&sum.buffer, second)));
        let sums: Vec<(&Buffer, &Var)> = sums.collect();
        let number = Expr::number(count, DataType::F32);
        let in_sums = |value: &Expr| {
            rewrite(value, |e: &Expr| match &e.kind {
                ExprKind::Load { buffer, .. } => {
                    sums.iter().find(|(sum, _)| *sum == buffer).map(|(_, name)| Expr::var(name))
                }
                ExprKind::Binary(BinOp::Div, a, b)
                    if self.squares.is_some() && a.as_var() == Some(&total) && b.equal(&number) =>
                {
                    Some(Expr::var(first))
                }
                _ => None,
            })
            .unwrap_or_else(|| value.clone())
        };
        if let Some(squared) = &self.squared {
            let distance = binary(BinOp::Sub, &self.term, &Expr::var(first))?;
            if !in_sums(squared).equal(&binary(BinOp::Mul, &distance, &distance)?) {
                return Err(fault("the second sum is not of squares of distances from the mean"));
            }
        }
        let value = in_sums(&self.value);
        let left =
            if self.squares.is_some() { binary(BinOp::Mul, &Expr::var(first), &number)? } else { Expr::var(first) };
        let value = substituted(&value, &[(total, left)]);
        let mut failed = None;
        let product = |a: &Expr, b: &Expr| {
            let reciprocal = binary(BinOp::Div, &Expr::float(1.0, DataType::F32), b)?;
            binary(BinOp::Mul, a, &reciprocal)
        };
        let value = rewrite(&value, |e: &Expr| match &e.kind {
            ExprKind::Binary(BinOp::Div, a, b)
                if matches!(&b.kind, ExprKind::Call { intrinsic: Intrinsic::Sqrt, .. })
                    && b.dtype == DataType::F32
                    && is_of(b, &[first, second])
                    && !is_of(a, &[first, second]) =>
            {
                product(a, b).map_err(|fault| failed = Some(fault)).ok()
            }
            _ => None,
        })
        .unwrap_or(value);
        match failed {
            Some(fault) => Err(fault),
            None => Ok(value),
        }
    }
}
