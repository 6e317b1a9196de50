//! Division of an iterator map into outer and inner loops.

use tilewright_expr::node::{AnyHandle, VarId, walk_some};
use tilewright_expr::{BinOp, Expr, ExprKind, Range, Var};
use tilewright_support::Set;

use super::detect::{Detector, MarkId, Source, Split, Sum, with_ranges};
use super::{IterMapLevel, IterMark, IterSource};
use crate::Analyzer;
use crate::session::Id;

/// An index as `outer · inner.extent + inner`, the sum of an outer mark's steps and an inner mark.
#[derive(Clone, Debug)]
pub struct DividedIter {
    pub outer: IterMark,
    pub inner: IterMark,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Outer,
    Inner,
}

/// The indices by what outer loops and what the inner loops `inner` contribute, and the predicate's conditions of outer
/// and of inner loops. `None` where an index does not divide, or a condition mixes both sorts of loops.
pub fn subspace_divide(
    cx: &mut Analyzer,
    indices: &[Expr],
    iters: &[(Var, Range)],
    inner: &[Var],
    predicate: &Expr,
    level: IterMapLevel,
) -> Option<(Vec<DividedIter>, Expr, Expr)> {
    let inner: Set<VarId> = inner.iter().map(Var::id).collect();
    let outer: Set<VarId> = iters.iter().map(|(var, _)| var.id()).filter(|id| !inner.contains(id)).collect();
    let (outer_predicate, inner_predicate) = divided_predicate(predicate, &outer, &inner)?;
    with_ranges(cx, iters, |cx| {
        let mut detector = Detector::new(cx, iters);
        let sums = detector.detect(indices, predicate, level, false)?;
        let divided: Option<Vec<DividedIter>> = sums.into_iter().map(|sum| detector.divide_sum(sum, &inner)).collect();
        Some((divided?, outer_predicate, inner_predicate))
    })
}

/// The conditions of outer and of inner loops.
fn divided_predicate(predicate: &Expr, outer: &Set<VarId>, inner: &Set<VarId>) -> Option<(Expr, Expr)> {
    let (mut sides, mut pending) = ([Vec::new(), Vec::new()], vec![predicate]);
    while let Some(condition) = pending.pop() {
        if let ExprKind::Binary(BinOp::And, a, b) = &condition.kind {
            pending.extend([b, a]);
            continue;
        }
        let mut found = [false; 2];
        walk_some(condition, |node: &dyn AnyHandle| {
            if let Some(var) = node.downcast::<Var>() {
                found[0] |= outer.contains(&var.id());
                found[1] |= inner.contains(&var.id());
            }
            true
        });
        match found {
            [true, true] => return None,
            [_, inner] => sides[usize::from(inner)].push(condition.clone()),
        }
    }
    let [outer, inner] = sides.map(|conditions| {
        let all = conditions.into_iter().reduce(|a, b| Expr::raw(a.dtype, ExprKind::Binary(BinOp::And, a, b)));
        all.unwrap_or_else(|| Expr::bool(true))
    });
    Some((outer, inner))
}

impl Detector<'_> {
    /// The one sort of loops that a mark is made of.
    fn side(&self, mark: MarkId, inner: &Set<VarId>) -> Option<Side> {
        let mut found = None;
        let mut pending = vec![mark];
        while let Some(mark) = pending.pop() {
            match &self.marks[mark].source {
                Source::Var(var, _) => {
                    let side = if inner.contains(&var.id()) { Side::Inner } else { Side::Outer };
                    if found.is_some_and(|found| found != side) {
                        return None;
                    }
                    found = Some(side);
                }
                Source::Sum(sum) => pending.extend(sum.args.iter().map(|split| split.mark)),
            }
        }
        found
    }

    /// The sum with marks of both sorts of loops taken apart.
    fn expanded(&mut self, sum: Sum, inner: &Set<VarId>) -> Option<Sum> {
        let mut args = Vec::new();
        for split in sum.args {
            if self.side(split.mark, inner).is_some() {
                args.push(split);
                continue;
            }
            let parts = match &self.marks[split.mark].source {
                Source::Sum(parts) => parts.args.clone(),
                Source::Var(..) => return None,
            };
            let mut whole = self.int(0, split.extent);
            if let Some(first) = parts.first() {
                whole = self.op(BinOp::Mul, first.scale, first.extent);
            }
            if !self.is(split.lower, 1) || split.extent != whole {
                return None;
            }
            for part in parts {
                let scale = self.op(BinOp::Mul, part.scale, split.scale);
                args.push(Split { scale, ..part });
            }
        }
        Some(Sum { args, base: sum.base })
    }

    fn divide_sum(&mut self, sum: Sum, inner: &Set<VarId>) -> Option<DividedIter> {
        let sum = self.expanded(sum, inner)?;
        let mut sides = Vec::with_capacity(sum.args.len());
        for split in &sum.args {
            sides.push(self.side(split.mark, inner)?);
        }
        // Outer pieces first: they have the larger scales.
        let boundary = sides.iter().position(|&side| side == Side::Inner).unwrap_or(sides.len());
        if sides[boundary..].contains(&Side::Outer) {
            return None;
        }
        let (one, zero) = (self.int(1, sum.base), self.int(0, sum.base));
        let (outer, inner) = sum.args.split_at(boundary);
        let extent = |detector: &mut Self, args: &[Split]| {
            args.iter().fold(one, |product, split| detector.op(BinOp::Mul, product, split.extent))
        };
        let (outer_extent, inner_extent) = (extent(self, outer), extent(self, inner));
        if inner.is_empty() {
            let inner = self.mark_of(Vec::new(), zero, one);
            return Some(DividedIter { outer: self.mark_of(outer.to_vec(), sum.base, outer_extent), inner });
        }
        if outer.is_empty() {
            let outer = self.mark_of(Vec::new(), zero, one);
            return Some(DividedIter { outer, inner: self.mark_of(inner.to_vec(), sum.base, inner_extent) });
        }
        let last = inner.last()?.scale;
        let base = self.exact_quotient(sum.base, inner_extent).filter(|_| self.is(last, 1))?;
        let mut steps = Vec::with_capacity(outer.len());
        for split in outer {
            steps.push(Split { scale: self.exact_quotient(split.scale, inner_extent)?, ..*split });
        }
        let inner = self.mark_of(inner.to_vec(), zero, inner_extent);
        Some(DividedIter { outer: self.mark_of(steps, base, outer_extent), inner })
    }

    fn mark_of(&mut self, args: Vec<Split>, base: Id, extent: Id) -> IterMark {
        let sum = self.publish(&Sum { args, base });
        IterMark { source: IterSource::Sum(Box::new(sum)), extent: self.cx.expr(extent) }
    }
}
