//! The loops that look for extremes.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Intrinsic, Scope, Stmt, Var};
use tilewright_tensor::DataType;

use super::Extreme;
use crate::facts::axes::Group;
use crate::facts::exprs::{binary, compare, elements_read, prefetch_element, stored, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::{folded, load, memory, named, only_if, serial, store, with_names};
use crate::pieces::{Piece, Pieces};
use crate::row_vectors::{Row, RowVectors};

/// Bytes that are asked for before they are read.
const AHEAD: i64 = 4 << 10;

impl Extreme {
    /// What is searched, at a place of a row.
    fn term_at(&self, row: &Row, column: &Expr) -> Result<Expr, Fault> {
        self.placed(&self.term, row, column)
    }

    fn placed(&self, formula: &Expr, row: &Row, column: &Expr) -> Result<Expr, Fault> {
        let column = (self.column.var.clone(), typed(column.cast(self.column.var.dtype))?);
        Ok(substituted(formula, &row.iter().cloned().chain([column]).collect::<Vec<_>>()))
    }

    /// Whether `other` takes the place of `best`, which stands before it.
    fn is_better(&self, other: &Expr, best: &Expr) -> Result<Expr, Fault> {
        let op = if self.op == BinOp::Max { CmpOp::Gt } else { CmpOp::Lt };
        let better = compare(op, other, best)?;
        if !other.dtype.is_float() {
            return Ok(better);
        }
        let is_nan = |e: &Expr| typed(Expr::call(Intrinsic::IsNan, std::slice::from_ref(e)));
        let first_nan = binary(BinOp::BitAnd, &is_nan(other)?, &typed(is_nan(best)?.not())?)?;
        binary(BinOp::BitOr, &better, &first_nan)
    }

    /// Whether the term is the best of its row.
    fn is_best(&self, term: &Expr, best: &Expr) -> Result<Expr, Fault> {
        let equal = compare(CmpOp::Eq, term, best)?;
        match term.dtype.is_float() {
            true => {
                let is_nan = typed(Expr::call(Intrinsic::IsNan, std::slice::from_ref(term)))?;
                binary(BinOp::BitOr, &equal, &is_nan)
            }
            false => Ok(equal),
        }
    }

    /// What is searched there is on its way to the second level of cache, where it is no matter whether there is such a place.
    fn prefetches(&self, row: &Row, column: &Expr) -> Result<Vec<Stmt>, Fault> {
        let ask = |e: &Expr| prefetch_element(&self.placed(e, row, column)?);
        elements_read([&self.term], |_| true).iter().map(ask).collect()
    }

    /// The place goes to its element.
    fn found(&self, row: &Row, column: &Expr, place: &Expr) -> Result<Stmt, Fault> {
        let indices = self.indices.iter().map(|index| self.placed(index, row, column));
        stored(&self.out, indices.collect::<Result<_, _>>()?, place)
    }
}

fn local(name: &str, shape: &[i64], dtype: DataType) -> Buffer {
    memory(name, shape.iter().map(|&size| Expr::i64(size)).collect(), dtype, Scope::Local)
}

/// Rows whose elements lie together in memory.
pub(super) struct Along<'a> {
    pub(super) extreme: &'a Extreme,
    pub(super) of: RowVectors<'a>,
    pub(super) pieces: Pieces,
    /// Elements of a row.
    pub(super) count: i64,
}

/// The memory of a task: accumulators of extremes and of places, vectors on their way to one number, the best so far and the
/// first element of its piece.
struct Memory {
    extremes: Buffer,
    places: Buffer,
    extreme: Buffer,
    place: Buffer,
    best: Buffer,
    at: Buffer,
}

