//! The loops of a softmax of rows side by side.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Intrinsic, Scope, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use crate::facts::axes::Group;
use crate::facts::exprs::{
    binary, compare, elements_read, greater, mentions, prefetch_element, stored, substituted, typed,
};
use crate::facts::fault::Fault;
use crate::facts::loops::{load, memory, serial, store, used_in, with_names};
use crate::facts::size::ceil_div;
use crate::primitive::pipeline_softmax::Softmax;
use crate::row_vectors::{Place, Row, RowVectors};

/// Bytes that are asked for before they are read.
const AHEAD: i64 = 8 << 10;

/// What tasks are made from.
pub(super) struct Maker<'a> {
    pub(super) s: &'a Softmax,
    /// Rows of lots, whose columns are the rows side by side.
    pub(super) of: RowVectors<'a>,
    pub(super) beside: &'a Group,
    /// The number of a lot, how many rows it has, and their name where they may be fewer.
    pub(super) number: &'a Var,
    pub(super) lot: i64,
    pub(super) width: Option<Var>,
    /// Steps that are taken together.
    pub(super) steps: i64,
    /// Whether powers are kept until the result is made from them.
    pub(super) keep: bool,
}

/// The memory of a task.
struct Memory {
    /// The greatest number so far of each row, and the sum of powers.
    most: Buffer,
    total: Buffer,
    /// A vector of each on its way.
    next: Buffer,
    sum: Buffer,
    /// Powers, and the maxima from which they were taken, by the number of their steps.
    powers: Buffer,
    from: Buffer,
    /// The greatest numbers of the rows whose results are written, and what these are made with.
    last: Buffer,
    of_row: Buffer,
    /// What kept powers have to be multiplied by.
    scale: Buffer,
}

/// A lot: the values of the other axes, and its first row.
struct Lot {
    row: Row,
    begin: Expr,
}

/// Steps that are taken together: the first, how many, and their number among such.
struct Steps {
    first: Expr,
    count: i64,
    number: Expr,
}

