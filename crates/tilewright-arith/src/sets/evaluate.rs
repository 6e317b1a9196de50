//! Interval arithmetic with symbolic ends, on interned nodes: each distinct node is evaluated once.

use tilewright_expr::node::VarId;
use tilewright_expr::{BinOp, Expr, Intrinsic, Var};
use tilewright_support::{Map, with_stack};

use super::IntSet;
use crate::analyzer::Mentions;
use crate::bounds::IntBounds;
use crate::linear::Linear;
use crate::session::{Id, Mode, Session, Tag, is_index_type};
use crate::{Analyzer, divide};

/// Ends of an interval; `None` is no bound.
#[derive(Clone, Copy)]
struct Ends {
    min: Option<Id>,
    max: Option<Id>,
}

/// The sets of variables, and what was found of nodes.
pub(crate) struct Domains {
    sets: Map<VarId, Ends>,
    done: Map<Id, Ends>,
    mentions: Mentions,
}

impl Domains {
    pub(crate) fn evaluate(cx: &Analyzer, expr: &Expr, sets: &[(Var, IntSet)]) -> IntSet {
        let mut session = Session::new(cx, Mode::Output);
        let vars: Vec<Var> = sets.iter().map(|(var, _)| var.clone()).collect();
        let mut domains = Self { sets: Map::default(), done: Map::default(), mentions: Mentions::of(&vars) };
        for (var, set) in sets {
            let end = |session: &mut Session<'_>, end: Option<&Expr>| end.map(|end| session.simplify(end));
            let ends = Ends { min: end(&mut session, set.min_value()), max: end(&mut session, set.max_value()) };
            domains.sets.insert(var.id(), ends);
        }
        let id = session.simplify(expr);
        if !session.node(id).exact {
            return IntSet::everything();
        }
        let Ends { mut min, mut max } = domains.ends(&mut session, id);
        // Ends that name other variables of the list are widened by theirs.
        for _ in 0..=sets.len() {
            let of = |domains: &mut Self, session: &mut Session<'_>, end: Option<Id>| {
                end.filter(|&id| domains.mentions.any(session, id)).map(|id| domains.ends(session, id))
            };
            let (low, high) = (of(&mut domains, &mut session, min), of(&mut domains, &mut session, max));
            if low.is_none() && high.is_none() {
                return IntSet::interval(min.map(|id| session.expr(id)), max.map(|id| session.expr(id)));
            }
            min = low.map_or(min, |ends| ends.min);
            max = high.map_or(max, |ends| ends.max);
        }
        IntSet::everything()
    }

    fn ends(&mut self, cx: &mut Session<'_>, id: Id) -> Ends {
        if let Some(&known) = self.done.get(&id) {
            return known;
        }
        let ends = match cx.dtype(id).is_scalar() && !self.mentions.any(cx, id) {
            true => Ends { min: Some(id), max: Some(id) },
            false => with_stack(|| self.ends_of(cx, id)).unwrap_or_else(|| constant_ends(cx, id)),
        };
        self.done.insert(id, ends);
        ends
    }

    /// `None` where only the node's constant bounds are known.
    fn ends_of(&mut self, cx: &mut Session<'_>, id: Id) -> Option<Ends> {
        let (tag, ids) = (cx.node(id).tag.clone(), cx.node(id).ids.clone());
        if !is_index_type(cx.dtype(id).element()) || !cx.node(id).exact {
            return None;
        }
        Some(match (tag, ids.as_slice()) {
            (Tag::Var(var), _) => *self.sets.get(&var)?,
            (Tag::Linear(..), _) => self.sum(cx, id)?,
            (Tag::Binary(op), &[a, b]) => {
                let (x, y) = (self.ends(cx, a), self.ends(cx, b));
                binary(cx, op, x, y)?
            }
            (Tag::Select | Tag::Call(Intrinsic::IfThenElse), &[_, a, b]) => {
                let (x, y) = (self.ends(cx, a), self.ends(cx, b));
                Ends { min: pair(cx, BinOp::Min, x.min, y.min), max: pair(cx, BinOp::Max, x.max, y.max) }
            }
            (Tag::Cast, &[a]) if is_index_type(cx.dtype(a).element()) => {
                let (x, element) = (self.ends(cx, a), cx.dtype(id).element());
                Ends { min: x.min.map(|end| cx.cast(end, element)), max: x.max.map(|end| cx.cast(end, element)) }
            }
            (Tag::Let(var), &[value, body]) => {
                let value = self.ends(cx, value);
                self.sets.insert(var.id(), value);
                self.mentions.also(&var);
                self.ends(cx, body)
            }
            (Tag::Broadcast, &[a]) => self.ends(cx, a),
            (Tag::Ramp, &[base, stride]) => {
                let (x, s) = (self.ends(cx, base), self.ends(cx, stride));
                let element = cx.dtype(base);
                let (zero, last) = (cx.int(0, element), cx.int(i64::from(cx.dtype(id).lanes) - 1, element));
                let lane = Ends { min: Some(zero), max: Some(last) };
                let offset = binary(cx, BinOp::Mul, s, lane)?;
                binary(cx, BinOp::Add, x, offset)?
            }
            _ => return None,
        })
    }

    /// Each term at one of its ends, by the sign of its coefficient.
    fn sum(&mut self, cx: &mut Session<'_>, id: Id) -> Option<Ends> {
        let (form, dtype) = (cx.form(id), cx.dtype(id));
        let start = Linear::constant(form.constant);
        let (mut low, mut high) = (Some(start.clone()), Some(start));
        for (&term, &c) in &form.terms {
            let ends = self.ends(cx, term);
            let (first, second) = if c > 0 { (ends.min, ends.max) } else { (ends.max, ends.min) };
            for (sum, end) in [(&mut low, first), (&mut high, second)] {
                let end = end.map(|end| cx.form(end));
                *sum = sum.take().zip(end).map(|(mut sum, end)| {
                    sum.add(&end, c);
                    sum
                });
            }
        }
        let mut node =
            |sum: Option<Linear>| sum.map(Linear::finish).filter(|sum| !sum.overflow).map(|sum| cx.sum(sum, dtype));
        Some(Ends { min: node(low), max: node(high) })
    }
}

