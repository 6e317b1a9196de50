//! Operands that dot-product instructions take as they are: groups of neighbours along K that fill a word of 32 bits, pairs
//! of bfloat16 summed in float32 or fours of bytes summed in int32.

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
    Bytes {
        /// Whether the elements of the rows are signed.
        rows_signed: bool,
        /// Whether those of the columns are.
        columns_signed: bool,
    },
}

impl Grouping {
    /// How the factors of a contraction can be grouped.
    pub(crate) fn of(c: &Contraction) -> Option<Self> {
        let (rows, columns) = (narrow(&c.a)?.dtype, narrow(&c.b)?.dtype);
        if c.needs_im2col() {
            return None;
        }
        let is_byte = |dtype: DataType| dtype == DataType::I8 || dtype == DataType::U8;
        match c.out.dtype {
            DataType::F32 if rows == DataType::BF16 && columns == DataType::BF16 => Some(Self::Bfloat16),
            DataType::I32 if is_byte(rows) && is_byte(columns) => {
                Some(Self::Bytes { rows_signed: rows == DataType::I8, columns_signed: columns == DataType::I8 })
            }
            _ => None,
        }
    }

    /// Whether the highest bits of the rows are turned over.
    pub(crate) fn turns_rows(self) -> bool {
        matches!(self, Self::Bytes { rows_signed, columns_signed } if rows_signed == columns_signed)
    }

    /// The type of an element's bits.
    pub(crate) fn bits(self) -> DataType {
        match self {
            Self::Bfloat16 => DataType::U16,
            Self::Bytes { .. } => DataType::U8,
        }
    }

    /// Neighbours of a group.
    pub(crate) fn size(self) -> i64 {
        i64::from(WORD.bits / self.bits().bits)
    }
}

/// The value that a factor is, widened to the type of the sums.
pub(crate) fn narrow(factor: &Expr) -> Option<&Expr> {
    match &factor.kind {
        ExprKind::Cast(value) => Some(value),
        _ => None,
    }
}
