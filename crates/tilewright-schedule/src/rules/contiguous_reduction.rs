//! `contiguous_reduction`: reductions along what lies together in memory, and what is computed from them: sums,
//! softmax, norms.
//!
//! The loops that name the reduced elements, *rows*, are shared among threads. All stages of a row run before the next
//! one begins, so that the row is in the first cache for all but the first, and temporaries are those of a row.
//! Reductions run in vectors with several accumulators. Where they go across memory, a row is a strip of neighbouring
//! results.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, IterKind};
use tilewright_target::Target;

use super::nests::{PlainNest, extent_of, is_along_row};
use super::primitive_calls::{int, text};
use super::spatial::{in_vectors, result_innermost, work_of};
use super::{Declined, Offers, Rule, inline, split_reduction, strided_reduction};
use crate::Schedule;
use crate::analysis::loop_nest::Access;
use crate::primitive::{COMPUTE_AT, MULTIPLY_BY_RECIPROCAL, PARALLEL, SET_SCOPE, VECTORIZE_REDUCTION};
use crate::trace::{Arg, Rv};
use crate::units::PAGE;

pub(super) const CONTIGUOUS_REDUCTION: Rule = Rule {
    name: "contiguous_reduction",
    doc: "Reductions along contiguous elements with their producers and consumers: a row after the other, rows in parallel.",
    kernels: &["contiguous_reduction"],
    offers: Offers::One(apply),
};

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    inline::cheap_temporaries(schedule)?;
    // Divisions by a softmax's sum or by the root of a norm's, which only the last stage has.
    if let Some(&last) = schedule.stages()?.last() {
        let _ = schedule.on_block(&MULTIPLY_BY_RECIPROCAL, last);
    }
    let stages = schedule.stages()?;
    let nests = stages.iter().map(|&block| PlainNest::of(schedule, block)).collect::<Result<Vec<_>, _>>()?;
    if nests.iter().all(|nest| nest.is_spatial()) {
        return Err(Declined::because("no stage is a reduction"));
    }
    let is_apart = |nest: &&PlainNest| !nest.is_spatial() && split_reduction::is_long(nest, target);
    if nests.iter().filter(is_apart).any(|nest| !has_strips(nest, nests.last())) {
        return Err(Declined::because("rows are few and long"));
    }
    together(schedule, target, &nests)
}

/// Results of a strip where reductions go across memory: as many as leave the strip, and what is computed of it, in a
/// part of the second-level cache.
const STRIPS: [i64; 3] = [256, 64, 32];
const STRIPS_OF_L2: u64 = 4;
/// Fuses the stages of rows, the last of which gives the result.
pub(super) fn together(schedule: &mut Schedule, target: &Target, nests: &[PlainNest]) -> Result<(), Declined> {
    let Some((last, producers)) = nests.split_last() else { return Ok(()) };
    let reduced = reduced(producers);
    let last = &with_groups_split(schedule, last, &reduced)?;
    let mut rows = row_loops(last, &reduced);
    let (mut split, across) = (None, nests.iter().any(|nest| !nest.is_spatial() && !is_along_row(nest)));
    if across && producers.is_empty() {
        return Err(Declined::because("a reduction alone is not along what lies together in memory"));
    }
    if let (true, Some(along)) = (across, last.along_result()) {
        let depth = nests.iter().filter(|nest| !nest.is_spatial()).filter_map(depth_of).max();
        split = strips(schedule, target, last, along, depth.unwrap_or(1))?;
        match split {
            Some(_) => rows.iter_mut().filter(|at| **at > along).for_each(|at| *at += 1),
            None => rows.retain(|at| *at != along),
        }
    }
    let last = split.as_ref().unwrap_or(last);
    if rows.is_empty() && !producers.is_empty() {
        return Err(Declined::because("everything is one row"));
    }
    if rows.is_empty() {
        return reduce_in_vectors(schedule, target, last);
    }
    row_by_row(schedule, target, nests, last, &rows)
}

/// Whether there are strips enough for every thread of what is computed from a reduction across memory, whose lines
/// map to different sets of a cache.
fn has_strips(nest: &PlainNest, last: Option<&PlainNest>) -> bool {
    let shares_sets = |read: &Access, at: usize| {
        let bytes = nest.step(read, at).map(|step| step.saturating_mul(read.buffer.dtype.bytes() as i64));
        bytes.is_none_or(|bytes| bytes != 0 && bytes % PAGE == 0)
    };
    if nest.loops_of(IterKind::Reduce).into_iter().any(|at| nest.reads.iter().any(|read| shares_sets(read, at))) {
        return false;
    }
    let extent = last.filter(|last| last.is_spatial()).and_then(|last| last.extent(last.along_result()?));
    let strip = STRIPS.iter().rev().find(|strip| extent.is_some_and(|extent| extent % **strip == 0));
    let results = nest.iterations(&nest.loops_of(IterKind::Spatial));
    !is_along_row(nest)
        && strip.zip(results).is_some_and(|(strip, results)| results / strip >= split_reduction::ENOUGH_RESULTS)
}

