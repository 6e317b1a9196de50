//! Integer arithmetic over symbols: simplification, bounds and proofs about index expressions and shapes.
//!
//! Reading order: [`Analyzer`] (facts about variables, and the questions), [`IntBounds`] and [`ModularSet`]; [`IntSet`]
//! (`sets`: symbolic ends), [`detect_iter_map`] (`iter_map`: indices as pieces of loop iterators), `solve` (systems of
//! equations and inequalities), `region` (what loops touch of a buffer). Inside, `session` (one simplification:
//! interned nodes, each once), `walk` and `sums` (expressions to nodes), `linear` (sums with coefficients), `rules`
//! (the table of equations that is applied), the code for operations on sums (`divide`, `compare`, `extremes`, `lanes`,
//! `casts`), and `proof` (why a sum is not negative), `positive` (bounds of variables that follow). Separate from these
//! is `written`: constant folding as a host language does it.
//!
//! Invariants: integers of index expressions are mathematical integers (no wrap-around); every answer is a proof, and
//! "not proven" is never an error. Only `int32` and `int64` are index types; other integers are folded where they are
//! constant, and integers that come from memory keep their wrap-around. Floats are folded and never reassociated. An
//! operand whose value is not needed may go, and with it the fault that it would report. This crate knows no statement.

mod analyzer;
mod bound;
mod bounds;
mod build;
mod casts;
mod common;
mod compare;
mod divide;
mod extremes;
mod iter_map;
mod lanes;
mod linear;
mod linear_index;
mod modular;
mod open_bounds;
mod positive;
mod proof;
mod region;
#[cfg(test)]
mod region_tests;
mod rules;
mod select;
mod session;
mod sets;
mod solve;
mod sums;
mod walk;
mod written;

#[cfg(test)]
mod scale_tests;
#[cfg(test)]
mod symbol_tests;
#[cfg(test)]
mod tests;

pub use analyzer::{Analyzer, LinearIn, Scope};
pub use bound::{ConstIntBound, Contradiction};
pub use bounds::IntBounds;
pub use common::{Repetitions, common_subexpressions};
pub use iter_map::{
    DividedIter, IterMapLevel, IterMapResult, IterMark, IterSource, IterSplitExpr, IterSumExpr, detect_iter_map,
    inverse_affine_iter_map, iter_map_simplify, normalize_iter_map_to_expr, normalize_to_iter_sum, subspace_divide,
};
pub use linear_index::{indices_at, unravelled};
pub use modular::ModularSet;
pub use region::{estimate_region_lower_bound, estimate_region_strict_bound, estimate_region_upper_bound};
pub use rules::{RewriteRule, rewrite_rules};
pub use sets::{IntSet, IntervalSet};
pub use solve::{
    ClipBound, IntConstraints, IntConstraintsTransform, IntGroupBounds, LinearEquation, PartialSolution, SmithForm,
    deduce_bound, detect_clip_bound, detect_linear_equation, smith_normal_form, solve_inequalities_to_range,
    solve_linear_equations, solve_linear_inequalities,
};
pub use written::{worked_out, worked_out_comparison};
