//! Operands that dot-product instructions take as they are: groups of neighbours along K that fill a word of 32 bits,
//! pairs of bfloat16 summed in float32 or fours of bytes summed in int32.

use tilewright_ir::tir::{Expr, ExprKind};
use tilewright_tensor::DataType;

use super::Contraction;

/// The word that holds a group.
pub(crate) const WORD: DataType = DataType::U32;

/// Elements that one instruction multiplies and sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Grouping {
    /// Pairs of bfloat16.
    Bfloat16,
    /// Fours of bytes.
    Bytes { a_signed: bool, b_signed: bool },
}

impl Grouping {
    /// How the operands of a contraction can be grouped.
    pub(crate) fn of(c: &Contraction) -> Option<Self> {
        let (a, b) = (narrow(&c.a)?.dtype, narrow(&c.b)?.dtype);
        let is_byte = |dtype: DataType| dtype == DataType::I8 || dtype == DataType::U8;
        match c.out.dtype {
            DataType::F32 if a == DataType::BF16 && b == DataType::BF16 && !c.needs_im2col() => Some(Self::Bfloat16),
            DataType::I32 if is_byte(a) && is_byte(b) => {
                Some(Self::Bytes { a_signed: a == DataType::I8, b_signed: b == DataType::I8 })
            }
            _ => None,
        }
    }

    /// Whether the highest bits of A are flipped, since both operands are of one sort.
    pub(crate) fn flips_a(self) -> bool {
        matches!(self, Self::Bytes { a_signed, b_signed } if a_signed == b_signed)
    }

    /// The type of an element's bits.
    pub(crate) fn bits(self) -> DataType {
        match self {
            Self::Bfloat16 => DataType::U16,
            Self::Bytes { .. } => DataType::U8,
        }
    }

    /// The elements of a group.
    pub(crate) fn size(self) -> i64 {
        i64::from(WORD.bits / self.bits().bits)
    }
}

/// The value that an operand widens to the type of the sums.
pub(crate) fn narrow(operand: &Expr) -> Option<&Expr> {
    match &operand.kind {
        ExprKind::Cast(value) => Some(value),
        _ => None,
    }
}
