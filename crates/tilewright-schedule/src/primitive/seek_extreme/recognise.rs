//! The place of an extreme in a function: the extreme, and the least place at which it stands.
//!
//! ```text
//! best[row]  = max over k of term(row, k)
//! place[row] = min over k of place(row, k) if term(row, k) == best[row] or is NaN, otherwise more than any place
//! ```

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, PrimFunc, Range};
use tilewright_tensor::DataType;
use tilewright_tir_passes::analyzer_of;

use crate::facts::axes::{Axis, Group};
use crate::facts::exprs::typed;
use crate::facts::fault::Fault;
use crate::facts::formulas::{self, Stage, check_temporary};
use crate::facts::reducer::identity;
use crate::facts::size::size;
use crate::facts::stride::{run, steps, steps_of};
use crate::reduced_rows::{check_rows, indexed, read_at};

/// Operations of a term at most: it is worked out again where the extreme is looked for.
const COST: usize = 16;

/// Places of extremes of rows.
pub(crate) struct Extreme {
    /// What names a row, without those of its last axes that lie side by side.
    pub(crate) rows: Group,
    /// Rows that lie side by side in memory; none where the elements of a row do.
    pub(crate) beside: Option<Group>,
    /// What is searched.
    pub(crate) column: Axis,
    pub(super) term: Expr,
    /// The greatest or the least.
    pub(super) op: BinOp,
    /// What an extreme begins with: nothing is worse.
    pub(super) from: Expr,
    pub(super) out: Buffer,
    pub(super) indices: Vec<Expr>,
    /// The number of a place.
    pub(super) place: Expr,
    /// What stands where there is none.
    pub(super) nowhere: Expr,
}

fn fault(message: &str) -> Fault {
    Fault::of_call(message)
}

impl Extreme {
    pub(crate) fn of(function: &PrimFunc) -> Result<Self, Fault> {
        let stages = formulas::of(function, 2)?;
        let [best, seek] = stages.as_slice() else { return Err(fault("there is not an extreme and its place")) };
        check_temporary(function, [best])?;
        let mut known = analyzer_of(function);
        let none = || fault("there is not an extreme and its place");
        let (extreme, least) = (best.reduced.as_ref().ok_or_else(none)?, seek.reduced.as_ref().ok_or_else(none)?);
        let is_extreme = matches!(extreme.op, BinOp::Max | BinOp::Min)
            && identity(extreme.op, best.buffer.dtype).is_some_and(|from| from.equal(&extreme.from));
        let ExprKind::Select { condition, then: place, otherwise: nowhere } = &seek.value.kind else {
            return Err(none());
        };
        let begins = least.op == BinOp::Min
            && identity(BinOp::Min, seek.buffer.dtype).is_some_and(|from| from.equal(&least.from))
            && least.from.equal(nowhere);
        if !is_extreme || !begins || !seek.buffer.dtype.is_int() {
            return Err(none());
        }
        let at = read_at(condition, &best.buffer).ok_or_else(none)?;
        check_rows(&known, best, &at, &seek.spatial)?;
        let column = indexed(&least.axis)?;
        if !known.prove_equal(&indexed(&extreme.axis)?.extent, &column.extent) {
            return Err(fault("the extreme is of other elements"));
        }
        let term = best.at(&at, Some(&Expr::var(&column.var))).ok_or_else(none)?;
        check_condition(condition, &term, best, &at)?;
        let rows: Vec<Axis> = seek.spatial.iter().map(indexed).collect::<Result<_, _>>()?;
        for axis in rows.iter().chain([&column]) {
            known.bind(&axis.var, &Range::up_to(typed(axis.extent.cast(axis.var.dtype))?));
        }
        let place = known.simplify(place);
        let is_number = match &place.kind {
            ExprKind::Cast(inner) => inner.as_var() == Some(&column.var),
            _ => place.as_var() == Some(&column.var),
        };
        if !is_number {
            return Err(fault("the place is not that in the row"));
        }
        check_term(&term, &[&seek.buffer, &best.buffer])?;
        let (rows, beside) = layout(&known, seek, &term, rows, &column)?;
        Ok(Self {
            rows: Group::new(&known, rows, DataType::I64)?,
            beside: if beside.is_empty() { None } else { Some(Group::new(&known, beside, DataType::I64)?) },
            column,
            term,
            op: extreme.op,
            from: extreme.from.clone(),
            out: seek.buffer.clone(),
            indices: seek.indices.clone(),
            place,
            nowhere: nowhere.clone(),
        })
    }
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
    if holds { Ok(()) } else { Err(fault("the place is not where the extreme stands, or NaN")) }
}

/// What is searched is read from memory that is not written, and costs little.
fn check_term(term: &Expr, written: &[&Buffer]) -> Result<(), Fault> {
    let mut refused = size(term).1 > COST;
    walk(term, |e: &Expr| {
        refused |= match &e.kind {
            ExprKind::Let { .. } => true,
            ExprKind::Call { intrinsic, .. } => *intrinsic != Intrinsic::IfThenElse,
            ExprKind::Load { buffer, predicate, .. } => {
                predicate.is_some() || written.iter().any(|other| other.data == buffer.data)
            }
            _ => false,
        }
    });
    if refused { Err(fault("the elements are not read from memory")) } else { Ok(()) }
}

/// The axes of rows, and those of them that lie side by side: none where the elements of a row do.
fn layout(
    known: &Analyzer,
    seek: &Stage,
    term: &Expr,
    mut rows: Vec<Axis>,
    column: &Axis,
) -> Result<(Vec<Axis>, Vec<Axis>), Fault> {
    let apart = || fault("elements do not lie together in memory");
    let along = steps_of(known, term, std::slice::from_ref(column)).ok_or_else(apart)?;
    if !along.is_empty() && along.iter().all(|steps| steps == &[1]) {
        return Ok((rows, Vec::new()));
    }
    // Axes of one place are in nobody's way.
    let wide: Vec<Axis> = rows.iter().filter(|axis| axis.extent.as_int() != Some(1)).cloned().collect();
    let written = steps(known, &wide, &seek.buffer, &seek.indices).ok_or_else(apart)?;
    let mut all = steps_of(known, term, &wide).ok_or_else(apart)?;
    all.push(written);
    if wide.is_empty() || !all.iter().all(|steps| steps.last() == Some(&1)) {
        return Err(apart());
    }
    let beside = wide.get(wide.len() - run(&all, &wide)..).unwrap_or_default().to_vec();
    rows.retain(|axis| beside.iter().all(|other| other.var != axis.var));
    Ok((rows, beside))
}
