//! Least-significant-digit radix sort along an axis.
//!
//! The keys of a slice ([`super::key_encoding`]) and the indices of their elements are in memory of the task. For each
//! digit of eight bits, from the lowest on, a histogram of the digits and its prefix sums say where each key and index
//! moves: stable, in linear time, and without branches on comparisons. Digits that all keys share are skipped. Short
//! slices, for which histograms do not pay, are sorted by ranks ([`super::rank_sort`]).

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Scope, Var};
use tilewright_ir::Attrs;
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::rank_sort::rank_sort;
use super::sort_keys::{Given, Slices, SortSpec};
use super::statements::{Cell, Names, compare, serial, vector, when, with_local};
use crate::{TeError, Tensor, extern_op};

/// Pieces of keys, at most, of a slice that is sorted by ranks.
const RANK_SORT_PIECES_MAX: i64 = 2;
/// Bits of a digit, and the number of its values.
const DIGIT_BITS: i64 = 8;
const DIGIT_VALUES: i64 = 1 << DIGIT_BITS;

/// The tensor sorted along an axis, and the index of each element before: its position, or the element of `from` there.
pub fn sorted(
    caps: &Capabilities,
    x: &Tensor,
    from: Option<&Tensor>,
    spec: SortSpec,
    name: &str,
) -> Result<(Tensor, Option<Tensor>), TeError> {
    let outputs: Vec<_> =
        [x.dtype()].into_iter().chain(spec.indices).map(|dtype| (x.shape().to_vec(), dtype)).collect();
    let ins: Vec<Tensor> = [x].into_iter().chain(from).cloned().collect();
    let op = extern_op(&outputs, &ins, name, Attrs::new(), |ins, outs| match (ins, outs) {
        ([x, from @ ..], [values, indices @ ..]) => {
            let slices = Slices::new(caps, x, spec, 2);
            let given = Given { from: from.first(), values, indices: indices.first() };
            slices.each(|vars| ordered(&slices, given, vars))
        }
        _ => Err(TeError(format!("`{name}` sorts one tensor"))),
    })?;
    match op.outputs().as_slice() {
        [values, indices @ ..] => Ok((values.clone(), indices.first().cloned())),
        [] => Err(TeError(format!("`{name}` makes no tensor"))),
    }
}

/// Sorts a slice: by ranks if it is short, else by digits.
fn ordered(slices: &Slices<'_>, given: Given<'_>, vars: &[Var]) -> Result<Stmt, TeError> {
    let (extent, max_extent) = (slices.extent(), RANK_SORT_PIECES_MAX * slices.keys.piece);
    let body = match extent.as_int() {
        Some(0) => return Ok(Stmt::nothing()),
        Some(extent) if extent <= max_extent => rank_sort(slices, given, vars, max_extent)?,
        Some(_) => Radix::new(slices, given).sort(vars)?,
        None => {
            let is_short = compare(CmpOp::Le, extent, &Expr::i64(max_extent))?;
            let (short, long) = (rank_sort(slices, given, vars, max_extent)?, Radix::new(slices, given).sort(vars)?);
            when(compare(CmpOp::Gt, extent, &Expr::i64(0))?, when(is_short, short, Some(long)), None)
        }
    };
    Ok(Stmt::seq([slices.store_keys(vars)?, body]))
}

struct Radix<'a> {
    slices: &'a Slices<'a>,
    given: Given<'a>,
    /// The index of each key's element, of the size of the key buffer.
    positions: Buffer,
    /// The histogram of each digit of the keys, then its prefix sums: where the next key of a digit moves.
    counts: Buffer,
    /// The number of digits of a key.
    rounds: i64,
    /// Which of the two copies of keys and indices is current.
    side: Cell,
}

impl<'a> Radix<'a> {
    fn new(slices: &'a Slices<'a>, given: Given<'a>) -> Self {
        let position = match slices.extent().as_int() {
            Some(extent) if extent < i64::from(i32::MAX) => DataType::I32,
            _ => DataType::I64,
        };
        let rounds = (slices.keys.encoding.bits() + DIGIT_BITS - 1) / DIGIT_BITS;
        let size = Expr::i64(DIGIT_VALUES * rounds);
        let counts = Buffer::new("counts", vec![size], position).derive(|node| node.scope = Scope::Local);
        let positions = Buffer::new("places", slices.keys.memory.shape.to_vec(), position);
        Self { slices, given, positions, counts, rounds, side: Cell::new("side", DataType::I64) }
    }

