//! Double-double arithmetic: a number as the sum of two f64, the rounded result and its rounding error.
//!
//! The result of a product is a named value, so that it is rounded on its own. Its rounding error is an FMA where a
//! machine has one; elsewhere a sum of exact partial products (Dekker), with contraction or without.

use super::terms::{Steps, Term};

/// A sum of two f64, of which the first is the sum rounded.
pub(super) struct Pair {
    pub(super) high: Term,
    pub(super) low: Term,
}

/// The first 26 bits of a number, and the rest.
fn halves(steps: &mut Steps, a: &Term) -> Pair {
    let high = steps.keep("high", (a.bits() & !((1 << 27) - 1)).float());
    Pair { low: steps.keep("low", a - &high), high }
}

/// The product of two numbers.
pub(super) fn product(steps: &mut Steps, a: &Term, b: &Term) -> Pair {
    let high = steps.keep("product", a * b);
    if steps.has_fused {
        return Pair { low: steps.keep("lost", a.fused(b, &high.negated())), high };
    }
    let (a, b) = (halves(steps, a), halves(steps, b));
    let first = steps.keep("first", &a.high * &b.high - &high);
    let second = steps.keep("second", &a.high * &b.low + first);
    let third = steps.keep("third", &a.low * &b.high + second);
    Pair { low: steps.keep("lost", &a.low * &b.low + third), high }
}

/// The sum of two numbers, of which the first is no smaller.
pub(super) fn sum(steps: &mut Steps, a: &Term, b: &Term) -> Pair {
    let high = steps.keep("sum", a + b);
    Pair { low: steps.keep("lost", b - (&high - a)), high }
}

impl Pair {
    pub(super) fn times(&self, steps: &mut Steps, other: &Self) -> Self {
        let exact = product(steps, &self.high, &other.high);
        let low = steps.keep("low", &self.high * &other.low + (&self.low * &other.high + exact.low));
        sum(steps, &exact.high, &low)
    }

    /// Added to a number that is no smaller.
    pub(super) fn plus(&self, steps: &mut Steps, larger: &Term) -> Self {
        let exact = sum(steps, larger, &self.high);
        let low = steps.keep("low", exact.low + &self.low);
        sum(steps, &exact.high, &low)
    }
}
