//! Rows of neighbouring elements in vectors: the loops of primitives that run several stages of rows at once.

use std::rc::Rc;
use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Stmt, Var};
use tilewright_tensor::DataType;
use tilewright_tir_passes::analyzer_of;

use crate::facts::axes::{Axis, Group};
use crate::facts::exprs::{binary, compare, elements_read, mentions, prefetch_element, substituted, typed};
use crate::facts::loops::{load, looped, named, only_if, serial, store, task_block, with_names};
use crate::facts::tree::Site;
use crate::primitive::{Call, Fault};

/// Columns of which the number is known only when the function runs are planned for as if they were this many.
pub(crate) const UNKNOWN: i64 = 1 << 10;
/// Columns of the narrowest vector that goes past the caches.
const QUARTER: i64 = 4;

/// Values of the axes of a row.
pub(crate) type Row = Vec<(Var, Expr)>;

/// A vector of a row: its first column, its accumulator, and whether some of its columns may be behind the end.
pub(crate) struct Place {
    pub(crate) first: Expr,
    pub(crate) vector: Expr,
    is_whole: bool,
}

/// Rows of a task, and elements of one row, at most.
const MOST: i64 = 1 << 16;

/// Rows that are gone through in so many vectors of so many lanes at once.
pub(crate) struct RowVectors<'a> {
    rows: &'a Group,
    column: &'a Axis,
    pub(crate) lanes: i64,
    pub(crate) accumulators: i64,
    /// Rows of a task.
    several: i64,
    name: Arc<str>,
    pub(crate) known: Rc<Analyzer>,
}

impl<'a> RowVectors<'a> {
    /// As the arguments `block, lanes, accumulators, rows` say, where the block gives the result.
    pub(crate) fn of(
        call: &Call<'_>,
        site: &Site,
        rows: &'a Group,
        column: &'a Axis,
        out: &Buffer,
    ) -> Result<Self, Fault> {
        let (lanes, accumulators) = (call.power_of_two(1, "lanes", 64)?, call.power_of_two(2, "accumulators", 16)?);
        let several = call.size(3, "rows", 1..=MOST)?;
        Self::with(call, site, (rows, column, out), [lanes, accumulators, several])
    }

    /// The same, of so many lanes, accumulators and rows of a task.
    pub(crate) fn with(
        call: &Call<'_>,
        site: &Site,
        (rows, column, out): (&'a Group, &'a Axis, &Buffer),
        [lanes, accumulators, several]: [i64; 3],
    ) -> Result<Self, Fault> {
        let result = site.block().filter(|block| block.writes.iter().any(|region| region.buffer == *out));
        let name = result.ok_or_else(|| Fault::at(site, "the block does not give the result"))?.name.clone();
        if let Some(columns) = column.extent.as_int().filter(|&columns| columns > MOST) {
            return Err(Fault::at(site, format!("{columns} columns are too many")));
        }
        Ok(Self { rows, column, lanes, accumulators, several, name, known: Rc::new(analyzer_of(call.function)) })
    }
}

