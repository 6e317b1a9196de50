//! Reading index expressions as sums of splits.

use std::sync::Arc;

use tilewright_expr::node::VarId;
use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Range, Var};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::DataType;

use super::{IterMapLevel, IterMapResult, IterMark, IterSource, IterSplitExpr, IterSumExpr};
use crate::Analyzer;
use crate::analyzer::Mentions;
use crate::session::{Id, Mode, Session, Tag};

/// The number of a mark.
pub(super) type MarkId = usize;

/// A split of interned parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Split {
    pub(super) mark: MarkId,
    pub(super) lower: Id,
    pub(super) extent: Id,
    pub(super) scale: Id,
}

#[derive(Clone)]
pub(super) struct Sum {
    pub(super) args: Vec<Split>,
    pub(super) base: Id,
}

pub(super) enum Source {
    /// A variable, and the start of its range.
    Var(Var, Id),
    Sum(Sum),
}

pub(super) struct Mark {
    pub(super) source: Source,
    pub(super) extent: Id,
}

/// A predicate on a sum of splits: the sum is smaller than `end`.
pub(super) struct Constraint {
    pub(super) args: Vec<Split>,
    pub(super) end: Id,
    pub(super) used: bool,
}

pub(super) struct Detector<'a> {
    pub(super) cx: Session<'a>,
    pub(super) marks: Vec<Mark>,
    vars: Map<VarId, MarkId>,
    pub(super) fused: Map<Vec<Split>, MarkId>,
    pub(super) constraints: Vec<Constraint>,
    /// Whether splits may take a value together more than once.
    pub(super) overlapping: bool,
    /// Whether quotients and remainders of sums are taken digit by digit, so that no sum is fused for them.
    pub(super) by_digits: bool,
    done: Map<Id, Option<Sum>>,
    mentions: Mentions,
    published: Map<MarkId, Arc<IterMark>>,
    pub(super) errors: Vec<String>,
}

impl<'a> Detector<'a> {
    pub(super) fn new(facts: &'a Analyzer, iters: &[(Var, Range)]) -> Self {
        let mut detector = Self {
            cx: Session::new(facts, Mode::Output),
            marks: Vec::new(),
            vars: Map::default(),
            fused: Map::default(),
            constraints: Vec::new(),
            overlapping: false,
            by_digits: false,
            done: Map::default(),
            mentions: Mentions::of(&iters.iter().map(|(var, _)| var.clone()).collect::<Vec<_>>()),
            published: Map::default(),
            errors: Vec::new(),
        };
        for (var, range) in iters {
            let (min, extent) = (detector.cx.simplify(&range.min), detector.cx.simplify(&range.extent));
            detector.vars.insert(var.id(), detector.marks.len());
            detector.marks.push(Mark { source: Source::Var(var.clone(), min), extent });
        }
        detector
    }

    pub(super) fn int(&mut self, value: i64, like: Id) -> Id {
        let dtype = self.cx.dtype(like);
        self.cx.int(value, dtype)
    }

    pub(super) fn op(&mut self, op: BinOp, a: Id, b: Id) -> Id {
        self.cx.scalar_binary(op, a, b)
    }

    pub(super) fn is(&self, id: Id, value: i64) -> bool {
        self.cx.node(id).expr.as_int() == Some(value)
    }

    pub(super) fn proves(&mut self, op: CmpOp, a: Id, b: Id) -> bool {
        let (x, y) = (self.cx.form(a), self.cx.form(b));
        self.cx.decide(op, &x, &y) == Some(true)
    }

    /// `a / b`, where `b` divides `a`.
    pub(super) fn exact_quotient(&mut self, a: Id, b: Id) -> Option<Id> {
        let rest = self.op(BinOp::FloorMod, a, b);
        if self.is(rest, 0) {
            return Some(self.op(BinOp::FloorDiv, a, b));
        }
        self.quotient_of_polynomials(a, b)
    }

