//! A reduction whose elements lie across memory: the sums of columns, windows on images.
//!
//! The vectors are of neighbouring results; the loops of the reduction run around a piece of them, which stays in the
//! first cache or, where the reduction is short, in registers.

use tilewright_ir::tir::Expr;
use tilewright_target::Target;

use super::Declined;
use super::nests::{PlainNest, extent_of};
use super::primitive_calls::attempt;
use super::primitive_calls::{int, text};
use super::spatial::is_small;
use crate::Schedule;
use crate::primitive::{CACHE_WRITE, DECOMPOSE_REDUCTION, PARALLEL, REVERSE_COMPUTE_AT, UNROLL, VECTORIZE};
use crate::trace::{Arg, Rv};

/// Results of a piece where the reduction is long.
pub(super) const PIECE: i64 = 512;
/// Results of a piece that stays in registers: four of the widest vectors.
const IN_REGISTERS: i64 = 64;
/// Iterations of a reduction that is unrolled.
const UNROLLED: i64 = 32;

/// Schedules a reduction with its vectors along the loop in which the result is contiguous; shares its outer loops
/// where `shared` says so.
pub(super) fn strided_reduction(
    schedule: &mut Schedule,
    target: &Target,
    nest: &PlainNest,
    shared: bool,
) -> Result<(), Declined> {
    let vector = nest.along_result().filter(|&at| !nest.reduces(at));
    let Some(vector) = vector else { return Err(Declined::because("no loop goes along the result")) };
    let (own, mut outer) = nest.reduced_and_others();
    outer.retain(|&at| at != vector);
    let own_loops = nest.handles(&own);
    let (Some(&along), Some(&first)) = (nest.rvs.get(vector), own_loops.first()) else {
        return Err(Declined::because("a reduction has no loop of its own"));
    };
    let short = nest.iterations(&own).is_some_and(|count| count <= UNROLLED);
    let size = if short { IN_REGISTERS } else { PIECE };
    let (pieces, along) = match nest.extent(vector) {
        Some(extent) if extent <= size => (None, along),
        // A row that is little longer than a piece is one: no piece has an end of its own that way.
        Some(extent) if !short && extent % size != 0 && extent < 4 * size && !outer.is_empty() => (None, along),
        _ => {
            let parts = schedule.split_by(along, &[None, Some(Expr::i64(size))])?;
            (parts.first().copied(), parts.last().copied().unwrap_or(along))
        }
    };
    let outside: Vec<Rv> = nest.handles(&outer).into_iter().chain(pieces).collect();
    let order: Vec<Rv> = [outside.as_slice(), &own_loops, &[along]].concat();
    schedule.reorder_to(&order)?;
    let mut piece = outside.last().copied();
    if shared && !outside.is_empty() && !is_small(nest.iterations(&nest.all_loops()), nest.cost, target) {
        let tasks = schedule.fuse_all(&outside)?;
        schedule.on_loop(&PARALLEL, tasks)?;
        piece = Some(tasks);
    }
    if let (true, Some(piece)) = (short, piece) {
        attempt(schedule, |schedule| in_registers(schedule, nest.block, piece));
    }
    begin(schedule, nest, first)?;
    schedule.on_loop(&VECTORIZE, along)?;
    if short {
        for l in own_loops {
            if extent_of(schedule, l)?.as_int().is_some() {
                schedule.on_loop(&UNROLL, l)?;
            }
        }
    }
    Ok(())
}

/// Begins the results in vectors, in front of the reduction's first loop, if the block begins them.
fn begin(schedule: &mut Schedule, nest: &PlainNest, first: Rv) -> Result<(), Declined> {
    if nest.nest.block.init.is_none() {
        return Ok(());
    }
    let init = schedule.call(&DECOMPOSE_REDUCTION, vec![Arg::Rv(nest.block), Arg::Rv(first)])?;
    if let [init] = init.rvs()
        && let Some(&inner) = schedule.loops_around(*init)?.last()
    {
        schedule.on_loop(&VECTORIZE, inner)?;
    }
    Ok(())
}

/// Puts the results of a piece into registers, from which they are copied when they are complete.
fn in_registers(schedule: &mut Schedule, block: Rv, piece: Rv) -> Result<(), Declined> {
    let copy = schedule.call(&CACHE_WRITE, vec![Arg::Rv(block), int(0), text("local")])?;
    if let [copy] = copy.rvs() {
        schedule.move_to(&REVERSE_COMPUTE_AT, *copy, piece)?;
        if let Some(&inner) = schedule.loops_around(*copy)?.last() {
            schedule.on_loop(&VECTORIZE, inner)?;
        }
    }
    Ok(())
}
