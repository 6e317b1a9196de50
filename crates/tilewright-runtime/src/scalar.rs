//! Operations on numbers: what [`Instruction::Compute`](tilewright_vm_program::Instruction::Compute) means.
//!
//! A number is 64 bits: an integer (`uint64` by its bits), a bool as 0 or 1, a float as the bits of the `f64` of its
//! value. Results are those of the compiler's table of scalar semantics, but for sums, differences and products of
//! integers that leave their type: sizes never wrap around.

use std::cmp::Ordering;

use tilewright_tensor::{DataType, TypeCode, bf16, f16};
use tilewright_vm_program::{MathOp, ScalarOp};

use crate::external_symbols::round_to_odd;

/// An operation that has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    DivisionByZero,
    Overflow,
    /// The operation does not exist for the type.
    NotDefined,
}

impl Fault {
    pub(crate) fn describe(self, dtype: DataType) -> String {
        match self {
            Self::DivisionByZero => "divides by zero".to_owned(),
            Self::Overflow if dtype == DataType::I64 => "overflows 64 bits".to_owned(),
            Self::Overflow => format!("overflows {dtype}"),
            Self::NotDefined => format!("is not defined for {dtype}"),
        }
    }
}

/// The float of a number.
pub(crate) fn float(number: i64) -> f64 {
    f64::from_bits(number as u64)
}

/// The number of a float, rounded to the type.
pub(crate) fn of_float(value: f64, dtype: DataType) -> i64 {
    let rounded = match (dtype.code, dtype.bits) {
        (TypeCode::Float, 32) => f64::from(value as f32),
        (TypeCode::Float, 16) => f16::from_f32(round_to_odd(value)).to_f64(),
        (TypeCode::BFloat, 16) => bf16::from_f32(round_to_odd(value)).to_f64(),
        _ => value,
    };
    rounded.to_bits() as i64
}

/// Results in `f64` for that type, and in `f32` for all narrower ones, rounded to the type.
fn in_float(dtype: DataType, wide: impl FnOnce() -> f64, narrow: impl FnOnce() -> f32) -> i64 {
    of_float(if dtype.bits == 64 { wide() } else { f64::from(narrow()) }, dtype)
}

/// The integer of a number.
fn integer(number: i64, dtype: DataType) -> i128 {
    if dtype.is_signed() { i128::from(number) } else { i128::from(number as u64) }
}

/// The number with the integer's bits in the type's width.
fn wrapped(value: i128, dtype: DataType) -> i64 {
    let unused = 64 - u32::from(dtype.bits).clamp(1, 64);
    match dtype.code {
        TypeCode::Bool => i64::from(value != 0),
        TypeCode::Int => (value as i64) << unused >> unused,
        _ => ((value as u64) << unused >> unused) as i64,
    }
}

/// The number of an integer that fits the type.
fn exact(value: Option<i128>, dtype: DataType) -> Result<i64, Fault> {
    match value {
        Some(value) if integer(wrapped(value, dtype), dtype) == value => Ok(wrapped(value, dtype)),
        _ => Err(Fault::Overflow),
    }
}

/// The result of the operation on numbers of the type. There are as many as the operation takes.
pub(crate) fn compute(op: ScalarOp, dtype: DataType, args: &[i64]) -> Result<i64, Fault> {
    match (op, args) {
        (ScalarOp::Copy, &[value]) => Ok(value),
        (ScalarOp::Select, &[condition, then, otherwise]) => Ok(if condition != 0 { then } else { otherwise }),
        (ScalarOp::Not, &[value]) => Ok(i64::from(value == 0)),
        (ScalarOp::Cast(to), &[value]) => Ok(cast(value, dtype, to)),
        (ScalarOp::Math(op), args) => math(op, dtype, args),
        (
            ScalarOp::Equal
            | ScalarOp::NotEqual
            | ScalarOp::Less
            | ScalarOp::LessEqual
            | ScalarOp::Greater
            | ScalarOp::GreaterEqual,
            &[a, b],
        ) => Ok(i64::from(compare(op, dtype, a, b))),
        (_, &[a, b]) if dtype.is_float() => float_binary(op, dtype, float(a), float(b)),
        (_, &[a, b]) => int_binary(op, dtype, integer(a, dtype), integer(b, dtype)),
        _ => Err(Fault::NotDefined),
    }
}

fn compare(op: ScalarOp, dtype: DataType, a: i64, b: i64) -> bool {
    let order = match dtype.is_float() {
        true => float(a).partial_cmp(&float(b)),
        false => Some(integer(a, dtype).cmp(&integer(b, dtype))),
    };
    match op {
        ScalarOp::Equal => order == Some(Ordering::Equal),
        ScalarOp::NotEqual => order != Some(Ordering::Equal),
        ScalarOp::Less => order == Some(Ordering::Less),
        ScalarOp::LessEqual => order.is_some_and(Ordering::is_le),
        ScalarOp::Greater => order == Some(Ordering::Greater),
        _ => order.is_some_and(Ordering::is_ge),
    }
}

