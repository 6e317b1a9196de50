//! Strides: the distance of the elements that neighbouring values of a variable touch.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Var};

use crate::analysis::axes::Axis;
use crate::build::exprs::{mentions_var, reads_memory};

/// The distance in elements between what neighbouring iterations touch; `None` where it is not the same everywhere.
pub(crate) type Stride = Option<Expr>;

/// The stride of an access along a variable.
pub(crate) fn stride(known: &Analyzer, var: &Var, buffer: &Buffer, indices: &[Expr]) -> Stride {
    if !buffer.strides.is_empty() {
        return None;
    }
    by_dimension(known, var, buffer, indices).or_else(|| {
        // Parts of one index in several dimensions make a whole again.
        let mut offset = Expr::i64(0);
        for (index, extent) in indices.iter().zip(&buffer.shape) {
            let size = extent.cast(offset.dtype).ok()?;
            offset = Expr::binary(BinOp::Mul, &offset, &size).ok()?;
            offset = Expr::binary(BinOp::Add, &offset, &index.cast(offset.dtype).ok()?).ok()?;
        }
        let &coefficient = known.linear_in(&offset, std::slice::from_ref(var))?.coefficients.first()?;
        Some(Expr::i64(coefficient))
    })
}

fn by_dimension(known: &Analyzer, var: &Var, buffer: &Buffer, indices: &[Expr]) -> Stride {
    let mut sum = Expr::i64(0);
    let mut step = Expr::i64(1);
    for (index, extent) in indices.iter().zip(&buffer.shape).rev() {
        if mentions_var(index, var) {
            let &coefficient = known.linear_in(index, std::slice::from_ref(var))?.coefficients.first()?;
            let part = Expr::binary(BinOp::Mul, &step, &Expr::i64(coefficient)).ok()?;
            sum = Expr::binary(BinOp::Add, &sum, &part).ok()?;
        }
        step = Expr::binary(BinOp::Mul, &step, &extent.cast(step.dtype).ok()?).ok()?;
    }
    Some(known.simplify(&sum))
}

/// The bytes from an element of a value to its neighbour along an axis, where the value is elements of one buffer as
/// they are, and this is a constant.
pub(crate) fn byte_stride(value: &Expr, axis: Option<&Var>) -> Option<i64> {
    let (ExprKind::Load { buffer, indices, predicate: None }, Some(axis)) = (&value.kind, axis) else { return None };
    let elements = stride(&Analyzer::new(), axis, buffer, indices)?.as_int()?;
    elements.checked_mul(buffer.dtype.element_bytes() as i64)
}

/// The strides of an access along each of some axes.
pub(crate) type Steps = Vec<i64>;

/// Those of an access, where they are constants.
pub(crate) fn steps(known: &Analyzer, axes: &[Axis], buffer: &Buffer, indices: &[Expr]) -> Option<Steps> {
    // An index that is data has no stride.
    let is_data = indices.iter().any(|index| reads_memory(index) && axes.iter().any(|axis| is_of(index, axis)));
    let step = |axis: &Axis| stride(known, &axis.var, buffer, indices)?.as_int();
    if is_data { None } else { axes.iter().map(step).collect() }
}

/// Those of all loads of an expression that depend on the axes.
pub(crate) fn steps_of(known: &Analyzer, value: &Expr, axes: &[Axis]) -> Option<Vec<Steps>> {
    let mut all = Vec::new();
    walk(value, |e: &Expr| match &e.kind {
        ExprKind::Load { buffer, indices, .. } if axes.iter().any(|axis| is_of(e, axis)) => {
            all.push(steps(known, axes, buffer, indices));
        }
        _ => {}
    });
    all.into_iter().collect()
}

fn is_of(value: &Expr, axis: &Axis) -> bool {
    mentions_var(value, &axis.var)
}

/// How many of the axes, from the last on, are one for all of these accesses: each begins again where the next one
/// ends.
pub(crate) fn run(all: &[Steps], axes: &[Axis]) -> usize {
    let goes_on = |&at: &usize| {
        let extent = axes.get(at).and_then(|axis| axis.extent.as_int()).unwrap_or(0);
        let step = |steps: &Steps, at: usize| steps.get(at).copied().unwrap_or(0);
        all.iter().all(|steps| Some(step(steps, at - 1)) == step(steps, at).checked_mul(extent))
    };
    1 + (1..axes.len()).rev().take_while(goes_on).count()
}
