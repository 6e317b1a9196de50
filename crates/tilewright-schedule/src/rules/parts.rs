//! A reduction of many elements to few: a fixed number of partial results, each a task, and then one of those.
//!
//! The number of parts depends on the size of the work alone, not on the number of threads, and so do the results.

use tilewright_ir::tir::{Expr, IterKind};
use tilewright_target::Target;

use super::Declined;
use super::accesses::PlainNest;
use super::calls::int;
use super::columns::PIECE;
use super::elementwise::cycles;
use super::rows::is_along_row;
use crate::Schedule;
use crate::trace::{Arg, Rv};

/// Cycles of a part.
const PART: u64 = 60_000;
/// Parts at most, and those of a reduction whose size is known only when it runs.
const MOST_PARTS: i64 = 64;
const PARTS: i64 = 16;
/// With as many results as this there is work for every thread without parts.
const ENOUGH: i64 = 32;

/// Whether the reduction has few results, or tasks of them, and so much work for each that parts of it pay.
pub(super) fn is_long(nest: &PlainNest, target: &Target) -> bool {
    let of = |kind: IterKind| (0..nest.loops.len()).filter(|&at| nest.kinds.get(at) == Some(&kind)).collect::<Vec<_>>();
    let (results, own) = (nest.iterations(&of(IterKind::Spatial)), nest.iterations(&of(IterKind::Reduce)));
    let Some(results) = results else { return false };
    let along = nest.along_result().filter(|&at| nest.kinds.get(at) == Some(&IterKind::Spatial));
    let tasks = match along.and_then(|at| nest.extent(at)) {
        Some(extent) if !is_along_row(nest) => results / extent.max(1) * (extent / PIECE).max(1),
        _ => results,
    };
    let work =
        own.map(|own| own.saturating_mul(results).unsigned_abs().saturating_mul(cycles(nest.cost, target)) / 100);
    results > 0 && tasks < ENOUGH && work.is_none_or(|work| work >= 2 * PART)
}

/// Takes a reduction apart; gives the block of the partial results. The block itself combines those afterwards.
pub(super) fn into_parts(schedule: &mut Schedule, target: &Target, nest: &PlainNest) -> Result<Rv, Declined> {
    let reduces = |at: &usize| nest.kinds.get(*at) == Some(&IterKind::Reduce);
    let all: Vec<usize> = (0..nest.loops.len()).collect();
    let own: Vec<usize> = all.iter().copied().filter(reduces).collect();
    let inner = nest.contiguous(&own).min(own.len());
    let longest = own.iter().copied().max_by_key(|&at| nest.extent(at).unwrap_or(i64::MAX));
    let rv = |at: usize| nest.rvs.get(at).copied();
    let fused: Vec<Rv> = own.iter().copied().filter_map(rv).collect();
    let long = match longest.and_then(rv) {
        _ if inner == own.len() => schedule.fuse_all(&fused)?,
        Some(longest) => longest,
        None => return Err(Declined::because("a reduction has no loop of its own")),
    };
    let work = nest.iterations(&all).map(|count| count.unsigned_abs().saturating_mul(cycles(nest.cost, target)) / 100);
    let parts = work.map_or(PARTS, |work| i64::try_from(work / PART).unwrap_or(i64::MAX).clamp(2, MOST_PARTS));
    let split = schedule.split_by(long, &[Some(Expr::i64(parts)), None])?;
    let Some(&outer) = split.first() else { return Err(Declined::because("a loop was not split")) };
    let partial = schedule.apply_named("rfactor", vec![Arg::Rv(outer), int(0)])?;
    partial.rvs().first().copied().ok_or_else(|| Declined::because("there are no partial results"))
}
