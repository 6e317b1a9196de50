//! Python's own arithmetic of numbers: what operators give that are recorded with numbers in place of tensors,
//! constants or symbolic dimensions.

use tilewright_expr as scalar;
use tilewright_expr::{BinOp, CmpOp};
use tilewright_ops::binary::{
    add, divide, equal, floor_divide, floor_mod, greater, greater_equal, less, less_equal, maximum, minimum, multiply,
    not_equal, power, subtract,
};
use tilewright_ops::unary::{cos, exp, log, sin, sqrt, tan, tanh};

use crate::common::{Cx, Number, Op, Refused, Res, Value, is};

/// What integers and symbolic dimensions are combined by.
const INTEGERS: &[(Op, BinOp)] = &[
    (&add::OP, BinOp::Add),
    (&subtract::OP, BinOp::Sub),
    (&multiply::OP, BinOp::Mul),
    (&floor_divide::OP, BinOp::FloorDiv),
    (&floor_mod::OP, BinOp::FloorMod),
    (&maximum::OP, BinOp::Max),
    (&minimum::OP, BinOp::Min),
];

/// A comparison of integers and symbolic dimensions, and of floats.
type Comparison = (CmpOp, fn(f64, f64) -> bool);

const COMPARISONS: &[(Op, Comparison)] = &[
    (&equal::OP, (CmpOp::Eq, |x, y| x == y)),
    (&not_equal::OP, (CmpOp::Ne, |x, y| x != y)),
    (&less::OP, (CmpOp::Lt, |x, y| x < y)),
    (&less_equal::OP, (CmpOp::Le, |x, y| x <= y)),
    (&greater::OP, (CmpOp::Gt, |x, y| x > y)),
    (&greater_equal::OP, (CmpOp::Ge, |x, y| x >= y)),
];

type Combine = fn(f64, f64) -> f64;

/// What floats are combined by; the divisor of a quotient is not 0.
const FLOATS: &[(Op, Combine)] = &[
    (&add::OP, |x, y| x + y),
    (&subtract::OP, |x, y| x - y),
    (&multiply::OP, |x, y| x * y),
    (&divide::OP, |x, y| x / y),
    (&power::OP, f64::powf),
];

type Function = fn(f64) -> f64;

/// The functions of real numbers that Python works out.
const REALS: &[(Op, Function)] = &[
    (&sqrt::OP, f64::sqrt),
    (&exp::OP, f64::exp),
    (&log::OP, f64::ln),
    (&sin::OP, f64::sin),
    (&cos::OP, f64::cos),
    (&tan::OP, f64::tan),
    (&tanh::OP, f64::tanh),
];

/// The entry of an operator.
fn entry<T: Copy>(table: &[(Op, T)], op: Op) -> Option<T> {
    table.iter().find(|(own, _)| is(own, op)).map(|(_, found)| *found)
}

/// Python's own arithmetic, of constants and of symbolic dimensions.
pub(super) fn numbers(cx: &Cx<'_>, op: Op, a: &Value, b: &Value) -> Res {
    let (Some(x), Some(y)) = (a.as_scalar(), b.as_scalar()) else { return of_floats(op, a, b) };
    if is(op, &divide::OP) && x.as_int().is_some() && y.as_int().is_some() {
        return of_floats(op, a, b);
    }
    if is(op, &power::OP)
        && let Some(exponent) = y.as_int().filter(|exponent| (0..64).contains(exponent))
    {
        let product = (0..exponent).fold(scalar::Expr::i64(1), |product, _| product * x.clone());
        return Ok(Value::int(cx.simplified(&product)));
    }
    let Some(combine) = entry(INTEGERS, op) else { return compared(cx, op, &x, &y) };
    if matches!(combine, BinOp::FloorDiv | BinOp::FloorMod) && y.as_int() == Some(0) {
        return Err(Refused::new("division by zero"));
    }
    Ok(Value::int(cx.integer(combine, &x, &y)?))
}

/// A comparison of integers that is known when the module is made.
fn compared(cx: &Cx<'_>, op: Op, x: &scalar::Expr, y: &scalar::Expr) -> Res {
    let Some((comparison, _)) = entry(COMPARISONS, op) else {
        return Err(Refused(format!("`{}` of symbolic dimensions has no rule", op.name)));
    };
    let known = cx.bb.infer_cx().analyzer.decide(comparison, x, y);
    known.map(Value::Bool).ok_or_else(|| Refused::new("what it compares depends on symbolic dimensions"))
}

fn of_floats(op: Op, a: &Value, b: &Value) -> Res {
    let (Some(x), Some(y)) = (Number::of(a), Number::of(b)) else {
        return Err(Refused(format!("`{}` of {} and {} has no rule", op.name, a.in_words(), b.in_words())));
    };
    let (x, y) = (x.as_f64(), y.as_f64());
    if is(op, &divide::OP) && y == 0.0 {
        return Err(Refused::new("division by zero"));
    }
    match (entry(FLOATS, op), entry(COMPARISONS, op)) {
        (Some(combine), _) => Ok(Value::Float(combine(x, y))),
        (None, Some((_, holds))) => Ok(Value::Bool(holds(x, y))),
        (None, None) => Err(Refused(format!("`{}` of numbers has no rule", op.name))),
    }
}

/// A function of a real number that Python works out.
pub(super) fn real_of_number(op: Op, x: f64) -> Res {
    let Some(function) = entry(REALS, op) else {
        return Err(Refused(format!("`{}` of a number has no rule", op.name)));
    };
    let found = function(x);
    if found.is_finite() { Ok(Value::Float(found)) } else { Err(Refused(format!("`{}` of {x} is no number", op.name))) }
}

#[cfg(test)]
mod tests {
    use tilewright_ir::builder::BlockBuilder;
    use tilewright_ops::binary::atan2;

    use super::*;

    /// The result of an operator of two numbers, in words.
    fn of_two(op: Op, a: &Value, b: &Value) -> String {
        match numbers(&Cx { bb: &mut BlockBuilder::new() }, op, a, b) {
            Ok(value) => value.in_words(),
            Err(reason) => reason.0,
        }
    }

    #[test]
    fn numbers_are_combined_as_python_does() {
        let (seven, two, half) = (Value::Int(-7), Value::Int(2), Value::Float(0.5));
        assert_eq!(of_two(&floor_divide::OP, &seven, &two), "the integer -4");
        assert_eq!(of_two(&floor_mod::OP, &seven, &two), "the integer 1");
        assert_eq!(of_two(&divide::OP, &seven, &two), "the number -3.5");
        assert_eq!(of_two(&power::OP, &seven, &two), "the integer 49");
        assert_eq!(of_two(&power::OP, &two, &half), format!("the number {:?}", 2f64.sqrt()));
        assert_eq!(of_two(&less::OP, &seven, &two), "True");
        assert_eq!(of_two(&greater_equal::OP, &half, &two), "False");
        assert_eq!(of_two(&floor_divide::OP, &two, &Value::Int(0)), "division by zero");
        assert_eq!(of_two(&atan2::OP, &half, &two), "`atan2` of numbers has no rule");
    }
}
