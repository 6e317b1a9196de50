//! Inequalities that follow from others one after the other: of `i < j` and `j < k` follows `i < k`.
//!
//! A fact is `x <= y + c` for terms `x` and `y` and a number `c`: a difference constraint. What follows is the shortest
//! path from one term to another.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind};

/// Facts up to which others are derived.
const MAX_FACTS: usize = 64;

#[derive(Clone, Default, Debug)]
pub(super) struct Inequalities {
    /// Terms, by number.
    terms: Vec<Expr>,
    /// `terms[a] <= terms[b] + c`.
    facts: Vec<(usize, usize, i64)>,
    /// `terms[a] != terms[b] + c`.
    unequal: Vec<(usize, usize, i64)>,
}

/// A difference of two terms and a number: `x - y + c`; a missing term is 0.
struct Difference {
    plus: Option<Expr>,
    minus: Option<Expr>,
    offset: i64,
}

fn difference(analyzer: &Analyzer, a: &Expr, b: &Expr) -> Option<Difference> {
    if a.dtype != b.dtype || !a.dtype.is_int() || !a.dtype.is_scalar() {
        return None;
    }
    let mut found = Difference { plus: None, minus: None, offset: 0 };
    let mut open = vec![(analyzer.simplify(&(a - b)), false)];
    while let Some((expr, negative)) = open.pop() {
        match &expr.kind {
            ExprKind::Int(value) => {
                let value = if negative { value.checked_neg()? } else { *value };
                found.offset = found.offset.checked_add(value)?;
            }
            ExprKind::Binary(BinOp::Add, x, y) => open.extend([(x.clone(), negative), (y.clone(), negative)]),
            ExprKind::Binary(BinOp::Sub, x, y) => open.extend([(x.clone(), negative), (y.clone(), !negative)]),
            ExprKind::Binary(BinOp::Mul, x, y) if y.as_int() == Some(-1) => open.push((x.clone(), !negative)),
            _ => {
                let place = if negative { &mut found.minus } else { &mut found.plus };
                if place.replace(expr).is_some() {
                    return None;
                }
            }
        }
    }
    Some(found)
}

impl Inequalities {
    fn number(&mut self, term: Option<Expr>) -> usize {
        let term = term.unwrap_or_else(|| Expr::i32(0));
        match self.terms.iter().position(|known| known.same(&term) || known.equal(&term)) {
            Some(at) => at,
            None => {
                self.terms.push(term);
                self.terms.len() - 1
            }
        }
    }

    /// Learns a comparison.
    pub(super) fn learn(&mut self, analyzer: &Analyzer, condition: &Expr) {
        let ExprKind::Compare(op, a, b) = &condition.kind else { return };
        if self.facts.len() + self.unequal.len() >= MAX_FACTS {
            return;
        }
        let Some(Difference { plus, minus, offset }) = difference(analyzer, a, b) else { return };
        let (x, y) = (self.number(plus), self.number(minus));
        // x - y + offset `op` 0
        let (Some(up), Some(below)) = (offset.checked_neg(), offset.checked_add(1).and_then(i64::checked_neg)) else {
            return;
        };
        let Some(above) = offset.checked_sub(1) else { return };
        match op {
            CmpOp::Lt => self.facts.push((x, y, below)),
            CmpOp::Le => self.facts.push((x, y, up)),
            CmpOp::Gt => self.facts.push((y, x, above)),
            CmpOp::Ge => self.facts.push((y, x, offset)),
            CmpOp::Eq => self.facts.extend([(x, y, up), (y, x, offset)]),
            CmpOp::Ne => self.unequal.push((x, y, up)),
        }
        self.sharpen();
    }

    /// Of `x <= y + c` and `x != y + c` follows `x <= y + c - 1`.
    fn sharpen(&mut self) {
        for _ in 0..self.unequal.len() {
            for (x, y, c) in self.unequal.clone() {
                if self.least(x, y) == Some(c) {
                    self.facts.extend(c.checked_sub(1).map(|c| (x, y, c)));
                }
                let back = c.checked_neg();
                if back.is_some() && self.least(y, x) == back {
                    self.facts.extend(back.and_then(|c| c.checked_sub(1)).map(|c| (y, x, c)));
                }
            }
        }
    }

    /// The least `c` for which `x <= y + c` follows.
    fn least(&self, x: usize, y: usize) -> Option<i64> {
        let mut reach: Vec<Option<i64>> = vec![None; self.terms.len()];
        *reach.get_mut(x)? = Some(0);
        for _ in 0..self.terms.len() {
            for &(a, b, c) in &self.facts {
                let Some(Some(from)) = reach.get(a).copied() else { continue };
                let Some(sum) = from.checked_add(c) else { continue };
                if let Some(to) = reach.get_mut(b)
                    && to.is_none_or(|known| sum < known)
                {
                    *to = Some(sum);
                }
            }
        }
        reach.get(y).copied().flatten()
    }

    /// Whether the comparison holds, as far as it follows.
    pub(super) fn decide(&self, analyzer: &Analyzer, condition: &Expr) -> Option<bool> {
        let ExprKind::Compare(op, a, b) = &condition.kind else { return None };
        if self.facts.is_empty() {
            return None;
        }
        let Difference { plus, minus, offset } = difference(analyzer, a, b)?;
        let mut own = self.clone();
        let (x, y) = (own.number(plus), own.number(minus));
        let below = |least: Option<i64>, limit: i64| least.is_some_and(|least| least <= limit);
        let (forth, back) = (own.least(x, y), own.least(y, x));
        let up = offset.checked_neg()?;
        let under = up.checked_sub(1)?;
        // x - y + offset <= 0, < 0, >= 0, > 0
        let (le, lt) = (below(forth, up), below(forth, under));
        let (ge, gt) = (below(back, offset), below(back, offset.checked_sub(1)?));
        match op {
            CmpOp::Le => answer(le, gt),
            CmpOp::Lt => answer(lt, ge),
            CmpOp::Ge => answer(ge, lt),
            CmpOp::Gt => answer(gt, le),
            CmpOp::Eq => answer(le && ge, lt || gt),
            CmpOp::Ne => answer(lt || gt, le && ge),
        }
    }
}

fn answer(holds: bool, fails: bool) -> Option<bool> {
    if holds {
        return Some(true);
    }
    fails.then_some(false)
}