impl Along<'_> {
    pub(super) fn tasks(&self) -> Result<Stmt, Fault> {
        let of = &self.of;
        let (dtype, whole) = (self.extreme.term.dtype, self.extreme.out.dtype);
        of.tasks(&[&self.extreme.term], &self.extreme.out, |first, count| {
            let m = Memory {
                extremes: local("extremes", &[of.accumulators, of.lanes], dtype),
                places: local("places", &[of.accumulators, of.lanes], whole),
                extreme: local("extreme", &[of.lanes], dtype),
                place: local("place", &[of.lanes], whole),
                best: local("best", &[1], dtype),
                at: local("at", &[1], DataType::I64),
            };
            let number = of.var("row");
            let (row, names) = of.row("here", &(first + &Expr::var(&number)))?;
            let mut steps = vec![
                store(&m.best, &[&Expr::i64(0)], &self.extreme.from)?,
                store(&m.at, &[&Expr::i64(0)], &Expr::i64(0))?,
                self.pieces.each(|piece| self.piece(&m, &row, piece))?,
            ];
            steps.extend(self.seek(&m, &row)?);
            let body = serial(&number, count, with_names(names, Stmt::seq(steps)));
            Ok((body, vec![m.extremes, m.places, m.extreme, m.place, m.best, m.at]))
        })
    }

    /// The best of a piece, which may be the best so far.
    fn piece(&self, m: &Memory, row: &Row, piece: &Piece) -> Result<Stmt, Fault> {
        let column = self.pieces.column(piece.length);
        let of = self.of.along(&column);
        let both = |a: &Expr, b: &Expr| binary(self.extreme.op, a, b);
        let mut stmts = vec![
            of.cleared(&m.extremes, &self.extreme.from)?,
            of.columns(|at| {
                let further = &(&piece.begin + &at.first) + AHEAD / self.extreme.term.dtype.bytes() as i64;
                let mut stmts = self.extreme.prefetches(row, &self.of.known.simplify(&further))?;
                stmts.push(of.vector(at, |l, column| {
                    let term = self.extreme.term_at(row, &(&piece.begin + column))?;
                    store(&m.extremes, &[&at.vector, l], &both(&load(&m.extremes, &[&at.vector, l])?, &term)?)
                })?);
                Ok(stmts)
            })?,
        ];
        stmts.extend(folded(&m.extremes, &m.extreme, &both)?);
        let zero = Expr::i64(0);
        let (own, best) = (load(&m.extreme, &[&zero])?, load(&m.best, &[&zero])?);
        let take = self.extreme.is_better(&own, &best)?;
        let at = typed(Expr::select(&take, &piece.begin, &load(&m.at, &[&zero])?))?;
        stmts.push(store(&m.at, &[&zero], &at)?);
        stmts.push(store(&m.best, &[&zero], &typed(Expr::select(&take, &own, &best))?)?);
        Ok(Stmt::seq(stmts))
    }

    /// The least place of the best in its piece.
    fn seek(&self, m: &Memory, row: &Row) -> Result<Vec<Stmt>, Fault> {
        let (zero, of) = (Expr::i64(0), &self.of);
        let (at, best) = (load(&m.at, &[&zero])?, load(&m.best, &[&zero])?);
        // The last piece may be shorter than others.
        let is_even = self.count % self.pieces.longest() == 0;
        let mut stmts = vec![of.cleared(&m.places, &self.extreme.nowhere)?];
        stmts.push(of.columns(|place| {
            Ok(vec![of.vector(place, |l, column| {
                let column = &at + column;
                let here = self.extreme.is_best(&self.extreme.term_at(row, &column)?, &best)?;
                let number = self.extreme.placed(&self.extreme.place, row, &column)?;
                let number = typed(Expr::select(&here, &number, &self.extreme.nowhere))?;
                let least = binary(BinOp::Min, &load(&m.places, &[&place.vector, l])?, &number)?;
                let kept = store(&m.places, &[&place.vector, l], &least)?;
                match is_even {
                    true => Ok(kept),
                    false => Ok(only_if(compare(CmpOp::Lt, &column, &Expr::i64(self.count))?, kept)),
                }
            })?])
        })?);
        stmts.extend(folded(&m.places, &m.place, &|a, b| binary(BinOp::Min, a, b))?);
        stmts.push(self.extreme.found(row, &zero, &load(&m.place, &[&zero])?)?);
        Ok(stmts)
    }
}

/// Rows side by side, in lots of so many.
pub(super) struct Beside<'a> {
    pub(super) extreme: &'a Extreme,
    pub(super) of: RowVectors<'a>,
    pub(super) beside: &'a Group,
    pub(super) lot: &'a Var,
    pub(super) piece: i64,
}