fn cast(value: i64, from: DataType, to: DataType) -> i64 {
    match (from.is_float(), to.is_float()) {
        (true, _) if to.is_bool() => i64::from(float(value) != 0.0),
        (false, _) if to.is_bool() => i64::from(value != 0),
        (true, true) => of_float(float(value), to),
        (true, false) => saturated(float(value), to),
        (false, true) => {
            let value = integer(value, from);
            in_float(to, || value as f64, || value as f32)
        }
        (false, false) => wrapped(integer(value, from), to),
    }
}

/// Towards zero; what is out of range becomes the nearest end of it, NaN becomes 0.
fn saturated(value: f64, dtype: DataType) -> i64 {
    let width = u32::from(dtype.bits).clamp(1, 64);
    let (low, high) = match dtype.is_signed() {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    wrapped((value as i128).clamp(low, high), dtype)
}

fn float_binary(op: ScalarOp, dtype: DataType, x: f64, y: f64) -> Result<i64, Fault> {
    let (a, b) = (x as f32, y as f32);
    Ok(match op {
        ScalarOp::Add => in_float(dtype, || x + y, || a + b),
        ScalarOp::Sub => in_float(dtype, || x - y, || a - b),
        ScalarOp::Mul => in_float(dtype, || x * y, || a * b),
        ScalarOp::Div => in_float(dtype, || x / y, || a / b),
        ScalarOp::Mod => in_float(dtype, || x % y, || a % b),
        ScalarOp::FloorDiv => in_float(dtype, || (x / y).floor(), || (a / b).floor()),
        ScalarOp::FloorMod => in_float(
            dtype,
            || {
                let rest = x % y;
                if rest != 0.0 && (rest < 0.0) != (y < 0.0) { rest + y } else { rest }
            },
            || {
                let rest = a % b;
                if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
            },
        ),
        // NaN if either is; -0 is less than +0.
        ScalarOp::Min | ScalarOp::Max if x.is_nan() || y.is_nan() => (if x.is_nan() { x } else { y }).to_bits() as i64,
        ScalarOp::Min => (if x.total_cmp(&y).is_le() { x } else { y }).to_bits() as i64,
        ScalarOp::Max => (if x.total_cmp(&y).is_ge() { x } else { y }).to_bits() as i64,
        _ => return Err(Fault::NotDefined),
    })
}

fn int_binary(op: ScalarOp, dtype: DataType, x: i128, y: i128) -> Result<i64, Fault> {
    let divides = matches!(op, ScalarOp::Div | ScalarOp::Mod | ScalarOp::FloorDiv | ScalarOp::FloorMod);
    if divides && y == 0 {
        return Err(Fault::DivisionByZero);
    }
    if divides && dtype.is_signed() && y == -1 && x == -(1i128 << (u32::from(dtype.bits).clamp(1, 64) - 1)) {
        return Err(Fault::Overflow);
    }
    let width = i128::from(dtype.bits);
    let value = match op {
        ScalarOp::Add => return exact(x.checked_add(y), dtype),
        ScalarOp::Sub => return exact(x.checked_sub(y), dtype),
        ScalarOp::Mul => return exact(x.checked_mul(y), dtype),
        ScalarOp::Div => x / y,
        ScalarOp::Mod => x % y,
        ScalarOp::FloorDiv => floor_div(x, y),
        ScalarOp::FloorMod => x - floor_div(x, y) * y,
        ScalarOp::Min => x.min(y),
        ScalarOp::Max => x.max(y),
        ScalarOp::And => x & y,
        ScalarOp::Or => x | y,
        ScalarOp::Xor => x ^ y,
        // A count of the width or more, and one below zero, gives 0.
        ScalarOp::Shl | ScalarOp::Shr if y < 0 || y >= width => 0,
        ScalarOp::Shl => x << y,
        ScalarOp::Shr => x >> y,
        _ => return Err(Fault::NotDefined),
    };
    Ok(wrapped(value, dtype))
}

/// Rounds towards minus infinity; the divisor is not zero.
fn floor_div(x: i128, y: i128) -> i128 {
    let quotient = x / y;
    quotient - i128::from(x % y != 0 && (x < 0) != (y < 0))
}

unsafe extern "C" {
    safe fn erf(x: f64) -> f64;
}

fn math(op: MathOp, dtype: DataType, args: &[i64]) -> Result<i64, Fault> {
    match *args {
        [x] if dtype.is_int() => int_math(op, dtype, x),
        _ if !dtype.is_float() => Err(Fault::NotDefined),
        [x] => {
            let x = float(x);
            match op {
                MathOp::IsNan => Ok(i64::from(x.is_nan())),
                MathOp::IsInf => Ok(i64::from(x.is_infinite())),
                MathOp::IsFinite => Ok(i64::from(x.is_finite())),
                _ => unary(op, x).map(|value| of_float(value, dtype)),
            }
        }
        [x, y] => {
            let (x, y) = (float(x), float(y));
            let value = match op {
                MathOp::Pow => x.powf(y),
                MathOp::Atan2 => x.atan2(y),
                MathOp::Hypot => x.hypot(y),
                MathOp::Copysign => x.copysign(y),
                MathOp::Nextafter => next_after(x, y, dtype),
                _ => return Err(Fault::NotDefined),
            };
            Ok(of_float(value, dtype))
        }
        [x, y, z] => {
            let (x, y, z) = (float(x), float(y), float(z));
            Ok(in_float(dtype, || x.mul_add(y, z), || (x as f32).mul_add(y as f32, z as f32)))
        }
        _ => Err(Fault::NotDefined),
    }
}

fn int_math(op: MathOp, dtype: DataType, x: i64) -> Result<i64, Fault> {
    let width = u32::from(dtype.bits).clamp(1, 64);
    let bits = x as u64 & (u64::MAX >> (64 - width));
    match op {
        MathOp::Abs if dtype.is_signed() => Ok(wrapped(integer(x, dtype).abs(), dtype)),
        MathOp::Popcount => Ok(wrapped(i128::from(bits.count_ones()), dtype)),
        MathOp::Clz => Ok(wrapped(i128::from(bits.leading_zeros() - (64 - width)), dtype)),
        _ => Err(Fault::NotDefined),
    }
}

/// The float of the type next to `x` in the direction of `y`; both are of the type.
fn next_after(x: f64, y: f64, dtype: DataType) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == y {
        return y;
    }
    let upwards = x < y;
    macro_rules! next {
        ($value:expr) => {
            if upwards { $value.next_up() } else { $value.next_down() }
        };
    }
    // A step away from zero adds one to the bits, a step towards it takes one off; from zero, the sign is that of y.
    let step = |bits: u16| match x {
        0.0 => 1 | if upwards { 0 } else { 0x8000 },
        _ if upwards == (x > 0.0) => bits + 1,
        _ => bits - 1,
    };
    match (dtype.code, dtype.bits) {
        (TypeCode::BFloat, _) => bf16::from_bits(step(bf16::from_f64(x).to_bits())).to_f64(),
        (_, 16) => f16::from_bits(step(f16::from_f64(x).to_bits())).to_f64(),
        (_, 32) => f64::from(next!((x as f32))),
        _ => next!(x),
    }
}

