//! Exact quotients of sums of products of symbols.
//!
//! Extents of fused loops are products of sums, written out: `(h + 2) * 32` is `h * 32 + 64`. That `h + 2` divides it
//! is seen by the division of polynomials, by one divisor and with whole coefficients: the largest product of the rest
//! is divided by the largest one of the divisor until nothing is left.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use tilewright_expr::BinOp;

use super::detect::Detector;
use crate::session::Id;

/// The largest number of products of a polynomial, and of factors of one, that are analysed.
const MOST: usize = 32;

/// Factors in the order of their numbers: a product. Of products the one with more factors is larger, and of those with
/// as many the one with more of the first symbol that differs.
type Product = (usize, Reverse<Vec<Id>>);
/// The products and their coefficients, none of which is 0.
type Polynomial = BTreeMap<Product, i64>;

impl Detector<'_> {
    /// `a / b` where a polynomial times `b` is `a`.
    pub(super) fn quotient_of_polynomials(&mut self, a: Id, b: Id) -> Option<Id> {
        let (mut rest, divisor) = (self.polynomial(a)?, self.polynomial(b)?);
        let (largest, unit) = divisor.last_key_value().map(|(product, by)| (product.clone(), *by))?;
        let mut quotient = Polynomial::new();
        while let Some((product, by)) = rest.last_key_value().map(|(product, by)| (product.clone(), *by)) {
            let factors = without(&product, &largest)?;
            if quotient.len() == MOST || by.checked_rem(unit)? != 0 {
                return None;
            }
            let by = by.checked_div(unit)?;
            for (of_divisor, other) in &divisor {
                add(&mut rest, times(&factors, of_divisor)?, by.checked_mul(*other)?.checked_neg()?)?;
            }
            add(&mut quotient, factors, by)?;
        }
        let mut sum = self.int(0, a);
        for ((_, Reverse(factors)), by) in quotient {
            let by = self.int(by, a);
            let product = factors.into_iter().fold(by, |product, factor| self.op(BinOp::Mul, product, factor));
            sum = self.op(BinOp::Add, sum, product);
        }
        Some(sum)
    }

    /// Whether the two are the same polynomial.
    pub(super) fn are_same_polynomial(&mut self, a: Id, b: Id) -> bool {
        let (a, b) = (self.polynomial(a), self.polynomial(b));
        a.is_some() && a == b
    }

    fn polynomial(&mut self, id: Id) -> Option<Polynomial> {
        let form = self.cx.form(id);
        if form.overflow {
            return None;
        }
        let mut found = Polynomial::new();
        add(&mut found, (0, Reverse(Vec::new())), form.constant)?;
        for (&term, &by) in &form.terms {
            for (product, other) in self.product(term)? {
                add(&mut found, product, by.checked_mul(other)?)?;
            }
        }
        Some(found)
    }

    /// The polynomial of a term of a sum, whose factors may be sums.
    fn product(&mut self, term: Id) -> Option<Polynomial> {
        let factors = self.cx.factors(term);
        if factors.len() < 2 {
            return Some(Polynomial::from([((1, Reverse(vec![term])), 1)]));
        }
        let mut all = Polynomial::from([((0, Reverse(Vec::new())), 1)]);
        for factor in factors {
            let mut next = Polynomial::new();
            for (product, by) in self.polynomial(factor)? {
                for (other, of_other) in &all {
                    add(&mut next, times(&product, other)?, by.checked_mul(*of_other)?)?;
                }
            }
            all = next;
        }
        Some(all)
    }
}

/// Adds a product to a polynomial.
fn add(to: &mut Polynomial, product: Product, by: i64) -> Option<()> {
    let sum = to.get(&product).copied().unwrap_or(0).checked_add(by)?;
    if sum == 0 {
        to.remove(&product);
    } else {
        to.insert(product, sum);
    }
    (to.len() <= MOST).then_some(())
}

fn times((_, Reverse(a)): &Product, (_, Reverse(b)): &Product) -> Option<Product> {
    let mut factors: Vec<Id> = a.iter().chain(b).copied().collect();
    factors.sort_unstable();
    (factors.len() <= MOST).then_some((factors.len(), Reverse(factors)))
}

/// A product without the factors of another, which it has all.
fn without((_, Reverse(product)): &Product, (_, Reverse(other)): &Product) -> Option<Product> {
    let mut left = product.clone();
    for factor in other {
        left.remove(left.binary_search(factor).ok()?);
    }
    Some((left.len(), Reverse(left)))
}
