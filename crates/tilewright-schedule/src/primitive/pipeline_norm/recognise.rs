//! A norm in a function: which axis is what, and its formulas.
//!
//! ```text
//! sum[rows]       = sum over k of term(rows, k, sums of the row before this one)
//! result[rows, k] = value(rows, k, sums of the row)
//! ```

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Intrinsic, PrimFunc, Var};
use tilewright_tensor::DataType;
use tilewright_tir_passes::analyzer_of;

use crate::facts::axes::{Axis, Group};
use crate::facts::exprs::mentions;
use crate::facts::fault::Fault;
use crate::facts::formulas::{self, Stage, check_temporary};
use crate::facts::size::size;
use crate::reduced_rows::{axes, check_rows, indexed, is_sum, lies_along, once_for_row, read_at};

/// Sums of a row, and operations of a term, at most: each sum is a row that has to stay near, and what a term is made of is
/// worked out again for each stage.
const SUMS: usize = 3;
const COST: usize = 16;

/// A norm over the axes of its result.
pub(crate) struct Norm {
    /// All axes of the result but one, in their order, and their extents as 64 bits.
    pub(crate) rows: Group,
    /// That one.
    pub(crate) column: Axis,
    pub(super) sums: Vec<Sum>,
    pub(super) out: Buffer,
    pub(super) indices: Vec<Expr>,
    pub(super) value: Formula,
    /// How many sums follow from each other: rows from the one whose results are written to the one whose first sums are
    /// taken.
    pub(crate) depth: usize,
}

pub(super) struct Sum {
    pub(super) term: Formula,
    /// How many sums it follows from, one from the other.
    pub(super) depth: usize,
}

/// A number of each column.
pub(super) struct Formula {
    pub(super) value: Expr,
    /// What is worked out once for a row, from the totals of its sums, by its name in `value`.
    pub(super) of_row: Vec<(Var, Expr)>,
    /// The names of the totals in these, by the number of the sum.
    pub(super) totals: Vec<(usize, Var)>,
}

fn fault(message: &str) -> Fault {
    Fault::of_call(message)
}

impl Norm {
    pub(crate) fn of(function: &PrimFunc) -> Result<Self, Fault> {
        let stages = formulas::of(function, 1)?;
        let Some((out, sums)) = stages.split_last() else { return Err(fault("there is no result")) };
        check_temporary(function, sums)?;
        let known = analyzer_of(function);
        if out.reduced.is_some() || sums.is_empty() || sums.len() > SUMS || !sums.iter().all(is_sum) {
            return Err(fault("there are not a few sums of float32 and one result"));
        }
        let found = Found::of(&known, out, sums)?;
        found.check()?;
        found.named(&known)
    }
}

/// The sums and the result, in the axes of the result.
struct Found<'a> {
    out: &'a Stage,
    sums: &'a [Stage],
    /// Where each sum is read, and its term.
    places: Vec<Vec<Expr>>,
    terms: Vec<Expr>,
    column: Axis,
    rows: Vec<Axis>,
}

impl<'a> Found<'a> {
    fn of(known: &Analyzer, out: &'a Stage, sums: &'a [Stage]) -> Result<Self, Fault> {
        let (mut places, mut terms): (Vec<Vec<Expr>>, Vec<Expr>) = Default::default();
        let mut named: Option<(Axis, Vec<Axis>)> = None;
        // From the last to the first: a sum is read by the result, or by sums behind it.
        for stage in sums.iter().rev() {
            let place = [&out.value].into_iter().chain(&terms).find_map(|reader| read_at(reader, &stage.buffer));
            let place = place.ok_or_else(|| fault("a sum is not read"))?;
            let (column, rows) = axes(out, &place)?;
            let reduced = stage.reduced.as_ref().ok_or_else(|| fault("there is no sum"))?;
            if named.as_ref().is_some_and(|(known, _)| known.var != column.var)
                || !known.prove_equal(&indexed(&reduced.axis)?.extent, &column.extent)
            {
                return Err(fault("the sums are not of the same elements"));
            }
            check_rows(known, stage, &place, &out.spatial)?;
            let term = stage.at(&place, Some(&Expr::var(&column.var)));
            terms.push(term.ok_or_else(|| fault("a sum is not of the elements of its axes"))?);
            places.push(place);
            named = Some((column, rows));
        }
        let (column, rows) = named.ok_or_else(|| fault("there is no sum"))?;
        places.reverse();
        terms.reverse();
        Ok(Self { out, sums, places, terms, column, rows })
    }

