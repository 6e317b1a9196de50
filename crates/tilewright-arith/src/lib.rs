//! Integer arithmetic over symbols: simplification, bounds and proofs about index expressions and shapes.
//!
//! Reading order: [`Analyzer`] (facts about variables, and the questions), [`IntBounds`]; then, inside, `session` (one
//! simplification: interned nodes, each once), `linear` (sums with coefficients), the rules by operator (`divide`,
//! `compare`, `select`, `lanes`), and `proof` (why a sum is not negative).
//!
//! Invariants: integers of index expressions are mathematical integers (no wrap-around); every answer is a proof, and
//! "not proven" is never an error. Only `int32` and `int64` are index types; other integers are folded where they are
//! constant, and integers that come from memory keep their wrap-around. Floats are folded and never reassociated. An
//! operand whose value is not needed may go, and with it the fault that it would report. This crate knows no statement.

mod analyzer;
mod bounds;
mod compare;
mod divide;
mod lanes;
mod linear;
mod proof;
mod select;
mod session;

#[cfg(test)]
mod tests;

pub use analyzer::{Analyzer, LinearIn, Scope};
pub use bounds::IntBounds;
