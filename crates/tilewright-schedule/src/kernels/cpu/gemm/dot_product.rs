//! Sums of products of several neighbours along the depth that a processor adds in one instruction: pairs of bfloat16 to
//! float32 (AVX512-BF16), fours of bytes to int32 (AVX512-VNNI).
//!
//! The factors are handled as the bits of their elements. A *group* is as many neighbours as fill a word of 32 bits. The
//! rows' copy has neighbours along the depth beside each other, so that a group is one word; the columns' copy has a word for
//! each group. Behind the last place of a depth that is no multiple of the group are zeros in both.
//!
//! The instruction for bytes takes unsigned ones of one factor and signed ones of the other. Where both are of one sort, the
//! highest bit of the rows is turned over: as if 128 was added to, or subtracted from, each. The sums then begin with what
//! takes this off again, 128 times the sum of each column: a [`Start`].

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForeignCallee, Intrinsic};
use tilewright_tensor::DataType;

use super::cx::Gemm;
use crate::facts::exprs::{binary, compare, typed};
use crate::facts::fault::Fault;
use crate::families::contraction::Contraction;
use crate::families::contraction::dot_groups::{Grouping, WORD, narrow};
use crate::plan::cpu::gemm::{GemmPlan, PackA, PackB};

/// The highest bit of a byte, and a group of bytes that have no other.
const HIGH: i64 = 0x80;
const HIGHS: i64 = 0x8080_8080;

/// What sums of a tile begin with, for each column of a panel.
pub(super) struct Start(pub(super) Buffer);

/// The contraction of the bits of the factors.
pub(super) fn of_bits(c: Contraction, grouping: Grouping, t: &GemmPlan) -> Result<Contraction, Fault> {
    if t.pack_a != PackA::RowMajor || t.pack_b == PackB::InPlace || t.kc % grouping.size() != 0 {
        return Err(Fault::of_call(
            "groups are copied, rows in row-major order, and the depth of a step has whole ones",
        ));
    }
    if ![4, 8, 16].contains(&t.lanes) {
        return Err(Fault::of_call(format!("groups are summed in vectors of 4, 8 or 16 lanes, found {}", t.lanes)));
    }
    let bits = |factor: &Expr| match narrow(factor) {
        Some(value) => typed(value.reinterpret(grouping.bits())),
        None => Ok(factor.clone()),
    };
    let mut a = bits(&c.a)?;
    if grouping.turns_rows() {
        a = binary(BinOp::BitXor, &a, &Expr::int(HIGH, a.dtype))?;
    }
    Ok(Contraction { a, b: bits(&c.b)?, ..c })
}

impl Gemm<'_> {
    /// Neighbours along the depth that are one element of the copies of the columns.
    pub(super) fn group(&self) -> i64 {
        self.grouping.map_or(1, Grouping::size)
    }

    /// The number of groups in a depth.
    pub(super) fn groups_in(&self, depth: &Expr) -> Result<Expr, Fault> {
        self.ceil_div(depth, self.group())
    }

    /// Whether sums begin with something else than zero.
    pub(super) fn has_starts(&self) -> bool {
        self.grouping.is_some_and(Grouping::turns_rows)
    }

    /// The value, or zero behind the end of the depth.
    pub(super) fn within_depth(&self, value: Expr, place: &Expr) -> Result<Expr, Fault> {
        if self.floor_mod(&self.c.k.size, self.group())?.as_int() == Some(0) {
            return Ok(value);
        }
        let inside = compare(CmpOp::Lt, place, &self.c.k.size)?;
        typed(Expr::call(Intrinsic::IfThenElse, &[inside, value.clone(), Expr::number(0, value.dtype)]))
    }

    /// The word of a group along the depth, from what `bits` gives at a place of it.
    pub(super) fn word(&self, group: &Expr, bits: impl Fn(&Expr) -> Result<Expr, Fault>) -> Result<Expr, Fault> {
        let size = self.group();
        let first = group * size;
        let mut word = typed(bits(&first)?.cast(WORD))?;
        for at in 1..size {
            let place = &first + at;
            let part = typed(self.within_depth(bits(&place)?, &place)?.cast(WORD))?;
            let part = binary(BinOp::Shl, &part, &Expr::int(at * i64::from(WORD.bits) / size, WORD))?;
            word = binary(BinOp::BitOr, &word, &part)?;
        }
        Ok(word)
    }

    /// `sums + a * b`, summed over groups: `b` has a word for each lane, `a` the elements of one for all of them.
    pub(super) fn dot(&self, sums: &Expr, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
        self.dot_of_word(sums, &typed(a.reinterpret(WORD))?, b)
    }

    /// What takes off again that the highest bits of the rows are turned over, added to `sums`: with its sign changed.
    pub(super) fn dot_of_highs(&self, sums: &Expr, b: &Expr) -> Result<Expr, Fault> {
        self.dot_of_word(sums, &Expr::int(HIGHS, WORD), b)
    }

    fn dot_of_word(&self, sums: &Expr, word: &Expr, b: &Expr) -> Result<Expr, Fault> {
        let lanes = sums.dtype.lanes;
        let bits = u32::from(lanes) * 32;
        let a = typed(word.broadcast(lanes))?;
        let (name, of) = match self.grouping {
            Some(Grouping::Bytes { .. }) => {
                (format!("llvm.x86.avx512.vpdpbusd.{bits}"), DataType::U8.with_lanes(lanes * 4))
            }
            _ => (format!("llvm.x86.avx512bf16.dpbf16ps.{bits}"), DataType::BF16.with_lanes(lanes * 2)),
        };
        let (a, b) = (typed(a.reinterpret(of))?, typed(b.reinterpret(of))?);
        // The instruction takes unsigned bytes first.
        let unsigned_rows = match self.grouping {
            Some(Grouping::Bytes { columns_signed, .. }) => columns_signed,
            _ => false,
        };
        let factors = if unsigned_rows { [a, b] } else { [b, a] };
        let args = std::iter::once(sums.clone()).chain(factors).collect();
        Ok(Expr::foreign(sums.dtype, ForeignCallee::Llvm(name.into()), args))
    }
}
