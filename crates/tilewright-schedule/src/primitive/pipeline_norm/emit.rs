//! The loops of a pipelined norm.

use tilewright_ir::tir::{BinOp, Buffer, Expr, Scope, Stmt, Var};
use tilewright_tensor::DataType;

use super::Norm;
use super::recognise::{Formula, Sum};
use crate::facts::exprs::{binary, stored, substituted};
use crate::facts::fault::Fault;
use crate::facts::loops::{folded, load, memory, serial, store, with_names};
use crate::row_vectors::{Place, Row, RowVectors, UNKNOWN};

/// Bytes that are asked for before they are read: a step, which goes through several rows, takes longer than memory does.
const AHEAD: i64 = 4 << 10;

/// What tasks are made from.
pub(super) struct Maker<'a> {
    pub(super) norm: &'a Norm,
    pub(super) of: RowVectors<'a>,
}

/// The memory of a task.
struct Memory {
    sums: Vec<SumMemory>,
    /// What the result is made with once for a row.
    of_row: Buffer,
    /// A vector on its way to one number.
    halves: Buffer,
}

struct SumMemory {
    /// Accumulators.
    partial: Buffer,
    /// The totals of the last rows, from the newest on.
    totals: Buffer,
    /// What the terms are made with once for a row.
    of_row: Buffer,
}

/// The number of a sum's row, and how many rows it has summed before; `None` where it does not run.
type RowOf<'a> = dyn Fn(&Sum) -> Result<Option<(Expr, i64)>, Fault> + 'a;

/// A step of a task: what runs, and in which rows.
struct Step<'a> {
    sums: &'a RowOf<'a>,
    /// Those of the row that is written and of the one that is asked for, if there are such.
    out: Option<(Expr, Expr)>,
}

