//! Accesses to memory that threads share, and which two of them different threads may make to one element.
//!
//! Two accesses are those of one thread only if their indices are the same expressions, and these give different values
//! for different threads: as a one-to-one function of all axes of threads and of all loops that may be at different
//! iterations. An axis that conditions leave one value in both accesses has only one thread there. And they meet
//! nowhere if one of their indices certainly differs, whatever the threads and the iterations.

use tilewright_arith::{Analyzer, IterMapLevel, detect_iter_map};
use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{Buffer, CmpOp, Expr, ExprKind, Range, Var};
use tilewright_support::Set;

use super::varying::Varying;
use crate::stmt::{mentions, reads};
use crate::substitute::Substitute;

/// A loop, or a value that is none of other variables.
#[derive(Clone, Debug)]
pub(super) struct Binder {
    pub var: Var,
    /// Of a loop.
    pub range: Option<Range>,
}

#[derive(Clone, Debug)]
pub(super) struct Access {
    pub memory: VarId,
    /// `None` for any element of the memory.
    pub element: Option<(Buffer, Vec<Expr>)>,
    pub writes: bool,
    /// The axes of threads around it that have more than one.
    pub threads: Vec<(Var, Range)>,
    pub binders: Vec<Binder>,
    /// What holds there.
    pub conditions: Vec<Expr>,
}

/// Where two accesses are compared.
pub(super) struct Pairs<'a> {
    pub varying: &'a Varying,
    /// What has the same value in both; all other loops may be at any iteration.
    pub common: &'a [Binder],
    /// A loop whose iteration is the next one in the second access.
    pub shift: Option<&'a Var>,
}

/// Whether the two lay out their elements alike.
fn alike(a: &Buffer, b: &Buffer) -> bool {
    let same = |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equal(b));
    let start = match (&a.elem_offset, &b.elem_offset) {
        (Some(a), Some(b)) => a.equal(b),
        (a, b) => a.is_none() && b.is_none(),
    };
    a == b || (a.dtype == b.dtype && start && same(&a.shape, &b.shape) && same(&a.strides, &b.strides))
}

fn bind(analyzer: &mut Analyzer, access: &Access, values: &mut Substitute) {
    let ranges = access.threads.iter().map(|(var, range)| (var, range));
    let loops = access.binders.iter().filter_map(|binder| Some((&binder.var, binder.range.as_ref()?)));
    for (var, range) in ranges.chain(loops) {
        let own = values.values.get(&var.id()).and_then(|value| value.as_var().cloned()).unwrap_or_else(|| var.clone());
        if !analyzer.has_range(&own) {
            analyzer.bind(&own, &values.apply(range));
        }
    }
}

