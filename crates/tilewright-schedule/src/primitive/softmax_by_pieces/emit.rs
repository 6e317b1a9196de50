//! The loops of a softmax of long rows.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Intrinsic, Scope, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use crate::facts::exprs::{
    binary, compare, elements_read, greater, mentions, prefetch_element, stored, substituted, typed,
};
use crate::facts::fault::Fault;
use crate::facts::loops::{folded, load, memory, serial, store, used_in, with_names};
use crate::facts::size::ceil_div;
use crate::pieces::{Piece, Pieces};
use crate::primitive::pipeline_softmax::Softmax;
use crate::row_vectors::{Place, Row, RowVectors};

/// What tasks are made from.
pub(super) struct Maker<'a> {
    pub(super) s: &'a Softmax,
    pub(super) of: RowVectors<'a>,
    pub(super) pieces: Pieces,
    /// Elements of a row.
    pub(super) columns: i64,
    /// Whether powers are kept until the result is made from them.
    pub(super) keep: bool,
}

/// The memory of a task.
struct Memory {
    /// Powers of a row, and the maxima from which those of its pieces were taken.
    powers: Buffer,
    from: Buffer,
    /// Accumulators of the maximum of a piece and of the sum of a row.
    next: Buffer,
    sums: Buffer,
    /// A vector on its way to one number.
    halves: Buffer,
    /// The maximum so far of the row whose sum is taken, and what the sum is multiplied by when it moves.
    most: Buffer,
    moved: Buffer,
    /// The maximum of the row whose result is written.
    last: Buffer,
    /// What kept powers of a piece have to be multiplied by.
    scale: Buffer,
    /// What the result is made with.
    of_row: Buffer,
}

