//! A register tile: MR rows of NR accumulators, and the loops over its vectors.

use tilewright_ir::tir::{Buffer, Expr, ForKind, Scope, Stmt, Var};

use super::cx::Gemm;
use crate::build::exprs::{stored, typed};
use crate::build::loops::{looped, memory};
use crate::fault::Fault;

pub(super) struct Tile {
    pub(super) mr: i64,
    /// Its first row in the task.
    pub(super) m_start: Expr,
    /// Which of a panel's tiles it is, where it prefetches its share of the next panel. The edge tiles of an M that is
    /// known only when the function runs have none: they are a few of many, and each of their sizes would have one more
    /// loop.
    pub(super) number: Option<Expr>,
}

/// The loops over a tile's columns: vector `v`, lane `j` of `width`.
pub(super) struct Lanes {
    pub(super) v: Var,
    pub(super) j: Var,
    pub(super) width: i64,
}

impl Lanes {
    /// The lane in the panel.
    pub(super) fn lane(&self) -> Expr {
        &(&Expr::var(&self.v) * self.width) + &Expr::var(&self.j)
    }
}

impl Gemm<'_> {
    pub(super) fn lanes(&self, width: i64) -> Lanes {
        Lanes { v: self.var("v"), j: self.var("j"), width }
    }

    /// Registers for the accumulators of `mr` rows.
    pub(super) fn accumulators(&self, name: &str, mr: i64) -> Buffer {
        let shape = [mr, self.plan.nr_vectors, self.plan.lanes].map(|n| self.int(n)).to_vec();
        memory(name, shape, self.c.out.dtype, Scope::Local)
    }

    /// The statement for each vector of a tile, unrolled.
    pub(super) fn for_each(&self, mr: i64, body: impl Fn(&Expr, &Lanes) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let i = self.var("i");
        let lanes = self.lanes(self.plan.lanes);
        let inner = body(&Expr::var(&i), &lanes)?;
        let vector = looped(&lanes.j, &self.int(self.plan.lanes), ForKind::Vectorized, inner);
        let row = looped(&lanes.v, &self.int(self.plan.nr_vectors), ForKind::Unrolled, vector);
        Ok(looped(&i, &self.int(mr), ForKind::Unrolled, row))
    }
}

/// The accumulator of row `i` and a lane.
pub(super) fn accumulator(tile: &Buffer, i: &Expr, l: &Lanes) -> Result<Expr, Fault> {
    typed(Expr::load(tile, vec![i.clone(), Expr::var(&l.v), Expr::var(&l.j)]))
}

pub(super) fn set_accumulator(tile: &Buffer, i: &Expr, l: &Lanes, value: &Expr) -> Result<Stmt, Fault> {
    stored(tile, vec![i.clone(), Expr::var(&l.v), Expr::var(&l.j)], value)
}