impl Beside<'_> {
    pub(super) fn tasks(&self) -> Result<Stmt, Fault> {
        let of = &self.of;
        let shape = vec![Expr::i64(self.piece)];
        of.tasks(&[&self.extreme.term], &self.extreme.out, |first, count| {
            let best = memory("best", shape.clone(), self.extreme.term.dtype, Scope::Global);
            let at = memory("at", shape.clone(), self.place_dtype(), Scope::Global);
            let number = of.var("row");
            let (row, names) = of.row("here", &(first + &Expr::var(&number)))?;
            let begin = self.begin(&row);
            let steps = self.lot(&row, &begin, &best, &at)?;
            // A row may have no element to begin with; then there is no place to write.
            let extent = &self.extreme.column.extent;
            let steps = match extent.as_int() {
                Some(_) => steps,
                None => only_if(compare(CmpOp::Gt, extent, &Expr::int(0, extent.dtype))?, steps),
            };
            Ok((serial(&number, count, with_names(names, steps)), vec![best, at]))
        })
    }

    /// The narrowest type that has all places, for there is one in each lane.
    fn place_dtype(&self) -> DataType {
        let dtype = self.extreme.column.var.dtype;
        let fits = |extent: i64| i32::try_from(extent).is_ok();
        if self.extreme.column.extent.as_int().is_some_and(fits) { DataType::I32 } else { dtype }
    }

    /// The first row of the lot.
    fn begin(&self, row: &Row) -> Expr {
        let lot = row.iter().find(|(var, _)| var == self.lot).map_or(Expr::i64(0), |(_, lot)| lot.clone());
        &lot * self.piece
    }

    /// The rows, with values for those side by side.
    fn beside(&self, row: &Row, place: &Expr) -> Result<Row, Fault> {
        let mut all = row.clone();
        for (var, value) in self.beside.values(&self.of.known, place)? {
            let value = typed(value.cast(var.dtype))?;
            all.push((var, value));
        }
        Ok(all)
    }

    fn lot(&self, row: &Row, begin: &Expr, best: &Buffer, at: &Buffer) -> Result<Stmt, Fault> {
        let (of, extreme) = (&self.of, self.extreme);
        let dtype = extreme.column.var.dtype;
        let zero = Expr::int(0, dtype);
        let first = of.columns(|vector| {
            let term = |column: &Expr| extreme.term_at(&self.beside(row, &(begin + column))?, &zero);
            Ok(vec![
                of.vector(vector, |_, column| store(at, &[column], &Expr::int(0, at.dtype)))?,
                of.vector(vector, |_, column| store(best, &[column], &term(column)?))?,
            ])
        })?;
        let number = Var::new("k", dtype);
        let k = Expr::var(&number);
        let mut names = Vec::new();
        let next = self.ahead(begin, &k, &mut names)?;
        let others = of.columns(|vector| {
            let mut stmts = match &next {
                Some((begin, k)) => extreme.prefetches(&self.beside(row, &(begin + &vector.first))?, k)?,
                None => Vec::new(),
            };
            let better = |column: &Expr| {
                let term = extreme.term_at(&self.beside(row, &(begin + column))?, &k)?;
                let best = load(best, &[column])?;
                Ok::<_, Fault>((extreme.is_better(&term, &best)?, term, best))
            };
            stmts.push(of.vector(vector, |_, column| {
                let (take, ..) = better(column)?;
                store(at, &[column], &typed(Expr::select(&take, &typed(k.cast(at.dtype))?, &load(at, &[column])?))?)
            })?);
            stmts.push(of.vector(vector, |_, column| {
                let (take, term, before) = better(column)?;
                store(best, &[column], &typed(Expr::select(&take, &term, &before))?)
            })?);
            Ok(stmts)
        })?;
        let results = of.columns(|vector| {
            Ok(vec![of.result(vector, |column| {
                let row = self.beside(row, &(begin + column))?;
                let place = extreme.placed(&extreme.place, &row, &load(at, &[column])?)?;
                extreme.found(&row, &zero, &place)
            })?])
        })?;
        let extent = typed(extreme.column.extent.cast(dtype))?;
        let left = Stmt::for_loop(
            &number,
            Expr::int(1, dtype),
            of.known.simplify(&binary(BinOp::Sub, &extent, &Expr::int(1, dtype))?),
            ForKind::Serial,
            with_names(names, others),
        );
        Ok(Stmt::seq([first, left, results]))
    }

    /// The first row of the lot and the place that are asked for at this place: some further on, or the first of the next lot.
    fn ahead(&self, begin: &Expr, k: &Expr, names: &mut Vec<(Var, Expr)>) -> Result<Option<(Expr, Expr)>, Fault> {
        let Some(all) = self.extreme.column.extent.as_int() else { return Ok(None) };
        let bytes = self.piece * self.extreme.term.dtype.bytes() as i64;
        let further = (AHEAD / bytes.max(1)).max(1);
        if all <= 2 * further {
            return Ok(None);
        }
        let (next, dtype) = (k + further, k.dtype);
        let is_here = compare(CmpOp::Lt, &next, &Expr::int(all, dtype))?;
        let place = typed(Expr::select(&is_here, &next, &(&next - all)))?;
        let first = typed(Expr::select(&is_here, begin, &(begin + self.piece)))?;
        Ok(Some((named("next_lot", &first, names), named("next", &place, names))))
    }
}
