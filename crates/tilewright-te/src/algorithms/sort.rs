//! Sorting by digits, each line of a tensor by itself.
//!
//! The keys of a line ([`super::keys`]) and the places of their elements lie in memory of the task. From the lowest
//! digit of eight bits on, keys and places move to where all keys of a lower digit and those before them of the same
//! one leave off, which counts of the digits tell: elements of equal keys stay in the order in which they stand. It
//! takes time in proportion to the elements, none of it waits for the outcome of a comparison, and digits in which all
//! keys agree are passed over. Short lines, for which the counts are not worth their sums, are compared instead
//! ([`super::short`]).

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Scope, Var};
use tilewright_ir::Attrs;
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::lines::{Line, Lines};
use super::short;
use super::statements::{Cell, Names, compare, serial, vector, when, with_local};
use crate::{TeError, Tensor, extern_op};

/// Pieces of keys that a short line has at most.
const SHORT_PIECES_MAX: i64 = 2;
/// Bits of a digit, and how many values it has.
const DIGIT_BITS: i64 = 8;
const DIGIT_VALUES: i64 = 1 << DIGIT_BITS;

/// The tensor with its lines sorted, and for each element the index at which it stood: that of `from` there, where one
/// is given.
pub fn sorted(
    caps: &Capabilities,
    x: &Tensor,
    from: Option<&Tensor>,
    line: Line,
    name: &str,
) -> Result<(Tensor, Option<Tensor>), TeError> {
    let outputs: Vec<_> =
        [x.dtype()].into_iter().chain(line.indices).map(|dtype| (x.shape().to_vec(), dtype)).collect();
    let ins: Vec<Tensor> = [x].into_iter().chain(from).cloned().collect();
    let op = extern_op(&outputs, &ins, name, Attrs::new(), |ins, outs| match (ins, outs) {
        ([x, from @ ..], [values, indices @ ..]) => {
            let lines = Lines::new(caps, x, line, 2);
            let given = Given { from: from.first(), values, indices: indices.first() };
            lines.each(|vars| ordered(&lines, given, vars))
        }
        _ => Err(TeError(format!("`{name}` sorts one tensor"))),
    })?;
    match op.outputs().as_slice() {
        [values, indices @ ..] => Ok((values.clone(), indices.first().cloned())),
        [] => Err(TeError(format!("`{name}` makes no tensor"))),
    }
}

/// What is given of a sorted line.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    /// The indices of the elements, where they are others than their places.
    from: Option<&'a Buffer>,
    values: &'a Buffer,
    indices: Option<&'a Buffer>,
}

impl Given<'_> {
    /// Gives the element at a place of a line for the one at a place of the sorted line.
    pub(super) fn moved(self, lines: &Lines<'_>, line: &[Var], from: &Expr, to: &Expr) -> Result<Stmt, TeError> {
        let (from_at, to_at) = (lines.at(line, from), lines.at(line, to));
        let mut stores = vec![Stmt::store(self.values, to_at.clone(), &Expr::load(lines.x, from_at.clone())?)?];
        if let Some(indices) = self.indices {
            let index = match self.from {
                Some(from) => Expr::load(from, from_at)?,
                None => from.clone(),
            };
            stores.push(Stmt::store(indices, to_at, &index.cast(indices.dtype)?)?);
        }
        Ok(Stmt::seq(stores))
    }
}

/// Sorts a line, short or not.
fn ordered(lines: &Lines<'_>, given: Given<'_>, line: &[Var]) -> Result<Stmt, TeError> {
    let (extent, most) = (lines.extent(), SHORT_PIECES_MAX * lines.run.piece);
    let body = match extent.as_int() {
        Some(0) => return Ok(Stmt::nothing()),
        Some(extent) if extent <= most => short::compared(lines, given, line, most)?,
        Some(_) => Radix::new(lines, given).line(line)?,
        None => {
            let is_short = compare(CmpOp::Le, extent, &Expr::i64(most))?;
            let (short, long) = (short::compared(lines, given, line, most)?, Radix::new(lines, given).line(line)?);
            when(compare(CmpOp::Gt, extent, &Expr::i64(0))?, when(is_short, short, Some(long)), None)
        }
    };
    Ok(Stmt::seq([lines.made(line)?, body]))
}

struct Radix<'a> {
    lines: &'a Lines<'a>,
    given: Given<'a>,
    /// The places of the elements that the keys are of, as many as there is room for keys.
    places: Buffer,
    /// How often each digit stands at each place of a key, and then where the next key of it goes.
    counts: Buffer,
    /// How many digits a key has.
    rounds: i64,
    /// Which copy of keys and places is the sorted one.
    side: Cell,
}

impl<'a> Radix<'a> {
    fn new(lines: &'a Lines<'a>, given: Given<'a>) -> Self {
        let place = match lines.extent().as_int() {
            Some(extent) if extent < i64::from(i32::MAX) => DataType::I32,
            _ => DataType::I64,
        };
        let rounds = (lines.run.keys.bits() + DIGIT_BITS - 1) / DIGIT_BITS;
        let size = Expr::i64(DIGIT_VALUES * rounds);
        let counts = Buffer::new("counts", vec![size], place).derive(|node| node.scope = Scope::Local);
        let places = Buffer::new("places", lines.run.memory.shape.to_vec(), place);
        Self { lines, given, places, counts, rounds, side: Cell::new("side", DataType::I64) }
    }

