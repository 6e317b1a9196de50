//! Floating-point arithmetic.

use super::format::{self, Format, Round, Rounded};
use crate::lanes::{Map1, Map2, Map3, map1, map2, map3};
use crate::types::Type;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Min,
    Max,
    Sqrt,
    Rcp,
}

/// An operation with all its modifiers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FloatOp {
    pub(crate) kind: Kind,
    pub(crate) format: Format,
    /// Two values in 32 bits.
    pub(crate) halves: bool,
    pub(crate) round: Round,
    /// `.ftz`: subnormal numbers are zeros.
    pub(crate) flush: bool,
    /// `.sat`: results are between 0 and 1.
    pub(crate) saturate: bool,
    /// `.relu`: results are not negative.
    pub(crate) relu: bool,
    /// `.NaN`: a NaN wins.
    pub(crate) nan: bool,
    /// `.xorsign.abs`.
    pub(crate) xor_sign: bool,
}

impl FloatOp {
    /// The operation on registers.
    pub(crate) fn eval(&self, a: u64, b: u64, c: u64) -> u64 {
        if !self.halves {
            return self.one(a, b, c);
        }
        let low = self.one(a & 0xffff, b & 0xffff, c & 0xffff);
        let high = self.one(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff);
        high << 16 | low
    }

    fn one(&self, a: u64, b: u64, c: u64) -> u64 {
        let read = |bits: u64| self.format.widen(if self.flush { self.format.flush(bits) } else { bits });
        let result = self.compute(read(a), read(b), read(c));
        let mut bits = match self.format {
            format::F64 => result.directed(self.round).to_bits(),
            format => format.narrow(result.odd(), self.round),
        };
        let value = self.format.widen(bits);
        if value.is_nan() {
            bits = self.format.nan();
        }
        if self.flush {
            bits = self.format.flush(bits);
        }
        if self.saturate {
            bits = clamp_unit(self.format, bits);
        }
        if self.relu && value.is_sign_negative() && !value.is_nan() {
            bits = 0;
        }
        bits
    }

    fn compute(&self, a: f64, b: f64, c: f64) -> Rounded {
        match self.kind {
            Kind::Add => Rounded::sum(a, b),
            Kind::Sub => Rounded::sum(a, -b),
            Kind::Mul => {
                let value = a * b;
                let error = if self.format == format::F64 && value.is_finite() { a.mul_add(b, -value) } else { 0.0 };
                Rounded { value, error }
            }
            // Products of narrow formats are exact in float64; that of float64 is rounded once by the host.
            Kind::Fma if self.format == format::F64 => Rounded::exact(a.mul_add(b, c)),
            Kind::Fma => Rounded::sum(a * b, c),
            Kind::Div => Rounded::quotient(a, b),
            Kind::Rcp => Rounded::quotient(1.0, a),
            Kind::Sqrt => Rounded::square_root(a),
            Kind::Min | Kind::Max => Rounded::exact(self.extremum(a, b)),
        }
    }

    fn extremum(&self, a: f64, b: f64) -> f64 {
        let negative = a.is_sign_negative() != b.is_sign_negative();
        let (a, b) = if self.xor_sign { (a.abs(), b.abs()) } else { (a, b) };
        let result = match (a.is_nan(), b.is_nan()) {
            (true, true) => f64::NAN,
            (true, false) | (false, true) if self.nan => f64::NAN,
            (true, false) => b,
            (false, true) => a,
            // -0 is below +0.
            (false, false) if a == b => {
                if a.is_sign_negative() == (self.kind == Kind::Min) {
                    a
                } else {
                    b
                }
            }
            (false, false) if (a < b) == (self.kind == Kind::Min) => a,
            (false, false) => b,
        };
        if self.xor_sign && negative { -result } else { result }
    }

    /// The function of the host that does the same on all lanes, where there is one.
    pub(crate) fn fast(&self) -> Option<Fast> {
        let plain = !(self.flush || self.saturate || self.relu || self.nan || self.xor_sign || self.halves)
            && self.round == Round::NearestEven;
        if !plain {
            return None;
        }
        match self.format {
            format::F32 => fast32(self.kind),
            format::F64 => fast64(self.kind),
            _ => None,
        }
    }
}

