//! Packing of an operand that is contiguous along K into panels that are contiguous along M or N: tiles of it are
//! transposed in registers.

use tilewright_ir::tir::{Buffer, Expr, ExprKind, Stmt, StmtKind};

use super::cx::{Gemm, KBlock, Task};
use super::im2col::PanelCopy;
use crate::build::exprs::substituted;
use crate::build::loops::serial_loop;
use crate::families::contraction::dot_groups::WORD;
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
        let mut from_indices: Vec<Expr> = indices.iter().map(|index| substituted(index, &values)).collect();
        let whole = self.divides(self.group(), &self.c.k.size)?;
        let Some(from) = self.words_of(buffer).filter(|_| whole) else { return Ok(None) };
        if let Some(last) = from_indices.last_mut().filter(|_| self.grouping.is_some()) {
            *last = self.floor_div(last, self.group())?;
        }
        if !is_along(&self.known, &from_indices, &k) || is_along(&self.known, &from_indices, &j) {
            return Ok(None);
        }
        let zeros = if self.has_n_tail()? { vec![(n, self.c.n.size.clone())] } else { Vec::new() };
        let transpose = Transpose {
            lanes: usize::try_from(lanes).unwrap_or(1),
            from: from.clone(),
            from_indices,
            to: panel.to.clone(),
            to_indices: panel.outer.iter().cloned().chain([Expr::var(&k), Expr::var(&j)]).collect(),
            read: serial_loop(&k, &self.groups_in(&panel.k_count)?),
            write: serial_loop(&j, &self.int(self.plan.panel())),
            edges: Edges {
                read: self.unless_divided(lanes, &k, &self.groups_in(&panel.k_count)?)?,
                zeros,
                ..Edges::default()
            },
        };
        let body = transpose.along_read()?;
        Ok(Some(if from == *buffer { body } else { StmtKind::Allocate { buffer: from, body }.into() }))
    }

    /// The buffer, or a view of it as words of whole groups; `None` where its rows are not such.
    fn words_of(&self, buffer: &Buffer) -> Option<Buffer> {
        if self.grouping.is_none() {
            return Some(buffer.clone());
        }
        let (last, outer) = buffer.shape.split_last()?;
        let words = last.as_int().filter(|count| count % self.group() == 0)? / self.group();
        let is_dense = buffer.strides.is_empty() && buffer.axis_separators.is_empty() && !buffer.broadcasts;
        if !is_dense || buffer.elem_offset.is_some() {
            return None;
        }
        let shape = outer.iter().cloned().chain([Expr::int(words, last.dtype)]).collect();
        Some(buffer.derive(|node| {
            node.name = format!("{}_words", buffer.name).into();
            node.shape = shape;
            node.dtype = WORD;
        }))
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
