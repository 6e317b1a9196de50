//! The weights of an attention: exponentials of the scores' distances from their maximum, and their divisor.
//!
//! Values are divided once, at the end, instead of each weight. So a divisor is a formula of the sum of weights that is
//! zero only where that sum is, which means that all of the weights are, and never less: both ways then give the same.

use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind, Intrinsic, Var};

use crate::fault::Fault;

pub(crate) fn is_float(value: &Expr, wanted: f64) -> bool {
    number(value) == Some(wanted)
}

fn number(value: &Expr) -> Option<f64> {
    match &value.kind {
        ExprKind::Float(bits) => Some(bits.0),
        _ => None,
    }
}

/// Checks that `value` is `exp(scores - max)`, where `max` may be replaced by zero if it is -inf; whether it is.
pub(crate) fn check_exponential(value: &Expr, scores: &Expr, max: &Var) -> Result<bool, Fault> {
    let message = "the weights are no exponentials of the scores' distances from their maximum";
    let wrong = || Fault::of_call(message);
    let ExprKind::Call { intrinsic: Intrinsic::Exp, args } = &value.kind else { return Err(wrong()) };
    let [distance] = args.as_slice() else { return Err(wrong()) };
    let ExprKind::Binary(BinOp::Sub, score, from) = &distance.kind else { return Err(wrong()) };
    let is_replaced = is_replaced(from, max);
    let fits = from.as_var() == Some(max) || is_replaced;
    if fits && score.equal(scores) { Ok(is_replaced) } else { Err(wrong()) }
}

/// Whether the expression is the maximum, but zero where that is -inf.
fn is_replaced(value: &Expr, max: &Var) -> bool {
    let ExprKind::Select { condition, then, otherwise } = &value.kind else { return false };
    let ExprKind::Compare(op, a, b) = &condition.kind else { return false };
    let (lowest, kept) = match op {
        CmpOp::Eq => (then, otherwise),
        CmpOp::Ne => (otherwise, then),
        _ => return false,
    };
    let is_max = |e: &Expr| e.as_var() == Some(max);
    let compared = |a: &Expr, b: &Expr| is_max(a) && is_float(b, f64::NEG_INFINITY);
    (compared(a, b) || compared(b, a)) && is_float(lowest, 0.0) && is_max(kept)
}

/// The other factor of a product with the weight, and what the weight is divided by.
pub(crate) fn factor_of(product: &Expr, weight: &Expr, weight_sum: &Var) -> Result<(Expr, Option<Expr>), Fault> {
    let divisor = |e: &Expr| match &e.kind {
        ExprKind::Binary(BinOp::Div, a, b) if a.equal(weight) && is_divisor(b, weight_sum) => Some(b.clone()),
        _ => None,
    };
    if let ExprKind::Binary(BinOp::Mul, a, b) = &product.kind {
        for (own, other) in [(a, b), (b, a)] {
            let divisor = divisor(own);
            if own.equal(weight) || divisor.is_some() {
                return Ok((other.clone(), divisor));
            }
        }
    }
    Err(Fault::of_call("the sums are of no values times weights"))
}

/// Whether the expression is of the sum of weights alone, never less than zero, and zero only where the sum is.
pub(crate) fn is_divisor(value: &Expr, weight_sum: &Var) -> bool {
    let with = |a: &Expr, b: &Expr, fits: fn(f64) -> bool| {
        [(a, b), (b, a)].iter().any(|(of, by)| is_divisor(of, weight_sum) && number(by).is_some_and(fits))
    };
    match &value.kind {
        ExprKind::Var(var) => var == weight_sum,
        ExprKind::Binary(BinOp::Add | BinOp::Max, a, b) => with(a, b, |number| number >= 0.0),
        ExprKind::Binary(BinOp::Min, a, b) => with(a, b, |number| number > 0.0),
        ExprKind::Select { condition, then, otherwise } => {
            let ExprKind::Compare(_, a, b) = &condition.kind else { return false };
            let fits = |e: &Expr| is_divisor(e, weight_sum) || number(e).is_some_and(|number| number > 0.0);
            with(a, b, |_| true) && fits(then) && fits(otherwise)
        }
        _ => false,
    }
}