fn constant_ends(cx: &mut Session<'_>, id: Id) -> Ends {
    let (bounds, element) = (cx.node(id).bounds, cx.dtype(id).element());
    // An end that the type cannot say is none.
    let of_type = IntBounds::of_type(element);
    let fits = |value: &i64| element.is_int() && IntBounds::constant(*value).within(of_type);
    let mut end = |value: Option<i64>| value.filter(fits).map(|value| cx.int(value, element));
    Ends { min: end(bounds.min), max: end(bounds.max) }
}

fn pair(cx: &mut Session<'_>, op: BinOp, a: Option<Id>, b: Option<Id>) -> Option<Id> {
    let (a, b) = a.zip(b)?;
    Some(cx.scalar_binary(op, a, b))
}

fn at_least(cx: &mut Session<'_>, end: Option<Id>, bound: i64) -> bool {
    let Some(end) = end else { return false };
    let mut form = (*cx.form(end)).clone();
    form.add_constant(bound, -1);
    cx.not_negative(&form)
}

fn bounds(cx: &Session<'_>, x: Ends) -> IntBounds {
    let end = |end: Option<Id>| end.and_then(|id| cx.node(id).expr.as_int());
    IntBounds::new(end(x.min), end(x.max))
}

fn binary(cx: &mut Session<'_>, op: BinOp, x: Ends, y: Ends) -> Option<Ends> {
    let point = |ends: Ends| ends.min.filter(|_| ends.min == ends.max);
    let both = |cx: &mut Session<'_>, op, a: Ends, b: Id| Ends {
        min: a.min.map(|end| cx.scalar_binary(op, end, b)),
        max: a.max.map(|end| cx.scalar_binary(op, end, b)),
    };
    let flipped = |ends: Ends| Ends { min: ends.max, max: ends.min };
    Some(match op {
        BinOp::Add => Ends { min: pair(cx, op, x.min, y.min), max: pair(cx, op, x.max, y.max) },
        BinOp::Sub => Ends { min: pair(cx, op, x.min, y.max), max: pair(cx, op, x.max, y.min) },
        BinOp::Min | BinOp::Max => {
            // One end of either side is enough where the other side has none.
            let one = |a: Option<Id>, b: Option<Id>| if a.is_some() != b.is_some() { a.or(b) } else { None };
            let (low, high) = (pair(cx, op, x.min, y.min), pair(cx, op, x.max, y.max));
            match op {
                BinOp::Min => Ends { min: low, max: high.or_else(|| one(x.max, y.max)) },
                _ => Ends { min: low.or_else(|| one(x.min, y.min)), max: high },
            }
        }
        BinOp::Mul => match (point(x), point(y)) {
            (_, Some(y)) if at_least(cx, Some(y), 0) => both(cx, op, x, y),
            (Some(x), _) if at_least(cx, Some(x), 0) => both(cx, op, y, x),
            (_, Some(c)) if negative(cx, c) => flipped(both(cx, op, x, c)),
            (Some(c), _) if negative(cx, c) => flipped(both(cx, op, y, c)),
            _ if at_least(cx, x.min, 0) && at_least(cx, y.min, 0) => {
                Ends { min: pair(cx, op, x.min, y.min), max: pair(cx, op, x.max, y.max) }
            }
            _ => by_constants(cx, op, x, y)?,
        },
        BinOp::Div => match point(y) {
            Some(y) if at_least(cx, Some(y), 1) => both(cx, op, x, y),
            Some(c) if negative(cx, c) => flipped(both(cx, op, x, c)),
            _ => by_constants(cx, op, x, y)?,
        },
        BinOp::FloorDiv => match point(y) {
            Some(y) if at_least(cx, Some(y), 1) => both(cx, op, x, y),
            Some(c) if negative(cx, c) => flipped(both(cx, op, x, c)),
            // 0 <= x // y <= x
            _ if at_least(cx, x.min, 0) && at_least(cx, y.min, 1) => {
                let zero = x.min.map(|id| cx.dtype(id)).map(|dtype| cx.int(0, dtype));
                Ends { min: zero, max: x.max }
            }
            _ => by_constants(cx, op, x, y)?,
        },
        BinOp::FloorMod => match point(y) {
            Some(c) if at_least(cx, Some(c), 1) => {
                let quotients = both(cx, BinOp::FloorDiv, x, c);
                if point(quotients).is_some() {
                    return Some(both(cx, op, x, c));
                }
                let (zero, one) = (cx.int(0, cx.dtype(c)), cx.int(1, cx.dtype(c)));
                Ends { min: Some(zero), max: Some(cx.scalar_binary(BinOp::Sub, c, one)) }
            }
            _ => by_constants(cx, op, x, y)?,
        },
        _ => by_constants(cx, op, x, y)?,
    })
}

fn negative(cx: &mut Session<'_>, id: Id) -> bool {
    let mut form = cx.form(id).scaled(-1);
    form.add_constant(-1, 1);
    cx.not_negative(&form)
}

fn by_constants(cx: &mut Session<'_>, op: BinOp, x: Ends, y: Ends) -> Option<Ends> {
    let dtype = [x.min, x.max, y.min, y.max].into_iter().flatten().next().map(|id| cx.dtype(id))?;
    let found = divide::binary_bounds(op, bounds(cx, x), bounds(cx, y))?;
    let of_type = IntBounds::of_type(dtype);
    let mut end =
        |value: Option<i64>| value.filter(|&v| IntBounds::constant(v).within(of_type)).map(|v| cx.int(v, dtype));
    Some(Ends { min: end(found.min), max: end(found.max) })
}
