//! `cvt`.

use super::bits::sign_extend;
use super::float::clamp_unit;
use super::format::{self, Round};
use crate::lanes::{Map1, map1};
use crate::types::{Type, mask};

/// A conversion with all its modifiers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Convert {
    pub(crate) from: Type,
    pub(crate) to: Type,
    /// The rounding to a float format.
    pub(crate) round: Round,
    /// The rounding to an integer, where the modifier asks for one.
    pub(crate) integral: Option<Round>,
    pub(crate) flush: bool,
    pub(crate) saturate: bool,
    pub(crate) finite: bool,
    pub(crate) relu: bool,
    /// Bits of the destination register: signed results fill it.
    pub(crate) register: u32,
}

impl Convert {
    /// `b` is the lower half of packed results.
    pub(crate) fn eval(&self, a: u64, b: u64) -> u64 {
        use Type::*;
        match (self.from, self.to) {
            (F32, F16x2 | BF16x2) => self.float(a, F32) << 16 | self.float(b, F32),
            (F32, E4M3x2 | E5M2x2) => self.float(a, F32) << 8 | self.float(b, F32),
            (F16x2, E4M3x2 | E5M2x2) => self.float(a >> 16 & 0xffff, F16) << 8 | self.float(a & 0xffff, F16),
            (E4M3x2 | E5M2x2, F16x2) => self.float(a >> 8 & 0xff, self.from) << 16 | self.float(a & 0xff, self.from),
            (from, to) if from.is_float() && to.is_float() => self.float(a, from),
            (from, to) if from.is_float() => self.float_to_integer(a, from, to),
            (from, to) => {
                let value = integer(a, from);
                if to.is_float() { self.integer_to_float(value) } else { self.between_integers(value) }
            }
        }
    }

    fn float(&self, bits: u64, from: Type) -> u64 {
        let (Some(source), Some(target)) = (format::of(from), format::of(self.to)) else { return 0 };
        let bits = bits & mask(from.bits());
        let bits = if self.flush && from == Type::F32 { source.flush(bits) } else { bits };
        let mut x = source.widen(bits);
        if let Some(round) = self.integral {
            x = integral(x, round);
        }
        let mut out = target.narrow(x, self.round);
        if self.finite {
            out = target.saturate_finite(out, x);
        }
        if self.flush && self.to == Type::F32 {
            out = target.flush(out);
        }
        if self.saturate {
            out = clamp_unit(target, out);
        }
        if self.relu && x.is_sign_negative() && !x.is_nan() {
            out = 0;
        }
        if self.to == Type::TF32 { out << 13 } else { out }
    }

    fn float_to_integer(&self, bits: u64, from: Type, to: Type) -> u64 {
        let Some(source) = format::of(from) else { return 0 };
        let bits = bits & mask(from.bits());
        let bits = if self.flush && from == Type::F32 { source.flush(bits) } else { bits };
        let x = integral(source.widen(bits), self.integral.unwrap_or(Round::Zero));
        // A cast of Rust saturates, and NaN is 0.
        let value = (x as i128).clamp(lowest(to), highest(to));
        self.fill(value as u64 & to.mask())
    }

    fn integer_to_float(&self, value: i128) -> u64 {
        let Some(target) = format::of(self.to) else { return 0 };
        let out = target.narrow_integer(value, self.round);
        if self.saturate { clamp_unit(target, out) } else { out }
    }

    fn between_integers(&self, value: i128) -> u64 {
        let value = if self.saturate { value.clamp(lowest(self.to), highest(self.to)) } else { value };
        self.fill(value as u64 & self.to.mask())
    }

    /// A signed result fills a register that is wider than it.
    fn fill(&self, bits: u64) -> u64 {
        if self.to.is_signed() && self.register > self.to.bits() {
            sign_extend(bits, self.to.bits(), self.register)
        } else {
            bits
        }
    }

    /// The function over all lanes, for the conversions that programs are full of.
    pub(crate) fn fast(&self) -> Option<Map1> {
        use Type::*;
        if self.flush || self.saturate || self.relu || self.finite {
            return None;
        }
        let plain = self.round == Round::NearestEven;
        Some(match (self.from, self.to) {
            (U32, U64) => map1!(|a| a & 0xffff_ffff),
            (S32, S64) => map1!(|a| a as i32 as i64 as u64),
            (U64 | S64, U32 | S32) if self.register == 32 => map1!(|a| a & 0xffff_ffff),
            (U8, U16 | U32 | U64) => map1!(|a| a & 0xff),
            (U16, U32 | U64) => map1!(|a| a & 0xffff),
            (S8, S32) if self.register == 32 => map1!(|a| u64::from(a as i8 as i32 as u32)),
            (S16, S32) if self.register == 32 => map1!(|a| u64::from(a as i16 as i32 as u32)),
            (S32, F32) if plain => map1!(|a| u64::from((a as i32 as f32).to_bits())),
            (U32, F32) if plain => map1!(|a| u64::from((a as u32 as f32).to_bits())),
            (F32, F64) => map1!(|a| format::F64.narrow(f32::from_bits(a as u32).into(), Round::NearestEven)),
            (BF16, F32) if self.integral.is_none() => map1!(|a| {
                let bits = (a & 0xffff) << 16;
                if f32::from_bits(bits as u32).is_nan() { 0x7fff_ffff } else { bits }
            }),
            _ => return None,
        })
    }
}

