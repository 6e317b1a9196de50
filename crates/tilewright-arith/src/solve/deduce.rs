//! Bounds of one variable from a condition.
//!
//! The condition is brought to `k · term + rest >= 0`, with the variable in one term only. The term is a variable, or a
//! quotient by a constant, a minimum or a maximum, which is taken away and its content bounded in turn.

use tilewright_expr::{BinOp, CmpOp, Expr, Var};

use super::{against_zero, conjuncts};
use crate::analyzer::Mentions;
use crate::linear::Linear;
use crate::session::{Id, Mode, Session, Tag};
use crate::{Analyzer, IntSet};

/// Operations at most that are inverted around a variable.
const LAYERS: usize = 10_000;

/// The values of the variable for which the condition certainly holds, whatever the values of the variables in
/// `relaxed` in their sets. `None` where the condition is not solved for the variable; nothing where no value is
/// certain.
pub fn deduce_bound(cx: &Analyzer, var: &Var, condition: &Expr, relaxed: &[(Var, IntSet)]) -> Option<IntSet> {
    let mut sets = Vec::new();
    for condition in conjuncts(condition) {
        let (op, sum) = against_zero(condition)?;
        let (more, less) = match op {
            CmpOp::Ge => (Some((1, 0)), None),
            CmpOp::Gt => (Some((1, -1)), None),
            CmpOp::Le => (None, Some((-1, 0))),
            CmpOp::Lt => (None, Some((-1, -1))),
            CmpOp::Eq => (Some((1, 0)), Some((-1, 0))),
            CmpOp::Ne => return None,
        };
        for (sign, constant) in more.into_iter().chain(less) {
            sets.push(not_negative(cx, var, &sum, sign, constant, relaxed)?);
        }
    }
    Some(IntSet::intersect(cx, &sets))
}

/// The values for which `sign · sum + constant >= 0`.
fn not_negative(
    cx: &Analyzer,
    var: &Var,
    sum: &Expr,
    sign: i64,
    constant: i64,
    relaxed: &[(Var, IntSet)],
) -> Option<IntSet> {
    let mut session = Session::new(cx, Mode::Output);
    let id = session.simplify(sum);
    if !session.node(id).exact {
        return None;
    }
    let mut form = session.form(id).scaled(sign);
    form.add_constant(constant, 1);
    let mut mentions = Mentions::of(std::slice::from_ref(var));
    for _ in 0..LAYERS {
        let mut terms = form.terms.iter().map(|(&id, &k)| (id, k)).filter(|&(id, _)| mentions.any(&session, id));
        let ((term, k), None) = (terms.next()?, terms.next()) else { return None };
        // k · term + rest >= 0, and the least value of the rest
        let rest = session.sum(form.replace(term, &Linear::default()), var.dtype);
        let rest = session.expr(rest);
        let set = cx.int_set(&rest, relaxed);
        let least = session.simplify(set.min_value()?);
        let limit = quotient_limit(&mut session, least, k)?;
        let (tag, ids) = (session.node(term).tag.clone(), session.node(term).ids.clone());
        match (tag, ids.as_slice()) {
            (Tag::Var(found), _) if found == var.id() => {
                let limit = session.expr(limit);
                return Some(match k > 0 {
                    true => IntSet::interval(Some(limit), None),
                    false => IntSet::interval(None, Some(limit)),
                });
            }
            // x // c >= q = x >= q·c, and x // c <= q = x <= q·c + c - 1
            (Tag::Binary(BinOp::FloorDiv), &[x, c]) => {
                let c = session.node(c).expr.as_int().filter(|&c| c > 0)?;
                let end = session.form(limit).scaled(c);
                form = if k > 0 {
                    session.form(x).plus(&end, -1)
                } else {
                    end.plus(&Linear::constant(c - 1), 1).plus(&session.form(x), -1)
                };
            }
            // max(x, y) <= q and min(x, y) >= q hold where both do
            (Tag::Binary(op @ (BinOp::Min | BinOp::Max)), &[x, y]) if (op == BinOp::Min) == (k > 0) => {
                return both(cx, &mut session, var, [x, y], limit, k, relaxed);
            }
            _ => return None,
        }
        if form.overflow {
            return None;
        }
    }
    None
}

/// The remaining comparison of a minimum or maximum with one limit.
fn both(
    cx: &Analyzer,
    session: &mut Session<'_>,
    var: &Var,
    sides: [Id; 2],
    limit: Id,
    k: i64,
    relaxed: &[(Var, IntSet)],
) -> Option<IntSet> {
    let mut sets = Vec::new();
    let limit = session.expr(limit);
    for side in sides {
        let side = session.expr(side);
        let difference = super::operation(BinOp::Sub, &side, &limit);
        let op = if k > 0 { CmpOp::Ge } else { CmpOp::Le };
        let condition = super::comparison(op, &difference, &Expr::int(0, var.dtype));
        if tilewright_expr::node::mentions(&side, std::slice::from_ref(var)) {
            sets.push(tilewright_support::with_stack(|| deduce_bound(cx, var, &condition, relaxed))?);
        } else if !cx.prove(&condition) {
            return Some(IntSet::Nothing);
        }
    }
    Some(IntSet::intersect(cx, &sets))
}

/// `ceil(-rest / k)` for positive `k`, `floor(rest / -k)` for negative.
fn quotient_limit(session: &mut Session<'_>, rest: Id, k: i64) -> Option<Id> {
    let dtype = session.dtype(rest);
    let size = k.checked_abs()?;
    let form = session.form(rest);
    let divisor = session.int(size, dtype);
    if k < 0 {
        return Some(session.binary(BinOp::FloorDiv, rest, divisor));
    }
    // ceil(-rest / k) = -(rest // k)
    let rest = session.sum((*form).clone(), dtype);
    let quotient = session.binary(BinOp::FloorDiv, rest, divisor);
    let negative = session.form(quotient).scaled(-1);
    (!negative.overflow).then(|| session.sum(negative, dtype))
}
