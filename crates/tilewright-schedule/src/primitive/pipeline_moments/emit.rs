//! The loops of a norm by moments.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Scope, Stmt, Var};
use tilewright_tensor::DataType;

use super::Moments;
use crate::facts::axes::Group;
use crate::facts::exprs::{binary, compare, elements_read, mentions, prefetch_element, stored, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::{folded, load, memory, named, only_if, serial, store, used_in, with_names};
use crate::pieces::{Piece, Pieces};
use crate::row_vectors::{Place, Row, RowVectors};

/// What tasks are made from.
pub(super) struct Maker<'a> {
    pub(super) moments: &'a Moments,
    pub(super) of: RowVectors<'a>,
    pub(super) steps: Pieces,
    /// Whether the row behind the one whose moments are taken is asked for, and not only the next piece.
    pub(super) ahead: bool,
}

/// The memory of a task.
struct Memory {
    /// Accumulators.
    sums: Buffer,
    squares: Buffer,
    /// A vector on its way to one number.
    halves: Buffer,
    /// The mean of the piece and of the first one, how far that of all up to it is from there, and the squares between them.
    so_far: Buffer,
    /// The moments of the row, and what the result is made with.
    totals: Buffer,
    of_row: Buffer,
}

/// Places in `so_far`.
const OWN: i64 = 0;
const BASE: i64 = 1;
const DRIFT: i64 = 2;
const BETWEEN: i64 = 3;

/// An element of a piece: the values of its row, and of the outer axes where these are not those of its place.
struct Here<'a> {
    row: &'a Row,
    outer: &'a Row,
}

/// A row, and the one behind it.
struct Rows {
    row: Row,
    next: Row,
}

