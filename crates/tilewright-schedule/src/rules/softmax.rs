//! `softmax`: rows, several stages of which run at once; long ones piece by piece, and such that lie side by side in lots.

use tilewright_target::Target;

use super::accesses::gone;
use super::calls::{flag, int};
use super::elementwise::even_part;
use super::{Declined, Offers, Rule};
use crate::Schedule;
use crate::facts::axes::Group;
use crate::facts::size::{TASKS, ceil_div};
use crate::primitive::pipeline_softmax::Softmax;
use crate::primitive::{PIPELINE_SOFTMAX, SOFTMAX_BY_PIECES, SOFTMAX_SIDE_BY_SIDE};
use crate::row_vectors::UNKNOWN;
use crate::trace::Arg;

pub(super) const SOFTMAX: Rule = Rule {
    name: "softmax",
    doc: "A softmax, or its logarithm: maxima, powers and results of rows that follow each other at once, or piece by piece.",
    kernels: &["softmax"],
    offers: Offers::One(apply),
};

/// Accumulators of a reduction, at most.
const ACCUMULATORS: i64 = 4;
/// Elements of a task.
pub(super) const TASK: i64 = 1 << 16;
/// Rows of a task, at least: what comes before the first of them runs alone.
pub(super) const ROWS: i64 = 16;
/// The longest row whose powers, with those of the row before, stay near the core.
const COLUMNS: i64 = 1 << 14;

/// Elements of a piece of a longer row, and rows at least, unless all have no more numbers than `FEW`: otherwise fewer are
/// shared in parts.
const PIECE: i64 = 2048;
const FEWEST: i64 = 4;
const FEW: i64 = 1 << 18;
/// Rows of a task whose rows are long.
const LONG_ROWS: i64 = 4;
/// The parts of the second-level cache that the powers of a long row have, and those of a lot of rows side by side, which are
/// worked out again sooner: memory is read in longer runs by larger lots.
const KEPT: u64 = 2;
const KEPT_OF_LOT: u64 = 16;
/// Rows side by side: of a lot at least, unless there are fewer, and at most, with powers that are kept or not; in all at least.
const LOT: i64 = 64;
const KEPT_LOT: i64 = 256;
const WIDEST_LOT: i64 = 1024;
const LEAST_BESIDE: i64 = 8;
/// Tasks of wide lots.
const WIDE_TASKS: i64 = 4;
/// Steps that are taken together.
const STEPS: std::ops::RangeInclusive<i64> = 5..=8;
/// Lots of a task at least, if that leaves some tasks: results are written while sums of the next lot are taken.
const LOTS: i64 = 2;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let last = *schedule.stages()?.last().ok_or_else(gone)?;
    let (function, _) = schedule.site(last).ok_or_else(gone)?;
    let softmax = Softmax::of(function).map_err(|fault| Declined::because(fault.message))?;
    let lanes = i64::from(target.lanes(32)).clamp(1, 64);
    let columns = softmax.column.extent.as_int();
    if let Some(beside) = &softmax.beside {
        let sizes = side_by_side(&softmax, beside, target)?;
        let args = std::iter::once(Arg::Rv(last)).chain([lanes, sizes.rows, sizes.piece, steps(columns)].map(int));
        schedule.call(&SOFTMAX_SIDE_BY_SIDE, args.chain([flag(sizes.keep)]).collect())?;
        return Ok(());
    }
    if let Some(columns) = columns.filter(|&columns| columns > COLUMNS) {
        let sizes = by_pieces(&softmax, columns, target)?;
        let sizes = ([lanes, ACCUMULATORS, sizes.rows, sizes.piece].map(int), flag(sizes.keep));
        let args = std::iter::once(Arg::Rv(last)).chain(sizes.0).chain([sizes.1]);
        schedule.call(&SOFTMAX_BY_PIECES, args.collect())?;
        return Ok(());
    }
    let accumulators = accumulators(columns.unwrap_or(UNKNOWN).max(1), lanes);
    let most = softmax.column.extent.as_int().map_or(ROWS, |columns| TASK / columns.max(1));
    let count = softmax.rows.size.as_int();
    let rows = match count {
        Some(count) if count < TASKS * ROWS.min(most) => return Err(Declined::because("there are few rows")),
        Some(count) => (count / TASKS).min(most),
        None => most,
    };
    let sizes = [lanes, accumulators, even_part(count, rows, 1).max(1)].map(int);
    schedule.call(&PIPELINE_SOFTMAX, std::iter::once(Arg::Rv(last)).chain(sizes).collect())?;
    Ok(())
}

