//! Rows of a result that were reduced to numbers: which axes name the row, and where the result reads its numbers.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Var};
use tilewright_tensor::DataType;

use crate::facts::axes::Axis;
use crate::facts::exprs::{mentions, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::formulas::Stage;

/// Whether the expression depends on some of these variables and on nothing else.
pub(crate) fn is_of(expr: &Expr, vars: &[&Var]) -> bool {
    let (mut some, mut other) = (false, false);
    walk(expr, |e: &Expr| match &e.kind {
        ExprKind::Var(var) if vars.contains(&var) => some = true,
        ExprKind::Var(_) | ExprKind::Load { .. } | ExprKind::Foreign { .. } | ExprKind::Let { .. } => other = true,
        _ => {}
    });
    some && !other
}

/// Whether the stage is a sum of float32 from zero.
pub(crate) fn is_sum(stage: &Stage) -> bool {
    let from_zero = |from: &Expr| matches!(&from.kind, ExprKind::Float(from) if from.0 == 0.0);
    stage.buffer.dtype == DataType::F32
        && stage.value.dtype == DataType::F32
        && stage.reduced.as_ref().is_some_and(|reduced| reduced.op == BinOp::Add && from_zero(&reduced.from))
}

/// The value with names for what depends on the totals of its row alone, and these numbers, which are worked out once for a
/// row; `total` says which name an expression is.
pub(crate) fn once_for_row(
    value: &Expr,
    totals: &[Var],
    total: impl Fn(&Expr) -> Option<Expr>,
) -> (Expr, Vec<(Var, Expr)>) {
    let mut of_row: Vec<(Var, Expr)> = totals.iter().map(|total| (total.clone(), Expr::var(total))).collect();
    let named = rewrite(value, |e: &Expr| {
        if let Some(total) = total(e) {
            return Some(total);
        }
        let of = of_row.iter().map(|(var, _)| var).collect::<Vec<_>>();
        if matches!(e.kind, ExprKind::Var(_)) || e.dtype != DataType::F32 || !is_of(e, &of) {
            return None;
        }
        let whole = substituted(e, &of_row);
        if let Some((var, _)) = of_row.iter().find(|(_, known)| known.equal(&whole)) {
            return Some(Expr::var(var));
        }
        let var = Var::new("once", DataType::F32);
        of_row.push((var.clone(), whole));
        Some(Expr::var(&var))
    });
    let value = named.unwrap_or_else(|| value.clone());
    of_row.retain(|(var, _)| mentions(&value, std::slice::from_ref(var)));
    (value, of_row)
}

/// Where the value reads the buffer.
pub(crate) fn read_at(value: &Expr, wanted: &Buffer) -> Option<Vec<Expr>> {
    let mut found = None;
    walk(value, |e: &Expr| match &e.kind {
        ExprKind::Load { buffer, indices, predicate: None } if buffer == wanted => found = Some(indices.clone()),
        _ => {}
    });
    found
}

/// Refuses a reduction that has not exactly these rows of the result.
pub(crate) fn check_rows(known: &Analyzer, stage: &Stage, places: &[Expr], rows: &[Axis]) -> Result<(), Fault> {
    let extent_of = |axes: &[Axis], place: &Expr| match (place.as_var(), place.as_int()) {
        (Some(var), _) => axes.iter().find(|axis| axis.var == *var).map(|axis| indexed(axis).map(|axis| axis.extent)),
        (None, Some(0)) => Some(Ok(Expr::i64(1))),
        (None, _) => None,
    };
    for (index, place) in stage.indices.iter().zip(places) {
        let sizes = extent_of(&stage.spatial, index).zip(extent_of(rows, place));
        let same = match sizes {
            Some((own, wanted)) => known.prove_equal(&own?, &wanted?),
            None => false,
        };
        if !same {
            return Err(Fault::of_call("a reduction is not of the rows of the result"));
        }
    }
    Ok(())
}

/// The axis along which the sum was taken, and the others: each of more than one place is an index of the sum's.
pub(crate) fn axes(out: &Stage, indices: &[Expr]) -> Result<(Axis, Vec<Axis>), Fault> {
    let is_index = |axis: &&Axis| indices.iter().any(|index| index.as_var() == Some(&axis.var));
    let is_unit = |axis: &&Axis| axis.extent.as_int() == Some(1);
    let mut columns = out.spatial.iter().filter(|axis| !is_index(axis) && !is_unit(axis));
    let (Some(column), None) = (columns.next(), columns.next()) else {
        return Err(Fault::of_call("the result has not one axis more than the sum"));
    };
    let rows = out.spatial.iter().filter(|axis| axis.var != column.var).map(indexed).collect::<Result<_, _>>()?;
    if mentions(&indices.to_vec(), std::slice::from_ref(&column.var)) {
        return Err(Fault::of_call("the sum is read at more than its place"));
    }
    Ok((indexed(column)?, rows))
}

/// Whether the column is the last index of an element, and in no other: neighbours along it are neighbours in memory.
pub(crate) fn lies_along(indices: &[Expr], column: &Axis) -> bool {
    let Some((last, others)) = indices.split_last() else { return false };
    last.as_var() == Some(&column.var) && !mentions(&others.to_vec(), std::slice::from_ref(&column.var))
}

/// The axis with its extent as 64 bits.
pub(crate) fn indexed(axis: &Axis) -> Result<Axis, Fault> {
    Ok(Axis { var: axis.var.clone(), extent: typed(axis.extent.cast(DataType::I64))? })
}
