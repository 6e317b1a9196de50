//! Functions with one right result that machines lack: tests of floats, and the next float.

use super::terms::{Steps, Term};

pub(super) fn is_nan(_: &mut Steps, x: &Term) -> Term {
    x.is_nan()
}

pub(super) fn is_inf(_: &mut Steps, x: &Term) -> Term {
    x.abs().eq(f64::INFINITY)
}

pub(super) fn is_finite(_: &mut Steps, x: &Term) -> Term {
    x.abs().lt(f64::INFINITY)
}

/// Floats of one sign lie in the order of their bits: the next one away from zero has the next bits. From zero, the
/// least float with y's sign; equal numbers give y.
pub(super) fn next_after(steps: &mut Steps, x: &Term, y: &Term) -> Term {
    let bits = steps.keep("bits", x.bits());
    let away = (x.lt(y).and(&x.gt(0.0))).or(&x.gt(y).and(&x.lt(0.0)));
    let next = away.pick(&(&bits + 1), &bits - 1);
    let least = (y.bits() & y.sign_bit()) | 1;
    let next = x.eq(0.0).pick(&least, next).float_of(x.dtype());
    let next = x.eq(y).pick(y, next);
    x.is_nan().or(&y.is_nan()).pick(&x.constant(f64::NAN), next)
}
