//! Conversions.

use tilewright_expr::semantics;
use tilewright_tensor::{DataType, TypeCode};

use crate::bounds::IntBounds;
use crate::session::{Id, Mode, Session, Tag, is_index_type};

/// Whether every value of one type is a value of the other, so that a conversion on the way changes nothing.
pub(crate) fn is_lossless(from: DataType, to: DataType) -> bool {
    let (from, to) = (from.element(), to.element());
    // Digits of the significand, the hidden one included.
    let digits = |dtype: DataType| match (dtype.code, dtype.bits) {
        (TypeCode::BFloat, _) => 8,
        (_, 16) => 11,
        (_, 32) => 24,
        _ => 53,
    };
    match (from.code, to.code) {
        _ if from == to => true,
        _ if from.is_bool() => to.is_int() || to.is_float(),
        (TypeCode::Int, TypeCode::Int) | (TypeCode::UInt, TypeCode::UInt) => from.bits <= to.bits,
        (TypeCode::UInt, TypeCode::Int) => from.bits < to.bits,
        (TypeCode::Int | TypeCode::UInt, _) if to.is_float() && from.is_int() => from.bits <= digits(to),
        _ if from.is_float() && to.is_float() => to.bits > from.bits,
        _ => false,
    }
}

impl Session<'_> {
    pub(crate) fn cast(&mut self, a: Id, dtype: DataType) -> Id {
        let from = self.dtype(a);
        if from == dtype {
            return a;
        }
        if let Some(value) = self.scalar(a)
            && dtype.is_scalar()
        {
            return self.constant(semantics::cast(value, dtype));
        }
        if let Some(inner) = self.cast_of_cast(a, dtype) {
            return inner;
        }
        let indices = is_index_type(from) && is_index_type(dtype);
        if indices && self.mode == Mode::Proof && self.node(a).index && (dtype == DataType::I64 || self.fits(a, dtype))
        {
            return a;
        }
        let (tag, ids) = (self.node(a).tag.clone(), self.node(a).ids.clone());
        match (tag, ids.as_slice()) {
            // cast(broadcast(x)) = broadcast(cast(x))
            (Tag::Broadcast, &[x]) => {
                let inner = self.cast(x, dtype.element());
                self.make(dtype, Tag::Broadcast, vec![inner])
            }
            // cast(ramp(x, s)) = ramp(cast(x), cast(s)), of indices to a wider type
            (Tag::Ramp, &[base, stride])
                if self.node(a).index && from.element() == DataType::I32 && dtype.element() == DataType::I64 =>
            {
                let (base, stride) = (self.cast(base, DataType::I64), self.cast(stride, DataType::I64));
                self.ramp(base, stride, dtype)
            }
            _ => self.make(dtype, Tag::Cast, vec![a]),
        }
    }

    /// `C(B(x)) = C(x)`, where `B` has every value that `x` can have; `x` itself, where that is its type.
    fn cast_of_cast(&mut self, a: Id, dtype: DataType) -> Option<Id> {
        let Tag::Cast = self.node(a).tag else { return None };
        let (inner, middle) = (self.node(a).ids[0], self.dtype(a));
        let from = self.dtype(inner);
        let indices = is_index_type(from) && is_index_type(middle) && is_index_type(dtype);
        let kept = is_lossless(from, middle)
            || (indices && self.node(inner).exact && self.node(inner).bounds.within(IntBounds::of_type(middle)));
        // Floats saturate where integers wrap around, and narrow floats are rounded from float32.
        let mixed = from.is_int() && middle.is_float();
        let same = !mixed || is_lossless(from, dtype);
        (kept && same).then(|| self.cast(inner, dtype))
    }

    fn fits(&self, id: Id, dtype: DataType) -> bool {
        self.node(id).bounds.within(IntBounds::of_type(dtype))
    }
}
