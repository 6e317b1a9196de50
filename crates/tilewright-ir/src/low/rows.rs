//! Indices of memory that has rows of symbolic lengths.
//!
//! The index of an element of several dimensions is a sum such as `(a * m + b) * 4 + c` in `n * m * 4`. That it lies
//! inside follows from each of its parts lying inside of its own dimension: here those are found again.

use tilewright_expr::{BinOp, Expr, ExprKind};

/// A size as a number of rows of a length, and an index as that of a row and that of a column in it.
pub(super) struct Split {
    pub rows: Expr,
    pub row: Expr,
    pub length: Expr,
    pub column: Expr,
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
        let (mut row, mut column) = (Expr::int(0, index.dtype), Expr::int(0, index.dtype));
        for term in &terms {
            match term.divided(&length) {
                Some(rest) => row = row + rest.expr(index),
                None => column = column + term.expr(index),
            }
        }
        Some(Split { rows: rows.expr(size), row, length: length.expr(size), column })
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

/// A sum as a number times a sum whose terms have no number in common: `m * 16 + 16` is 16 times `m + 1`.
fn without_common_number(sum: &Expr) -> Option<(i64, Expr)> {
    let parts: Vec<(i64, Option<Expr>)> = terms(sum)
        .into_iter()
        .rev()
        .map(|term| match (term.as_int(), &term.kind) {
            (Some(number), _) => (number, None),
            (_, ExprKind::Binary(BinOp::Mul, part, number)) if let Some(number) = number.as_int() => {
                (number, Some(part.clone()))
            }
            _ => (1, Some(term)),
        })
        .collect();
    let common = parts.iter().fold(0, |common, (number, _)| common_divisor(common, number.unsigned_abs()));
    let common = i64::try_from(common).ok().filter(|&common| common > 1)?;
    let rest = parts.into_iter().map(|(number, part)| match (number / common, part) {
        (number, None) => Expr::int(number, sum.dtype),
        (1, Some(part)) => part,
        (number, Some(part)) => part * number,
    });
    rest.reduce(|sum, part| sum + part).map(|rest| (common, rest))
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
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
                _ => product.push_factor(expr),
            }
        }
        product
    }

    fn push_factor(&mut self, factor: Expr) {
        let parts = without_common_number(&factor);
        let with_number = parts.and_then(|(number, rest)| Some((self.number.checked_mul(number)?, rest)));
        match with_number {
            Some((number, rest)) => {
                self.number = number;
                self.factors.push(rest);
            }
            None => self.factors.push(factor),
        }
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
        let number = common_divisor(self.number.unsigned_abs(), other.number.unsigned_abs());
        Self { number: i64::try_from(number).unwrap_or(1), factors }
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
        let [Split { rows, row, length, column }] = found.as_slice() else { panic!("{} ways", found.len()) };
        assert!(length.as_int() == Some(4) && simple(column).equal(&k), "{column:?}");
        let found = splits(&simple(rows), &simple(row));
        let [Split { row, length, column, .. }] = found.as_slice() else { panic!("{} ways", found.len()) };
        assert!(simple(row).equal(&i) && simple(length).equal(&m) && simple(column).equal(&j), "{row:?}");
        // An index that is no sum of row times length and column has no such form.
        assert!(splits(&whole, &(i.clone() + j.clone())).is_empty());
        assert!(splits(&Expr::i64(12), &index(&i)).is_empty());
        // A number that all terms of a length have is the product's.
        let longer = m.clone() + Expr::i64(1);
        let size = m.clone() * (m.clone() * 16 + Expr::i64(16));
        let found = splits(&size, &(i.clone() * m.clone() * longer.clone() * 8 + j.clone()));
        let [Split { rows, row, length, column }] = found.as_slice() else { panic!("{} ways", found.len()) };
        assert!(rows.as_int() == Some(2) && simple(row).equal(&i) && simple(column).equal(&j), "{row:?}");
        assert!(Analyzer::new().prove_equal(length, &(m * longer * 8)), "{length:?}");
    }
}
