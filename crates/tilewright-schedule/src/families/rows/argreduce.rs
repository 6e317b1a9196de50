//! Argreduce in a function: an extreme of each row, and the least index at which it stands.
//!
//! ```text
//! best[row]  = max over k of term(row, k)
//! index[row] = min over k of k if term(row, k) == best[row] or is NaN, otherwise more than any index
//! ```

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, Var};

use super::axes::{Axes, read_at};
use super::layout::Accesses;
use super::{Combine, Fold, Formula, MAX_TERM_COST, Map, Reduction, RowProgram, fault, is_costly};
use crate::analysis::formulas::Stage;
use crate::analysis::size::size;
use crate::fault::Fault;

pub(super) fn recognise(known: &mut Analyzer, best: &Stage, seek: &Stage) -> Result<RowProgram, Fault> {
    let none = || fault("there is not an extreme and its index");
    let (extreme, least) = (best.reduced.as_ref().ok_or_else(none)?, seek.reduced.as_ref().ok_or_else(none)?);
    let op = match extreme.op {
        BinOp::Max => Combine::Max,
        BinOp::Min => Combine::Min,
        _ => return Err(none()),
    };
    let is_extreme = extreme.op.identity(best.buffer.dtype).is_some_and(|from| from.equal(&extreme.from));
    let ExprKind::Select { condition, then: index, otherwise: none_found } = &seek.value.kind else {
        return Err(none());
    };
    let begins = least.op == BinOp::Min
        && BinOp::Min.identity(seek.buffer.dtype).is_some_and(|from| from.equal(&least.from))
        && least.from.equal(none_found);
    if !is_extreme || !begins || !seek.buffer.dtype.is_int() || !least.more.is_empty() {
        return Err(none());
    }
    let at = read_at(condition, &best.buffer).ok_or_else(none)?;
    let axes = Axes::given(known, &seek.spatial, &least.axis)?;
    let term = axes.term(known, best, &at)?;
    check_condition(condition, &term, best, &at)?;
    let index = known.simplify(index);
    let is_number = match &index.kind {
        ExprKind::Cast(inner) => inner.as_var() == Some(&least.axis.var),
        _ => index.as_var() == Some(&least.axis.var),
    };
    if !is_number {
        return Err(fault("the result is not an index in the row"));
    }
    check_term(&term, &[&seek.buffer, &best.buffer])?;
    let terms = std::slice::from_ref(&term);
    let accesses = Accesses { terms, value: None, out: &seek.buffer, indices: &seek.indices };
    let (rows, side_by_side, reduced) = accesses.layout(known, &axes)?;
    let reduction = Reduction {
        fold: Fold { op, identity: extreme.from.clone() },
        total: Var::new("best", term.dtype),
        term: Formula { value: term, of_row: Vec::new() },
        depth: 0,
        kept: None,
    };
    let (out, indices) = (seek.buffer.clone(), seek.indices.clone());
    let map = Map::Index { index, none_found: none_found.clone() };
    Ok(RowProgram { rows, side_by_side, reduced, reductions: vec![reduction], out, indices, map })
}

/// Whether the condition holds where the term is the extreme, or NaN.
fn check_condition(condition: &Expr, term: &Expr, best: &Stage, at: &[Expr]) -> Result<(), Fault> {
    let is_best = |e: &Expr| {
        matches!(&e.kind, ExprKind::Load { buffer, indices, predicate: None }
            if *buffer == best.buffer && same_indices(indices, at))
    };
    let is_equal = |e: &Expr| match &e.kind {
        ExprKind::Compare(CmpOp::Eq, a, b) => is_best(b) && a.equal(term) || is_best(a) && b.equal(term),
        _ => false,
    };
    let is_nan = |e: &Expr| match &e.kind {
        ExprKind::Call { intrinsic: Intrinsic::IsNan, args } => args.first().is_some_and(|arg| arg.equal(term)),
        _ => false,
    };
    let holds = match (&condition.kind, term.dtype.is_float()) {
        (_, false) => is_equal(condition),
        (ExprKind::Binary(BinOp::BitOr | BinOp::Or, a, b), true) => {
            is_equal(a) && is_nan(b) || is_nan(a) && is_equal(b)
        }
        _ => false,
    };
    if holds { Ok(()) } else { Err(fault("the index is not where the extreme stands, or NaN")) }
}

/// What is searched is read from memory that is not written, and costs little: it is worked out again where the index
/// is searched for.
fn check_term(term: &Expr, written: &[&Buffer]) -> Result<(), Fault> {
    let mut refused = size(term).1 > MAX_TERM_COST || is_costly(term);
    walk(term, |e: &Expr| {
        if let ExprKind::Load { buffer, predicate, .. } = &e.kind {
            refused |= predicate.is_some() || written.iter().any(|other| other.data == buffer.data);
        }
    });
    if refused { Err(fault("the elements are not read from memory")) } else { Ok(()) }
}
