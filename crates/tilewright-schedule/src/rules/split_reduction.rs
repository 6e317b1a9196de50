//! A reduction of many elements to few: a fixed number of partial results, each a task, and then one of those.
//!
//! The number of parts depends on the size of the work alone, not on the number of threads, and so do the results.
//! Parts are even: iterations that are left over follow on their own. Where the results are a few neighbours in memory,
//! the elements of several iterations lie together and fill vectors: these *pieces* are reduced first.

use tilewright_ir::tir::{Expr, IterKind};
use tilewright_target::Target;

use super::Declined;
use super::nests::{PlainNest, extent_of, is_along_row};
use super::primitive_calls::int;
use super::spatial::{cycles, work_of};
use super::strided_reduction::PIECE;
use crate::Schedule;
use crate::primitive::RFACTOR;
use crate::trace::{Arg, Rv};

/// Parts at most, and those of a reduction whose size is known only when it runs.
const MOST_PARTS: i64 = 64;
const PARTS: i64 = 16;
/// With as many results as this there is work for every thread without parts.
pub(super) const ENOUGH_RESULTS: i64 = 32;
/// Elements of a few neighbours that fill vectors.
const FILLED: i64 = 64;
/// Neighbours that fill some themselves.
const WIDE: i64 = 32;
/// Pieces of a part at least.
const PIECES: i64 = 64;

/// Whether the reduction has few results, or tasks of them, and so much work for each that parts of it pay.
pub(super) fn is_long(nest: &PlainNest, target: &Target) -> bool {
    let Some(results) = nest.iterations(&nest.loops_of(IterKind::Spatial)) else { return false };
    let along = nest.along_result().filter(|&at| nest.kinds.get(at) == Some(&IterKind::Spatial));
    let tasks = match along.and_then(|at| nest.extent(at)) {
        Some(extent) if !is_along_row(nest) => results / extent.max(1) * (extent / PIECE).max(1),
        _ => results,
    };
    let own = nest.iterations(&nest.loops_of(IterKind::Reduce));
    let work =
        own.map(|own| own.saturating_mul(results).unsigned_abs().saturating_mul(cycles(nest.cost, target)) / 100);
    results > 0 && tasks < ENOUGH_RESULTS && work.is_none_or(|work| work >= 2 * target.tasks.part_cycles)
}

/// Takes a reduction apart; gives the block of the partial results. The block itself combines those afterwards.
pub(super) fn into_parts(schedule: &mut Schedule, target: &Target, nest: &PlainNest) -> Result<Rv, Declined> {
    let (own, others) = nest.reduced_and_others();
    let inner = nest.contiguous(&own).min(own.len());
    // The first of those that are of unknown size.
    let longest = own.iter().copied().rev().max_by_key(|&at| nest.extent(at).unwrap_or(i64::MAX));
    // One index of two that is divided by a size that is not constant no longer tells which elements lie together.
    let is_linear = own.iter().skip(1).all(|&at| nest.extent(at).is_some());
    let long = match longest.and_then(|at| nest.rvs.get(at)) {
        _ if inner == own.len() && is_linear => schedule.fuse_all(&nest.handles(&own))?,
        Some(&longest) => longest,
        None => return Err(Declined::because("a reduction has no loop of its own")),
    };
    let parts = work_of(nest, target).map_or(PARTS, |work| {
        i64::try_from(work / target.tasks.part_cycles.max(1)).unwrap_or(i64::MAX).clamp(2, MOST_PARTS)
    });
    let unit = neighbours(nest).map_or(1, |(_, _, several)| several);
    let long = even_part(schedule, long, &nest.handles(&others), parts * unit)?;
    let split = schedule.split_by(long, &[Some(Expr::i64(parts)), None])?;
    let Some(&outer) = split.first() else { return Err(Declined::because("a loop was not split")) };
    let partial = schedule.call(&RFACTOR, vec![Arg::Rv(outer), int(0)])?;
    partial.rvs().first().copied().ok_or_else(|| Declined::because("there are no partial results"))
}

/// As many iterations of the loop as are a multiple of `unit`; the few that are left follow, on their own. The
/// loop as it is where its extent is not constant, or such a multiple already. It goes around the others.
fn even_part(schedule: &mut Schedule, long: Rv, others: &[Rv], unit: i64) -> Result<Rv, Declined> {
    let all = extent_of(schedule, long)?.as_int().unwrap_or(0);
    let whole = all - all % unit;
    if whole == all || whole == 0 {
        return Ok(long);
    }
    if !others.is_empty() {
        schedule.reorder_to(&[&[long], others].concat())?;
    }
    let loops = schedule.partition_by(long, &[Some(Expr::i64(whole)), None])?;
    loops.first().copied().ok_or_else(|| Declined::because("a loop was not parted"))
}

/// Of a reduction across memory of a few results that are neighbours: the loop along these, the one of its own that
/// goes on where they end, and how many of its iterations fill vectors.
fn neighbours(nest: &PlainNest) -> Option<(usize, usize, i64)> {
    let along = nest.along_result().filter(|&at| !nest.reduces(at))?;
    let width = nest.extent(along).filter(|width| (2..WIDE).contains(width))?;
    let long = nest
        .loops_of(IterKind::Reduce)
        .into_iter()
        .find(|&at| nest.reads.iter().any(|read| nest.step(read, at) == Some(width)))?;
    Some((along, long, 2 << (FILLED / width).ilog2()))
}

/// Takes apart such a reduction: pieces of it that lie together in memory are reduced each for themselves, all of its
/// elements at once. Gives the block of the pieces, whose innermost loop goes over their elements; the block itself
/// combines them afterwards.
pub(super) fn into_pieces(schedule: &mut Schedule, nest: &PlainNest) -> Result<Rv, Declined> {
    let (_, long, several) = neighbours(nest).ok_or_else(|| Declined::because("there are no few neighbours"))?;
    let even = nest.extent(long).is_some_and(|count| count % several == 0 && count >= PIECES * several);
    let (true, Some(&rv), Some(write)) = (even, nest.rvs.get(long), nest.writes.first()) else {
        return Err(Declined::because("a reduction is short, or not of whole pieces"));
    };
    let split = schedule.split_by(rv, &[None, Some(Expr::i64(several))])?;
    let inner = split.last().copied().ok_or_else(|| Declined::because("a loop was not split"))?;
    let axis = i64::try_from(write.buffer.rank()).unwrap_or(1) - 1;
    let pieces = schedule.call(&RFACTOR, vec![Arg::Rv(inner), int(axis)])?;
    let block = pieces.rvs().first().copied().ok_or_else(|| Declined::because("there are no partial results"))?;
    let nest = PlainNest::of(schedule, block)?;
    let along = nest.along_result().ok_or_else(|| Declined::because("no loop goes along the result"))?;
    let (own, others): (Vec<usize>, Vec<usize>) =
        (0..nest.loops.len()).filter(|&at| at != along).partition(|&at| nest.reduces(at));
    let together = |at: &usize| nest.extent(*at) == Some(several) && nest.is_contiguous(*at, along);
    let piece = others.iter().copied().find(together);
    let piece = piece.ok_or_else(|| Declined::because("a piece does not lie together in memory"))?;
    let order = others.into_iter().filter(|&at| at != piece).chain(own).chain([piece, along]);
    let order = nest.handles(&order.collect::<Vec<_>>());
    schedule.reorder_to(&order)?;
    schedule.fuse_all(order.get(order.len().saturating_sub(2)..).unwrap_or_default())?;
    Ok(block)
}