    /// Whether the two are certainly equal.
    pub(super) fn are_equal(&mut self, a: Id, b: Id) -> bool {
        a == b || self.proves(CmpOp::Eq, a, b) || self.are_same_polynomial(a, b)
    }

    pub(super) fn fail<T>(&mut self, reason: &str, id: Id) -> Option<T> {
        let expr = self.cx.expr(id);
        self.errors.push(format!("{reason}: {}", text(&expr)));
        None
    }

    fn mentions(&mut self, id: Id) -> bool {
        self.mentions.any(&self.cx, id)
    }

    pub(super) fn read(&mut self, id: Id) -> Option<Sum> {
        if let Some(known) = self.done.get(&id) {
            return known.clone();
        }
        let sum = match self.mentions(id) {
            true => with_stack(|| self.read_node(id)),
            false => Some(Sum { args: Vec::new(), base: id }),
        };
        self.done.insert(id, sum.clone());
        sum
    }

    fn read_node(&mut self, id: Id) -> Option<Sum> {
        let (tag, ids) = (self.cx.node(id).tag.clone(), self.cx.node(id).ids.clone());
        match (tag, ids.as_slice()) {
            (Tag::Var(var), _) => self.read_var(id, var),
            (Tag::Linear(..), _) => {
                let form = self.cx.form(id);
                let mut sum = Sum { args: Vec::new(), base: self.int(form.constant, id) };
                for (&term, &c) in &form.terms {
                    let (part, c) = (self.read(term)?, self.int(c, id));
                    self.add(&mut sum, &part, c);
                }
                Some(sum)
            }
            (Tag::Binary(BinOp::Mul), _) => self.read_product(id),
            (Tag::Binary(BinOp::FloorDiv), &[x, c]) if !self.mentions(c) => {
                let sum = self.read(x)?;
                self.divide(sum, c)
            }
            (Tag::Binary(BinOp::FloorMod), &[x, c]) if !self.mentions(c) => {
                let sum = self.read(x)?;
                self.remainder(sum, c)
            }
            _ => self.fail("expected sums, products, quotients and remainders of iterators, found", id),
        }
    }

    fn read_var(&mut self, id: Id, var: VarId) -> Option<Sum> {
        let mark = *self.vars.get(&var)?;
        let (extent, one) = (self.marks[mark].extent, self.int(1, id));
        let base = match self.marks[mark].source {
            Source::Var(_, min) => min,
            Source::Sum(_) => self.int(0, id),
        };
        if self.cx.dtype(extent) != self.cx.dtype(id) {
            return self.fail("expected a range of the iterator's own type, found that of", id);
        }
        Some(Sum { args: vec![Split { mark, lower: one, extent, scale: one }], base })
    }

    /// A product with one factor that has iterators.
    fn read_product(&mut self, id: Id) -> Option<Sum> {
        let factors = self.cx.factors(id);
        let (with, without): (Vec<Id>, Vec<Id>) = factors.into_iter().partition(|&factor| self.mentions(factor));
        let &[factor] = with.as_slice() else { return self.fail("expected one factor with iterators, found", id) };
        if factor == id {
            return self.fail("expected fewer factors, found", id);
        }
        let one = self.int(1, id);
        let scale = without.into_iter().fold(one, |product, factor| self.op(BinOp::Mul, product, factor));
        let (part, mut sum) = (self.read(factor)?, Sum { args: Vec::new(), base: self.int(0, id) });
        self.add(&mut sum, &part, scale);
        Some(sum)
    }

