//! Order-preserving sort keys: elements as unsigned integers of the same order, so that one instruction compares
//! vectors of them.
//!
//! Equal elements have equal keys, both zeros among them, and so have all NaN, whose key is above those of all numbers.
//! Keys of a descending order have all bits inverted.

use crate::TeError;
use tilewright_expr::{BinOp, CmpOp, Expr, Intrinsic};
use tilewright_tensor::DataType;

/// The mapping of a tensor's elements to keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyEncoding {
    element: DataType,
    descending: bool,
}

impl KeyEncoding {
    pub(super) fn new(element: DataType, descending: bool) -> Self {
        Self { element, descending }
    }

    /// The type of the keys.
    pub(super) fn dtype(self) -> DataType {
        if self.element.bits > 32 { DataType::U64 } else { DataType::U32 }
    }

    /// The integer type in which lanes count keys, of the width of keys.
    pub(super) fn count_dtype(self) -> DataType {
        if self.element.bits > 32 { DataType::I64 } else { DataType::I32 }
    }

    /// The number of low bits that a key may have set, an even number.
    pub(super) fn bits(self) -> i64 {
        match self.element {
            // Narrower floats are converted to float32 first.
            float if float.is_float() => i64::from(self.dtype().bits),
            bool if bool.is_bool() => 2,
            other => i64::from(other.bits + other.bits % 2),
        }
    }

    /// The greatest key, for padding: it is above every key but that of the last element in order.
    pub(super) fn last(self, lanes: u16) -> Expr {
        Expr::int(-1, self.dtype().with_lanes(lanes))
    }

    /// The key of an element, or of each in a vector.
    pub(super) fn of(self, element: &Expr) -> Result<Expr, TeError> {
        let dtype = self.dtype().with_lanes(element.dtype.lanes);
        let key = match self.element.is_float() {
            true => self.of_float(element)?,
            false => self.of_integer(element)?,
        };
        if !self.descending {
            return Ok(key);
        }
        let all = if self.bits() < 64 { (1_i64 << self.bits()) - 1 } else { -1 };
        Ok(Expr::binary(BinOp::BitXor, &key, &Expr::int(all, dtype))?)
    }

    fn of_integer(self, element: &Expr) -> Result<Expr, TeError> {
        let wide = element.cast(self.dtype())?;
        if !self.element.is_signed() || self.element.is_bool() {
            return Ok(wide);
        }
        // Flipping the sign bit makes two's complement order unsigned; bits of the sign extension are dropped.
        let (bits, dtype) = (self.element.bits, wide.dtype);
        let raised = Expr::binary(BinOp::BitXor, &wide, &Expr::int(1_i64.wrapping_shl(u32::from(bits) - 1), dtype))?;
        match i64::from(bits) < i64::from(dtype.bits) {
            true => Ok(Expr::binary(BinOp::BitAnd, &raised, &Expr::int((1_i64 << bits) - 1, dtype))?),
            false => Ok(raised),
        }
    }

    fn of_float(self, element: &Expr) -> Result<Expr, TeError> {
        let (float, bits) = match self.dtype() {
            DataType::U64 => (DataType::F64, DataType::I64),
            _ => (DataType::F32, DataType::I32),
        };
        let lanes = element.dtype.lanes;
        let (float, signed, key) = (float.with_lanes(lanes), bits.with_lanes(lanes), self.dtype().with_lanes(lanes));
        let number = element.cast(float)?;
        let least = Expr::int(1_i64.wrapping_shl(u32::from(bits.bits) - 1), signed);
        let found = number.reinterpret(signed)?;
        // Negative floats have the sign-magnitude order reversed: all bits are flipped, else the sign bit only.
        let sign = Expr::binary(BinOp::Shr, &found, &Expr::int(i64::from(bits.bits) - 1, signed))?;
        let changed = Expr::binary(BinOp::BitXor, &found, &Expr::binary(BinOp::BitOr, &sign, &least)?)?;
        let zero = Expr::compare(CmpOp::Eq, &number, &Expr::float(0.0, float))?;
        let changed = Expr::select(&zero, &least, &changed)?.reinterpret(key)?;
        let nan = Expr::call(Intrinsic::IsNan, &[number])?;
        Ok(Expr::select(&nan, &self.last(lanes), &changed)?)
    }
}
