//! Packing of an operand that is contiguous along K into panels that are contiguous along M or N: tiles of it are
//! transposed in registers.

use tilewright_ir::tir::{Buffer, Expr, ExprKind, Stmt, Var};

use super::cx::{Gemm, KBlock, Task};
use super::im2col::PanelCopy;
use crate::build::exprs::{mentions_var, substituted};
use crate::build::loops::serial_loop;
use crate::fault::Fault;
use crate::primitive::vectorize_transpose::{Edges, Transpose, is_along};

impl Gemm<'_> {
    /// The loops that pack a panel of B; `None` where it is not contiguous along K, or no element as it is. The tail of
    /// N is zeros.
    pub(super) fn b_transposed(&self, panel: &PanelCopy<'_>) -> Result<Option<Stmt>, Fault> {
        let element = if self.grouping.is_some() { narrowed_bits(self.narrow_b) } else { self.narrow_b };
        let ExprKind::Load { buffer, indices, predicate: None } = &element.kind else { return Ok(None) };
        let lanes = self.plan.lanes;
        if ![2, 4, 8, 16].contains(&lanes) || buffer.dtype.is_bool() || self.c.needs_im2col() {
            return Ok(None);
        }
        let (k, j) = (self.var("k"), self.var("j"));
        let n = &panel.n_start + &Expr::var(&j);
        let mut values = self.c.n.values(&self.known, &n)?;
        values.extend(self.c.k.values(&self.known, &(&panel.k_start + &(&Expr::var(&k) * self.group())))?);
        values.extend(panel.batch.iter().cloned());
        let from_indices: Vec<Expr> = indices.iter().map(|index| substituted(index, &values)).collect();
        let is_read_along = |var: &Var, step: i64| {
            let last = from_indices.last().and_then(|last| self.known.linear_in(last, std::slice::from_ref(var)));
            last.is_some_and(|linear| linear.coefficients == [step])
        };
        let groups = self.groups_in(&panel.k_count)?;
        let read = self.unless_divided(lanes, &k, &groups)?;
        let whole = self.group() == 1 || (read.is_empty() && self.divides(self.group(), &self.c.k.size)?);
        let others = from_indices.split_last().map_or(&[][..], |(_, others)| others);
        let is_along_k = is_read_along(&k, self.group()) && !others.iter().any(|index| mentions_var(index, &k));
        if !whole || !is_along_k || is_along(&self.known, &from_indices, &j) {
            return Ok(None);
        }
        let zeros = if self.has_n_tail()? { vec![(n, self.c.n.size.clone())] } else { Vec::new() };
        let transpose = Transpose {
            lanes: usize::try_from(lanes).unwrap_or(1),
            from: buffer.clone(),
            from_indices,
            word: self.group() as u16,
            to: panel.to.clone(),
            to_indices: panel.outer.iter().cloned().chain([Expr::var(&k), Expr::var(&j)]).collect(),
            read: serial_loop(&k, &groups),
            write: serial_loop(&j, &self.int(self.plan.panel())),
            edges: Edges { read, zeros, ..Edges::default() },
        };
        transpose.along_read().map(Some)
    }

    /// The loops that pack a block of A; `None` where it is not contiguous along K, or no element as it is.
    pub(super) fn a_transposed(&self, task: &Task, block: &KBlock, to: &Buffer) -> Result<Option<Stmt>, Fault> {
        let (k, i) = (self.var("k"), self.var("i"));
        let a = self.a(task, &(&task.m_start + &Expr::var(&i)), &(&block.start + &Expr::var(&k)))?;
        let ExprKind::Load { buffer, indices, predicate: None } = &a.kind else { return Ok(None) };
        if buffer.dtype.is_bool() || !is_along(&self.known, indices, &k) || is_along(&self.known, indices, &i) {
            return Ok(None);
        }
        let wanted = self.plan.lanes.min(task.m_count.as_int().unwrap_or(self.plan.mr));
        let Some(lanes) = [2, 4, 8, 16].into_iter().find(|&lanes| lanes >= wanted) else { return Ok(None) };
        let transpose = Transpose {
            lanes: usize::try_from(lanes).unwrap_or(1),
            from: buffer.clone(),
            from_indices: indices.clone(),
            word: 1,
            to: to.clone(),
            to_indices: vec![Expr::var(&k), Expr::var(&i)],
            read: serial_loop(&k, &block.count),
            write: serial_loop(&i, &task.m_count),
            edges: Edges {
                read: self.unless_divided(lanes, &k, &block.count)?,
                write: self.unless_divided(lanes, &i, &task.m_count)?,
                ..Edges::default()
            },
        };
        transpose.along_read().map(Some)
    }
}

/// The element whose bits an operand is.
fn narrowed_bits(operand: &Expr) -> &Expr {
    match &operand.kind {
        ExprKind::Reinterpret(value) => value,
        _ => operand,
    }
}
