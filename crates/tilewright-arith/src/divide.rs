//! Rules of two-operand operations but sums: constants, division, minimum and maximum, bits and bools.

use tilewright_expr::{BinOp, semantics};

use crate::bounds::IntBounds;
use crate::linear::{Linear, gcd};
use crate::session::{Id, Session, Tag, is_index_type};

/// Bounds of `a op b` over the mathematical integers; `None` is "whatever the type holds".
pub(crate) fn binary_bounds(op: BinOp, a: IntBounds, b: IntBounds) -> Option<IntBounds> {
    let divisor = b.value().filter(|&c| c > 0);
    let natural = a.at_least(0) && b.at_least(1);
    let ends = |f: fn(i64, i64) -> i64, c: i64| IntBounds::new(a.min.map(|x| f(x, c)), a.max.map(|x| f(x, c)));
    Some(match op {
        BinOp::Add => a.plus(b),
        BinOp::Sub => a.plus(b.scaled(-1)),
        BinOp::Mul => a.times(b),
        BinOp::FloorDiv if let Some(c) = divisor => ends(i64::div_euclid, c),
        BinOp::Div if let Some(c) = divisor => ends(|x, c| x / c, c),
        BinOp::FloorDiv | BinOp::Div if natural => IntBounds::new(Some(0), a.max),
        BinOp::FloorMod | BinOp::Mod if natural => {
            let below = b.max.map(|b| b - 1);
            IntBounds::new(Some(0), below.into_iter().chain(a.max).min())
        }
        BinOp::FloorMod if b.at_least(1) => IntBounds::new(Some(0), b.max.map(|b| b - 1)),
        BinOp::Mod if let Some(c) = divisor => IntBounds::new(Some(1 - c), Some(c - 1)),
        BinOp::Min => IntBounds { max: a.max.into_iter().chain(b.max).min(), ..a.hull(b) },
        BinOp::Max => IntBounds { min: a.min.into_iter().chain(b.min).max(), ..a.hull(b) },
        BinOp::BitAnd if b.at_least(0) => IntBounds::new(Some(0), b.max),
        BinOp::Shr if let Some(by @ 0..=62) = b.value() => ends(|x, by| x >> by, by),
        _ => return None,
    })
}

