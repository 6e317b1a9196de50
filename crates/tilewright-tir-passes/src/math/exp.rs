//! The exponential and its relatives.
//!
//! `b^x = 2^n e^r` with `n` the integer nearest to `x log2 b` and `|r| <= ln(2) / 2`. Multiples of `n` are subtracted
//! in two parts, the first with so few bits that its product with `n` is exact.
//!
//! `e^r = 1 + r + r² P(r)`. The factor `2^n` is applied in two halves: each is a normal number, the first product is
//! exact, and the second rounds once, into the subnormal numbers too.

use super::terms::{Steps, Term};

/// `(e^r - 1 - r) / r²` on [-0.34665, 0.34665]; error relative to `e^r`: 2^-28.2 (f32), 2^-57.9 (f64).
const EXP_SINGLE: [f64; 5] = [0.49999994, 0.16666517, 0.041668102, 0.008369191, 0.0013838835];
const EXP_DOUBLE: [f64; 10] = [
    0.5000000000000011,
    0.16666666666666413,
    0.04166666666653004,
    0.00833333333349456,
    0.001388888894366573,
    0.00019841269506441469,
    2.4801493058409936e-05,
    2.755758642379165e-06,
    2.763026394835871e-07,
    2.5000069429182933e-08,
];

/// The same with the error relative to `e^r - 1`: 2^-31.0 (f32), 2^-58.3 (f64).
const EXPM1_SINGLE: [f64; 6] = [0.5, 0.16666666, 0.041666467, 0.008333644, 0.001393498, 0.00019664608];
const EXPM1_DOUBLE: [f64; 11] = [
    0.5000000000000001,
    0.1666666666666667,
    0.04166666666665228,
    0.008333333333326148,
    0.0013888888895601356,
    0.00019841269874786818,
    2.4801574532857347e-05,
    2.7557255434652885e-06,
    2.7567929272480214e-07,
    2.5105205412935402e-08,
    1.7687771100208325e-09,
];

/// ln 2 in two parts, the first of 15 (f32) or 40 bits (f64).
pub(super) const LN2_SINGLE: (f64, f64) = (0.693145751953125, 1.428606765330187e-06);
pub(super) const LN2_DOUBLE: (f64, f64) = (0.6931471805592082, 7.371002565167799e-13);
/// log10 2 in such parts.
pub(super) const LG2_SINGLE: (f64, f64) = (0.301025390625, 4.605039066518657e-06);
pub(super) const LG2_DOUBLE: (f64, f64) = (0.30102999566361177, 3.694239077158931e-13);

/// `b^x` as `2^n e^r`.
struct Reduced {
    n: Term,
    r: Term,
}

/// The integer nearest to `x`, as an integer and as a float. `x` is small enough for [`Term::small_to_float`].
pub(super) fn nearest(steps: &mut Steps, x: Term) -> (Term, Term) {
    let format = x.format();
    let sum = steps.keep("t", x + format.rounder());
    let n = steps.keep("n", &sum - format.rounder());
    (sum.bits() - format.rounder_bits(), n)
}

fn reduce(steps: &mut Steps, x: &Term) -> Reduced {
    let (high, low) = x.by_width(LN2_SINGLE, LN2_DOUBLE);
    let (n, whole) = nearest(steps, x * std::f64::consts::LOG2_E);
    let r = steps.keep("r", (x - &whole * high) - &whole * low);
    Reduced { n: steps.keep("n", n), r }
}

/// `e^r` on the reduced interval.
fn exp_of_reduced(r: &Term) -> Term {
    let p = r.by_width(EXP_SINGLE.as_slice(), EXP_DOUBLE.as_slice());
    let with_first: Vec<f64> = [1.0, 1.0].iter().chain(p).copied().collect();
    r.polynomial(&with_first)
}

/// `p 2^n`, rounded once, for `n` up to twice the largest exponent.
fn scaled(steps: &mut Steps, p: Term, n: &Term) -> Term {
    let half = steps.keep("half", n >> 1);
    p * half.power_of_two() * (n - &half).power_of_two()
}

/// Clamps to bounds beyond which results are 0 and infinity. The lower bound is well below that: processors are slow
/// to round a product to the smallest subnormal number or 0, unless it is far from both.
fn clamped(steps: &mut Steps, x: &Term, (low, high): (f64, f64)) -> Term {
    steps.keep("x", x.max(low).min(high))
}

