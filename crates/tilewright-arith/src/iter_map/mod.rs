//! Iterator maps: index expressions as sums of pieces of loop iterators.
//!
//! A *mark* is a whole iterator: a loop variable over `0..extent`, or a sum of pieces that together count `0..extent`.
//! A *split* is a piece of a mark: `mark // lower_factor % extent · scale`. A *sum* is splits and a base. Index
//! expressions are brought to sums whose splits are fused into one mark wherever their scales fit together like digits;
//! then the splits of each mark are compared: where they are disjoint digits of it, the indices take every combination
//! of their values, and each once if nothing of any mark is left out.
//!
//! `detect` reads expressions, `fuse` joins splits to marks, `check` compares splits, `polynomial` divides symbolic
//! extents, `inverse` solves for the iterators, and `subspace` divides a map into outer and inner loops.

mod check;
mod detect;
mod fuse;
mod inverse;
mod polynomial;
mod subspace;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Range, Var};

use crate::Analyzer;

pub use detect::{detect_iter_map, normalize_to_iter_sum};
pub use inverse::inverse_affine_iter_map;
pub use subspace::{DividedIter, subspace_divide};

/// The required property of a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IterMapLevel {
    /// Distinct values of the iterators give distinct indices, and every index in its extent is met.
    Bijective,
    /// Every combination of indices in their extents is met.
    Surjective,
    /// Every index is a sum of pieces of iterators, whatever they share.
    NoCheck,
}

/// The source of an iterator's values.
#[derive(Clone, Debug)]
pub enum IterSource {
    /// A loop variable, less the start of its range.
    Var {
        var: Var,
        min: Expr,
    },
    Sum(Box<IterSumExpr>),
}

/// A whole iterator: it takes the values from 0 to `extent - 1`.
#[derive(Clone, Debug)]
pub struct IterMark {
    pub source: IterSource,
    pub extent: Expr,
}

/// A piece of an iterator: `source // lower_factor % extent · scale`.
#[derive(Clone, Debug)]
pub struct IterSplitExpr {
    pub source: Arc<IterMark>,
    pub lower_factor: Expr,
    pub extent: Expr,
    pub scale: Expr,
}

/// A sum of pieces: `Σ args + base`.
#[derive(Clone, Debug)]
pub struct IterSumExpr {
    pub args: Vec<IterSplitExpr>,
    pub base: Expr,
}

/// The result of [`detect_iter_map`].
#[derive(Clone, Debug)]
pub struct IterMapResult {
    /// One for each index; empty where one of them is no iterator map, or the level is not met.
    pub indices: Vec<IterSumExpr>,
    /// Why there are none.
    pub errors: Vec<String>,
}

fn operation(op: BinOp, a: &Expr, b: &Expr) -> Expr {
    Expr::raw(a.dtype, ExprKind::Binary(op, a.clone(), b.clone()))
}

impl IterSplitExpr {
    /// The piece as an expression of loop variables. The remainder is left out where the piece is the mark's last
    /// digit.
    pub fn to_expr(&self, cx: &Analyzer) -> Expr {
        let mut value = match &self.source.source {
            IterSource::Var { var, min } => operation(BinOp::Sub, &Expr::var(var), min),
            IterSource::Sum(sum) => sum.to_expr(cx),
        };
        let one = |e: &Expr| e.as_int() == Some(1);
        let reach = operation(BinOp::Mul, &self.lower_factor, &self.extent);
        let last = cx.decide(CmpOp::Ge, &reach, &self.source.extent) == Some(true);
        if !one(&self.lower_factor) {
            value = operation(BinOp::FloorDiv, &value, &self.lower_factor);
        }
        if !last {
            value = operation(BinOp::FloorMod, &value, &self.extent);
        }
        if one(&self.scale) { value } else { operation(BinOp::Mul, &value, &self.scale) }
    }
}

impl IterSumExpr {
    /// The sum as an expression of loop variables.
    pub fn to_expr(&self, cx: &Analyzer) -> Expr {
        let mut terms = self.args.iter().map(|split| split.to_expr(cx));
        let Some(first) = terms.next() else { return self.base.clone() };
        let sum = terms.fold(first, |sum, term| operation(BinOp::Add, &sum, &term));
        if self.base.as_int() == Some(0) { sum } else { operation(BinOp::Add, &sum, &self.base) }
    }
}

/// The sum as an expression of loop variables, simplified.
pub fn normalize_iter_map_to_expr(cx: &Analyzer, sum: &IterSumExpr) -> Expr {
    cx.simplify(&sum.to_expr(cx))
}

/// The indices, simplified by what their iterators are; as they are, where they are no iterator map.
pub fn iter_map_simplify(
    cx: &mut Analyzer,
    indices: &[Expr],
    iters: &[(Var, Range)],
    predicate: &Expr,
    level: IterMapLevel,
) -> Vec<Expr> {
    let found = detect_iter_map(cx, indices, iters, predicate, level, true);
    let scope = cx.enter();
    iters.iter().for_each(|(var, range)| cx.bind(var, range));
    cx.assume(predicate);
    let simple = match found.indices.len() == indices.len() {
        true => found.indices.iter().map(|sum| normalize_iter_map_to_expr(cx, sum)).collect(),
        false => indices.iter().map(|index| cx.simplify(index)).collect(),
    };
    cx.leave(scope);
    simple
}
