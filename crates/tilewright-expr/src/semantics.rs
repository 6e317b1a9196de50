//! The table of scalar semantics: the meaning of every operation for every type, for the interpreter and all targets
//! alike.
//!
//! | operation | integers | floats |
//! |---|---|---|
//! | add, sub, mul | wrap around | IEEE, one rounding each, denormals kept |
//! | div, mod | towards zero; a zero divisor and MIN / -1 are faults | IEEE division; `fmod` |
//! | floor_div, floor_mod | towards minus infinity; the same faults | floor of the quotient; sign of the divisor |
//! | min, max | order of the type | NaN if either is; -0 is less than +0 |
//! | and, or | of bools: the right side is evaluated only where the left one does not decide (both are in vectors) | – |
//! | shl, shr | 0 for a count of the width or more, the count read as unsigned; signed right shifts keep the sign | – |
//! | compare | order of the type | false on NaN, but `!=` true |
//! | cast to integer | wraps around | towards zero, saturates, NaN gives 0 |
//! | cast to bool | is not zero | is not zero (NaN is true) |
//!
//! f16 and bf16 compute each operation as f32 would and round the result. Floats of 8 bits are converted, through f32,
//! and have no other operations.
//!
//! Intrinsics that are not exact ([`Intrinsic::is_exact`](crate::Intrinsic::is_exact)) are computed in f64 by the
//! `libm` crate, on every machine alike, and rounded; compiled code may differ by [`MATH_ULPS`](crate::MATH_ULPS).

use std::fmt;

use half::{bf16, f16};
use tilewright_tensor::{DataType, TypeCode};

use crate::{BinOp, CmpOp};

mod float8;
mod math;

pub use float8::{Float8, is_float8};
pub use math::{intrinsic, real};

/// One element: a type of one lane and a value of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Scalar {
    dtype: DataType,
    /// The value's own bits, those above the type's width zero.
    bits: u64,
}

/// An operation that has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    DivisionByZero,
    /// The least value divided by -1.
    DivisionOverflow,
    /// The operation does not exist for the type; constructors of expressions exclude it.
    NotDefined,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DivisionByZero => "integer division by zero",
            Self::DivisionOverflow => "integer division of the least value by -1",
            Self::NotDefined => "operation not defined for this type",
        })
    }
}

impl std::error::Error for Fault {}

/// The integer with the bits of `value` in the type's width, read as the type reads them (`uint64` by its bits).
pub fn wrap(value: i64, dtype: DataType) -> i64 {
    let unused = 64 - u32::from(dtype.bits).clamp(1, 64);
    match dtype.code {
        TypeCode::Bool => i64::from(value != 0),
        TypeCode::Int => value << unused >> unused,
        _ => ((value as u64) << unused >> unused) as i64,
    }
}

/// The float32 below the value in magnitude, with its last bit set where that is not exact: rounding it to fewer bits
/// gives what rounding the value at once does. (The conversions of the `half` crate round twice on some machines.)
fn round_to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    if value.is_nan() || back == value {
        return nearest;
    }
    f32::from_bits((nearest.to_bits() - u32::from(back.abs() > value.abs())) | 1)
}

/// The value rounded to the float type, to nearest, ties to even.
pub fn round_float(value: f64, dtype: DataType) -> f64 {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, 32) => f64::from(value as f32),
        (TypeCode::Float, 16) => f16::from_f32(round_to_odd(value)).to_f64(),
        (TypeCode::BFloat, 16) => bf16::from_f32(round_to_odd(value)).to_f64(),
        _ => value,
    }
}

impl Scalar {
    /// An element by its bits in memory.
    pub fn from_bits(dtype: DataType, bits: u64) -> Self {
        let unused = 64 - u32::from(dtype.bits).clamp(1, 64);
        Self { dtype: dtype.element(), bits: bits << unused >> unused }
    }

    pub fn from_int(value: i64, dtype: DataType) -> Self {
        Self::from_bits(dtype, wrap(value, dtype) as u64)
    }

    pub fn from_bool(value: bool) -> Self {
        Self::from_bits(DataType::BOOL, u64::from(value))
    }

    /// The float nearest to `value` in a float type.
    pub fn from_float(value: f64, dtype: DataType) -> Self {
        let bits = match (dtype.code, dtype.bits) {
            (TypeCode::Float, 32) => u64::from((value as f32).to_bits()),
            (TypeCode::Float, 16) => u64::from(f16::from_f32(round_to_odd(value)).to_bits()),
            (TypeCode::BFloat, 16) => u64::from(bf16::from_f32(round_to_odd(value)).to_bits()),
            _ => float8::nearest(value, dtype).map_or_else(|| value.to_bits(), u64::from),
        };
        Self::from_bits(dtype, bits)
    }

