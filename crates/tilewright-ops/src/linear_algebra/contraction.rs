//! A sum of products of many operands as sums of products of two.
//!
//! A loop over all letters at once takes as many steps as their sizes multiply to, and is no product that a schedule
//! knows. Two operands at a time are products, and letters that no other operand has are summed over where they first
//! can be. So `bi,ijk,bk->bj` becomes `bi,ijk->bjk` and `bjk,bk->bj`.
//!
//! The order is the one of the fewest steps, where each stored intermediate element counts as several. Up to
//! [`MAX_EXHAUSTIVE`] operands every order is considered; of more the cheapest pair is contracted first until that many
//! are left. Sizes known only at run time count as [`UNKNOWN`].

use tilewright_expr::Expr as Scalar;
use tilewright_ir::op::{InferCx, InferError};
use tilewright_ir::relax::Expr;

use super::einsum;

/// Operands up to which every order is tried.
const MAX_EXHAUSTIVE: usize = 5;
/// The assumed size of a dimension that is known only at run time.
const UNKNOWN: f64 = 100.0;
/// Steps of a product in the time in which an element is stored and loaded again.
const STORED: f64 = 16.0;

/// The variables of sizes known only at run time.
const LETTERS: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// An operand, and for each of its dimensions the number of its size.
#[derive(Clone)]
pub(super) struct Operand {
    pub value: Expr,
    pub labels: Vec<usize>,
}

/// Sizes by their numbers, as bits.
fn set(labels: &[usize]) -> u64 {
    labels.iter().fold(0, |set, label| set | 1 << label)
}

/// The sum of products of the operands, two at a time; `None` where it is none, or has too many sizes to name.
pub(super) fn pairwise(
    cx: &InferCx,
    mut operands: Vec<Operand>,
    result: &[usize],
    extents: &[Scalar],
) -> Result<Option<Expr>, InferError> {
    let summed = |operand: &Operand| operand.labels.iter().any(|label| !result.contains(label));
    if extents.len() > LETTERS.len() || operands.len() < 2 || !operands.iter().any(summed) {
        return Ok(None);
    }
    let sizes: Vec<f64> = extents.iter().map(|extent| extent.as_int().map_or(UNKNOWN, |size| size as f64)).collect();
    let given = operands.clone();
    for (at, operand) in operands.iter_mut().enumerate() {
        let others = given.iter().enumerate().filter(|(other, _)| *other != at);
        let needed = others.fold(set(result), |needed, (_, other)| needed | set(&other.labels));
        let kept = distinct(&operand.labels, needed);
        if kept.len() < operand.labels.len() {
            *operand = Operand { value: call(cx, &[operand], &kept)?, labels: kept };
        }
    }
    if given.len() == 2 && operands.iter().zip(&given).all(|(new, old)| new.labels.len() == old.labels.len()) {
        return Ok(None);
    }
    while operands.len() > 2 {
        let sets: Vec<u64> = operands.iter().map(|operand| set(&operand.labels)).collect();
        let (_, (left, right)) = cheapest(&sets, set(result), &sizes);
        let (b, a) = (operands.remove(right), operands.remove(left));
        let needed = operands.iter().fold(set(result), |needed, other| needed | set(&other.labels));
        let both = set(&a.labels) & set(&b.labels);
        let part =
            |of: &Operand, of_both: bool| distinct(&of.labels, if of_both { needed & both } else { needed & !both });
        let labels = [part(&a, true), part(&a, false), part(&b, false)].concat();
        operands.push(Operand { value: call(cx, &[&a, &b], &labels)?, labels });
    }
    call(cx, &operands.iter().collect::<Vec<_>>(), result).map(Some)
}

/// Those of the labels that are in a set, each once.
fn distinct(labels: &[usize], of: u64) -> Vec<usize> {
    let first = |at: usize, label: usize| !labels[..at].contains(&label);
    let all = labels.iter().copied().enumerate();
    all.filter(|&(at, label)| of >> label & 1 == 1 && first(at, label)).map(|(_, label)| label).collect()
}

/// The cost of the cheapest order, and its first pair. The first of two is the one before the other.
fn cheapest(sets: &[u64], result: u64, sizes: &[f64]) -> (f64, (usize, usize)) {
    let size =
        |of: u64| (0..sizes.len()).filter(|label| of >> label & 1 == 1).map(|label| sizes[label]).product::<f64>();
    if let [a, b] = sets {
        return (size(a | b), (0, 1));
    }
    let mut best = (f64::INFINITY, (0, 1));
    for right in 1..sets.len() {
        for left in 0..right {
            let others = sets.iter().enumerate().filter(|(at, _)| *at != left && *at != right);
            let mut rest: Vec<u64> = others.map(|(_, set)| *set).collect();
            let joined = sets[left] | sets[right];
            let kept = joined & rest.iter().fold(result, |needed, set| needed | set);
            rest.push(kept);
            let remaining = if sets.len() <= MAX_EXHAUSTIVE { cheapest(&rest, result, sizes).0 } else { 0.0 };
            let cost = size(joined) + STORED * size(kept) + remaining;
            if cost < best.0 {
                best = (cost, (left, right));
            }
        }
    }
    best
}

/// The sum of products of one or two operands.
fn call(cx: &InferCx, operands: &[&Operand], result: &[usize]) -> Result<Expr, InferError> {
    let name = |labels: &[usize]| -> String { labels.iter().map(|&label| char::from(LETTERS[label])).collect() };
    let own: Vec<String> = operands.iter().map(|operand| name(&operand.labels)).collect();
    let text = format!("{}->{}", own.join(","), name(result));
    einsum::call(cx, Expr::tuple(operands.iter().map(|operand| operand.value.clone()).collect()), &text)
}
