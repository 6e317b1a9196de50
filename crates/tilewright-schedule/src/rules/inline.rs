//! Temporaries that are computed where they are read.

use tilewright_expr::node::{AnyHandle, Visitor, walk};
use tilewright_ir::tir::{Block, Buffer, Expr, ExprKind, Intrinsic, IterKind, StmtKind};
use tilewright_support::{Map, with_stack};

use super::Declined;
use super::accesses::gone;
use crate::Schedule;
use crate::trace::Rv;

/// Nodes of a formula beyond which it is not put into another one.
const MOST_NODES: usize = 400;
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

/// Nodes of an expression as its text would have them, and what they cost: functions count for many operations.
fn size(value: &Expr) -> (usize, usize) {
    let mut sizes = Sizes::default();
    sizes.visit(value);
    (sizes.nodes, sizes.cost)
}

/// Sums over the nodes that were visited.
#[derive(Default)]
struct Sizes {
    nodes: usize,
    cost: usize,
    /// Of the expressions at these addresses, which live as long as what is visited.
    known: Map<usize, (usize, usize)>,
}

impl Visitor for Sizes {
    fn visit(&mut self, node: &dyn AnyHandle) {
        let Some(e) = node.downcast::<Expr>() else { return };
        let (nodes, cost) = match self.known.get(&e.address()) {
            Some(known) => *known,
            None => {
                let before = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.cost));
                with_stack(|| e.visit_inside(self));
                let own = match &e.kind {
                    ExprKind::Call { intrinsic: Intrinsic::IfThenElse, .. } => 1,
                    ExprKind::Call { .. } => 20,
                    ExprKind::Binary(..) if !e.dtype.is_int() => 1,
                    _ => 0,
                };
                let whole = (self.nodes.saturating_add(1), self.cost.saturating_add(own));
                (self.nodes, self.cost) = before;
                self.known.insert(e.address(), whole);
                whole
            }
        };
        self.nodes = self.nodes.saturating_add(nodes);
        self.cost = self.cost.saturating_add(cost);
    }
}
