//! Why a sum is not negative.
//!
//! A proof goes downwards: the sum is replaced by something smaller until constant bounds decide. A variable with a
//! symbolic range is replaced by its least or greatest value, the one bound last first, since its range may name the
//! others; `min`, `max`, quotients and remainders are replaced by what bounds them. Each step removes a node, and the
//! number of steps is bounded, so that a question that cannot be answered is given up quickly.

use std::rc::Rc;

use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind};

use tilewright_support::with_stack;

use crate::linear::Linear;
use crate::session::{Id, Session, Tag};
use crate::sums::PRODUCT_TERMS;

/// The number of replacements that one proof may try.
const STEPS: u32 = 48;
/// Sums with more terms are judged by constant bounds alone.
const TERMS: usize = 32;

impl Session<'_> {
    /// Whether `linear >= 0` certainly.
    pub(crate) fn not_negative(&mut self, linear: &Linear) -> bool {
        let mut steps = STEPS;
        self.descend(linear, &mut steps)
    }

    /// Whether `0 <= linear < end` certainly.
    pub(crate) fn in_range(&mut self, linear: &Linear, end: &Linear) -> bool {
        let mut room = end.plus(linear, -1);
        room.add_constant(-1, 1);
        self.not_negative(linear) && self.not_negative(&room)
    }

    fn descend(&mut self, linear: &Linear, steps: &mut u32) -> bool {
        if linear.overflow {
            return false;
        }
        if self.linear_bounds(linear).at_least(0) {
            return true;
        }
        if *steps == 0 || linear.terms.is_empty() || linear.terms.len() > TERMS {
            return false;
        }
        *steps -= 1;
        if self.credit == 0 {
            return false;
        }
        self.credit -= 1;
        let assumed = self.assumed_forms();
        if assumed.iter().any(|fact| self.linear_bounds(&linear.plus(fact, -1)).at_least(0)) {
            return true;
        }
        match self.smaller_sums(linear) {
            Some((sums, true)) => sums.iter().all(|smaller| self.descend(smaller, steps)),
            Some((sums, false)) => sums.iter().any(|smaller| self.descend(smaller, steps)),
            None => false,
        }
    }

    /// Sums with a term replaced: all of them together bound this one (`true`), or each of them alone does.
    fn smaller_sums(&mut self, linear: &Linear) -> Option<(Vec<Linear>, bool)> {
        let terms: Vec<(Id, i64)> = linear.terms.iter().map(|(&id, &c)| (id, c)).collect();
        for &(id, c) in &terms {
            if let Some((forms, all)) = self.choice_bound(id, c > 0) {
                return Some((forms.iter().map(|form| linear.replace(id, form)).collect(), all));
            }
        }
        let latest = terms
            .iter()
            .filter_map(|&(id, c)| match self.node(id).tag {
                Tag::Var(var) => self.facts.symbolic_range(var).map(|(order, range)| (order, id, c, range)),
                _ => None,
            })
            .max_by_key(|&(order, ..)| order);
        // Without its quotients a sum may be one that is assumed: they go before its variables do, and symbols that
        // divide before the quotients among their own factors.
        let symbolic = terms.iter().map(|&(id, c)| self.divided_by_symbol(id, c, linear)).find(|sums| !sums.is_empty());
        let mut sums = symbolic.unwrap_or_default();
        sums.extend(terms.iter().find_map(|&(id, c)| self.quotient_bound(id, c, linear)));
        if let Some((_, id, c, (min, last))) = latest {
            let bound = self.simplify(if c > 0 { &min } else { &last });
            let form = self.form(bound);
            if !form.terms.contains_key(&id) {
                sums.push(linear.replace(id, &form));
            }
        }
        (!sums.is_empty()).then_some((sums, false))
    }

    fn choice_bound(&mut self, id: Id, below: bool) -> Option<(Vec<Linear>, bool)> {
        let (tag, ids) = (self.node(id).tag.clone(), self.node(id).ids.clone());
        match (tag, ids.as_slice()) {
            // c·min(a, b) is the smaller of c·a and c·b, c > 0; it is at least each of them, c < 0
            (Tag::Binary(op @ (BinOp::Min | BinOp::Max)), &[a, b]) => {
                let forms = vec![(*self.form(a)).clone(), (*self.form(b)).clone()];
                Some((forms, (op == BinOp::Min) == below))
            }
            (Tag::Select | Tag::Call(tilewright_expr::Intrinsic::IfThenElse), &[_, a, b]) => {
                Some((vec![(*self.form(a)).clone(), (*self.form(b)).clone()], true))
            }
            _ => None,
        }
    }

    /// A smaller sum without the term `coefficient · (x // c)`.
    fn quotient_bound(&mut self, id: Id, coefficient: i64, linear: &Linear) -> Option<Linear> {
        let (x, c) = self.divided_by_constant(id, BinOp::FloorDiv)?;
        if !self.node(x).exact {
            return None;
        }
        let form = self.form(x);
        let (linear, coefficient) = if coefficient % c == 0 {
            (linear.clone(), coefficient)
        } else {
            // s >= 0 exactly if c·s + (c - 1) >= 0, c > 0
            let mut scaled = linear.plus(linear, c - 1);
            scaled.add_constant(c - 1, 1);
            (scaled, coefficient.checked_mul(c)?)
        };
        let k = coefficient / c;
        let mut sum = linear.replace(id, &Linear::default()).plus(&form, k);
        if k > 0 {
            // k·c·(x // c) >= k·(x - (c - 1)); without the constant for k < 0
            sum.add_constant(1 - c, k);
        }
        Some(sum)
    }

    /// Smaller sums without the term `k · (x // d)` or `k · (x % d)`, `d` a symbol that is positive.
    fn divided_by_symbol(&mut self, id: Id, k: i64, linear: &Linear) -> Vec<Linear> {
        let node = self.node(id);
        let (&Tag::Binary(op @ (BinOp::FloorDiv | BinOp::FloorMod)), &[x, d]) = (&node.tag, node.ids.as_slice()) else {
            return Vec::new();
        };
        let divisor = self.node(d);
        if !node.index || divisor.expr.as_int().is_some() || !divisor.bounds.at_least(1) {
            return Vec::new();
        }
        let is_natural = self.node(x).bounds.at_least(0);
        let (x, d) = (self.form(x), self.form(d));
        let rest = linear.replace(id, &Linear::default());
        let mut sums = Vec::new();
        match op {
            BinOp::FloorDiv => sums.extend(self.times_divisor(&rest, k, &x, &d)),
            // x % d <= d - 1
            _ if k < 0 => {
                let mut sum = rest.plus(&d, k);
                sum.add_constant(-1, k);
                sums.push(sum);
            }
            // Its least value is a constant.
            _ => {}
        }
        // x // d <= x and x % d <= x, where 0 <= x
        if k < 0 && is_natural {
            sums.push(rest.plus(&x, k));
        }
        sums
    }

    /// A sum that is not negative only where `rest + k · (x // d)` is not, `d > 0`.
    fn times_divisor(&mut self, rest: &Linear, k: i64, x: &Linear, d: &Linear) -> Option<Linear> {
        let terms = (rest.terms.len() + 1) * (d.terms.len() + 1);
        // A product of what comes from memory may wrap around.
        if terms > PRODUCT_TERMS || !rest.terms.keys().all(|&id| self.node(id).index) {
            return None;
        }
        // s >= 0 exactly if d·s + (d - 1) >= 0; d·(x // d) <= x
        let mut sum = self.multiply(rest, d).plus(d, 1).plus(x, k);
        sum.add_constant(-1, 1);
        if k > 0 {
            // d·(x // d) >= x - (d - 1)
            sum = sum.plus(d, k.checked_neg()?);
            sum.add_constant(1, k);
        }
        Some(sum)
    }

    /// The analyser's assumptions, as sums that are not negative.
    fn assumed_forms(&mut self) -> Rc<Vec<Linear>> {
        if let Some(forms) = &self.assumed {
            return forms.clone();
        }
        // While the assumptions themselves are simplified, none of them is used.
        self.assumed = Some(Rc::new(Vec::new()));
        let facts = self.facts;
        let forms: Vec<Linear> = facts
            .assumptions()
            .map(|expr| {
                let id = self.simplify(expr);
                (*self.form(id)).clone()
            })
            .collect();
        let forms = Rc::new(forms);
        self.assumed = Some(forms.clone());
        forms
    }

    /// Whether the bool expression certainly holds.
    pub(crate) fn holds(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Binary(BinOp::And, a, b) => with_stack(|| self.holds(a)) && self.holds(b),
            ExprKind::Compare(op, a, b) if a.dtype.is_int() && a.dtype.is_scalar() => {
                let (a, b) = (self.simplify(a), self.simplify(b));
                let exact = self.node(a).exact && self.node(b).exact;
                let (x, y) = (self.form(a), self.form(b));
                (exact && self.decide(*op, &x, &y) == Some(true))
                    || (a == b && matches!(op, CmpOp::Eq | CmpOp::Le | CmpOp::Ge))
            }
            _ => {
                let id = self.simplify(expr);
                self.lane_value(id) == Some(1)
            }
        }
    }
}
