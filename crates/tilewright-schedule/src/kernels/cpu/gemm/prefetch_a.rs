//! Prefetch of A from memory: constants that are read in place, each once for a small N.
//!
//! A network goes through more weights than its caches hold, and a layer on a small image multiplies each of them with
//! few numbers. So a micro-kernel prefetches the rows of the next tile: with each cache line that it has read of its
//! rows, one of theirs.

use tilewright_ir::tir::{Expr, ExprKind, PrimFunc, Stmt};

use super::operands::Operands;
use super::register_tile::Tile;
use crate::build::exprs::prefetch_element;
use crate::families::contraction::{Contraction, is_constant};
use crate::fault::Fault;
use crate::plan::cpu::gemm::{GemmPlan, PackA};
use crate::units::LINE;

/// N up to which A is read from memory no faster than it is multiplied.
const MAX_N: i64 = 128;

/// The elements of a cache line of A, where it is prefetched.
pub(super) fn prefetched_a(function: &PrimFunc, c: &Contraction, plan: &GemmPlan) -> Option<i64> {
    let small_n = c.n.size.as_int().is_some_and(|n| n <= MAX_N);
    let in_place = matches!(c.a.kind, ExprKind::Load { .. }) && plan.pack_a == PackA::InPlace;
    let length = LINE / i64::from(c.a.dtype.bits).max(8) * 8;
    (small_n && in_place && length > 1 && is_constant(function, &c.a)).then_some(length)
}

/// Prefetches `k` of the next tile, as many rows as the tile has. They may be another task's, or not exist.
pub(super) fn next_tile(o: &Operands<'_>, tile: &Tile, k: &Expr) -> Result<Vec<Stmt>, Fault> {
    let prefetch = |i: i64| {
        let m = &(&o.task.m_start + &tile.m_start) + (tile.mr + i);
        prefetch_element(&o.p.a(o.task, &m, &(&o.block.start + k))?)
    };
    (0..tile.mr).map(prefetch).collect()
}
