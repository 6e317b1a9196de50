//! From expressions to sums, and from sums to nodes.

use tilewright_expr::node::AnyHandle;
use tilewright_expr::{BinOp, Expr, ExprKind};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;

use crate::linear::Linear;
use crate::rules::{Bindings, TermRule, rules};
use crate::session::{Id, Mode, Session, Tag};

/// Shared sums with more terms than this are not written out again where they are used.
const SHARED_TERMS: usize = 64;
/// Products of sums are written out up to this many terms.
pub(crate) const PRODUCT_TERMS: usize = 12;
/// Products of more factors are not brought into one order.
const FACTORS: usize = 16;
/// The number of terms up to which a sum is distributed into a minimum or maximum.
const ABSORBED_TERMS: usize = 6;

impl Session<'_> {
    /// The node of a finished sum.
    pub(crate) fn sum(&mut self, linear: Linear, dtype: DataType) -> Id {
        let mut linear = with_stack(|| self.joined(linear));
        if let Some(absorbed) = self.absorbed(&linear, dtype) {
            linear = absorbed;
        }
        if linear.terms.is_empty() {
            return self.int(linear.constant, dtype);
        }
        if let (1, 0, Some((&id, &1))) = (linear.terms.len(), linear.constant, linear.terms.first()) {
            return id;
        }
        if self.mode == Mode::Canonical {
            let mut terms: Vec<(Id, i64)> = linear.terms.iter().map(|(&id, &c)| (id, c)).collect();
            terms.sort_by_cached_key(|&(id, _)| self.rank(id));
            linear.terms = terms.into_iter().collect();
        }
        let ids: Vec<Id> = linear.terms.keys().copied().collect();
        let tag = Tag::Linear(linear.terms.values().copied().collect(), linear.constant);
        let id = self.make(dtype, tag, ids);
        self.forms.insert(id, std::rc::Rc::new(linear));
        id
    }

    /// The sum after the table's rules that join terms.
    fn joined(&mut self, mut linear: Linear) -> Linear {
        if linear.overflow {
            return linear.finish();
        }
        let mut pending: Vec<Id> = linear.terms.keys().rev().copied().filter(|&id| self.may_join(id)).collect();
        // Each joining removes a term or an operation; the bound is for what the table may come to say.
        let mut steps = 8 * pending.len();
        while let Some(id) = pending.pop() {
            if steps == 0 {
                break;
            }
            steps -= 1;
            let joined = rules().of_terms.iter().find_map(|rule| self.join(&mut linear, id, rule));
            let changed = joined.iter().flat_map(|right| right.terms.keys().rev().copied());
            pending.extend(changed.filter(|&id| self.may_join(id)));
        }
        linear.finish()
    }

    fn may_join(&self, id: Id) -> bool {
        matches!(self.node(id).tag, Tag::Binary(BinOp::FloorDiv | BinOp::FloorMod | BinOp::Min)) && self.node(id).exact
    }

    /// Replaces `pivot · scale + others` by the right side, if the sum has them with one factor.
    fn join(&mut self, linear: &mut Linear, id: Id, rule: &TermRule) -> Option<Linear> {
        let k = *linear.terms.get(&id).filter(|&&k| k != 0)?;
        if rule.others.is_some() && linear.terms.len() < 2 {
            return None;
        }
        let dtype = self.dtype(id);
        let mut found = Bindings::of_type(dtype);
        if !self.matches(&rule.pivot, id, &mut found) || !self.all_exact(&found) {
            return None;
        }
        let scale = match &rule.scale {
            Some(scale) => self.constant_of(scale, &found)?,
            None => 1,
        };
        if scale == 0 || k.checked_rem(scale)? != 0 {
            return None;
        }
        let factor = k / scale;
        let others = match &rule.others {
            Some(others) => {
                let others = self.build_node(others, &found, dtype)?;
                Some(self.form(others))
            }
            None => None,
        };
        if let Some(others) = &others
            && !others.terms.iter().all(|(id, &c)| c.checked_mul(factor).as_ref() == linear.terms.get(id))
        {
            return None;
        }
        if !self.all_hold(&rule.conditions, &found) {
            return None;
        }
        let right = self.build_node(&rule.right, &found, dtype)?;
        let right = self.form(right);
        let mut change = Linear::default();
        change.add_term(id, k.checked_neg()?);
        if let Some(others) = others {
            change.add(&others, factor.checked_neg()?);
        }
        change.add(&right, factor);
        linear.try_add(&change).then(|| (*right).clone())
    }

    /// `min(x - z, y) + z = min(x, y + z)`, for minimum and maximum, where that has fewer terms.
    fn absorbed(&mut self, linear: &Linear, dtype: DataType) -> Option<Linear> {
        if linear.terms.len() > ABSORBED_TERMS || (linear.terms.len() < 2 && linear.constant == 0) || linear.overflow {
            return None;
        }
        let extremes: Vec<(Id, i64)> = linear.terms.iter().map(|(&id, &k)| (id, k)).collect();
        for (id, k) in extremes.into_iter().filter(|(_, k)| matches!(k, 1 | -1)) {
            let (Tag::Binary(op @ (BinOp::Min | BinOp::Max)), true) = (&self.node(id).tag, self.node(id).index) else {
                continue;
            };
            let (op, ids) = (*op, self.node(id).ids.clone());
            let (x, y) = (self.form(ids[0]), self.form(ids[1]));
            let rest = linear.replace(id, &Linear::default()).scaled(k);
            let (left, right) = (x.plus(&rest, 1), y.plus(&rest, 1));
            if left.overflow || right.overflow || left.size() + right.size() >= x.size() + y.size() + rest.size() {
                continue;
            }
            let (left, right) = (self.sum(left, dtype), self.sum(right, dtype));
            let extreme = self.binary(op, left, right);
            return Some(self.form(extreme).scaled(k));
        }
        None
    }

    pub(crate) fn is_sum(expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Binary(BinOp::Add | BinOp::Sub, ..) => true,
            ExprKind::Binary(BinOp::Mul, a, b) => a.as_int().is_some() || b.as_int().is_some(),
            _ => false,
        }
    }

    /// Adds `expr` to the sum without a sum for each of its parts, and without recursion: long chains stay linear.
    pub(crate) fn flatten(&mut self, expr: &Expr, sum: &mut Linear) {
        let mut pending = vec![(expr, 1i64, true)];
        while let Some((expr, factor, top)) = pending.pop() {
            let shared = !top && expr.is_shared();
            match &expr.kind {
                _ if shared => {
                    let id = self.simplify(expr);
                    self.add_node(id, factor, sum, SHARED_TERMS);
                }
                ExprKind::Int(value) => sum.add_constant(*value, factor),
                ExprKind::Binary(BinOp::Add, a, b) => pending.extend([(b, factor, false), (a, factor, false)]),
                ExprKind::Binary(BinOp::Sub, a, b) => match factor.checked_neg() {
                    Some(negative) => pending.extend([(b, negative, false), (a, factor, false)]),
                    None => sum.overflow = true,
                },
                ExprKind::Binary(BinOp::Mul, a, b) if Self::is_sum(expr) => {
                    let (rest, constant) = match b.as_int() {
                        Some(c) => (a, c),
                        None => (b, a.as_int().unwrap_or(1)),
                    };
                    match constant.checked_mul(factor) {
                        Some(factor) => pending.push((rest, factor, false)),
                        None => {
                            let (a, b) = (self.simplify(a), self.simplify(b));
                            let product = self.product(a, b);
                            sum.add(&product, factor);
                        }
                    }
                }
                _ => {
                    let id = self.simplify(expr);
                    self.add_node(id, factor, sum, usize::MAX);
                }
            }
        }
    }

    fn add_node(&mut self, id: Id, factor: i64, sum: &mut Linear, limit: usize) {
        let form = self.form(id);
        if form.terms.len() > limit {
            return match factor {
                0 => {}
                _ => sum.add_term(id, factor),
            };
        }
        sum.add(&form, factor);
    }

    pub(crate) fn product(&mut self, a: Id, b: Id) -> Linear {
        let (x, y) = (self.form(a), self.form(b));
        // c · (a + b) = c·a + c·b
        if let Some(c) = x.as_constant() {
            return y.scaled(c);
        }
        if let Some(c) = y.as_constant() {
            return x.scaled(c);
        }
        let terms = (x.terms.len() + 1) * (y.terms.len() + 1);
        let single = x.terms.len() == 1 && y.terms.len() == 1 && x.constant == 0 && y.constant == 0;
        if single || (self.mode == Mode::Proof && terms <= PRODUCT_TERMS) {
            return self.multiply(&x, &y);
        }
        let dtype = self.dtype(a);
        Linear::atom(self.make(dtype, Tag::Binary(BinOp::Mul), vec![a.min(b), a.max(b)]))
    }

    /// The product of two atoms, its factors in the order of their first appearance.
    pub(crate) fn monomial(&mut self, a: Id, b: Id) -> Id {
        let dtype = self.dtype(a);
        let mut factors = self.factors(a);
        factors.extend(self.factors(b));
        if factors.len() > FACTORS {
            return self.make(dtype, Tag::Binary(BinOp::Mul), vec![a, b]);
        }
        match self.mode {
            Mode::Canonical => factors.sort_by_cached_key(|&id| (self.rank(id), id)),
            Mode::Output | Mode::Proof => factors.sort_unstable(),
        }
        let first = factors[0];
        factors[1..].iter().fold(first, |product, &f| self.make(dtype, Tag::Binary(BinOp::Mul), vec![product, f]))
    }

    /// The factors of a product in one order; a longer product is one factor.
    pub(crate) fn factors(&self, id: Id) -> Vec<Id> {
        let mut left = id;
        let mut factors = Vec::new();
        while let (Tag::Binary(BinOp::Mul), &[a, b]) = (&self.node(left).tag, self.node(left).ids.as_slice()) {
            if factors.len() == FACTORS {
                return vec![id];
            }
            factors.push(b);
            left = a;
        }
        factors.push(left);
        factors.reverse();
        factors
    }
}