impl Maker<'_> {
    /// The parallel loop over tasks.
    pub(super) fn tasks(&self) -> Result<Stmt, Fault> {
        self.of.tasks(&[&self.moments.term, &self.moments.value], &self.moments.out, |first, count| {
            let m = self.memory();
            let body = self.rows(&m, first, count)?;
            let Memory { sums, squares, halves, so_far, totals, of_row } = m;
            let own = used_in(&body, [sums, squares, halves, so_far, totals, of_row]);
            Ok((body, own))
        })
    }

    /// The moments of the first row, and all rows.
    fn rows(&self, m: &Memory, first: &Expr, count: &Expr) -> Result<Stmt, Fault> {
        let (begin, begin_names) = self.two_rows("begin", first)?;
        let first_row = self.steps.each(|piece| self.piece(m, &begin, piece))?;
        let mut stmts = self.begun(m)?;
        stmts.push(with_names(begin_names, first_row));
        stmts.extend(self.total(m)?);
        let row = self.of.var("row");
        let i = Expr::var(&row);
        let (here, mut names) = self.of.row("here", &(first + &i))?;
        let (behind, behind_names) = self.two_rows("behind", &(first + &(&i + 1)))?;
        names.extend(behind_names);
        let is_another = self.of.known.simplify(&compare(CmpOp::Lt, &(&i + 1), count)?);
        let both = self.steps.each(|piece| {
            let result = self.results(m, &here, piece)?;
            Ok(Stmt::seq([result, only_if(is_another.clone(), self.piece(m, &behind, piece)?)]))
        })?;
        let mut steps = self.once(m)?;
        steps.extend(self.begun(m)?);
        steps.push(with_names(names, both));
        steps.extend(self.total(m)?);
        stmts.push(serial(&row, count, Stmt::seq(steps)));
        Ok(Stmt::seq(stmts))
    }

    /// A row and the next one, with the names that they have.
    fn two_rows(&self, name: &str, number: &Expr) -> Result<(Rows, Vec<(Var, Expr)>), Fault> {
        let (row, mut names) = self.of.row(name, number)?;
        let next = if self.ahead {
            let (next, next_names) = self.of.row("further", &(number + 1))?;
            names.extend(next_names);
            next
        } else {
            row.clone()
        };
        Ok((Rows { row, next }, names))
    }

    /// Nothing of a row is summed.
    fn begun(&self, m: &Memory) -> Result<Vec<Stmt>, Fault> {
        if !self.moments.centred {
            return Ok(vec![self.of.cleared(&m.sums, &float(0.0))?]);
        }
        Ok(vec![
            self.of.cleared(&m.squares, &float(0.0))?,
            store(&m.so_far, &[&Expr::i64(BASE)], &float(0.0))?,
            store(&m.so_far, &[&Expr::i64(DRIFT)], &float(0.0))?,
            store(&m.so_far, &[&Expr::i64(BETWEEN)], &float(0.0))?,
        ])
    }

    /// The moments of the pieces so far and of this one.
    fn piece(&self, m: &Memory, rows: &Rows, piece: &Piece) -> Result<Stmt, Fault> {
        let column = self.steps.column(piece.length);
        let of = self.of.along(&column);
        let mut names = Vec::new();
        let outer = match self.steps.several {
            1 => self.axes(&self.moments.outer, "outer", &piece.lot, &mut names)?,
            _ => Row::new(),
        };
        let term = |column: &Expr| {
            let (group, place) = self.place(piece, column);
            self.placed(&self.moments.term, &Here { row: &rows.row, outer: &outer }, (group, &place), &[])
        };
        let ask = |column: &Expr| {
            let further = if self.ahead { column.clone() } else { column + piece.length };
            let (group, place) = self.place(piece, &self.of.known.simplify(&further));
            self.prefetches(&Here { row: &rows.next, outer: &outer }, (group, &place))
        };
        let add = |to: &Buffer, at: &Place, value: &dyn Fn(&Expr) -> Result<Expr, Fault>| {
            of.vector(at, |l, column| {
                let before = load(to, &[&at.vector, l])?;
                store(to, &[&at.vector, l], &binary(BinOp::Add, &before, &value(column)?)?)
            })
        };
        if !self.moments.centred {
            let sums = of.columns(|at| {
                let mut stmts = ask(&at.first)?;
                stmts.push(add(&m.sums, at, &term)?);
                Ok(stmts)
            })?;
            return Ok(with_names(names, sums));
        }
        // Each of the two loops asks for a half, so that memory has something to do meanwhile.
        let half = |place: &Expr| binary(BinOp::FloorDiv, place, &Expr::i64(2));
        let sums = of.columns(|at| {
            let mut stmts = ask(&half(&at.first)?)?;
            stmts.push(add(&m.sums, at, &term)?);
            Ok(stmts)
        })?;
        let own = load(&m.so_far, &[&Expr::i64(OWN)])?;
        let square = |column: &Expr| {
            let distance = binary(BinOp::Sub, &term(column)?, &own)?;
            binary(BinOp::Mul, &distance, &distance)
        };
        let mut stmts = vec![self.of.cleared(&m.sums, &float(0.0))?, sums];
        stmts.extend(folded(&m.sums, &m.halves, &add_both)?);
        let mean = binary(BinOp::Div, &load(&m.halves, &[&Expr::i64(0)])?, &float(piece.length as f64))?;
        stmts.push(store(&m.so_far, &[&Expr::i64(OWN)], &mean)?);
        stmts.push(of.columns(|at| {
            let mut stmts = ask(&half(&(&at.first + piece.length))?)?;
            stmts.push(add(&m.squares, at, &square)?);
            Ok(stmts)
        })?);
        stmts.push(self.joined(m, piece)?);
        Ok(with_names(names, Stmt::seq(stmts)))
    }

    /// An element of a piece: its place in a group of axes.
    fn place(&self, piece: &Piece, column: &Expr) -> (&Group, Expr) {
        match (self.steps.several, &self.moments.whole) {
            (2.., Some(whole)) => (whole, &self.steps.before(piece) + column),
            _ => (&self.moments.inner, &piece.begin + column),
        }
    }

    /// The piece's mean goes into that of all up to it, and its distance from that into the squares between. What is kept is
    /// small beside large means, which would round it.
    fn joined(&self, m: &Memory, piece: &Piece) -> Result<Stmt, Fault> {
        let (base, drift, between) = (Expr::i64(BASE), Expr::i64(DRIFT), Expr::i64(BETWEEN));
        let before = self.of.known.simplify(&self.steps.before(piece));
        let mut names = Vec::new();
        let own = load(&m.so_far, &[&Expr::i64(OWN)])?;
        let is_first = self.of.known.simplify(&compare(CmpOp::Eq, &before, &Expr::i64(0))?);
        let first = match is_first.as_int() {
            Some(1) => own.clone(),
            Some(_) => load(&m.so_far, &[&base])?,
            None => typed(Expr::select(&is_first, &own, &load(&m.so_far, &[&base])?))?,
        };
        let first = named("first", &first, &mut names);
        let before = match before.as_int() {
            Some(before) => float(before as f64),
            None => named("before", &typed(before.cast(DataType::F32))?, &mut names),
        };
        let length = float(piece.length as f64);
        let share = binary(BinOp::Div, &length, &binary(BinOp::Add, &before, &length)?)?;
        let share = named("share", &self.of.known.simplify(&share), &mut names);
        let so_far = load(&m.so_far, &[&drift])?;
        let distance = binary(BinOp::Sub, &binary(BinOp::Sub, &own, &first)?, &so_far)?;
        let distance = named("distance", &distance, &mut names);
        let weighed = binary(BinOp::Mul, &distance, &binary(BinOp::Mul, &before, &share)?)?;
        let grown = binary(BinOp::Add, &load(&m.so_far, &[&between])?, &binary(BinOp::Mul, &distance, &weighed)?)?;
        let moved = binary(BinOp::Add, &so_far, &binary(BinOp::Mul, &distance, &share)?)?;
        let stmts = [(&between, &grown), (&drift, &moved), (&base, &first)];
        let stmts = stmts.map(|(place, value)| store(&m.so_far, &[place], value));
        Ok(with_names(names, Stmt::seq(stmts.into_iter().collect::<Result<Vec<_>, _>>()?)))
    }

    /// The moments of a row whose pieces are all there.
    fn total(&self, m: &Memory) -> Result<Vec<Stmt>, Fault> {
        let (zero, one) = (Expr::i64(0), Expr::i64(1));
        let summed = if self.moments.centred { &m.squares } else { &m.sums };
        let mut stmts = folded(summed, &m.halves, &add_both)?;
        let total = load(&m.halves, &[&zero])?;
        if !self.moments.centred {
            stmts.push(store(&m.totals, &[&zero], &total)?);
            return Ok(stmts);
        }
        let so_far = |place: i64| load(&m.so_far, &[&Expr::i64(place)]);
        stmts.push(store(&m.totals, &[&zero], &binary(BinOp::Add, &so_far(BASE)?, &so_far(DRIFT)?)?)?);
        let squares = binary(BinOp::Add, &total, &so_far(BETWEEN)?)?;
        stmts.push(store(&m.totals, &[&one], &squares)?);
        Ok(stmts)
    }

    /// What the result is made with in a row of these moments.
    fn once(&self, m: &Memory) -> Result<Vec<Stmt>, Fault> {
        let names = [&self.moments.first, &self.moments.second];
        let total = |(number, name): (i64, &&Var)| Ok(((*name).clone(), load(&m.totals, &[&Expr::i64(number)])?));
        let totals = (0..).zip(&names).take(if self.moments.centred { 2 } else { 1 }).map(total);
        let totals: Vec<(Var, Expr)> = totals.collect::<Result<_, Fault>>()?;
        let one = |(number, (_, value)): (i64, &(Var, Expr))| {
            store(&m.of_row, &[&Expr::i64(number)], &substituted(value, &totals))
        };
        (0..).zip(&self.moments.of_row).map(one).collect()
    }

    /// The result of a piece.
    fn results(&self, m: &Memory, row: &Row, piece: &Piece) -> Result<Stmt, Fault> {
        let several = self.steps.several;
        let column = self.steps.column(if several == 1 { piece.length } else { self.steps.columns });
        let of = self.of.along(&column);
        let within = self.of.var("within");
        let lot = if several == 1 { piece.lot.clone() } else { &(&piece.lot * several) + &Expr::var(&within) };
        let mut names = Vec::new();
        let outer = self.axes(&self.moments.outer, "outer", &self.of.known.simplify(&lot), &mut names)?;
        let here = Here { row, outer: &outer };
        let numbers = (0..).zip(&self.moments.of_row);
        let number = |(number, (var, _)): (i64, &(Var, Expr))| {
            Ok::<_, Fault>((var.clone(), load(&m.of_row, &[&Expr::i64(number)])?))
        };
        let numbers: Vec<(Var, Expr)> = numbers.map(number).collect::<Result<_, _>>()?;
        let all = |at: &Place| {
            let result = of.result(at, |column| {
                let place = &piece.begin + column;
                let at = (&self.moments.inner, &place);
                let value = self.placed(&self.moments.value, &here, at, &numbers)?;
                let indices = self.moments.indices.iter().map(|index| self.placed(index, &here, at, &[]));
                stored(&self.moments.out, indices.collect::<Result<_, _>>()?, &value)
            })?;
            Ok(vec![result])
        };
        let columns = with_names(names, of.columns(all)?);
        Ok(if several == 1 { columns } else { serial(&within, &Expr::i64(several), columns) })
    }

    /// What the terms read elsewhere is on its way to the second level of cache, where it is no matter that the row may belong
    /// to another task, or to none.
    fn prefetches(&self, here: &Here<'_>, place: (&Group, &Expr)) -> Result<Vec<Stmt>, Fault> {
        let of_row = |e: &Expr| here.row.iter().any(|(var, _)| mentions(e, std::slice::from_ref(var)));
        let ask = |e: &Expr| prefetch_element(&self.placed(e, here, place, &[])?);
        elements_read([&self.moments.term], of_row).iter().map(ask).collect()
    }

    /// A formula at a place of a group of axes.
    fn placed(
        &self,
        formula: &Expr,
        here: &Here<'_>,
        (group, place): (&Group, &Expr),
        numbers: &[(Var, Expr)],
    ) -> Result<Expr, Fault> {
        let mut values: Vec<(Var, Expr)> = here.row.iter().chain(here.outer).chain(numbers).cloned().collect();
        values.extend(self.cast(group.values(&self.of.known, place)?)?);
        Ok(substituted(formula, &values))
    }

    /// The axes at a place of their group, under names.
    fn axes(&self, group: &Group, name: &str, place: &Expr, names: &mut Vec<(Var, Expr)>) -> Result<Row, Fault> {
        let place = if group.axes.len() > 1 { named(name, place, names) } else { place.clone() };
        let values = self.cast(group.values(&self.of.known, &place)?)?;
        Ok(values.into_iter().map(|(var, value)| (var.clone(), named(&var.name, &value, names))).collect())
    }

    fn cast(&self, values: Vec<(Var, Expr)>) -> Result<Row, Fault> {
        let one = |(var, value): (Var, Expr)| {
            let value = typed(value.cast(var.dtype))?;
            Ok((var, value))
        };
        values.into_iter().map(one).collect()
    }

    fn memory(&self) -> Memory {
        let local = |name: &str, shape: &[i64]| {
            memory(name, shape.iter().map(|&size| Expr::i64(size)).collect(), DataType::F32, Scope::Local)
        };
        let accumulators = [self.of.accumulators, self.of.lanes];
        Memory {
            sums: local("sums", &accumulators),
            squares: local("squares", &accumulators),
            halves: local("halves", &[self.of.lanes]),
            so_far: local("so_far", &[BETWEEN + 1]),
            totals: local("totals", &[2]),
            of_row: local("of_row", &[self.moments.of_row.len().max(1) as i64]),
        }
    }
}

fn add_both(a: &Expr, b: &Expr) -> Result<Expr, Fault> {
    binary(BinOp::Add, a, b)
}

fn float(value: f64) -> Expr {
    Expr::float(value, DataType::F32)
}
