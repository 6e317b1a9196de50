//! How far a float is from an exact value.

use tilewright_tensor::{DataType, TypeCode};

/// Bits of the fraction, and the exponent of 1's bits.
#[inline]
fn shape(dtype: DataType) -> (i32, i32) {
    match (dtype.code, dtype.bits) {
        (TypeCode::BFloat, _) => (7, 127),
        (_, 16) => (10, 15),
        (_, 32) => (23, 127),
        _ => (52, 1023),
    }
}

/// The distance of what was found from the exact value, in units in the last place of the exact value in the type.
///
/// An infinity that should be a number counts as the power of two after the largest one. Infinite where NaN, an exact
/// infinity or the sign of zero is missed.
pub(crate) fn ulps(found: f64, exact: f64, dtype: DataType) -> f64 {
    let (fraction, bias) = shape(dtype);
    if found.is_nan() || exact.is_nan() {
        return if found.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let no_zero = found != 0.0 && exact != 0.0;
    if (exact.is_infinite() && found != exact) || (!no_zero && found.is_sign_negative() != exact.is_sign_negative()) {
        return f64::INFINITY;
    }
    if found == exact {
        return 0.0;
    }
    // Large numbers are made smaller, so that the power of two after f64's largest is one of its own.
    let shrink = if exact.abs() > 1.0 { 8 } else { 0 };
    let scale = 2f64.powi(-shrink);
    let limit = 2f64.powi(bias + 1 - shrink);
    let (found, exact) = ((found * scale).clamp(-limit, limit), (exact * scale).clamp(-limit, limit));
    let exponent = (exact.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let exponent = exponent.clamp(1 - bias, bias - shrink) - fraction;
    let distance = (found - exact).abs();
    // The power of the unit may be subnormal or less: in two steps.
    distance * 2f64.powi(-exponent / 2) * 2f64.powi(-exponent - (-exponent / 2))
}

/// Whether the distance is certainly no more than so many units: quick, for the many values that are close.
#[inline]
pub(crate) fn is_within(found: f64, exact: f64, units: f64, dtype: DataType) -> bool {
    // A unit is at least this part of the value.
    let part = f64::from_bits((1023 - 1 - shape(dtype).0 as u64) << 52);
    let unit = exact.abs() * part;
    found != 0.0 && exact != 0.0 && (found - exact).abs() <= units * unit
}