    fn sort(&self, vars: &[Var]) -> Result<Stmt, TeError> {
        let round = Var::new("round", DataType::I64);
        let all = Stmt::seq([
            self.counted()?,
            self.side.set(&Expr::i64(0))?,
            serial(&round, &Expr::i64(self.rounds), self.moved(&Expr::var(&round))?),
            self.given(vars)?,
        ]);
        Ok(with_local(self.positions.clone(), with_local(self.counts.clone(), self.side.around(all))))
    }

    /// The first index of a copy of keys and indices.
    fn begin(&self, side: &Expr) -> Expr {
        side.clone() * (self.slices.keys.pieces.clone() * self.slices.keys.piece)
    }

    /// The index of the count of a key's digit.
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

    /// Initial indices, and the histograms.
    fn counted(&self) -> Result<Stmt, TeError> {
        let (at, own) = (Var::new("at", DataType::I64), Var::new("own", DataType::I64));
        let lanes = self.slices.caps.lanes(DataType::I32);
        let zeros = vector(&(Expr::var(&at) * i64::from(lanes)), lanes)?;
        let none = self.set_count(&zeros, &Expr::int(0, self.counts.dtype.with_lanes(lanes)))?;
        let mut names = Names::default();
        let key = names.name("key", self.slices.keys.key(&Expr::var(&own))?);
        let mut steps =
            vec![Stmt::store(&self.positions, vec![Expr::var(&own)], &Expr::var(&own).cast(self.positions.dtype)?)?];
        for round in 0..self.rounds {
            let digit = self.digit(&key, &Expr::i64(round))?;
            steps.push(self.set_count(&digit, &(self.count(&digit)? + 1))?);
        }
        let zero = serial(&at, &Expr::i64(self.rounds * DIGIT_VALUES / i64::from(lanes)), none);
        Ok(Stmt::seq([zero, serial(&own, self.slices.extent(), names.around(Stmt::seq(steps)))]))
    }

    /// Moves keys and indices to the other copy, in the order of a digit, unless all keys share it.
    fn moved(&self, round: &Expr) -> Result<Stmt, TeError> {
        let mut names = Names::default();
        let side = names.name("from", self.side.get()?);
        let begin = names.name("begin", self.begin(&side));
        let other = names.name("other", Expr::i64(1) - side);
        let target = names.name("target", self.begin(&other));
        let first = self.digit(&self.slices.keys.key(&begin)?, round)?;
        let differ = compare(CmpOp::Lt, &self.count(&first)?.cast(DataType::I64)?, self.slices.extent())?;
        let move_all =
            Stmt::seq([self.summed(round)?, self.scattered(round, &begin, &target)?, self.side.set(&other)?]);
        Ok(names.around(when(differ, move_all, None)))
    }

    /// Exclusive prefix sums of a histogram.
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
        let key = names.name("key", self.slices.keys.key(&at)?);
        let position = names.name("place", Expr::load(&self.positions, vec![at])?);
        let digit = names.name("digit", self.digit(&key, round)?);
        let next = names.name("next", self.count(&digit)?);
        let to = names.name("to", target + &next.cast(DataType::I64)?);
        let steps = [
            self.set_count(&digit, &(next + 1))?,
            Stmt::store(&self.slices.keys.memory, vec![to.clone()], &key)?,
            Stmt::store(&self.positions, vec![to], &position)?,
        ];
        Ok(serial(&own, self.slices.extent(), names.around(Stmt::seq(steps))))
    }

    /// The elements in order, with their indices.
    fn given(&self, vars: &[Var]) -> Result<Stmt, TeError> {
        let (own, mut names, mut inner) = (Var::new("own", DataType::I64), Names::default(), Names::default());
        let begin = names.name("begin", self.begin(&self.side.get()?));
        let position = Expr::load(&self.positions, vec![begin + Expr::var(&own)])?.cast(DataType::I64)?;
        let position = inner.name("place", position);
        let moved = inner.around(self.given.moved(self.slices, vars, &position, &Expr::var(&own))?);
        Ok(names.around(serial(&own, self.slices.extent(), moved)))
    }
}
