//! The element of a rank, each line of a tensor by itself: what would stand at a place if the line were sorted.
//!
//! The keys of a line ([`super::keys`]) lie in memory of the task. The key of the rank is found two bits at a time,
//! from the highest on: a round counts the keys below three numbers, and takes the greatest of them that has no more
//! keys below it than the rank says. That is a pass of compares over the keys for every two bits, whatever the elements
//! are: some steps for each element, of vectors, and none that depends on the data. Elements of equal keys stand in the
//! order of their places.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::Attrs;
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::lines::{Line, Lines};
use super::statements::{Cell, Names, both, compare, serial, when};
use super::topk_few::enough;
use crate::{TeError, Tensor, extern_op};

/// Which element of a line is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rank {
    /// The one behind so many others. A line has at least one more, or the run ends.
    At(i64),
    /// The one in the middle of a descending line, the later one of two; the first NaN if there is one. Of no elements
    /// NaN, or 0.
    Middle,
}

/// The element of a rank of each line, and the place at which it stands: tensors without the dimension of the lines.
pub fn ranked(
    caps: &Capabilities,
    x: &Tensor,
    line: Line,
    rank: Rank,
    name: &str,
) -> Result<(Tensor, Option<Tensor>), TeError> {
    let mut dims = x.shape().to_vec();
    dims.remove(line.axis);
    let outputs: Vec<_> = [x.dtype()].into_iter().chain(line.indices).map(|dtype| (dims.clone(), dtype)).collect();
    let op = extern_op(&outputs, std::slice::from_ref(x), name, Attrs::new(), |ins, outs| match (ins, outs) {
        ([x], [values, indices @ ..]) => {
            let lines = Lines::new(caps, x, line, 1);
            let own = |vars: &[Var]| lines.one(vars, rank, values, indices.first());
            let all = lines.each(own)?;
            match rank {
                Rank::At(rank) => Ok(Stmt::seq([enough(x, line.axis, rank.saturating_add(1))?, all])),
                Rank::Middle => Ok(all),
            }
        }
        _ => Err(TeError(format!("`{name}` looks at one tensor"))),
    })?;
    match op.outputs().as_slice() {
        [values, indices @ ..] => Ok((values.clone(), indices.first().cloned())),
        [] => Err(TeError(format!("`{name}` makes no tensor"))),
    }
}

impl Lines<'_> {
    /// The element of a rank, and its place.
    fn one(&self, line: &[Var], rank: Rank, values: &Buffer, indices: Option<&Buffer>) -> Result<Stmt, TeError> {
        let result = self.result_at(line);
        let give = |value: &Expr, place: &Expr| -> Result<Stmt, TeError> {
            let mut stores = vec![Stmt::store(values, result.clone(), value)?];
            if let Some(indices) = indices {
                stores.push(Stmt::store(indices, result.clone(), &place.cast(indices.dtype)?)?);
            }
            Ok(Stmt::seq(stores))
        };
        let at = |rank: &Expr| -> Result<Stmt, TeError> {
            let place = Cell::new("place", DataType::I64);
            let element = Expr::load(self.x, self.at(line, &place.get()?))?;
            Ok(place.around(Stmt::seq([self.place_of(rank, &place)?, give(&element, &place.get()?)?])))
        };
        let middle = || -> Result<Stmt, TeError> {
            let half = Expr::binary(BinOp::FloorDiv, self.extent(), &Expr::i64(2))?;
            if !self.x.dtype.is_float() {
                return at(&half);
            }
            // No other key is the least one than that of NaN.
            self.run.counted(&[Expr::int(1, self.run.keys.dtype())], |counts| {
                let none = compare(CmpOp::Eq, &counts[0], &Expr::i64(0))?;
                at(&Expr::select(&none, &half, &Expr::i64(0))?)
            })
        };
        let found = match rank {
            Rank::At(rank) => at(&Expr::i64(rank))?,
            Rank::Middle => middle()?,
        };
        let found = Stmt::seq([self.made(line)?, found]);
        let nothing = || match self.x.dtype.is_float() {
            true => give(&Expr::float(f64::NAN, self.x.dtype), &Expr::i64(0)),
            false => give(&Expr::int(0, self.x.dtype), &Expr::i64(0)),
        };
        match self.extent().as_int() {
            Some(0) => nothing(),
            Some(_) => Ok(found),
            None => Ok(when(compare(CmpOp::Gt, self.extent(), &Expr::i64(0))?, found, Some(nothing()?))),
        }
    }

    /// The place of the element of a rank.
    fn place_of(&self, rank: &Expr, place: &Cell) -> Result<Stmt, TeError> {
        let (key, below) = (Cell::new("key", self.run.keys.dtype()), Cell::new("below", DataType::I64));
        let seen = Cell::new("seen", DataType::I64);
        let mut names = Names::default();
        let (key_is, rank_is) = (names.name("key", key.get()?), names.name("among", rank.clone() - below.get()?));
        let piece = Var::new("piece", DataType::I64);
        let alike = |key: &Expr| compare(CmpOp::Eq, key, &key_is.broadcast(key.dtype.lanes)?);
        let look = self.run.of_piece(&Expr::var(&piece), alike, |there| {
            let own = Var::new("own", DataType::I64);
            let here = Expr::var(&piece) * self.run.piece + Expr::var(&own);
            let is_it = compare(CmpOp::Eq, &seen.get()?, &rank_is)?;
            let count = [when(is_it, place.set(&here)?, None), seen.set(&(seen.get()? + 1))?];
            let search =
                serial(&own, &Expr::i64(self.run.piece), when(alike(&self.run.key(&here)?)?, Stmt::seq(count), None));
            let end = seen.get()? + there.clone();
            let inside = both(&compare(CmpOp::Le, &seen.get()?, &rank_is)?, &compare(CmpOp::Lt, &rank_is, &end)?)?;
            Ok(when(inside, search, Some(seen.set(&end)?)))
        })?;
        let all = [seen.set(&Expr::i64(0))?, place.set(&Expr::i64(0))?, serial(&piece, &self.run.pieces, look)];
        let body = Stmt::seq([self.run.found(rank, &key, &below)?, names.around(Stmt::seq(all))]);
        Ok(key.around(below.around(seen.around(body))))
    }
}
