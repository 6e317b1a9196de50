//! Temporaries that are computed where they are read.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{walk, walk_some};
use tilewright_ir::tir::{BinOp, Block, Buffer, Expr, ExprKind, IterKind, StmtKind};

use super::Declined;
use super::nests::gone;
use crate::Schedule;
use crate::analysis::size::{MAX_INLINED_NODES, size};
use crate::analysis::stride::stride;
use crate::primitive::COMPUTE_INLINE;
use crate::trace::Rv;

/// Operations that are cheaper than to read their result from memory.
const CHEAP: usize = 4;

/// Inlines every stage that computes elements of a temporary one by one, where that does not repeat costly work.
pub(super) fn cheap_temporaries(schedule: &mut Schedule) -> Result<(), Declined> {
    let mut kept = 0;
    loop {
        let stages = schedule.stages()?;
        let Some(&stage) = stages.get(kept) else { return Ok(()) };
        let others = stages.get(kept + 1..).unwrap_or_default();
        let inlined = pays(schedule, stage, others)? && schedule.on_block(&COMPUTE_INLINE, stage).is_ok();
        kept += usize::from(!inlined);
    }
}

fn pays(schedule: &Schedule, stage: Rv, later: &[Rv]) -> Result<bool, Declined> {
    let stmt = schedule.stmt(stage).ok_or_else(gone)?;
    let StmtKind::Block { block, .. } = &stmt.kind else { return Ok(false) };
    let StmtKind::Store { buffer, value, .. } = &block.body.kind else { return Ok(false) };
    if block.init.is_some() || block.iters.iter().any(|iter| iter.kind != IterKind::Spatial) {
        return Ok(false);
    }
    let ((own, operations), axes) = (size(value), wide_axes(block));
    let operations = operations + divisions(value);
    let joins = loads_of_any(value) > 1;
    let (mut loads, mut readers, mut spread, mut nodes) = (0, 0, false, own);
    for &other in later {
        let Some(other) = schedule.stmt(other) else { continue };
        let StmtKind::Block { block, .. } = &other.kind else { continue };
        let here = loads_of(block, buffer);
        if here > 0 {
            if joins && here > 1 && is_looked_up(block, buffer) {
                return Ok(false);
            }
            (loads, readers) = (loads + here, readers + 1);
            spread |= wide_axes(block) > axes && !is_table(block, buffer);
            if let StmtKind::Store { value, .. } = &block.body.kind {
                nodes = nodes.max(size(value).0.saturating_add(here * own));
            }
        }
    }
    let computed_once = readers == 1 && loads == 1 && !spread;
    let pays = if spread { operations == 0 } else { operations <= CHEAP || readers == 1 };
    Ok(nodes <= MAX_INLINED_NODES && (computed_once || pays))
}

fn loads_of(block: &Block, buffer: &Buffer) -> usize {
    let mut loads = 0;
    walk(&block.body, |e: &Expr| {
        loads += usize::from(matches!(&e.kind, ExprKind::Load { buffer: read, .. } if read == buffer));
    });
    loads
}

fn loads_of_any(value: &Expr) -> usize {
    let mut loads = 0;
    walk(value, |e: &Expr| loads += usize::from(matches!(e.kind, ExprKind::Load { .. })));
    loads
}

/// Whether neighbouring results read elements that may lie anywhere in a row of the buffer. Such elements are read one
/// by one, what they are made of in vectors.
fn is_looked_up(block: &Block, buffer: &Buffer) -> bool {
    let Some(along) = block.iters.last() else { return false };
    let (known, mut found) = (Analyzer::new(), false);
    walk(&block.body, |e: &Expr| {
        if let ExprKind::Load { buffer: read, indices, .. } = &e.kind
            && read == buffer
        {
            found |= stride(&known, &along.var, buffer, indices).is_none();
        }
    });
    found
}

/// Whether rows of the buffer are looked up, of which there are no fewer than are read, as far as that is known: those
/// that nobody reads need not be computed.
fn is_table(block: &Block, buffer: &Buffer) -> bool {
    let times = |all: i64, extent: Option<i64>| Some(all.saturating_mul(extent?));
    let Some(all) = buffer.shape.iter().map(Expr::as_int).try_fold(1, times) else { return false };
    let read = block.iters.iter().map(|iter| iter.domain.extent.as_int()).try_fold(1, times);
    if read.is_some_and(|read| read > all) {
        return false;
    }
    let (mut by_rows, mut otherwise) = (false, false);
    walk(&block.body, |e: &Expr| {
        let ExprKind::Load { buffer: read, indices, .. } = &e.kind else { return };
        if read == buffer {
            let by_data = |index: &Expr| loads_of_any(index) > 0;
            let rows = indices.split_last().is_some_and(|(last, outer)| !by_data(last) && outer.iter().any(by_data));
            (by_rows, otherwise) = (by_rows | rows, otherwise | !rows);
        }
    });
    by_rows && !otherwise
}

/// The divisions of integers that are a value's own, not those of its places in memory: each takes as long as many
/// other operations.
fn divisions(value: &Expr) -> usize {
    let by_number = |e: &Expr| match &e.kind {
        ExprKind::Binary(BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod, _, by) => {
            e.dtype.is_int() && !by.as_int().is_some_and(|by| by > 0 && by & (by - 1) == 0)
        }
        _ => false,
    };
    let mut found = 0;
    walk_some(value, |node| {
        let Some(e) = node.downcast::<Expr>() else { return true };
        found += usize::from(by_number(e));
        !matches!(e.kind, ExprKind::Load { .. })
    });
    found
}

/// Axes with more than one value.
fn wide_axes(block: &Block) -> usize {
    block.iters.iter().filter(|iter| iter.domain.extent.as_int() != Some(1)).count()
}