/// The value of an integer register.
fn integer(bits: u64, ty: Type) -> i128 {
    let bits = bits & ty.mask();
    if ty.is_signed() { i128::from(sign_extend(bits, ty.bits(), 64) as i64) } else { i128::from(bits) }
}

fn lowest(ty: Type) -> i128 {
    if ty.is_signed() { -(1 << (ty.bits() - 1)) } else { 0 }
}

fn highest(ty: Type) -> i128 {
    if ty.is_signed() { (1 << (ty.bits() - 1)) - 1 } else { (1 << ty.bits()) - 1 }
}

fn integral(x: f64, round: Round) -> f64 {
    match round {
        Round::NearestEven => x.round_ties_even(),
        Round::NearestAway => x.round(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::WARP;

    fn convert(from: Type, to: Type) -> Convert {
        Convert {
            from,
            to,
            round: Round::NearestEven,
            integral: None,
            flush: false,
            saturate: false,
            finite: false,
            relu: false,
            register: to.bits().max(16),
        }
    }

    #[test]
    fn floats_become_integers_that_saturate() {
        for x in [0.0f32, -0.5, 0.5, 1.5, 2.5, -1.5, 1e20, -1e20, f32::NAN, f32::INFINITY, 127.9, 300.0] {
            let bits = u64::from(x.to_bits());
            assert_eq!(convert(Type::F32, Type::S32).eval(bits, 0), u64::from((x as i32) as u32), "{x}");
            assert_eq!(convert(Type::F32, Type::U32).eval(bits, 0), u64::from(x as u32), "{x}");
            assert_eq!(convert(Type::F32, Type::S64).eval(bits, 0), (x as i64) as u64, "{x}");
            assert_eq!(convert(Type::F32, Type::U64).eval(bits, 0), x as u64, "{x}");
            assert_eq!(convert(Type::F32, Type::S8).eval(bits, 0), u64::from((x as i8) as i16 as u16), "{x}");
            let nearest = Convert { integral: Some(Round::NearestEven), ..convert(Type::F32, Type::S32) };
            assert_eq!(nearest.eval(bits, 0), u64::from((x.round_ties_even() as i32) as u32), "{x}");
            let down = Convert { integral: Some(Round::Down), ..convert(Type::F32, Type::F32) };
            assert_eq!(down.eval(bits, 0) as u32, if x.is_nan() { 0x7fff_ffff } else { x.floor().to_bits() }, "{x}");
        }
    }

    #[test]
    fn integers_become_integers() {
        for value in [0u64, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, u64::MAX, i64::MIN as u64] {
            assert_eq!(convert(Type::S32, Type::S64).eval(value, 0), (value as i32 as i64) as u64);
            assert_eq!(convert(Type::S8, Type::S32).eval(value, 0), u64::from((value as i8 as i32) as u32));
            assert_eq!(convert(Type::U64, Type::U32).eval(value, 0), u64::from(value as u32));
            let clamped = Convert { saturate: true, ..convert(Type::S64, Type::U8) };
            assert_eq!(clamped.eval(value, 0), (value as i64).clamp(0, 255) as u64);
        }
    }

    #[test]
    fn fast_ways_agree() {
        use Type::*;
        let pairs = [(U32, U64), (S32, S64), (U64, U32), (U8, U32), (U16, U32), (S8, S32), (S16, S32), (S32, F32)];
        for (from, to) in pairs.into_iter().chain([(U32, F32), (F32, F64), (BF16, F32), (U8, U16)]) {
            let convert = convert(from, to);
            let fast = convert.fast().unwrap_or_else(|| panic!("{from:?} {to:?}"));
            for value in [0u64, 1, 0x80, 0xff80, 0x7fc0, 0x3f80_0000, 0xff80_0001, 0x8000_0000, u64::MAX] {
                let mut out = [0; WARP];
                fast(&[value; WARP], &mut out);
                assert_eq!(out[3], convert.eval(value, 0), "{from:?} {to:?} {value:#x}");
            }
        }
    }

    #[test]
    fn pairs_of_floats_are_packed_with_the_first_above() {
        let (one, two) = (u64::from(1f32.to_bits()), u64::from(2f32.to_bits()));
        assert_eq!(convert(Type::F32, Type::F16x2).eval(one, two), 0x3c00_4000);
        assert_eq!(convert(Type::F32, Type::BF16x2).eval(one, two), 0x3f80_4000);
        let relu = Convert { relu: true, ..convert(Type::F32, Type::BF16x2) };
        assert_eq!(relu.eval(u64::from((-1f32).to_bits()), two), 0x4000);
        let tf32 = Convert { round: Round::NearestAway, ..convert(Type::F32, Type::TF32) };
        assert_eq!(tf32.eval(0x3f80_1000, 0), 0x3f80_2000);
        let finite = Convert { finite: true, ..convert(Type::F32, Type::E4M3x2) };
        assert_eq!(finite.eval(u64::from(1e9f32.to_bits()), one), 0x7e38);
    }
}
