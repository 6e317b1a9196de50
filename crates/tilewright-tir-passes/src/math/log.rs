//! Logarithms.
//!
//! `x = m 2^e` with m between sqrt(1/2) and sqrt(2), from the bits of x; subnormal x is scaled first. With `f = m - 1`,
//! which is exact, `ln m = f + f² P(f)`. Other bases multiply by a constant; e comes in with the base's `log 2` in two
//! parts, the first of which gives exact products.

use super::exp::{LG2_DOUBLE, LG2_SINGLE, LN2_DOUBLE, LN2_SINGLE};
use super::terms::{Steps, Term, two_to};

/// `(ln(1 + f) - f) / f²` on [-0.2929, 0.4143]; error relative to `ln(1 + f)`: 2^-27.5 (f32), 2^-59.4 (f64).
const LOG_SINGLE: [f64; 9] =
    [-0.49999988, 0.33333325, -0.25001585, 0.20001979, -0.16608998, 0.14181674, -0.13243595, 0.12905739, -0.07621856];
const LOG_DOUBLE: [f64; 21] = [
    -0.5,
    0.33333333333333487,
    -0.24999999999998077,
    0.19999999999936569,
    -0.1666666666700703,
    0.1428571429480582,
    -0.1249999997731672,
    0.11111110465955853,
    -0.10000000501200931,
    0.09090935005395917,
    -0.0833334458540743,
    0.07691687613828127,
    -0.07141992097873416,
    0.06675430966293264,
    -0.06270114559292388,
    0.058161918066364185,
    -0.053238795233398806,
    0.054193556595478094,
    -0.06284929272350871,
    0.056991727444915735,
    -0.0242321514630277,
];

/// A positive number as `(1 + f) 2^e`.
pub(super) struct Split {
    /// The exponent, as an integer.
    pub(super) e: Term,
    pub(super) f: Term,
}

/// A normal positive number in parts.
pub(super) fn split(steps: &mut Steps, x: &Term) -> Split {
    let format = x.format();
    // The bits of sqrt(1/2): the difference has the exponent of x / sqrt(1/2) above the fraction.
    let least = x.by_width(0x3f35_04f3, 0x3fe6_a09e_667f_3bcd);
    let bits = steps.keep("bits", x.bits());
    let e = steps.keep("e", (&bits - least) >> format.fraction);
    let m = (bits - (&e << format.fraction)).float();
    Split { f: steps.keep("f", m - 1.0), e }
}

/// A positive number in parts, subnormal ones too; the exponent as a float.
fn split_any(steps: &mut Steps, x: &Term) -> (Term, Term) {
    let format = x.format();
    let shift = format.fraction + 2;
    let tiny = steps.keep("tiny", x.lt(format.least_normal()));
    let scaled = steps.keep("scaled", tiny.pick(&(x * two_to(shift)), x));
    let Split { e, f } = split(steps, &scaled);
    let e = e.small_to_float() - tiny.pick(&x.constant(shift as f64), 0.0);
    (steps.keep("e", e), f)
}

/// `f² P(f) = ln(1 + f) - f`.
fn rest_of_ln(f: &Term) -> Term {
    let p = f.polynomial(f.by_width(LOG_SINGLE.as_slice(), LOG_DOUBLE.as_slice()));
    f * f * p
}

/// The result for positive finite x, and the special values: 0 gives -inf, negative numbers NaN; infinity and NaN are
/// kept.
fn with_specials(x: &Term, result: Term) -> Term {
    let regular = x.gt(0.0).and(&x.lt(f64::INFINITY));
    let below = x.eq(0.0).pick(&x.constant(f64::NEG_INFINITY), f64::NAN);
    // Infinity and NaN are their own logarithms.
    let special = x.gt(0.0).or(&x.is_nan()).pick(x, below);
    regular.pick(&result, special)
}

pub(super) fn log(steps: &mut Steps, x: &Term) -> Term {
    let (high, low) = x.by_width(LN2_SINGLE, LN2_DOUBLE);
    let (e, f) = split_any(steps, x);
    let rest = steps.keep("rest", rest_of_ln(&f));
    let result = &e * high + (&f + (&e * low + rest));
    with_specials(x, result)
}

/// Exact for powers of two.
pub(super) fn log2(steps: &mut Steps, x: &Term) -> Term {
    let (e, f) = split_any(steps, x);
    let ln = steps.keep("ln", &f + rest_of_ln(&f));
    with_specials(x, ln * std::f64::consts::LOG2_E + e)
}

pub(super) fn log10(steps: &mut Steps, x: &Term) -> Term {
    let (high, low) = x.by_width(LG2_SINGLE, LG2_DOUBLE);
    let (e, f) = split_any(steps, x);
    let ln = steps.keep("ln", &f + rest_of_ln(&f));
    with_specials(x, &e * high + (ln * std::f64::consts::LOG10_E + &e * low))
}

/// `ln(1 + x)`: the sum `u = 1 + x` in parts, its rounding error added to f. Zero is itself.
pub(super) fn log1p(steps: &mut Steps, x: &Term) -> Term {
    let (high, low) = x.by_width(LN2_SINGLE, LN2_DOUBLE);
    let u = steps.keep("u", x + 1.0);
    let lost = steps.keep("lost", x - (&u - 1.0));
    let Split { e, f } = split(steps, &u);
    // For large u nothing is lost; the bound keeps the power normal.
    let scale = (e.min(64) * -1).power_of_two();
    let f = steps.keep("f", lost * scale + f);
    let e = steps.keep("e", e.small_to_float());
    let rest = steps.keep("rest", rest_of_ln(&f));
    let result = &e * high + (&f + (&e * low + rest));
    x.eq(0.0).pick(x, with_specials(&u, result))
}
