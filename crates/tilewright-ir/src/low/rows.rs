//! Indices of memory that has rows of symbolic lengths.
//!
//! The index of an element of several dimensions is a sum such as `(a * m + b) * 4 + c` in `n * m * 4`. That it lies inside
//! follows from each of its parts lying inside of its own dimension: here those are found again.

use tilewright_expr::{BinOp, Expr, ExprKind};

/// A size as so many rows of a length, and an index as that of a row and that of a place in it.
pub(super) struct Split {
    pub rows: Expr,
    pub row: Expr,
    pub length: Expr,
    pub place: Expr,
}

/// The ways to see rows in a symbolic size that the terms of an index suggest.
pub(super) fn splits(size: &Expr, index: &Expr) -> Vec<Split> {
    let whole = Product::of(size);
    if whole.factors.is_empty() || whole.number <= 0 {
        return Vec::new();
    }
    let terms: Vec<Product> = terms(index).iter().map(Product::of).collect();
    let split = |term: &Product| {
        let length = term.common(&whole);
        let rows = whole.divided(&length).filter(|rows| !rows.is_one() && !length.is_one())?;
        let (mut row, mut place) = (Expr::int(0, index.dtype), Expr::int(0, index.dtype));
        for term in &terms {
            match term.divided(&length) {
                Some(rest) => row = row + rest.expr(index),
                None => place = place + term.expr(index),
            }
        }
        Some(Split { rows: rows.expr(size), row, length: length.expr(size), place })
    };
    terms.iter().filter_map(split).collect()
}

/// The terms of a sum.
fn terms(sum: &Expr) -> Vec<Expr> {
    let (mut found, mut rest) = (Vec::new(), vec![sum.clone()]);
    while let Some(expr) = rest.pop() {
        match &expr.kind {
            ExprKind::Binary(BinOp::Add, a, b) => rest.extend([a.clone(), b.clone()]),
            _ => found.push(expr),
        }
    }
    found
}

/// A product of a number and of what is none.
struct Product {
    number: i64,
    factors: Vec<Expr>,
}

impl Product {
    fn of(expr: &Expr) -> Self {
        let mut product = Self { number: 1, factors: Vec::new() };
        let mut rest = vec![expr.clone()];
        while let Some(expr) = rest.pop() {
            match (&expr.kind, expr.as_int().and_then(|factor| product.number.checked_mul(factor))) {
                (_, Some(number)) => product.number = number,
                (ExprKind::Binary(BinOp::Mul, a, b), _) => rest.extend([a.clone(), b.clone()]),
                _ => product.factors.push(expr),
            }
        }
        product
    }

    fn is_one(&self) -> bool {
        self.number == 1 && self.factors.is_empty()
    }

    /// The product as an expression of another one's type.
    fn expr(&self, like: &Expr) -> Expr {
        self.factors.iter().fold(Expr::int(self.number, like.dtype), |product, factor| product * factor.clone())
    }

    /// The factors that both have.
    fn common(&self, other: &Self) -> Self {
        let mut open = other.factors.clone();
        let mut factors = Vec::new();
        for factor in &self.factors {
            if let Some(at) = open.iter().position(|other| other.equal(factor)) {
                factors.push(open.swap_remove(at));
            }
        }
        let (mut a, mut b) = (self.number.unsigned_abs(), other.number.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Self { number: i64::try_from(a).unwrap_or(1), factors }
    }

    /// The product without the factors of another; nothing where it has not all of them.
    fn divided(&self, by: &Self) -> Option<Self> {
        let mut factors = self.factors.clone();
        for factor in &by.factors {
            let at = factors.iter().position(|own| own.equal(factor))?;
            factors.swap_remove(at);
        }
        let number = self.number.checked_div(by.number).filter(|_| self.number.checked_rem(by.number) == Some(0))?;
        Some(Self { number, factors })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_arith::Analyzer;
    use tilewright_expr::Var;
    use tilewright_tensor::DataType;

    #[test]
    fn rows_are_found_in_flat_indices() {
        let [n, m, i, j, k] = ["n", "m", "i", "j", "k"].map(|name| Expr::var(&Var::new(name, DataType::I64)));
        let index = |i: &Expr| (i.clone() * m.clone() + j.clone()) * 4 + k.clone();
        let whole = n.clone() * m.clone() * 4;
        let simple = |expr: &Expr| Analyzer::new().simplify(expr);
        // The first term has the factor 4, of which the last has none.
        let found = splits(&whole, &index(&i));
        let [Split { rows, row, length, place }] = found.as_slice() else { panic!("{} ways", found.len()) };
        assert!(length.as_int() == Some(4) && simple(place).equal(&k), "{place:?}");
        let found = splits(&simple(rows), &simple(row));
        let [Split { row, length, place, .. }] = found.as_slice() else { panic!("{} ways", found.len()) };
        assert!(simple(row).equal(&i) && simple(length).equal(&m) && simple(place).equal(&j), "{row:?}");
        // What is no sum of places in rows has none.
        assert!(splits(&whole, &(i.clone() + j.clone())).is_empty());
        assert!(splits(&Expr::i64(12), &index(&i)).is_empty());
    }
}
