//! Prefetch of B, whose panels come from the last-level cache or from memory.
//!
//! The first tile of a panel reads B faster than the last-level cache gives it, and the hardware prefetcher starts too
//! late for a panel. So all tiles of a panel together prefetch the next one to L2: with every few indices of K some of
//! its lines, so that the last tile completes it. After the last panel of a K block comes the first one of the next
//! block.
//!
//! Where a panel has a single tile, a B that was packed ahead is prefetched `prefetch_b_bytes` before it is read, since
//! many more of a core's reads are in flight then than the hardware prefetcher starts. A B that L2 may hold, which is
//! read once each time, is not. With `prefetch_b_to_l1` it comes to L1, else to L2.

use tilewright_ir::tir::{CmpOp, Expr, ExprKind, Stmt, Var};
use tilewright_target::NEAR_BYTES;

use super::cx::{Gemm, KBlock, Task};
use super::operands::Operands;
use crate::build::exprs::{Level, compare, prefetch_into, reads_memory, substituted, typed};
use crate::build::loops::named;
use crate::fault::Fault;
use crate::plan::cpu::gemm::PackB;
use crate::units::{LINE, ceil_div};

/// Indices of K between two groups of prefetches, the preferred one first.
const K_STEPS: [i64; 3] = [16, 8, 4];
/// Lines that are prefetched at once, at most, where there is a choice: with more, the loads of the panel itself have
/// to wait for a line-fill buffer.
const MAX_LINES: i64 = 8;
/// Bytes of B up to which it stays resident in L2, where several tiles of a panel read it.
const L2_RESIDENT_BYTES: i64 = 1 << 18;
/// Bytes of B up to which it may stay resident in L2, where a single tile reads it.
const SINGLE_TILE_RESIDENT_BYTES: i64 = NEAR_BYTES.cast_signed();
/// Register tiles along M that are assumed where M is known only when the function runs.
const TILES_OF_UNKNOWN_M: i64 = 8;

/// What is prefetched of B while a panel is multiplied.
pub(super) struct NextPanel {
    /// The number of the panel among all, and its first index along K.
    panel: Expr,
    k_start: Expr,
    /// Indices of K between two groups of prefetches, and the lines of a group.
    pub(super) k_step: i64,
    lines: i64,
    /// The elements of a line.
    line: i64,
    level: Level,
}

/// What is prefetched while a panel of the task is multiplied, with names for its indices; `None` where nothing is
/// gained.
pub(super) fn next_panel(
    p: &Gemm<'_>,
    task: &Task,
    block: &KBlock,
    panel: &Expr,
    lets: &mut Vec<(Var, Expr)>,
) -> Result<Option<NextPanel>, Fault> {
    let bytes = i64::from(p.narrow_b.dtype.bits) / 8;
    let width = p.plan.panel() * bytes;
    let [k, n] = [&p.c.k.size, &p.c.n.size].map(Expr::as_int);
    let tiles = task.m_count.as_int().map_or(TILES_OF_UNKNOWN_M, |count| ceil_div(count, p.plan.mr));
    let limit = if tiles <= 1 { SINGLE_TILE_RESIDENT_BYTES } else { L2_RESIDENT_BYTES };
    let resident = k.zip(n).is_some_and(|(k, n)| k.saturating_mul(n).saturating_mul(bytes) <= limit);
    let has_addresses = p.plan.pack_b == PackB::Ahead || is_plain_load(p.narrow_b);
    let others = p.c.needs_im2col() || p.grouping.is_some() || p.plan.kc < K_STEPS[0];
    // Most of what a window's next panel reads has been read, and finding the rest takes longer than waiting for it.
    let overlap = p.plan.pack_b != PackB::Ahead && p.windows_overlap();
    if resident || !has_addresses || others || overlap || bytes <= 0 || width % LINE != 0 {
        return Ok(None);
    }
    let line = LINE / bytes;
    if tiles <= 1 {
        let level = if p.plan.prefetch_b_to_l1 { Level::First } else { Level::Second };
        let distance = p.plan.prefetch_b_bytes;
        let (panel, k_start) = (&task.panel_start + panel, &block.start + ceil_div(distance, width));
        let next = NextPanel { panel, k_start, k_step: 1, lines: width / LINE, line, level };
        return Ok((p.plan.pack_b == PackB::Ahead).then_some(next));
    }
    let (panel, k_start) = after(p, task, block, panel)?;
    let panel = named("prefetch_panel", &panel, lets);
    let lines = |k_step: i64| ceil_div(width * k_step / LINE, tiles);
    let few = K_STEPS.into_iter().find(|&k_step| lines(k_step) <= MAX_LINES);
    let k_step = p.inner_k().or(few).unwrap_or(K_STEPS[2]);
    let k_start = named("prefetch_k", &k_start, lets);
    Ok(Some(NextPanel { panel, k_start, k_step, lines: lines(k_step), line, level: Level::Second }))
}