fn unary(op: MathOp, x: f64) -> Result<f64, Fault> {
    Ok(match op {
        MathOp::Abs => x.abs(),
        MathOp::Sqrt => x.sqrt(),
        MathOp::Rsqrt => 1.0 / x.sqrt(),
        MathOp::Floor => x.floor(),
        MathOp::Ceil => x.ceil(),
        MathOp::Trunc => x.trunc(),
        MathOp::Round => x.round_ties_even(),
        MathOp::Exp => x.exp(),
        MathOp::Exp2 => x.exp2(),
        MathOp::Exp10 => 10f64.powf(x),
        MathOp::Expm1 => x.exp_m1(),
        MathOp::Log => x.ln(),
        MathOp::Log2 => x.log2(),
        MathOp::Log10 => x.log10(),
        MathOp::Log1p => x.ln_1p(),
        MathOp::Sin => x.sin(),
        MathOp::Cos => x.cos(),
        MathOp::Tan => x.tan(),
        MathOp::Asin => x.asin(),
        MathOp::Acos => x.acos(),
        MathOp::Atan => x.atan(),
        MathOp::Sinh => x.sinh(),
        MathOp::Cosh => x.cosh(),
        MathOp::Tanh => x.tanh(),
        MathOp::Asinh => x.asinh(),
        MathOp::Acosh => x.acosh(),
        MathOp::Atanh => x.atanh(),
        MathOp::Erf => erf(x),
        MathOp::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        MathOp::IsNan
        | MathOp::IsInf
        | MathOp::IsFinite
        | MathOp::Popcount
        | MathOp::Clz
        | MathOp::Pow
        | MathOp::Atan2
        | MathOp::Hypot
        | MathOp::Copysign
        | MathOp::Nextafter
        | MathOp::Fma => return Err(Fault::NotDefined),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_rounded_to_narrow_types_once() {
        // Just above the middle of two neighbours, by less than the 32 upper bits of an `f64` say, or an `f32`.
        for (dtype, bits) in [(DataType::F16, 11), (DataType::BF16, 8)] {
            let (middle, above) = (1.0 + 2f64.powi(-bits), 1.0 + 2f64.powi(1 - bits));
            assert_eq!(float(of_float(middle, dtype)), 1.0, "{dtype}");
            for sign in [1.0, -1.0] {
                assert_eq!(float(of_float(sign * (middle + 2f64.powi(-40)), dtype)), sign * above, "{dtype}");
            }
        }
        assert_eq!(float(of_float(1e300, DataType::F16)), f64::INFINITY);
        assert!(float(of_float(f64::NAN, DataType::BF16)).is_nan());
    }
}
