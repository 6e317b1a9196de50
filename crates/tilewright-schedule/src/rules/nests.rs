//! The nests of a schedule's stages, with handles of their loops.

use std::ops::Deref;

use tilewright_ir::tir::{Expr, IterKind, StmtKind};

use super::Declined;
use crate::Schedule;
use crate::analysis::loop_nest::LoopNest;
use crate::site::loop_of;
use crate::trace::Rv;

/// A nest by its loops and their handles.
#[derive(Debug)]
pub(crate) struct PlainNest {
    pub(crate) block: Rv,
    pub(crate) rvs: Vec<Rv>,
    shape: LoopNest,
}

impl Deref for PlainNest {
    type Target = LoopNest;

    fn deref(&self) -> &LoopNest {
        &self.shape
    }
}

impl PlainNest {
    /// The nest around a block of the root.
    pub(crate) fn of(schedule: &mut Schedule, block: Rv) -> Result<Self, Declined> {
        Self::inside(schedule, block, 0)
    }

    /// The nest around a block of the root, inside of so many loops.
    pub(crate) fn inside(schedule: &mut Schedule, block: Rv, skipped: usize) -> Result<Self, Declined> {
        let rvs = schedule.loops_around(block)?.split_off(skipped);
        let (function, site) = schedule.site(block).ok_or_else(gone)?;
        let shape = LoopNest::of(function, &site, rvs.len())?;
        Ok(Self { block, rvs, shape })
    }

    /// The handles of loops.
    pub(crate) fn handles(&self, loops: &[usize]) -> Vec<Rv> {
        loops.iter().filter_map(|&at| self.rvs.get(at).copied()).collect()
    }
}

pub(crate) fn gone() -> Declined {
    Declined::because("a block is gone")
}

/// The loop that a handle stands for, with its number of iterations.
pub(crate) fn extent_of(schedule: &Schedule, l: Rv) -> Result<Expr, Declined> {
    let stmt = schedule.stmt(l).ok_or_else(gone)?;
    loop_of(&stmt).map(|l| l.extent).ok_or_else(gone)
}

/// A reduction of fewer neighbours than this is no row.
const SHORT: i64 = 16;

/// Whether the innermost loop in memory is a reduce axis, and not only a short one while results are neighbours, too.
pub(super) fn is_along_row(nest: &PlainNest) -> bool {
    let reduces = |at: usize| nest.reduces(at);
    let near = |at: usize| nest.reads.iter().all(|read| nest.step(read, at).is_some_and(|step| step.abs() <= 4));
    let has_neighbouring_results =
        nest.along_result().is_some_and(|at| !reduces(at) && near(at) && nest.extent(at) != Some(1));
    match nest.along_reads() {
        Some(at) => reduces(at) && !(has_neighbouring_results && nest.extent(at).is_some_and(|extent| extent < SHORT)),
        None => (0..nest.loops.len()).filter(|&at| nest.extent(at) != Some(1)).all(reduces),
    }
}

/// The only stage that reduces.
pub(super) fn heavy_stage(schedule: &mut Schedule) -> Result<Rv, Declined> {
    let mut found = None;
    for stage in schedule.stages()? {
        let stmt = schedule.stmt(stage).ok_or_else(gone)?;
        let StmtKind::Block { block, .. } = &stmt.kind else { continue };
        if block.iters.iter().any(|iter| iter.kind != IterKind::Spatial) && found.replace(stage).is_some() {
            return Err(Declined::because("several stages reduce"));
        }
    }
    found.ok_or_else(|| Declined::because("no stage reduces"))
}