/// Elements that are reduced to one.
fn depth_of(nest: &PlainNest) -> Option<i64> {
    nest.iterations(&nest.loops_of(IterKind::Reduce))
}

/// Splits the loop along the result into strips of whole vectors, each of which is then part of a row of its own;
/// `None` where the loop has no such strips.
fn strips(
    schedule: &mut Schedule,
    target: &Target,
    last: &PlainNest,
    along: usize,
    depth: i64,
) -> Result<Option<PlainNest>, Declined> {
    let whole = |size: &&i64| last.extent(along).is_some_and(|extent| extent > **size && extent % **size == 0);
    let is_near = |size: &&i64| {
        let bytes = depth.saturating_mul(8 * **size);
        u64::try_from(bytes).is_ok_and(|bytes| bytes <= target.limits.l2_bytes / STRIPS_OF_L2)
    };
    let size = STRIPS.iter().filter(whole).find(is_near).or_else(|| STRIPS.iter().rev().find(whole));
    let (Some(&size), Some(&rv)) = (size, last.rvs.get(along)) else { return Ok(None) };
    schedule.split_by(rv, &[None, Some(Expr::i64(size))])?;
    PlainNest::of(schedule, last.block).map(Some)
}

/// Runs all stages in each iteration of some loops of the last one.
pub(super) fn row_by_row(
    schedule: &mut Schedule,
    target: &Target,
    nests: &[PlainNest],
    last: &PlainNest,
    rows: &[usize],
) -> Result<(), Declined> {
    let others = (0..last.loops.len()).filter(|at| !rows.contains(at));
    let order = last.handles(&rows.iter().copied().chain(others).collect::<Vec<_>>());
    schedule.reorder_to(&order)?;
    let row = schedule.fuse_all(order.get(..rows.len()).unwrap_or_default())?;
    let work = nests.iter().map(|nest| work_of(nest, target)).sum::<Option<u64>>();
    let (tasks, row) = tasks(schedule, target, row, work)?;
    for producer in nests.iter().rev().filter(|nest| nest.block != last.block) {
        schedule.move_to(&COMPUTE_AT, producer.block, row)?;
    }
    if let Some(tasks) = tasks {
        schedule.on_loop(&PARALLEL, tasks)?;
    }
    let depth = |schedule: &mut Schedule, block| -> Result<usize, Declined> {
        let around = schedule.loops_around(block)?;
        let place = |rv: &Rv| schedule.place_of(*rv).map(|(_, key)| key.clone());
        let wanted = place(&row);
        Ok(around.iter().position(|rv| place(rv) == wanted).map_or(0, |at| at + 1))
    };
    for nest in nests {
        let skipped = depth(schedule, nest.block)?;
        let nest = PlainNest::inside(schedule, nest.block, skipped)?;
        if nest.block != last.block {
            keep_near(schedule, &nest)?;
        }
        within_row(schedule, target, &nest)?;
    }
    Ok(())
}

/// The temporaries that have an element, or a few, for each row: results of reductions, and what is computed for as
/// many elements.
pub(super) fn reduced(producers: &[PlainNest]) -> Vec<Buffer> {
    let names = |nest: &PlainNest| {
        nest.loops_of(IterKind::Spatial).into_iter().filter(|&at| nest.extent(at) != Some(1)).count()
    };
    let most = producers.iter().filter(|nest| !nest.is_spatial()).map(names).max().unwrap_or(0);
    let small = producers.iter().filter(|nest| !nest.is_spatial() || names(nest) <= most);
    small.flat_map(|nest| nest.writes.iter().map(|access| access.buffer.clone())).collect()
}

/// The loops that name a row: those with which the reduced elements that are read change; of a reduction, all but its
/// own.
pub(super) fn row_loops(last: &PlainNest, reduced: &[Buffer]) -> Vec<usize> {
    let reads_reduced = |at: usize| {
        let reads = last.reads.iter().filter(|read| reduced.contains(&read.buffer));
        reads.map(|read| last.step(read, at)).any(|step| step != Some(0))
    };
    let all = last.loops_of(IterKind::Spatial).into_iter().filter(|&at| last.extent(at) != Some(1));
    match last.is_spatial() {
        true => all.filter(|&at| reads_reduced(at)).collect(),
        false => all.collect(),
    }
}

