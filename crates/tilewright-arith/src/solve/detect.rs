//! Linear forms with symbolic coefficients, and conditions that clip single variables.

use tilewright_expr::{BinOp, CmpOp, Expr, Var};

use super::{against_zero, conjuncts, operation};
use crate::Analyzer;
use crate::analyzer::Mentions;
use crate::session::{Id, Mode, Session, Tag, is_index_type};

/// `Σ coefficient · variable + base`; neither names one of the variables.
#[derive(Clone, Debug)]
pub struct LinearEquation {
    /// One for each variable, in order.
    pub coefficients: Vec<Expr>,
    pub base: Expr,
}

/// The expression as linear in the variables, with coefficients that may name anything else; `None` where it is not.
pub fn detect_linear_equation(cx: &Analyzer, expr: &Expr, vars: &[Var]) -> Option<LinearEquation> {
    if !is_index_type(expr.dtype) {
        return None;
    }
    let mut session = Session::new(cx, Mode::Proof);
    let id = session.simplify(expr);
    if session.dtype(id) != expr.dtype {
        return None;
    }
    let mut mentions = Mentions::of(vars);
    let form = session.form(id);
    let mut coefficients: Vec<crate::linear::Linear> = vec![Default::default(); vars.len()];
    let mut base = crate::linear::Linear::constant(form.constant);
    for (&term, &c) in &form.terms {
        if !mentions.any(&session, term) {
            base.add_term(term, c);
            continue;
        }
        let factors = session.factors(term);
        let (with, rest): (Vec<Id>, Vec<Id>) = factors.into_iter().partition(|&factor| mentions.any(&session, factor));
        let &[factor] = with.as_slice() else { return None };
        let Tag::Var(var) = session.node(factor).tag else { return None };
        let at = vars.iter().position(|of| of.id() == var)?;
        match rest.split_first() {
            None => coefficients[at].add_constant(c, 1),
            Some((&first, rest)) => {
                let product = rest.iter().fold(first, |product, &factor| session.monomial(product, factor));
                coefficients[at].add_term(product, c);
            }
        }
    }
    let mut publish = |sum: crate::linear::Linear| {
        let sum = sum.finish();
        let (overflow, id) = (sum.overflow, session.sum(sum, expr.dtype));
        (!overflow).then(|| session.expr(id))
    };
    let coefficients: Option<Vec<Expr>> = coefficients.into_iter().map(&mut publish).collect();
    Some(LinearEquation { coefficients: coefficients?, base: publish(base)? })
}

/// The least and the greatest value that a condition leaves to a variable, where it bounds it.
#[derive(Clone, Debug, Default)]
pub struct ClipBound {
    pub min: Option<Expr>,
    pub max: Option<Expr>,
}

/// The bounds of each variable alone from a condition, comparisons joined by `and`. `None` if a comparison is not
/// linear with one variable whose coefficient is 1 or -1, so that the bounds would not be equivalent to the condition.
pub fn detect_clip_bound(cx: &Analyzer, condition: &Expr, vars: &[Var]) -> Option<Vec<ClipBound>> {
    let mut bounds = vec![ClipBound::default(); vars.len()];
    for condition in conjuncts(condition) {
        let (op, sum) = against_zero(condition)?;
        let form = detect_linear_equation(cx, &sum, vars)?;
        let mut concerned = (0..vars.len()).filter(|&at| form.coefficients[at].as_int() != Some(0));
        let (at, None) = (concerned.next()?, concerned.next()) else { return None };
        let sign = form.coefficients[at].as_int().filter(|c| matches!(c, 1 | -1))?;
        let (zero, one) = (Expr::int(0, sum.dtype), Expr::int(1, sum.dtype));
        // sign · v + base op 0: v stands against -base, or base against v
        let limit = if sign > 0 { operation(BinOp::Sub, &zero, &form.base) } else { form.base };
        let op = if sign > 0 { op } else { mirrored(op) };
        let slot = &mut bounds[at];
        let low = match op {
            CmpOp::Gt => Some(operation(BinOp::Add, &limit, &one)),
            CmpOp::Ge | CmpOp::Eq => Some(limit.clone()),
            _ => None,
        };
        let high = match op {
            CmpOp::Lt => Some(operation(BinOp::Sub, &limit, &one)),
            CmpOp::Le | CmpOp::Eq => Some(limit),
            _ => None,
        };
        if low.is_none() && high.is_none() {
            return None;
        }
        let joined = |op, old: Option<Expr>, new: Option<Expr>| match (old, new) {
            (Some(old), Some(new)) => Some(cx.simplify(&operation(op, &old, &new))),
            (old, new) => old.or_else(|| new.map(|new| cx.simplify(&new))),
        };
        slot.min = joined(BinOp::Max, slot.min.take(), low);
        slot.max = joined(BinOp::Min, slot.max.take(), high);
    }
    Some(bounds)
}

/// The comparison with its sides exchanged.
pub(super) fn mirrored(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::Le => CmpOp::Ge,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::Ge => CmpOp::Le,
        CmpOp::Eq | CmpOp::Ne => op,
    }
}
