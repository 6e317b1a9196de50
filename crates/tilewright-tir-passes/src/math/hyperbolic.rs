//! Hyperbolic functions and their inverses. The odd ones are computed for magnitudes.

use std::f64::consts::LN_2;

use super::exp::{expm1, half_exp};
use super::log::log1p;
use super::terms::{Steps, Term, two_to};

/// `(sinh x - x) / x³` in x² on [0, 1]; error relative to `sinh x`: 2^-31.6 (f32), 2^-63.3 (f64).
const SINH_SINGLE: [f64; 4] = [0.16666667, 0.0083333105, 0.00019842896, 2.7822132e-06];
const SINH_DOUBLE: [f64; 7] = [
    0.16666666666666669,
    0.008333333333333148,
    0.00019841269841431856,
    2.755731915707618e-06,
    2.505212313610365e-08,
    1.6057259812321195e-10,
    7.758747604384055e-13,
];

/// Up to 1 a polynomial, above `h - 1 / 4h` with `h = e^x / 2`.
pub(super) fn sinh(steps: &mut Steps, x: &Term) -> Term {
    let magnitude = steps.keep("magnitude", x.abs());
    let square = steps.keep("square", &magnitude * &magnitude);
    let p = square.polynomial(x.by_width(SINH_SINGLE.as_slice(), SINH_DOUBLE.as_slice()));
    let small = &magnitude * &square * p + &magnitude;
    let h = half_exp(steps, &magnitude);
    let h = steps.keep("h", h);
    let large = &h - x.constant(0.25) / &h;
    magnitude.lt(1.0).pick(&small, large).with_sign_of(x)
}

/// `h + 1 / 4h` with `h = e^|x| / 2`.
pub(super) fn cosh(steps: &mut Steps, x: &Term) -> Term {
    let h = half_exp(steps, &x.abs());
    let h = steps.keep("h", h);
    &h + x.constant(0.25) / &h
}

/// `-t / (t + 2)` with `t = e^(-2|x|) - 1`.
pub(super) fn tanh(steps: &mut Steps, x: &Term) -> Term {
    let t = expm1(steps, &(x.abs() * -2.0));
    let t = steps.keep("t", t);
    (&t / (&t + 2.0)).with_sign_of(x)
}

/// From here on `x² + 1` rounds to x².
fn is_large(x: &Term) -> Term {
    x.gt(two_to(x.format().fraction + 3))
}

/// `ln(x + sqrt(x² + 1))` as `ln(1 + (x + x² / (1 + sqrt(x² + 1))))`; for large x, `ln x + ln 2`.
pub(super) fn asinh(steps: &mut Steps, x: &Term) -> Term {
    let magnitude = steps.keep("magnitude", x.abs());
    let large = is_large(&magnitude);
    let large = steps.keep("large", large);
    let square = steps.keep("square", &magnitude * &magnitude);
    let beyond = &magnitude + &square / ((&square + 1.0).sqrt() + 1.0);
    let beyond = steps.keep("beyond", large.pick(&magnitude, beyond));
    let ln = log1p(steps, &beyond);
    (ln + large.pick(&x.constant(LN_2), 0.0)).with_sign_of(x)
}

/// With `t = x - 1`: `ln(1 + (t + sqrt(2t + t²)))`; for large x, `ln x + ln 2`. NaN below 1.
pub(super) fn acosh(steps: &mut Steps, x: &Term) -> Term {
    let large = is_large(x);
    let large = steps.keep("large", large);
    let t = steps.keep("t", x - 1.0);
    let beyond = &t + (&t * 2.0 + &t * &t).sqrt();
    let beyond = steps.keep("beyond", large.pick(x, beyond));
    let ln = log1p(steps, &beyond);
    x.lt(1.0).pick(&x.constant(f64::NAN), ln + large.pick(&x.constant(LN_2), 0.0))
}

/// `ln((1 + x) / (1 - x)) / 2` as `ln(1 + 2x / (1 - x)) / 2`. Infinite for 1, NaN beyond.
pub(super) fn atanh(steps: &mut Steps, x: &Term) -> Term {
    let magnitude = steps.keep("magnitude", x.abs());
    let beyond = steps.keep("beyond", &magnitude * 2.0 / (&magnitude * -1.0 + 1.0));
    let ln = log1p(steps, &beyond);
    (ln * 0.5).with_sign_of(x)
}
