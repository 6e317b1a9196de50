//! Sine, cosine and tangent of angles in radians.
//!
//! The angle's magnitude is taken to within an eighth of a turn of a number n of quarter turns
//! ([`quarter_turns`](super::quarter_turns)). There, `sin r = r + r³ S(r²)` and `cos r = C(r²)`; n says
//! which of them is wanted and with what sign. Infinity and NaN give NaN.

use super::quarter_turns::{Angle, reduced};
use super::terms::{Steps, Term};

/// `(sin r - r) / r³` in r² on [0, 0.7858]; error relative to `sin r`: 2^-27.9 (f32), 2^-57.9 (f64).
const SIN_SINGLE: [f64; 3] = [-0.16666655, 0.008332188, -0.00019518095];
const SIN_DOUBLE: [f64; 6] = [
    -0.1666666666666663,
    0.008333333333322063,
    -0.00019841269829543276,
    2.755731360473579e-06,
    -2.5050745067672905e-08,
    1.5896069095293273e-10,
];

/// `cos r` in r² there, the first two coefficients given; error relative to `cos r`: 2^-33 (f32), 2^-63.9 (f64).
const COS_SINGLE: [f64; 5] = [1.0, -0.5, 0.041666646, -0.001388731, 2.4432327e-05];
const COS_DOUBLE: [f64; 8] = [
    1.0,
    -0.5,
    0.041666666666666595,
    -0.0013888888888872978,
    2.480158728880105e-05,
    -2.755731416426443e-07,
    2.0875698746648264e-09,
    -1.1358425438637631e-11,
];

/// Sine and cosine of the rest of an angle.
fn sine_and_cosine(steps: &mut Steps, r: &Term) -> (Term, Term) {
    let square = steps.keep("square", r * r);
    let s = square.polynomial(r.by_width(SIN_SINGLE.as_slice(), SIN_DOUBLE.as_slice()));
    let cosine = square.polynomial(r.by_width(COS_SINGLE.as_slice(), COS_DOUBLE.as_slice()));
    let sine = steps.keep("sine", r * &square * s + r);
    (sine, steps.keep("cosine", cosine))
}

/// The sign bit from bit `from` of n.
fn sign_from(n: &Term, from: i64, bits: i64) -> Term {
    (n & (1 << from)) << (bits - 1 - from)
}

/// The sign of x: all three functions are computed for its magnitude.
fn sign_of(x: &Term) -> Term {
    x.bits() & x.sign_bit()
}

fn signed(magnitude: &Term, sign: Term) -> Term {
    (magnitude.bits() ^ sign).float()
}

pub(super) fn sin(steps: &mut Steps, x: &Term) -> Term {
    reduced(steps, x, |steps, Angle { n, r }| {
        let (sine, cosine) = sine_and_cosine(steps, r);
        let value = (n & 1).eq(0).pick(&sine, cosine);
        signed(&value, sign_from(n, 1, x.format().bits) ^ sign_of(x))
    })
}

pub(super) fn cos(steps: &mut Steps, x: &Term) -> Term {
    reduced(steps, x, |steps, Angle { n, r }| {
        let (sine, cosine) = sine_and_cosine(steps, r);
        let value = (n & 1).eq(0).pick(&cosine, sine);
        signed(&value, sign_from(&(n + 1), 1, x.format().bits))
    })
}

/// The quotient of sine and cosine; an odd number of quarter turns swaps them and changes the sign.
pub(super) fn tan(steps: &mut Steps, x: &Term) -> Term {
    reduced(steps, x, |steps, Angle { n, r }| {
        let (sine, cosine) = sine_and_cosine(steps, r);
        let even = steps.keep("even", (n & 1).eq(0));
        let quotient = even.pick(&sine, &cosine) / even.pick(&cosine, &sine);
        signed(&quotient, sign_from(n, 0, x.format().bits) ^ sign_of(x))
    })
}
