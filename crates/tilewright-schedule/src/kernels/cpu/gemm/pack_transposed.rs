//! Copies of a factor whose neighbours in memory are along the depth, for which those along the rows or columns shall be
//! neighbours: tiles of it are turned in registers.

use tilewright_ir::Attrs;
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, ForKind, Stmt, Var};

use super::cx::{Gemm, KBlock, Task};
use super::im2col::Copied;
use crate::facts::exprs::substituted;
use crate::facts::fault::Fault;
use crate::primitive::vectorize_transpose::{Copy, is_along};

impl Gemm<'_> {
    /// The loops that copy a panel in tiles that are turned; `None` where neighbours in memory are not along the depth, or
    /// the factor is no element as it is. Behind the last column are zeros.
    pub(super) fn turned(&self, panel: &Copied<'_>) -> Result<Option<Stmt>, Fault> {
        let ExprKind::Load { buffer, indices, predicate: None } = &self.columns.kind else { return Ok(None) };
        let lanes = self.plan.lanes;
        if ![2, 4, 8, 16].contains(&lanes) || buffer.dtype.is_bool() || self.grouping.is_some() || self.c.needs_im2col()
        {
            return Ok(None);
        }
        let (k, j) = (self.var("k"), self.var("j"));
        let mut values = self.c.n.values(&self.known, &(&panel.column + &Expr::var(&j)))?;
        values.extend(self.c.k.values(&self.known, &(&panel.start + &Expr::var(&k)))?);
        values.extend(panel.batch.iter().cloned());
        let from_indices: Vec<Expr> = indices.iter().map(|index| substituted(index, &values)).collect();
        if !is_along(&self.known, &from_indices, &k) || is_along(&self.known, &from_indices, &j) {
            return Ok(None);
        }
        let whole = |size: &Expr| self.floor_mod(size, lanes).map(|rest| rest.as_int() == Some(0));
        let read_bounds = match whole(&panel.depth)? {
            true => Vec::new(),
            false => vec![(Expr::var(&k), panel.depth.clone())],
        };
        let zeros_behind = match self.is_ragged()? {
            true => vec![(&panel.column + &Expr::var(&j), self.c.n.size.clone())],
            false => Vec::new(),
        };
        let place = [Expr::var(&k), Expr::var(&j)];
        let copy = Copy {
            lanes: usize::try_from(lanes).unwrap_or(1),
            from: buffer.clone(),
            from_indices,
            to: panel.to.clone(),
            to_indices: panel.at.iter().cloned().chain(place).collect(),
            read: side(&k, &panel.depth),
            write: side(&j, &self.int(self.plan.panel())),
            read_bounds,
            write_bounds: Vec::new(),
            zeros_behind,
            conditions: Vec::new(),
        };
        copy.along_read().map(Some)
    }

    /// The loops that copy the rows of a task for a step in tiles that are turned; `None` where neighbours in memory are not
    /// along the depth, or the factor is no element as it is.
    pub(super) fn rows_turned(&self, task: &Task, step: &KBlock, to: &Buffer) -> Result<Option<Stmt>, Fault> {
        let (k, i) = (self.var("k"), self.var("i"));
        let factor = self.a_at(task, &(&task.row + &Expr::var(&i)), &(&step.start + &Expr::var(&k)))?;
        let ExprKind::Load { buffer, indices, predicate: None } = &factor.kind else { return Ok(None) };
        if buffer.dtype.is_bool() || !is_along(&self.known, indices, &k) || is_along(&self.known, indices, &i) {
            return Ok(None);
        }
        let most = self.plan.lanes.min(task.rows.as_int().unwrap_or(self.plan.mr));
        let Some(lanes) = [2, 4, 8, 16].into_iter().find(|&lanes| lanes >= most) else { return Ok(None) };
        let bounds = |var: &Var, extent: &Expr| -> Result<Vec<(Expr, Expr)>, Fault> {
            let whole = self.floor_mod(extent, lanes)?.as_int() == Some(0);
            Ok(if whole { Vec::new() } else { vec![(Expr::var(var), extent.clone())] })
        };
        let copy = Copy {
            lanes: usize::try_from(lanes).unwrap_or(1),
            from: buffer.clone(),
            from_indices: indices.clone(),
            to: to.clone(),
            to_indices: vec![Expr::var(&k), Expr::var(&i)],
            read_bounds: bounds(&k, &step.depth)?,
            write_bounds: bounds(&i, &task.rows)?,
            read: side(&k, &step.depth),
            write: side(&i, &task.rows),
            zeros_behind: Vec::new(),
            conditions: Vec::new(),
        };
        copy.along_read().map(Some)
    }
}

/// A loop of a copy.
fn side(var: &Var, extent: &Expr) -> Loop {
    let zero = Expr::int(0, var.dtype);
    Loop { var: var.clone(), min: zero, extent: extent.clone(), kind: ForKind::Serial, annotations: Attrs::new() }
}
