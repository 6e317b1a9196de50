//! Powers: `|x|^y = 2^(y log2 |x|)`, with the logarithm so precise that its error stays small when y multiplies it.
//!
//! For f32 all of that is computed in f64. For f64 the logarithm and the product are sums of two f64, of which the
//! first is the rounded value: products and quotients give their rounding error as a second number.
//!
//! Special values are those of C's `pow`: anything to the power of 0, and 1 to any power, is 1, be the other NaN.
//! Negative x has a result for integers y alone, negative for odd ones.

use tilewright_tensor::DataType;

use super::exp::{exp2_of_parts, nearest};
use super::log::split;
use super::pair::{Pair, product, sum};
use super::terms::{Steps, Term, two_to};

/// `(ln(1 + f) - f) / f²` on [-0.2929, 0.4143], for f32; error relative to `ln(1 + f)`: 2^-38.4.
const LOG: [f64; 13] = [
    -0.49999999993770994,
    0.33333333425211614,
    -0.25000002005847083,
    0.1999998738318016,
    -0.16666490531250877,
    0.1428620891592708,
    -0.12506610077860408,
    0.11105779820788664,
    -0.09880587806353633,
    0.09030017102090757,
    -0.09317614415857796,
    0.09174424392479266,
    -0.048410330302374,
];

/// `e^r = 1 + r + r² P(r)` on [-0.34665, 0.34665], for f32; error relative to `e^r`: 2^-34.2.
const EXP: [f64; 8] = [
    1.0,
    1.0,
    0.5000000067727425,
    0.16666665868778927,
    0.041666294788681744,
    0.008333497058850484,
    0.001394467132663043,
    0.00019790377248502663,
];

/// `(ln((1 + s) / (1 - s)) - 2s - 2/3 s³) / s⁵` in s² on [0, 0.1716], for f64; error relative to the logarithm: 2^-73.
const ATANH: [f64; 8] = [
    0.3999999999999998,
    0.2857142857144508,
    0.22222222217543633,
    0.18181818869524285,
    0.15384556919651488,
    0.1333631572443832,
    0.11674849733558196,
    0.11988776573808417,
];

pub(super) fn pow(steps: &mut Steps, x: &Term, y: &Term) -> Term {
    let base = steps.keep("base", x.abs());
    // Powers of all bases but 1 leave the range long before.
    let exponent = steps.keep("exponent", y.max(-two_to(66)).min(two_to(66)));
    let result = if x.is_single() { of_single(steps, &base, &exponent) } else { of_double(steps, &base, &exponent) };
    let result = steps.keep("result", result);
    let (zero, infinity) = (x.constant(0.0), x.constant(f64::INFINITY));
    let shrinks = steps.keep("shrinks", y.lt(0.0));
    let result = base.eq(0.0).pick(&shrinks.pick(&infinity, &zero), result);
    let result = base.eq(&infinity).pick(&shrinks.pick(&zero, &infinity), result);
    let (integer, odd) = parity(steps, y);
    let negative = steps.keep("negative", x.bits().lt(0));
    let result = negative.and(&odd).pick(&result.negated(), result);
    let undefined = x.lt(0.0).and(&base.lt(&infinity)).and(&integer.not());
    let undefined = undefined.or(&x.is_nan()).or(&y.is_nan());
    let result = undefined.pick(&x.constant(f64::NAN), result);
    x.eq(1.0).or(&y.eq(0.0)).pick(&x.constant(1.0), result)
}

/// The same for machines with fused products.
pub(super) fn with_fused(steps: &mut Steps, x: &Term, y: &Term) -> Term {
    steps.has_fused = true;
    pow(steps, x, y)
}

