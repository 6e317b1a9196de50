//! Pieces: masked loads of vectors wider than a register, split into loads of register width.
//!
//! A workaround for LLVM 22 on x86 without mask registers: it splits a wide masked load before it knows that one half
//! of the predicate is false, takes that half for true, and so reads inactive lanes. Each load of a piece has a
//! predicate computed for its own lanes; one that is false in all of them is recognised before anything is split.
//! (Masked stores, gathers and scatters are split correctly.)

use tilewright_ir::tir::{Expr, ExprKind, Var};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;

use super::function::{FnCx, Position, Result};
use super::text::{Mem, Value};

/// Lanes of a vector: the first one, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Piece {
    first: u16,
    lanes: u16,
}

impl FnCx<'_, '_> {
    /// Lanes of the pieces of a contiguous masked load, if one piece does not suffice.
    pub(crate) fn piece_lanes(&self, dtype: DataType) -> Option<u16> {
        let target = self.unit.target;
        let whole = u16::try_from(target.lanes(u32::from(dtype.bits))).unwrap_or(u16::MAX);
        (dtype.lanes > whole && !target.has("avx512vl")).then_some(whole)
    }

    /// A contiguous masked load, zero in inactive lanes, `whole` lanes at a time.
    pub(crate) fn load_in_pieces(
        &mut self,
        address: &Value,
        predicate: &Expr,
        dtype: DataType,
        whole: u16,
    ) -> Result<Value> {
        let mut result: Option<Value> = None;
        for first in (0..dtype.lanes).step_by(usize::from(whole)) {
            let piece = Piece { first, lanes: whole.min(dtype.lanes - first) };
            let part = dtype.with_lanes(piece.lanes);
            let predicate = self.piece_of(predicate, piece);
            let mask = self.value(&predicate, Position::Value)?;
            let steps = Value::constant(first.to_string());
            let address = self.element_if(false, address, dtype, &steps, DataType::I64);
            let value = match piece.lanes {
                1 => self.load_if(&mask, &address, part),
                _ => self.load_masked(&address, &mask, part),
            };
            result = Some(match result {
                None => value,
                Some(before) if piece.lanes == 1 => self.appended(&before, &value, dtype.with_lanes(first)),
                Some(before) => self.joined((&before, first), (&value, piece.lanes), dtype),
            });
        }
        Ok(result.unwrap_or_else(|| Value::constant("poison")))
    }

    /// Appends a scalar as the last lane of a vector.
    fn appended(&mut self, vector: &Value, scalar: &Value, dtype: DataType) -> Value {
        let (ty, count, longer) = (Mem(dtype), dtype.lanes, dtype.with_lanes(dtype.lanes + 1));
        let lanes = (0..count).map(|lane| format!("i32 {lane}")).chain(["i32 poison".to_owned()]);
        let lanes = lanes.collect::<Vec<_>>().join(", ");
        let wide =
            self.body.assign(format_args!("shufflevector {ty} {vector}, {ty} poison, <{} x i32> <{lanes}>", count + 1));
        let (ty, element) = (Mem(longer), Mem(dtype.element()));
        self.body.assign(format_args!("insertelement {ty} {wide}, {element} {scalar}, i64 {count}"))
    }

    /// The expression of some lanes of a vector; a scalar is the same in all lanes.
    fn piece_of(&mut self, expr: &Expr, piece: Piece) -> Expr {
        if expr.dtype.is_scalar() {
            return expr.clone();
        }
        let key = (tilewright_expr::node::AnyHandle::address(expr), piece);
        if let Some(known) = self.pieces.get(&key) {
            return known.clone();
        }
        let result = with_stack(|| self.piece_of_kind(expr, piece));
        self.pieces.insert(key, result.clone());
        result
    }

    fn piece_of_kind(&mut self, expr: &Expr, piece: Piece) -> Expr {
        let mut part = |expr: &Expr| self.piece_of(expr, piece);
        let kind = match &expr.kind {
            ExprKind::Broadcast(scalar) if piece.lanes == 1 => return scalar.clone(),
            ExprKind::Broadcast(scalar) => ExprKind::Broadcast(scalar.clone()),
            ExprKind::Ramp { base, stride } => {
                let base = base + &(stride * &Expr::int(i64::from(piece.first), stride.dtype));
                if piece.lanes == 1 {
                    return base;
                }
                ExprKind::Ramp { base, stride: stride.clone() }
            }
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, part(a), part(b)),
            ExprKind::Compare(op, a, b) => ExprKind::Compare(*op, part(a), part(b)),
            ExprKind::Not(a) => ExprKind::Not(part(a)),
            ExprKind::Cast(value) => ExprKind::Cast(part(value)),
            ExprKind::Select { condition, then, otherwise } => {
                let (condition, then, otherwise) = (part(condition), part(then), part(otherwise));
                ExprKind::Select { condition, then, otherwise }
            }
            ExprKind::Var(var) if let Some(value) = self.vectors.get(&var.id()).cloned() => {
                return self.piece_of(&value, piece);
            }
            _ => {
                let lanes = (piece.first..piece.first + piece.lanes).map(usize::from).collect();
                ExprKind::Shuffle { vectors: vec![expr.clone()], lanes }
            }
        };
        Expr::raw(expr.dtype.with_lanes(piece.lanes), kind)
    }

    /// Records the value of a variable from which predicates may take pieces: a vector computed without reading memory.
    pub(crate) fn note_vector(&mut self, var: &Var, value: &Expr) {
        if var.dtype.is_vector() && self.is_speculatable(value) {
            self.vectors.insert(var.id(), value.clone());
        }
    }
}
