//! Matching one expression.
//!
//! The matcher keeps the expressions that patterns match on a trail, so that a failing alternative is undone. A pattern
//! that was visited before must match the same expression again.

use tilewright_expr::node::EqCx;
use tilewright_ir::Attr;
use tilewright_ir::analysis::{BaseCheck, struct_info_base_check};
use tilewright_ir::op::InferCx;
use tilewright_ir::relax::{Callee, Expr, ExprKind, GlobalVar, Var};
use tilewright_support::{Map, with_stack};

use super::{ArgPatterns, CalleePattern, Pattern, PatternKind};

/// The expressions that patterns match.
#[derive(Clone, Debug, Default)]
pub struct Matches {
    found: Vec<Found>,
    /// The index of a pattern in `found`, by its address.
    index: Map<usize, usize>,
}

#[derive(Clone, Debug)]
struct Found {
    pattern: Pattern,
    /// The expression at its use: often a variable.
    met: Expr,
    /// The expression that was matched.
    value: Expr,
}

impl Matches {
    /// The expression that the pattern matches: a call, tuple or constant, else the expression at its use.
    pub fn get(&self, pattern: &Pattern) -> Option<&Expr> {
        self.entry(pattern).map(|found| &found.value)
    }

    /// The variable that holds the value of the pattern, if one does.
    pub fn var(&self, pattern: &Pattern) -> Option<&Var> {
        self.entry(pattern).and_then(|found| found.met.as_var())
    }

    /// Every pattern with its match, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = (&Pattern, &Expr)> {
        self.found.iter().map(|found| (&found.pattern, &found.value))
    }

    /// As [`Matches::iter`], with the variables.
    pub fn vars(&self) -> impl Iterator<Item = (&Pattern, &Var)> {
        self.found.iter().filter_map(|found| Some((&found.pattern, found.met.as_var()?)))
    }

    pub(super) fn contains(&self, pattern: &Pattern) -> bool {
        self.index.contains_key(&pattern.address())
    }

    fn entry(&self, pattern: &Pattern) -> Option<&Found> {
        self.index.get(&pattern.address()).and_then(|index| self.found.get(*index))
    }

    fn push(&mut self, pattern: &Pattern, met: &Expr, value: &Expr) {
        self.index.insert(pattern.address(), self.found.len());
        self.found.push(Found { pattern: pattern.clone(), met: met.clone(), value: value.clone() });
    }

    fn truncate(&mut self, count: usize) {
        for found in self.found.drain(count..) {
            self.index.remove(&found.pattern.address());
        }
    }
}

/// Matches an expression; `values` gives what variables are bound to, where that may be looked at.
pub fn match_expr(pattern: &Pattern, expr: &Expr, values: &dyn Fn(&Var) -> Option<Expr>) -> Option<Matches> {
    let mut matcher = Matcher::new(values);
    (matcher.matches(pattern, expr) && matcher.shapes_agree()).then_some(matcher.matches)
}

/// A match under way.
pub(super) struct Matcher<'v> {
    values: &'v dyn Fn(&Var) -> Option<Expr>,
    cx: InferCx,
    pub(super) matches: Matches,
    /// Expressions that must finally have the shape of the value of a pattern.
    shapes: Vec<(Expr, Pattern)>,
}

/// The state of a match, to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize, usize);

