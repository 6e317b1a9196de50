//! The loops of a pipelined softmax.

use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, Intrinsic, Scope, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use super::Softmax;
use crate::guard::{binary, compare, greater, mentions, prefetch, reads_memory, stored, substituted, typed};
use crate::loops::{folded, load, looped, memory, named, only_if, serial, store, task_block, with_names};
use crate::primitive::Fault;

/// Bytes that are asked for before they are read: what memory gives while a number comes from it, with room to spare. A core
/// that waits for numbers one row ahead reaches three quarters of what memory gives.
const AHEAD: i64 = 32 << 10;
/// Columns of the narrowest vector that goes past the caches.
const QUARTER: i64 = 4;

/// Numbers of a page. A load waits for a store whose address is the same in a page, now and then (some processors compare a
/// few bits of the rest): the two rows of powers, of which one is written and the other read, are a quarter of a page apart.
const PAGE: i64 = 1024;

/// What tasks are made from.
pub(super) struct Maker<'a> {
    pub(super) s: &'a Softmax,
    pub(super) lanes: i64,
    pub(super) accumulators: i64,
    /// Rows of a task.
    pub(super) rows: i64,
    pub(super) known: Analyzer,
    pub(super) name: Arc<str>,
}

/// The memory of a task.
struct Memory {
    /// The powers of this row and of the one in front, in turns.
    powers: Buffer,
    /// Accumulators of the maximum of the row behind, and of the sum of this one.
    next: Buffer,
    sums: Buffer,
    /// A vector on its way to one number.
    halves: Buffer,
    /// The maximum of this row.
    most: Buffer,
    /// What the results of the row in front are made with.
    of_row: Buffer,
}

/// Values of the axes of a row.
type Row = Vec<(Var, Expr)>;

/// A vector of a row: its first column, its accumulator, and whether some of its columns may be behind the end.
struct Place {
    first: Expr,
    vector: Expr,
    is_whole: bool,
}

