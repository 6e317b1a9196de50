//! Spatial nests in the order of their result: contiguous loops fused, the innermost in vectors, the others in parallel
//! tasks; and the estimates of work by which rules share loops.

use tilewright_ir::tir::Expr;
use tilewright_target::Target;
use tilewright_tir_passes::MAX_LANES;

use super::Declined;
use super::nests::{PlainNest, extent_of};
use crate::Schedule;
use crate::analysis::loop_nest::Cost;
use crate::primitive::{PARALLEL, VECTORIZE};
use crate::trace::Rv;
use crate::units::{LINE, TASKS, even_part};

/// With as many rows there are tasks enough, however long a row is.
const ENOUGH_ROWS: i64 = 64;

/// Cycles of the work for one element, in hundredths.
pub(super) fn cycles(cost: Cost, target: &Target) -> u64 {
    let lanes = u64::from(target.lanes(32));
    let moved = cost.bytes as f64 * 100.0 / target.plan.elementwise_bytes_per_cycle;
    (moved as u64).max(cost.operations * 100 / lanes).max(1)
}

/// Cycles of the work of a whole nest, where its size is known.
pub(super) fn work_of(nest: &PlainNest, target: &Target) -> Option<u64> {
    let count = nest.iterations(&nest.all_loops())?;
    Some(count.unsigned_abs().saturating_mul(cycles(nest.cost, target)) / 100)
}

/// Elements of a task: a power of two, which divides most extents, and whole lines of a cache, whatever their type. A
/// task of few, expensive elements has fewer, so that there is one for every thread.
fn grain(all: Option<i64>, cost: Cost, target: &Target) -> i64 {
    let within = |work: u64| i64::try_from(work * 100 / cycles(cost, target)).unwrap_or(i64::MAX).max(LINE);
    let most = within(target.tasks.task_cycles).min(1 << 20);
    let least = within(target.tasks.min_task_cycles).min(most);
    let shared = all.map_or(most, |all| (all / TASKS).clamp(least, most));
    1 << shared.ilog2()
}

/// Whether so many iterations are too few to be shared among threads.
pub(super) fn is_small(iterations: Option<i64>, cost: Cost, target: &Target) -> bool {
    let cycles = |count: i64| count.unsigned_abs().saturating_mul(cycles(cost, target)) / 100;
    iterations.is_some_and(|count| cycles(count) < target.tasks.serial_cycles)
}

/// An order of a nest's loops, and their handles: those outside, and those inside that go through memory as one.
type Order = (Vec<usize>, Vec<Rv>, Vec<Rv>);

/// The loops with the one along the result innermost; `None` where there are none.
pub(super) fn result_innermost(schedule: &mut Schedule, nest: &PlainNest) -> Result<Option<Order>, Declined> {
    let Some(vector) = nest.along_result().or(nest.loops.len().checked_sub(1)) else { return Ok(None) };
    let order: Vec<usize> = (0..nest.loops.len()).filter(|&at| at != vector).chain([vector]).collect();
    let mut outer: Vec<Rv> = nest.handles(&order);
    if vector + 1 < nest.loops.len() {
        schedule.reorder_to(&outer)?;
    }
    let along = outer.split_off(outer.len() - nest.contiguous(&order));
    Ok(Some((order, outer, along)))
}

/// Schedules a nest of spatial loops.
pub(super) fn spatial_order(schedule: &mut Schedule, target: &Target, nest: &PlainNest) -> Result<(), Declined> {
    let Some((order, outer, along)) = result_innermost(schedule, nest)? else { return Ok(()) };
    let row = nest.iterations(order.get(outer.len()..).unwrap_or_default());
    let along = schedule.fuse_all(&along)?;
    let rows = if outer.is_empty() { None } else { Some(schedule.fuse_all(&outer)?) };
    let iterations = nest.iterations(&order);
    let grain = grain(iterations, nest.cost, target);
    let small = is_small(iterations, nest.cost, target);
    let inside = match rows {
        _ if small => along,
        None => part(schedule, None, along, grain)?,
        Some(rows) => share(schedule, rows, along, row, grain)?,
    };
    let of = |flags: &[bool]| order.last().and_then(|&at| flags.get(at)).copied().unwrap_or(false);
    // A long row is cut at its conditions when it is lowered; of one that may become a single vector, and of parts of
    // rows, pieces are taken.
    let is_cut = of(&nest.cuts) && inside == along && row.is_none_or(|row| row > MAX_LANES);
    let in_pieces = of(&nest.decides) && !is_cut;
    in_vectors(schedule, inside, in_pieces.then(|| i64::from(target.lanes(32))))
}

/// Makes tasks of rows, or of parts of rows where these are long and may be few; gives the loop inside of a row.
fn share(schedule: &mut Schedule, rows: Rv, along: Rv, row: Option<i64>, grain: i64) -> Result<Rv, Declined> {
    let count = extent_of(schedule, rows)?.as_int();
    let is_few = |most: i64| count.is_none_or(|count| count < most);
    let in_parts = match row {
        Some(row) => row > grain + grain / 2 && is_few(ENOUGH_ROWS),
        None => count.is_some() && is_few(ENOUGH_ROWS),
    };
    if in_parts {
        return part(schedule, Some(rows), along, grain);
    }
    let several = row.map_or(1, |row| even_part(count, grain / row.max(1), 1)).max(1);
    let tasks = match several {
        1 => rows,
        several => outermost(&schedule.split_by(rows, &[None, Some(Expr::i64(several))])?, rows),
    };
    schedule.on_loop(&PARALLEL, tasks)?;
    Ok(along)
}

fn outermost(loops: &[Rv], otherwise: Rv) -> Rv {
    loops.first().copied().unwrap_or(otherwise)
}

/// Makes tasks of pieces of a loop.
fn part(schedule: &mut Schedule, rows: Option<Rv>, along: Rv, grain: i64) -> Result<Rv, Declined> {
    let grain = even_part(extent_of(schedule, along)?.as_int(), grain, LINE);
    let parts = schedule.split_by(along, &[None, Some(Expr::i64(grain))])?;
    let [pieces, inside] = parts.as_slice() else { return Ok(along) };
    let tasks = match rows {
        Some(rows) => schedule.fuse_all(&[rows, *pieces])?,
        None => *pieces,
    };
    schedule.on_loop(&PARALLEL, tasks)?;
    Ok(*inside)
}

/// The loop in vectors; where conditions vary with it, in pieces of so many iterations, so that they are decided for
/// whole pieces.
pub(super) fn in_vectors(schedule: &mut Schedule, l: Rv, pieces: Option<i64>) -> Result<(), Declined> {
    let extent = extent_of(schedule, l)?.as_int();
    let inner = match pieces {
        Some(lanes) if extent.is_none_or(|extent| extent > lanes) => {
            let parts = schedule.split_by(l, &[None, Some(Expr::i64(lanes))])?;
            parts.last().copied().unwrap_or(l)
        }
        _ => l,
    };
    Ok(schedule.on_loop(&VECTORIZE, inner)?)
}
