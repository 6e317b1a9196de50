//! Dot-product instructions: several neighbours along K are multiplied and added at once, pairs of bfloat16 to float32
//! (AVX512-BF16), fours of bytes to int32 (AVX512-VNNI).
//!
//! Operands are handled as the bits of their elements. A *group* is as many neighbours along K as fill a word of 32
//! bits. Packed A is row-major, so that a group is one word; packed B has a word for each group. Where K is no multiple
//! of the group, both are padded with zeros.
//!
//! The instruction for bytes takes unsigned ones of one operand and signed ones of the other. Where both are of one
//! sort, the highest bit of A is flipped: as if 128 was added to, or subtracted from, each element. The sums then begin
//! with a *compensation* for each column, which takes off 128 times the sum of the column.

use tilewright_ir::tir::{BinOp, CmpOp, Expr, ForeignCallee, Intrinsic};
use tilewright_tensor::DataType;

use super::cx::Gemm;
use crate::build::exprs::{binary, compare, typed};
use crate::families::contraction::Contraction;
use crate::families::contraction::dot_groups::{Grouping, WORD, narrow};
use crate::fault::Fault;
use crate::plan::cpu::gemm::{GemmPlan, PackA, PackB};

/// The highest bit of a byte, and a group of bytes that have no other.
const HIGH_BIT: i64 = 0x80;
const HIGH_BITS: i64 = 0x8080_8080;

/// The contraction of the bits of the operands.
pub(super) fn of_bits(c: Contraction, grouping: Grouping, t: &GemmPlan) -> Result<Contraction, Fault> {
    let of_a = if t.matrix_tiles { PackA::Tiles } else { PackA::RowMajor };
    if t.pack_a != of_a || t.pack_b == PackB::InPlace || t.kc % grouping.size() != 0 {
        return Err(Fault::of_call(
            "dot products need both operands packed, A in row-major order or, for a matrix unit, in tiles, and `kc` a \
             multiple of the group",
        ));
    }
    if ![4, 8, 16].contains(&t.lanes) {
        return Err(Fault::of_call(format!("dot products need vectors of 4, 8 or 16 lanes, found {}", t.lanes)));
    }
    let bits = |operand: &Expr| match narrow(operand) {
        Some(value) => typed(value.reinterpret(grouping.bits())),
        None => Ok(operand.clone()),
    };
    let mut a = bits(&c.a)?;
    if grouping.flips_a() {
        a = binary(BinOp::BitXor, &a, &Expr::int(HIGH_BIT, a.dtype))?;
    }
    Ok(Contraction { a, b: bits(&c.b)?, ..c })
}

impl Gemm<'_> {
    /// Neighbours along K that are one element of packed B.
    pub(super) fn group(&self) -> i64 {
        self.grouping.map_or(1, Grouping::size)
    }

    /// The number of groups along so much of K.
    pub(super) fn groups_in(&self, k_count: &Expr) -> Result<Expr, Fault> {
        self.ceil_div(k_count, self.group())
    }

    /// The type of an element of packed B: the word of a group, or the element as it lies in memory.
    pub(super) fn packed_b_dtype(&self) -> DataType {
        if self.grouping.is_some() { WORD } else { self.narrow_b.dtype }
    }

    /// Whether sums begin with a compensation.
    pub(super) fn has_compensation(&self) -> bool {
        self.grouping.is_some_and(Grouping::flips_a)
    }

    /// The value, or zero beyond the end of K.
    pub(super) fn within_k(&self, value: Expr, k: &Expr) -> Result<Expr, Fault> {
        if self.divides(self.group(), &self.c.k.size)? {
            return Ok(value);
        }
        let inside = compare(CmpOp::Lt, k, &self.c.k.size)?;
        typed(Expr::call(Intrinsic::IfThenElse, &[inside, value.clone(), Expr::number(0, value.dtype)]))
    }

    /// The word of a group along K, from what `bits` gives at an index.
    pub(super) fn word(&self, group: &Expr, bits: impl Fn(&Expr) -> Result<Expr, Fault>) -> Result<Expr, Fault> {
        let first = group * self.group();
        self.word_of_parts(|part| {
            let k = &first + part;
            if part == 0 { bits(&k) } else { self.within_k(bits(&k)?, &k) }
        })
    }

    /// The word of a group, from what `bits` gives for each of its elements.
    pub(super) fn word_of_parts(&self, bits: impl Fn(i64) -> Result<Expr, Fault>) -> Result<Expr, Fault> {
        let size = self.group();
        let mut word = typed(bits(0)?.cast(WORD))?;
        for at in 1..size {
            let part = typed(bits(at)?.cast(WORD))?;
            let part = binary(BinOp::Shl, &part, &Expr::int(at * i64::from(WORD.bits) / size, WORD))?;
            word = binary(BinOp::BitOr, &word, &part)?;
        }
        Ok(word)
    }

    /// `sums + a * b`, summed over groups: `b` has a word for each lane, `a` the elements of one for all of them.
    pub(super) fn dot(&self, sums: &Expr, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
        self.dot_of_word(sums, &typed(a.reinterpret(WORD))?, b)
    }

    /// `sums` plus what the flipped bits of A add to the products with `b`.
    pub(super) fn dot_of_high_bits(&self, sums: &Expr, b: &Expr) -> Result<Expr, Fault> {
        self.dot_of_word(sums, &Expr::int(HIGH_BITS, WORD), b)
    }

    fn dot_of_word(&self, sums: &Expr, word: &Expr, b: &Expr) -> Result<Expr, Fault> {
        dot_of_word(self.grouping.unwrap_or(Grouping::Bfloat16), sums, word, b)
    }
}

/// `sums` plus the dot product of one word of A with a word of B for each lane.
pub(super) fn dot_of_word(grouping: Grouping, sums: &Expr, word: &Expr, b: &Expr) -> Result<Expr, Fault> {
    let lanes = sums.dtype.lanes;
    let bits = u32::from(lanes) * 32;
    let a = typed(word.broadcast(lanes))?;
    let (name, of) = match grouping {
        Grouping::Bytes { .. } => (format!("llvm.x86.avx512.vpdpbusd.{bits}"), DataType::U8.with_lanes(lanes * 4)),
        Grouping::Bfloat16 => (format!("llvm.x86.avx512bf16.dpbf16ps.{bits}"), DataType::BF16.with_lanes(lanes * 2)),
    };
    let (a, b) = (typed(a.reinterpret(of))?, typed(b.reinterpret(of))?);
    // The instruction takes unsigned bytes first.
    let a_is_unsigned = matches!(grouping, Grouping::Bytes { b_signed: true, .. });
    let operands = if a_is_unsigned { [a, b] } else { [b, a] };
    let args = std::iter::once(sums.clone()).chain(operands).collect();
    Ok(Expr::foreign(sums.dtype, ForeignCallee::Llvm(name.into()), args))
}
