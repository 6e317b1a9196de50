//! The loops of a pipelined softmax.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Intrinsic, Scope, Stmt, StmtKind};
use tilewright_tensor::DataType;

use super::Softmax;
use crate::facts::exprs::{binary, compare, greater, stored, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::{folded, load, memory, serial, store, with_names};
use crate::facts::size::PAGE;
use crate::row_vectors::{Place, Row, RowVectors, UNKNOWN};

/// Bytes that are asked for before they are read: what memory gives while a number comes from it, with room to spare. A core
/// that waits for numbers one row ahead reaches three quarters of what memory gives.
const AHEAD: i64 = 32 << 10;
/// Numbers of a page: the two rows of powers, of which one is written and the other read, are a quarter of a page apart.
const NUMBERS: i64 = PAGE / 4;

/// What tasks are made from.
pub(super) struct Maker<'a> {
    pub(super) s: &'a Softmax,
    pub(super) of: RowVectors<'a>,
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

impl Maker<'_> {
    /// The parallel loop over tasks.
    pub(super) fn tasks(&self) -> Result<Stmt, Fault> {
        self.of.tasks(&[&self.s.number, &self.s.value], &self.s.out, |first, count| {
            let m = self.memory()?;
            let body = self.pipeline(&m, first, count)?;
            let Memory { powers, next, sums, halves, most, of_row } = m;
            let is_used = |buffer: &Buffer| {
                let mut used = false;
                walk(&body, |other: &Buffer| used |= other == buffer);
                used
            };
            let own = [powers, next, sums, halves, most, of_row].into_iter().filter(is_used).collect();
            Ok((body, own))
        })
    }

    /// The first row's maximum, the rows, the last row's results.
    fn pipeline(&self, m: &Memory, first: &Expr, count: &Expr) -> Result<Stmt, Fault> {
        let (begin, begin_names) = self.of.row("begin", first)?;
        let start = self.of.columns(|at| Ok(vec![self.maximum(m, &begin, at)?]))?;
        let row = self.of.var("row");
        let i = Expr::var(&row);
        let steps = Stmt::seq([self.next_row(m, first, count, &i)?, self.of_row(m)?]);
        let last = count - 1;
        let (end, end_names) = self.of.row("end", &(first + &last))?;
        let rest = self.of.columns(|at| Ok(vec![self.result(m, &end, &last, at)?]))?;
        Ok(Stmt::seq([
            self.of.cleared(&m.next, &self.s.lowest)?,
            with_names(begin_names, start),
            serial(&row, count, steps),
            with_names(end_names, rest),
        ]))
    }

    /// All columns of a row, of the one behind it, and of the one in front if there is one.
    fn next_row(&self, m: &Memory, first: &Expr, count: &Expr, i: &Expr) -> Result<Stmt, Fault> {
        let behind = binary(BinOp::Min, &(i + 1), &(count - 1))?;
        let (behind, mut names) = self.of.row("behind", &(first + &behind))?;
        let (here, here_names) = self.of.row("here", &(first + i))?;
        let (further, further_names) = self.of.row("further", &(first + &(i + self.rows_ahead())))?;
        names.extend(here_names.into_iter().chain(further_names));
        let before = i - 1;
        let (front, front_names) = self.of.row("front", &(first + &before))?;
        let numbers = [self.s.number.clone()];
        let both = |at: &Place| -> Result<Vec<Stmt>, Fault> {
            let mut stmts = self.of.prefetches(&numbers, &further, at)?;
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
        let later = with_names(front_names, self.of.columns(all)?);
        let rows = StmtKind::If { condition: is_first, then: self.of.columns(both)?, otherwise: Some(later) }.into();
        let mut steps = folded(&m.next, &m.halves, &greater)?;
        steps.push(store(&m.most, &[&self.int(0)], &load(&m.halves, &[&self.int(0)])?)?);
        steps.extend([self.of.cleared(&m.next, &self.s.lowest)?, self.of.cleared(&m.sums, &self.float(0.0))?]);
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
        let columns = self.s.column.extent.as_int().unwrap_or(UNKNOWN);
        let row = columns.saturating_mul(self.s.number.dtype.bytes() as i64);
        (AHEAD / row.max(1)).max(2)
    }

    fn maximum(&self, m: &Memory, row: &Row, at: &Place) -> Result<Stmt, Fault> {
        self.of.vector(at, |l, column| {
            let number = self.of.placed(&self.s.number, row, column, &[])?;
            store(&m.next, &[&at.vector, l], &greater(&load(&m.next, &[&at.vector, l])?, &number)?)
        })
    }

    /// The power, kept where the result is made from it, and the sum with it.
    fn power(&self, m: &Memory, row: &Row, i: &Expr, at: &Place) -> Result<Stmt, Fault> {
        let power = |column: &Expr| {
            let number = self.of.placed(&self.s.number, row, column, &[])?;
            let distance = binary(BinOp::Sub, &number, &load(&m.most, &[&self.int(0)])?)?;
            typed(Expr::call(Intrinsic::Exp, &[distance]))
        };
        let sum = |l: &Expr, power: &Expr| {
            store(&m.sums, &[&at.vector, l], &binary(BinOp::Add, &load(&m.sums, &[&at.vector, l])?, power)?)
        };
        if !self.s.keeps_powers() {
            return self.of.vector(at, |l, column| sum(l, &power(column)?));
        }
        let slot = self.slot(i)?;
        let kept = self.of.vector(at, |_, column| store(&m.powers, &[&slot, column], &power(column)?))?;
        let sums = self.of.vector(at, |l, column| sum(l, &load(&m.powers, &[&slot, column])?))?;
        Ok(Stmt::seq([kept, sums]))
    }

    fn result(&self, m: &Memory, row: &Row, i: &Expr, at: &Place) -> Result<Stmt, Fault> {
        let slot = self.slot(i)?;
        let value = |column: &Expr| {
            let mut numbers = Row::new();
            if self.s.keeps_powers() {
                numbers.push((self.s.power.clone(), load(&m.powers, &[&slot, column])?));
            }
            for (number, (var, _)) in (0..).zip(&self.s.of_row) {
                numbers.push((var.clone(), load(&m.of_row, &[&self.int(number)])?));
            }
            let value = self.of.placed(&self.s.value, row, column, &numbers)?;
            let places = self.s.indices.iter().map(|index| self.of.placed(index, row, column, &[]));
            stored(&self.s.out, places.collect::<Result<_, _>>()?, &value)
        };
        self.of.result(at, value)
    }

    /// A row of a task has one of two places.
    fn slot(&self, i: &Expr) -> Result<Expr, Fault> {
        Ok(self.of.known.simplify(&binary(BinOp::FloorMod, &(i + 2), &self.int(2))?))
    }

    fn memory(&self) -> Result<Memory, Fault> {
        let buffer = |name: &str, shape: Vec<Expr>, scope: Scope| memory(name, shape, DataType::F32, scope);
        let local =
            |name: &str, shape: &[i64]| buffer(name, shape.iter().map(|&size| self.int(size)).collect(), Scope::Local);
        let accumulators = [self.of.accumulators, self.of.lanes];
        let whole = |size: i64| Ok::<_, Fault>(&self.of.ceil_div(&self.s.column.extent, size)? * size);
        let columns = match self.s.column.extent.as_int() {
            Some(columns) if columns <= NUMBERS / 2 => whole(self.of.lanes)?,
            _ => &whole(NUMBERS)? + NUMBERS / 4,
        };
        let columns = self.of.known.simplify(&columns);
        Ok(Memory {
            powers: buffer("powers", vec![self.int(2), columns], Scope::Global),
            next: local("next", &accumulators),
            sums: local("sums", &accumulators),
            halves: local("halves", &[self.of.lanes]),
            most: local("most", &[1]),
            of_row: local("of_row", &[self.s.of_row.len() as i64]),
        })
    }

    fn int(&self, value: i64) -> Expr {
        Expr::i64(value)
    }

    fn float(&self, value: f64) -> Expr {
        Expr::float(value, DataType::F32)
    }
}