    pub fn dtype(self) -> DataType {
        self.dtype
    }

    /// The bits as they lie in memory.
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// The value of an integer or bool (`uint64` by its bits).
    pub fn as_int(self) -> i64 {
        wrap(self.bits as i64, self.dtype)
    }

    /// The value of a float, exact.
    pub fn as_float(self) -> f64 {
        match (self.dtype.code, self.dtype.bits) {
            (TypeCode::Float, 32) => f64::from(f32::from_bits(self.bits as u32)),
            (TypeCode::Float, 16) => f16::from_bits(self.bits as u16).to_f64(),
            (TypeCode::BFloat, 16) => bf16::from_bits(self.bits as u16).to_f64(),
            _ => float8::value(self.bits as u8, self.dtype).unwrap_or(f64::from_bits(self.bits)),
        }
    }

    /// Not zero; NaN is true.
    pub fn as_bool(self) -> bool {
        if self.is_floating() { self.as_float() != 0.0 } else { self.bits != 0 }
    }

    /// Whether the value is that of a float, one of 8 bits included.
    fn is_floating(self) -> bool {
        self.dtype.is_float() || is_float8(self.dtype)
    }

    /// The value as a mathematical integer.
    pub fn as_wide(self) -> i128 {
        if self.dtype.is_signed() { i128::from(self.as_int()) } else { i128::from(self.bits) }
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.dtype.is_float() {
            write!(f, "{}({:?})", self.dtype, self.as_float())
        } else {
            write!(f, "{}({})", self.dtype, self.as_wide())
        }
    }
}

/// `a op b`, both of one type.
pub fn binary(op: BinOp, a: Scalar, b: Scalar) -> Result<Scalar, Fault> {
    if a.dtype != b.dtype || !op.takes(a.dtype) {
        return Err(Fault::NotDefined);
    }
    if a.dtype.is_float() { float_binary(op, a, b) } else { int_binary(op, a, b) }
}

/// Runs an operation in f64 for f64 and in f32 for all narrower floats, and rounds to the type.
fn in_float(dtype: DataType, wide: impl FnOnce() -> f64, narrow: impl FnOnce() -> f32) -> Scalar {
    if dtype.bits == 64 { Scalar::from_float(wide(), dtype) } else { Scalar::from_float(f64::from(narrow()), dtype) }
}

fn float_binary(op: BinOp, a: Scalar, b: Scalar) -> Result<Scalar, Fault> {
    macro_rules! each {
        (|$x:ident, $y:ident| $result:expr) => {{
            let (xw, yw) = (a.as_float(), b.as_float());
            let (xn, yn) = (xw as f32, yw as f32);
            in_float(
                a.dtype,
                || {
                    let ($x, $y) = (xw, yw);
                    $result
                },
                || {
                    let ($x, $y) = (xn, yn);
                    $result
                },
            )
        }};
    }
    Ok(match op {
        BinOp::Add => each!(|x, y| x + y),
        BinOp::Sub => each!(|x, y| x - y),
        BinOp::Mul => each!(|x, y| x * y),
        BinOp::Div => each!(|x, y| x / y),
        BinOp::Mod => each!(|x, y| x % y),
        BinOp::FloorDiv => each!(|x, y| (x / y).floor()),
        BinOp::FloorMod => each!(|x, y| {
            let r = x % y;
            if r != 0.0 && (r < 0.0) != (y < 0.0) { r + y } else { r }
        }),
        BinOp::Min | BinOp::Max => {
            let (x, y) = (a.as_float(), b.as_float());
            match op {
                _ if x.is_nan() => a,
                _ if y.is_nan() => b,
                BinOp::Min if x < y || (x == y && x.is_sign_negative()) => a,
                BinOp::Max if x > y || (x == y && x.is_sign_positive()) => a,
                _ => b,
            }
        }
        BinOp::And | BinOp::Or | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Shl | BinOp::Shr => {
            return Err(Fault::NotDefined);
        }
    })
}

