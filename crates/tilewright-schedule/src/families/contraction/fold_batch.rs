//! A batch of matrices folded into M: their rows as those of one matrix.
//!
//! A layer on a batch multiplies the rows of each matrix by the same B. Where a matrix has a constant number of rows,
//! the index along all rows is divided by it (`contraction`); by a size that is known only when the function runs that
//! costs time, and the indices could not be shown to be inside. But where each tensor has the rows of all matrices
//! contiguous, it is viewed as one matrix: through a buffer that has one dimension for two, on the same memory.
//! Otherwise each matrix would have edge tiles of its own, and read all of B again.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{IrNode, rewrite};
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, PrimFunc, Var};
use tilewright_tir_passes::analyzer_of;

use super::Contraction;
use crate::analysis::axes::{Axis, Group};
use crate::analysis::epilogue::{Output, Outputs};
use crate::build::exprs::{binary, mentions, mentions_var, typed};
use crate::fault::Fault;

/// A contraction whose batch, or an axis of it, is folded into M.
pub(crate) struct Folded {
    pub(crate) contraction: Contraction,
    pub(crate) outputs: Outputs,
    /// The views of arguments that it reads and writes.
    pub(crate) views: Vec<Buffer>,
}

/// Two axes that become one.
struct Fold<'a> {
    function: &'a PrimFunc,
    known: &'a Analyzer,
    outer: &'a Axis,
    inner: &'a Axis,
    folded: Var,
    /// Buffers, the first of the two dimensions, and their views.
    views: Vec<(Buffer, usize, Buffer)>,
}

/// Folds an axis of the batch that B does not depend on into M; `None` where that cannot be done.
pub(crate) fn fold(function: &PrimFunc, c: &Contraction, outputs: &Outputs) -> Result<Option<Folded>, Fault> {
    let known = &analyzer_of(function);
    let uses = |operand: &Expr, axis: &Axis| mentions_var(operand, &axis.var);
    let is_of_a = |axis: &Axis| uses(&c.a, axis) && !uses(&c.b, axis);
    let Some(at) = c.batch.axes.iter().rposition(is_of_a) else { return Ok(None) };
    let Some(first) = c.m.axes.iter().position(|axis| axis.extent.as_int() != Some(1)) else { return Ok(None) };
    let (Some(outer), Some(inner)) = (c.batch.axes.get(at), c.m.axes.get(first)) else { return Ok(None) };
    let mut fold = Fold { function, known, outer, inner, folded: inner.var.renewed(), views: Vec::new() };
    let Some(a) = fold.expr(&c.a)? else { return Ok(None) };
    let mut all = Vec::with_capacity(outputs.all.len());
    for output in &outputs.all {
        let (buffer, indices) = fold.access(&output.buffer, &output.indices)?;
        let Some(value) = fold.expr(&output.value)? else { return Ok(None) };
        if fold.is_left(&indices) {
            return Ok(None);
        }
        all.push(Output { buffer, indices, value });
    }
    let (mut batch, mut m) = (c.batch.axes.clone(), c.m.axes.clone());
    let extent = known.simplify(&binary(BinOp::Mul, &outer.extent, &inner.extent)?);
    batch.remove(at);
    if let Some(axis) = m.get_mut(first) {
        *axis = Axis { var: fold.folded, extent };
    }
    let (batch, m) = (Group::new(known, batch, c.index)?, Group::new(known, m, c.index)?);
    let contraction = Contraction { batch, m, a, ..c.clone() };
    let views = fold.views.into_iter().map(|(.., view)| view).collect();
    Ok(Some(Folded { contraction, outputs: Outputs { sum: outputs.sum.clone(), all }, views }))
}

impl Fold<'_> {
    /// The expression over the folded axis; `None` where it uses one of the two by itself.
    fn expr(&mut self, expr: &Expr) -> Result<Option<Expr>, Fault> {
        let mut fault = None;
        let replaced = rewrite(expr, |e: &Expr| {
            let ExprKind::Load { buffer, indices, predicate: None } = &e.kind else { return None };
            match self.access(buffer, indices).and_then(|(view, at)| typed(Expr::load(&view, at))) {
                Ok(load) => Some(load),
                Err(found) => {
                    fault = Some(found);
                    None
                }
            }
        });
        if let Some(fault) = fault {
            return Err(fault);
        }
        let expr = replaced.unwrap_or_else(|| expr.clone());
        Ok((!self.is_left(&expr)).then_some(expr))
    }

    fn is_left<N: IrNode>(&self, node: &N) -> bool {
        mentions(node, &[self.outer.var.clone(), self.inner.var.clone()])
    }

    /// The access through a view, where two neighbouring indices are the two axes.
    fn access(&mut self, buffer: &Buffer, indices: &[Expr]) -> Result<(Buffer, Vec<Expr>), Fault> {
        let are_axes = |pair: &[Expr]| match pair {
            [a, b] => a.as_var() == Some(&self.outer.var) && b.as_var() == Some(&self.inner.var),
            _ => false,
        };
        let view = match indices.windows(2).position(are_axes) {
            Some(at) => self.view(buffer, at)?.map(|view| (at, view)),
            None => None,
        };
        let Some((at, view)) = view else { return Ok((buffer.clone(), indices.to_vec())) };
        let mut indices = indices.to_vec();
        indices.splice(at..at + 2, [Expr::var(&self.folded)]);
        Ok((view, indices))
    }

    /// A view of an argument with one dimension for the one at `at` and the next.
    fn view(&mut self, buffer: &Buffer, at: usize) -> Result<Option<Buffer>, Fault> {
        if let Some((.., view)) = self.views.iter().find(|(own, dim, _)| own == buffer && *dim == at) {
            return Ok(Some(view.clone()));
        }
        let is_argument = self.function.params.iter().any(|param| param.buffer.as_ref() == Some(buffer));
        let is_dense = buffer.strides.is_empty() && buffer.axis_separators.is_empty() && !buffer.broadcasts;
        let [Some(outer), Some(inner)] = [at, at + 1].map(|dim| buffer.shape.get(dim)) else { return Ok(None) };
        let whole =
            self.known.prove_equal(outer, &self.outer.extent) && self.known.prove_equal(inner, &self.inner.extent);
        if !is_argument || !is_dense || !whole {
            return Ok(None);
        }
        let extent = self.known.simplify(&binary(BinOp::Mul, outer, inner)?);
        let view = buffer.derive(|node| drop(node.shape.splice(at..at + 2, [extent])));
        self.views.push((buffer.clone(), at, view.clone()));
        Ok(Some(view))
    }
}
