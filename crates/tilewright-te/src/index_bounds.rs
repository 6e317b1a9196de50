//! Bounds checks of constant and affine indices in formulas.
//!
//! An index that is an axis, alone or with a constant added, takes every value of a known range: one outside of the
//! dimension is a mistake whatever the tensors hold. Other indices may be correlated, and an index in a branch of
//! `if_then_else` or `select` may be guarded by its condition: no claim is made about those.

use tilewright_expr::node::walk_some;
use tilewright_expr::{BinOp, Expr, ExprKind, Intrinsic, Range, Var};

use crate::TeError;
use crate::reduce::Reduction;

/// Values from the first to the last, both inclusive.
type Interval = (i64, i64);

/// Refuses formulas that certainly read outside of a tensor.
pub(crate) fn check_indices(
    values: &[Expr],
    axes: &[Var],
    shape: &[Expr],
    reduction: Option<&Reduction>,
) -> Result<(), TeError> {
    let spatial = axes.iter().zip(shape).map(|(axis, extent)| (axis.clone(), Range::up_to(extent.clone())));
    let reduced = reduction.into_iter().flat_map(|reduction| reduction.axes.iter().cloned());
    let ranges: Vec<(Var, Range)> = spatial.chain(reduced).collect();
    // Where an axis is empty nothing is read.
    if ranges.iter().any(|(_, range)| range.extent.as_int() == Some(0)) {
        return Ok(());
    }
    let mut wrong = None;
    walk_some(&values.to_vec(), |node| {
        let Some(expr) = node.downcast::<Expr>() else { return true };
        match &expr.kind {
            ExprKind::Select { .. } | ExprKind::Call { intrinsic: Intrinsic::IfThenElse, .. } => return false,
            ExprKind::Load { buffer, indices, predicate: None } => {
                let found = indices.iter().zip(&buffer.shape).enumerate().find_map(|(d, (index, extent))| {
                    let ((low, high), extent) = (interval(index, &ranges)?, extent.as_int()?);
                    (low < 0 || high >= extent).then_some((d, low, high, extent))
                });
                if let Some((d, low, high, extent)) = found {
                    wrong.get_or_insert_with(|| {
                        TeError(format!(
                            "indices {low} to {high} into dimension {d} of `{}`, whose extent is {extent}",
                            buffer.name
                        ))
                    });
                }
            }
            _ => {}
        }
        wrong.is_none()
    });
    wrong.map_or(Ok(()), Err)
}

/// The values of an index that is a constant, or an axis with a constant added.
fn interval(index: &Expr, ranges: &[(Var, Range)]) -> Option<Interval> {
    match &index.kind {
        ExprKind::Int(value) => Some((*value, *value)),
        ExprKind::Cast(value) if value.dtype.is_int() && index.dtype.bits >= value.dtype.bits => {
            interval(value, ranges)
        }
        ExprKind::Var(var) => {
            let (_, range) = ranges.iter().find(|(axis, _)| axis == var)?;
            let (min, extent) = (range.min.as_int()?, range.extent.as_int()?);
            Some((min, min.checked_add(extent)?.checked_sub(1)?))
        }
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
            let ((low, high), by) = (interval(a, ranges)?, b.as_int()?);
            let moved = |end: i64| match op {
                BinOp::Add => end.checked_add(by),
                _ => end.checked_sub(by),
            };
            Some((moved(low)?, moved(high)?))
        }
        _ => None,
    }
}