impl Pairs<'_> {
    pub(super) fn conflict(&self, open: &[Access], next: &[Access]) -> bool {
        next.iter().any(|b| open.iter().any(|a| self.meet(a, b)))
    }

    fn meet(&self, a: &Access, b: &Access) -> bool {
        if a.memory != b.memory || !(a.writes || b.writes) || (a.threads.is_empty() && b.threads.is_empty()) {
            return false;
        }
        !self.of_one_thread(a, b) && !self.apart(a, b)
    }

    fn is_private(&self, var: &Var) -> bool {
        !self.common.iter().any(|binder| binder.var == *var)
    }

    /// Whether the expression has one value for all threads and iterations that are compared, those of `domain` apart.
    fn is_fixed(&self, expr: &Expr, access: &Access, domain: &[Var]) -> bool {
        let mut fixed = !reads(expr);
        walk(expr, |e: &Expr| match &e.kind {
            ExprKind::Let { .. } => fixed = false,
            ExprKind::Var(var) if domain.contains(var) => {}
            ExprKind::Var(var) => {
                let bound = access.binders.iter().any(|binder| binder.var == *var) && self.is_private(var);
                let thread = access.threads.iter().any(|(thread, _)| thread == var);
                // A loop at one iteration has one value, however it came to run.
                let common = self.common.iter().any(|binder| binder.var == *var && binder.range.is_some());
                fixed &= !bound && !thread && (common || !self.varying.has(var));
            }
            _ => {}
        });
        fixed
    }

    /// The one value that the conditions of the access leave the thread.
    fn pinned(&self, access: &Access, thread: &Var) -> Option<Expr> {
        for condition in &access.conditions {
            if let ExprKind::Compare(CmpOp::Eq, x, y) = &condition.kind {
                for (var, value) in [(x, y), (y, x)] {
                    if var.as_var() == Some(thread) && self.is_fixed(value, access, &[]) {
                        return Some(value.clone());
                    }
                }
            }
        }
        let mut analyzer = Analyzer::new();
        bind(&mut analyzer, access, &mut Substitute::default());
        access.conditions.iter().for_each(|condition| analyzer.assume(condition));
        let bounds = analyzer.bounds(&Expr::var(thread));
        bounds.value().map(|value| Expr::int(value, thread.dtype))
    }

    fn of_one_thread(&self, a: &Access, b: &Access) -> bool {
        let mut threads: Vec<(Var, Range)> = a.threads.clone();
        threads.extend(b.threads.iter().filter(|(var, _)| !a.threads.iter().any(|(known, _)| known == var)).cloned());
        threads.retain(|(thread, _)| match (self.pinned(a, thread), self.pinned(b, thread)) {
            (Some(x), Some(y)) => !x.equal(&y),
            _ => true,
        });
        if threads.is_empty() {
            return true;
        }
        let (Some((x, of_a)), Some((y, of_b))) = (&a.element, &b.element) else { return false };
        if !alike(x, y) || of_a.len() != of_b.len() {
            return false;
        }
        let loops = a.binders.iter().filter(|binder| self.is_private(&binder.var));
        let loops = loops.filter_map(|binder| Some((binder.var.clone(), binder.range.clone()?)));
        let domain: Vec<(Var, Range)> = threads.iter().cloned().chain(loops).collect();
        let vars: Vec<Var> = domain.iter().map(|(var, _)| var.clone()).collect();
        let same = of_a.iter().zip(of_b).filter(|(x, y)| x.equal(y)).map(|(x, _)| x.clone());
        let same: Vec<Expr> = same.filter(|index| self.is_fixed(index, a, &vars)).collect();
        let mut analyzer = Analyzer::new();
        bind(&mut analyzer, a, &mut Substitute::default());
        let mut known: Set<VarId> = Set::default();
        while determined(&analyzer, &same, &vars, &mut known) {}
        if threads.iter().all(|(thread, _)| known.contains(&thread.id())) {
            return true;
        }
        // The others may be digits of sums.
        let rest: Vec<(Var, Range)> = domain
            .into_iter()
            .filter(|(var, _)| !known.contains(&var.id()) && mentions(&same, std::slice::from_ref(var)))
            .collect();
        let plain = rest.iter().all(|(_, range)| !mentions(range, &vars));
        let all = threads.iter().all(|(t, _)| known.contains(&t.id()) || rest.iter().any(|(var, _)| var == t));
        let level = IterMapLevel::Bijective;
        plain
            && all
            && !detect_iter_map(&mut analyzer, &same, &rest, &Expr::bool(true), level, false).indices.is_empty()
    }

    /// Whether an index certainly differs.
    fn apart(&self, a: &Access, b: &Access) -> bool {
        let (Some((x, of_a)), Some((y, of_b))) = (&a.element, &b.element) else { return false };
        if !alike(x, y) || of_a.len() != of_b.len() {
            return false;
        }
        let mut renamed = Substitute::default();
        let mut rename = |var: &Var| {
            renamed.values.insert(var.id(), Expr::var(&var.renewed()));
        };
        for (thread, _) in a.threads.iter().chain(&b.threads) {
            rename(thread);
        }
        for index in of_a.iter().chain(&a.conditions) {
            walk(index, |var: &Var| {
                if self.varying.has(var) && self.shift != Some(var) {
                    rename(var);
                }
            });
        }
        for binder in &a.binders {
            let own = self.is_private(&binder.var) && self.shift != Some(&binder.var);
            let common = self.common.iter().any(|common| common.var == binder.var && common.range.is_some());
            if own || (self.varying.has(&binder.var) && !common && self.shift != Some(&binder.var)) {
                rename(&binder.var);
            }
        }
        let mut shifted = Substitute::default();
        if let Some(var) = self.shift {
            shifted.values.insert(var.id(), &Expr::var(var) + 1);
        }
        let mut analyzer = Analyzer::new();
        bind(&mut analyzer, a, &mut renamed);
        bind(&mut analyzer, b, &mut shifted);
        for condition in &a.conditions {
            analyzer.assume(&renamed.apply(condition));
        }
        for condition in &b.conditions {
            analyzer.assume(&shifted.apply(condition));
        }
        of_a.iter()
            .zip(of_b)
            .any(|(x, y)| !reads(x) && !reads(y) && analyzer.prove_different(&renamed.apply(x), &shifted.apply(y)))
    }
}

/// Learns which variables the values of the indices determine, as sums of them; whether it learnt any.
fn determined(analyzer: &Analyzer, indices: &[Expr], vars: &[Var], known: &mut Set<VarId>) -> bool {
    for index in indices {
        let open: Vec<Var> = vars
            .iter()
            .filter(|var| !known.contains(&var.id()) && mentions(index, std::slice::from_ref(*var)))
            .cloned()
            .collect();
        let Some(sum) = analyzer.linear_in(index, &open).filter(|_| !open.is_empty()) else { continue };
        let count = |var: &Var| -> Option<i128> {
            let bounds = analyzer.bounds(&Expr::var(var));
            Some(i128::from(bounds.max?) - i128::from(bounds.min?))
        };
        let mut terms: Vec<(i128, Option<i128>)> =
            sum.coefficients.iter().zip(&open).map(|(c, var)| (i128::from(*c).abs(), count(var))).collect();
        terms.sort_by_key(|(coefficient, _)| *coefficient);
        let mut reach = Some(0i128);
        let mut apart = true;
        for (coefficient, last) in terms {
            apart &= reach.is_some_and(|reach| coefficient > reach);
            reach = reach.zip(last).and_then(|(reach, last)| reach.checked_add(coefficient.checked_mul(last)?));
        }
        if apart {
            known.extend(open.iter().map(Var::id));
            return true;
        }
    }
    false
}