    /// Adds `factor · part`; the same piece twice becomes one.
    fn add(&mut self, sum: &mut Sum, part: &Sum, factor: Id) {
        let base = self.op(BinOp::Mul, part.base, factor);
        sum.base = self.op(BinOp::Add, sum.base, base);
        for split in &part.args {
            let scale = self.op(BinOp::Mul, split.scale, factor);
            let same = |of: &Split| (of.mark, of.lower, of.extent) == (split.mark, split.lower, split.extent);
            match sum.args.iter().position(same) {
                Some(at) => {
                    let scale = self.op(BinOp::Add, sum.args[at].scale, scale);
                    if self.is(scale, 0) {
                        sum.args.remove(at);
                    } else {
                        sum.args[at].scale = scale;
                    }
                }
                None => sum.args.push(Split { scale, ..*split }),
            }
        }
    }

    /// Remembers what the predicate says of sums; false where it says something else.
    fn learn(&mut self, predicate: &Expr) -> bool {
        let mut pending = vec![predicate];
        while let Some(condition) = pending.pop() {
            if let ExprKind::Binary(BinOp::And, a, b) = &condition.kind {
                pending.extend([b, a]);
                continue;
            }
            let id = self.cx.simplify(condition);
            if self.cx.lane_value(id) == Some(1) {
                continue;
            }
            if self.learn_one(id).is_none() {
                return self.fail::<()>("expected a predicate that bounds a sum of iterators, found", id).is_some();
            }
        }
        true
    }

    fn learn_one(&mut self, id: Id) -> Option<()> {
        let (tag, ids) = (self.cx.node(id).tag.clone(), self.cx.node(id).ids.clone());
        let (Tag::Compare(op @ (CmpOp::Lt | CmpOp::Le)), &[left, right]) = (tag, ids.as_slice()) else { return None };
        if self.mentions(right) {
            return None;
        }
        let sum = self.read(left)?;
        let mut end = self.op(BinOp::Sub, right, sum.base);
        if op == CmpOp::Le {
            let one = self.int(1, end);
            end = self.op(BinOp::Add, end, one);
        }
        let args = self.ordered(sum.args)?;
        // `scale · x < end` is `x < ceil(end / scale)`.
        let scale = args.last()?.scale;
        let (one, mut unit) = (self.int(1, scale), Vec::new());
        for split in args {
            unit.push(Split { scale: self.exact_quotient(split.scale, scale)?, ..split });
        }
        let above = self.op(BinOp::Sub, scale, one);
        let above = self.op(BinOp::Add, end, above);
        let end = self.op(BinOp::FloorDiv, above, scale);
        self.constraints.push(Constraint { args: unit, end, used: false });
        Some(())
    }

    /// The sums of the indices, each fused into one mark.
    pub(super) fn detect(
        &mut self,
        indices: &[Expr],
        predicate: &Expr,
        level: IterMapLevel,
        trivial: bool,
    ) -> Option<Vec<Sum>> {
        if !self.learn(predicate) {
            return None;
        }
        let mut sums = Vec::with_capacity(indices.len());
        for index in indices {
            let id = self.cx.simplify(index);
            let sum = self.read(id)?;
            sums.push(self.fused_sum(sum, trivial, id)?);
        }
        if level != IterMapLevel::NoCheck && self.constraints.iter().any(|constraint| !constraint.used) {
            self.errors.push("the predicate bounds a sum of iterators that is none of the indices".into());
            return None;
        }
        self.check(&sums, level).then_some(sums)
    }

    /// The sum for the outside; one mark is one shared node.
    pub(super) fn publish(&mut self, sum: &Sum) -> IterSumExpr {
        let mut args = Vec::with_capacity(sum.args.len());
        for split in &sum.args {
            let source = self.publish_mark(split.mark);
            let [lower_factor, extent, scale] = [split.lower, split.extent, split.scale].map(|id| self.cx.expr(id));
            args.push(IterSplitExpr { source, lower_factor, extent, scale });
        }
        IterSumExpr { args, base: self.cx.expr(sum.base) }
    }

