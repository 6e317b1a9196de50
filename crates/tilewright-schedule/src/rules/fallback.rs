//! `fallback`: every function, each stage for itself.
//!
//! Of each stage the best schedule that its form allows is taken: vectors along what is contiguous and tasks of the
//! loops outside; if nothing else, tasks of the outermost loop whose iterations are proven to be independent. A stage
//! of which nothing is known stays as it is written.

use tilewright_target::Target;

use super::nests::{PlainNest, is_along_row};
use super::primitive_calls::attempt;
use super::{
    Declined, MAIN, Offers, Rule, contiguous_reduction, inline, loses_guards, spatial, split_reduction,
    strided_reduction, transpose,
};
use crate::Schedule;
use crate::primitive::{PARALLEL, VECTORIZE};
use crate::trace::Rv;

pub(super) const FALLBACK: Rule = Rule {
    name: "fallback",
    doc: "Every function: each stage in vectors along what is contiguous, its outer loops in parallel, as far as that is proven.",
    kernels: &["fallback"],
    offers: Offers::One(apply),
};

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    guarded(schedule, inline::cheap_temporaries);
    for block in schedule.stages().unwrap_or_default() {
        let _ = guarded(schedule, |schedule| stage(schedule, target, block))
            || guarded(schedule, |schedule| loop_by_loop(schedule, block))
            || guarded(schedule, |schedule| outermost_in_parallel(schedule, block));
    }
    Ok(())
}

/// Whether the steps succeeded, and left what is proved of indices that are data; the schedule is as before where not.
fn guarded(schedule: &mut Schedule, steps: impl FnOnce(&mut Schedule) -> Result<(), Declined>) -> bool {
    attempt(schedule, |schedule| {
        steps(schedule)?;
        match schedule.module().prim(MAIN) {
            Some(function) if loses_guards(function) => Err(Declined::because("guards are lost")),
            _ => Ok(()),
        }
    })
}

/// The innermost loop in vectors where the result lies along it, the outermost in parallel; no two become one, of which
/// the places are quotients by a size that may be known only when the function runs.
fn loop_by_loop(schedule: &mut Schedule, block: Rv) -> Result<(), Declined> {
    let nest = PlainNest::of(schedule, block)?;
    let [tasks, .., along] = nest.rvs.as_slice() else { return Err(Declined::because("there are no two loops")) };
    if !nest.is_spatial() || nest.along_result() != nest.rvs.len().checked_sub(1) {
        return Err(Declined::because("the result does not lie along the innermost loop"));
    }
    schedule.on_loop(&PARALLEL, *tasks)?;
    Ok(schedule.on_loop(&VECTORIZE, *along)?)
}

/// Schedules one stage by its form.
pub(super) fn stage(schedule: &mut Schedule, target: &Target, block: Rv) -> Result<(), Declined> {
    let nest = PlainNest::of(schedule, block)?;
    if let Some(crossed) = transpose::crossed(&nest, target) {
        return transpose::in_squares(schedule, target, &nest, crossed);
    }
    if nest.is_spatial() {
        return spatial::spatial_order(schedule, target, &nest);
    }
    if split_reduction::is_long(&nest, target) && attempt(schedule, |schedule| in_parts(schedule, target, &nest)) {
        return Ok(());
    }
    reduction(schedule, target, &nest)
}

/// A reduction to few results: partial ones first.
fn in_parts(schedule: &mut Schedule, target: &Target, nest: &PlainNest) -> Result<(), Declined> {
    let partial = split_reduction::into_parts(schedule, target, nest)?;
    let partial = PlainNest::of(schedule, partial)?;
    reduction(schedule, target, &partial)?;
    attempt(schedule, |schedule| {
        let whole = PlainNest::of(schedule, nest.block)?;
        reduction(schedule, target, &whole)
    });
    Ok(())
}

/// A reduction along what lies together in memory, or across it.
fn reduction(schedule: &mut Schedule, target: &Target, nest: &PlainNest) -> Result<(), Declined> {
    if is_along_row(nest)
        && attempt(schedule, |schedule| contiguous_reduction::together(schedule, target, std::slice::from_ref(nest)))
    {
        return Ok(());
    }
    if attempt(schedule, |schedule| in_pieces(schedule, target, nest)) {
        return Ok(());
    }
    strided_reduction::strided_reduction(schedule, target, nest, true)
}

/// A reduction across memory of a few neighbours: pieces that lie together first.
fn in_pieces(schedule: &mut Schedule, target: &Target, nest: &PlainNest) -> Result<(), Declined> {
    let pieces = split_reduction::into_pieces(schedule, nest)?;
    let pieces = PlainNest::of(schedule, pieces)?;
    strided_reduction::strided_reduction(schedule, target, &pieces, true)?;
    attempt(schedule, |schedule| {
        let whole = PlainNest::of(schedule, nest.block)?;
        strided_reduction::strided_reduction(schedule, target, &whole, true)
    });
    Ok(())
}

/// Shares the outermost loop around a block whose iterations are independent.
fn outermost_in_parallel(schedule: &mut Schedule, block: Rv) -> Result<(), Declined> {
    let loops = schedule.loops_around(block)?;
    let shared = loops.into_iter().any(|l| attempt(schedule, |schedule| Ok(schedule.on_loop(&PARALLEL, l)?)));
    if shared { Ok(()) } else { Err(Declined::because("no loop is proven to be independent")) }
}
