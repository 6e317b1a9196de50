//! The meaning of intrinsics.

use tilewright_tensor::DataType;

use super::{Fault, Scalar, in_float};
use crate::Intrinsic;

/// An intrinsic of evaluated operands; `IfThenElse` is the evaluator's own business.
pub fn intrinsic(intrinsic: Intrinsic, args: &[Scalar]) -> Result<Scalar, Fault> {
    let types: Vec<DataType> = args.iter().map(|arg| arg.dtype).collect();
    if intrinsic.result(&types).is_none() {
        return Err(Fault::NotDefined);
    }
    match args {
        [x] if x.dtype.is_int() => integer(intrinsic, *x),
        [x] => unary(intrinsic, *x),
        [x, y] => binary(intrinsic, *x, *y),
        [a, b, c] if intrinsic == Intrinsic::Fma => {
            let (a, b, c) = (a.as_float(), b.as_float(), c.as_float());
            let (wide, narrow) = (|| a.mul_add(b, c), || (a as f32).mul_add(b as f32, c as f32));
            Ok(in_float(types[0], wide, narrow))
        }
        _ => Err(Fault::NotDefined),
    }
}

fn integer(intrinsic: Intrinsic, x: Scalar) -> Result<Scalar, Fault> {
    let result = match intrinsic {
        Intrinsic::Abs => x.as_int().wrapping_abs(),
        Intrinsic::Popcount => i64::from(x.bits.count_ones()),
        Intrinsic::Clz => i64::from(x.bits.leading_zeros()) - (64 - i64::from(x.dtype.bits)),
        _ => return Err(Fault::NotDefined),
    };
    Ok(Scalar::from_int(result, x.dtype))
}

fn unary(intrinsic: Intrinsic, value: Scalar) -> Result<Scalar, Fault> {
    let x = value.as_float();
    match intrinsic {
        Intrinsic::IsNan => return Ok(Scalar::from_bool(x.is_nan())),
        Intrinsic::IsInf => return Ok(Scalar::from_bool(x.is_infinite())),
        Intrinsic::IsFinite => return Ok(Scalar::from_bool(x.is_finite())),
        _ => {}
    }
    let result = real(intrinsic, &[x]).ok_or(Fault::NotDefined)?;
    // f64's square root, rounded to f32, is the correctly rounded one of the f32.
    Ok(in_float(value.dtype, || result, || result as f32))
}

fn binary(intrinsic: Intrinsic, a: Scalar, b: Scalar) -> Result<Scalar, Fault> {
    if intrinsic == Intrinsic::Nextafter {
        return Ok(next_after(a, b));
    }
    let result = real(intrinsic, &[a.as_float(), b.as_float()]).ok_or(Fault::NotDefined)?;
    Ok(in_float(a.dtype, || result, || result as f32))
}

/// A function of real numbers, computed in f64: within two ulps of the exact value. `None` for intrinsics whose result
/// depends on the type of their operands.
pub fn real(intrinsic: Intrinsic, args: &[f64]) -> Option<f64> {
    match *args {
        [x] => real_unary(intrinsic, x),
        [x, y] => real_binary(intrinsic, x, y),
        _ => None,
    }
}

fn real_unary(intrinsic: Intrinsic, x: f64) -> Option<f64> {
    Some(match intrinsic {
        Intrinsic::Sqrt => x.sqrt(),
        Intrinsic::Rsqrt => 1.0 / x.sqrt(),
        Intrinsic::Abs => x.abs(),
        Intrinsic::Floor => x.floor(),
        Intrinsic::Ceil => x.ceil(),
        Intrinsic::Trunc => x.trunc(),
        Intrinsic::Round => x.round_ties_even(),
        Intrinsic::Exp => libm::exp(x),
        Intrinsic::Exp2 => libm::exp2(x),
        Intrinsic::Exp10 => libm::exp10(x),
        Intrinsic::Expm1 => libm::expm1(x),
        Intrinsic::Log => libm::log(x),
        Intrinsic::Log2 => libm::log2(x),
        Intrinsic::Log10 => libm::log10(x),
        Intrinsic::Log1p => libm::log1p(x),
        Intrinsic::Sin => libm::sin(x),
        Intrinsic::Cos => libm::cos(x),
        Intrinsic::Tan => libm::tan(x),
        Intrinsic::Asin => libm::asin(x),
        Intrinsic::Acos => libm::acos(x),
        Intrinsic::Atan => libm::atan(x),
        Intrinsic::Sinh => libm::sinh(x),
        Intrinsic::Cosh => libm::cosh(x),
        Intrinsic::Tanh => libm::tanh(x),
        Intrinsic::Asinh => libm::asinh(x),
        // Below 1 there is none, which libm does not say of every such x.
        Intrinsic::Acosh if x < 1.0 => f64::NAN,
        Intrinsic::Acosh => libm::acosh(x),
        Intrinsic::Atanh => libm::atanh(x),
        Intrinsic::Erf => libm::erf(x),
        Intrinsic::Sigmoid => {
            // The exponential does not overflow, so that small results keep their digits.
            let e = libm::exp(-x.abs());
            (if x < 0.0 { e } else { 1.0 }) / (1.0 + e)
        }
        Intrinsic::IsNan
        | Intrinsic::IsInf
        | Intrinsic::IsFinite
        | Intrinsic::Popcount
        | Intrinsic::Clz
        | Intrinsic::Pow
        | Intrinsic::Atan2
        | Intrinsic::Hypot
        | Intrinsic::Copysign
        | Intrinsic::Nextafter
        | Intrinsic::Fma
        | Intrinsic::IfThenElse => return None,
    })
}