/// Between 0 and 1; NaN is 0.
pub(crate) fn clamp_unit(format: Format, bits: u64) -> u64 {
    let value = format.widen(bits);
    if value.is_nan() || value.is_sign_negative() {
        0
    } else if value > 1.0 {
        format.narrow(1.0, Round::NearestEven)
    } else {
        bits
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fast {
    One(Map1),
    Two(Map2),
    Three(Map3),
}

fn single(x: u64) -> f32 {
    f32::from_bits(x as u32)
}

fn bits32(x: f32) -> u64 {
    if x.is_nan() { 0x7fff_ffff } else { u64::from(x.to_bits()) }
}

fn bits64(x: f64) -> u64 {
    if x.is_nan() { 0x7fff_ffff_ffff_ffff } else { x.to_bits() }
}

fn fast32(kind: Kind) -> Option<Fast> {
    Some(match kind {
        Kind::Add => Fast::Two(map2!(|a, b| bits32(single(a) + single(b)))),
        Kind::Sub => Fast::Two(map2!(|a, b| bits32(single(a) - single(b)))),
        Kind::Mul => Fast::Two(map2!(|a, b| bits32(single(a) * single(b)))),
        Kind::Div => Fast::Two(map2!(|a, b| bits32(single(a) / single(b)))),
        Kind::Fma => Fast::Three(map3!(|a, b, c| bits32(single(a).mul_add(single(b), single(c))))),
        Kind::Sqrt => Fast::One(map1!(|a| bits32(single(a).sqrt()))),
        Kind::Rcp => Fast::One(map1!(|a| bits32(1.0 / single(a)))),
        Kind::Min | Kind::Max => return None,
    })
}

fn fast64(kind: Kind) -> Option<Fast> {
    Some(match kind {
        Kind::Add => Fast::Two(map2!(|a, b| bits64(f64::from_bits(a) + f64::from_bits(b)))),
        Kind::Sub => Fast::Two(map2!(|a, b| bits64(f64::from_bits(a) - f64::from_bits(b)))),
        Kind::Mul => Fast::Two(map2!(|a, b| bits64(f64::from_bits(a) * f64::from_bits(b)))),
        Kind::Div => Fast::Two(map2!(|a, b| bits64(f64::from_bits(a) / f64::from_bits(b)))),
        Kind::Fma => {
            Fast::Three(map3!(|a, b, c| bits64(f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)))))
        }
        Kind::Sqrt => Fast::One(map1!(|a| bits64(f64::from_bits(a).sqrt()))),
        Kind::Rcp => Fast::One(map1!(|a| bits64(1.0 / f64::from_bits(a)))),
        Kind::Min | Kind::Max => return None,
    })
}

/// Operations on the sign, for values of `bits` bits, perhaps two of them in a register.
pub(crate) fn sign(name: &str, ty: Type) -> Option<Map1> {
    Some(match (name, ty) {
        ("neg", Type::F16 | Type::BF16) => map1!(|a| (a ^ 0x8000) & 0xffff),
        ("neg", Type::F16x2 | Type::BF16x2) => map1!(|a| (a ^ 0x8000_8000) & 0xffff_ffff),
        ("neg", Type::F32) => map1!(|a| (a ^ 0x8000_0000) & 0xffff_ffff),
        ("neg", Type::F64) => map1!(|a| a ^ (1 << 63)),
        ("abs", Type::F16 | Type::BF16) => map1!(|a| a & 0x7fff),
        ("abs", Type::F16x2 | Type::BF16x2) => map1!(|a| a & 0x7fff_7fff),
        ("abs", Type::F32) => map1!(|a| a & 0x7fff_ffff),
        ("abs", Type::F64) => map1!(|a| a & !(1 << 63)),
        ("neg.ftz", Type::F32) => map1!(|a| format::F32.flush((a ^ 0x8000_0000) & 0xffff_ffff)),
        ("abs.ftz", Type::F32) => map1!(|a| format::F32.flush(a & 0x7fff_ffff)),
        _ => return None,
    })
}