fn int_binary(op: BinOp, a: Scalar, b: Scalar) -> Result<Scalar, Fault> {
    let (x, y) = (a.as_wide(), b.as_wide());
    let width = u64::from(a.dtype.bits);
    if matches!(op, BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod) {
        if y == 0 {
            return Err(Fault::DivisionByZero);
        }
        // The quotient is not of the type; the remainder is 0.
        let has_quotient = matches!(op, BinOp::Div | BinOp::FloorDiv);
        if has_quotient && a.dtype.is_signed() && y == -1 && x == -(1i128 << (width - 1)) {
            return Err(Fault::DivisionOverflow);
        }
    }
    let result = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x.wrapping_mul(y),
        BinOp::Div => x / y,
        BinOp::Mod => x % y,
        BinOp::FloorDiv => x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0),
        BinOp::FloorMod => {
            let r = x % y;
            if r != 0 && (r < 0) != (y < 0) { r + y } else { r }
        }
        BinOp::Min => x.min(y),
        BinOp::Max => x.max(y),
        BinOp::And | BinOp::BitAnd => x & y,
        BinOp::Or | BinOp::BitOr => x | y,
        BinOp::BitXor => x ^ y,
        BinOp::Shl if b.bits >= width => 0,
        BinOp::Shl => x << b.bits,
        BinOp::Shr if b.bits >= width => 0,
        BinOp::Shr => x >> b.bits,
    };
    Ok(Scalar::from_int(result as i64, a.dtype))
}

/// `a op b`, both of one type.
pub fn compare(op: CmpOp, a: Scalar, b: Scalar) -> Scalar {
    let order =
        if a.dtype.is_float() { a.as_float().partial_cmp(&b.as_float()) } else { Some(a.as_wide().cmp(&b.as_wide())) };
    Scalar::from_bool(match op {
        CmpOp::Eq => order.is_some_and(|o| o.is_eq()),
        CmpOp::Ne => order.is_none_or(|o| o.is_ne()),
        CmpOp::Lt => order.is_some_and(|o| o.is_lt()),
        CmpOp::Le => order.is_some_and(|o| o.is_le()),
        CmpOp::Gt => order.is_some_and(|o| o.is_gt()),
        CmpOp::Ge => order.is_some_and(|o| o.is_ge()),
    })
}

/// The least and the greatest integer of the type; `None` of other types. A bool is 0 or 1.
pub fn int_range(dtype: DataType) -> Option<(i128, i128)> {
    let bits = u32::from(dtype.bits);
    match dtype.code {
        TypeCode::Int if (1..=64).contains(&bits) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        TypeCode::UInt if (1..=64).contains(&bits) => Some((0, (1 << bits) - 1)),
        TypeCode::Bool => Some((0, 1)),
        _ => None,
    }
}

/// Conversion to another scalar type.
pub fn cast(value: Scalar, dtype: DataType) -> Scalar {
    let dtype = dtype.element();
    match (value.is_floating(), dtype.is_float() || is_float8(dtype)) {
        _ if dtype.is_bool() => Scalar::from_bool(value.as_bool()),
        (true, true) => Scalar::from_float(value.as_float(), dtype),
        (true, false) => Scalar::from_bits(dtype, saturate(value.as_float(), dtype)),
        (false, true) => int_to_float(value.as_wide(), dtype),
        (false, false) => Scalar::from_int(value.as_wide() as i64, dtype),
    }
}

/// An integer in a float type, rounded once for f32 and f64; f16 and bf16 round the f32.
fn int_to_float(value: i128, dtype: DataType) -> Scalar {
    in_float(dtype, || value as f64, || value as f32)
}

fn saturate(value: f64, dtype: DataType) -> u64 {
    let width = u32::from(dtype.bits);
    if dtype.is_signed() {
        let (low, high) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
        (value as i128).clamp(low, high) as u64
    } else {
        (value as i128).clamp(0, (1i128 << width) - 1) as u64
    }
}