impl Maker<'_> {
    /// The parallel loop over tasks.
    pub(super) fn tasks(&self) -> Result<Stmt, Fault> {
        let terms = self.norm.sums.iter().map(|sum| &sum.term.value);
        let read: Vec<&Expr> = terms.chain([&self.norm.value.value]).collect();
        self.of.tasks(&read, &self.norm.out, |first, count| {
            let m = self.memory();
            let body = self.pipeline(&m, first, count)?;
            let Memory { sums, of_row, halves } = m;
            let of_sums = sums.into_iter().flat_map(|sum| [sum.partial, sum.totals, sum.of_row]);
            // A formula of columns alone has nothing of its row.
            let is_some = |buffer: &Buffer| buffer.shape.iter().all(|extent| extent.as_int() != Some(0));
            Ok((body, of_sums.chain([of_row, halves]).filter(is_some).collect()))
        })
    }

    /// The sums of the first rows, and all rows.
    fn pipeline(&self, m: &Memory, first: &Expr, count: &Expr) -> Result<Stmt, Fault> {
        let depth = self.norm.depth as i64;
        let last = count - 1;
        let within = |number: &Expr| Ok(first + &self.of.known.simplify(&binary(BinOp::Min, number, &last)?));
        let mut stmts = Vec::new();
        for begun in 0..depth {
            let row = |sum: &Sum| match begun - sum.depth as i64 {
                ..0 => Ok(None),
                before => Ok(Some((within(&Expr::i64(before))?, before))),
            };
            stmts.push(self.step(m, &Step { sums: &row, out: None })?);
        }
        let row = self.of.var("row");
        let i = Expr::var(&row);
        let behind = |sum: &Sum| {
            let before = depth - sum.depth as i64;
            Ok(Some((within(&(&i + before))?, before)))
        };
        let further = first + &(&i + (depth + self.rows_ahead()));
        let all = self.step(m, &Step { sums: &behind, out: Some((first + &i, further)) })?;
        stmts.push(serial(&row, count, all));
        Ok(Stmt::seq(stmts))
    }

    /// All columns of the rows, and the totals.
    fn step(&self, m: &Memory, step: &Step<'_>) -> Result<Stmt, Fault> {
        let (mut stmts, mut names, mut running) = (Vec::new(), Vec::new(), Vec::new());
        for (sum, own) in self.norm.sums.iter().zip(&m.sums) {
            let Some((number, before)) = (step.sums)(sum)? else { continue };
            stmts.extend(self.once(m, &sum.term, sum.depth, &own.of_row)?);
            stmts.push(self.of.cleared(&own.partial, &Expr::float(0.0, DataType::F32))?);
            let (row, own_names) = self.of.row("behind", &number)?;
            names.extend(own_names);
            running.push((sum, own, row, before));
        }
        let mut written = None;
        if let Some((here, further)) = &step.out {
            stmts.extend(self.once(m, &self.norm.value, self.norm.depth, &m.of_row)?);
            let (here, here_names) = self.of.row("here", here)?;
            let (further, further_names) = self.of.row("further", further)?;
            names.extend(here_names.into_iter().chain(further_names));
            written = Some((here, further));
        }
        let all = |at: &Place| {
            let mut stmts = Vec::new();
            if let Some((_, further)) = &written {
                stmts.extend(self.of.prefetches(&self.formulas(), further, at)?);
            }
            for (sum, own, row, _) in &running {
                stmts.push(self.add(sum, own, row, at)?);
            }
            if let Some((here, _)) = &written {
                stmts.push(self.result(m, here, at)?);
            }
            Ok(stmts)
        };
        stmts.push(with_names(names, self.of.columns(all)?));
        for (_, own, _, before) in &running {
            stmts.extend(self.total(m, own, *before)?);
        }
        Ok(Stmt::seq(stmts))
    }

    /// What a formula is made with in this row, of the totals that so deep a formula reads.
    fn once(&self, m: &Memory, formula: &Formula, depth: usize, of_row: &Buffer) -> Result<Vec<Stmt>, Fault> {
        let mut totals: Vec<(Var, Expr)> = Vec::new();
        for (number, total) in &formula.totals {
            let (Some(sum), Some(own)) = (self.norm.sums.get(*number), m.sums.get(*number)) else { continue };
            totals.push((total.clone(), load(&own.totals, &[&Expr::i64((depth - sum.depth - 1) as i64)])?));
        }
        let one = |(number, (_, value)): (i64, &(Var, Expr))| {
            store(of_row, &[&Expr::i64(number)], &substituted(value, &totals))
        };
        (0..).zip(&formula.of_row).map(one).collect()
    }

    fn add(&self, sum: &Sum, own: &SumMemory, row: &Row, at: &Place) -> Result<Stmt, Fault> {
        let numbers = numbers(&sum.term, &own.of_row)?;
        self.of.vector(at, |l, column| {
            let term = self.of.placed(&sum.term.value, row, column, &numbers)?;
            let before = load(&own.partial, &[&at.vector, l])?;
            store(&own.partial, &[&at.vector, l], &binary(BinOp::Add, &before, &term)?)
        })
    }

    fn result(&self, m: &Memory, row: &Row, at: &Place) -> Result<Stmt, Fault> {
        let numbers = numbers(&self.norm.value, &m.of_row)?;
        self.of.result(at, |column| {
            let value = self.of.placed(&self.norm.value.value, row, column, &numbers)?;
            let places = self.norm.indices.iter().map(|index| self.of.placed(index, row, column, &[]));
            stored(&self.norm.out, places.collect::<Result<_, _>>()?, &value)
        })
    }

    /// The total of a row, in front of those of so many rows before it.
    fn total(&self, m: &Memory, own: &SumMemory, before: i64) -> Result<Vec<Stmt>, Fault> {
        let mut stmts = folded(&own.partial, &m.halves, &|a, b| binary(BinOp::Add, a, b))?;
        let kept = own.totals.shape.first().and_then(Expr::as_int).unwrap_or(1);
        for number in (1..kept.min(before + 1)).rev() {
            let newer = load(&own.totals, &[&Expr::i64(number - 1)])?;
            stmts.push(store(&own.totals, &[&Expr::i64(number)], &newer)?);
        }
        let total = load(&m.halves, &[&Expr::i64(0)])?;
        stmts.push(store(&own.totals, &[&Expr::i64(0)], &total)?);
        Ok(stmts)
    }

    fn formulas(&self) -> Vec<Expr> {
        let terms = self.norm.sums.iter().map(|sum| sum.term.value.clone());
        terms.chain([self.norm.value.value.clone()]).collect()
    }

    /// Rows between the one whose first sums are taken and the one that is asked for meanwhile.
    fn rows_ahead(&self) -> i64 {
        let columns = self.norm.column.extent.as_int().unwrap_or(UNKNOWN);
        (AHEAD / columns.saturating_mul(DataType::F32.bytes() as i64).max(1)).max(1)
    }

    fn memory(&self) -> Memory {
        let local = |name: &str, shape: &[i64]| {
            memory(name, shape.iter().map(|&size| Expr::i64(size)).collect(), DataType::F32, Scope::Local)
        };
        let of_row = |name: &str, formula: &Formula| local(name, &[formula.of_row.len() as i64]);
        let sum = |sum: &Sum| SumMemory {
            partial: local("partial", &[self.of.accumulators, self.of.lanes]),
            totals: local("totals", &[(self.norm.depth - sum.depth) as i64]),
            of_row: of_row("of_term", &sum.term),
        };
        Memory {
            sums: self.norm.sums.iter().map(sum).collect(),
            of_row: of_row("of_row", &self.norm.value),
            halves: local("halves", &[self.of.lanes]),
        }
    }
}

/// Where the numbers of a row are that a formula is made with.
fn numbers(formula: &Formula, of_row: &Buffer) -> Result<Vec<(Var, Expr)>, Fault> {
    let one = |(number, (var, _)): (i64, &(Var, Expr))| Ok((var.clone(), load(of_row, &[&Expr::i64(number)])?));
    (0..).zip(&formula.of_row).map(one).collect()
}
