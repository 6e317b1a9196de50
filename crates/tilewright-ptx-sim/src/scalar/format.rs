//! Floating-point formats, and rounding to them.
//!
//! Narrow formats are computed in float64. Where float64 cannot hold an exact result, the result is rounded *to
//! odd* (the last bit is set when something is lost), after which a second rounding to 11 or 24 bits is the right
//! one (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).

use crate::types::Type;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    NearestEven,
    NearestAway,
    Zero,
    Down,
    Up,
}

impl Round {
    /// `rn`, `rz`, `rm` or `rp`.
    pub(crate) fn parse(name: &str) -> Option<Round> {
        Some(match name {
            "rn" | "rni" => Round::NearestEven,
            "rna" => Round::NearestAway,
            "rz" | "rzi" => Round::Zero,
            "rm" | "rmi" => Round::Down,
            "rp" | "rpi" => Round::Up,
            _ => return None,
        })
    }

    /// Whether a magnitude is increased. `half` compares what is cut off with a half unit; `odd` is the last bit.
    fn increases(self, negative: bool, odd: bool, lost: bool, half: std::cmp::Ordering) -> bool {
        match self {
            Round::NearestEven => half.is_gt() || half.is_eq() && odd,
            Round::NearestAway => half.is_ge(),
            Round::Zero => false,
            Round::Down => lost && negative,
            Round::Up => lost && !negative,
        }
    }
}

/// A binary format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    /// e4m3 has no infinity: its largest exponent holds numbers, and one NaN.
    finite: bool,
}

pub(crate) const F16: Format = Format { exponent_bits: 5, mantissa_bits: 10, finite: false };
pub(crate) const BF16: Format = Format { exponent_bits: 8, mantissa_bits: 7, finite: false };
pub(crate) const TF32: Format = Format { exponent_bits: 8, mantissa_bits: 10, finite: false };
pub(crate) const F32: Format = Format { exponent_bits: 8, mantissa_bits: 23, finite: false };
pub(crate) const F64: Format = Format { exponent_bits: 11, mantissa_bits: 52, finite: false };
pub(crate) const E4M3: Format = Format { exponent_bits: 4, mantissa_bits: 3, finite: true };
pub(crate) const E5M2: Format = Format { exponent_bits: 5, mantissa_bits: 2, finite: false };

