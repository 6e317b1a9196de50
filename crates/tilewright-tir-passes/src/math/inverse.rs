//! Inverse trigonometric functions.
//!
//! `asin x = x + x³ P(x²)` up to one half; above, `asin x = π/2 - 2 asin(sqrt((1 - x) / 2))`, where `1 - x` is exact.
//! `atan t = t + t³ P(t²)` up to one; above, `π/2 - atan(1/t)`. Odd functions are computed for magnitudes.

use std::f64::consts::{FRAC_PI_2, PI};

use super::terms::{Steps, Term};

/// `(asin x - x) / x³` in x² on [0, 0.5]; error relative to `asin x`: 2^-27.6 (f32), 2^-59.9 (f64).
const ASIN_SINGLE: [f64; 5] = [0.16666752, 0.074953094, 0.045469157, 0.02418471, 0.042158462];
const ASIN_DOUBLE: [f64; 13] = [
    0.1666666666666676,
    0.07499999999970798,
    0.04464285717461302,
    0.03038194270772869,
    0.022372214989085062,
    0.017351611990531635,
    0.013980820792071259,
    0.011398910436204768,
    0.010780261999973513,
    0.003706375871426993,
    0.02170752412537438,
    -0.020999168951929954,
    0.032628689368931874,
];

/// `(atan t - t) / t³` in t² on [0, 1]; error relative to `atan t`: 2^-28.2 (f32), 2^-57.6 (f64).
const ATAN_SINGLE: [f64; 9] =
    [-0.333333, 0.1999853, -0.14264041, 0.109515004, -0.0840327, 0.057991236, -0.031248622, 0.010971593, -0.001810249];
const ATAN_DOUBLE: [f64; 20] = [
    -0.3333333333333307,
    0.19999999999951468,
    -0.1428571428257545,
    0.11111111007036081,
    -0.09090907003164582,
    0.07692279841292306,
    -0.0666640407379431,
    0.05880527910796703,
    -0.05253518981372177,
    0.04722323676598597,
    -0.042191828019983016,
    0.036641989765125574,
    -0.029903984386947757,
    0.02198500923497582,
    -0.013900708170018776,
    0.0071966089804384814,
    -0.002884973419738675,
    0.0008313414382830649,
    -0.00015216514712806248,
    1.3225508086001304e-05,
];

/// `asin` of a magnitude up to one half; above, half of `π/2 - asin`: a flag for which, and the value.
fn asin_parts(steps: &mut Steps, x: &Term) -> (Term, Term) {
    let upper = steps.keep("upper", x.gt(0.5));
    let square = steps.keep("square", upper.pick(&((x * -1.0 + 1.0) * 0.5), x * x));
    let root = steps.keep("root", upper.pick(&square.sqrt(), x));
    let p = square.polynomial(x.by_width(ASIN_SINGLE.as_slice(), ASIN_DOUBLE.as_slice()));
    let angle = steps.keep("angle", &root * &square * p + &root);
    (upper, angle)
}

/// NaN beyond 1, where the root is.
pub(super) fn asin(steps: &mut Steps, x: &Term) -> Term {
    let magnitude = steps.keep("magnitude", x.abs());
    let (upper, angle) = asin_parts(steps, &magnitude);
    upper.pick(&(&angle * -2.0 + FRAC_PI_2), &angle).with_sign_of(x)
}

pub(super) fn acos(steps: &mut Steps, x: &Term) -> Term {
    let magnitude = steps.keep("magnitude", x.abs());
    let (upper, angle) = asin_parts(steps, &magnitude);
    let negative = steps.keep("negative", x.lt(0.0));
    let twice = steps.keep("twice", &angle * 2.0);
    let outer = negative.pick(&(&twice * -1.0 + PI), &twice);
    let inner = negative.pick(&angle, angle.negated()) + FRAC_PI_2;
    upper.pick(&outer, inner)
}

/// `atan` of a ratio between 0 and 1.
fn atan_of_ratio(steps: &mut Steps, t: &Term) -> Term {
    let square = steps.keep("square", t * t);
    let p = square.polynomial(t.by_width(ATAN_SINGLE.as_slice(), ATAN_DOUBLE.as_slice()));
    steps.keep("angle", t * &square * p + t)
}

pub(super) fn atan(steps: &mut Steps, x: &Term) -> Term {
    let magnitude = steps.keep("magnitude", x.abs());
    let steep = steps.keep("steep", magnitude.gt(1.0));
    let one = x.constant(1.0);
    let ratio = steps.keep("ratio", steep.pick(&one, &magnitude) / steep.pick(&magnitude, &one));
    let angle = atan_of_ratio(steps, &ratio);
    steep.pick(&(&angle * -1.0 + FRAC_PI_2), &angle).with_sign_of(x)
}

/// The angle to the nearer axis, then to the axis of positive x. Two zeros have the ratio 0, two infinities 1.
pub(super) fn atan2(steps: &mut Steps, y: &Term, x: &Term) -> Term {
    let (across, along) = (steps.keep("across", y.abs()), steps.keep("along", x.abs()));
    let (less, more) = (steps.keep("less", across.min(&along)), steps.keep("more", across.max(&along)));
    let equal = less.eq(f64::INFINITY).pick(&x.constant(1.0), &less / &more);
    let ratio = steps.keep("ratio", more.eq(0.0).pick(&x.constant(0.0), equal));
    let angle = atan_of_ratio(steps, &ratio);
    let angle = steps.keep("angle", across.gt(&along).pick(&(&angle * -1.0 + FRAC_PI_2), &angle));
    // The sign of a zero counts.
    let is_left_half_plane = x.bits().lt(0);
    is_left_half_plane.pick(&(&angle * -1.0 + PI), &angle).with_sign_of(y)
}
