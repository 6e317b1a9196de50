//! Approximate instructions: the right result, moved by an error that the manual allows.
//!
//! The bounds are those of the PTX ISA manual ("Floating Point Instructions"). The error is a function of seed,
//! operation and operands, so that equal operands give equal results in one run. Results of the manual's tables of
//! special operands (zeros, infinities, NaN) are exact.

use super::format::{Format, Round};
use crate::timing::mix;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    /// `rcp.approx`.
    Reciprocal,
    Sqrt,
    ReciprocalSqrt,
    Sin,
    Cos,
    Lg2,
    Ex2,
    Tanh,
    /// `div.approx` and `div.full`.
    Div,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Approx {
    pub(crate) function: Function,
    pub(crate) format: Format,
    pub(crate) halves: bool,
    pub(crate) flush: bool,
    /// The largest error, relative (absolute for sin, cos, and lg2 near 1), as a power of two.
    pub(crate) error: f64,
}

impl Approx {
    pub(crate) fn eval(&self, a: u64, b: u64, seed: u64) -> u64 {
        if !self.halves {
            return self.one(a, b, seed);
        }
        self.one(a >> 16 & 0xffff, b >> 16 & 0xffff, seed) << 16 | self.one(a & 0xffff, b & 0xffff, seed)
    }

    fn one(&self, a: u64, b: u64, seed: u64) -> u64 {
        let read = |bits: u64| self.format.widen(if self.flush { self.format.flush(bits) } else { bits });
        let (x, y) = (read(a), read(b));
        let exact = self.exact(x, y);
        let mut value = exact;
        if exact.is_finite() && exact != 0.0 && !(self.function == Function::Ex2 && x == 0.0) {
            let random = mix(seed ^ mix(a) ^ mix(b).rotate_left(17) ^ self.function as u64);
            // Between -1 and 1.
            let unit = (random >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            value = match self.function {
                Function::Sin | Function::Cos => exact + unit * self.error,
                Function::Lg2 if (0.5..=2.0).contains(&x) => exact + unit * self.error,
                _ => exact * (1.0 + unit * self.error),
            };
        }
        let bits = self.format.narrow(value, Round::NearestEven);
        if self.flush { self.format.flush(bits) } else { bits }
    }

    fn exact(&self, x: f64, y: f64) -> f64 {
        match self.function {
            Function::Reciprocal => 1.0 / x,
            Function::Sqrt => x.sqrt(),
            Function::ReciprocalSqrt => 1.0 / x.sqrt(),
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Lg2 => x.log2(),
            Function::Ex2 => x.exp2(),
            Function::Tanh => x.tanh(),
            Function::Div => x / y,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::format::F32;

    fn run(function: Function, x: f32, seed: u64) -> f32 {
        let op = Approx { function, format: F32, halves: false, flush: false, error: 2f64.powi(-22) };
        f32::from_bits(op.eval(x.to_bits().into(), 0, seed) as u32)
    }

    #[test]
    fn errors_are_within_the_bound_and_not_zero() {
        let mut differ = 0;
        for i in 1..1000 {
            let x = i as f32 / 37.0;
            let y = f64::from(run(Function::Ex2, x, 7));
            let right = f64::from(x).exp2();
            assert!((y / right - 1.0).abs() <= 2f64.powi(-22) + 2f64.powi(-24), "{x}");
            differ += u32::from(y != f64::from(right as f32));
        }
        assert!(differ > 500, "{differ}");
    }

    #[test]
    fn special_operands_are_exact() {
        assert_eq!(run(Function::Ex2, f32::NEG_INFINITY, 1), 0.0);
        assert_eq!(run(Function::Ex2, 0.0, 1), 1.0);
        assert_eq!(run(Function::Lg2, 0.0, 1), f32::NEG_INFINITY);
        assert_eq!(run(Function::Reciprocal, -0.0, 1), f32::NEG_INFINITY);
        assert_eq!(run(Function::ReciprocalSqrt, f32::INFINITY, 1), 0.0);
        assert!(run(Function::Lg2, -1.0, 1).is_nan());
        assert_eq!(run(Function::Ex2, 1.25, 3), run(Function::Ex2, 1.25, 3));
    }
}
