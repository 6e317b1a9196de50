//! Conversions between float32 and floats of 8 bits, by their bits.
//!
//! A value of `float8_e5m2` is the upper half of a float16. One of `float8_e4m3fn` is, with its bits in the place of
//! those of a float32, its value divided by 2^120. The other way, bits of a float32 that do not fit are rounded off,
//! after the exponent has been changed by the difference of the biases; numbers below the least normal one are rounded
//! by adding a number whose last bit has the weight of the narrow type's.

use tilewright_expr::TypeMismatch;
use tilewright_expr::semantics::Float8;
use tilewright_ir::tir::{BinOp, CmpOp, Expr};
use tilewright_tensor::{DataType, TypeCode};

type Result<T> = std::result::Result<T, TypeMismatch>;

/// Bits of the mantissa, and the bias of the exponent, of a float32.
const F32_MANTISSA_BITS: i64 = 23;
const F32_EXPONENT_BIAS: i64 = 127;

/// Bits of the mantissa, bias of the exponent, and the code of what overflows.
fn format(dtype: DataType) -> Result<(i64, i64, i64)> {
    match Float8::of(dtype) {
        Some(of) => Ok((of.mantissa_bits.into(), of.exponent_bias.into(), of.overflow.into())),
        None => Err(TypeMismatch(format!("{dtype} is no float of 8 bits"))),
    }
}

/// The value as float32.
pub(crate) fn from(x: &Expr) -> Result<Expr> {
    let lanes = x.dtype.lanes;
    let words = DataType::U32.with_lanes(lanes);
    let bits = x.reinterpret(DataType::U8.with_lanes(lanes))?;
    if x.dtype.code == TypeCode::Float8E5M2 {
        let halves = DataType::U16.with_lanes(lanes);
        let upper = Expr::binary(BinOp::Shl, &bits.cast(halves)?, &Expr::int(8, halves))?;
        return upper.reinterpret(DataType::F16.with_lanes(lanes))?.cast(DataType::F32);
    }
    let (mantissa, bias, nan) = format(x.dtype)?;
    let bits = bits.cast(words)?;
    let constant = |value: i64| Expr::int(value, words);
    let magnitude = Expr::binary(BinOp::BitAnd, &bits, &constant(0x7f))?;
    let sign = Expr::binary(BinOp::Shl, &Expr::binary(BinOp::BitAnd, &bits, &constant(0x80))?, &constant(24))?;
    let placed = Expr::binary(
        BinOp::BitOr,
        &sign,
        &Expr::binary(BinOp::Shl, &magnitude, &constant(F32_MANTISSA_BITS - mantissa))?,
    )?;
    let single = DataType::F32.with_lanes(lanes);
    let scale = Expr::float(((F32_EXPONENT_BIAS - bias) as f64).exp2(), single);
    let value = Expr::binary(BinOp::Mul, &placed.reinterpret(single)?, &scale)?;
    let is_nan = Expr::compare(CmpOp::Eq, &magnitude, &constant(nan))?;
    Expr::select(&is_nan, &Expr::float(f64::NAN, single), &value)
}

/// The float32 in a type of 8 bits.
pub(crate) fn to(x: &Expr, dtype: DataType) -> Result<Expr> {
    let (mantissa, bias, overflow) = format(dtype)?;
    let lanes = x.dtype.lanes;
    let (words, single) = (DataType::U32.with_lanes(lanes), DataType::F32.with_lanes(lanes));
    let constant = |value: i64| Expr::int(value, words);
    let bits = x.reinterpret(words)?;
    let magnitude = Expr::binary(BinOp::BitAnd, &bits, &constant(0x7fff_ffff))?;
    let sign = Expr::binary(BinOp::BitAnd, &Expr::binary(BinOp::Shr, &bits, &constant(24))?, &constant(0x80))?;

    let dropped = F32_MANTISSA_BITS - mantissa;
    let last = Expr::binary(BinOp::BitAnd, &Expr::binary(BinOp::Shr, &magnitude, &constant(dropped))?, &constant(1))?;
    let half = Expr::binary(BinOp::Add, &last, &constant((1 << (dropped - 1)) - 1))?;
    let rounded = Expr::binary(BinOp::Shr, &Expr::binary(BinOp::Add, &magnitude, &half)?, &constant(dropped))?;
    let normal = Expr::binary(BinOp::Sub, &rounded, &constant((F32_EXPONENT_BIAS - bias) << mantissa))?;
    let normal = Expr::binary(BinOp::Min, &normal, &constant(overflow))?;

    // The exponent of a number whose last bit is worth the least number of the narrow type.
    let unit = (F32_EXPONENT_BIAS - bias + 1 + dropped) << F32_MANTISSA_BITS;
    let shifted = Expr::binary(BinOp::Add, &magnitude.reinterpret(single)?, &constant(unit).reinterpret(single)?)?;
    let tiny = Expr::binary(BinOp::Sub, &shifted.reinterpret(words)?, &constant(unit))?;

    let is_tiny = Expr::compare(CmpOp::Lt, &magnitude, &constant((F32_EXPONENT_BIAS - bias + 1) << F32_MANTISSA_BITS))?;
    let is_nan = Expr::compare(CmpOp::Gt, &magnitude, &constant(0x7f80_0000))?;
    let code = Expr::select(&is_tiny, &tiny, &Expr::select(&is_nan, &constant(0x7f), &normal)?)?;
    let code = Expr::binary(BinOp::BitOr, &sign, &code)?;
    code.cast(DataType::U8.with_lanes(lanes))?.reinterpret(dtype)
}
