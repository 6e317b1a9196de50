//! Keys that lie one behind the other ([`super::keys`]): vectors of them are counted.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Scope, Var};
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::keys::Keys;
use super::statements::{Cell, Names, compare, parts, serial, vector, with_local};
use crate::TeError;

/// Vectors that one iteration of a loop over keys takes.
const VECTORS_PER_PIECE: i64 = 4;
/// Bits of the key that a round of [`Run::found`] finds.
const BITS_PER_ROUND: i64 = 2;

/// Keys that lie one behind the other, in whole pieces: those behind their end are the greatest.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) keys: Keys,
    /// Keys of a vector.
    pub(super) lanes: u16,
    /// Keys of a piece.
    pub(super) piece: i64,
    /// How many pieces there are.
    pub(super) pieces: Expr,
    pub(super) memory: Buffer,
}

impl Run {
    /// Room for so many keys, and for so many copies of them, one behind the other.
    pub(super) fn new(caps: &Capabilities, name: &str, keys: Keys, count: &Expr, copies: i64) -> Self {
        let lanes = caps.lanes(keys.dtype());
        let piece = VECTORS_PER_PIECE * i64::from(lanes);
        let pieces = parts(count, piece);
        let memory = Buffer::new(name, vec![pieces.clone() * (copies * piece)], keys.dtype());
        Self { keys, lanes, piece, pieces, memory }
    }

    pub(super) fn key(&self, place: &Expr) -> Result<Expr, TeError> {
        Ok(Expr::load(&self.memory, vec![place.clone()])?)
    }

    /// The places of a piece's vectors.
    pub(super) fn vectors(&self, piece: &Expr) -> Result<Vec<Expr>, TeError> {
        let begin = |at: i64| piece.clone() * self.piece + at * i64::from(self.lanes);
        (0..VECTORS_PER_PIECE).map(|at| vector(&begin(at), self.lanes)).collect()
    }

    /// Counts the keys below each of some numbers, for the statements that use the counts.
    pub(super) fn counted(
        &self,
        numbers: &[Expr],
        then: impl FnOnce(&[Expr]) -> Result<Stmt, TeError>,
    ) -> Result<Stmt, TeError> {
        let lane = self.keys.count_dtype().with_lanes(self.lanes);
        let size = i64::from(self.lanes) * numbers.len() as i64;
        let counts =
            Buffer::new("counts", vec![Expr::i64(size)], lane.element()).derive(|node| node.scope = Scope::Local);
        let own = |number: usize| vector(&Expr::i64(number as i64 * i64::from(self.lanes)), self.lanes);
        let mut stmts = Vec::new();
        for number in 0..numbers.len() {
            stmts.push(Stmt::store(&counts, vec![own(number)?], &Expr::int(0, lane))?);
        }
        let (piece, mut names, mut sums) = (Var::new("piece", DataType::I64), Names::default(), Vec::new());
        let vectors = self.vectors(&Expr::var(&piece))?;
        let keys = vectors
            .iter()
            .map(|places| Ok(names.name("key", self.key(places)?)))
            .collect::<Result<Vec<_>, TeError>>()?;
        for (at, number) in numbers.iter().enumerate() {
            let mut count = Expr::load(&counts, vec![own(at)?])?;
            for key in &keys {
                let below = compare(CmpOp::Lt, key, &number.broadcast(self.lanes)?)?;
                count = count + Expr::select(&below, &Expr::int(1, lane), &Expr::int(0, lane))?;
            }
            sums.push(Stmt::store(&counts, vec![own(at)?], &count)?);
        }
        stmts.push(serial(&piece, &self.pieces, names.around(Stmt::seq(sums))));
        let (mut names, mut totals) = (Names::default(), Vec::new());
        for at in 0..numbers.len() {
            let total = names.total(Expr::load(&counts, vec![own(at)?])?)?;
            totals.push(names.name("below", total));
        }
        stmts.push(names.around(then(&totals)?));
        Ok(with_local(counts, Stmt::seq(stmts)))
    }

    /// Finds the key of a rank, and how many keys lie below it.
    pub(super) fn found(&self, rank: &Expr, key: &Cell, below: &Cell) -> Result<Stmt, TeError> {
        let (round, bits) = (Var::new("round", DataType::I64), self.keys.bits());
        let mut names = Names::default();
        let shift = (Expr::i64(bits - BITS_PER_ROUND) - Expr::var(&round) * BITS_PER_ROUND).cast(self.keys.dtype())?;
        let shift = names.name("shift", shift);
        let known = names.name("known", key.get()?);
        let with = |digit: &Expr| -> Result<Expr, TeError> {
            Ok(Expr::binary(BinOp::BitOr, &known, &Expr::binary(BinOp::Shl, digit, &shift)?)?)
        };
        let mut numbers = Vec::new();
        for digit in 1..1 << BITS_PER_ROUND {
            numbers.push(names.name("number", with(&Expr::int(digit, self.keys.dtype()))?));
        }
        let choose = |counts: &[Expr]| -> Result<Stmt, TeError> {
            let (mut digit, mut less) = (Expr::int(0, self.keys.dtype()), below.get()?);
            for (at, count) in counts.iter().enumerate() {
                let fits = compare(CmpOp::Le, count, rank)?;
                digit = Expr::select(&fits, &Expr::int(at as i64 + 1, self.keys.dtype()), &digit)?;
                less = Expr::select(&fits, count, &less)?;
            }
            Ok(Stmt::seq([below.set(&less)?, key.set(&with(&digit)?)?]))
        };
        let one = names.around(self.counted(&numbers, choose)?);
        let begin = [key.set(&Expr::int(0, self.keys.dtype()))?, below.set(&Expr::i64(0))?];
        Ok(Stmt::seq(begin.into_iter().chain([serial(&round, &Expr::i64(bits / BITS_PER_ROUND), one)])))
    }

    /// How many keys of a piece satisfy a condition, for the statements that use it.
    pub(super) fn of_piece(
        &self,
        piece: &Expr,
        satisfies: impl Fn(&Expr) -> Result<Expr, TeError>,
        then: impl FnOnce(&Expr) -> Result<Stmt, TeError>,
    ) -> Result<Stmt, TeError> {
        let dtype = DataType::I32.with_lanes(self.lanes);
        let (mut names, mut count) = (Names::default(), Expr::int(0, dtype));
        for places in self.vectors(piece)? {
            count = count + Expr::select(&satisfies(&self.key(&places)?)?, &Expr::int(1, dtype), &Expr::int(0, dtype))?;
        }
        let total = names.total(count)?;
        let total = names.name("there", total);
        Ok(names.around(then(&total)?))
    }
}