/// Sizes of tasks: rows, elements of a piece or rows of a lot, and whether powers are kept.
struct Sizes {
    rows: i64,
    piece: i64,
    keep: bool,
}

/// Rows that are too long for several of them to be near at once.
fn by_pieces(softmax: &Softmax, columns: i64, target: &Target) -> Result<Sizes, Declined> {
    let rows = softmax.rows.size.as_int();
    if rows.is_some_and(|rows| rows < FEWEST && rows.saturating_mul(columns) > FEW) {
        return Err(Declined::because("there are few long rows"));
    }
    let several = rows.map_or(LONG_ROWS, |rows| even_part(Some(rows), (rows / TASKS).clamp(1, LONG_ROWS), 1).max(1));
    Ok(Sizes { rows: several, piece: PIECE, keep: fits(columns, target, KEPT) })
}

/// Whether so many numbers stay in a part of the second-level cache.
fn fits(numbers: i64, target: &Target, part: u64) -> bool {
    u64::try_from(numbers.saturating_mul(4)).is_ok_and(|bytes| bytes <= target.limits.l2_bytes / part)
}

/// Rows that lie side by side: as many together as the cache holds powers of, if those are enough to read memory in runs.
fn side_by_side(softmax: &Softmax, beside: &Group, target: &Target) -> Result<Sizes, Declined> {
    let (rows, columns, all) = (softmax.rows.size.as_int(), softmax.column.extent.as_int(), beside.size.as_int());
    if all.is_some_and(|all| all < LEAST_BESIDE) {
        return Err(Declined::because("few rows lie side by side"));
    }
    let is_near = |lot: &i64| columns.is_some_and(|columns| fits(columns.saturating_mul(*lot), target, KEPT_OF_LOT));
    let near = std::iter::successors(Some(KEPT_LOT), |lot| Some(lot / 2)).take_while(|lot| *lot >= LOT).find(is_near);
    let (widest, wanted) = near.map_or((WIDEST_LOT, WIDE_TASKS), |near| (near, TASKS));
    let shared = all.map_or(WIDEST_LOT, |all| all.saturating_mul(rows.unwrap_or(TASKS)) / wanted);
    let most = widest.min(shared.max(LOT));
    let lot = match all {
        Some(all) if all <= most => all,
        _ => [LOT / 4, LOT / 16, 1]
            .map(|unit| even_part(all, most, unit))
            .into_iter()
            .find(|lot| is_even(all, *lot))
            .unwrap_or(most),
    };
    let lots = all.map(|all| ceil_div(all, lot));
    let tasks = rows.zip(lots).map(|(rows, lots)| rows.saturating_mul(lots));
    let several = columns.map_or(1, |columns| TASK / columns.saturating_mul(lot).max(1)).max(1);
    let several = tasks.map_or(several, |tasks| {
        let least = if tasks >= LOTS * TASKS / 2 { LOTS } else { 1 };
        even_part(Some(tasks), several.max(least).min((tasks / TASKS).max(least)), 1).max(1)
    });
    Ok(Sizes { rows: several, piece: lot, keep: near.is_some() })
}

fn is_even(all: Option<i64>, part: i64) -> bool {
    all.is_some_and(|all| part > 0 && all % part == 0)
}

/// Steps that are taken together: those that are left are taken one by one.
fn steps(columns: Option<i64>) -> i64 {
    match columns {
        Some(columns) if columns < *STEPS.end() => columns.max(1),
        Some(columns) => STEPS.rev().min_by_key(|steps| columns % steps).unwrap_or(*STEPS.end()),
        None => *STEPS.end(),
    }
}

/// As many as leave the fewest vectors of a row over.
pub(super) fn accumulators(columns: i64, lanes: i64) -> i64 {
    let left = |accumulators: &i64| columns / lanes % accumulators;
    [ACCUMULATORS, 2, 1].into_iter().min_by_key(left).unwrap_or(1)
}
