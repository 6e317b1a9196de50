//! Tasks of rows, and vectors of neighbouring elements: the loops that all walks are made of.

use std::rc::Rc;
use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;
use tilewright_tir_passes::analyzer_of;

use super::{Cx, formula_at};
use crate::analysis::axes::{Axis, Group};
use crate::build::exprs::{binary, compare, elements_read, mentions, prefetch_element, stored, typed};
use crate::build::loops::{load, looped, named, only_if, serial, store, task_block, used_in, with_names};
use crate::families::rows::RowProgram;
use crate::fault::Fault;

/// Lanes of the narrowest vector that goes past the caches.
const STREAMED_LANES: i64 = 4;
/// Elements of a row, or of a piece of one, at most: its last vectors are written out.
const MAX_COLUMNS: i64 = 1 << 16;

/// Values of the axes of a row.
pub(crate) type Row = Vec<(Var, Expr)>;

/// A vector of a row: its first column, its accumulator, and whether all of its columns are in the row.
pub(crate) struct Vector {
    pub(crate) first: Expr,
    pub(crate) accumulator: Expr,
    is_whole: bool,
}

/// A row by its number and the values of its axes.
pub(crate) struct NumberedRow {
    pub(crate) number: Expr,
    pub(crate) axes: Row,
}

/// The statements of one row and of another one, each if there is one.
type Step<'a> = dyn Fn(Option<&NumberedRow>, Option<&NumberedRow>) -> Result<Stmt, Fault> + 'a;

/// The stages of a row, where its result waits for its totals.
pub(crate) struct Stages<'a> {
    /// Gives the state the identity.
    pub(crate) init_state: &'a dyn Fn() -> Result<Stmt, Fault>,
    /// Computes what the result of a reduced row is made with.
    pub(crate) finish: &'a dyn Fn() -> Result<Stmt, Fault>,
    /// Writes the result of one row, and reduces another one.
    pub(crate) step: &'a Step<'a>,
}

/// Sizes of the loops over rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Lanes of a vector.
    pub(crate) lanes: i64,
    /// Vectors that are reduced independently of each other.
    pub(crate) accumulators: i64,
    pub(crate) rows_per_task: i64,
}

/// Rows, and their columns in vectors.
pub(crate) struct RowVectors<'a> {
    program: &'a RowProgram,
    rows: &'a Group,
    column: &'a Axis,
    pub(crate) sizes: Sizes,
    name: Arc<str>,
    pub(crate) known: Rc<Analyzer>,
}

impl<'a> RowVectors<'a> {
    /// Of the columns of rows, where the block gives the result.
    pub(super) fn of(cx: &Cx<'a>, rows: &'a Group, column: &'a Axis, sizes: Sizes) -> Result<Self, Fault> {
        let Cx { function, site, program } = *cx;
        let result = site.block().filter(|block| block.writes.iter().any(|region| region.buffer == program.out));
        let name = result.ok_or_else(|| Fault::at(site, "the block does not give the result"))?.name.clone();
        if let Some(columns) = column.extent.as_int().filter(|&columns| columns > MAX_COLUMNS) {
            return Err(Fault::at(site, format!("{columns} columns are too many")));
        }
        Ok(Self { program, rows, column, sizes, name, known: Rc::new(analyzer_of(function)) })
    }
}

