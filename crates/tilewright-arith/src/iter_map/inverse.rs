//! From indices back to iterators.

use std::sync::Arc;

use tilewright_expr::{BinOp, CmpOp, Expr, Var};
use tilewright_support::{Map, Set, with_stack};

use super::{IterMark, IterSource, IterSplitExpr, IterSumExpr, operation};
use crate::Analyzer;

/// The iterators of a bijective map as expressions of its indices: `outputs` has one expression for each sum. Marks are
/// told apart by identity, as [`detect_iter_map`](super::detect_iter_map) shares them. A piece above which another one
/// lies is taken as a remainder, so that indices within their extents give iterators within theirs. `None` where the
/// numbers of sums and outputs differ, or the pieces of a sum overlap.
pub fn inverse_affine_iter_map(cx: &Analyzer, map: &[IterSumExpr], outputs: &[Expr]) -> Option<Vec<(Var, Expr)>> {
    if map.len() != outputs.len() {
        return None;
    }
    let mut order = Vec::new();
    let mut seen = Set::default();
    map.iter().for_each(|sum| visit(sum, &mut seen, &mut order));
    let inside = order.iter().filter_map(|mark| match &mark.source {
        IterSource::Sum(sum) => Some(&**sum),
        IterSource::Var { .. } => None,
    });
    if map.iter().chain(inside).any(|sum| overlaps(cx, sum)) {
        return None;
    }
    let mut values: Map<*const IterMark, Expr> = Map::default();
    for (sum, output) in map.iter().zip(outputs) {
        give(sum, &operation(BinOp::Sub, output, &sum.base), &mut values);
    }
    let mut iters = Vec::new();
    // A mark comes after the mark of which it is a piece.
    for mark in order.into_iter().rev() {
        let Some(value) = values.get(&Arc::as_ptr(&mark)).cloned() else { continue };
        match &mark.source {
            IterSource::Var { var, min } => iters.push((var.clone(), cx.simplify(&operation(BinOp::Add, &value, min)))),
            IterSource::Sum(sum) => give(sum, &operation(BinOp::Sub, &value, &sum.base), &mut values),
        }
    }
    iters.reverse();
    Some(iters)
}

/// Whether a piece reaches beyond the step of the one before it.
fn overlaps(cx: &Analyzer, sum: &IterSumExpr) -> bool {
    sum.args.windows(2).any(|pair| match pair {
        [above, below] => {
            let reach = operation(BinOp::Mul, &below.scale, &below.extent);
            cx.decide(CmpOp::Lt, &above.scale, &reach) == Some(true)
        }
        _ => false,
    })
}

/// Every mark at or below the sum, those inside a mark before it.
fn visit(sum: &IterSumExpr, seen: &mut Set<*const IterMark>, order: &mut Vec<Arc<IterMark>>) {
    for split in &sum.args {
        if !seen.insert(Arc::as_ptr(&split.source)) {
            continue;
        }
        if let IterSource::Sum(inner) = &split.source.source {
            with_stack(|| visit(inner, seen, order));
        }
        order.push(split.source.clone());
    }
}

/// Adds what the sum's value says of the marks of its pieces.
fn give(sum: &IterSumExpr, value: &Expr, values: &mut Map<*const IterMark, Expr>) {
    for (at, IterSplitExpr { source, lower_factor, extent, scale }) in sum.args.iter().enumerate() {
        let mut piece = operation(BinOp::FloorDiv, value, scale);
        // The first piece has the largest scale.
        if at > 0 {
            piece = operation(BinOp::FloorMod, &piece, extent);
        }
        let part = operation(BinOp::Mul, &piece, lower_factor);
        let known = values.get(&Arc::as_ptr(source)).map(|known| operation(BinOp::Add, known, &part));
        values.insert(Arc::as_ptr(source), known.unwrap_or(part));
    }
}