impl<'v> Matcher<'v> {
    pub(super) fn new(values: &'v dyn Fn(&Var) -> Option<Expr>) -> Self {
        Self { values, cx: InferCx::default(), matches: Matches::default(), shapes: Vec::new() }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.matches.found.len(), self.shapes.len())
    }

    pub(super) fn back_to(&mut self, mark: Mark) {
        self.matches.truncate(mark.0);
        self.shapes.truncate(mark.1);
    }

    /// Matches; where it does not, nothing is kept.
    pub(super) fn matches(&mut self, pattern: &Pattern, expr: &Expr) -> bool {
        if let Some(known) = self.matches.entry(pattern) {
            return is_same(&known.met, expr) || is_same(&known.value, expr);
        }
        let mark = self.mark();
        let value = if looks_through(pattern.kind()) { self.value_of(expr) } else { expr.clone() };
        let fits = with_stack(|| self.kind(pattern.kind(), &value));
        if fits {
            self.matches.push(pattern, expr, &value);
        } else {
            self.back_to(mark);
        }
        fits
    }

    /// The value that the variable is finally bound to, if it is known.
    fn value_of(&self, expr: &Expr) -> Expr {
        let mut value = expr.clone();
        while let Some(next) = value.as_var().and_then(|var| (self.values)(var)) {
            value = next;
        }
        value
    }

    fn all(&mut self, patterns: &[Pattern], exprs: &[Expr]) -> bool {
        patterns.iter().zip(exprs).all(|(pattern, expr)| self.matches(pattern, expr))
    }

    fn kind(&mut self, kind: &PatternKind, expr: &Expr) -> bool {
        match (kind, &expr.kind) {
            (PatternKind::Wildcard, _) | (PatternKind::Constant, ExprKind::Constant(_)) => true,
            (PatternKind::Op(op), ExprKind::Call { callee: Callee::Op(called), .. }) => op == called,
            (PatternKind::Var(name), ExprKind::Var(var)) => named(name, &var.name),
            (PatternKind::DataflowVar(name), ExprKind::Var(var)) => var.dataflow && named(name, &var.name),
            (PatternKind::GlobalVar(name), ExprKind::GlobalVar(global)) => named(name, &global.name),
            (PatternKind::ExternFunc(name), ExprKind::ExternFunc(called)) => named(name, called),
            (PatternKind::Expr(known), _) => known.same(expr) || EqCx::compare(known, expr).is_ok(),
            (PatternKind::Tuple(patterns), ExprKind::Tuple(fields)) => {
                patterns.len() == fields.len() && self.all(patterns, fields)
            }
            (PatternKind::UnorderedTuple(patterns), ExprKind::Tuple(fields)) => {
                patterns.len() == fields.len() && self.in_some_order(patterns, fields)
            }
            (PatternKind::TupleGet { tuple, index }, ExprKind::TupleGet { tuple: of, index: at }) => {
                index.is_none_or(|index| index == *at) && self.matches(tuple, of)
            }
            (PatternKind::Call { callee, args }, ExprKind::Call { callee: called, args: given, .. }) => {
                self.callee(callee, called) && self.args(args, given)
            }
            (PatternKind::Shape(dims), ExprKind::Shape(found)) => self.same_dims(dims, found),
            (PatternKind::Prim(value), ExprKind::Prim(found)) => {
                value.dtype == found.dtype && self.same_dims(std::slice::from_ref(value), std::slice::from_ref(found))
            }
            (PatternKind::Or(a, b), _) => self.matches(a, expr) || self.matches(b, expr),
            (PatternKind::And(a, b), _) => self.matches(a, expr) && self.matches(b, expr),
            (PatternKind::Not(inner), _) => {
                let mark = self.mark();
                let fits = self.matches(inner, expr);
                self.back_to(mark);
                !fits
            }
            (PatternKind::HasDType(inner, dtype), _) => {
                expr.struct_info.dtype() == Some(*dtype) && self.matches(inner, expr)
            }
            (PatternKind::HasShape(inner, dims), _) => {
                expr.struct_info.dims().is_some_and(|found| self.same_dims(dims, found)) && self.matches(inner, expr)
            }
            (PatternKind::HasAttrs(inner, attrs), _) => {
                let value = self.value_of(expr);
                let ExprKind::Call { attrs: given, .. } = &value.kind else { return false };
                let has = |(name, attr)| given.get(name).is_some_and(|given| same_attr(attr, given));
                attrs.iter().all(has) && self.matches(inner, expr)
            }
            (PatternKind::HasStructInfo(inner, info), _) => {
                struct_info_base_check(&self.cx, info, &expr.struct_info) == BaseCheck::Pass
                    && self.matches(inner, expr)
            }
            (PatternKind::SameShape(inner, other), _) => {
                self.shapes.push((expr.clone(), other.clone()));
                self.matches(inner, expr)
            }
            _ => false,
        }
    }

    fn callee(&mut self, pattern: &CalleePattern, callee: &Callee) -> bool {
        let function = |name: &Option<_>, global: &GlobalVar| named(name, &global.name);
        match (pattern, callee) {
            (CalleePattern::Tir(name), Callee::Tir(global) | Callee::TirInplace { function: global, .. }) => {
                function(name, global)
            }
            (CalleePattern::DpsPacked(name), Callee::DpsPacked(called))
            | (CalleePattern::Packed(name), Callee::Packed(called)) => named(name, called),
            (CalleePattern::Value(pattern), Callee::Op(op)) => self.op_callee(pattern, *op),
            (CalleePattern::Value(pattern), Callee::Value(function)) => self.matches(pattern, function),
            (CalleePattern::Value(pattern), Callee::Packed(name)) => match pattern.kind() {
                PatternKind::ExternFunc(wanted) => named(wanted, name),
                kind => matches!(kind, PatternKind::Wildcard),
            },
            _ => false,
        }
    }

    /// Operators are no expressions: a pattern of one is looked into.
    fn op_callee(&self, pattern: &Pattern, op: tilewright_ir::op::OpRef) -> bool {
        match pattern.kind() {
            PatternKind::Op(wanted) => *wanted == op,
            PatternKind::Or(a, b) => self.op_callee(a, op) || self.op_callee(b, op),
            PatternKind::And(a, b) => self.op_callee(a, op) && self.op_callee(b, op),
            PatternKind::Not(inner) => !self.op_callee(inner, op),
            kind => matches!(kind, PatternKind::Wildcard),
        }
    }

    fn args(&mut self, patterns: &ArgPatterns, args: &[Expr]) -> bool {
        match patterns {
            ArgPatterns::Any => true,
            ArgPatterns::Exactly(patterns) => patterns.len() == args.len() && self.all(patterns, args),
            ArgPatterns::First(patterns) => patterns.len() <= args.len() && self.all(patterns, args),
        }
    }

    fn in_some_order(&mut self, patterns: &[Pattern], fields: &[Expr]) -> bool {
        let Some((first, rest)) = patterns.split_first() else { return true };
        for (i, field) in fields.iter().enumerate() {
            let mark = self.mark();
            let others: Vec<Expr> =
                fields.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, f)| f.clone()).collect();
            if self.matches(first, field) && self.in_some_order(rest, &others) {
                return true;
            }
            self.back_to(mark);
        }
        false
    }

    fn same_dims(&self, a: &[tilewright_expr::Expr], b: &[tilewright_expr::Expr]) -> bool {
        let same = |a: &tilewright_expr::Expr, b: &tilewright_expr::Expr| match (a.as_int(), b.as_int()) {
            (Some(a), Some(b)) => a == b,
            _ => a.equal(b) || self.cx.analyzer.prove_equal(a, b),
        };
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
    }

    /// Whether the values of those of the patterns that are matched are known to have one shape.
    pub(super) fn have_one_shape(&self, patterns: &[Pattern]) -> bool {
        let mut shapes =
            patterns.iter().filter_map(|pattern| self.matches.get(pattern)).map(|value| value.struct_info.dims());
        match shapes.next() {
            None => true,
            Some(first) => shapes.all(|dims| matches!((first, dims), (Some(a), Some(b)) if self.same_dims(a, b))),
        }
    }

    /// Whether what was to have the shape of something else has it.
    pub(super) fn shapes_agree(&self) -> bool {
        self.shapes.iter().all(|(expr, other)| {
            let dims = self.matches.get(other).and_then(|other| other.struct_info.dims());
            matches!((expr.struct_info.dims(), dims), (Some(a), Some(b)) if self.same_dims(a, b))
        })
    }
}

