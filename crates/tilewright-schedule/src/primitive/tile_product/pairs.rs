//! Sums of pairs of bfloat16 products, as processors with AVX512-BF16 add them to float32 in one instruction.
//!
//! The factors are handled as the bits of their elements. The rows' copy has neighbours along the depth beside each other,
//! so that a pair is one word; the columns' copy has words of two neighbours each. Behind the last place of an odd depth is
//! a zero in both.

use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind, ForeignCallee, Intrinsic};
use tilewright_tensor::DataType;

use super::contraction::Contraction;
use super::nest::Product;
use super::{PackColumns, PackRows, Tiling};
use crate::guard::{binary, compare, typed};
use crate::primitive::Fault;

const BITS: DataType = DataType::U16;
const WORD: DataType = DataType::U32;

/// The bfloat16 value that a factor is, widened to float32.
fn narrow(factor: &Expr) -> Option<&Expr> {
    match &factor.kind {
        ExprKind::Cast(value) if value.dtype == DataType::BF16 && factor.dtype == DataType::F32 => Some(value),
        _ => None,
    }
}

/// Whether both factors are bfloat16, and their sum is float32.
pub(crate) fn is_of_pairs(c: &Contraction) -> bool {
    narrow(&c.of_rows).is_some() && narrow(&c.of_columns).is_some() && c.out.dtype == DataType::F32 && !c.has_lines()
}

/// The contraction of the bits of the factors.
pub(super) fn of_bits(c: Contraction, t: &Tiling) -> Result<Contraction, Fault> {
    if !is_of_pairs(&c) {
        return Err(Fault::of_call("pairs are of bfloat16 factors, side by side, summed in float32"));
    }
    if t.pack_rows != PackRows::RowMajor || t.pack_columns == PackColumns::InPlace || t.depth % 2 != 0 {
        return Err(Fault::of_call("pairs are copied, rows in row-major order, and the depth of a step is even"));
    }
    if ![4, 8, 16].contains(&t.lanes) {
        return Err(Fault::of_call(format!("pairs are summed in vectors of 4, 8 or 16 lanes, found {}", t.lanes)));
    }
    let bits = |factor: &Expr| match narrow(factor) {
        Some(value) => typed(value.reinterpret(BITS)),
        None => Ok(factor.clone()),
    };
    Ok(Contraction { of_rows: bits(&c.of_rows)?, of_columns: bits(&c.of_columns)?, ..c })
}

impl Product<'_> {
    /// The number of pairs in a depth.
    pub(super) fn pairs_in(&self, depth: &Expr) -> Result<Expr, Fault> {
        self.ceil_div(depth, 2)
    }

    /// The value, or zero behind the end of the depth.
    pub(super) fn within_depth(&self, value: Expr, place: &Expr) -> Result<Expr, Fault> {
        if self.floor_mod(&self.c.depth.size, 2)?.as_int() == Some(0) {
            return Ok(value);
        }
        let inside = compare(CmpOp::Lt, place, &self.c.depth.size)?;
        typed(Expr::call(Intrinsic::IfThenElse, &[inside, value.clone(), Expr::number(0, value.dtype)]))
    }

    /// The word of a pair of neighbours along the depth, from what `bits` gives at a place of it.
    pub(super) fn word(&self, pair: &Expr, bits: impl Fn(&Expr) -> Result<Expr, Fault>) -> Result<Expr, Fault> {
        let (first, second) = (pair * 2, &(pair * 2) + 1);
        let low = typed(bits(&first)?.cast(WORD))?;
        let high = typed(self.within_depth(bits(&second)?, &second)?.cast(WORD))?;
        let high = binary(BinOp::Shl, &high, &Expr::int(16, WORD))?;
        binary(BinOp::BitOr, &low, &high)
    }

    /// `sums + a * b`, summed over pairs: `b` has a word for each lane, `a` two elements for all of them.
    pub(super) fn dot(&self, sums: &Expr, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
        let lanes = sums.dtype.lanes;
        let halves = DataType::BF16.with_lanes(lanes * 2);
        let word = typed(a.reinterpret(WORD))?;
        let a = typed(typed(word.broadcast(lanes))?.reinterpret(halves))?;
        let b = typed(b.reinterpret(halves))?;
        let name = format!("llvm.x86.avx512bf16.dpbf16ps.{}", u32::from(lanes) * 32);
        let args = vec![sums.clone(), b, a];
        Ok(Expr::foreign(sums.dtype, ForeignCallee::Llvm(name.into()), args))
    }
}