    /// What is read and written lies together along the columns, is read where it is written, and costs little to work out
    /// again.
    fn check(&self) -> Result<(), Fault> {
        let along = |indices: &[Expr]| lies_along(indices, &self.column);
        let (mut apart, mut elsewhere, mut costly) = (!along(&self.out.indices), false, false);
        let all: Vec<&Expr> = self.terms.iter().chain([&self.out.value]).collect();
        for value in all {
            walk(value, |e: &Expr| {
                let ExprKind::Load { buffer, indices, predicate } = &e.kind else { return };
                apart |=
                    mentions(indices, std::slice::from_ref(&self.column.var)) && !along(indices) || predicate.is_some();
                let same = *buffer == self.out.buffer && same_indices(indices, &self.out.indices);
                elsewhere |= buffer.data == self.out.buffer.data && !same;
                let sums = self.sums.iter().zip(&self.places);
                elsewhere |= sums
                    .filter(|(sum, _)| sum.buffer.data == buffer.data)
                    .any(|(sum, place)| sum.buffer != *buffer || !same_indices(indices, place));
            });
        }
        for (number, term) in self.terms.iter().enumerate() {
            walk(term, |e: &Expr| {
                costly |= matches!(e.kind, ExprKind::Let { .. });
                // A sum depends on those before it.
                let later = |buffer: &Buffer| self.sums.iter().skip(number).any(|sum| sum.buffer == *buffer);
                elsewhere |= matches!(&e.kind, ExprKind::Load { buffer, .. } if later(buffer));
            });
        }
        match () {
            () if apart => Err(fault("columns do not lie together in memory")),
            () if elsewhere => Err(fault("the result depends on more than its row")),
            () if costly => Err(fault("the terms are not read from memory")),
            () => Ok(()),
        }
    }

    /// The norm, with names in its formulas for what is known by then.
    fn named(&self, known: &Analyzer) -> Result<Norm, Fault> {
        let mut sums: Vec<Sum> = Vec::with_capacity(self.sums.len());
        for term in &self.terms {
            let term = self.formula(term);
            let mut costly = size(&term.value).1 > COST;
            walk(&term.value, |e: &Expr| {
                costly |= matches!(&e.kind, ExprKind::Call { intrinsic, .. } if *intrinsic != Intrinsic::IfThenElse);
            });
            if costly {
                return Err(fault("the terms of a sum cost much"));
            }
            let depth = behind(&term, &sums);
            sums.push(Sum { term, depth });
        }
        let value = self.formula(&self.out.value);
        let depth = behind(&value, &sums);
        if sums.iter().any(|sum| sum.depth >= depth) {
            return Err(fault("a sum is not read"));
        }
        Ok(Norm {
            rows: Group::new(known, self.rows.clone(), DataType::I64)?,
            column: self.column.clone(),
            sums,
            out: self.out.buffer.clone(),
            indices: self.out.indices.clone(),
            value,
            depth,
        })
    }

    fn formula(&self, value: &Expr) -> Formula {
        let totals: Vec<Var> = self.sums.iter().map(|sum| Var::new(&*sum.buffer.name, DataType::F32)).collect();
        let total = |e: &Expr| match &e.kind {
            ExprKind::Load { buffer, .. } => {
                let sum = self.sums.iter().position(|sum| sum.buffer == *buffer)?;
                totals.get(sum).map(Expr::var)
            }
            _ => None,
        };
        let (value, of_row) = once_for_row(value, &totals, total);
        let numbers: Vec<Expr> = of_row.iter().map(|(_, number)| number.clone()).collect();
        let is_used = |(_, total): &(usize, Var)| mentions(&numbers, std::slice::from_ref(total));
        let totals = totals.into_iter().enumerate().filter(is_used).collect();
        Formula { value, of_row, totals }
    }
}

/// How many sums the formula follows from, one from the other.
fn behind(formula: &Formula, sums: &[Sum]) -> usize {
    let read = formula.totals.iter().filter_map(|(sum, _)| sums.get(*sum));
    read.map(|sum| sum.depth + 1).max().unwrap_or(0)
}
