//! Rows of several matrices as those of one.
//!
//! A layer on a batch multiplies the rows of each matrix with the same columns. Where a matrix has a constant number of rows,
//! the number of a row among all of them is divided by it (`contraction`); by a size that is known only when the function runs
//! that costs time, and the indices could not be shown to be inside. But where each tensor has the rows of all matrices behind
//! each other, it is seen as one matrix: through a buffer that has one dimension in the place of two, on the same memory.
//! Without that each matrix has a last tile of few rows of its own, and reads all columns again.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{IrNode, rewrite};
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, PrimFunc, Var};
use tilewright_tir_passes::analyzer_of;

use super::Contraction;
use crate::facts::axes::{Axis, Group};
use crate::facts::epilogue::{Output, Outputs};
use crate::facts::exprs::{binary, mentions, typed};
use crate::facts::fault::Fault;

/// Two axes that become one.
struct Joined<'a> {
    function: &'a PrimFunc,
    known: &'a Analyzer,
    outer: &'a Axis,
    inner: &'a Axis,
    row: Var,
    /// Buffers, the first of the two dimensions, and what they are seen through.
    views: Vec<(Buffer, usize, Buffer)>,
}

/// The same with the rows of several matrices taken as those of one, and what arguments are seen through for that. `None`
/// where that cannot be done.
pub(crate) fn joined_rows(
    function: &PrimFunc,
    c: &Contraction,
    outputs: &Outputs,
) -> Result<Option<(Contraction, Outputs, Vec<Buffer>)>, Fault> {
    let known = &analyzer_of(function);
    let uses = |factor: &Expr, axis: &Axis| mentions(factor, std::slice::from_ref(&axis.var));
    let is_of_rows = |axis: &Axis| uses(&c.a, axis) && !uses(&c.b, axis);
    let Some(place) = c.batch.axes.iter().rposition(is_of_rows) else { return Ok(None) };
    let Some(first) = c.m.axes.iter().position(|axis| axis.extent.as_int() != Some(1)) else { return Ok(None) };
    let (Some(outer), Some(inner)) = (c.batch.axes.get(place), c.m.axes.get(first)) else { return Ok(None) };
    let mut join = Joined { function, known, outer, inner, row: inner.var.renewed(), views: Vec::new() };
    let Some(a) = join.expr(&c.a)? else { return Ok(None) };
    let mut all = Vec::with_capacity(outputs.all.len());
    for output in &outputs.all {
        let (buffer, indices) = join.access(&output.buffer, &output.indices)?;
        let Some(value) = join.expr(&output.value)? else { return Ok(None) };
        if join.is_left(&indices) {
            return Ok(None);
        }
        all.push(Output { buffer, indices, value });
    }
    let (mut batch, mut m) = (c.batch.axes.clone(), c.m.axes.clone());
    let extent = known.simplify(&binary(BinOp::Mul, &outer.extent, &inner.extent)?);
    batch.remove(place);
    if let Some(axis) = m.get_mut(first) {
        *axis = Axis { var: join.row, extent };
    }
    let (batch, m) = (Group::new(known, batch, c.index)?, Group::new(known, m, c.index)?);
    let contraction = Contraction { batch, m, a, ..c.clone() };
    let views = join.views.into_iter().map(|(.., view)| view).collect();
    Ok(Some((contraction, Outputs { sum: outputs.sum.clone(), all }, views)))
}

impl Joined<'_> {
    /// The expression over the joined axis; `None` where it uses one of the two by itself.
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

    /// The access through a view, where it is at both axes, one behind the other.
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
        indices.splice(at..at + 2, [Expr::var(&self.row)]);
        Ok((view, indices))
    }

    /// An argument of the function with one dimension for the one at this place and the next.
    fn view(&mut self, buffer: &Buffer, at: usize) -> Result<Option<Buffer>, Fault> {
        if let Some((.., view)) = self.views.iter().find(|(own, place, _)| own == buffer && *place == at) {
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
