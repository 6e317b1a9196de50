//! Sums of nodes with constant coefficients: the canonical form of index arithmetic.

use tilewright_support::OrderedMap;

use crate::bounds::IntBounds;
use crate::session::{Id, Session};

/// `Σ coefficient · node + constant`, in the order in which the nodes first appeared. No coefficient is 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linear {
    pub(crate) terms: OrderedMap<Id, i64>,
    pub(crate) constant: i64,
    /// A coefficient did not fit: the sum must not be used.
    pub(crate) overflow: bool,
}

impl Linear {
    pub(crate) fn constant(value: i64) -> Self {
        Self { constant: value, ..Self::default() }
    }

    pub(crate) fn atom(id: Id) -> Self {
        let mut linear = Self::default();
        linear.terms.insert(id, 1);
        linear
    }

    pub(crate) fn add_constant(&mut self, value: i64, factor: i64) {
        match value.checked_mul(factor).and_then(|v| self.constant.checked_add(v)) {
            Some(sum) => self.constant = sum,
            None => self.overflow = true,
        }
    }

    pub(crate) fn add_term(&mut self, id: Id, coefficient: i64) {
        let slot = self.terms.entry(id).or_insert(0);
        match slot.checked_add(coefficient) {
            Some(sum) => *slot = sum,
            None => self.overflow = true,
        }
    }

    pub(crate) fn add(&mut self, other: &Self, factor: i64) {
        self.overflow |= other.overflow;
        for (&id, &coefficient) in &other.terms {
            match coefficient.checked_mul(factor) {
                Some(coefficient) => self.add_term(id, coefficient),
                None => self.overflow = true,
            }
        }
        self.add_constant(other.constant, factor);
    }

    /// Adds the other sum if every coefficient fits; cancelled terms stay until `finish`.
    pub(crate) fn try_add(&mut self, other: &Self) -> bool {
        let now = |id: &Id| self.terms.get(id).copied().unwrap_or(0);
        let fits = !other.overflow
            && other.terms.iter().all(|(id, &c)| now(id).checked_add(c).is_some())
            && self.constant.checked_add(other.constant).is_some();
        if fits {
            self.add(other, 1);
        }
        fits
    }

    /// The number of terms, the constant among them.
    pub(crate) fn size(&self) -> usize {
        self.terms.len() + usize::from(self.constant != 0)
    }

    /// Drops cancelled terms. Every sum passes here before it is looked at.
    pub(crate) fn finish(mut self) -> Self {
        self.terms.retain(|_, coefficient| *coefficient != 0);
        self
    }

    pub(crate) fn plus(&self, other: &Self, factor: i64) -> Self {
        let mut sum = self.clone();
        sum.add(other, factor);
        sum.finish()
    }

    pub(crate) fn scaled(&self, factor: i64) -> Self {
        Self::default().plus(self, factor)
    }

    /// The sum by a number that divides all of it.
    pub(crate) fn divided(&self, factor: i64) -> Self {
        let terms = self.terms.iter().map(|(&id, &c)| (id, c / factor)).collect();
        Self { terms, constant: self.constant / factor, overflow: self.overflow }
    }

    pub(crate) fn as_constant(&self) -> Option<i64> {
        (self.terms.is_empty() && !self.overflow).then_some(self.constant)
    }

    /// The sum with `id` replaced by `form`.
    pub(crate) fn replace(&self, id: Id, form: &Self) -> Self {
        let mut sum = self.clone();
        let coefficient = sum.terms.shift_remove(&id).unwrap_or(0);
        sum.add(form, coefficient);
        sum.finish()
    }

    /// The greatest common divisor of the coefficients, without the constant; 0 without terms.
    pub(crate) fn content(&self) -> i64 {
        self.terms.values().fold(0, |g, &c| gcd(g, c))
    }
}

/// The greatest common divisor, not negative. The least integer counts as having none but 1.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (Some(mut a), Some(mut b)) = (a.checked_abs(), b.checked_abs()) else { return 1 };
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Session<'_> {
    /// Bounds of the sum over the mathematical integers.
    pub(crate) fn linear_bounds(&self, linear: &Linear) -> IntBounds {
        if linear.overflow {
            return IntBounds::ANY;
        }
        linear.terms.iter().fold(IntBounds::constant(linear.constant), |sum, (&id, &coefficient)| {
            sum.plus(self.node(id).bounds.scaled(coefficient))
        })
    }

    /// The product of two sums, written out term by term.
    pub(crate) fn multiply(&mut self, a: &Linear, b: &Linear) -> Linear {
        let mut product = a.scaled(b.constant);
        product.overflow |= b.overflow;
        for (&y, &cy) in &b.terms {
            product.add_term(y, cy.checked_mul(a.constant).unwrap_or(0));
            product.overflow |= cy.checked_mul(a.constant).is_none();
            for (&x, &cx) in &a.terms {
                match cx.checked_mul(cy) {
                    Some(coefficient) => {
                        let monomial = self.monomial(x, y);
                        product.add_term(monomial, coefficient);
                    }
                    None => product.overflow = true,
                }
            }
        }
        product.finish()
    }
}
