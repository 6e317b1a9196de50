//! Sets of integers with symbolic ends.

mod evaluate;

#[cfg(test)]
mod tests;

use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Range, Var};

use crate::Analyzer;

pub(crate) use evaluate::Domains;

/// The integers from `min` to `max`, both included; `None` is no bound.
#[derive(Clone, Debug)]
pub struct IntervalSet {
    pub min: Option<Expr>,
    pub max: Option<Expr>,
}

/// A set of integers: none at all, or an interval that contains all of its members.
#[derive(Clone, Debug)]
pub enum IntSet {
    Nothing,
    Interval(IntervalSet),
}

/// Constructors.
impl IntSet {
    pub const fn nothing() -> Self {
        Self::Nothing
    }

    pub const fn everything() -> Self {
        Self::interval(None, None)
    }

    pub const fn interval(min: Option<Expr>, max: Option<Expr>) -> Self {
        Self::Interval(IntervalSet { min, max })
    }

    pub fn single_point(value: Expr) -> Self {
        Self::interval(Some(value.clone()), Some(value))
    }

    /// The values of a range; nothing, where its extent is a constant that is not positive.
    pub fn from_range(range: &Range) -> Self {
        match range.extent.as_int() {
            Some(1) => Self::single_point(range.min.clone()),
            Some(extent) if extent < 1 => Self::Nothing,
            _ => Self::interval(Some(range.min.clone()), Some(&(&range.min + &range.extent) - 1)),
        }
    }

    /// The values of a vector's lanes.
    pub fn vector(cx: &Analyzer, vector: &Expr) -> Self {
        cx.int_set(vector, &[])
    }
}

/// Questions that need no facts.
impl IntSet {
    pub const fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }

    pub const fn is_everything(&self) -> bool {
        matches!(self, Self::Interval(IntervalSet { min: None, max: None }))
    }

    pub fn is_single_point(&self) -> bool {
        self.point().is_some()
    }

    /// The only member, where both ends are the same expression.
    pub fn point(&self) -> Option<&Expr> {
        match self {
            Self::Interval(IntervalSet { min: Some(min), max: Some(max) }) if min.equal(max) => Some(min),
            _ => None,
        }
    }

    /// The least member; `None` where the set has no lower bound or no member.
    pub fn min_value(&self) -> Option<&Expr> {
        match self {
            Self::Interval(interval) => interval.min.as_ref(),
            Self::Nothing => None,
        }
    }

    /// The greatest member; `None` where the set has no upper bound or no member.
    pub fn max_value(&self) -> Option<&Expr> {
        match self {
            Self::Interval(interval) => interval.max.as_ref(),
            Self::Nothing => None,
        }
    }

    /// The set as a range; where it is unbounded, `default`.
    pub fn cover_range(&self, cx: &Analyzer, default: &Range) -> Range {
        match self {
            Self::Interval(IntervalSet { min: Some(min), max: Some(max) }) => {
                Range::new(min.clone(), cx.simplify(&(&(max - min) + 1)))
            }
            _ => default.clone(),
        }
    }
}

/// Sets of sets, under an analyser's facts.
impl IntSet {
    /// The smallest interval around all of the sets.
    pub fn union(cx: &Analyzer, sets: &[Self]) -> Self {
        sets.iter().fold(Self::Nothing, |all, set| match (all, set) {
            (Self::Nothing, set) => set.clone(),
            (all, Self::Nothing) => all,
            (Self::Interval(a), Self::Interval(b)) => Self::interval(
                extreme(cx, BinOp::Min, a.min.as_ref().zip(b.min.as_ref())),
                extreme(cx, BinOp::Max, a.max.as_ref().zip(b.max.as_ref())),
            ),
        })
    }

    /// The members of all of the sets.
    pub fn intersect(cx: &Analyzer, sets: &[Self]) -> Self {
        let tighter = |op, a: Option<Expr>, b: &Option<Expr>| match (a, b) {
            (Some(a), Some(b)) => extreme(cx, op, Some((&a, b))),
            (a, b) => a.or_else(|| b.clone()),
        };
        sets.iter().fold(Self::everything(), |all, set| match (all, set) {
            (Self::Interval(a), Self::Interval(b)) => {
                let (min, max) = (tighter(BinOp::Max, a.min, &b.min), tighter(BinOp::Min, a.max, &b.max));
                let empty = min
                    .as_ref()
                    .zip(max.as_ref())
                    .is_some_and(|(min, max)| cx.decide(CmpOp::Gt, min, max) == Some(true));
                if empty { Self::Nothing } else { Self::interval(min, max) }
            }
            _ => Self::Nothing,
        })
    }

    /// Whether certainly every member is one of the other set.
    pub fn is_subset(&self, cx: &Analyzer, other: &Self) -> bool {
        let (Self::Interval(a), Self::Interval(b)) = (self, other) else { return self.is_nothing() };
        let inside = |op, a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
            (_, None) => true,
            (Some(a), Some(b)) => cx.decide(op, a, b) == Some(true),
            (None, Some(_)) => false,
        };
        inside(CmpOp::Ge, &a.min, &b.min) && inside(CmpOp::Le, &a.max, &b.max)
    }

    /// Whether certainly every member is positive.
    pub fn can_prove_positive(&self, cx: &Analyzer) -> bool {
        self.min_value().is_some_and(|min| cx.decide(CmpOp::Gt, min, &Expr::int(0, min.dtype)) == Some(true))
    }

    /// Whether certainly every member is negative.
    pub fn can_prove_negative(&self, cx: &Analyzer) -> bool {
        self.max_value().is_some_and(|max| cx.decide(CmpOp::Lt, max, &Expr::int(0, max.dtype)) == Some(true))
    }
}

fn extreme(cx: &Analyzer, op: BinOp, ends: Option<(&Expr, &Expr)>) -> Option<Expr> {
    let (a, b) = ends?;
    let dtype = a.dtype;
    (b.dtype == dtype).then(|| cx.simplify(&Expr::raw(dtype, ExprKind::Binary(op, a.clone(), b.clone()))))
}

impl Analyzer {
    /// A set around all values of the expression, while the variables take all values of their sets. Of a vector, over
    /// all of its lanes. A set may name other variables of the list, but not in a circle.
    pub fn int_set(&self, expr: &Expr, sets: &[(Var, IntSet)]) -> IntSet {
        if sets.iter().any(|(_, set)| set.is_nothing()) {
            return IntSet::Nothing;
        }
        Domains::evaluate(self, expr, sets)
    }

    /// [`Analyzer::int_set`] over ranges.
    pub fn int_set_over(&self, expr: &Expr, ranges: &[(Var, Range)]) -> IntSet {
        let sets: Vec<(Var, IntSet)> =
            ranges.iter().map(|(var, range)| (var.clone(), IntSet::from_range(range))).collect();
        self.int_set(expr, &sets)
    }
}