impl Session<'_> {
    pub(crate) fn binary(&mut self, op: BinOp, a: Id, b: Id) -> Id {
        let dtype = self.dtype(a);
        if let (Some(x), Some(y)) = (self.scalar(a), self.scalar(b))
            && let Ok(value) = semantics::binary(op, x, y)
        {
            return self.constant(value);
        }
        if dtype.is_vector()
            && let Some(id) = self.vector_binary(op, a, b)
        {
            return id;
        }
        let found = match op {
            BinOp::FloorDiv | BinOp::FloorMod | BinOp::Div | BinOp::Mod if is_index_type(dtype) => {
                self.divide(op, a, b)
            }
            BinOp::Min | BinOp::Max if is_index_type(dtype) => self.min_max(op, a, b),
            BinOp::And | BinOp::Or => self.and_or(op, a, b),
            _ => None,
        };
        found.unwrap_or_else(|| self.make(dtype, Tag::Binary(op), vec![a, b]))
    }

    fn divide(&mut self, op: BinOp, a: Id, b: Id) -> Option<Id> {
        let dtype = self.dtype(a);
        let (x, y) = (self.node(a), self.node(b));
        let exact = x.exact && y.exact;
        let natural = exact && x.bounds.at_least(0) && y.bounds.at_least(1);
        match op {
            // trunc(a / b) = a // b, where a >= 0 and b > 0
            BinOp::Div if natural => return Some(self.binary(BinOp::FloorDiv, a, b)),
            // the remainder of trunc(a / b) = a % b, where a >= 0 and b > 0
            BinOp::Mod if natural => return Some(self.binary(BinOp::FloorMod, a, b)),
            _ => {}
        }
        let c = y.expr.as_int();
        match (op, c) {
            // a / 1 = a
            (BinOp::Div | BinOp::FloorDiv, Some(1)) => return Some(a),
            // a % 1 = 0
            (BinOp::Mod | BinOp::FloorMod, Some(1)) => return Some(self.int(0, dtype)),
            _ => {}
        }
        if !exact {
            return None;
        }
        match (op, c) {
            (BinOp::FloorDiv, Some(c)) if c > 1 => self.quotient(a, c),
            (BinOp::FloorMod, Some(c)) if c > 1 => self.remainder(a, c),
            (BinOp::FloorDiv | BinOp::FloorMod, None) => self.divide_by_symbol(op, a, b),
            _ => None,
        }
    }

    /// Splits `a` into `c · q + r`, the coefficients of `r` not divisible by `c` and its constant in `0..c`.
    fn split(&mut self, a: Id, c: i64) -> (Linear, Linear) {
        let form = self.form(a);
        let (mut q, mut r) =
            (Linear::constant(form.constant.div_euclid(c)), Linear::constant(form.constant.rem_euclid(c)));
        for (&id, &k) in &form.terms {
            if k % c == 0 { q.add_term(id, k / c) } else { r.add_term(id, k) }
        }
        (q.finish(), r.finish())
    }

    /// The one value of `r // c`, if bounds leave only one.
    fn constant_quotient(&mut self, r: &Linear, c: i64) -> Option<i64> {
        let bounds = self.linear_bounds(r);
        let (low, high) = (bounds.min?.div_euclid(c), bounds.max?.div_euclid(c));
        (low == high).then_some(low)
    }

    fn quotient(&mut self, a: Id, c: i64) -> Option<Id> {
        let dtype = self.dtype(a);
        if !self.node(a).index {
            // a // c = m, where m·c <= a < (m+1)·c
            let form = self.form(a);
            let m = self.constant_quotient(&form, c)?;
            return Some(self.int(m, dtype));
        }
        let (mut q, r) = self.split(a, c);
        // (c·q + r) // c = q + m, where m·c <= r < (m+1)·c
        if let Some(m) = self.constant_quotient(&r, c) {
            q.add_constant(m, 1);
            return Some(self.sum(q.finish(), dtype));
        }
        // (c·q + r) // c = q, where 0 <= r < c by symbolic bounds
        if self.in_range(&r, &Linear::constant(c)) {
            return Some(self.sum(q, dtype));
        }
        // (x // b) // c = x // (b·c)
        if let (1, 0, Some((&id, 1))) = (r.terms.len(), r.constant, r.terms.first())
            && let Some((x, b)) = self.divided_by_constant(id, BinOp::FloorDiv)
            && let Some(product) = b.checked_mul(c)
        {
            let product = self.int(product, dtype);
            let inner = self.binary(BinOp::FloorDiv, x, product);
            q.add(&self.form(inner), 1);
            return Some(self.sum(q.finish(), dtype));
        }
        // (g·s + k) // (g·c) = (s + k // g) // c
        let g = gcd(r.content(), c);
        let divided = |r: &Linear, g: i64| {
            let mut s = Linear::constant(r.constant.div_euclid(g));
            r.terms.iter().for_each(|(&id, &k)| s.add_term(id, k / g));
            s
        };
        if g > 1 {
            let s = self.sum(divided(&r, g), dtype);
            let smaller = self.int(c / g, dtype);
            let inner = self.binary(BinOp::FloorDiv, s, smaller);
            q.add(&self.form(inner), 1);
            return Some(self.sum(q.finish(), dtype));
        }
        // (c·q + r) // c = q + r // c
        let changes = !q.terms.is_empty() || q.constant != 0;
        changes.then(|| {
            let r = self.sum(r, dtype);
            let divisor = self.int(c, dtype);
            let inner = self.make(dtype, Tag::Binary(BinOp::FloorDiv), vec![r, divisor]);
            q.add(&self.form(inner), 1);
            self.sum(q.finish(), dtype)
        })
    }

    fn remainder(&mut self, a: Id, c: i64) -> Option<Id> {
        let dtype = self.dtype(a);
        if !self.node(a).index {
            // a % c = a, where 0 <= a < c
            return self.node(a).bounds.within(IntBounds::new(Some(0), Some(c - 1))).then_some(a);
        }
        let (_, mut r) = self.split(a, c);
        // (c·q + r) % c = r - m·c, where m·c <= r < (m+1)·c
        if let Some(m) = self.constant_quotient(&r, c) {
            r.add_constant(m, -c);
            return (!r.overflow).then(|| self.sum(r, dtype));
        }
        // (c·q + r) % c = r, where 0 <= r < c by symbolic bounds
        if self.in_range(&r, &Linear::constant(c)) {
            return Some(self.sum(r, dtype));
        }
        // (x % b) % c = x % c, where c divides b
        if let (1, 0, Some((&id, 1))) = (r.terms.len(), r.constant, r.terms.first())
            && let Some((x, b)) = self.remainder_parts(id)
            && b % c == 0
        {
            let divisor = self.int(c, dtype);
            return Some(self.binary(BinOp::FloorMod, x, divisor));
        }
        // (g·s + k) % (g·c) = g·((s + k // g) % c) + k % g
        let g = gcd(r.content(), c);
        if g > 1 {
            let mut s = Linear::constant(r.constant.div_euclid(g));
            r.terms.iter().for_each(|(&id, &k)| s.add_term(id, k / g));
            let s = self.sum(s, dtype);
            let smaller = self.int(c / g, dtype);
            let inner = self.binary(BinOp::FloorMod, s, smaller);
            let mut sum = self.form(inner).scaled(g);
            sum.add_constant(r.constant.rem_euclid(g), 1);
            return Some(self.sum(sum, dtype));
        }
        // (c·q + r) % c = r % c
        let r = self.sum(r, dtype);
        (r != a).then(|| {
            let divisor = self.int(c, dtype);
            self.make(dtype, Tag::Binary(BinOp::FloorMod), vec![r, divisor])
        })
    }

    /// Divisors that are symbols: fused loops of symbolic extent.
    fn divide_by_symbol(&mut self, op: BinOp, a: Id, n: Id) -> Option<Id> {
        if !self.node(a).index || !self.node(n).index {
            return None;
        }
        let dtype = self.dtype(a);
        let form = self.form(a);
        let (mut q, mut r) = (Linear::default(), Linear::constant(form.constant));
        for (&id, &k) in &form.terms {
            let mut factors = self.factors(id);
            match factors.iter().position(|&f| f == n) {
                Some(at) => {
                    factors.remove(at);
                    match factors.split_first() {
                        None => q.add_constant(k, 1),
                        Some((&first, rest)) => {
                            let rest = rest.iter().fold(first, |product, &f| self.monomial(product, f));
                            q.add_term(rest, k);
                        }
                    }
                }
                None => r.add_term(id, k),
            }
        }
        let divisor = self.form(n);
        // (n·q + r) // n = q and (n·q + r) % n = r, where 0 <= r < n
        if !self.in_range(&r.clone().finish(), &divisor) {
            return None;
        }
        Some(self.sum(if op == BinOp::FloorDiv { q.finish() } else { r.finish() }, dtype))
    }

    fn min_max(&mut self, op: BinOp, a: Id, b: Id) -> Option<Id> {
        let (smaller, larger) = if op == BinOp::Min { (a, b) } else { (b, a) };
        // min(a, a) = a
        if a == b {
            return Some(a);
        }
        if !self.node(a).exact || !self.node(b).exact {
            return None;
        }
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
        // min(min(x, c), d) = min(x, min(c, d))
        if let (Some(d), Tag::Binary(inner), &[x, c]) =
            (self.node(b).expr.as_int(), &self.node(a).tag, self.node(a).ids.as_slice())
            && *inner == op
            && let Some(c) = self.node(c).expr.as_int()
        {
            let dtype = self.dtype(a);
            let bound = self.int(if op == BinOp::Min { c.min(d) } else { c.max(d) }, dtype);
            return Some(self.make(dtype, Tag::Binary(op), vec![x, bound]));
        }
        None
    }

    fn and_or(&mut self, op: BinOp, a: Id, b: Id) -> Option<Id> {
        let decides = i64::from(op == BinOp::Or);
        match (self.lane_value(a), self.lane_value(b)) {
            // false and x = false, true or x = true
            (Some(value), _) if value == decides => Some(a),
            (_, Some(value)) if value == decides => Some(b),
            // true and x = x, false or x = x
            (Some(_), _) => Some(b),
            (_, Some(_)) => Some(a),
            // x and x = x
            _ if a == b => Some(a),
            _ => None,
        }
    }
}