impl Maker<'_> {
    /// The parallel loop over tasks.
    pub(super) fn tasks(&self) -> Result<Stmt, Fault> {
        self.of.tasks(&[&self.s.number, &self.s.value], &self.s.out, |first, count| {
            let m = self.memory()?;
            let body = match &self.width {
                Some(width) => self.one_by_one(&m, width, first, count)?,
                None => self.two_at_once(&m, first, count)?,
            };
            let Memory { most, total, next, sum, powers, from, last, of_row, scale } = m;
            let own = used_in(&body, [most, total, next, sum, powers, from, last, of_row, scale]);
            Ok((body, own))
        })
    }

    /// The lot of a number, and the names that it has.
    fn numbered(&self, name: &str, number: &Expr) -> Result<(Lot, Vec<(Var, Expr)>), Fault> {
        let (row, names) = self.of.row(name, number)?;
        let own = row.iter().find(|(var, _)| var == self.number).map(|(_, number)| number.clone());
        let begin = self.of.known.simplify(&(&own.unwrap_or(Expr::i64(0)) * self.lot));
        Ok((Lot { row, begin }, names))
    }

    /// Lots one after the other, some of fewer rows.
    fn one_by_one(&self, m: &Memory, width: &Var, first: &Expr, count: &Expr) -> Result<Stmt, Fault> {
        let row = self.of.var("row");
        let (lot, mut names) = self.numbered("here", &(first + &Expr::var(&row)))?;
        let left = binary(BinOp::Min, &Expr::i64(self.lot), &(&self.beside.size - &lot.begin))?;
        names.push((width.clone(), left));
        let steps = [
            self.begun(m)?,
            self.each(|steps, at| self.sums(m, &lot, steps, at))?,
            self.once(m)?,
            self.each(|steps, at| self.results(m, &lot, steps, at))?,
        ];
        Ok(serial(&row, count, with_names(names, Stmt::seq(steps))))
    }

    /// The results of each lot while the sums of the next one are taken.
    fn two_at_once(&self, m: &Memory, first: &Expr, count: &Expr) -> Result<Stmt, Fault> {
        let (begin, begin_names) = self.numbered("begin", first)?;
        let start = self.each(|steps, at| self.sums(m, &begin, steps, at))?;
        let row = self.of.var("row");
        let i = Expr::var(&row);
        let (here, mut names) = self.numbered("here", &(first + &i))?;
        let (behind, behind_names) = self.numbered("behind", &(first + &(&i + 1)))?;
        let results = self.each(|steps, at| self.results(m, &here, steps, at))?;
        let is_another = self.of.known.simplify(&compare(CmpOp::Lt, &(&i + 1), count)?);
        let steps = if count.as_int() == Some(1) {
            results
        } else {
            names.extend(behind_names);
            let both = self.each(|steps, at| {
                let mut stmts = self.results(m, &here, steps, at)?;
                stmts.extend(self.sums(m, &behind, steps, at)?);
                Ok(stmts)
            })?;
            StmtKind::If { condition: is_another, then: both, otherwise: Some(results) }.into()
        };
        let steps = [self.once(m)?, self.begun(m)?, with_names(names, steps)];
        Ok(Stmt::seq([self.begun(m)?, with_names(begin_names, start), serial(&row, count, Stmt::seq(steps))]))
    }

    /// Nothing of a lot is summed.
    fn begun(&self, m: &Memory) -> Result<Stmt, Fault> {
        self.of.columns(|at| {
            Ok(vec![
                self.of.vector(at, |_, column| store(&m.most, &[column], &self.lowest()))?,
                self.of.vector(at, |_, column| store(&m.total, &[column], &float(0.0)))?,
            ])
        })
    }

    /// What maxima begin with: a number, for of two infinities there would be no distance.
    fn lowest(&self) -> Expr {
        float(f64::from(f32::MIN))
    }

    /// Loops over all steps and vectors of rows: as many steps as are taken together, and what is left.
    fn each(&self, body: impl Fn(&Steps, &Place) -> Result<Vec<Stmt>, Fault>) -> Result<Stmt, Fault> {
        let all = &self.s.column.extent;
        let (several, one) = (self.of.var("several"), self.of.var("one"));
        let whole = self.of.known.simplify(&binary(BinOp::FloorDiv, all, &Expr::i64(self.steps))?);
        let number = Expr::var(&several);
        let together = Steps { first: &number * self.steps, count: self.steps, number };
        let together = self.of.columns(|at| body(&together, at))?;
        let mut stmts = vec![serial(&several, &whole, together)];
        let rest = self.of.known.simplify(&binary(BinOp::FloorMod, all, &Expr::i64(self.steps))?);
        if rest.as_int() != Some(0) {
            let number = Expr::var(&one);
            let steps = Steps { first: &(&whole * self.steps) + &number, count: 1, number: &whole + &number };
            stmts.push(serial(&one, &rest, self.of.columns(|at| body(&steps, at))?));
        }
        Ok(Stmt::seq(stmts))
    }

    /// A vector of rows takes in some numbers of each.
    fn sums(&self, m: &Memory, lot: &Lot, steps: &Steps, at: &Place) -> Result<Vec<Stmt>, Fault> {
        let of = &self.of;
        let mut stmts = self.ask(lot, steps, at)?;
        let zero = Expr::i64(0);
        stmts.push(of.vector(at, |l, column| store(&m.next, &[&zero, l], &load(&m.most, &[column])?))?);
        for step in 0..steps.count {
            let k = &steps.first + step;
            stmts.push(of.vector(at, |l, column| {
                let number = self.placed(&self.s.number, lot, &k, column, &[])?;
                store(&m.next, &[&zero, l], &greater(&load(&m.next, &[&zero, l])?, &number)?)
            })?);
        }
        for step in 0..steps.count {
            let k = &steps.first + step;
            let power = |l: &Expr, column: &Expr| {
                let number = self.placed(&self.s.number, lot, &k, column, &[])?;
                power(&binary(BinOp::Sub, &number, &load(&m.next, &[&zero, l])?)?)
            };
            let add = |l: &Expr, power: &Expr| match step {
                0 => store(&m.sum, &[&zero, l], power),
                _ => store(&m.sum, &[&zero, l], &binary(BinOp::Add, &load(&m.sum, &[&zero, l])?, power)?),
            };
            if self.keep {
                stmts.push(of.vector(at, |l, column| store(&m.powers, &[&k, column], &power(l, column)?))?);
                stmts.push(of.vector(at, |l, column| add(l, &load(&m.powers, &[&k, column])?))?);
            } else {
                stmts.push(of.vector(at, |l, column| add(l, &power(l, column)?))?);
            }
        }
        stmts.push(of.vector(at, |l, column| {
            let moved = power(&binary(BinOp::Sub, &load(&m.most, &[column])?, &load(&m.next, &[&zero, l])?)?)?;
            let before = binary(BinOp::Mul, &load(&m.total, &[column])?, &moved)?;
            store(&m.total, &[column], &binary(BinOp::Add, &before, &load(&m.sum, &[&zero, l])?)?)
        })?);
        stmts.push(of.vector(at, |l, column| store(&m.most, &[column], &load(&m.next, &[&zero, l])?))?);
        if self.keep {
            let next = |l: &Expr| load(&m.next, &[&zero, l]);
            stmts.push(of.vector(at, |l, column| store(&m.from, &[&steps.number, column], &next(l)?))?);
        }
        Ok(stmts)
    }

    /// What the results of the rows are made with whose sums are there.
    fn once(&self, m: &Memory) -> Result<Stmt, Fault> {
        self.of.columns(|at| {
            let one = |(number, (_, formula)): (i64, &(Var, Expr))| {
                self.of.vector(at, |_, column| {
                    let values = [
                        (self.s.most.clone(), load(&m.most, &[column])?),
                        (self.s.total.clone(), load(&m.total, &[column])?),
                    ];
                    store(&m.of_row, &[&Expr::i64(number), column], &substituted(formula, &values))
                })
            };
            let mut stmts: Vec<Stmt> = (0..).zip(&self.s.of_row).map(one).collect::<Result<_, _>>()?;
            if self.s.keeps_powers() {
                stmts.push(self.of.vector(at, |_, column| store(&m.last, &[column], &load(&m.most, &[column])?))?);
            }
            Ok(stmts)
        })
    }

    /// The results of a vector of rows in some steps.
    fn results(&self, m: &Memory, lot: &Lot, steps: &Steps, at: &Place) -> Result<Vec<Stmt>, Fault> {
        let zero = Expr::i64(0);
        let distance = |number: &Expr, column: &Expr| binary(BinOp::Sub, number, &load(&m.last, &[column])?);
        let mut stmts = Vec::new();
        if self.keep {
            stmts.push(self.of.vector(at, |l, column| {
                let scale = power(&distance(&load(&m.from, &[&steps.number, column])?, column)?)?;
                store(&m.scale, &[&zero, l], &scale)
            })?);
        } else {
            stmts.extend(self.ask(lot, steps, at)?);
        }
        for step in 0..steps.count {
            let k = &steps.first + step;
            stmts.push(self.of.result(at, |column| {
                let mut numbers = Row::new();
                if self.keep {
                    let l = self.of.known.simplify(&(column - &at.first));
                    let (kept, scale) = (load(&m.powers, &[&k, column])?, load(&m.scale, &[&zero, &l])?);
                    numbers.push((self.s.power.clone(), binary(BinOp::Mul, &kept, &scale)?));
                } else if self.s.keeps_powers() {
                    let number = self.placed(&self.s.number, lot, &k, column, &[])?;
                    numbers.push((self.s.power.clone(), power(&distance(&number, column)?)?));
                }
                for (number, (var, _)) in (0..).zip(&self.s.of_row) {
                    numbers.push((var.clone(), load(&m.of_row, &[&Expr::i64(number), column])?));
                }
                let value = self.placed(&self.s.value, lot, &k, column, &numbers)?;
                let places = self.s.indices.iter().map(|index| self.placed(index, lot, &k, column, &[]));
                stored(&self.s.out, places.collect::<Result<_, _>>()?, &value)
            })?);
        }
        Ok(stmts)
    }

    /// A formula at a step of a row of the lot.
    fn placed(
        &self,
        formula: &Expr,
        lot: &Lot,
        k: &Expr,
        column: &Expr,
        numbers: &[(Var, Expr)],
    ) -> Result<Expr, Fault> {
        let mut values: Row = lot.row.iter().chain(numbers).cloned().collect();
        let place = self.of.known.simplify(&(&lot.begin + column));
        values.push((self.s.column.var.clone(), k.clone()));
        values.extend(self.beside.values(&self.of.known, &place)?);
        let cast = |(var, value): (Var, Expr)| Ok((var.clone(), typed(value.cast(var.dtype))?));
        Ok(substituted(formula, &values.into_iter().map(cast).collect::<Result<Vec<_>, Fault>>()?))
    }

    /// What comes some steps behind these is on its way.
    fn ask(&self, lot: &Lot, steps: &Steps, at: &Place) -> Result<Vec<Stmt>, Fault> {
        let bytes = self.lot * self.s.number.dtype.bytes() as i64;
        let ahead = (AHEAD / bytes / self.steps).max(1) * self.steps;
        let ask = |step: i64| self.prefetches(lot, &(&steps.first + (step + ahead)), &at.first);
        Ok((0..steps.count).map(ask).collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// What numbers read at this step is on its way to the second level of cache, where it is no matter whether there is such a
    /// place.
    fn prefetches(&self, lot: &Lot, k: &Expr, column: &Expr) -> Result<Vec<Stmt>, Fault> {
        let of_row = |e: &Expr, var: &Var| mentions(e, std::slice::from_ref(var));
        let is_beside = |e: &Expr| self.beside.axes.iter().any(|axis| of_row(e, &axis.var));
        let ask = |e: &Expr| prefetch_element(&self.placed(e, lot, k, column, &[])?);
        elements_read([&self.s.number], |e| of_row(e, &self.s.column.var) && is_beside(e)).iter().map(ask).collect()
    }

    fn memory(&self) -> Result<Memory, Fault> {
        let buffer = |name: &str, shape: &[i64], scope: Scope| {
            memory(name, shape.iter().map(|&size| Expr::i64(size)).collect(), DataType::F32, scope)
        };
        let lanes = self.of.lanes;
        let lot = ceil_div(self.lot, lanes) * lanes;
        let steps = self.s.column.extent.as_int().filter(|_| self.keep).unwrap_or(1);
        Ok(Memory {
            most: buffer("most", &[lot], Scope::Global),
            total: buffer("total", &[lot], Scope::Global),
            next: buffer("next", &[1, lanes], Scope::Local),
            sum: buffer("sum", &[1, lanes], Scope::Local),
            powers: buffer("powers", &[steps, lot], Scope::Global),
            from: buffer("from_most", &[steps / self.steps + steps % self.steps, lot], Scope::Global),
            last: buffer("last", &[lot], Scope::Global),
            of_row: buffer("of_row", &[self.s.of_row.len().max(1) as i64, lot], Scope::Global),
            scale: buffer("scale", &[1, lanes], Scope::Local),
        })
    }
}

fn power(distance: &Expr) -> Result<Expr, Fault> {
    typed(Expr::call(Intrinsic::Exp, std::slice::from_ref(distance)))
}

fn float(value: f64) -> Expr {
    Expr::float(value, DataType::F32)
}