/// The format of one element of a type.
pub(crate) fn of(ty: Type) -> Option<Format> {
    Some(match ty {
        Type::F16 | Type::F16x2 => F16,
        Type::BF16 | Type::BF16x2 => BF16,
        Type::F32 => F32,
        Type::F64 => F64,
        Type::TF32 => TF32,
        Type::E4M3x2 => E4M3,
        Type::E5M2x2 => E5M2,
        _ => return None,
    })
}

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    fn sign(self) -> u64 {
        1 << (self.exponent_bits + self.mantissa_bits)
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.mantissa_bits
    }

    /// The largest finite number.
    fn largest(self) -> u64 {
        if self.finite { self.infinity() | ((1 << self.mantissa_bits) - 2) } else { self.infinity() - 1 }
    }

    /// The NaN that instructions give: all bits but the sign.
    pub(crate) fn nan(self) -> u64 {
        self.sign() - 1
    }

    pub(crate) fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = bits & (self.sign() - 1);
        magnitude != 0 && magnitude >> self.mantissa_bits == 0
    }

    /// Subnormal numbers become zeros of their sign.
    pub(crate) fn flush(self, bits: u64) -> u64 {
        if self.is_subnormal(bits) { bits & self.sign() } else { bits }
    }

    /// The exact value.
    pub(crate) fn widen(self, bits: u64) -> f64 {
        if self == F32 {
            return f64::from(f32::from_bits(bits as u32));
        }
        if self == F64 {
            return f64::from_bits(bits);
        }
        if self == BF16 {
            return f64::from(f32::from_bits((bits as u32) << 16));
        }
        let magnitude = bits & (self.sign() - 1);
        let sign = if bits & self.sign() != 0 { -1.0 } else { 1.0 };
        let exponent = (magnitude >> self.mantissa_bits) as i32;
        let mantissa = magnitude & ((1 << self.mantissa_bits) - 1);
        if self.finite {
            if magnitude == self.nan() {
                return f64::NAN;
            }
        } else if magnitude >= self.infinity() {
            return if mantissa == 0 { sign * f64::INFINITY } else { f64::NAN };
        }
        let (significand, exponent) =
            if exponent == 0 { (mantissa, 1) } else { (mantissa | 1 << self.mantissa_bits, exponent) };
        sign * significand as f64 * power_of_two(exponent - self.bias() - self.mantissa_bits as i32)
    }

    /// `x`, rounded.
    pub(crate) fn narrow(self, x: f64, round: Round) -> u64 {
        if x.is_nan() {
            return self.nan();
        }
        if self == F32 && round == Round::NearestEven {
            return u64::from((x as f32).to_bits());
        }
        if self == F64 {
            return x.to_bits();
        }
        if self == F32 && round == Round::Zero {
            let nearest = x as f32;
            // One unit less where the nearest one is larger; of infinity it is the largest number.
            let over = f64::from(nearest).abs() > x.abs();
            return u64::from(nearest.to_bits()) - u64::from(over);
        }
        let negative = x.is_sign_negative();
        if x.is_infinite() {
            let magnitude = if self.finite { self.nan() } else { self.infinity() };
            return magnitude | if negative { self.sign() } else { 0 };
        }
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let mantissa = bits & ((1 << 52) - 1);
        let (significand, exponent) = if exponent == 0 { (mantissa, 1) } else { (mantissa | 1 << 52, exponent) };
        self.encode(negative, significand.into(), exponent - 1075, round)
    }

    /// An integer, rounded.
    pub(crate) fn narrow_integer(self, x: i128, round: Round) -> u64 {
        self.encode(x < 0, x.unsigned_abs(), 0, round)
    }

    /// `±significand · 2^exponent`, rounded.
    fn encode(self, negative: bool, significand: u128, exponent: i32, round: Round) -> u64 {
        let sign = if negative { self.sign() } else { 0 };
        if significand == 0 {
            return sign;
        }
        let mantissa_bits = self.mantissa_bits as i32;
        let top = exponent + 127 - significand.leading_zeros() as i32;
        let least = 1 - self.bias();
        let unit = (top - mantissa_bits).max(least - mantissa_bits);
        let shift = unit - exponent;
        let magnitude = if shift <= 0 {
            (significand << -shift) as u64
        } else if shift > 127 {
            // Less than half of the smallest subnormal number.
            u64::from(round.increases(negative, false, true, std::cmp::Ordering::Less))
        } else {
            let kept = (significand >> shift) as u64;
            let cut = significand & ((1 << shift) - 1);
            let half = cut.cmp(&(1 << (shift - 1)));
            kept + u64::from(round.increases(negative, kept & 1 == 1, cut != 0, half))
        };
        let biased = (unit - (least - mantissa_bits)) as u64;
        let bits = magnitude + (biased << self.mantissa_bits);
        if bits > self.largest() {
            let to_largest = match round {
                Round::NearestEven | Round::NearestAway => false,
                Round::Zero => true,
                Round::Down => !negative,
                Round::Up => negative,
            };
            let over = if self.finite { self.nan() } else { self.infinity() };
            return sign | if to_largest { self.largest() } else { over };
        }
        sign | bits
    }

    /// `bits`, or the largest number of their sign for what is larger.
    pub(crate) fn saturate_finite(self, bits: u64, source: f64) -> u64 {
        let magnitude = bits & (self.sign() - 1);
        if source.is_nan() || magnitude <= self.largest() {
            return bits;
        }
        self.largest() | if source.is_sign_negative() { self.sign() } else { 0 }
    }
}

/// `2^exponent`, also where it is subnormal.
fn power_of_two(exponent: i32) -> f64 {
    if exponent < -1022 {
        f64::from_bits(1 << (exponent + 1074).max(0))
    } else {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    }
}

/// A rounded result, and on which side of it the exact one is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounded {
    pub(crate) value: f64,
    /// The sign of (exact − value).
    pub(crate) error: f64,
}

impl Rounded {
    pub(crate) fn exact(value: f64) -> Rounded {
        Rounded { value, error: 0.0 }
    }

    /// `a + b`.
    pub(crate) fn sum(a: f64, b: f64) -> Rounded {
        let value = a + b;
        let part = value - a;
        let error = (a - (value - part)) + (b - part);
        Rounded { value, error: if value.is_finite() { error } else { 0.0 } }
    }

    /// `a / b`.
    pub(crate) fn quotient(a: f64, b: f64) -> Rounded {
        let value = a / b;
        // The remainder's sign, by that of the divisor.
        let rest = (-value).mul_add(b, a);
        let error = if !value.is_finite() || value == 0.0 { 0.0 } else { rest * b.signum() };
        Rounded { value, error }
    }

    pub(crate) fn square_root(a: f64) -> Rounded {
        let value = a.sqrt();
        let error = if value.is_finite() && value != 0.0 { (-value).mul_add(value, a) } else { 0.0 };
        Rounded { value, error }
    }

    /// The value, with its last bit set where it is not exact: the odd one of the two neighbours of the exact result.
    pub(crate) fn odd(self) -> f64 {
        let bits = self.value.to_bits();
        if self.error == 0.0 || self.error.is_nan() || !self.value.is_finite() || bits & 1 == 1 {
            return self.value;
        }
        let away = (self.error > 0.0) != self.value.is_sign_negative();
        f64::from_bits(if away { bits + 1 } else { bits.wrapping_sub(1) })
    }

