//! Keys that lie one behind the other ([`super::keys`]): vectors of them are counted.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Scope, Var};
use tilewright_ir::Attrs;
use tilewright_ir::tir::{Block, ForKind, Stmt, StmtKind};
use tilewright_support::Origins;
use tilewright_te::TeError;
use tilewright_tensor::DataType;

use super::keys::Keys;

/// Vectors of a piece, with which a round goes on.
const VECTORS: i64 = 4;
/// Bits that a round finds.
const BITS: i64 = 2;

pub(super) fn serial(var: &Var, extent: &Expr, body: Stmt) -> Stmt {
    Stmt::for_loop(var, Expr::i64(0), extent.clone(), ForKind::Serial, body)
}

pub(super) fn when(condition: Expr, then: Stmt, otherwise: Option<Stmt>) -> Stmt {
    StmtKind::If { condition, then, otherwise }.into()
}

pub(super) fn both(a: &Expr, b: &Expr) -> Result<Expr, TeError> {
    Ok(Expr::binary(BinOp::And, a, b)?)
}

pub(super) fn compare(op: CmpOp, a: &Expr, b: &Expr) -> Result<Expr, TeError> {
    Ok(Expr::compare(op, a, b)?)
}

/// A number that changes, in memory of its own.
#[derive(Clone)]
pub(super) struct Cell(Buffer);

impl Cell {
    pub(super) fn new(name: &str, dtype: DataType) -> Self {
        Self(Buffer::new(name, vec![Expr::i64(1)], dtype).derive(|node| node.scope = Scope::Local))
    }

    pub(super) fn get(&self) -> Result<Expr, TeError> {
        Ok(Expr::load(&self.0, vec![Expr::i64(0)])?)
    }

    pub(super) fn set(&self, value: &Expr) -> Result<Stmt, TeError> {
        Ok(Stmt::store(&self.0, vec![Expr::i64(0)], value)?)
    }

    pub(super) fn around(&self, body: Stmt) -> Stmt {
        with_local(self.0.clone(), body)
    }
}

/// Values that are named one after the other, in front of statements that use them.
#[derive(Default)]
pub(super) struct Names(Vec<(Var, Expr)>);

impl Names {
    pub(super) fn name(&mut self, name: &str, value: Expr) -> Expr {
        let var = Var::new(name, value.dtype);
        self.0.push((var.clone(), value));
        Expr::var(&var)
    }

    /// The sum of a vector's lanes.
    pub(super) fn total(&mut self, vector: Expr) -> Result<Expr, TeError> {
        let mut sum = self.name("sum", vector);
        let mut half = usize::from(sum.dtype.lanes) / 2;
        while half > 0 {
            let part = |from: usize| Expr::shuffle(vec![sum.clone()], (from..from + half).collect());
            let next = Expr::binary(BinOp::Add, &part(0)?, &part(half)?)?;
            sum = self.name("sum", next);
            half /= 2;
        }
        Ok(sum.cast(DataType::I64)?)
    }

    pub(super) fn around(self, body: Stmt) -> Stmt {
        self.0.into_iter().rev().fold(body, |body, (var, value)| StmtKind::Let { var, value, body }.into())
    }
}

/// How many parts of a size make up a number that is not negative.
pub(super) fn parts(number: &Expr, size: i64) -> Expr {
    match number.as_int() {
        Some(number) => Expr::i64(number.max(0).saturating_add(size - 1) / size),
        None => number.ceil_div(size).unwrap_or_else(|_| number.clone()),
    }
}

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
    pub(super) fn new(name: &str, keys: Keys, count: &Expr, copies: i64) -> Self {
        let lanes: u16 = if keys.dtype() == DataType::U64 { 8 } else { 16 };
        let piece = VECTORS * i64::from(lanes);
        let pieces = parts(count, piece);
        let memory = Buffer::new(name, vec![pieces.clone() * (copies * piece)], keys.dtype());
        Self { keys, lanes, piece, pieces, memory }
    }

    pub(super) fn key(&self, place: &Expr) -> Result<Expr, TeError> {
        Ok(Expr::load(&self.memory, vec![place.clone()])?)
    }

    /// The places of a piece's vectors.
    pub(super) fn vectors(&self, piece: &Expr) -> Result<Vec<Expr>, TeError> {
        let begin = |vector: i64| piece.clone() * self.piece + vector * i64::from(self.lanes);
        (0..VECTORS).map(|vector| Ok(Expr::ramp(&begin(vector), &Expr::i64(1), self.lanes)?)).collect()
    }

    /// Counts the keys below each of some numbers, for the statements that use the counts.
    pub(super) fn counted(
        &self,
        numbers: &[Expr],
        then: impl FnOnce(&[Expr]) -> Result<Stmt, TeError>,
    ) -> Result<Stmt, TeError> {
        let lane = if self.lanes == 8 { DataType::I64 } else { DataType::I32 }.with_lanes(self.lanes);
        let size = i64::from(self.lanes) * numbers.len() as i64;
        let counts =
            Buffer::new("counts", vec![Expr::i64(size)], lane.element()).derive(|node| node.scope = Scope::Local);
        let own =
            |number: usize| Expr::ramp(&Expr::i64(number as i64 * i64::from(self.lanes)), &Expr::i64(1), self.lanes);
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
        let shift = (Expr::i64(bits - BITS) - Expr::var(&round) * BITS).cast(self.keys.dtype())?;
        let shift = names.name("shift", shift);
        let known = names.name("known", key.get()?);
        let with = |digit: &Expr| -> Result<Expr, TeError> {
            Ok(Expr::binary(BinOp::BitOr, &known, &Expr::binary(BinOp::Shl, digit, &shift)?)?)
        };
        let mut numbers = Vec::new();
        for digit in 1..1 << BITS {
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
        Ok(Stmt::seq(begin.into_iter().chain([serial(&round, &Expr::i64(bits / BITS), one)])))
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

/// The statement with memory of its own.
pub(super) fn with_local(buffer: Buffer, body: Stmt) -> Stmt {
    let block = Block {
        name: "line".into(),
        iters: Vec::new(),
        alloc_buffers: vec![buffer],
        match_buffers: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        annotations: Attrs::new(),
        init: None,
        body,
        origins: Origins::default(),
    };
    StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block }.into()
}