/// The sign of `a` on the magnitude of `b`.
pub(crate) fn copy_sign(ty: Type) -> Option<Map2> {
    Some(match ty {
        Type::F32 => map2!(|a, b| (a & 0x8000_0000) | (b & 0x7fff_ffff)),
        Type::F64 => map2!(|a, b| (a & (1 << 63)) | (b & !(1 << 63))),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::WARP;

    pub(crate) const EDGES: [f32; 22] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1.5,
        0.1,
        -3.3,
        f32::MIN_POSITIVE,
        1e-45,
        -1e-40,
        f32::MAX,
        f32::MIN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::EPSILON,
        16_777_216.0,
        16_777_215.0,
        1e10,
        -1e-10,
        0.333_333_34,
        2.5,
    ];

    fn op(kind: Kind, format: Format) -> FloatOp {
        FloatOp {
            kind,
            format,
            halves: false,
            round: Round::NearestEven,
            flush: false,
            saturate: false,
            relu: false,
            nan: false,
            xor_sign: false,
        }
    }

    /// The general way must agree with the host's arithmetic, and so must the fast one.
    #[test]
    fn float32_is_that_of_the_host() {
        let same = |kind: Kind, a: f32, b: f32, c: f32, right: f32| {
            let op = op(kind, format::F32);
            let bits = |x: f32| u64::from(x.to_bits());
            let right = bits32(right);
            assert_eq!(op.eval(bits(a), bits(b), bits(c)), right, "{kind:?} {a} {b} {c}");
            let mut out = [0; WARP];
            let (a, b, c) = ([bits(a); WARP], [bits(b); WARP], [bits(c); WARP]);
            match op.fast() {
                Some(Fast::One(f)) => f(&a, &mut out),
                Some(Fast::Two(f)) => f(&a, &b, &mut out),
                Some(Fast::Three(f)) => f(&a, &b, &c, &mut out),
                None => return,
            }
            assert_eq!(out[7], right, "fast {kind:?}");
        };
        for a in EDGES {
            same(Kind::Sqrt, a, 0.0, 0.0, a.sqrt());
            same(Kind::Rcp, a, 0.0, 0.0, 1.0 / a);
            for b in EDGES {
                same(Kind::Add, a, b, 0.0, a + b);
                same(Kind::Sub, a, b, 0.0, a - b);
                same(Kind::Mul, a, b, 0.0, a * b);
                same(Kind::Div, a, b, 0.0, a / b);
                for c in EDGES {
                    same(Kind::Fma, a, b, c, a.mul_add(b, c));
                }
            }
        }
    }

    #[test]
    fn minimum_and_maximum_of_nan_and_zeros() {
        let eval =
            |op: FloatOp, a: f32, b: f32| f32::from_bits(op.eval(a.to_bits().into(), b.to_bits().into(), 0) as u32);
        let (min, max) = (op(Kind::Min, format::F32), op(Kind::Max, format::F32));
        assert_eq!(eval(min, f32::NAN, 2.0), 2.0);
        assert_eq!(eval(max, 2.0, f32::NAN), 2.0);
        assert!(eval(FloatOp { nan: true, ..min }, f32::NAN, 2.0).is_nan());
        assert!(eval(min, f32::NAN, f32::NAN).is_nan());
        assert!(eval(min, 0.0, -0.0).is_sign_negative());
        assert!(eval(max, -0.0, 0.0).is_sign_positive());
        assert_eq!(eval(FloatOp { xor_sign: true, ..min }, -3.0, 2.0), -2.0);
        assert_eq!(eval(FloatOp { relu: true, ..max }, -3.0, -2.0), 0.0);
    }

    #[test]
    fn half_products_and_sums_round_once() {
        for a in (0..0x7c00u64).step_by(97) {
            for b in (0..0xfc00u64).step_by(331) {
                let (x, y) = (format::F16.widen(a), format::F16.widen(b));
                if y.is_nan() {
                    continue;
                }
                let sum = op(Kind::Add, format::F16).eval(a, b, 0);
                assert_eq!(sum, format::F16.narrow(x + y, Round::NearestEven), "{x} + {y}");
                let product = op(Kind::Mul, format::F16).eval(a, b, 0);
                assert_eq!(product, format::F16.narrow(x * y, Round::NearestEven), "{x} * {y}");
            }
        }
        // 1 + 2^-24 just above the middle of 1 and its neighbour, by a product that float64 cannot add exactly.
        let fma = op(Kind::Fma, format::F16);
        let (one, tiny) = (format::F16.narrow(1.0, Round::NearestEven), 1);
        assert_eq!(fma.eval(one, one, tiny), one);
        assert_eq!(FloatOp { round: Round::Up, ..fma }.eval(one, one, tiny), one + 1);
    }

    #[test]
    fn modifiers_act_on_the_result() {
        let add = op(Kind::Add, format::F32);
        let bits = |x: f32| u64::from(x.to_bits());
        assert_eq!(FloatOp { flush: true, ..add }.eval(bits(1e-40), bits(0.0), 0), 0);
        assert_eq!(FloatOp { saturate: true, ..add }.eval(bits(1.0), bits(1.0), 0), bits(1.0));
        assert_eq!(FloatOp { saturate: true, ..add }.eval(bits(f32::NAN), bits(1.0), 0), 0);
        assert_eq!(FloatOp { round: Round::Up, ..add }.eval(bits(1.0), bits(1e-30), 0), bits(1f32.next_up()));
        assert_eq!(FloatOp { round: Round::Zero, ..add }.eval(bits(1.0), bits(-1e-30), 0), bits(1f32.next_down()));
        let halves = FloatOp { halves: true, ..op(Kind::Add, format::F16) };
        assert_eq!(halves.eval(0x3c00_4000, 0x3c00_4000, 0), 0x4000_4400);
    }
}
