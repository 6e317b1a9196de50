//! Operations of two operands but sums of indices, and the division of sums.

use tilewright_expr::{BinOp, semantics};
use tilewright_support::with_stack;

use crate::bounds::IntBounds;
use crate::linear::{Linear, gcd};
use crate::modular::ModularSet;
use crate::rules::Root;
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
        BinOp::FloorDiv if b.at_most(-1) || b.at_least(1) => quotient_bounds(a, b, i128::div_euclid),
        BinOp::Div if b.at_most(-1) || b.at_least(1) => quotient_bounds(a, b, |x, y| x / y),
        BinOp::FloorMod | BinOp::Mod if natural => {
            let below = b.max.map(|b| b - 1);
            IntBounds::new(Some(0), below.into_iter().chain(a.max).min())
        }
        BinOp::FloorMod if b.at_least(1) => IntBounds::new(Some(0), b.max.map(|b| b - 1)),
        BinOp::FloorMod if b.at_most(-1) => IntBounds::new(b.min.map(|b| b + 1), Some(0)),
        BinOp::Mod if b.at_least(1) => truncated_remainder(a, b.max),
        BinOp::Min => IntBounds { max: a.max.into_iter().chain(b.max).min(), ..a.hull(b) },
        BinOp::Max => IntBounds { min: a.min.into_iter().chain(b.min).max(), ..a.hull(b) },
        BinOp::BitAnd if b.at_least(0) => IntBounds::new(Some(0), b.max),
        _ => return None,
    })
}

/// Bounds of the quotient `a / b` with the rounding of `divide`, where `b` has one sign: the corners of both intervals,
/// as far as they are known.
fn quotient_bounds(a: IntBounds, b: IntBounds, divide: fn(i128, i128) -> i128) -> IntBounds {
    if b.at_most(-1) {
        return quotient_bounds(a.scaled(-1), b.scaled(-1), divide);
    }
    let at = |x: i64, y: Option<i64>| match y {
        Some(y) => divide(x.into(), y.into()),
        // By ever larger divisors.
        None => divide(x.signum().into(), i64::MAX.into()),
    };
    // Further from zero by the smallest divisor, nearer to it by the largest one.
    let ends = |x: i64| i64::try_from(at(x, b.min)).ok().zip(i64::try_from(at(x, b.max)).ok());
    let low = a.min.and_then(ends).map(|(x, y)| x.min(y));
    let high = a.max.and_then(ends).map(|(x, y)| x.max(y));
    IntBounds::new(low, high)
}

/// Bounds of the remainder of a division that rounds towards zero, by positive divisors of at most `max`: it has the
/// sign of the dividend, and is never further from zero than that.
fn truncated_remainder(a: IntBounds, max: Option<i64>) -> IntBounds {
    let below = max.map(|c| c - 1);
    let low = [a.min.map(|min| min.min(0)), below.map(|c| -c)].into_iter().flatten().max();
    let high = [a.max.map(|max| max.max(0)), below].into_iter().flatten().min();
    IntBounds::new(if a.at_least(0) { Some(0) } else { low }, if a.at_most(0) { Some(0) } else { high })
}

