//! `row_reduction`: functions that reduce rows to a few numbers and make a result of these: softmax, norms, argreduce.
//!
//! | candidate | for |
//! |---|---|
//! | `rows_resident` | many rows that stay in a cache: their reductions and the result run at once, each in another row |
//! | `rows_by_pieces` | long rows, few rows, rows of several axes, argreduce: piece by piece |
//! | `rows_side_by_side` | a softmax or argreduce of rows that are neighbours in memory: a lane for each |
//!
//! The function is recognised once (`families::rows`); the plan of each walk says what it costs, or why it is not for
//! these rows (`plan::cpu::rows`).

use tilewright_target::Target;

use super::candidate::{Candidate, Offer};
use super::nests::gone;
use super::{Declined, Offers, Rule};
use crate::Schedule;
use crate::families::rows::RowProgram;
use crate::kernels::cpu::rows::by_pieces::ROWS_BY_PIECES;
use crate::kernels::cpu::rows::resident::ROWS_RESIDENT;
use crate::kernels::cpu::rows::side_by_side::ROWS_SIDE_BY_SIDE;
use crate::plan::cpu::rows::{by_pieces, resident, side_by_side};
use crate::plan::{Cost, Plan};
use crate::primitive::{MULTIPLY_BY_RECIPROCAL, Primitive};
use crate::trace::Rv;

pub(super) const ROW_REDUCTION: Rule = Rule {
    name: "row_reduction",
    doc: "A softmax, norm or argreduce of rows: reductions and results of rows that follow each other at once, in a cache, piece by piece or side by side.",
    kernels: &[ROWS_RESIDENT.method, ROWS_BY_PIECES.method, ROWS_SIDE_BY_SIDE.method],
    offers: Offers::Several(offer),
};

fn offer<'a>(start: &'a Schedule, target: &'a Target) -> Result<Offer<'a>, Declined> {
    let mut schedule = start.clone();
    let last = *schedule.stages()?.last().ok_or_else(gone)?;
    let (function, _) = schedule.site(last).ok_or_else(gone)?;
    let program = RowProgram::of(function)?;
    let mut offer = Offer::default();
    let resident = resident::choose(&program, target);
    // Divisions by the root of a variance.
    let by_reciprocal = !program.is_softmax();
    let resident = resident.map(|planned| walk(&ROWS_RESIDENT, schedule.clone(), last, planned, by_reciprocal));
    let pieces = by_pieces::choose(&program, target);
    let strips = side_by_side::choose(&program, target);
    offer.add(ROWS_RESIDENT.method, resident);
    offer.add(
        ROWS_BY_PIECES.method,
        pieces.map(|planned| walk(&ROWS_BY_PIECES, schedule.clone(), last, planned, false)),
    );
    offer.add(ROWS_SIDE_BY_SIDE.method, strips.map(|planned| walk(&ROWS_SIDE_BY_SIDE, schedule, last, planned, false)));
    Ok(offer)
}

/// A walk with its plan, which may multiply by reciprocals first.
fn walk<'a, P: Plan + 'a>(
    kernel: &'static Primitive,
    mut schedule: Schedule,
    last: Rv,
    (plan, cost): (P, Cost),
    by_reciprocal: bool,
) -> Candidate<'a> {
    Candidate::new(kernel.method, Some(cost), move || {
        if by_reciprocal {
            let _ = schedule.on_block(&MULTIPLY_BY_RECIPROCAL, last);
        }
        schedule.build(kernel, last, &plan)?;
        Ok(schedule)
    })
}
