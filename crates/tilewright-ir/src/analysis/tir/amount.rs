//! Numbers that depend on sizes which a function gets with its arguments.

use std::sync::Arc;

use crate::tir::Expr;

/// A number of operations or bytes. Constants are folded as it is put together.
#[derive(Clone, Debug)]
pub enum Amount {
    Number(f64),
    /// The value of an expression; what it belongs to, in words such as "loop `i`".
    Size {
        of: Arc<str>,
        value: Expr,
    },
    Sum(Vec<Amount>),
    Product(Vec<Amount>),
    Quotient(Box<[Amount; 2]>),
    Least(Box<[Amount; 2]>),
    Most(Box<[Amount; 2]>),
}

impl Amount {
    pub const NOTHING: Self = Self::Number(0.0);
    pub const ONE: Self = Self::Number(1.0);

    /// The value of an expression, nothing where that is negative.
    pub(crate) fn size(of: impl FnOnce() -> String, value: &Expr) -> Self {
        match value.as_int() {
            Some(number) => Self::Number(number.max(0) as f64),
            None => Self::Size { of: of().into(), value: value.clone() },
        }
    }

    /// The number, where it depends on nothing.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The reason why the amount is unknown, in words.
    pub fn unknown(&self) -> Option<&str> {
        match self {
            Self::Number(_) => None,
            Self::Size { of, .. } => Some(of),
            Self::Sum(parts) | Self::Product(parts) => parts.iter().find_map(Self::unknown),
            Self::Quotient(parts) | Self::Least(parts) | Self::Most(parts) => parts.iter().find_map(Self::unknown),
        }
    }

    #[must_use]
    pub(crate) fn plus(self, other: Self) -> Self {
        let mut parts = Vec::new();
        let mut constant = 0.0;
        for side in [self, other] {
            match side {
                Self::Sum(inner) => parts.extend(inner),
                other => parts.push(other),
            }
        }
        parts.retain(|part| match part {
            Self::Number(number) => {
                constant += number;
                false
            }
            _ => true,
        });
        if constant != 0.0 {
            parts.push(Self::Number(constant));
        }
        only(parts, 0.0, Self::Sum)
    }

    #[must_use]
    pub(crate) fn times(self, other: Self) -> Self {
        let mut parts = Vec::new();
        let mut constant = 1.0;
        for side in [self, other] {
            match side {
                Self::Product(inner) => parts.extend(inner),
                other => parts.push(other),
            }
        }
        parts.retain(|part| match part {
            Self::Number(number) => {
                constant *= number;
                false
            }
            _ => true,
        });
        if constant == 0.0 {
            return Self::NOTHING;
        }
        if constant != 1.0 {
            parts.insert(0, Self::Number(constant));
        }
        only(parts, 1.0, Self::Product)
    }

    /// Divided by the other, which counts as 1 where it is less.
    #[must_use]
    pub(crate) fn over(self, other: Self) -> Self {
        match (self, other.max(Self::ONE)) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a / b),
            (a, b) => Self::Quotient(Box::new([a, b])),
        }
    }

    #[must_use]
    pub(crate) fn least(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a.min(b)),
            (a, b) => Self::Least(Box::new([a, b])),
        }
    }

    #[must_use]
    pub(crate) fn max(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a.max(b)),
            (a, b) => Self::Most(Box::new([a, b])),
        }
    }
}

/// The parts; the identity for none, the part itself for one.
fn only(mut parts: Vec<Amount>, none: f64, several: impl FnOnce(Vec<Amount>) -> Amount) -> Amount {
    match parts.len() {
        0 => Amount::Number(none),
        1 => parts.swap_remove(0),
        _ => several(parts),
    }
}