/// `e^r` and n, for x between where results round to 0 and where their halves overflow.
fn exp_in_parts(steps: &mut Steps, x: &Term) -> (Term, Term) {
    let x = clamped(steps, x, x.by_width((-120.0, 90.0), (-800.0, 711.0)));
    let Reduced { n, r } = reduce(steps, &x);
    (exp_of_reduced(&r), n)
}

/// NaN goes through; from 88.73 (f32) and 709.79 (f64) on infinity, from -103.98 and -745.14 down 0.
pub(super) fn exp(steps: &mut Steps, x: &Term) -> Term {
    let (p, n) = exp_in_parts(steps, x);
    scaled(steps, p, &n)
}

/// `exp(x) / 2`, infinite only where the half is.
pub(super) fn half_exp(steps: &mut Steps, x: &Term) -> Term {
    let (p, n) = exp_in_parts(steps, x);
    scaled(steps, p, &(n - 1))
}

/// `exp(x)` for x between -40 and 0, whose power of two is a normal number.
pub(super) fn exp_of_small_negative(steps: &mut Steps, x: &Term) -> Term {
    let Reduced { n, r } = reduce(steps, x);
    exp_of_reduced(&r) * n.power_of_two()
}

/// `2^r = e^(r ln 2)` for the difference r of x and the nearest integer, which is exact.
pub(super) fn exp2(steps: &mut Steps, x: &Term) -> Term {
    let x = clamped(steps, x, x.by_width((-180.0, 129.0), (-1150.0, 1025.0)));
    let (n, whole) = nearest(steps, x.clone());
    let n = steps.keep("n", n);
    let fraction = steps.keep("fraction", &x - &whole);
    exp2_of_parts(steps, &n, &fraction)
}

/// `2^(n + fraction)` for a fraction of at most one half.
pub(super) fn exp2_of_parts(steps: &mut Steps, n: &Term, fraction: &Term) -> Term {
    let r = steps.keep("r", fraction * std::f64::consts::LN_2);
    let p = exp_of_reduced(&r);
    scaled(steps, p, n)
}

/// `10^x = 2^n 10^r`, with `10^r = e^(r ln 10)`.
pub(super) fn exp10(steps: &mut Steps, x: &Term) -> Term {
    let x = clamped(steps, x, x.by_width((-54.0, 39.0), (-345.0, 309.0)));
    let (high, low) = x.by_width(LG2_SINGLE, LG2_DOUBLE);
    let (n, whole) = nearest(steps, &x * std::f64::consts::LOG2_10);
    let n = steps.keep("n", n);
    let rest = steps.keep("rest", (&x - &whole * high) - &whole * low);
    let r = steps.keep("r", rest * std::f64::consts::LN_10);
    let p = exp_of_reduced(&r);
    scaled(steps, p, &n)
}

/// With `q = e^r - 1` and `s = 2^n`: `s q + (s - 1)`, and q itself for n = 0, where the sum would lose the sign of
/// zero. Halves keep s in range for the largest n. q is a product with r, so that it is as precise as r near 0.
pub(super) fn expm1(steps: &mut Steps, x: &Term) -> Term {
    // Below the lower bound the result rounds to -1.
    let x = clamped(steps, x, x.by_width((-18.0, 89.0), (-38.0, 710.0)));
    let Reduced { n, r } = reduce(steps, &x);
    let p = r.polynomial(x.by_width(EXPM1_SINGLE.as_slice(), EXPM1_DOUBLE.as_slice()));
    let q = steps.keep("q", &r * (&r * p + 1.0));
    let half = steps.keep("half", (&n - 1).power_of_two());
    let other = (&q * &half + (&half - 0.5)) * 2.0;
    n.eq(0).pick(&q, other)
}

/// `1 / (1 + e^-x)`, for negative x `e^x / (1 + e^x)`: the exponential never overflows, and small results are its own.
pub(super) fn sigmoid(steps: &mut Steps, x: &Term) -> Term {
    let e = exp(steps, &x.abs().negated());
    let e = steps.keep("e", e);
    x.lt(0.0).pick(&e, 1.0) / (&e + 1.0)
}
