//! The number of positions of a window over an extent, in the form in which programs write it down.
//!
//! A symbolic result is a sum: terms with positive coefficients from the largest on, then a positive constant, then
//! what is subtracted. A division by the stride keeps what the stride does not divide, `(h - 3) // 2 + 1` for a window
//! of 3 in steps of 2, and `h + 1 - k` for a window of `k` in steps of 1.

use tilewright_arith::Analyzer;
use tilewright_expr::{BinOp, Expr, ExprKind};
use tilewright_tensor::DataType;

use crate::TeError;

/// `Σ coefficient · term + constant`.
#[derive(Default)]
struct Sum {
    terms: Vec<(Expr, i64)>,
    constant: i64,
}

impl Sum {
    /// The terms of a simplified expression; `None` where a number does not fit.
    fn of(expr: &Expr) -> Option<Self> {
        let mut sum = Self::default();
        sum.add(expr, 1)?;
        Some(sum)
    }

    fn add(&mut self, expr: &Expr, factor: i64) -> Option<()> {
        match &expr.kind {
            ExprKind::Int(value) => self.constant = self.constant.checked_add(value.checked_mul(factor)?)?,
            ExprKind::Binary(BinOp::Add, a, b) => {
                self.add(a, factor)?;
                self.add(b, factor)?;
            }
            ExprKind::Binary(BinOp::Sub, a, b) => {
                self.add(a, factor)?;
                self.add(b, factor.checked_neg()?)?;
            }
            ExprKind::Binary(BinOp::Mul, a, b) if let Some(times) = b.as_int() => {
                self.add(a, factor.checked_mul(times)?)?
            }
            _ => match self.terms.iter_mut().find(|(term, _)| term.equal(expr)) {
                Some((_, coefficient)) => *coefficient = coefficient.checked_add(factor)?,
                None => self.terms.push((expr.clone(), factor)),
            },
        }
        Some(())
    }

    /// The quotient, rounded down: what the stride divides leaves the division.
    fn over(self, stride: i64) -> Option<Self> {
        let divides = |value: i64| value.checked_rem(stride) == Some(0);
        let (whole, rest): (Vec<_>, Vec<_>) = self.terms.into_iter().partition(|(_, c)| divides(*c));
        let mut quotient = Self { terms: Vec::new(), constant: 0 };
        let mut rest = Self { terms: rest, constant: 0 };
        match divides(self.constant) || rest.terms.is_empty() {
            true => quotient.constant = self.constant.div_euclid(stride),
            false => rest.constant = self.constant,
        }
        if !rest.terms.is_empty() {
            let kind = ExprKind::Binary(BinOp::FloorDiv, rest.written(), Expr::i64(stride));
            quotient.terms.push((Expr::raw(DataType::I64, kind), 1));
        }
        quotient.terms.extend(whole.into_iter().map(|(term, c)| (term, c / stride)));
        Some(quotient)
    }

    fn written(mut self) -> Expr {
        self.terms.retain(|(_, c)| *c != 0);
        if self.terms.is_empty() {
            return Expr::i64(self.constant);
        }
        self.terms.sort_by_key(|(_, c)| std::cmp::Reverse(*c));
        let binary = |op, a, b| Expr::raw(DataType::I64, ExprKind::Binary(op, a, b));
        let times = |term: Expr, c: i64| if c == 1 { term } else { binary(BinOp::Mul, term, Expr::i64(c)) };
        let constant = (self.constant != 0).then_some((Expr::i64(self.constant.saturating_abs()), self.constant > 0));
        let (added, taken): (Vec<_>, Vec<_>) = self.terms.into_iter().partition(|(_, c)| *c > 0);
        let mut signed: Vec<(Expr, bool)> = added.into_iter().map(|(term, c)| (times(term, c), true)).collect();
        signed.extend(constant.clone().filter(|(_, positive)| *positive));
        signed.extend(taken.into_iter().map(|(term, c)| (times(term, c.saturating_neg()), false)));
        signed.extend(constant.filter(|(_, positive)| !positive));
        let start = match signed.first() {
            Some((_, true)) => signed.remove(0).0,
            _ => Expr::i64(0),
        };
        signed
            .into_iter()
            .fold(start, |sum, (term, positive)| binary(if positive { BinOp::Add } else { BinOp::Sub }, sum, term))
    }
}

/// `room // stride + 1`, for what a window leaves of an extent.
pub(super) fn positions(room: &Expr, stride: i64) -> Result<Expr, TeError> {
    let analyzer = Analyzer::new();
    let room = analyzer.simplify(room);
    let written = (room.dtype == DataType::I64 && stride > 0).then(|| {
        let mut quotient = Sum::of(&room)?.over(stride)?;
        quotient.constant = quotient.constant.checked_add(1)?;
        Some(quotient.written())
    });
    match written.flatten() {
        Some(written) => Ok(written),
        None => {
            let steps = Expr::binary(BinOp::FloorDiv, &room, &Expr::int(stride, room.dtype))?;
            Ok(analyzer.simplify(&(steps + 1)))
        }
    }
}

/// A sum in the form that [`positions`] has.
pub(super) fn in_order(sum: &Expr) -> Expr {
    let sum = Analyzer::new().simplify(sum);
    match Sum::of(&sum).filter(|_| sum.dtype == DataType::I64) {
        Some(terms) => terms.written(),
        None => sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_sums() {
        let var = |name: &str| Expr::var(&tilewright_expr::Var::new(name, DataType::I64));
        let (h, k) = (var("h"), var("k"));
        let text = |expr: Expr| tilewright_ir::verify::show_dim(&expr);
        for (room, stride, wanted) in [
            (&h - &k, 1, "((h + 1) - k)"),
            (&h - 3, 2, "(((h - 3) // 2) + 1)"),
            (&(&h + 3) - &(&k * 2), 2, "((((h + 3) // 2) + 1) - k)"),
            (&(&h + 6) - &k, 3, "(((h - k) // 3) + 3)"),
            (&Expr::i64(9) - &k, 1, "(10 - k)"),
            (Expr::i64(7), 2, "4"),
            (Expr::i64(-3), 2, "-1"),
        ] {
            let found = positions(&room, stride).expect("a division by a constant");
            assert_eq!(text(found), wanted);
        }
        assert_eq!(text(in_order(&(&(&h + &(&k * 2)) - 2))), "(((k * 2) + h) - 2)");
    }
}
