//! Floats of 8 bits: their values, and rounding to them (OCP 8-bit Floating Point Specification, 2023).
//!
//! Rounding is to the nearest, of two the even one. What is too large for `float8_e5m2` becomes infinite, and NaN for
//! `float8_e4m3fn`, which has no infinities.

use tilewright_tensor::{DataType, TypeCode};

/// The format of a float of 8 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Float8 {
    pub mantissa_bits: u32,
    pub exponent_bias: i32,
    /// The code of magnitudes past the greatest finite one: infinity, or NaN where there is none.
    pub overflow: u8,
}

impl Float8 {
    /// The format of the type; `None` of other types.
    pub fn of(dtype: DataType) -> Option<Self> {
        match dtype.code {
            TypeCode::Float8E4M3Fn => Some(Self { mantissa_bits: 3, exponent_bias: 7, overflow: 0x7f }),
            TypeCode::Float8E5M2 => Some(Self { mantissa_bits: 2, exponent_bias: 15, overflow: 0x7c }),
            _ => None,
        }
    }
}

/// Whether the type is a float of 8 bits: one that is converted and moved, and has no arithmetic of its own.
pub fn is_float8(dtype: DataType) -> bool {
    Float8::of(dtype).is_some()
}

/// The value of a float of 8 bits.
pub(super) fn value(bits: u8, dtype: DataType) -> Option<f64> {
    let Float8 { mantissa_bits: mantissa, exponent_bias: bias, .. } = Float8::of(dtype)?;
    let (exponent, fraction) = (i32::from((bits & 0x7f) >> mantissa), i32::from(bits & ((1 << mantissa) - 1)));
    let unit = |exponent: i32| f64::from(fraction) * 2f64.powi(exponent - bias - mantissa as i32);
    let magnitude = match (dtype.code, exponent, fraction) {
        (TypeCode::Float8E4M3Fn, 15, 7) => f64::NAN,
        (TypeCode::Float8E5M2, 31, 0) => f64::INFINITY,
        (TypeCode::Float8E5M2, 31, _) => f64::NAN,
        (_, 0, _) => unit(1),
        _ => 2f64.powi(exponent - bias) + unit(exponent),
    };
    Some(if bits & 0x80 != 0 { -magnitude } else { magnitude })
}

/// The float of 8 bits that is nearest.
pub(super) fn nearest(x: f64, dtype: DataType) -> Option<u8> {
    let Float8 { mantissa_bits: mantissa, exponent_bias: bias, overflow } = Float8::of(dtype)?;
    let sign = u8::from(x.is_sign_negative()) << 7;
    if x.is_nan() {
        return Some(sign | 0x7f);
    }
    let magnitude = x.abs();
    if magnitude.is_infinite() {
        return Some(sign | overflow);
    }
    // Neighbours of a number of this exponent differ by one unit.
    let exponent = if magnitude > 0.0 { (magnitude.log2().floor() as i32).max(1 - bias) } else { 1 - bias };
    let exponent = if magnitude < 2f64.powi(exponent) { (exponent - 1).max(1 - bias) } else { exponent };
    let units = (magnitude / 2f64.powi(exponent - mantissa as i32)).round_ties_even();
    // The units of the next exponent follow those of this one.
    let code = units + f64::from(exponent + bias - 1) * 2f64.powi(mantissa as i32);
    Some(sign | if code >= f64::from(overflow) { overflow } else { code as u8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: [DataType; 2] = [DataType::F8_E4M3FN, DataType::F8_E5M2];

    #[test]
    fn greatest_and_least_values_are_those_of_the_specification() {
        let values = |dtype, bits: [u8; 3]| bits.map(|bits| value(bits, dtype).unwrap());
        assert_eq!(values(TYPES[0], [0x7e, 0x08, 0x01]), [448.0, 2f64.powi(-6), 2f64.powi(-9)]);
        assert_eq!(values(TYPES[1], [0x7b, 0x04, 0x01]), [57344.0, 2f64.powi(-14), 2f64.powi(-16)]);
        assert_eq!(value(0xfc, TYPES[1]), Some(f64::NEG_INFINITY));
        assert!(value(0x7f, TYPES[0]).unwrap().is_nan() && value(0xfd, TYPES[1]).unwrap().is_nan());
    }

    #[test]
    fn every_code_is_nearest_to_its_value_and_the_middle_goes_to_the_even_one() {
        for dtype in TYPES {
            for bits in 0..=u8::MAX {
                let own = value(bits, dtype).unwrap();
                if own.is_finite() {
                    assert_eq!(nearest(own, dtype), Some(bits), "{dtype} {bits:#x}");
                }
                let next = value(bits.wrapping_add(1), dtype).filter(|next| next.is_finite());
                let (Some(next), true) = (next, own.is_finite() && bits != 0x7f) else { continue };
                let middle = f64::midpoint(own, next);
                let even = if bits.is_multiple_of(2) { bits } else { bits + 1 };
                assert_eq!(nearest(middle, dtype), Some(even), "{dtype} between {own} and {next}");
                assert_eq!(nearest(middle + (own - next) * 1e-6, dtype), Some(bits), "{dtype} {own}");
            }
        }
    }

    #[test]
    fn too_large_numbers_have_codes_of_their_own() {
        let codes = |x| TYPES.map(|dtype| nearest(x, dtype).unwrap());
        assert_eq!(codes(464.0), [0x7e, 0x5f]);
        assert_eq!(codes(464.1), [0x7f, 0x5f]);
        assert_eq!(codes(-61440.0), [0xff, 0xfc]);
        assert_eq!(codes(f64::INFINITY), [0x7f, 0x7c]);
        assert_eq!(codes(f64::NAN), [0x7f, 0x7f]);
        assert_eq!(codes(-0.0), [0x80, 0x80]);
    }
}
