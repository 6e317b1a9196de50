//! A stage that stands alone, on threads.

use tilewright_ir::tir::{Expr, IterKind};

use crate::Schedule;
use crate::kernels::gpu::map::MAP_THREADS;
use crate::kernels::gpu::reduce::REDUCE_THREADS;
use crate::kernels::gpu::statement::{RUN_ON_THREADS, unbound};
use crate::kernels::gpu::transpose::TILED_TRANSPOSE;
use crate::plan::gpu::Device;
use crate::plan::gpu::map::{self, MapPlan};
use crate::plan::gpu::{reduce, transpose};
use crate::primitive::RFACTOR;
use crate::rules::nests::{PlainNest, gone};
use crate::rules::primitive_calls::{attempt, int};
use crate::rules::spatial::result_innermost;
use crate::rules::{Declined, MAIN};
use crate::trace::{Arg, Rv};

/// A stage of any form that is a nest around one block.
pub(super) fn any(schedule: &mut Schedule, device: &Device, block: Rv) -> Result<(), Declined> {
    let nest = PlainNest::of(schedule, block)?;
    if nest.is_spatial() {
        return spatial(schedule, device, &nest);
    }
    let in_parts = |parts| move |schedule: &mut Schedule| reduction_in_parts(schedule, device, block, parts);
    if let Some(parts) = reduce::parts(&nest, device)
        && attempt(schedule, in_parts(parts))
    {
        return Ok(());
    }
    if attempt(schedule, |schedule| reduction(schedule, device, block)) {
        return Ok(());
    }
    map(schedule, device, &nest)
}

/// A reduction of few results and many elements: partial ones first.
fn reduction_in_parts(schedule: &mut Schedule, device: &Device, block: Rv, parts: i64) -> Result<(), Declined> {
    let nest = PlainNest::of(schedule, block)?;
    let inside = reduced_inside(schedule, &nest)?;
    let all = schedule.fuse_all(&inside)?;
    let split = schedule.split_by(all, &[Some(Expr::i64(parts)), None])?;
    let outer = split.first().copied().ok_or_else(gone)?;
    let partial = schedule.call(&RFACTOR, vec![Arg::Rv(outer), int(0)])?;
    let partial = partial.rvs().first().copied().ok_or_else(gone)?;
    // A part goes through memory as the whole did: it is the outermost loop.
    let loops = schedule.loops_around(partial)?;
    let (own, _) = nest.reduced_and_others();
    let (others, inside) = loops.split_at(nest.loops.len() - own.len());
    if let (Some(part), false) = (inside.first(), others.is_empty()) {
        schedule.reorder_to(&[&[*part], others].concat())?;
    }
    schedule.build(&REDUCE_THREADS, partial, &reduce::of_parts(&nest, device))?;
    if !attempt(schedule, |schedule| reduction(schedule, device, block)) {
        let nest = PlainNest::of(schedule, block)?;
        map(schedule, device, &nest)?;
    }
    Ok(())
}

/// A reduction that threads of a block share.
fn reduction(schedule: &mut Schedule, device: &Device, block: Rv) -> Result<(), Declined> {
    let nest = PlainNest::of(schedule, block)?;
    let plan = match reduce::is_along_row(&nest) {
        true => reduce::along_row(&nest, device),
        false => reduce::across(&nest, device),
    };
    let plan = plan.ok_or_else(|| Declined::because("a reduction is that of one thread"))?;
    reduced_inside(schedule, &nest)?;
    Ok(schedule.build(&REDUCE_THREADS, block, &plan)?)
}

/// Brings the loops of a reduction inside, in the order in which what is read lies in memory; those of the results go
/// around them in the order of the result. Gives the loops of the reduction.
fn reduced_inside(schedule: &mut Schedule, nest: &PlainNest) -> Result<Vec<Rv>, Declined> {
    let (mut own, mut others) = nest.reduced_and_others();
    let furthest = |at: &usize| nest.reads.iter().filter_map(|read| nest.step(read, *at)).max().unwrap_or(i64::MAX);
    own.sort_by_key(|at| std::cmp::Reverse(furthest(at)));
    if let Some(along) = nest.along_result().filter(|at| others.contains(at)) {
        others.retain(|at| *at != along);
        others.push(along);
    }
    let inside = nest.handles(&own);
    let order = [nest.handles(&others), inside.clone()].concat();
    if order != nest.rvs {
        schedule.reorder_to(&order)?;
    }
    Ok(inside)
}

/// A stage without reductions: through tiles of shared memory where it reads across its result.
pub(super) fn spatial(schedule: &mut Schedule, device: &Device, nest: &PlainNest) -> Result<(), Declined> {
    let crossed = |schedule: &mut Schedule| {
        let plan = transpose::choose(nest, device)?;
        Ok(schedule.build(&TILED_TRANSPOSE, nest.block, &plan)?)
    };
    if attempt(schedule, crossed) { Ok(()) } else { map(schedule, device, nest) }
}

/// A thread for each result, or for a vector of them, in the order of the result; reductions stay inside of a thread.
pub(super) fn map(schedule: &mut Schedule, device: &Device, nest: &PlainNest) -> Result<(), Declined> {
    let in_order = |schedule: &mut Schedule| -> Result<(), Declined> {
        let spatial = match nest.is_spatial() {
            true => result_innermost(schedule, nest)?.map(|(order, ..)| order).unwrap_or_default(),
            false => nest.loops_of(IterKind::Spatial),
        };
        let plan = map::choose(nest, &spatial, device);
        Ok(schedule.build(&MAP_THREADS, nest.block, &plan)?)
    };
    if attempt(schedule, in_order) {
        return Ok(());
    }
    // Loops in another order have other conditions, and may not be proven.
    Ok(schedule.build(&MAP_THREADS, nest.block, &MapPlan::plain(device))?)
}

/// Runs every statement of the root block that has no threads yet.
pub(super) fn bind_rest(schedule: &mut Schedule, device: &Device) -> Result<(), Declined> {
    let function = schedule.module().prim(MAIN).ok_or_else(gone)?;
    for number in unbound(function) {
        let threads = MapPlan::plain(device).threads;
        let mut run = |threads| schedule.call(&RUN_ON_THREADS, vec![int(number), int(threads)]);
        if run(threads).is_err() {
            run(1)?;
        }
    }
    Ok(())
}
