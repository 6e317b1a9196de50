//! The error function.

use super::exp::exp_of_small_negative;
use super::terms::{Steps, Term};

/// The magnitude that divides the intervals of the two polynomials.
const SPLIT: f64 = 0.9375;

/// `erf(x) / x - 1` in x² on [0, 0.9375]; error relative to `erf x`: 2^-30.1 (f32), 2^-59.1 (f64).
const SMALL_SINGLE: [f64; 7] =
    [0.12837917, -0.3761263, 0.11283626, -0.026855737, 0.005192438, -0.00080503843, 8.00028e-05];
const SMALL_DOUBLE: [f64; 12] = [
    0.12837916709551256,
    -0.3761263890318369,
    0.11283791670951986,
    -0.026866170644470975,
    0.0052239776182491544,
    -0.0008548326559866771,
    0.00012055313985802362,
    -1.4925136110668076e-05,
    1.6452780638993509e-06,
    -1.6253041279718561e-07,
    1.392931106308137e-08,
    -8.219860962227588e-10,
];

/// `ln(1 - erf x)` on [0.9375, 4] and [0.9375, 6], beyond which erf rounds to 1; error of `erf x`, relative: 2^-29.4
/// (f32), 2^-61.7 (f64).
const LARGE_SINGLE: [f64; 7] =
    [-0.00022353415, -1.1275611, -0.6373742, -0.10376383, 0.022146372, -0.0030230852, 0.00019389193];
const LARGE_DOUBLE: [f64; 20] = [
    -4.213528086286486e-09,
    -1.128379158805415,
    -0.6366195629382319,
    -0.10277432232601633,
    0.019135356826565683,
    0.000191023109218794,
    -0.0016616111941471104,
    0.0005399517853216871,
    3.119282978769918e-05,
    -0.00011624594526794767,
    6.738170418130247e-05,
    -2.5294434975477148e-05,
    7.099443194387787e-06,
    -1.5477590259389624e-06,
    2.6330139417811537e-07,
    -3.44533128718661e-08,
    3.3569713267437925e-09,
    -2.296007961489595e-10,
    9.836798659280078e-12,
    -1.9857823653872956e-13,
];

/// `x + x P(x²)` for small magnitudes, `1 - e^Q(|x|)` for large ones.
pub(super) fn erf(steps: &mut Steps, x: &Term) -> Term {
    let magnitude = steps.keep("magnitude", x.abs());
    let square = steps.keep("square", &magnitude * &magnitude);
    let p = square.polynomial(x.by_width(SMALL_SINGLE.as_slice(), SMALL_DOUBLE.as_slice()));
    let small = &magnitude * p + &magnitude;
    let bounded = steps.keep("bounded", magnitude.min(x.by_width(4.0, 6.0)));
    let q = bounded.polynomial(x.by_width(LARGE_SINGLE.as_slice(), LARGE_DOUBLE.as_slice()));
    let q = steps.keep("q", q);
    let large = exp_of_small_negative(steps, &q) * -1.0 + 1.0;
    magnitude.lt(SPLIT).pick(&small, large).with_sign_of(x)
}