/// Whether y is an integer but 0, and an odd one. From twice the largest odd float on, all are even integers.
fn parity(steps: &mut Steps, y: &Term) -> (Term, Term) {
    let whole = two_to(y.format().fraction);
    let half = steps.keep("half", y.abs().min(whole * 2.0) * 0.5);
    let rounded = steps.keep("rounded", &half + whole) - whole;
    let rest = steps.keep("rest", (&half - rounded).abs());
    let odd = steps.keep("odd", rest.eq(0.5));
    // Half of the least float rounds to 0.
    let even = rest.eq(0.0).and(&half.gt(0.0));
    (even.or(&odd), odd)
}

fn of_single(steps: &mut Steps, base: &Term, exponent: &Term) -> Term {
    let (base, exponent) = (base.cast(DataType::F64), exponent.cast(DataType::F64));
    let base = steps.keep("base", base);
    let parts = split(steps, &base);
    let f = parts.f;
    let ln = &f * &f * f.polynomial(&LOG) + &f;
    let log2 = ln * std::f64::consts::LOG2_E + parts.e.small_to_float();
    // f64 has room for every such power, and rounds to f32's subnormal numbers, 0 and infinity.
    let power = steps.keep("power", (exponent * log2).max(-200.0).min(200.0));
    let (n, whole) = nearest(steps, power.clone());
    let r = steps.keep("r", (power - whole) * std::f64::consts::LN_2);
    (r.polynomial(&EXP) * n.power_of_two()).cast(DataType::F32)
}

/// `log2` of a positive number: with `s = f / (2 + f)`, `ln(1 + f) = s (2 + s² (2/3 + s² R(s²)))`.
fn log2(steps: &mut Steps, x: &Term) -> Pair {
    let tiny = steps.keep("tiny", x.lt(x.format().least_normal()));
    let x = steps.keep("x", tiny.pick(&(x * two_to(54)), x));
    let parts = split(steps, &x);
    let (e, f) = (parts.e.small_to_float() - tiny.pick(&x.constant(54.0), 0.0), parts.f);
    let e = steps.keep("e", e);
    let below = sum(steps, &x.constant(2.0), &f);
    let quotient = steps.keep("quotient", &f / &below.high);
    let back = product(steps, &quotient, &below.high);
    let left = steps.keep("left", ((&f - back.high) - back.low) - &quotient * &below.low);
    let s = Pair { low: steps.keep("low", left / below.high), high: quotient };
    let square = s.times(steps, &s);
    let r = steps.keep("r", &square.high * square.high.polynomial(&ATANH));
    let two_thirds = Pair { high: x.constant(2.0 / 3.0), low: x.constant(3.700743415417188e-17) };
    let inner = sum(steps, &two_thirds.high, &r);
    let inner = Pair { low: steps.keep("low", inner.low + two_thirds.low), high: inner.high };
    let cubic = square.times(steps, &inner).plus(steps, &x.constant(2.0));
    let ln = s.times(steps, &cubic);
    let log2_e = Pair { high: x.constant(std::f64::consts::LOG2_E), low: x.constant(2.0355273740931033e-17) };
    let log2 = ln.times(steps, &log2_e);
    // The exponent is 0 or no smaller than the rest.
    let whole = log2.plus(steps, &e);
    let none = steps.keep("none", e.eq(0.0));
    Pair { high: none.pick(&log2.high, whole.high), low: none.pick(&log2.low, whole.low) }
}

fn of_double(steps: &mut Steps, base: &Term, exponent: &Term) -> Term {
    let log2 = log2(steps, base);
    let (high, low) = (steps.keep("high", log2.high), steps.keep("low", log2.low));
    let power = product(steps, &high, exponent);
    let low = steps.keep("low", exponent * low + power.low);
    let high = steps.keep("bounded", power.high.max(-1100.0).min(1100.0));
    let low = high.eq(&power.high).pick(&low, 0.0);
    let (n, whole) = nearest(steps, high.clone());
    let n = steps.keep("n", n);
    let fraction = (high - whole) + low;
    exp2_of_parts(steps, &n, &fraction)
}