impl Session<'_> {
    pub(crate) fn binary(&mut self, op: BinOp, a: Id, b: Id) -> Id {
        if let Some(&known) = self.results.get(&(op, a, b)) {
            return known;
        }
        let id = with_stack(|| self.binary_node(op, a, b));
        self.results.insert((op, a, b), id);
        id
    }

    fn binary_node(&mut self, op: BinOp, a: Id, b: Id) -> Id {
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
        if let Some(id) = self.rewritten(Root::Binary(op), &[a, b], false, dtype) {
            return id;
        }
        let found = match op {
            BinOp::FloorDiv | BinOp::FloorMod if is_index_type(dtype) => self.divide(op, a, b),
            BinOp::Min | BinOp::Max if is_index_type(dtype) => self.extreme_of(op, a, b),
            _ => None,
        };
        found.unwrap_or_else(|| self.make(dtype, Tag::Binary(op), vec![a, b]))
    }

    fn divide(&mut self, op: BinOp, a: Id, b: Id) -> Option<Id> {
        if !self.node(a).exact || !self.node(b).exact {
            return None;
        }
        match (op, self.node(b).expr.as_int()) {
            (BinOp::FloorDiv, Some(c)) if c > 1 => self.quotient(a, c),
            (BinOp::FloorMod, Some(c)) if c > 1 => self.remainder(a, c),
            (_, None) => self.divide_by_symbol(op, a, b),
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
        if let Some(joined) = self.joined_quotients(&r, c) {
            q.add(&self.form(joined), 1);
            return Some(self.sum(q.finish(), dtype));
        }
        // (c·q + r) // c = q + r // c
        let changes = !q.terms.is_empty() || q.constant != 0;
        changes.then(|| {
            let r = self.sum(r, dtype);
            let divisor = self.int(c, dtype);
            let inner = self.binary(BinOp::FloorDiv, r, divisor);
            q.add(&self.form(inner), 1);
            self.sum(q.finish(), dtype)
        })
    }

    /// (x // a + k) // c = (x + a·k) // (a·c), where r is x // a + k
    fn joined_quotients(&mut self, r: &Linear, c: i64) -> Option<Id> {
        let (&id, &1) = r.terms.first().filter(|_| r.terms.len() == 1 && r.constant != 0)? else { return None };
        let (x, a) = self.divided_by_constant(id, BinOp::FloorDiv).filter(|&(x, _)| self.node(x).index)?;
        let (dtype, both) = (self.dtype(id), a.checked_mul(c).filter(|_| a > 0)?);
        let mut sum = (*self.form(x)).clone();
        sum.add_constant(a.checked_mul(r.constant)?, 1);
        if sum.overflow || !IntBounds::constant(both).within(IntBounds::of_type(dtype)) {
            return None;
        }
        let (sum, divisor) = (self.sum(sum, dtype), self.int(both, dtype));
        Some(self.binary(BinOp::FloorDiv, sum, divisor))
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
        // r % c = m, where r is known to be m and multiples of c
        if let ModularSet { coeff: 0, base } = self.linear_modular(&r).remainder(c) {
            return Some(self.int(base, dtype));
        }
        // (a·(x % b) + y) % c = (a·x + y) % c, where c divides a·b
        let inner: Vec<(Id, i64, Id)> = r
            .terms
            .iter()
            .filter_map(|(&id, &k)| {
                let (x, b) = self.divided_by_constant(id, BinOp::FloorMod)?;
                (i128::from(k) * i128::from(b) % i128::from(c) == 0).then_some((id, k, x))
            })
            .collect();
        if !inner.is_empty() {
            for (id, k, x) in inner {
                r.add_term(id, -k);
                let x = self.form(x);
                r.add(&x, k);
            }
            let r = r.finish();
            if r.overflow {
                return None;
            }
            let (r, divisor) = (self.sum(r, dtype), self.int(c, dtype));
            return Some(self.binary(BinOp::FloorMod, r, divisor));
        }
        // (g·s + k) % (g·c) = g·(s % c) + k, where 0 <= k < g; g·((s + k / g) % c), where g divides k
        let g = gcd(r.content(), c);
        if g > 1 && (r.constant < g || r.constant % g == 0) {
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
            self.binary(BinOp::FloorMod, r, divisor)
        })
    }

    /// Divisors that are symbols: fused loops of symbolic extent.
    fn divide_by_symbol(&mut self, op: BinOp, a: Id, n: Id) -> Option<Id> {
        if !self.node(a).index || !self.node(n).index {
            return None;
        }
        let dtype = self.dtype(a);
        let (form, divisor) = (self.form(a), self.form(n));
        let (unit, scale) = match (divisor.terms.len(), divisor.constant, divisor.terms.first()) {
            (1, 0, Some((&id, &k))) => (self.factors(id), k),
            _ => (vec![n], 1),
        };
        let (mut q, mut r) = (Linear::default(), Linear::constant(form.constant));
        for (&id, &k) in &form.terms {
            let quotient = (k % scale == 0).then(|| self.without_factors(id, &unit)).flatten();
            match quotient {
                Some(None) => q.add_constant(k / scale, 1),
                Some(Some(rest)) => q.add_term(rest, k / scale),
                None => r.add_term(id, k),
            }
        }
        let (mut q, mut r) = (q.finish(), r.finish());
        // (n·q + r) // n = q and (n·q + r) % n = r, where 0 <= r < n
        if self.in_range(&r, &divisor) {
            return Some(self.sum(if op == BinOp::FloorDiv { q } else { r }, dtype));
        }
        // the same with q - 1 and r + n, where -n <= r < 0
        let above = r.plus(&divisor, 1);
        if self.in_range(&above, &divisor) {
            (q, r) = (q.plus(&Linear::constant(1), -1), above);
            return Some(self.sum(if op == BinOp::FloorDiv { q } else { r }, dtype));
        }
        // (n·q + r) // n = q + r // n and (n·q + r) % n = r % n
        if q.size() == 0 {
            return None;
        }
        let r = self.sum(r, dtype);
        let inner = self.binary(op, r, n);
        if op == BinOp::FloorMod {
            return Some(inner);
        }
        q.add(&self.form(inner), 1);
        Some(self.sum(q.finish(), dtype))
    }

    /// The product without these factors: `Some(None)` where nothing is left, `None` where it lacks one of them.
    fn without_factors(&mut self, id: Id, unit: &[Id]) -> Option<Option<Id>> {
        let mut factors = self.factors(id);
        for factor in unit {
            let at = factors.iter().position(|f| f == factor)?;
            factors.remove(at);
        }
        let (&first, rest) = match factors.split_first() {
            Some(split) => split,
            None => return Some(None),
        };
        Some(Some(rest.iter().fold(first, |product, &f| self.monomial(product, f))))
    }
}
