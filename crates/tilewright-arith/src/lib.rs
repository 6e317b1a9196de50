//! Integer arithmetic over symbols: simplification, bounds and proofs about index expressions and shapes.
//!
//! Reading order: [`Analyzer`].
//!
//! Invariants: integers of index expressions are mathematical integers (no wrap-around); every answer is a proof, and
//! "not proven" is never an error. This crate knows no statement.

use tilewright_expr::Expr;

/// Knows facts about variables and answers questions about expressions over them.
#[derive(Debug, Default)]
pub struct Analyzer {}

impl Analyzer {
    pub fn new() -> Self {
        Self::default()
    }

    /// An equal expression in canonical form.
    pub fn simplify(&self, expr: &Expr) -> Expr {
        expr.clone()
    }

    /// Whether the two are certainly equal.
    pub fn prove_equal(&self, a: &Expr, b: &Expr) -> bool {
        self.simplify(a).equal(&self.simplify(b))
    }

    /// Whether the two are certainly different, whatever the variables are.
    pub fn prove_different(&self, a: &Expr, b: &Expr) -> bool {
        matches!((self.simplify(a).as_int(), self.simplify(b).as_int()), (Some(a), Some(b)) if a != b)
    }
}