impl Maker<'_> {
    /// The parallel loop over tasks.
    pub(super) fn tasks(&self) -> Result<Stmt, Fault> {
        let all = &self.s.rows.size;
        let task = self.var("task");
        let first = self.known.simplify(&(&Expr::var(&task) * self.rows));
        let m = self.memory()?;
        let mut lets = Vec::new();
        let first = named("first", &first, &mut lets);
        let left = binary(BinOp::Min, &self.int(self.rows), &(all - &first))?;
        let is_even = all.as_int().is_some_and(|all| all % self.rows == 0);
        let count = if is_even { self.int(self.rows) } else { named("count", &left, &mut lets) };
        let body = with_names(lets, self.pipeline(&m, &first, &count)?);
        let Memory { powers, next, sums, halves, most, of_row } = m;
        let own = [powers, next, sums, halves, most, of_row];
        let is_used = |buffer: &Buffer| {
            let mut used = false;
            walk(&body, |other: &Buffer| used |= other == buffer);
            used
        };
        let own = own.into_iter().filter(is_used).collect();
        let block = task_block(&self.name, &[&self.s.number, &self.s.value], vec![self.s.out.clone()], own, body);
        let tasks = self.ceil_div(all, self.rows)?;
        Ok(looped(&task, &tasks, ForKind::Parallel, block))
    }

    /// The first row's maximum, the rows, the last row's results.
    fn pipeline(&self, m: &Memory, first: &Expr, count: &Expr) -> Result<Stmt, Fault> {
        let (begin, begin_names) = self.row("begin", first)?;
        let start = self.columns(|at| Ok(vec![self.maximum(m, &begin, at)?]))?;
        let row = self.var("row");
        let i = Expr::var(&row);
        let steps = Stmt::seq([self.next_row(m, first, count, &i)?, self.of_row(m)?]);
        let last = count - 1;
        let (end, end_names) = self.row("end", &(first + &last))?;
        let rest = self.columns(|at| Ok(vec![self.result(m, &end, &last, at)?]))?;
        Ok(Stmt::seq([
            self.cleared(&m.next, &self.s.lowest)?,
            with_names(begin_names, start),
            serial(&row, count, steps),
            with_names(end_names, rest),
        ]))
    }

    /// All columns of a row, of the one behind it, and of the one in front if there is one.
    fn next_row(&self, m: &Memory, first: &Expr, count: &Expr, i: &Expr) -> Result<Stmt, Fault> {
        let behind = binary(BinOp::Min, &(i + 1), &(count - 1))?;
        let (behind, mut names) = self.row("behind", &(first + &behind))?;
        let (here, here_names) = self.row("here", &(first + i))?;
        let (further, further_names) = self.row("further", &(first + &(i + self.rows_ahead())))?;
        names.extend(here_names.into_iter().chain(further_names));
        let before = i - 1;
        let (front, front_names) = self.row("front", &(first + &before))?;
        let both = |at: &Place| -> Result<Vec<Stmt>, Fault> {
            let mut stmts = self.prefetches(&further, at)?;
            stmts.push(self.maximum(m, &behind, at)?);
            stmts.push(self.power(m, &here, i, at)?);
            Ok(stmts)
        };
        let all = |at: &Place| -> Result<Vec<Stmt>, Fault> {
            let mut stmts = both(at)?;
            stmts.push(self.result(m, &front, &before, at)?);
            Ok(stmts)
        };
        let is_first = compare(CmpOp::Eq, i, &self.int(0))?;
        let later = with_names(front_names, self.columns(all)?);
        let rows = StmtKind::If { condition: is_first, then: self.columns(both)?, otherwise: Some(later) }.into();
        let mut steps = folded(&m.next, &m.halves, &greater)?;
        steps.push(store(&m.most, &[&self.int(0)], &load(&m.halves, &[&self.int(0)])?)?);
        steps.extend([self.cleared(&m.next, &self.s.lowest)?, self.cleared(&m.sums, &self.float(0.0))?]);
        steps.push(with_names(names, rows));
        Ok(Stmt::seq(steps))
    }

    /// What the results of this row are made with.
    fn of_row(&self, m: &Memory) -> Result<Stmt, Fault> {
        let mut steps = folded(&m.sums, &m.halves, &|a, b| binary(BinOp::Add, a, b))?;
        let (most, total) = (load(&m.most, &[&self.int(0)])?, load(&m.halves, &[&self.int(0)])?);
        let values = [(self.s.most.clone(), most), (self.s.total.clone(), total)];
        for (number, (_, formula)) in (0..).zip(&self.s.of_row) {
            steps.push(store(&m.of_row, &[&self.int(number)], &substituted(formula, &values))?);
        }
        Ok(Stmt::seq(steps))
    }

    /// Rows between this one and the one that is asked for meanwhile.
    fn rows_ahead(&self) -> i64 {
        let columns = self.s.column.extent.as_int().unwrap_or(super::UNKNOWN);
        let row = columns.saturating_mul(self.s.number.dtype.bytes() as i64);
        (AHEAD / row.max(1)).max(2)
    }

    /// What is read of the row so far ahead is on its way to the second level of cache, where it is no matter that it may
    /// belong to another task, or to none.
    fn prefetches(&self, row: &Row, at: &Place) -> Result<Vec<Stmt>, Fault> {
        let mut places: Vec<Expr> = Vec::new();
        walk(&self.s.number, |e: &Expr| {
            let of_row = |var: &Var| mentions(e, std::slice::from_ref(var));
            if let ExprKind::Load { indices, .. } = &e.kind
                && of_row(&self.s.column.var)
                && row.iter().any(|(var, _)| of_row(var))
                // An index may be one only under a condition.
                && !indices.iter().any(reads_memory)
                && !places.iter().any(|known| e.equal(known))
            {
                places.push(e.clone());
            }
        });
        let ask = |place: &Expr| {
            let place = self.placed(place, row, &at.first, &[])?;
            match &place.kind {
                ExprKind::Load { buffer, indices, .. } => prefetch(buffer, indices.clone(), false),
                _ => Ok(Stmt::nothing()),
            }
        };
        places.iter().map(ask).collect()
    }

    fn maximum(&self, m: &Memory, row: &Row, at: &Place) -> Result<Stmt, Fault> {
        self.vector(at, |l, column| {
            let number = self.placed(&self.s.number, row, column, &[])?;
            store(&m.next, &[&at.vector, l], &greater(&load(&m.next, &[&at.vector, l])?, &number)?)
        })
    }

    /// The power, kept where the result is made from it, and the sum with it.
    fn power(&self, m: &Memory, row: &Row, i: &Expr, at: &Place) -> Result<Stmt, Fault> {
        let power = |column: &Expr| {
            let number = self.placed(&self.s.number, row, column, &[])?;
            let distance = binary(BinOp::Sub, &number, &load(&m.most, &[&self.int(0)])?)?;
            typed(Expr::call(Intrinsic::Exp, &[distance]))
        };
        let sum = |l: &Expr, power: &Expr| {
            store(&m.sums, &[&at.vector, l], &binary(BinOp::Add, &load(&m.sums, &[&at.vector, l])?, power)?)
        };
        if !self.keeps_powers() {
            return self.vector(at, |l, column| sum(l, &power(column)?));
        }
        let slot = self.slot(i)?;
        let kept = self.vector(at, |_, column| store(&m.powers, &[&slot, column], &power(column)?))?;
        let sums = self.vector(at, |l, column| sum(l, &load(&m.powers, &[&slot, column])?))?;
        Ok(Stmt::seq([kept, sums]))
    }

    fn keeps_powers(&self) -> bool {
        mentions(&self.s.value, std::slice::from_ref(&self.s.power))
    }

    /// Vectors of a constant number of columns at the end of a row have exactly these, so that each can go past the caches.
    fn result(&self, m: &Memory, row: &Row, i: &Expr, at: &Place) -> Result<Stmt, Fault> {
        let slot = self.slot(i)?;
        let value = |column: &Expr| {
            let mut numbers = Row::new();
            if self.keeps_powers() {
                numbers.push((self.s.power.clone(), load(&m.powers, &[&slot, column])?));
            }
            for (number, (var, _)) in (0..).zip(&self.s.of_row) {
                numbers.push((var.clone(), load(&m.of_row, &[&self.int(number)])?));
            }
            let value = self.placed(&self.s.value, row, column, &numbers)?;
            let places = self.s.indices.iter().map(|index| self.placed(index, row, column, &[]));
            stored(&self.s.out, places.collect::<Result<_, _>>()?, &value)
        };
        let left = binary(BinOp::Sub, &self.s.column.extent, &at.first)?;
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
            stmts.push(looped(&l, &self.int(width), ForKind::Vectorized, inner));
            done += width;
        }
        Ok(Stmt::seq(stmts))
    }

    /// A row of a task has one of two places.
    fn slot(&self, i: &Expr) -> Result<Expr, Fault> {
        Ok(self.known.simplify(&binary(BinOp::FloorMod, &(i + 2), &self.int(2))?))
    }

    /// A formula in a row and a column.
    fn placed(&self, formula: &Expr, row: &Row, column: &Expr, numbers: &[(Var, Expr)]) -> Result<Expr, Fault> {
        let column = (self.s.column.var.clone(), typed(column.cast(self.s.column.var.dtype))?);
        let values = row.iter().chain(numbers).cloned().chain([column]);
        Ok(substituted(formula, &values.collect::<Vec<_>>()))
    }

    /// The axes of the row of this number, which have names where they are worked out.
    fn row(&self, name: &str, number: &Expr) -> Result<(Row, Vec<(Var, Expr)>), Fault> {
        let mut names = Vec::new();
        let wide = self.s.rows.axes.iter().filter(|axis| axis.extent.as_int() != Some(1)).count();
        let number = self.known.simplify(number);
        let number = if wide > 1 { named(name, &number, &mut names) } else { number };
        let values = self.s.rows.values(&self.known, &number)?;
        let named = |(var, value): (Var, Expr)| {
            let value = typed(value.cast(var.dtype))?;
            Ok((var.clone(), named(&var.name, &value, &mut names)))
        };
        let row = values.into_iter().map(named).collect::<Result<_, Fault>>()?;
        Ok((row, names))
    }

    /// Loops over the vectors of a row: blocks of as many as there are accumulators, and what is left.
    fn columns(&self, body: impl Fn(&Place) -> Result<Vec<Stmt>, Fault>) -> Result<Stmt, Fault> {
        let (lanes, step) = (self.lanes, self.lanes * self.accumulators);
        let columns = &self.s.column.extent;
        let (block, vector) = (self.var("block"), self.var("vector"));
        let blocks = self.known.simplify(&binary(BinOp::FloorDiv, columns, &self.int(step))?);
        let at = |first: Expr, vector: Expr, is_whole: bool| Place { first, vector, is_whole };
        let first = &(&Expr::var(&block) * step) + &(&Expr::var(&vector) * lanes);
        let inner = Stmt::seq(body(&at(first, Expr::var(&vector), true))?);
        let inner = looped(&vector, &self.int(self.accumulators), ForKind::Unrolled, inner);
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
                    stmts.extend(body(&at(self.int(first), self.int(number), is_whole))?);
                }
            }
            None => {
                let begin = &blocks * step;
                let vector = self.var("vector");
                let first = &begin + &(&Expr::var(&vector) * lanes);
                let left = self.ceil_div(&(columns - &begin), lanes)?;
                stmts.push(serial(&vector, &left, Stmt::seq(body(&at(first, self.int(0), false))?)));
            }
        }
        Ok(Stmt::seq(stmts))
    }

    /// The lanes of a vector: `body` is of a lane and its column.
    fn vector(&self, at: &Place, body: impl FnOnce(&Expr, &Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        self.lanes_of(|l| {
            let column = &at.first + l;
            let body = body(l, &column)?;
            match at.is_whole {
                true => Ok(body),
                false => Ok(only_if(compare(CmpOp::Lt, &column, &self.s.column.extent)?, body)),
            }
        })
    }

    fn lanes_of(&self, body: impl FnOnce(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let l = self.var("l");
        Ok(looped(&l, &self.int(self.lanes), ForKind::Vectorized, body(&Expr::var(&l))?))
    }

    fn cleared(&self, buffer: &Buffer, value: &Expr) -> Result<Stmt, Fault> {
        let u = self.var("u");
        let clear = self.lanes_of(|l| store(buffer, &[&Expr::var(&u), l], value))?;
        Ok(looped(&u, &self.int(self.accumulators), ForKind::Unrolled, clear))
    }

    fn memory(&self) -> Result<Memory, Fault> {
        let buffer = |name: &str, shape: Vec<Expr>, scope: Scope| memory(name, shape, DataType::F32, scope);
        let local =
            |name: &str, shape: &[i64]| buffer(name, shape.iter().map(|&size| self.int(size)).collect(), Scope::Local);
        let accumulators = [self.accumulators, self.lanes];
        let whole = |size: i64| Ok::<_, Fault>(&self.ceil_div(&self.s.column.extent, size)? * size);
        let columns = match self.s.column.extent.as_int() {
            Some(columns) if columns <= PAGE / 2 => whole(self.lanes)?,
            _ => &whole(PAGE)? + PAGE / 4,
        };
        let columns = self.known.simplify(&columns);
        Ok(Memory {
            powers: buffer("powers", vec![self.int(2), columns], Scope::Global),
            next: local("next", &accumulators),
            sums: local("sums", &accumulators),
            halves: local("halves", &[self.lanes]),
            most: local("most", &[1]),
            of_row: local("of_row", &[self.s.of_row.len() as i64]),
        })
    }

    fn ceil_div(&self, size: &Expr, by: i64) -> Result<Expr, Fault> {
        Ok(self.known.simplify(&binary(BinOp::FloorDiv, &(size + (by - 1)), &self.int(by))?))
    }

    fn int(&self, value: i64) -> Expr {
        Expr::i64(value)
    }

    fn float(&self, value: f64) -> Expr {
        Expr::float(value, DataType::F32)
    }

    fn var(&self, name: &str) -> Var {
        Var::new(name, DataType::I64)
    }
}