/// The number of the panel after that of the task, among all, and its first index along K. With K outermost the next
/// task's panels follow, and the first task's of the next K block.
fn after(p: &Gemm<'_>, task: &Task, block: &KBlock, panel: &Expr) -> Result<(Expr, Expr), Fault> {
    let (first, all, next) = match p.plan.k_outermost {
        true => (p.int(0), p.panels()?, &(&task.panel_start + panel) + 1),
        false => (task.panel_start.clone(), task.panels.clone(), panel + 1),
    };
    let (mut number, mut k_start) = (next.clone(), block.start.clone());
    if !block.is_only() {
        let is_there = compare(CmpOp::Lt, &next, &all)?;
        let next_block = &block.start + p.plan.kc;
        number = p.simple(&typed(Expr::select(&is_there, &next, &p.int(0)))?);
        k_start = p.simple(&typed(Expr::select(&is_there, &k_start, &next_block))?);
    }
    Ok((p.simple(&(&first + &number)), k_start))
}

/// Whether the operand is an element whose address depends on no other memory.
fn is_plain_load(operand: &Expr) -> bool {
    matches!(&operand.kind, ExprKind::Load { indices, .. } if !indices.iter().any(reads_memory))
}

impl NextPanel {
    /// The group of prefetches of the tile and the step over K with these numbers.
    pub(super) fn prefetches(&self, o: &Operands<'_>, tile: &Expr, step: &Expr) -> Result<Vec<Stmt>, Fault> {
        let (p, kc) = (o.p, o.p.plan.kc);
        let first = &(&(tile * (kc / self.k_step)) + step) * self.lines;
        let prefetch = |at: i64| {
            let number = &first + at;
            let (lane, k) = if p.plan.pack_b == PackB::Ahead {
                // All lines of a panel are contiguous: no index is divided.
                (&number * self.line, p.int(0))
            } else if p.b_is_contiguous_along_n()? {
                let along_n = p.plan.panel() / self.line;
                (&p.floor_mod(&number, along_n)? * self.line, p.floor_div(&number, along_n)?)
            } else {
                let along_k = (kc / self.line).max(1);
                (p.floor_div(&number, along_k)?, &p.floor_mod(&number, along_k)? * self.line)
            };
            let element = self.element(o, &p.simple(&lane), &p.simple(&k))?;
            let ExprKind::Load { buffer, indices, .. } = &element.kind else { return Ok(Stmt::nothing()) };
            prefetch_into(self.level, buffer, indices.clone(), false)
        };
        (0..self.lines).map(prefetch).collect()
    }

    /// An element of the panel as it lies in memory.
    fn element(&self, o: &Operands<'_>, lane: &Expr, k: &Expr) -> Result<Expr, Fault> {
        let (p, k) = (o.p, o.p.simple(&(&self.k_start + k)));
        if let (Some(packed), PackB::Ahead) = (&o.packed_b, p.plan.pack_b) {
            let indices = o.batch_of_packed_b().chain([self.panel.clone(), k, lane.clone()]).collect();
            return typed(Expr::load(packed, indices));
        }
        let n = &(&self.panel * p.plan.panel()) + lane;
        let mut values = p.c.n.values(&p.known, &n)?;
        values.extend(p.c.k.values(&p.known, &k)?);
        values.extend(o.task.batch.iter().cloned());
        Ok(substituted(p.narrow_b, &values))
    }
}