/// The bits of the lanes as lanes of another type; lane 0 has the lowest.
pub fn reinterpret(lanes: &[Scalar], dtype: DataType) -> Vec<Scalar> {
    let bytes: Vec<u8> =
        lanes.iter().flat_map(|lane| lane.bits.to_le_bytes().into_iter().take(lane.dtype.element_bytes())).collect();
    let lane = |bytes: &[u8]| {
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        Scalar::from_bits(dtype, bits)
    };
    bytes.chunks(dtype.element_bytes().max(1)).map(lane).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: i64, dtype: DataType) -> Scalar {
        Scalar::from_int(value, dtype)
    }

    #[test]
    fn integers_follow_the_table_on_every_pair_of_bytes() {
        for (dtype, range) in [(DataType::I8, -128i64..128), (DataType::U8, 0..256)] {
            for x in range.clone() {
                for y in range.clone() {
                    let at = |op| binary(op, int(x, dtype), int(y, dtype)).map(Scalar::as_int);
                    assert_eq!(at(BinOp::Add), Ok(wrap(x + y, dtype)));
                    assert_eq!(at(BinOp::Mul), Ok(wrap(x * y, dtype)));
                    let overflow = dtype.is_signed() && x == -128 && y == -1;
                    if y == 0 || overflow {
                        assert!(at(BinOp::FloorDiv).is_err() && at(BinOp::Div).is_err());
                        let rest = if overflow { Ok(0) } else { Err(Fault::DivisionByZero) };
                        assert_eq!((at(BinOp::FloorMod), at(BinOp::Mod)), (rest, rest));
                        continue;
                    }
                    let floor = (x as f64 / y as f64).floor() as i64;
                    assert_eq!((at(BinOp::FloorDiv), at(BinOp::FloorMod)), (Ok(floor), Ok(x - floor * y)), "{x} {y}");
                    assert_eq!((at(BinOp::Div), at(BinOp::Mod)), (Ok(x / y), Ok(x % y)));
                }
            }
        }
    }

    #[test]
    fn shifts_by_the_width_or_more_give_zero() {
        let shift = |op, x, by| binary(op, int(x, DataType::I32), int(by, DataType::I32)).unwrap().as_int();
        assert_eq!(
            (shift(BinOp::Shl, 1, 31), shift(BinOp::Shl, 1, 32), shift(BinOp::Shl, 1, -1)),
            (i64::from(i32::MIN), 0, 0)
        );
        assert_eq!((shift(BinOp::Shr, -8, 1), shift(BinOp::Shr, -8, 99), shift(BinOp::Shr, 8, 99)), (-4, 0, 0));
    }

    #[test]
    fn min_and_max_keep_nan_and_the_sign_of_zero() {
        let f = |x: f64| Scalar::from_float(x, DataType::F32);
        for (a, b) in [(f64::NAN, 1.0), (1.0, f64::NAN)] {
            assert!(binary(BinOp::Max, f(a), f(b)).unwrap().as_float().is_nan());
        }
        for (a, b) in [(-0.0, 0.0), (0.0, -0.0)] {
            assert!(binary(BinOp::Min, f(a), f(b)).unwrap().as_float().is_sign_negative());
            assert!(binary(BinOp::Max, f(a), f(b)).unwrap().as_float().is_sign_positive());
        }
    }

    #[test]
    fn floats_become_integers_without_surprise() {
        for (value, dtype, expected) in [
            (f64::NAN, DataType::I32, 0),
            (1e30, DataType::I32, i64::from(i32::MAX)),
            (-1e30, DataType::I8, -128),
            (-1.5, DataType::U8, 0),
            (-1.9, DataType::I64, -1),
            (f64::INFINITY, DataType::I64, i64::MAX),
        ] {
            assert_eq!(cast(Scalar::from_float(value, DataType::F64), dtype).as_int(), expected, "{value} {dtype}");
        }
    }

    #[test]
    fn narrow_floats_round_after_every_operation() {
        let half = |x: f64| Scalar::from_float(x, DataType::F16);
        assert_eq!(binary(BinOp::Add, half(2048.0), half(1.0)).unwrap().as_float(), 2048.0);
        assert_eq!(binary(BinOp::Mul, half(300.0), half(300.0)).unwrap().as_float(), f64::INFINITY);
    }

    #[test]
    fn narrow_floats_are_rounded_once() {
        // A little above the middle of two neighbours: an intermediate float32 would fall into the middle and to even.
        let little = f64::powi(2.0, -40);
        for (dtype, step) in [(DataType::F16, f64::powi(2.0, -10)), (DataType::BF16, f64::powi(2.0, -7))] {
            let middle = 1.0 + step / 2.0;
            assert_eq!(round_float(middle, dtype), 1.0);
            assert_eq!(round_float(middle + little, dtype), 1.0 + step);
            assert_eq!(round_float(1.0 + 1.5 * step - little, dtype), 1.0 + step);
            assert_eq!(round_float(-f64::MAX, dtype), f64::NEG_INFINITY);
            assert!(round_float(f64::NAN, dtype).is_nan());
        }
        let least = f64::powi(2.0, -24);
        assert_eq!(round_float(least / 2.0, DataType::F16), 0.0);
        assert_eq!(round_float(least / 2.0 + f64::powi(2.0, -70), DataType::F16), least);
    }

    #[test]
    fn lane_0_has_the_lowest_bits() {
        let word = Scalar::from_int(0x3f80_0001, DataType::I32);
        let halves = reinterpret(&[word], DataType::U16.with_lanes(2));
        assert_eq!(halves.iter().map(|half| half.as_int()).collect::<Vec<_>>(), [1, 0x3f80]);
        assert_eq!(reinterpret(&halves, DataType::F32)[0].bits(), 0x3f80_0001);
    }
}
