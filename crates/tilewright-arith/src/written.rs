//! Constant folding as a host language does it: the value of an operation on constants, without simplification.
//!
//! A host language evaluates `4 * 2` before the IR sees an expression; with typed constants instead of its numbers it
//! expects the same. So do the sums with 0 and the products with 1 that loops over parts begin with. Nothing
//! else is rewritten: that is the simplifier's work.

use tilewright_expr::semantics::{self, Scalar};
use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, TypeMismatch};

/// `a op b`; of two constants their value, and of 0 and 1 what they leave. Sums and products of integers that their
/// type cannot hold, and divisions by 0, are left as they are.
pub fn worked_out(op: BinOp, a: &Expr, b: &Expr) -> Result<Expr, TypeMismatch> {
    if a.dtype != b.dtype || a.dtype.lanes != 1 {
        return Expr::binary(op, a, b);
    }
    let known = match constant(a).zip(constant(b)) {
        Some((x, y)) => value(op, x, y),
        None => neutral(op, a, b),
    };
    known.map_or_else(|| Expr::binary(op, a, b), Ok)
}

/// The comparison; of two constants its value.
pub fn worked_out_comparison(op: CmpOp, a: &Expr, b: &Expr) -> Result<Expr, TypeMismatch> {
    match constant(a).zip(constant(b)) {
        Some((x, y)) if a.dtype == b.dtype => Ok(of_scalar(semantics::compare(op, x, y))),
        _ => Expr::compare(op, a, b),
    }
}

/// The value of a constant; `None` of strings and handles.
fn constant(e: &Expr) -> Option<Scalar> {
    match &e.kind {
        ExprKind::Int(value) if e.dtype.is_int() || e.dtype.is_bool() => Some(Scalar::from_int(*value, e.dtype)),
        ExprKind::Float(value) if e.dtype.is_float() => Some(Scalar::from_float(value.0, e.dtype)),
        _ => None,
    }
}

fn of_scalar(value: Scalar) -> Expr {
    match value.dtype() {
        dtype if dtype.is_float() => Expr::float(value.as_float(), dtype),
        dtype if dtype.is_bool() => Expr::bool(value.as_bool()),
        dtype => Expr::int(value.as_int(), dtype),
    }
}

fn value(op: BinOp, x: Scalar, y: Scalar) -> Option<Expr> {
    let value = semantics::binary(op, x, y).ok()?;
    let exact = |f: fn(i128, i128) -> Option<i128>| f(x.as_wide(), y.as_wide()) == Some(value.as_wide());
    let held = match op {
        _ if x.dtype().is_float() || x.dtype().is_bool() => true,
        BinOp::Add => exact(i128::checked_add),
        BinOp::Sub => exact(i128::checked_sub),
        BinOp::Mul => exact(i128::checked_mul),
        _ => true,
    };
    held.then(|| of_scalar(value))
}

/// The result of an operation of an integer with 0 or 1.
fn neutral(op: BinOp, a: &Expr, b: &Expr) -> Option<Expr> {
    let dtype = a.dtype;
    if !dtype.is_signed() || dtype.is_float() {
        return None;
    }
    match (op, a.as_int(), b.as_int()) {
        (BinOp::Add, Some(0), None) | (BinOp::Mul, Some(1), None) => Some(b.clone()),
        (BinOp::Add | BinOp::Sub, None, Some(0)) | (BinOp::Mul | BinOp::FloorDiv, None, Some(1)) => Some(a.clone()),
        (BinOp::Mul, Some(0), None) | (BinOp::Mul, None, Some(0)) | (BinOp::FloorMod, None, Some(1)) => {
            Some(Expr::int(0, dtype))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tilewright_expr::Var;
    use tilewright_tensor::DataType;

    use super::*;

    #[test]
    fn constants_have_a_value_where_their_type_holds_it() {
        let at = |op, a, b| worked_out(op, &Expr::i32(a), &Expr::i32(b)).unwrap().as_int();
        assert_eq!(at(BinOp::Mul, 6, -7), Some(-42));
        assert_eq!(at(BinOp::FloorDiv, -7, 2), Some(-4));
        assert_eq!(at(BinOp::Div, -7, 2), Some(-3));
        assert_eq!(at(BinOp::Add, i32::MAX, 1), None);
        assert_eq!(at(BinOp::FloorMod, 1, 0), None);
        let unsigned = |op, a, b| worked_out(op, &Expr::int(a, DataType::U64), &Expr::int(b, DataType::U64)).unwrap();
        assert_eq!(unsigned(BinOp::Add, -1, 2).as_int(), None, "2^64 + 1");
        assert_eq!(unsigned(BinOp::Mul, -1, -1).as_int(), None, "(2^64 - 1)^2");
        assert_eq!(unsigned(BinOp::Sub, 3, 5).as_int(), None, "-2");
        assert_eq!(unsigned(BinOp::Add, i64::MAX, 1).as_int(), Some(i64::MIN), "2^63, by its bits");
        let half = Expr::float(0.5, DataType::F32);
        let ExprKind::Float(sum) = worked_out(BinOp::Add, &half, &half).unwrap().kind else { panic!("no constant") };
        assert_eq!(sum.0, 1.0);
        let less = worked_out_comparison(CmpOp::Lt, &Expr::i32(1), &Expr::i32(2)).unwrap();
        assert_eq!((less.dtype, less.as_int()), (DataType::BOOL, Some(1)));
    }

    #[test]
    fn nothing_and_one_leave_the_other_operand() {
        let n = Expr::var(&Var::new("n", DataType::I32));
        let same = |op, a: &Expr, b: &Expr| worked_out(op, a, b).unwrap().same(&n);
        assert!(same(BinOp::Add, &Expr::i32(0), &n) && same(BinOp::Sub, &n, &Expr::i32(0)));
        assert!(same(BinOp::Mul, &Expr::i32(1), &n) && same(BinOp::FloorDiv, &n, &Expr::i32(1)));
        assert!(!same(BinOp::Sub, &Expr::i32(0), &n) && !same(BinOp::FloorDiv, &Expr::i32(1), &n));
        assert_eq!(worked_out(BinOp::Mul, &n, &Expr::i32(0)).unwrap().as_int(), Some(0));
        assert_eq!(worked_out(BinOp::FloorMod, &n, &Expr::i32(1)).unwrap().as_int(), Some(0));
        let x = Expr::var(&Var::new("x", DataType::F32));
        let sum = worked_out(BinOp::Add, &x, &Expr::float(0.0, DataType::F32)).unwrap();
        assert!(matches!(sum.kind, ExprKind::Binary(BinOp::Add, ..)), "-0.0 + 0.0 is 0.0");
    }
}
