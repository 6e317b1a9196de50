//! Minimum and maximum of sums.

use tilewright_expr::BinOp;

use crate::linear::{Linear, gcd};
use crate::session::{Id, Session};

/// Sums with more terms are not searched for common ones.
const TERMS: usize = 64;

impl Session<'_> {
    pub(crate) fn extreme_of(&mut self, op: BinOp, a: Id, b: Id) -> Option<Id> {
        if !self.node(a).exact || !self.node(b).exact {
            return None;
        }
        let (smaller, larger) = if op == BinOp::Min { (a, b) } else { (b, a) };
        let (x, y) = (self.form(smaller), self.form(larger));
        let difference = y.plus(&x, -1);
        // min(a, b) = a, where a <= b
        if self.not_negative(&difference) {
            return Some(a);
        }
        // min(a, b) = b, where b <= a
        if self.not_negative(&difference.scaled(-1)) {
            return Some(b);
        }
        if !self.node(a).index || !self.node(b).index {
            return None;
        }
        let (x, y) = (self.form(a), self.form(b));
        if x.terms.len().max(y.terms.len()) > TERMS {
            return None;
        }
        let dtype = self.dtype(a);
        // min(x + z, y + z) = min(x, y) + z
        let common = common_part(&x, &y);
        if common.size() > 0 {
            let (x, y) = (self.sum(x.plus(&common, -1), dtype), self.sum(y.plus(&common, -1), dtype));
            let inner = self.binary(op, x, y);
            let sum = self.form(inner).plus(&common, 1);
            return (!sum.overflow).then(|| self.sum(sum, dtype));
        }
        // min(x·c, y·c) = min(x, y)·c, where c > 0; max(x, y)·c, where c < 0
        let negative = |form: &Linear| form.constant <= 0 && form.terms.values().all(|&k| k < 0);
        let g = [gcd(x.content(), x.constant), gcd(y.content(), y.constant)].into_iter().fold(0, gcd);
        let factor = if negative(&x) && negative(&y) { -g } else { g };
        if matches!(factor, 0 | 1) || x.size().min(y.size()) == 0 {
            return None;
        }
        let inner_op = match (op, factor < 0) {
            (BinOp::Min, false) | (BinOp::Max, true) => BinOp::Min,
            _ => BinOp::Max,
        };
        let (x, y) = (self.sum(x.divided(factor), dtype), self.sum(y.divided(factor), dtype));
        let inner = self.binary(inner_op, x, y);
        let sum = self.form(inner).scaled(factor);
        Some(self.sum(sum, dtype))
    }
}

/// The terms that occur in both with the same coefficient; the constant, if both have it and further terms.
fn common_part(x: &Linear, y: &Linear) -> Linear {
    let mut common = Linear::default();
    for (&id, &c) in x.terms.iter().filter(|&(id, c)| y.terms.get(id) == Some(c)) {
        common.add_term(id, c);
    }
    if x.constant == y.constant {
        common.constant = x.constant;
    }
    common
}