fn real_binary(intrinsic: Intrinsic, x: f64, y: f64) -> Option<f64> {
    Some(match intrinsic {
        Intrinsic::Pow => pow(x, y),
        Intrinsic::Atan2 => libm::atan2(x, y),
        Intrinsic::Hypot => libm::hypot(x, y),
        Intrinsic::Copysign => x.copysign(y),
        _ => return None,
    })
}

/// libm's `pow`, but where the exponent is so large that only bases close to 1 stay in range: there libm is off by
/// hundreds of units. With `|x| = 1 + t`, `y ln |x|` is `y t`, and what its rounding lost, and y times the rest.
fn pow(x: f64, y: f64) -> f64 {
    let rough = libm::pow(x, y);
    let t = x.abs() - 1.0;
    let near_one = y.abs() > 2f64.powi(31) && t != 0.0 && t.abs() < 2f64.powi(-19);
    if !near_one || !rough.is_normal() {
        return rough;
    }
    let rest = -t * t * (0.5 - t * (1.0 / 3.0 - t * (0.25 - t * 0.2)));
    let product = y * t;
    let low = y.mul_add(t, -product) + y * rest;
    let ln = product + low;
    let e = libm::exp(ln);
    e.mul_add(low - (ln - product), e).copysign(rough)
}

/// The float of the type itself next to `a` in the direction of `b`.
fn next_after(a: Scalar, b: Scalar) -> Scalar {
    let (x, y) = (a.as_float(), b.as_float());
    if x.is_nan() || y.is_nan() {
        return Scalar::from_float(f64::NAN, a.dtype);
    }
    if x == y {
        return b;
    }
    let sign = 1 << (a.dtype.bits - 1);
    if x == 0.0 {
        let negative = if y < 0.0 { sign } else { 0 };
        return Scalar::from_bits(a.dtype, negative | 1);
    }
    let away = (x < y) == (x > 0.0);
    Scalar::from_bits(a.dtype, if away { a.bits + 1 } else { a.bits - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(which: Intrinsic, args: &[f64], dtype: DataType) -> f64 {
        let args: Vec<_> = args.iter().map(|&x| Scalar::from_float(x, dtype)).collect();
        intrinsic(which, &args).unwrap().as_float()
    }

    #[test]
    fn bits_are_counted_in_the_type_s_own_width() {
        for (dtype, value, set, leading) in
            [(DataType::I8, -1, 8, 0), (DataType::U8, 1, 1, 7), (DataType::I32, 0, 0, 32), (DataType::I64, 5, 2, 61)]
        {
            let count = |which| intrinsic(which, &[Scalar::from_int(value, dtype)]).unwrap().as_int();
            assert_eq!((count(Intrinsic::Popcount), count(Intrinsic::Clz)), (set, leading), "{value} {dtype}");
        }
        assert_eq!(intrinsic(Intrinsic::Popcount, &[Scalar::from_bool(true)]), Err(Fault::NotDefined));
    }

    #[test]
    fn the_next_float_is_that_of_the_type() {
        let f16 = |x, y| of(Intrinsic::Nextafter, &[x, y], DataType::F16);
        assert_eq!(f16(1.0, 2.0), 1.0 + f64::powi(2.0, -10));
        assert_eq!(f16(0.0, -1.0), -f64::powi(2.0, -24));
        assert_eq!(f16(65504.0, f64::INFINITY), f64::INFINITY);
        assert!(f16(f64::NAN, 0.0).is_nan());
        assert!(of(Intrinsic::Nextafter, &[0.0, -0.0], DataType::F32).is_sign_negative());
    }

    #[test]
    fn specials_are_those_of_numpy() {
        let f = |which, x| of(which, &[x], DataType::F32);
        assert_eq!((f(Intrinsic::Exp, 89.0), f(Intrinsic::Exp, -104.0)), (f64::INFINITY, 0.0));
        assert_eq!(f(Intrinsic::Log, 0.0), f64::NEG_INFINITY);
        assert!(f(Intrinsic::Log, -1.0).is_nan() && f(Intrinsic::Sin, f64::INFINITY).is_nan());
        assert_eq!((f(Intrinsic::Round, 2.5), f(Intrinsic::Round, -0.5)), (2.0, -0.0));
        assert_eq!((f(Intrinsic::Sigmoid, -200.0), f(Intrinsic::Sigmoid, 200.0)), (0.0, 1.0));
        let pow = |x, y| of(Intrinsic::Pow, &[x, y], DataType::F32);
        assert_eq!((pow(f64::NAN, 0.0), pow(1.0, f64::NAN), pow(-2.0, 3.0)), (1.0, 1.0, -8.0));
        assert!(pow(-2.0, 0.5).is_nan());
        assert!(f(Intrinsic::Acosh, -6970.0).is_nan());
    }

    #[test]
    fn powers_with_large_exponents_are_precise() {
        // Computed in 300 bits.
        let found = of(Intrinsic::Pow, &[9.99999810338818e-1, -2.298609471191999e9], DataType::F64);
        assert_eq!(found, 2.1564168684812522e189);
        let found = of(Intrinsic::Pow, &[-9.99999810338818e-1, -2298609471.0], DataType::F64);
        assert!(found < -2.15e189 && found > -2.16e189, "{found}");
    }
}