    fn publish_mark(&mut self, mark: MarkId) -> Arc<IterMark> {
        if let Some(known) = self.published.get(&mark) {
            return known.clone();
        }
        let source = match &self.marks[mark].source {
            Source::Var(var, min) => IterSource::Var { var: var.clone(), min: self.cx.expr(*min) },
            Source::Sum(sum) => {
                let sum = sum.clone();
                with_stack(|| IterSource::Sum(Box::new(self.publish(&sum))))
            }
        };
        let published = Arc::new(IterMark { source, extent: self.cx.expr(self.marks[mark].extent) });
        self.published.insert(mark, published.clone());
        published
    }
}

/// The kind of an expression's node, for messages: this crate does not print scripts.
fn text(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Var(var) => format!("`{}`", var.name),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Binary(op, ..) => format!("an operation `{}`", op.symbol()),
        ExprKind::Compare(op, ..) => format!("a comparison `{}`", op.symbol()),
        ExprKind::Load { buffer, .. } => format!("an element of `{}`", buffer.name),
        ExprKind::Call { intrinsic, .. } => format!("a call of `{}`", intrinsic.name()),
        ExprKind::Cast(_) => format!("a conversion to {}", expr.dtype),
        _ => "another expression".into(),
    }
}

/// Runs a detection under the ranges of its iterators.
pub(super) fn with_ranges<T>(cx: &mut Analyzer, iters: &[(Var, Range)], f: impl FnOnce(&Analyzer) -> T) -> T {
    let scope = cx.enter();
    iters.iter().for_each(|(var, range)| cx.bind(var, range));
    let result = f(cx);
    cx.leave(scope);
    result
}

/// The indices as sums of pieces of the iterators, which satisfy the predicate. With `simplify_trivial`, a sum of one
/// piece is not wrapped into a mark of its own.
pub fn detect_iter_map(
    cx: &mut Analyzer,
    indices: &[Expr],
    iters: &[(Var, Range)],
    predicate: &Expr,
    level: IterMapLevel,
    simplify_trivial: bool,
) -> IterMapResult {
    if predicate.dtype != DataType::BOOL || indices.iter().any(|index| !crate::session::is_index_type(index.dtype)) {
        let errors = vec!["expected int32 or int64 indices and a bool predicate".into()];
        return IterMapResult { indices: Vec::new(), errors };
    }
    with_ranges(cx, iters, |cx| {
        let detected = |by_digits: bool| {
            let mut detector = Detector::new(cx, iters);
            detector.overlapping = level != IterMapLevel::Bijective;
            detector.by_digits = by_digits;
            let sums = detector.detect(indices, predicate, level, simplify_trivial).unwrap_or_default();
            let indices = sums.iter().map(|sum| detector.publish(sum)).collect();
            IterMapResult { indices, errors: detector.errors }
        };
        let found = detected(false);
        if !found.indices.is_empty() || indices.is_empty() {
            return found;
        }
        // The simplifier may have taken a fused sum apart in one index and not in another: `(a * 128 + b) // 64 % 32`
        // is `(a * 2 + b // 64) % 32`. Digits are the same in both.
        let apart = detected(true);
        if apart.indices.is_empty() { found } else { apart }
    })
}

/// The expression as a sum of pieces of the iterators, the largest scale first; `None` where it is no such sum.
pub fn normalize_to_iter_sum(cx: &mut Analyzer, index: &Expr, iters: &[(Var, Range)]) -> Option<IterSumExpr> {
    if !crate::session::is_index_type(index.dtype) {
        return None;
    }
    with_ranges(cx, iters, |cx| {
        let mut detector = Detector::new(cx, iters);
        let id = detector.cx.simplify(index);
        let mut sum = detector.read(id)?;
        // By constant scales; symbolic ones are larger than those.
        let size =
            |cx: &Session<'_>, split: &Split| cx.node(split.scale).expr.as_int().map_or(i64::MAX, i64::saturating_abs);
        sum.args.sort_by_key(|split| std::cmp::Reverse(size(&detector.cx, split)));
        Some(detector.publish(&sum))
    })
}
