//! Radix selection: the key of a rank among contiguous keys ([`super::key_encoding`]), a few bits at a time, by
//! counting the keys below candidates in vectors.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Scope, Var};
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::key_encoding::KeyEncoding;
use super::statements::{Cell, Names, compare, parts, serial, vector, with_local};
use crate::TeError;

/// Vectors that one iteration of a loop over keys takes.
const VECTORS_PER_PIECE: i64 = 4;
/// Bits of the key that a round of [`KeyBuffer::select`] determines.
const BITS_PER_ROUND: i64 = 2;

/// Contiguous keys, padded to whole pieces with the greatest key.
#[derive(Clone)]
pub(super) struct KeyBuffer {
    pub(super) encoding: KeyEncoding,
    /// Keys per vector.
    pub(super) lanes: u16,
    /// Keys per piece.
    pub(super) piece: i64,
    /// The bound of pieces.
    pub(super) pieces: Expr,
    pub(super) memory: Buffer,
}

impl KeyBuffer {
    /// A buffer for `count` keys, with `copies` of them one after the other.
    pub(super) fn new(caps: &Capabilities, name: &str, encoding: KeyEncoding, count: &Expr, copies: i64) -> Self {
        let lanes = caps.lanes(encoding.dtype());
        let piece = VECTORS_PER_PIECE * i64::from(lanes);
        let pieces = parts(count, piece);
        let memory = Buffer::new(name, vec![pieces.clone() * (copies * piece)], encoding.dtype());
        Self { encoding, lanes, piece, pieces, memory }
    }

    pub(super) fn key(&self, position: &Expr) -> Result<Expr, TeError> {
        Ok(Expr::load(&self.memory, vec![position.clone()])?)
    }

    /// The indices of a piece's vectors.
    pub(super) fn vectors(&self, piece: &Expr) -> Result<Vec<Expr>, TeError> {
        let begin = |at: i64| piece.clone() * self.piece + at * i64::from(self.lanes);
        (0..VECTORS_PER_PIECE).map(|at| vector(&begin(at), self.lanes)).collect()
    }

    /// Counts the keys below each of some bounds, for the statements of `then`, which use the counts.
    pub(super) fn count_below(
        &self,
        bounds: &[Expr],
        then: impl FnOnce(&[Expr]) -> Result<Stmt, TeError>,
    ) -> Result<Stmt, TeError> {
        let lane = self.encoding.count_dtype().with_lanes(self.lanes);
        let size = i64::from(self.lanes) * bounds.len() as i64;
        let counts =
            Buffer::new("counts", vec![Expr::i64(size)], lane.element()).derive(|node| node.scope = Scope::Local);
        let own = |bound: usize| vector(&Expr::i64(bound as i64 * i64::from(self.lanes)), self.lanes);
        let mut stmts = Vec::new();
        for bound in 0..bounds.len() {
            stmts.push(Stmt::store(&counts, vec![own(bound)?], &Expr::int(0, lane))?);
        }
        let (piece, mut names, mut sums) = (Var::new("piece", DataType::I64), Names::default(), Vec::new());
        let vectors = self.vectors(&Expr::var(&piece))?;
        let keys = vectors
            .iter()
            .map(|positions| Ok(names.name("key", self.key(positions)?)))
            .collect::<Result<Vec<_>, TeError>>()?;
        for (at, bound) in bounds.iter().enumerate() {
            let mut count = Expr::load(&counts, vec![own(at)?])?;
            for key in &keys {
                let below = compare(CmpOp::Lt, key, &bound.broadcast(self.lanes)?)?;
                count = count + Expr::select(&below, &Expr::int(1, lane), &Expr::int(0, lane))?;
            }
            sums.push(Stmt::store(&counts, vec![own(at)?], &count)?);
        }
        stmts.push(serial(&piece, &self.pieces, names.around(Stmt::seq(sums))));
        let (mut names, mut totals) = (Names::default(), Vec::new());
        for at in 0..bounds.len() {
            let total = names.total(Expr::load(&counts, vec![own(at)?])?)?;
            totals.push(names.name("below", total));
        }
        stmts.push(names.around(then(&totals)?));
        Ok(with_local(counts, Stmt::seq(stmts)))
    }

    /// The key of a rank in `key`, and the bound of keys below it in `below`.
    pub(super) fn select(&self, rank: &Expr, key: &Cell, below: &Cell) -> Result<Stmt, TeError> {
        let (round, bits) = (Var::new("round", DataType::I64), self.encoding.bits());
        let mut names = Names::default();
        let shift =
            (Expr::i64(bits - BITS_PER_ROUND) - Expr::var(&round) * BITS_PER_ROUND).cast(self.encoding.dtype())?;
        let shift = names.name("shift", shift);
        let known = names.name("known", key.get()?);
        let with = |digit: &Expr| -> Result<Expr, TeError> {
            Ok(Expr::binary(BinOp::BitOr, &known, &Expr::binary(BinOp::Shl, digit, &shift)?)?)
        };
        let mut bounds = Vec::new();
        for digit in 1..1 << BITS_PER_ROUND {
            bounds.push(names.name("number", with(&Expr::int(digit, self.encoding.dtype()))?));
        }
        let choose = |counts: &[Expr]| -> Result<Stmt, TeError> {
            let (mut digit, mut less) = (Expr::int(0, self.encoding.dtype()), below.get()?);
            for (at, count) in counts.iter().enumerate() {
                let fits = compare(CmpOp::Le, count, rank)?;
                digit = Expr::select(&fits, &Expr::int(at as i64 + 1, self.encoding.dtype()), &digit)?;
                less = Expr::select(&fits, count, &less)?;
            }
            Ok(Stmt::seq([below.set(&less)?, key.set(&with(&digit)?)?]))
        };
        let one = names.around(self.count_below(&bounds, choose)?);
        let begin = [key.set(&Expr::int(0, self.encoding.dtype()))?, below.set(&Expr::i64(0))?];
        Ok(Stmt::seq(begin.into_iter().chain([serial(&round, &Expr::i64(bits / BITS_PER_ROUND), one)])))
    }

    /// Counts the keys of a piece that satisfy a condition, for the statements of `then`, which use the count.
    pub(super) fn count_in_piece(
        &self,
        piece: &Expr,
        satisfies: impl Fn(&Expr) -> Result<Expr, TeError>,
        then: impl FnOnce(&Expr) -> Result<Stmt, TeError>,
    ) -> Result<Stmt, TeError> {
        let dtype = DataType::I32.with_lanes(self.lanes);
        let (mut names, mut count) = (Names::default(), Expr::int(0, dtype));
        for positions in self.vectors(piece)? {
            count =
                count + Expr::select(&satisfies(&self.key(&positions)?)?, &Expr::int(1, dtype), &Expr::int(0, dtype))?;
        }
        let total = names.total(count)?;
        let total = names.name("there", total);
        Ok(names.around(then(&total)?))
    }
}
