//! The operands of the micro-kernels of one panel: elements of A and B in place, packed or widened.

use tilewright_ir::tir::{Buffer, Expr, ExprKind, Var};

use super::cx::{Gemm, KBlock, Task};
use super::k_nest::KIndex;
use super::matrix_tiles::TILE;
use crate::build::exprs::{substituted, typed};
use crate::fault::Fault;
use crate::plan::cpu::gemm::{PackA, PackB};

pub(super) struct Operands<'a> {
    pub(super) p: &'a Gemm<'a>,
    pub(super) task: &'a Task,
    pub(super) block: &'a KBlock,
    /// The number of the panel in the task.
    pub(super) panel: Expr,
    pub(super) packed_a: Option<Buffer>,
    pub(super) packed_b: Option<Buffer>,
    /// The packed panel in the type of the products, where the task makes one.
    pub(super) widened_b: Option<Buffer>,
}

impl Operands<'_> {
    /// The element of A at `m` of the task and `k` of the block.
    pub(super) fn a(&self, m: &Expr, k: &Expr) -> Result<Expr, Fault> {
        match (&self.packed_a, self.p.plan.pack_a) {
            (Some(packed), PackA::ColumnMajor) => typed(Expr::load(packed, vec![k.clone(), m.clone()])),
            (Some(packed), PackA::Tiles) => {
                let (p, depth) = (self.p, self.p.tile_depth());
                let first = if let ExprKind::Ramp { base, .. } = &k.kind { base } else { k };
                let tile = [p.floor_div(m, TILE)?, p.floor_div(first, depth)?, p.floor_mod(m, TILE)?];
                // Neighbours along K that are read as one are of one tile.
                let part = p.floor_mod(first, depth)?;
                let part = match &k.kind {
                    ExprKind::Ramp { stride, .. } => typed(Expr::ramp(&part, stride, k.dtype.lanes))?,
                    _ => part,
                };
                typed(Expr::load(packed, tile.into_iter().chain([part]).collect()))
            }
            (Some(packed), _) => typed(Expr::load(packed, vec![m.clone(), k.clone()])),
            (None, _) => self.p.a(self.task, &(&self.task.m_start + m), &(&self.block.start + k)),
        }
    }

    pub(super) fn a_at(&self, m: &Expr, index: &KIndex) -> Result<Expr, Fault> {
        let (None, Some(axes)) = (&self.packed_a, &index.axes) else { return self.a(m, &index.k) };
        let mut values = self.p.c.m.values(&self.p.known, &(&self.task.m_start + m))?;
        values.extend(axes.iter().chain(&self.task.batch).cloned());
        Ok(substituted(&self.p.c.a, &values))
    }

    /// The element of B at a lane of the panel and `k` of the block.
    pub(super) fn b(&self, lane: Expr, k: &Expr) -> Result<Expr, Fault> {
        if let Some(widened) = &self.widened_b {
            return typed(Expr::load(widened, vec![k.clone(), lane]));
        }
        match (&self.packed_b, self.p.plan.pack_b) {
            (Some(packed), PackB::PerTask) => self.p.widened(&typed(Expr::load(packed, vec![k.clone(), lane]))?),
            (Some(packed), _) => {
                let start = self.p.floor_div(&self.block.start, self.p.group())?;
                let own = [&self.task.panel_start + &self.panel, &start + k, lane];
                self.p.widened(&typed(Expr::load(packed, self.batch_of_packed_b().chain(own).collect()))?)
            }
            (None, _) => self.p.b(&self.task.batch, &self.n(&lane), &(&self.block.start + k)),
        }
    }

    pub(super) fn b_at(&self, lane: Expr, index: &KIndex) -> Result<Expr, Fault> {
        let in_place = self.p.plan.pack_b == PackB::InPlace && self.widened_b.is_none();
        match &index.axes {
            Some(axes) if in_place => self.p.b_at_axes(&self.task.batch, &self.n(&lane), axes.clone()),
            _ => self.b(lane, &index.k),
        }
    }

    /// The index along N of a lane of the panel.
    pub(super) fn n(&self, lane: &Expr) -> Expr {
        &(&(&self.task.panel_start + &self.panel) * self.p.plan.panel()) + lane
    }

    /// The batch indices of B as it is packed.
    pub(super) fn batch_of_packed_b(&self) -> impl Iterator<Item = Expr> {
        self.p.batch_of_b().into_iter().filter_map(|axis| self.batch_index(&axis.var))
    }

    /// The index along an axis of the batch.
    pub(super) fn batch_index(&self, var: &Var) -> Option<Expr> {
        self.task.batch.iter().find(|(own, _)| own == var).map(|(_, value)| value.clone())
    }
}