/// Whether the pattern describes a value rather than the expression at its use.
fn looks_through(kind: &PatternKind) -> bool {
    match kind {
        PatternKind::Op(_)
        | PatternKind::Constant
        | PatternKind::GlobalVar(_)
        | PatternKind::ExternFunc(_)
        | PatternKind::Tuple(_)
        | PatternKind::UnorderedTuple(_)
        | PatternKind::TupleGet { .. }
        | PatternKind::Call { .. }
        | PatternKind::Shape(_)
        | PatternKind::Prim(_) => true,
        PatternKind::Expr(expr) => expr.as_var().is_none(),
        PatternKind::Wildcard
        | PatternKind::Var(_)
        | PatternKind::DataflowVar(_)
        | PatternKind::Or(..)
        | PatternKind::And(..)
        | PatternKind::Not(_)
        | PatternKind::HasDType(..)
        | PatternKind::HasShape(..)
        | PatternKind::HasAttrs(..)
        | PatternKind::HasStructInfo(..)
        | PatternKind::SameShape(..) => false,
    }
}

fn named(wanted: &Option<std::sync::Arc<str>>, name: &str) -> bool {
    wanted.as_deref().is_none_or(|wanted| wanted == name)
}

/// Whether both are one value: one variable, or one node.
fn is_same(a: &Expr, b: &Expr) -> bool {
    a.same(b) || matches!((a.as_var(), b.as_var()), (Some(a), Some(b)) if a == b)
}

fn same_attr(a: &Attr, b: &Attr) -> bool {
    match (a, b) {
        (Attr::DType(dtype), Attr::Str(text)) | (Attr::Str(text), Attr::DType(dtype)) => {
            text.parse().is_ok_and(|parsed: tilewright_tensor::DataType| parsed == *dtype)
        }
        _ => match (a.as_int(), b.as_int(), a.as_ints(), b.as_ints()) {
            (Some(a), Some(b), ..) => a == b,
            (_, _, Some(a), Some(b)) => a == b,
            _ => EqCx::compare(a, b).is_ok(),
        },
    }
}