    fn line(&self, line: &[Var]) -> Result<Stmt, TeError> {
        let round = Var::new("round", DataType::I64);
        let all = Stmt::seq([
            self.counted()?,
            self.side.set(&Expr::i64(0))?,
            serial(&round, &Expr::i64(self.rounds), self.moved(&Expr::var(&round))?),
            self.given(line)?,
        ]);
        Ok(with_local(self.places.clone(), with_local(self.counts.clone(), self.side.around(all))))
    }

    /// Where keys and places of a side begin.
    fn begin(&self, side: &Expr) -> Expr {
        side.clone() * (self.lines.run.pieces.clone() * self.lines.run.piece)
    }

    /// Where the count of a key's digit stands.
    fn digit(&self, key: &Expr, round: &Expr) -> Result<Expr, TeError> {
        let shift = (round.clone() * DIGIT_BITS).cast(key.dtype)?;
        let above = Expr::binary(BinOp::Shr, key, &shift)?;
        let digit = Expr::binary(BinOp::BitAnd, &above, &Expr::int(DIGIT_VALUES - 1, key.dtype))?;
        Ok(round.clone() * DIGIT_VALUES + digit.cast(DataType::I64)?)
    }

    fn count(&self, at: &Expr) -> Result<Expr, TeError> {
        Ok(Expr::load(&self.counts, vec![at.clone()])?)
    }

    fn set_count(&self, at: &Expr, count: &Expr) -> Result<Stmt, TeError> {
        Ok(Stmt::store(&self.counts, vec![at.clone()], count)?)
    }

    /// The places as they stand, and the counts.
    fn counted(&self) -> Result<Stmt, TeError> {
        let (at, own) = (Var::new("at", DataType::I64), Var::new("own", DataType::I64));
        let lanes = self.lines.caps.lanes(DataType::I32);
        let zeros = vector(&(Expr::var(&at) * i64::from(lanes)), lanes)?;
        let none = self.set_count(&zeros, &Expr::int(0, self.counts.dtype.with_lanes(lanes)))?;
        let mut names = Names::default();
        let key = names.name("key", self.lines.run.key(&Expr::var(&own))?);
        let mut steps =
            vec![Stmt::store(&self.places, vec![Expr::var(&own)], &Expr::var(&own).cast(self.places.dtype)?)?];
        for round in 0..self.rounds {
            let digit = self.digit(&key, &Expr::i64(round))?;
            steps.push(self.set_count(&digit, &(self.count(&digit)? + 1))?);
        }
        let zero = serial(&at, &Expr::i64(self.rounds * DIGIT_VALUES / i64::from(lanes)), none);
        Ok(Stmt::seq([zero, serial(&own, self.lines.extent(), names.around(Stmt::seq(steps)))]))
    }

    /// Moves keys and places to the other side, in the order of a digit, if it tells them apart.
    fn moved(&self, round: &Expr) -> Result<Stmt, TeError> {
        let mut names = Names::default();
        let side = names.name("from", self.side.get()?);
        let begin = names.name("begin", self.begin(&side));
        let other = names.name("other", Expr::i64(1) - side);
        let target = names.name("target", self.begin(&other));
        let first = self.digit(&self.lines.run.key(&begin)?, round)?;
        let differ = compare(CmpOp::Lt, &self.count(&first)?.cast(DataType::I64)?, self.lines.extent())?;
        let move_all =
            Stmt::seq([self.summed(round)?, self.scattered(round, &begin, &target)?, self.side.set(&other)?]);
        Ok(names.around(when(differ, move_all, None)))
    }

    /// Each count becomes the sum of those before it.
    fn summed(&self, round: &Expr) -> Result<Stmt, TeError> {
        let (before, digit) = (Cell::new("before", self.counts.dtype), Var::new("digit", DataType::I64));
        let at = round.clone() * DIGIT_VALUES + Expr::var(&digit);
        let mut names = Names::default();
        let own = names.name("own", self.count(&at)?);
        let step = Stmt::seq([self.set_count(&at, &before.get()?)?, before.set(&(before.get()? + own))?]);
        let begin = before.set(&Expr::int(0, self.counts.dtype))?;
        Ok(before.around(Stmt::seq([begin, serial(&digit, &Expr::i64(DIGIT_VALUES), names.around(step))])))
    }

    fn scattered(&self, round: &Expr, begin: &Expr, target: &Expr) -> Result<Stmt, TeError> {
        let (own, mut names) = (Var::new("own", DataType::I64), Names::default());
        let at = names.name("at", begin + &Expr::var(&own));
        let key = names.name("key", self.lines.run.key(&at)?);
        let place = names.name("place", Expr::load(&self.places, vec![at])?);
        let digit = names.name("digit", self.digit(&key, round)?);
        let next = names.name("next", self.count(&digit)?);
        let to = names.name("to", target + &next.cast(DataType::I64)?);
        let steps = [
            self.set_count(&digit, &(next + 1))?,
            Stmt::store(&self.lines.run.memory, vec![to.clone()], &key)?,
            Stmt::store(&self.places, vec![to], &place)?,
        ];
        Ok(serial(&own, self.lines.extent(), names.around(Stmt::seq(steps))))
    }

    /// The elements in order, with their indices.
    fn given(&self, line: &[Var]) -> Result<Stmt, TeError> {
        let (own, mut names, mut inner) = (Var::new("own", DataType::I64), Names::default(), Names::default());
        let begin = names.name("begin", self.begin(&self.side.get()?));
        let place = Expr::load(&self.places, vec![begin + Expr::var(&own)])?.cast(DataType::I64)?;
        let place = inner.name("place", place);
        let moved = inner.around(self.given.moved(self.lines, line, &place, &Expr::var(&own))?);
        Ok(names.around(serial(&own, self.lines.extent(), moved)))
    }
}
