//! Constant bounds of integers.

use tilewright_tensor::{DataType, TypeCode};

/// The integers from `min` to `max`, both included; `None` is no bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct IntBounds {
    pub min: Option<i64>,
    pub max: Option<i64>,
}

impl IntBounds {
    pub const ANY: Self = Self { min: None, max: None };

    pub const fn new(min: Option<i64>, max: Option<i64>) -> Self {
        Self { min, max }
    }

    pub const fn constant(value: i64) -> Self {
        Self { min: Some(value), max: Some(value) }
    }

    /// The values that a type can hold. `int64` and `uint64` count as unbounded.
    pub fn of_type(dtype: DataType) -> Self {
        let bits = u32::from(dtype.bits);
        match dtype.code {
            TypeCode::Bool => Self::new(Some(0), Some(1)),
            TypeCode::Int if bits < 64 => Self::new(Some(-(1 << (bits - 1))), Some((1 << (bits - 1)) - 1)),
            TypeCode::UInt if bits < 64 => Self::new(Some(0), Some((1 << bits) - 1)),
            _ => Self::ANY,
        }
    }

    /// The value, if only one is possible.
    pub fn value(self) -> Option<i64> {
        if self.min == self.max { self.min } else { None }
    }

    /// Whether every value lies in `other`.
    pub fn within(self, other: Self) -> bool {
        let low = other.min.is_none_or(|bound| self.min.is_some_and(|min| min >= bound));
        let high = other.max.is_none_or(|bound| self.max.is_some_and(|max| max <= bound));
        low && high
    }

    pub fn at_least(self, bound: i64) -> bool {
        self.min.is_some_and(|min| min >= bound)
    }

    pub fn at_most(self, bound: i64) -> bool {
        self.max.is_some_and(|max| max <= bound)
    }

    /// The smallest bounds around both.
    pub fn hull(self, other: Self) -> Self {
        Self { min: both(self.min, other.min, i64::min), max: both(self.max, other.max, i64::max) }
    }

    /// The values in both.
    pub fn meet(self, other: Self) -> Self {
        Self { min: either(self.min, other.min, i64::max), max: either(self.max, other.max, i64::min) }
    }

    pub(crate) fn scaled(self, factor: i64) -> Self {
        let (low, high) = if factor < 0 { (self.max, self.min) } else { (self.min, self.max) };
        let times = |bound: Option<i64>| bound.and_then(|bound| bound.checked_mul(factor));
        if factor == 0 { Self::constant(0) } else { Self { min: times(low), max: times(high) } }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        let add = |a: Option<i64>, b: Option<i64>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
        Self { min: add(self.min, other.min), max: add(self.max, other.max) }
    }

    pub(crate) fn times(self, other: Self) -> Self {
        let ends = [(self.min, other.min), (self.min, other.max), (self.max, other.min), (self.max, other.max)];
        let products: Option<Vec<i64>> = ends.iter().map(|&(a, b)| a?.checked_mul(b?)).collect();
        match products {
            Some(all) => Self { min: all.iter().copied().min(), max: all.iter().copied().max() },
            None if self.at_least(0) && other.at_least(0) => {
                Self { min: self.min.zip(other.min).and_then(|(a, b)| a.checked_mul(b)).or(Some(0)), max: None }
            }
            None => Self::ANY,
        }
    }
}

fn both(a: Option<i64>, b: Option<i64>, f: fn(i64, i64) -> i64) -> Option<i64> {
    a.zip(b).map(|(a, b)| f(a, b))
}

fn either(a: Option<i64>, b: Option<i64>, f: fn(i64, i64) -> i64) -> Option<i64> {
    both(a, b, f).or(a).or(b)
}
