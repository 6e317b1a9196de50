//! The causal bound: where scores are `select(j <= i + c, score, -inf)`, the keys that a query sees end at `i + c + 1`.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind, Intrinsic};

use super::Attention;
use super::weights::is_float;
use crate::build::exprs::reads_memory;

impl Attention {
    /// Whether there are keys that a query sees and one before it does not.
    pub(crate) fn is_causal(&self) -> bool {
        self.causal_bound(&Analyzer::default()).is_some()
    }

    /// The end of the keys that a query sees, over batch and query, where no query sees fewer than one before it.
    pub(crate) fn causal_bound(&self, known: &Analyzer) -> Option<Expr> {
        let (condition, then, otherwise) = choice(&self.scores)?;
        let is_lowest = |e: &Expr| is_float(e, f64::NEG_INFINITY);
        let holds = is_lowest(otherwise);
        if !(holds || is_lowest(then)) || reads_memory(condition) {
            return None;
        }
        self.bound_of(known, condition, holds)
    }

    /// The bound that the condition, or one of those that it joins, sets to the keys where it holds, or where it does
    /// not.
    fn bound_of(&self, known: &Analyzer, condition: &Expr, holds: bool) -> Option<Expr> {
        let (op, a, b) = match &condition.kind {
            ExprKind::Binary(BinOp::And | BinOp::BitAnd, a, b) if holds => {
                return self.bound_of(known, a, holds).or_else(|| self.bound_of(known, b, holds));
            }
            ExprKind::Binary(BinOp::Or | BinOp::BitOr, a, b) if !holds => {
                return self.bound_of(known, a, holds).or_else(|| self.bound_of(known, b, holds));
            }
            ExprKind::Not(inner) => return self.bound_of(known, inner, !holds),
            // A bool that was cast to a number, compared with zero.
            ExprKind::Compare(op @ (CmpOp::Ne | CmpOp::Eq), a, b) if b.as_int() == Some(0) => {
                let inner = truth(a)?;
                return self.bound_of(known, inner, holds == (*op == CmpOp::Ne));
            }
            ExprKind::Compare(op, a, b) => (*op, a, b),
            _ => return None,
        };
        let (less, greater, own) = match (op, holds) {
            (CmpOp::Le, true) | (CmpOp::Gt, false) => (a, b, 1),
            (CmpOp::Lt, true) | (CmpOp::Ge, false) => (a, b, 0),
            (CmpOp::Ge, true) | (CmpOp::Lt, false) => (b, a, 1),
            (CmpOp::Gt, true) | (CmpOp::Le, false) => (b, a, 0),
            _ => return None,
        };
        if less.dtype != self.index || greater.dtype != self.index {
            return None;
        }
        let distance = known.linear_in(&(less - greater), std::slice::from_ref(&self.key.var))?;
        let bound = known.simplify(&(&Expr::int(own, self.index) - &distance.rest));
        let growth = known.linear_in(&bound, std::slice::from_ref(&self.query.var))?;
        (distance.coefficients == [1] && growth.coefficients.iter().all(|step| *step >= 0)).then_some(bound)
    }
}

fn choice(e: &Expr) -> Option<(&Expr, &Expr, &Expr)> {
    match &e.kind {
        ExprKind::Select { condition, then, otherwise } => Some((condition, then, otherwise)),
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
            [condition, then, otherwise] => Some((condition, then, otherwise)),
            _ => None,
        },
        _ => None,
    }
}

/// The bool that was cast to a number: zero where it is false, and another number else.
fn truth(number: &Expr) -> Option<&Expr> {
    match &number.kind {
        ExprKind::Cast(inner) if inner.dtype.is_bool() => Some(inner),
        _ => match choice(number)? {
            (condition, then, otherwise) if otherwise.as_int() == Some(0) => match then.as_int() {
                Some(0) | None => None,
                Some(_) => Some(condition),
            },
            _ => None,
        },
    }
}