    /// The value of float64 in direction `round`.
    pub(crate) fn directed(self, round: Round) -> f64 {
        let up = match round {
            Round::NearestEven | Round::NearestAway => return self.value,
            Round::Up => true,
            Round::Down => false,
            Round::Zero => self.value.is_sign_negative(),
        };
        if up && self.error > 0.0 {
            self.value.next_up()
        } else if !up && self.error < 0.0 {
            self.value.next_down()
        } else {
            self.value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_narrow_number_comes_back() {
        for (format, bits) in [(F16, 16), (BF16, 16), (TF32, 19), (E4M3, 8), (E5M2, 8)] {
            for pattern in 0..1u64 << bits {
                let x = format.widen(pattern);
                if x.is_nan() {
                    continue;
                }
                for round in [Round::NearestEven, Round::Zero, Round::Down, Round::Up, Round::NearestAway] {
                    assert_eq!(format.narrow(x, round), pattern, "{format:?} {pattern:#x} {round:?}");
                }
            }
        }
    }

    #[test]
    fn rounding_finds_the_nearest_of_the_neighbours() {
        for (format, count) in [(F16, 0x7c00u64), (BF16, 0x7f80)] {
            for low in (0..count - 1).step_by(3) {
                let (a, b) = (format.widen(low), format.widen(low + 1));
                let middle = (a + b) / 2.0;
                let even = if low & 1 == 0 { low } else { low + 1 };
                assert_eq!(format.narrow(middle, Round::NearestEven), even);
                assert_eq!(format.narrow(middle, Round::NearestAway), low + 1);
                assert_eq!(format.narrow(middle.next_up(), Round::NearestEven), low + 1);
                assert_eq!(format.narrow(middle.next_down(), Round::NearestEven), low);
                assert_eq!(format.narrow(middle, Round::Zero), low);
                assert_eq!(format.narrow(middle, Round::Up), low + 1);
                assert_eq!(format.narrow(-middle, Round::Down), format.sign() | (low + 1));
            }
        }
    }

    #[test]
    fn float32_agrees_with_the_host() {
        for x in [1.0, 0.1, 1e-40, 3.5e38, 1.0 + 1e-9, -7e-46, 6e-46, f64::MAX, 1.4e-45, 16777217.0] {
            assert_eq!(F32.encode_of(x, Round::NearestEven), u64::from((x as f32).to_bits()), "{x}");
            assert_eq!(F32.encode_of(x, Round::Zero), F32.narrow(x, Round::Zero), "{x}");
            assert_eq!(F32.encode_of(-x, Round::Zero), F32.narrow(-x, Round::Zero), "-{x}");
        }
        for x in [0i128, 1, -1, 16_777_217, i64::MAX.into(), i64::MIN.into(), u64::MAX.into(), 33_554_435] {
            assert_eq!(F32.narrow_integer(x, Round::NearestEven), u64::from((x as f32).to_bits()), "{x}");
            assert_eq!(F64.narrow_integer(x, Round::NearestEven), (x as f64).to_bits(), "{x}");
        }
    }

    impl Format {
        /// Without the way that the host gives.
        fn encode_of(self, x: f64, round: Round) -> u64 {
            let (bits, exponent) = (x.to_bits() & ((1 << 52) - 1), (x.to_bits() >> 52 & 0x7ff) as i32);
            self.encode(x < 0.0, (bits | 1 << 52).into(), exponent - 1075, round)
        }
    }

    #[test]
    fn large_numbers_end_as_the_mode_says() {
        assert_eq!(F16.narrow(65520.0, Round::NearestEven), 0x7c00);
        assert_eq!(F16.narrow(65519.0, Round::NearestEven), 0x7bff);
        assert_eq!(F16.narrow(1e9, Round::Zero), 0x7bff);
        assert_eq!(F16.narrow(-1e9, Round::Up), 0xfbff);
        assert_eq!(E4M3.saturate_finite(E4M3.narrow(1e9, Round::NearestEven), 1e9), 0x7e);
    }

    #[test]
    fn odd_rounding_keeps_the_side() {
        let sum = Rounded::sum(1.0, 1e-30);
        assert_eq!(sum.odd(), 1f64.next_up());
        assert_eq!(Rounded::sum(1.0, -1e-30).odd(), 1f64.next_down());
        assert_eq!(Rounded::sum(1.0, 2.0).odd(), 3.0);
        assert_eq!(Rounded::quotient(1.0, 3.0).directed(Round::Up), (1.0f64 / 3.0).next_up());
        assert_eq!(Rounded::quotient(1.0, 3.0).directed(Round::Down), 1.0 / 3.0);
        assert_eq!(Rounded::square_root(4.0).error, 0.0);
    }
}