impl RowVectors<'_> {
    /// The parallel loop over tasks, which read for these formulas and write the result: `body` is of the first row and of how
    /// many there are, and gives the statements and their memory.
    pub(crate) fn tasks(
        &self,
        read: &[&Expr],
        out: &Buffer,
        body: impl FnOnce(&Expr, &Expr) -> Result<(Stmt, Vec<Buffer>), Fault>,
    ) -> Result<Stmt, Fault> {
        let (all, several) = (&self.rows.size, Expr::i64(self.several));
        let task = self.var("task");
        let mut lets = Vec::new();
        let first = named("first", &self.known.simplify(&(&Expr::var(&task) * self.several)), &mut lets);
        let left = binary(BinOp::Min, &several, &(all - &first))?;
        let is_even = all.as_int().is_some_and(|all| all % self.several == 0);
        let count = if is_even { several } else { named("count", &left, &mut lets) };
        let (body, own) = body(&first, &count)?;
        let block = task_block(&self.name, read, vec![out.clone()], own, with_names(lets, body));
        Ok(looped(&task, &self.ceil_div(all, self.several)?, ForKind::Parallel, block))
    }

    /// The same rows, of other columns.
    pub(crate) fn along<'b>(&'b self, column: &'b Axis) -> RowVectors<'b> {
        RowVectors { column, name: self.name.clone(), known: self.known.clone(), ..*self }
    }

    /// The axes of the row of this number, which have names where they are worked out.
    pub(crate) fn row(&self, name: &str, number: &Expr) -> Result<(Row, Vec<(Var, Expr)>), Fault> {
        let mut names = Vec::new();
        let wide = self.rows.axes.iter().filter(|axis| axis.extent.as_int() != Some(1)).count();
        let number = self.known.simplify(number);
        let number = if wide > 1 { named(name, &number, &mut names) } else { number };
        let values = self.rows.values(&self.known, &number)?;
        let named = |(var, value): (Var, Expr)| {
            let value = typed(value.cast(var.dtype))?;
            Ok((var.clone(), named(&var.name, &value, &mut names)))
        };
        let row = values.into_iter().map(named).collect::<Result<_, Fault>>()?;
        Ok((row, names))
    }

    /// A formula in a row and a column.
    pub(crate) fn placed(
        &self,
        formula: &Expr,
        row: &Row,
        column: &Expr,
        numbers: &[(Var, Expr)],
    ) -> Result<Expr, Fault> {
        let column = (self.column.var.clone(), typed(column.cast(self.column.var.dtype))?);
        let values = row.iter().chain(numbers).cloned().chain([column]);
        Ok(substituted(formula, &values.collect::<Vec<_>>()))
    }

    /// Loops over the vectors of a row: blocks of as many as there are accumulators, and what is left.
    pub(crate) fn columns(&self, body: impl Fn(&Place) -> Result<Vec<Stmt>, Fault>) -> Result<Stmt, Fault> {
        let (lanes, step) = (self.lanes, self.lanes * self.accumulators);
        let columns = &self.column.extent;
        let (block, vector) = (self.var("block"), self.var("vector"));
        let blocks = self.known.simplify(&binary(BinOp::FloorDiv, columns, &Expr::i64(step))?);
        let at = |first: Expr, vector: Expr, is_whole: bool| Place { first, vector, is_whole };
        let first = &(&Expr::var(&block) * step) + &(&Expr::var(&vector) * lanes);
        let inner = Stmt::seq(body(&at(first, Expr::var(&vector), true))?);
        let inner = looped(&vector, &Expr::i64(self.accumulators), ForKind::Unrolled, inner);
        let mut stmts = Vec::new();
        if blocks.as_int() != Some(0) {
            stmts.push(serial(&block, &blocks, inner));
        }
        match columns.as_int() {
            Some(columns) => {
                let begin = columns / step * step;
                for number in 0..(columns - begin + lanes - 1) / lanes {
                    let first = begin + number * lanes;
                    let is_whole = first + lanes <= columns;
                    stmts.extend(body(&at(Expr::i64(first), Expr::i64(number), is_whole))?);
                }
            }
            None => {
                let begin = &blocks * step;
                let vector = self.var("vector");
                let first = &begin + &(&Expr::var(&vector) * lanes);
                let left = self.ceil_div(&(columns - &begin), lanes)?;
                stmts.push(serial(&vector, &left, Stmt::seq(body(&at(first, Expr::i64(0), false))?)));
            }
        }
        Ok(Stmt::seq(stmts))
    }

    /// The lanes of a vector: `body` is of a lane and its column.
    pub(crate) fn vector(
        &self,
        at: &Place,
        body: impl FnOnce(&Expr, &Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        self.lanes_of(|l| {
            let column = &at.first + l;
            let body = body(l, &column)?;
            match at.is_whole {
                true => Ok(body),
                false => Ok(only_if(compare(CmpOp::Lt, &column, &self.column.extent)?, body)),
            }
        })
    }

    /// The lanes of a vector that is a part of the result: a constant number of columns at the end of a row is in vectors of
    /// exactly these, so that each can go past the caches.
    pub(crate) fn result(&self, at: &Place, value: impl Fn(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let left = binary(BinOp::Sub, &self.column.extent, &at.first)?;
        match self.known.simplify(&left).as_int().filter(|left| !at.is_whole && left % QUARTER == 0) {
            Some(left) => self.powers_of_two(at, left, value),
            None => self.vector(at, |_, column| value(column)),
        }
    }

    /// Vectors that together have so many columns.
    fn powers_of_two(
        &self,
        at: &Place,
        columns: i64,
        body: impl Fn(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let (mut stmts, mut done) = (Vec::new(), 0);
        while done < columns {
            let width = 1 << (columns - done).ilog2();
            let l = self.var("l");
            let inner = body(&(&(&at.first + done) + &Expr::var(&l)))?;
            stmts.push(looped(&l, &Expr::i64(width), ForKind::Vectorized, inner));
            done += width;
        }
        Ok(Stmt::seq(stmts))
    }

    /// What these formulas read of a row is on its way to the second level of cache, where it is no matter that the row may
    /// belong to another task, or to none.
    pub(crate) fn prefetches(&self, formulas: &[Expr], row: &Row, at: &Place) -> Result<Vec<Stmt>, Fault> {
        let of_row = |e: &Expr, var: &Var| mentions(e, std::slice::from_ref(var));
        let is_meant = |e: &Expr| of_row(e, &self.column.var) && row.iter().any(|(var, _)| of_row(e, var));
        let ask = |e: &Expr| prefetch_element(&self.placed(e, row, &at.first, &[])?);
        elements_read(formulas, is_meant).iter().map(ask).collect()
    }

    /// The value in all lanes of all accumulators.
    pub(crate) fn cleared(&self, buffer: &Buffer, value: &Expr) -> Result<Stmt, Fault> {
        let u = self.var("u");
        let clear = self.lanes_of(|l| store(buffer, &[&Expr::var(&u), l], value))?;
        Ok(looped(&u, &Expr::i64(self.accumulators), ForKind::Unrolled, clear))
    }

    /// All lanes of all accumulators times a number.
    pub(crate) fn scaled(&self, buffer: &Buffer, by: &Expr) -> Result<Stmt, Fault> {
        let u = self.var("u");
        let scale = self.lanes_of(|l| {
            let before = load(buffer, &[&Expr::var(&u), l])?;
            store(buffer, &[&Expr::var(&u), l], &binary(BinOp::Mul, &before, by)?)
        })?;
        Ok(looped(&u, &Expr::i64(self.accumulators), ForKind::Unrolled, scale))
    }

    fn lanes_of(&self, body: impl FnOnce(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let l = self.var("l");
        Ok(looped(&l, &Expr::i64(self.lanes), ForKind::Vectorized, body(&Expr::var(&l))?))
    }

    pub(crate) fn ceil_div(&self, size: &Expr, by: i64) -> Result<Expr, Fault> {
        Ok(self.known.simplify(&typed(size.ceil_div(by))?))
    }

    pub(crate) fn var(&self, name: &str) -> Var {
        Var::new(name, DataType::I64)
    }
}
