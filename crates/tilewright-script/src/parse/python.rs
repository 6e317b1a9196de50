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
            None => return Ok(Value::Float((a as f64).powf(b as f64))),
        },
        Operator::LShift => exponent().filter(|&n| n < 100).and_then(|n| a.checked_mul(1i128.checked_shl(n)?)),
        Operator::RShift => exponent().map(|n| a >> n.min(127)),
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
        Operator::FloorDiv => (a / b).floor(),
        Operator::Mod => a - b * (a / b).floor(),
        Operator::Pow => a.powf(b),
        _ => return Err(format!("`{}` is not defined for floats", op.as_str())),
    }))
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
}
