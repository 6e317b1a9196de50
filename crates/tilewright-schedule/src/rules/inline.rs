//! Temporaries that are computed where they are read.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Block, Buffer, Expr, ExprKind, IterKind, StmtKind};

use super::Declined;
use super::accesses::gone;
use crate::Schedule;
use crate::size::{MOST_NODES, size};
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
        let inlined = pays(schedule, stage, others)? && schedule.on_block("compute_inline", stage).is_ok();
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
    let (mut loads, mut readers, mut spread, mut nodes) = (0, 0, false, own);
    for &other in later {
        let Some(other) = schedule.stmt(other) else { continue };
        let StmtKind::Block { block, .. } = &other.kind else { continue };
        let here = loads_of(block, buffer);
        if here > 0 {
            (loads, readers) = (loads + here, readers + 1);
            spread |= wide_axes(block) > axes;
            if let StmtKind::Store { value, .. } = &block.body.kind {
                nodes = nodes.max(size(value).0.saturating_add(here * own));
            }
        }
    }
    let computed_once = readers == 1 && loads == 1 && !spread;
    let pays = if spread { operations == 0 } else { operations <= CHEAP || readers == 1 };
    Ok(nodes <= MOST_NODES && (computed_once || pays))
}

fn loads_of(block: &Block, buffer: &Buffer) -> usize {
    let mut loads = 0;
    walk(&block.body, |e: &Expr| {
        loads += usize::from(matches!(&e.kind, ExprKind::Load { buffer: read, .. } if read == buffer));
    });
    loads
}

/// Axes with more than one value.
fn wide_axes(block: &Block) -> usize {
    block.iters.iter().filter(|iter| iter.domain.extent.as_int() != Some(1)).count()
}
