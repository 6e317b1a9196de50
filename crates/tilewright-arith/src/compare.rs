//! Comparisons of integers by the sign of their difference.

use tilewright_expr::{BinOp, CmpOp, semantics};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;

use crate::linear::{Linear, gcd};
use crate::rules::Root;
use crate::session::{Id, Session, Tag, is_index_type};

impl Session<'_> {
    pub(crate) fn compare(&mut self, op: CmpOp, a: Id, b: Id) -> Id {
        let dtype = self.dtype(a);
        if let (Some(x), Some(y)) = (self.scalar(a), self.scalar(b)) {
            let value = semantics::compare(op, x, y);
            return self.constant(value);
        }
        let bool_type = DataType::BOOL.with_lanes(dtype.lanes);
        if dtype.is_vector()
            && let Some(value) = self.compare_lanes(op, a, b)
        {
            let value = self.bool(value);
            return self.make(bool_type, Tag::Broadcast, vec![value]);
        }
        let (op, a, b) = match op {
            // a > b = b < a
            CmpOp::Gt if dtype.element().is_int() => (CmpOp::Lt, b, a),
            // a >= b = b <= a
            CmpOp::Ge if dtype.element().is_int() => (CmpOp::Le, b, a),
            // c == a = a == c
            CmpOp::Eq | CmpOp::Ne if self.lane_value(a).is_some() => (op, b, a),
            _ => (op, a, b),
        };
        if dtype.is_scalar() && dtype.is_int() {
            let (x, y) = (self.form(a), self.form(b));
            if self.node(a).exact && self.node(b).exact {
                if let Some(value) = self.decide(op, &x, &y) {
                    return self.bool(value);
                }
                if self.node(a).index && self.node(b).index && is_index_type(dtype) {
                    return self.canonical_comparison(op, a, b);
                }
            }
        }
        self.comparison(op, a, b)
    }

    /// A comparison as the table leaves it.
    fn comparison(&mut self, op: CmpOp, a: Id, b: Id) -> Id {
        let bool_type = DataType::BOOL.with_lanes(self.dtype(a).lanes);
        match with_stack(|| self.rewritten(Root::Compare(op), &[a, b], false, bool_type)) {
            Some(id) => id,
            None => self.make(bool_type, Tag::Compare(op), vec![a, b]),
        }
    }

    /// Whether `a op b` holds always (`true`) or never (`false`).
    pub(crate) fn decide(&mut self, op: CmpOp, a: &Linear, b: &Linear) -> Option<bool> {
        let (ab, ba) = (b.plus(a, -1), a.plus(b, -1));
        let less = |d: &Linear| {
            let mut d = d.clone();
            d.add_constant(-1, 1);
            d
        };
        match op {
            // a <= b, where b - a >= 0; never, where a - b - 1 >= 0
            CmpOp::Le => self.yes_or_no(&ab, &less(&ba)),
            // a < b, where b - a - 1 >= 0; never, where a - b >= 0
            CmpOp::Lt => self.yes_or_no(&less(&ab), &ba),
            CmpOp::Ge => self.yes_or_no(&ba, &less(&ab)),
            CmpOp::Gt => self.yes_or_no(&less(&ba), &ab),
            CmpOp::Eq | CmpOp::Ne => {
                let equal = match ab.as_constant().or_else(|| self.only_value(&ab)) {
                    Some(difference) => Some(difference == 0),
                    None if self.never_zero(&ab) => Some(false),
                    // a = b, where a <= b and b <= a
                    None if self.not_negative(&ab) && self.not_negative(&ba) => Some(true),
                    None => None,
                };
                equal.map(|equal| equal == (op == CmpOp::Eq))
            }
        }
    }

    /// The one value that remainders and bounds leave to the sum.
    fn only_value(&mut self, d: &Linear) -> Option<i64> {
        let (modular, bounds) = (self.linear_modular(d), self.linear_bounds(d));
        match modular.coeff {
            0 => Some(modular.base),
            coeff => {
                let (min, max) = (bounds.min?, bounds.max?);
                let first = min.checked_add(modular.base.checked_sub(min)?.rem_euclid(coeff))?;
                (first <= max && first.checked_add(coeff)? > max).then_some(first)
            }
        }
    }

    fn yes_or_no(&mut self, yes: &Linear, no: &Linear) -> Option<bool> {
        if self.not_negative(yes) {
            return Some(true);
        }
        self.not_negative(no).then_some(false)
    }

    fn never_zero(&mut self, d: &Linear) -> bool {
        // g·s + k is never 0, where g does not divide k
        let g = d.content();
        if g > 1 && d.constant % g != 0 && !d.overflow {
            return true;
        }
        if self.linear_modular(d).excludes_zero() {
            return true;
        }
        let (mut above, mut below) = (d.clone(), d.scaled(-1));
        above.add_constant(-1, 1);
        below.add_constant(-1, 1);
        self.not_negative(&above) || self.not_negative(&below)
    }

    /// Cancels common terms of both sides and divides by common factors.
    fn canonical_comparison(&mut self, op: CmpOp, a: Id, b: Id) -> Id {
        let dtype = self.dtype(a);
        let (x, y) = (self.form(a), self.form(b));
        let difference = x.plus(&y, -1);
        let terms = |l: &Linear| l.terms.len() + usize::from(l.constant != 0);
        let g = difference.content();
        let two_sided = difference.terms.values().any(|&k| k > 0) && difference.terms.values().any(|&k| k < 0);
        // x < y + 1 = x <= y; x <= y - 1 = x < y
        let strict = match (op, difference.constant) {
            (CmpOp::Lt, -1) if two_sided => Some(CmpOp::Le),
            (CmpOp::Le, 1) if two_sided => Some(CmpOp::Lt),
            _ => None,
        };
        // A single variable stands on the left, its bound on the right.
        let alone = |l: &Linear| l.as_constant().is_some();
        let placed = alone(&y) && x.constant == 0 && x.terms.values().any(|&k| k > 0);
        let kept = terms(&difference) >= terms(&x) + terms(&y) && g <= 1 && (two_sided || placed || alone(&x));
        if difference.overflow || (kept && strict.is_none()) {
            return self.comparison(op, a, b);
        }
        // g·s + k < 0 = s < ceil(-k / g); g·s + k <= 0 = s <= floor(-k / g); g·s + k == 0 = s == -k / g
        let Some(bound) = difference.constant.checked_neg() else {
            return self.comparison(op, a, b);
        };
        let (op, bound) = strict.filter(|_| g == 1).map_or((op, bound), |op| (op, 0));
        let bound = match op {
            CmpOp::Lt => -(-bound).div_euclid(g),
            CmpOp::Le => bound.div_euclid(g),
            _ if gcd(bound, g) == g => bound / g,
            _ => return self.comparison(op, a, b),
        };
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (&id, &k) in &difference.terms {
            if k > 0 { left.add_term(id, k / g) } else { right.add_term(id, -(k / g)) }
        }
        // c = x is written x = c
        if left.terms.is_empty() && matches!(op, CmpOp::Eq | CmpOp::Ne) {
            let bound = bound.saturating_neg();
            let (left, right) = (self.sum(right, dtype), self.int(bound, dtype));
            return self.comparison(op, left, right);
        }
        // A constant stands alone on a side without terms; otherwise on the side where it is positive.
        if left.terms.is_empty() || (bound < 0 && !right.terms.is_empty()) {
            left.add_constant(bound, -1);
        } else {
            right.add_constant(bound, 1);
        }
        let (left, right) = (self.sum(left, dtype), self.sum(right, dtype));
        self.comparison(op, left, right)
    }

    pub(crate) fn not(&mut self, a: Id) -> Id {
        if let Some(&known) = self.negated.get(&a) {
            return known;
        }
        let id = with_stack(|| self.negation(a));
        self.negated.insert(a, id);
        self.negated.insert(id, a);
        id
    }

    fn negation(&mut self, a: Id) -> Id {
        let dtype = self.dtype(a);
        let (tag, ids) = (self.node(a).tag.clone(), self.node(a).ids.clone());
        match (tag, ids.as_slice()) {
            (Tag::Int(value), _) => self.bool(value == 0),
            (Tag::Broadcast, &[x]) => {
                let x = self.not(x);
                self.make(dtype, Tag::Broadcast, vec![x])
            }
            // not (a < b) = b <= a, for integers
            (Tag::Compare(op), &[x, y]) if self.dtype(x).element().is_int() => self.compare(opposite(op), x, y),
            // not (a == b) = a != b, for every type
            (Tag::Compare(op @ (CmpOp::Eq | CmpOp::Ne)), &[x, y]) => self.comparison(opposite(op), x, y),
            // not (a and b) = not a or not b, where one of them needs no operation
            (Tag::Binary(op @ (BinOp::And | BinOp::Or)), &[x, y]) if self.is_free(x) || self.is_free(y) => {
                let (x, y) = (self.not(x), self.not(y));
                self.binary(if op == BinOp::And { BinOp::Or } else { BinOp::And }, x, y)
            }
            _ => match self.rewritten(Root::Not, &[a], false, dtype) {
                Some(id) => id,
                None => self.make(dtype, Tag::Not, vec![a]),
            },
        }
    }

    /// Whether the negation takes one operation less, or as many.
    fn is_free(&self, a: Id) -> bool {
        let node = self.node(a);
        match node.tag {
            Tag::Not => true,
            Tag::Compare(op) => self.dtype(node.ids[0]).element().is_int() || matches!(op, CmpOp::Eq | CmpOp::Ne),
            _ => self.negated.contains_key(&a),
        }
    }
}

/// The comparison of integers that is the negation.
pub(crate) fn opposite(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Ge => CmpOp::Lt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Le => CmpOp::Gt,
    }
}