impl Maker<'_> {
    /// The parallel loop over tasks.
    pub(super) fn tasks(&self) -> Result<Stmt, Fault> {
        self.of.tasks(&[&self.s.number, &self.s.value], &self.s.out, |first, count| {
            let m = self.memory();
            let body = self.rows(&m, first, count)?;
            let Memory { powers, from, next, sums, halves, most, moved, last, scale, of_row } = m;
            let own = used_in(&body, [powers, from, next, sums, halves, most, moved, last, scale, of_row]);
            Ok((body, own))
        })
    }

    /// The maximum and the sum of the first row, and all rows.
    fn rows(&self, m: &Memory, first: &Expr, count: &Expr) -> Result<Stmt, Fault> {
        let (begin, begin_names) = self.of.row("begin", first)?;
        let first_row = self.pieces.each(|piece| self.piece(m, None, Some(&begin), piece))?;
        let row = self.of.var("row");
        let i = Expr::var(&row);
        let (here, mut names) = self.of.row("here", &(first + &i))?;
        let (behind, behind_names) = self.of.row("behind", &(first + &(&i + 1)))?;
        let is_another = self.of.known.simplify(&compare(CmpOp::Lt, &(&i + 1), count)?);
        let results = self.pieces.each(|piece| self.piece(m, Some(&here), None, piece))?;
        let both = if count.as_int() == Some(1) {
            results
        } else {
            names.extend(behind_names);
            let both = self.pieces.each(|piece| self.piece(m, Some(&here), Some(&behind), piece))?;
            StmtKind::If { condition: is_another, then: both, otherwise: Some(results) }.into()
        };
        let mut steps = self.once(m)?;
        steps.extend(self.begun(m)?);
        steps.push(with_names(names, both));
        let mut stmts = self.begun(m)?;
        stmts.push(with_names(begin_names, first_row));
        stmts.push(serial(&row, count, Stmt::seq(steps)));
        Ok(Stmt::seq(stmts))
    }

    /// Nothing of a row is summed. Its maximum begins with a number, for of two infinities there would be no distance.
    fn begun(&self, m: &Memory) -> Result<Vec<Stmt>, Fault> {
        let lowest = float(f64::from(f32::MIN));
        Ok(vec![self.of.cleared(&m.sums, &float(0.0))?, store(&m.most, &[&Expr::i64(0)], &lowest)?])
    }

    /// A piece of two rows: the result of one, the maximum and the sum up to there of the other.
    fn piece(&self, m: &Memory, front: Option<&Row>, row: Option<&Row>, piece: &Piece) -> Result<Stmt, Fault> {
        let (zero, column) = (Expr::i64(0), self.pieces.column(piece.length));
        let of = self.of.along(&column);
        let mut stmts = Vec::new();
        if self.keep && front.is_some() {
            let (from, last) = (load(&m.from, &[&self.number(piece)?])?, load(&m.last, &[&zero])?);
            stmts.push(store(&m.scale, &[&zero], &power(&from, &last)?)?);
        }
        if let Some(row) = row {
            stmts.extend(self.maximum(m, &of, row, piece)?);
        }
        stmts.push(of.columns(|at| {
            let mut stmts = Vec::new();
            if let Some(row) = row {
                let further = self.of.known.simplify(&(&(&piece.begin + &at.first) + piece.length));
                stmts.extend(self.prefetches(row, &further)?);
            }
            // Of kept powers those of the row in front are read before others take their place.
            if let Some(front) = front {
                stmts.push(self.result(m, &of, front, piece, at)?);
            }
            if let Some(row) = row {
                stmts.push(self.power(m, &of, row, piece, at)?);
            }
            Ok(stmts)
        })?);
        Ok(Stmt::seq(stmts))
    }

    /// The maximum of the pieces so far and of this one, and the sum of those carried over to it.
    fn maximum(&self, m: &Memory, of: &RowVectors<'_>, row: &Row, piece: &Piece) -> Result<Vec<Stmt>, Fault> {
        let zero = Expr::i64(0);
        let most = load(&m.most, &[&zero])?;
        let mut stmts = vec![of.cleared(&m.next, &most)?];
        stmts.push(of.columns(|at| {
            Ok(vec![of.vector(at, |l, column| {
                let number = self.placed(&self.s.number, row, &(&piece.begin + column), &[])?;
                store(&m.next, &[&at.vector, l], &greater(&load(&m.next, &[&at.vector, l])?, &number)?)
            })?])
        })?);
        stmts.extend(folded(&m.next, &m.halves, &greater)?);
        let next = load(&m.halves, &[&zero])?;
        stmts.push(store(&m.moved, &[&zero], &power(&most, &next)?)?);
        stmts.push(store(&m.most, &[&zero], &next)?);
        stmts.push(of.scaled(&m.sums, &load(&m.moved, &[&zero])?)?);
        if self.keep {
            stmts.push(store(&m.from, &[&self.number(piece)?], &next)?);
        }
        Ok(stmts)
    }

    /// Powers, kept where the result is made from them, and the sum with them.
    fn power(&self, m: &Memory, of: &RowVectors<'_>, row: &Row, piece: &Piece, at: &Place) -> Result<Stmt, Fault> {
        let own = |column: &Expr| {
            let number = self.placed(&self.s.number, row, &(&piece.begin + column), &[])?;
            power(&number, &load(&m.most, &[&Expr::i64(0)])?)
        };
        let add = |l: &Expr, power: &Expr| {
            store(&m.sums, &[&at.vector, l], &binary(BinOp::Add, &load(&m.sums, &[&at.vector, l])?, power)?)
        };
        if !self.keep {
            return of.vector(at, |l, column| add(l, &own(column)?));
        }
        let kept = |column: &Expr| &piece.begin + column;
        Ok(Stmt::seq([
            of.vector(at, |_, column| store(&m.powers, &[&kept(column)], &own(column)?))?,
            of.vector(at, |l, column| add(l, &load(&m.powers, &[&kept(column)])?))?,
        ]))
    }

    /// The number of a piece among those of its row.
    fn number(&self, piece: &Piece) -> Result<Expr, Fault> {
        let longest = Expr::i64(self.pieces.longest());
        Ok(self.of.known.simplify(&binary(BinOp::FloorDiv, &piece.begin, &longest)?))
    }

    /// What the result of the row is made with whose pieces are all there.
    fn once(&self, m: &Memory) -> Result<Vec<Stmt>, Fault> {
        let zero = Expr::i64(0);
        let mut stmts = folded(&m.sums, &m.halves, &|a, b| binary(BinOp::Add, a, b))?;
        let (most, total) = (load(&m.most, &[&zero])?, load(&m.halves, &[&zero])?);
        stmts.push(store(&m.last, &[&zero], &most)?);
        let values = [(self.s.most.clone(), most), (self.s.total.clone(), total)];
        for (number, (_, formula)) in (0..).zip(&self.s.of_row) {
            stmts.push(store(&m.of_row, &[&Expr::i64(number)], &substituted(formula, &values))?);
        }
        Ok(stmts)
    }

    /// The result of a vector of a piece.
    fn result(&self, m: &Memory, of: &RowVectors<'_>, row: &Row, piece: &Piece, at: &Place) -> Result<Stmt, Fault> {
        let zero = Expr::i64(0);
        of.result(at, |column| {
            let column = &piece.begin + column;
            let mut numbers = Row::new();
            if self.keep {
                let scale = load(&m.scale, &[&zero])?;
                let power = binary(BinOp::Mul, &load(&m.powers, &[&column])?, &scale)?;
                numbers.push((self.s.power.clone(), power));
            } else if self.s.keeps_powers() {
                let number = self.placed(&self.s.number, row, &column, &[])?;
                numbers.push((self.s.power.clone(), power(&number, &load(&m.last, &[&zero])?)?));
            }
            for (number, (var, _)) in (0..).zip(&self.s.of_row) {
                numbers.push((var.clone(), load(&m.of_row, &[&Expr::i64(number)])?));
            }
            let value = self.placed(&self.s.value, row, &column, &numbers)?;
            let places = self.s.indices.iter().map(|index| self.placed(index, row, &column, &[]));
            stored(&self.s.out, places.collect::<Result<_, _>>()?, &value)
        })
    }

    /// A formula at a place of a row.
    fn placed(&self, formula: &Expr, row: &Row, column: &Expr, numbers: &[(Var, Expr)]) -> Result<Expr, Fault> {
        let column = (self.s.column.var.clone(), typed(column.cast(self.s.column.var.dtype))?);
        let values = row.iter().chain(numbers).cloned().chain([column]);
        Ok(substituted(formula, &values.collect::<Vec<_>>()))
    }

    /// What numbers read of a row is on its way to the second level of cache, where it is no matter that the row may have no
    /// such place.
    fn prefetches(&self, row: &Row, column: &Expr) -> Result<Vec<Stmt>, Fault> {
        let of_row = |e: &Expr, var: &Var| mentions(e, std::slice::from_ref(var));
        let is_meant = |e: &Expr| of_row(e, &self.s.column.var) && row.iter().any(|(var, _)| of_row(e, var));
        let ask = |e: &Expr| prefetch_element(&self.placed(e, row, column, &[])?);
        elements_read([&self.s.number], is_meant).iter().map(ask).collect()
    }

    fn memory(&self) -> Memory {
        let buffer = |name: &str, shape: &[i64], scope: Scope| {
            memory(name, shape.iter().map(|&size| Expr::i64(size)).collect(), DataType::F32, scope)
        };
        let (lanes, accumulators) = (self.of.lanes, [self.of.accumulators, self.of.lanes]);
        Memory {
            powers: buffer("powers", &[ceil_div(self.columns, lanes) * lanes], Scope::Global),
            from: buffer("from_most", &[ceil_div(self.columns, self.pieces.longest())], Scope::Global),
            next: buffer("next", &accumulators, Scope::Local),
            sums: buffer("sums", &accumulators, Scope::Local),
            halves: buffer("halves", &[lanes], Scope::Local),
            most: buffer("most", &[1], Scope::Local),
            moved: buffer("moved", &[1], Scope::Local),
            last: buffer("last", &[1], Scope::Local),
            scale: buffer("scale", &[1], Scope::Local),
            of_row: buffer("of_row", &[self.s.of_row.len().max(1) as i64], Scope::Local),
        }
    }
}

/// The power of the distance of a number from another one.
fn power(number: &Expr, from: &Expr) -> Result<Expr, Fault> {
    typed(Expr::call(Intrinsic::Exp, &[binary(BinOp::Sub, number, from)?]))
}

fn float(value: f64) -> Expr {
    Expr::float(value, DataType::F32)
}
