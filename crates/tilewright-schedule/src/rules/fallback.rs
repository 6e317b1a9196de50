//! `fallback`: every function, each stage for itself.
//!
//! Of each stage the best schedule that its form allows is taken: vectors along what is contiguous and tasks of the loops
//! outside; if nothing else, tasks of the outermost loop whose iterations are proven to be independent. A stage of which
//! nothing is known stays as it is written.

use tilewright_target::Target;

use super::accesses::PlainNest;
use super::{Declined, Rule, columns, elementwise, inline, parts, rows, transpose};
use crate::Schedule;
use crate::trace::Rv;

pub(super) const FALLBACK: Rule = Rule {
    name: "fallback",
    doc: "Every function: each stage in vectors along what is contiguous, its outer loops in parallel, as far as that is proven.",
    apply,
};

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    attempt(schedule, inline::cheap_temporaries);
    for block in schedule.stages().unwrap_or_default() {
        let _ = attempt(schedule, |schedule| stage(schedule, target, block))
            || attempt(schedule, |schedule| outermost_in_parallel(schedule, block));
    }
    Ok(())
}

/// Whether the steps succeeded; the schedule is as before where they did not.
pub(super) fn attempt(schedule: &mut Schedule, steps: impl FnOnce(&mut Schedule) -> Result<(), Declined>) -> bool {
    let before = schedule.clone();
    let succeeded = steps(schedule).is_ok();
    if !succeeded {
        *schedule = before;
    }
    succeeded
}

/// Schedules one stage by its form.
pub(super) fn stage(schedule: &mut Schedule, target: &Target, block: Rv) -> Result<(), Declined> {
    let nest = PlainNest::of(schedule, block)?;
    if let Some(crossed) = transpose::crossed(&nest) {
        return transpose::in_squares(schedule, target, &nest, crossed);
    }
    if nest.is_spatial() {
        return elementwise::stream(schedule, target, &nest);
    }
    if parts::is_long(&nest, target) && attempt(schedule, |schedule| in_parts(schedule, target, &nest)) {
        return Ok(());
    }
    reduction(schedule, target, &nest)
}

/// A reduction to few results: partial ones first.
fn in_parts(schedule: &mut Schedule, target: &Target, nest: &PlainNest) -> Result<(), Declined> {
    let partial = parts::into_parts(schedule, target, nest)?;
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
    if rows::is_along_row(nest)
        && attempt(schedule, |schedule| rows::together(schedule, target, std::slice::from_ref(nest)))
    {
        return Ok(());
    }
    columns::columns(schedule, target, nest, true)
}

/// Shares the outermost loop around a block whose iterations are independent.
fn outermost_in_parallel(schedule: &mut Schedule, block: Rv) -> Result<(), Declined> {
    let loops = schedule.loops_around(block)?;
    let shared = loops.into_iter().any(|l| attempt(schedule, |schedule| Ok(schedule.on_loop("parallel", l)?)));
    if shared { Ok(()) } else { Err(Declined::because("no loop is proven to be independent")) }
}
