//! Python's own arithmetic on literals.

use ruff_python_ast::{CmpOp, Operator};

use super::value::Value;

/// The value of `a op b` for two literals. The error says why there is none.
pub(super) fn binary(op: Operator, a: &Value, b: &Value) -> Result<Value, String> {
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => of_integers(op, a, b),
        _ => of_floats(op, float(a), float(b)),
    }
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Int(value) => Some(*value),
        Value::Bool(value) => Some(i128::from(*value)),
        _ => None,
    }
}

fn float(value: &Value) -> f64 {
    match value {
        Value::Float(value) => *value,
        other => integer(other).unwrap_or_default() as f64,
    }
}

fn of_integers(op: Operator, a: i128, b: i128) -> Result<Value, String> {
    let exponent = || u32::try_from(b).ok();
    let result = match op {
        Operator::Add => a.checked_add(b),
        Operator::Sub => a.checked_sub(b),
        Operator::Mult => a.checked_mul(b),
        Operator::Div | Operator::FloorDiv | Operator::Mod if b == 0 => return Err("division by zero".into()),
        Operator::Div => return Ok(Value::Float(a as f64 / b as f64)),
        Operator::FloorDiv => a.checked_div_euclid(b).map(|q| if b < 0 && a.rem_euclid(b) != 0 { q - 1 } else { q }),
        Operator::Mod => a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r }),
        Operator::Pow => match exponent() {
            Some(exponent) => a.checked_pow(exponent),
            None => return of_floats(op, a as f64, b as f64),
        },
        Operator::LShift | Operator::RShift if b < 0 => return Err("a shift by a negative number".into()),
        Operator::LShift => exponent().filter(|&n| n < 100).and_then(|n| a.checked_mul(1i128.checked_shl(n)?)),
        Operator::RShift => Some(a >> exponent().map_or(127, |n| n.min(127))),
        Operator::BitAnd => Some(a & b),
        Operator::BitOr => Some(a | b),
        Operator::BitXor => Some(a ^ b),
        Operator::MatMult => return Err("numbers have no matrix product".into()),
    };
    result.map(Value::Int).ok_or_else(|| "the result is too large".into())
}

fn of_floats(op: Operator, a: f64, b: f64) -> Result<Value, String> {
    Ok(Value::Float(match op {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mult => a * b,
        Operator::Div | Operator::FloorDiv | Operator::Mod if b == 0.0 => return Err("division by zero".into()),
        Operator::Div => a / b,
        Operator::FloorDiv => floor_divided(a, b).0,
        Operator::Mod => floor_divided(a, b).1,
        Operator::Pow if a == 0.0 && b < 0.0 => return Err("division by zero".into()),
        Operator::Pow => match a.powf(b) {
            power if power.is_infinite() && a.is_finite() && b.is_finite() => {
                return Err("the result is too large".into());
            }
            power if power.is_nan() && a.is_finite() && b.is_finite() => {
                return Err("the result is no real number".into());
            }
            power => power,
        },
        _ => return Err(format!("`{}` is not defined for floats", op.as_str())),
    }))
}

/// Quotient and remainder of a `b` that is not zero, as Python rounds them: the remainder is that of the exact quotient
/// and has the sign of `b`.
fn floor_divided(a: f64, b: f64) -> (f64, f64) {
    let mut remainder = a % b;
    let mut quotient = (a - remainder) / b;
    if remainder == 0.0 {
        remainder = remainder.copysign(b);
    } else if (remainder < 0.0) != (b < 0.0) {
        remainder += b;
        quotient -= 1.0;
    }
    let floor = quotient.floor();
    let nearest = if quotient - floor > 0.5 { floor + 1.0 } else { floor };
    (if quotient == 0.0 { quotient.copysign(a / b) } else { nearest }, remainder)
}

/// The value of `a op b` for two literals.
pub(super) fn compare(op: CmpOp, a: &Value, b: &Value) -> Option<bool> {
    let order = match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => float(a).partial_cmp(&float(b)),
    };
    Some(match op {
        CmpOp::Eq => order.is_some_and(|o| o.is_eq()),
        CmpOp::NotEq => order.is_none_or(|o| o.is_ne()),
        CmpOp::Lt => order.is_some_and(|o| o.is_lt()),
        CmpOp::LtE => order.is_some_and(|o| o.is_le()),
        CmpOp::Gt => order.is_some_and(|o| o.is_gt()),
        CmpOp::GtE => order.is_some_and(|o| o.is_ge()),
        CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_divide_towards_minus_infinity() {
        for (a, b) in [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, -3), (0, -5)] {
            let (Ok(Value::Int(q)), Ok(Value::Int(r))) =
                (of_integers(Operator::FloorDiv, a, b), of_integers(Operator::Mod, a, b))
            else {
                panic!("{a} {b}")
            };
            assert_eq!(q, (a as f64 / b as f64).floor() as i128, "{a} // {b}");
            assert_eq!(q * b + r, a, "{a} % {b}");
        }
        assert!(of_integers(Operator::FloorDiv, 1, 0).is_err());
        assert!(of_integers(Operator::Pow, 10, 400).is_err());
        assert!(of_integers(Operator::FloorDiv, i128::MIN, -1).is_err());
    }

    #[test]
    fn floats_divide_as_in_python() {
        let inf = f64::INFINITY;
        let rows = [
            (1.0, 0.1, 9.0, 0.09999999999999995),
            (-1.0, 0.1, -10.0, 5.551115123125783e-17),
            (5.0, inf, 0.0, 5.0),
            (-5.0, inf, -1.0, inf),
            (5.5, -2.0, -3.0, -0.5),
            (-0.0, 3.0, -0.0, 0.0),
            (0.0, -3.0, -0.0, -0.0),
            (7.5, 2.5, 3.0, 0.0),
        ];
        for (a, b, quotient, remainder) in rows {
            let bits = |(q, r): (f64, f64)| (q.to_bits(), r.to_bits());
            assert_eq!(bits(floor_divided(a, b)), bits((quotient, remainder)), "{a} {b}");
        }
        for (a, b) in [(0.0, -1.0), (-8.0, 0.5), (1e300, 2.0)] {
            assert!(of_floats(Operator::Pow, a, b).is_err(), "{a} ** {b}");
        }
        assert!(of_integers(Operator::Pow, 0, -1).is_err());
        assert!(of_integers(Operator::LShift, 1, -1).is_err());
    }
}
