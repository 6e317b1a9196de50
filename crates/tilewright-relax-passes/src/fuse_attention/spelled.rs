//! Recognises a decomposed softmax over the last dimension.
//!
//! ```text
//! best = max(scores, axis=-1, keepdims=True)
//! exps = exp(scores - best)
//! total = sum(exps, axis=-1, keepdims=True)
//! shares = exps / total
//! ```
//!
//! The maximum may be replaced by zero where a row has nothing but minus infinity. The divisor may be a formula of the
//! sum that is zero only where the sum is: more than it, held above or below a number, replaced where it is zero. Other
//! formulas stay outside, since `flash_attention` does not divide by them.

use tilewright_expr as scalar;
use tilewright_ir::Attr;
use tilewright_ir::op::OpRef;
use tilewright_ir::relax::{Expr, ExprKind};
use tilewright_ops::binary::{
    add, divide, equal, greater, greater_equal, less, less_equal, maximum, minimum, not_equal, subtract, r#where,
};
use tilewright_ops::statistical::{max, sum};
use tilewright_ops::unary::{clip, exp};

use super::chain::Block;
use crate::inline_scalar_constants::number as constant_number;

/// Bindings of such a softmax at most.
const MAX_SOFTMAX_BINDINGS: usize = 16;

pub(super) struct Softmax {
    /// The binding of the scores.
    pub(super) scores: usize,
    /// The bindings after the scores, including the weights.
    pub(super) members: Vec<usize>,
}

impl Block<'_> {
    /// The softmax whose shares the binding computes; nothing else uses what is between, or the scores.
    pub(super) fn spelled_softmax(&self, shares: usize) -> Option<Softmax> {
        let [exps, total] = self.args(shares, OpRef(&divide::OP))? else { return None };
        let at = self.bound(exps)?;
        let [distance] = self.args(at, OpRef(&exp::OP))? else { return None };
        let mut members = vec![shares, at, self.bound(distance)?];
        let [scores, best] = self.args(members[2], OpRef(&subtract::OP))? else { return None };
        self.divisor(total, exps, &mut members)?;
        self.subtrahend(best, scores, &mut members)?;
        let scores = self.bound(scores)?;
        let inside = members[1..].iter().chain([&scores]).all(|&member| self.only_used_by(member, &members));
        inside.then_some(Softmax { scores, members })
    }

    fn args(&self, at: usize, wanted: OpRef) -> Option<&[Expr]> {
        let (op, args, _) = self.op(at)?;
        (op == wanted).then_some(args)
    }

    /// Adds the bindings from the sum of exponentials to the divisor.
    fn divisor(&self, operand: &Expr, exps: &Expr, members: &mut Vec<usize>) -> Option<()> {
        let at = self.bound(operand)?;
        members.push(at);
        if self.reduces_rows(at, (OpRef(&sum::OP), exps)) {
            return Some(());
        }
        let (op, args, _) = self.op(at)?;
        if members.len() > MAX_SOFTMAX_BINDINGS {
            return None;
        }
        let at_least_zero = |e: &Expr| number(e).is_some_and(|number| number >= 0.0);
        let positive = |e: &Expr| number(e).is_some_and(|number| number > 0.0);
        let of = match args {
            [condition, a, b] if op == OpRef(&r#where::OP) => {
                self.divisor(self.compared(condition, members)?.0, exps, members)?;
                return [a, b].into_iter().try_for_each(|branch| match positive(branch) {
                    true => Some(()),
                    false => self.divisor(branch, exps, members),
                });
            }
            [of, low, high] if op == OpRef(&clip::OP) => (at_least_zero(low) && positive(high)).then_some(of),
            [a, b] if op == OpRef(&add::OP) || op == OpRef(&maximum::OP) => other_operand((a, b), at_least_zero),
            [a, b] if op == OpRef(&minimum::OP) => other_operand((a, b), positive),
            _ => None,
        };
        self.divisor(of?, exps, members)
    }

    /// Adds the bindings of the subtrahend of the scores: their maximum, or zero where that is minus infinity.
    fn subtrahend(&self, operand: &Expr, scores: &Expr, members: &mut Vec<usize>) -> Option<()> {
        let at = self.bound(operand)?;
        members.push(at);
        let best = match self.args(at, OpRef(&r#where::OP)) {
            Some([condition, then, otherwise]) => {
                let (best, op, lowest) = self.compared(condition, members)?;
                let (zero, kept) = match op {
                    op if op == OpRef(&equal::OP) => (then, otherwise),
                    op if op == OpRef(&not_equal::OP) => (otherwise, then),
                    _ => return None,
                };
                let is_zero = number(zero) == Some(0.0) && lowest == f64::NEG_INFINITY;
                (is_zero && kept.as_var() == best.as_var()).then_some(())?;
                let best = self.bound(best)?;
                members.push(best);
                best
            }
            _ => at,
        };
        self.reduces_rows(best, (OpRef(&max::OP), scores)).then_some(())
    }

    /// Adds the comparison of a tensor with a number, and says which.
    fn compared<'e>(&'e self, condition: &Expr, members: &mut Vec<usize>) -> Option<(&'e Expr, OpRef, f64)> {
        let at = self.bound(condition)?;
        let (op, args, _) = self.op(at)?;
        let [a, b] = args else { return None };
        let compares = [
            OpRef(&equal::OP),
            OpRef(&not_equal::OP),
            OpRef(&less::OP),
            OpRef(&less_equal::OP),
            OpRef(&greater::OP),
            OpRef(&greater_equal::OP),
        ];
        let of = compares.contains(&op).then(|| other_operand((a, b), |e| number(e).is_some()))??;
        members.push(at);
        Some((of, op, number(a).or_else(|| number(b))?))
    }

    fn reduces_rows(&self, at: usize, (wanted, of): (OpRef, &Expr)) -> bool {
        let Some((op, [reduced], attrs)) = self.op(at) else { return false };
        let Some(rank) = reduced.struct_info.rank() else { return false };
        let is_last = |axis: i64| axis == -1 || axis + 1 == rank as i64;
        let axes = attrs.get("axis").and_then(Attr::as_ints);
        op == wanted
            && reduced.as_var().is_some()
            && reduced.as_var() == of.as_var()
            && attrs.get("keepdims").is_some_and(Attr::is_true)
            && matches!(axes.as_deref(), Some([axis]) if is_last(*axis))
    }
}

/// The other operand of a pair of which one fits.
fn other_operand<'e>((a, b): (&'e Expr, &'e Expr), fits: impl Fn(&Expr) -> bool) -> Option<&'e Expr> {
    if fits(b) { Some(a) } else { fits(a).then_some(b) }
}

/// The constant of which all elements of an operand consist.
pub(super) fn number(operand: &Expr) -> Option<f64> {
    let value = match &operand.kind {
        ExprKind::Prim(value) => value.clone(),
        _ if operand.struct_info.rank() == Some(0) => constant_number(operand)?,
        _ => return None,
    };
    match value.kind {
        scalar::ExprKind::Float(bits) => Some(bits.0),
        scalar::ExprKind::Int(value) => Some(value as f64),
        _ => None,
    }
}
