//! The numbers that programs run on.
//!
//! Sums of small whole numbers are exact in whatever order, and so are products of them: with those a result has one
//! value, to the bit. Real numbers are rounded, and are compared within the number of roundings.

use tilewright::expr::semantics::Scalar;
use tilewright::tensor::TypeCode;
use tilewright::{DataType, Tensor};
use tilewright_interp::Random;

/// The ranges of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Numbers {
    /// Small whole numbers.
    Whole,
    /// Small whole numbers times a power of two so small that products of two are below the least normal number.
    Tiny,
    /// Numbers between -2 and 2.
    Real,
    /// Whatever there is, the greatest and the least numbers too; not for sums, which may overflow in one order alone.
    Extreme,
}

/// The clamp that keeps numbers where a formula is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Range {
    Any,
    /// More than zero.
    Positive,
    /// Integers from that far below zero to that far above it, as indices.
    Within(i64),
}

const SPECIAL: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0];

impl Numbers {
    /// A tensor of such numbers, a few of which may be NaN, infinities, or zero of either sign.
    pub(super) fn tensor(
        self,
        random: &mut Random,
        dtype: DataType,
        shape: &[i64],
        range: Range,
        special: bool,
    ) -> Result<Tensor, String> {
        let empty = Tensor::zeros(dtype, shape).map_err(|error| error.to_string())?;
        let (size, count) = (dtype.element_bytes(), empty.num_elements());
        let mut numbers: Vec<Scalar> = (0..count).map(|_| self.number(random, dtype, range)).collect();
        if special && dtype.is_float() && range == Range::Any {
            for _ in 0..random.below(3) {
                let index = random.below(count);
                if let Some(number) = numbers.get_mut(index) {
                    *number = Scalar::from_float(SPECIAL[random.below(SPECIAL.len())], dtype);
                }
            }
        }
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.bits().to_le_bytes()[..size].to_vec()).collect();
        Tensor::from_bytes(dtype, shape, &bytes).map_err(|error| error.to_string())
    }

    fn number(self, random: &mut Random, dtype: DataType, range: Range) -> Scalar {
        if let Range::Within(max) = range {
            let count = usize::try_from(2 * max + 1).unwrap_or(1);
            return Scalar::from_int(random.below(count) as i64 - if dtype.is_signed() { max } else { 0 }, dtype);
        }
        match dtype.code {
            TypeCode::Bool => Scalar::from_bool(random.below(2) == 1),
            TypeCode::Float | TypeCode::BFloat => Scalar::from_float(self.float(random, dtype, range), dtype),
            _ if self != Self::Whole => extreme_integer(random, dtype),
            _ => Scalar::from_int(random.below(17) as i64 - if dtype.is_signed() { 8 } else { 0 }, dtype),
        }
    }

    fn float(self, random: &mut Random, dtype: DataType, range: Range) -> f64 {
        let max = if dtype.bits < 32 { 2 } else { 3 };
        let whole = |random: &mut Random| random.below(2 * max + 1) as f64 - max as f64;
        let real = |random: &mut Random| (random.below(4001) as f64 - 2000.0) / 1000.0;
        let number = match self {
            Self::Whole => whole(random),
            Self::Tiny => whole(random) * (-72_f64).exp2(),
            Self::Real => real(random),
            Self::Extreme if random.below(3) > 0 => real(random),
            Self::Extreme => {
                let (greatest, least) = (greatest(dtype), least(dtype));
                let all = [greatest, -greatest, least, -least, 3.0 * least, 1.0, -1.0, 0.5];
                *all.iter().chain(&SPECIAL).nth(random.below(all.len() + SPECIAL.len())).unwrap_or(&0.0)
            }
        };
        match range {
            Range::Positive => number.abs() + 0.5,
            _ => number,
        }
    }
}

fn extreme_integer(random: &mut Random, dtype: DataType) -> Scalar {
    let top = 1_u64 << (dtype.bits - 1);
    let extremes = [0, 1, 2, u64::MAX, top, top - 1, top + 1];
    match random.below(2) {
        0 => Scalar::from_bits(dtype, extremes[random.below(extremes.len())]),
        _ => Scalar::from_bits(dtype, random.bits()),
    }
}

/// The greatest finite number of a type.
fn greatest(dtype: DataType) -> f64 {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, 16) => 65504.0,
        (TypeCode::Float, 64) => f64::MAX,
        (TypeCode::BFloat, _) => 3.3895313892515355e38,
        _ => f64::from(f32::MAX),
    }
}

/// The least number above zero.
fn least(dtype: DataType) -> f64 {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, 16) => (-24_f64).exp2(),
        (TypeCode::Float, 64) => f64::from_bits(1),
        (TypeCode::BFloat, _) => (-133_f64).exp2(),
        _ => f64::from(f32::from_bits(1)),
    }
}

/// Half the distance from 1 to the next number: the largest relative error of one rounding.
pub(super) fn unit(dtype: &str) -> f64 {
    match dtype {
        "float16" => (-11_f64).exp2(),
        "bfloat16" => (-8_f64).exp2(),
        "float64" => (-53_f64).exp2(),
        _ => (-24_f64).exp2(),
    }
}

/// The tensor with the absolute values of its floats.
pub(super) fn magnitudes(tensor: &Tensor) -> Result<Tensor, String> {
    let dtype = tensor.dtype();
    if !dtype.is_float() {
        return Ok(tensor.clone());
    }
    let size = dtype.element_bytes();
    let mut bytes = tensor.as_bytes().map_err(|error| error.to_string())?.to_vec();
    bytes.chunks_exact_mut(size).filter_map(<[u8]>::last_mut).for_each(|top| *top &= 0x7F);
    Tensor::from_bytes(dtype, tensor.shape(), &bytes).map_err(|error| error.to_string())
}
