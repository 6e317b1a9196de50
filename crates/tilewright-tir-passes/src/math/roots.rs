//! Reciprocal square root, and the length of a vector of two.

use super::terms::{Steps, Term, two_to};

/// Two correctly rounded operations.
pub(super) fn rsqrt(_: &mut Steps, x: &Term) -> Term {
    x.constant(1.0) / x.sqrt()
}

/// `sqrt(a² + b²)`, both scaled by a power of two where the larger one's square would leave the range. An infinity wins
/// over NaN.
pub(super) fn hypot(steps: &mut Steps, x: &Term, y: &Term) -> Term {
    let (x, y) = (steps.keep("x", x.abs()), steps.keep("y", y.abs()));
    let (a, b) = (steps.keep("a", x.max(&y)), steps.keep("b", x.min(&y)));
    // Squares of unscaled operands are far from both ends of the range; scaling brings the others there.
    let (large, shrink, small, grow) = x.by_width((63, 70, -60, 100), (510, 600, -500, 700));
    let is_large = steps.keep("is_large", a.gt(two_to(large)));
    let is_small = steps.keep("is_small", a.lt(two_to(small)));
    let scales = |down: i64, up: i64| {
        let or_one = is_small.pick(&x.constant(two_to(up)), 1.0);
        is_large.pick(&x.constant(two_to(down)), or_one)
    };
    let (there, back) = (steps.keep("scale", scales(-shrink, grow)), scales(shrink, -grow));
    let (a, b) = (steps.keep("a", a * &there), steps.keep("b", b * &there));
    let length = (&a * &a + &b * &b).sqrt() * back;
    let infinite = x.eq(f64::INFINITY).or(&y.eq(f64::INFINITY));
    infinite.pick(&x.constant(f64::INFINITY), length)
}