impl RowVectors<'_> {
    /// The parallel loop over tasks, which own these buffers: `body` is of the first row and of how many there are.
    pub(crate) fn tasks(
        &self,
        own: Vec<&Buffer>,
        body: impl FnOnce(&Expr, &Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let (all, several) = (&self.rows.size, Expr::i64(self.sizes.rows_per_task));
        let task = self.var("task");
        let mut lets = Vec::new();
        let first = named("first", &self.known.simplify(&(&Expr::var(&task) * self.sizes.rows_per_task)), &mut lets);
        let left = binary(BinOp::Min, &several, &(all - &first))?;
        let is_even = all.as_int().is_some_and(|all| all % self.sizes.rows_per_task == 0);
        let count = if is_even { several } else { named("count", &left, &mut lets) };
        let body = body(&first, &count)?;
        let (read, own) = (self.program.formulas(), used_in(&body, own.into_iter().cloned().collect()));
        let read: Vec<&Expr> = read.iter().collect();
        let block = task_block(&self.name, &read, vec![self.program.out.clone()], own, with_names(lets, body));
        Ok(looped(&task, &self.ceil_div(all, self.sizes.rows_per_task)?, ForKind::Parallel, block))
    }

    /// The same rows, of other columns.
    pub(crate) fn along<'b>(&'b self, column: &'b Axis) -> RowVectors<'b> {
        RowVectors { column, name: self.name.clone(), known: self.known.clone(), ..*self }
    }

    /// Elements of a row, or so many where that is symbolic.
    pub(crate) fn columns_or(&self, assumed: i64) -> i64 {
        self.column.extent.as_int().unwrap_or(assumed)
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

    /// The rows of a task by software pipelining: the result of each while the next one is reduced.
    pub(crate) fn pipelined(&self, first: &Expr, count: &Expr, stages: &Stages<'_>) -> Result<Stmt, Fault> {
        let Stages { init_state, finish, step } = stages;
        let row = |name: &str, number: Expr| {
            let (axes, names) = self.row(name, &number)?;
            Ok::<_, Fault>((NumberedRow { number, axes }, names))
        };
        let (begin, begin_names) = row("begin", first.clone())?;
        let start = with_names(begin_names, step(None, Some(&begin))?);
        let number = self.var("row");
        let i = Expr::var(&number);
        let (here, mut names) = row("here", first + &i)?;
        let (next, next_names) = row("next", first + &(&i + 1))?;
        let results = step(Some(&here), None)?;
        let both = if count.as_int() == Some(1) {
            results
        } else {
            names.extend(next_names);
            let condition = self.known.simplify(&compare(CmpOp::Lt, &(&i + 1), count)?);
            let then = step(Some(&here), Some(&next))?;
            StmtKind::If { condition, then, otherwise: Some(results) }.into()
        };
        let steps = Stmt::seq([finish()?, init_state()?, with_names(names, both)]);
        Ok(Stmt::seq([init_state()?, start, serial(&number, count, steps)]))
    }

    /// Loops over the vectors of a row: blocks of as many as there are accumulators, and what is left.
    pub(crate) fn columns(&self, body: impl Fn(&Vector) -> Result<Vec<Stmt>, Fault>) -> Result<Stmt, Fault> {
        let (lanes, step) = (self.sizes.lanes, self.sizes.lanes * self.sizes.accumulators);
        let columns = &self.column.extent;
        let (block, vector) = (self.var("block"), self.var("vector"));
        let blocks = self.known.simplify(&binary(BinOp::FloorDiv, columns, &Expr::i64(step))?);
        let at = |first: Expr, accumulator: Expr, is_whole: bool| Vector { first, accumulator, is_whole };
        let first = &(&Expr::var(&block) * step) + &(&Expr::var(&vector) * lanes);
        let inner = Stmt::seq(body(&at(first, Expr::var(&vector), true))?);
        let inner = looped(&vector, &Expr::i64(self.sizes.accumulators), ForKind::Unrolled, inner);
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
        at: &Vector,
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

    /// The axes of a group at a position in it, in their own types.
    pub(crate) fn axes_at(&self, group: &Group, position: &Expr) -> Result<Row, Fault> {
        let values = match group.axes.as_slice() {
            [axis] => vec![(axis.var.clone(), position.clone())],
            _ => group.values(&self.known, position)?,
        };
        let cast = |(var, value): (Var, Expr)| {
            let value = typed(value.cast(var.dtype))?;
            Ok((var, value))
        };
        values.into_iter().map(cast).collect()
    }

    /// Stores an element of the result.
    pub(crate) fn store_result(&self, axes: &Row, value: &Expr) -> Result<Stmt, Fault> {
        let indices = self.program.indices.iter().map(|index| formula_at(index, axes, &[]));
        stored(&self.program.out, indices.collect(), value)
    }

    /// Prefetches of what the formulas read elsewhere in other rows and columns, to the second-level cache. It is no
    /// matter that there may be no such row or column.
    pub(crate) fn prefetch(&self, formulas: &[Expr], axes: &Row) -> Result<Vec<Stmt>, Fault> {
        let vars = |groups: &[&Group]| {
            let axes = groups.iter().flat_map(|group| &group.axes);
            axes.filter(|axis| axis.extent.as_int() != Some(1)).map(|axis| axis.var.clone()).collect::<Vec<Var>>()
        };
        let rows = vars(&[self.program.side_by_side.as_ref().unwrap_or(&self.program.rows)]);
        let reduced = vars(&[&self.program.reduced.outer, &self.program.reduced.inner]);
        let is_meant = |e: &Expr| mentions(e, &reduced) && (rows.is_empty() || mentions(e, &rows));
        let elements = elements_read(formulas, is_meant);
        elements.iter().map(|e| prefetch_element(&formula_at(e, axes, &[]))).collect()
    }

    /// The lanes of a vector that is a part of the result: a constant number of columns at the end of a row is in
    /// vectors of exactly these, so that each can go past the caches.
    pub(crate) fn result(&self, at: &Vector, value: impl Fn(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let left = binary(BinOp::Sub, &self.column.extent, &at.first)?;
        match self.known.simplify(&left).as_int().filter(|left| !at.is_whole && left % STREAMED_LANES == 0) {
            Some(left) => self.powers_of_two(at, left, value),
            None => self.vector(at, |_, column| value(column)),
        }
    }

    /// Vectors that together have so many columns.
    fn powers_of_two(
        &self,
        at: &Vector,
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

    /// Stores the value in all lanes of all accumulators.
    pub(crate) fn fill(&self, buffer: &Buffer, value: &Expr) -> Result<Stmt, Fault> {
        self.each_accumulator(|at| store(buffer, at, value))
    }

    /// Multiplies all lanes of all accumulators by a number.
    pub(crate) fn scale(&self, buffer: &Buffer, by: &Expr) -> Result<Stmt, Fault> {
        self.each_accumulator(|at| store(buffer, at, &binary(BinOp::Mul, &load(buffer, at)?, by)?))
    }

    fn each_accumulator(&self, body: impl FnOnce(&[&Expr]) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let u = self.var("u");
        let all = self.lanes_of(|l| body(&[&Expr::var(&u), l]))?;
        Ok(looped(&u, &Expr::i64(self.sizes.accumulators), ForKind::Unrolled, all))
    }

    /// Combines a vector of a row with its accumulator: `value` is of a column.
    pub(crate) fn accumulate(
        &self,
        accumulators: &Buffer,
        at: &Vector,
        both: impl FnOnce(&Expr, &Expr) -> Result<Expr, Fault>,
        value: impl FnOnce(&Expr) -> Result<Expr, Fault>,
    ) -> Result<Stmt, Fault> {
        self.vector(at, |l, column| {
            let here = [&at.accumulator, l];
            store(accumulators, &here, &both(&load(accumulators, &here)?, &value(column)?)?)
        })
    }

    fn lanes_of(&self, body: impl FnOnce(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let l = self.var("l");
        Ok(looped(&l, &Expr::i64(self.sizes.lanes), ForKind::Vectorized, body(&Expr::var(&l))?))
    }

    pub(crate) fn ceil_div(&self, size: &Expr, by: i64) -> Result<Expr, Fault> {
        Ok(self.known.simplify(&typed(size.ceil_div(by))?))
    }

    pub(crate) fn var(&self, name: &str) -> Var {
        Var::new(name, DataType::I64)
    }
}