/// Where an element of a group reads what was reduced of its group, `reduced[i // size]`, the loop over elements
/// becomes one over groups and one over the elements of a group.
pub(super) fn with_groups_split(
    schedule: &mut Schedule,
    last: &PlainNest,
    reduced: &[Buffer],
) -> Result<PlainNest, Declined> {
    for (at, &rv) in last.rvs.iter().enumerate() {
        let (Some(axis), Some(extent)) = (last.axis_of(at), last.extent(at)) else { continue };
        let mut size = None;
        walk(&last.nest.block.body, |e: &Expr| {
            if let ExprKind::Load { buffer, indices, .. } = &e.kind
                && reduced.contains(buffer)
            {
                size = size.or_else(|| {
                    indices.iter().find_map(|index| match &index.kind {
                        ExprKind::Binary(BinOp::FloorDiv, a, b) if a.as_var() == Some(&axis.var) => b.as_int(),
                        _ => None,
                    })
                });
            }
        });
        if let Some(size) = size.filter(|&size| size > 1 && extent % size == 0) {
            schedule.split_by(rv, &[Some(Expr::i64(extent / size)), Some(Expr::i64(size))])?;
        }
    }
    PlainNest::of(schedule, last.block)
}

/// Splits the loop over rows where a row is little work: the loop to share, if it is to be shared at all, and the one
/// whose iterations are rows.
fn tasks(schedule: &mut Schedule, target: &Target, rows: Rv, work: Option<u64>) -> Result<(Option<Rv>, Rv), Declined> {
    let count = extent_of(schedule, rows)?.as_int();
    let (Some(work), Some(count)) = (work, count) else { return Ok((Some(rows), rows)) };
    if work < target.tasks.serial_cycles || count < 2 {
        return Ok((None, rows));
    }
    let wanted = i64::try_from(target.tasks.task_cycles / (work / count.unsigned_abs()).max(1))
        .unwrap_or(i64::MAX)
        .clamp(1, count / 2);
    let several = (1..=wanted).rev().find(|several| count % several == 0).unwrap_or(1);
    if several == 1 {
        return Ok((Some(rows), rows));
    }
    let parts = schedule.split_by(rows, &[Some(Expr::i64(count / several)), Some(Expr::i64(several))])?;
    let [outer, inner] = parts.as_slice() else { return Ok((Some(rows), rows)) };
    Ok((Some(*outer), *inner))
}

/// Puts a stage of a row into vectors.
fn within_row(schedule: &mut Schedule, target: &Target, nest: &PlainNest) -> Result<(), Declined> {
    match nest.is_spatial() {
        true => along_row(schedule, target, nest),
        false if is_along_row(nest) => reduce_in_vectors(schedule, target, nest),
        false => strided_reduction::strided_reduction(schedule, target, nest, false),
    }
}

/// A temporary of one element a row, all uses of which are in the row, is kept in a register.
fn keep_near(schedule: &mut Schedule, nest: &PlainNest) -> Result<(), Declined> {
    if nest.loops_of(IterKind::Spatial).into_iter().all(|at| nest.extent(at) == Some(1)) {
        schedule.call(&SET_SCOPE, vec![Arg::Rv(nest.block), int(0), text("local")])?;
    }
    Ok(())
}

fn along_row(schedule: &mut Schedule, target: &Target, nest: &PlainNest) -> Result<(), Declined> {
    let Some((order, _, along)) = result_innermost(schedule, nest)? else { return Ok(()) };
    let along = schedule.fuse_all(&along)?;
    let conditional = order.last().and_then(|&at| nest.decides.get(at)).copied().unwrap_or(false);
    in_vectors(schedule, along, conditional.then(|| i64::from(target.lanes(32))))
}

/// Puts a reduction along contiguous elements into vectors.
pub(super) fn reduce_in_vectors(schedule: &mut Schedule, target: &Target, nest: &PlainNest) -> Result<(), Declined> {
    let (mut own, others) = nest.reduced_and_others();
    let Some(vector) = nest.along_reads().filter(|&at| nest.reduces(at)).or_else(|| own.last().copied()) else {
        return Err(Declined::because("a reduction has no loop of its own"));
    };
    // What goes furthest in memory is outermost.
    own.retain(|&at| at != vector);
    own.sort_by_key(|&at| {
        std::cmp::Reverse(nest.reads.iter().find_map(|read| nest.step(read, at)).unwrap_or(i64::MAX))
    });
    own.push(vector);
    let order = nest.handles(&[others, own.clone()].concat());
    if order != nest.rvs {
        schedule.reorder_to(&order)?;
    }
    let inner = nest.contiguous(&own);
    let along = schedule.fuse_all(order.get(order.len() - inner..).unwrap_or_default())?;
    let count = extent_of(schedule, along)?.as_int();
    let bits = nest.writes.first().map_or(32, |write| u32::from(write.buffer.dtype.bits));
    let lanes = i64::from(target.lanes(bits.max(32)).next_power_of_two().clamp(2, 16));
    let accumulators = [8, 4, 2].into_iter().find(|&n| count.is_none_or(|count| count >= 4 * n * lanes)).unwrap_or(1);
    let lanes = if count.is_some_and(|count| count <= lanes / 2) { lanes / 2 } else { lanes };
    let accumulators = if count.is_none() { 4 } else { accumulators };
    schedule.call(&VECTORIZE_REDUCTION, vec![Arg::Rv(nest.block), int(lanes), int(accumulators)])?;
    Ok(())
}
