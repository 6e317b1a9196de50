//! Logarithms of float32 on processors with instructions for exponent, mantissa and register table look-up (AVX-512).
//!
//! `x = m 2^e` with m between 3/4 and 3/2. The first four bits of m's fraction select a piece. A number c, close to the
//! inverse of its middle, makes `r = m c - 1` small: `ln x = e ln 2 - ln c + ln(1 + r)`. On both sides of 1 there are
//! pieces with c = 1, in which r is exact and the result as precise as the polynomial. The other c were chosen among
//! neighbouring floats so that `ln c` is within 2^-38.7 of a float32.
//!
//! Zero, negative numbers, infinity and NaN need no special case: the instructions' results for them give the right
//! values.

use super::exp::LN2_SINGLE;
use super::terms::{Steps, Term};

/// c, and `-ln c`, of the pieces from 1 to 3/2 and from 3/4 to 1.
const INVERSES: [f64; 16] = [
    1.0, 0.9144761, 0.8645959, 0.82066107, 0.78044915, 0.7444245, 0.7110863, 0.6810205, 1.3065137, 1.2551628,
    1.2075895, 1.1636262, 1.1230763, 1.0842013, 1.0495269, 1.0,
];
const LOGARITHMS: [f64; 16] = [
    0.0,
    0.08940395,
    0.14549306,
    0.19764508,
    0.24788569,
    0.2951438,
    0.34096152,
    0.38416287,
    -0.26736227,
    -0.22726531,
    -0.18862623,
    -0.15154116,
    -0.116071634,
    -0.08084362,
    -0.04833952,
    0.0,
];
/// `(ln(1 + r) - r) / r²` on [-0.0314, 0.0625]; error relative to `ln(1 + r)`: 2^-28.3.
const LOG: [f64; 4] = [-0.5, 0.33334476, -0.25009134, 0.1888378];
/// The number of bits of m below those that select its piece.
const BITS_BELOW_PIECE: i64 = 19;
/// Above this x, `1 + x` rounds to x.
const LARGE: f64 = 1e9;
/// The least exponent whose negative is an exponent too.
const MIN_EXPONENT: f64 = -126.0;

/// A number taken apart, with the piece of its mantissa.
struct Parts {
    e: Term,
    m: Term,
    piece: Term,
    inverse: Term,
}

fn parts(steps: &mut Steps, x: &Term) -> Parts {
    let m = steps.mantissa(x);
    // The exponent counts from 1 on, and the mantissa from 3/4.
    let e = steps.exponent(x) + m.lt(1.0).pick(&m.constant(1.0), 0.0);
    let piece = steps.keep("piece", (m.bits() >> BITS_BELOW_PIECE).float());
    let inverse = steps.looked_up(&piece, &INVERSES);
    Parts { e: steps.keep("e", e), m, piece, inverse }
}

/// `e ln 2 - ln c + ln(1 + r)`.
fn sum(steps: &mut Steps, Parts { e, piece, .. }: &Parts, r: &Term) -> Term {
    let logarithm = steps.looked_up(piece, &LOGARITHMS);
    let square = steps.keep("square", r * r);
    let rest = steps.keep("rest", square * r.polynomial(&LOG) + r);
    let low = steps.keep("low", e * LN2_SINGLE.1 + rest);
    let high = steps.keep("high", e * LN2_SINGLE.0 + logarithm);
    high + low
}

pub(super) fn log(steps: &mut Steps, x: &Term) -> Term {
    let parts = parts(steps, x);
    let r = steps.keep("r", &parts.m * &parts.inverse - 1.0);
    sum(steps, &parts, &r)
}

/// `ln(1 + x)`: of the sum `u = 1 + x`, with what its rounding lost in r. Zero is itself.
pub(super) fn log1p(steps: &mut Steps, x: &Term) -> Term {
    let u = steps.keep("u", x + 1.0);
    let parts = parts(steps, &u);
    let lost = x.lt(LARGE).pick(&(x - (&u - 1.0)), 0.0);
    let down = steps.keep("down", parts.e.max(MIN_EXPONENT).negated());
    let lost = steps.keep("lost", lost);
    let lost = steps.scaled(lost, &down);
    let r = steps.keep("r", (&parts.m * &parts.inverse - 1.0) + lost * &parts.inverse);
    let result = sum(steps, &parts, &r);
    x.eq(0.0).pick(x, result)
}
