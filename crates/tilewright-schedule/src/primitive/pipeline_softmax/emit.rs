//! The loops of a pipelined softmax.

use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::tir::{
    BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, ForeignCallee, Intrinsic, Scope, Stmt, StmtKind, Var,
};
use tilewright_tensor::DataType;

use super::Softmax;
use crate::guard::{binary, compare, mentions, reads_memory, stored, substituted, typed};
use crate::loops::{load, looped, memory, named, serial, store, task_block, with_names};
use crate::primitive::Fault;
use crate::primitive::tile_attention::greater;

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
    /// Numbers: the maximum of this row, and the reciprocal of the sum of the one in front.
    most: Buffer,
    scale: Buffer,
}

/// Values of the axes of a row.
type Row = Vec<(Var, Expr)>;

impl Maker<'_> {
    /// The parallel loop over tasks.
    pub(super) fn tasks(&self) -> Result<Stmt, Fault> {
        let axes = self.s.rows.iter();
        let counts = axes.map(|axis| self.indexed(&axis.extent)).collect::<Result<Vec<_>, _>>()?;
        let all = self.known.simplify(&counts.iter().fold(self.int(1), |count, extent| &count * extent));
        let task = self.var("task");
        let first = self.known.simplify(&(&Expr::var(&task) * self.rows));
        let m = self.memory();
        let mut lets = Vec::new();
        let first = named("first", &first, &mut lets);
        let left = binary(BinOp::Min, &self.int(self.rows), &(&all - &first))?;
        let is_whole = all.as_int().is_some_and(|all| all % self.rows == 0);
        let count = if is_whole { self.int(self.rows) } else { named("count", &left, &mut lets) };
        let body = with_names(lets, self.pipeline(&m, &first, &count)?);
        let Memory { powers, next, sums, halves, most, scale } = m;
        let own = vec![powers, next, sums, halves, most, scale];
        let block = task_block(&self.name, &[&self.s.number, &self.s.value], vec![self.s.out.clone()], own, body);
        let tasks = binary(BinOp::FloorDiv, &(&all + (self.rows - 1)), &self.int(self.rows))?;
        Ok(looped(&task, &self.known.simplify(&tasks), ForKind::Parallel, block))
    }

    /// The first row's maximum, the rows, the last row's results.
    fn pipeline(&self, m: &Memory, first: &Expr, count: &Expr) -> Result<Stmt, Fault> {
        let (begin, begin_names) = self.row("begin", first)?;
        let start = self.columns(|at| Ok(vec![self.maximum(m, &begin, at)?]))?;
        let row = self.var("row");
        let i = Expr::var(&row);
        let steps = Stmt::seq([self.next_row(m, first, count, &i)?, self.reciprocal(m)?]);
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
        let further = binary(BinOp::Min, &(i + 2), &(count - 1))?;
        let (further, further_names) = self.row("further", &(first + &further))?;
        names.extend(here_names.into_iter().chain(further_names));
        let before = i - 1;
        let (front, front_names) = self.row("front", &(first + &before))?;
        let both = |at: &Place| -> Result<Vec<Stmt>, Fault> {
            let mut stmts = self.prefetches(&further, at)?;
            stmts.push(self.maximum(m, &behind, at)?);
            stmts.extend(self.power(m, &here, i, at)?);
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
        let most = self.folded(greater, m, &m.next, |most| store(&m.most, &[&self.int(0)], most))?;
        let clear = [self.cleared(&m.next, &self.s.lowest)?, self.cleared(&m.sums, &self.float(0.0))?];
        Ok(Stmt::seq([vec![most], clear.to_vec(), vec![with_names(names, rows)]].concat()))
    }

    fn reciprocal(&self, m: &Memory) -> Result<Stmt, Fault> {
        self.folded(sum_of, m, &m.sums, |sum| {
            store(&m.scale, &[&self.int(0)], &binary(BinOp::Div, &self.float(1.0), sum)?)
        })
    }

    /// What is read of the row that comes after the one behind is on its way meanwhile.
    fn prefetches(&self, row: &Row, at: &Place) -> Result<Vec<Stmt>, Fault> {
        let mut places: Vec<Expr> = Vec::new();
        walk(&self.s.number, |e: &Expr| {
            let of_row = |var: &Var| mentions(e, std::slice::from_ref(var));
            if let ExprKind::Load { indices, .. } = &e.kind
                && of_row(&self.s.column)
                && row.iter().any(|(var, _)| of_row(var))
                // An index may be one only under a condition.
                && !indices.iter().any(reads_memory)
                && !places.iter().any(|known| e.equal(known))
            {
                places.push(e.clone());
            }
        });
        let prefetch = |place: &Expr| {
            let place = self.placed(place, row, &at.first, None)?;
            let ExprKind::Load { buffer, indices, .. } = &place.kind else { return Ok(Stmt::nothing()) };
            let address = typed(Expr::address_of(buffer, indices.clone()))?;
            let callee = ForeignCallee::Builtin("prefetch".into());
            Ok(StmtKind::Evaluate(Expr::foreign(DataType::VOID, callee, vec![address])).into())
        };
        places.iter().map(prefetch).collect()
    }

    fn maximum(&self, m: &Memory, row: &Row, at: &Place) -> Result<Stmt, Fault> {
        self.vector(at, |l, column| {
            let number = self.placed(&self.s.number, row, column, None)?;
            store(&m.next, &[&at.vector, l], &greater(&load(&m.next, &[&at.vector, l])?, &number)?)
        })
    }

    /// The power, and the sum with it.
    fn power(&self, m: &Memory, row: &Row, i: &Expr, at: &Place) -> Result<[Stmt; 2], Fault> {
        let slot = self.slot(i)?;
        let power = self.vector(at, |_, column| {
            let number = self.placed(&self.s.number, row, column, None)?;
            let distance = binary(BinOp::Sub, &number, &load(&m.most, &[&self.int(0)])?)?;
            store(&m.powers, &[&slot, column], &typed(Expr::call(Intrinsic::Exp, &[distance]))?)
        })?;
        let sum = self.vector(at, |l, column| {
            let sum = binary(BinOp::Add, &load(&m.sums, &[&at.vector, l])?, &load(&m.powers, &[&slot, column])?)?;
            store(&m.sums, &[&at.vector, l], &sum)
        })?;
        Ok([power, sum])
    }

    fn result(&self, m: &Memory, row: &Row, i: &Expr, at: &Place) -> Result<Stmt, Fault> {
        let slot = self.slot(i)?;
        self.vector(at, |_, column| {
            let share = binary(BinOp::Mul, &load(&m.powers, &[&slot, column])?, &load(&m.scale, &[&self.int(0)])?)?;
            let value = self.placed(&self.s.value, row, column, Some(&share))?;
            let places = self.s.indices.iter().map(|index| self.placed(index, row, column, None));
            stored(&self.s.out, places.collect::<Result<_, _>>()?, &value)
        })
    }

    /// A row of a task has one of two places.
    fn slot(&self, i: &Expr) -> Result<Expr, Fault> {
        Ok(self.known.simplify(&binary(BinOp::FloorMod, &(i + 2), &self.int(2))?))
    }

    /// A formula in a row and a column.
    fn placed(&self, formula: &Expr, row: &Row, column: &Expr, share: Option<&Expr>) -> Result<Expr, Fault> {
        let share = share.map(|share| (self.s.share.clone(), share.clone()));
        let column = (self.s.column.clone(), typed(column.cast(self.s.column.dtype))?);
        Ok(substituted(formula, &row.iter().cloned().chain([column]).chain(share).collect::<Vec<_>>()))
    }

    /// The axes of the row of this number, which have names where they are worked out.
    fn row(&self, name: &str, number: &Expr) -> Result<(Row, Vec<(Var, Expr)>), Fault> {
        let (mut axes, mut names) = (Row::new(), Vec::new());
        let mut rest = self.known.simplify(number);
        let wide = |extent: &Expr| extent.as_int() != Some(1);
        let first = self.s.rows.iter().position(|axis| wide(&axis.extent)).unwrap_or(0);
        for (at, axis) in self.s.rows.iter().enumerate().rev() {
            let value = match at {
                _ if !wide(&axis.extent) => self.int(0),
                at if at == first => rest.clone(),
                _ => {
                    rest = named(name, &rest, &mut names);
                    let extent = self.indexed(&axis.extent)?;
                    let value = binary(BinOp::FloorMod, &rest, &extent)?;
                    rest = binary(BinOp::FloorDiv, &rest, &extent)?;
                    value
                }
            };
            let value = typed(value.cast(axis.var.dtype))?;
            axes.push((axis.var.clone(), named(&axis.var.name, &value, &mut names)));
        }
        Ok((axes, names))
    }

    /// Loops over the vectors of a row.
    fn columns(&self, body: impl Fn(&Place) -> Result<Vec<Stmt>, Fault>) -> Result<Stmt, Fault> {
        let step = self.lanes * self.accumulators;
        let (block, vector) = (self.var("block"), self.var("vector"));
        let first = &(&Expr::var(&block) * step) + &(&Expr::var(&vector) * self.lanes);
        let inner = Stmt::seq(body(&Place { first, vector: Expr::var(&vector) })?);
        let inner = looped(&vector, &self.int(self.accumulators), ForKind::Unrolled, inner);
        Ok(serial(&block, &self.int(self.s.columns / step), inner))
    }

    /// The lanes of a vector: `body` is of a lane and its column.
    fn vector(&self, at: &Place, body: impl FnOnce(&Expr, &Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        self.lanes_of(self.lanes, |l| body(l, &(&at.first + l)))
    }

    fn lanes_of(&self, count: i64, body: impl FnOnce(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let l = self.var("l");
        Ok(looped(&l, &self.int(count), ForKind::Vectorized, body(&Expr::var(&l))?))
    }

    fn cleared(&self, buffer: &Buffer, value: &Expr) -> Result<Stmt, Fault> {
        let u = self.var("u");
        let clear = self.lanes_of(self.lanes, |l| store(buffer, &[&Expr::var(&u), l], value))?;
        Ok(looped(&u, &self.int(self.accumulators), ForKind::Unrolled, clear))
    }

    /// The accumulators onto each other, then the halves of the vector that is left.
    fn folded(
        &self,
        both: impl Fn(&Expr, &Expr) -> Result<Expr, Fault>,
        m: &Memory,
        accumulators: &Buffer,
        last: impl FnOnce(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let mut stmts = Vec::new();
        let mut left = self.accumulators;
        while left > 1 {
            left /= 2;
            let u = self.var("u");
            let (one, other) = (Expr::var(&u), &Expr::var(&u) + left);
            let folded = self.lanes_of(self.lanes, |l| {
                let value = both(&load(accumulators, &[&one, l])?, &load(accumulators, &[&other, l])?)?;
                store(accumulators, &[&one, l], &value)
            })?;
            stmts.push(looped(&u, &self.int(left), ForKind::Unrolled, folded));
        }
        let copy = |l: &Expr| store(&m.halves, &[l], &load(accumulators, &[&self.int(0), l])?);
        stmts.push(self.lanes_of(self.lanes, copy)?);
        let mut width = self.lanes;
        while width > 1 {
            width /= 2;
            stmts.push(self.lanes_of(width, |l| {
                store(&m.halves, &[l], &both(&load(&m.halves, &[l])?, &load(&m.halves, &[&(l + width)])?)?)
            })?);
        }
        stmts.push(last(&load(&m.halves, &[&self.int(0)])?)?);
        Ok(Stmt::seq(stmts))
    }

    fn memory(&self) -> Memory {
        let dtype = self.s.number.dtype;
        let buffer = |name: &str, shape: &[i64], scope: Scope| {
            memory(name, shape.iter().map(|&size| self.int(size)).collect(), dtype, scope)
        };
        let accumulators = [self.accumulators, self.lanes];
        Memory {
            powers: buffer("powers", &[2, self.s.columns], Scope::Global),
            next: buffer("next", &accumulators, Scope::Local),
            sums: buffer("sums", &accumulators, Scope::Local),
            halves: buffer("halves", &[self.lanes], Scope::Local),
            most: buffer("most", &[1], Scope::Local),
            scale: buffer("scale", &[1], Scope::Local),
        }
    }

    fn int(&self, value: i64) -> Expr {
        Expr::i64(value)
    }

    /// A size in the type of the loops.
    fn indexed(&self, size: &Expr) -> Result<Expr, Fault> {
        typed(size.cast(DataType::I64))
    }

    fn float(&self, value: f64) -> Expr {
        Expr::float(value, self.s.number.dtype)
    }

    fn var(&self, name: &str) -> Var {
        Var::new(name, DataType::I64)
    }
}

/// A vector of a row: its first column, and its accumulator.
struct Place {
    first: Expr,
    vector: Expr,
}

fn sum_of(a: &Expr, b: &Expr) -> Result<Expr, Fault> {
    binary(BinOp::Add, a, b)
}
