//! The plan of rows whose neighbours are neighbours in memory (`kernels::cpu::rows::side_by_side`).

use tilewright_target::Target;

use super::by_pieces::{argreduce_accumulators, argreduce_rows};
use super::cost::Work;
use super::{SideBySidePlan, declined, fits, lanes, rows_per_task};
use crate::analysis::axes::Group;
use crate::families::rows::{Map, RowProgram};
use crate::plan::{Cost, Declined};
use crate::units::{TASKS, ceil_div, even_part};

/// Rows of a strip at least, unless there are fewer, and at most, with exponentials that are kept or not; of all at
/// least.
const MIN_STRIP: i64 = 64;
const MAX_KEPT_STRIP: i64 = 256;
const MAX_STRIP: i64 = 1024;
const MIN_NEIGHBOURS: i64 = 8;
/// One over the part of the second-level cache for the exponentials of a strip: memory is read in longer runs by wider
/// strips, which is worth more than to keep them.
const KEPT_PART_OF_L2: u64 = 16;
/// Tasks for which strips are cut where exponentials are not kept.
const WIDE_TASKS: i64 = 4;
/// Elements of a row that are reduced together.
const STEPS: std::ops::RangeInclusive<i64> = 5..=8;
/// Strips of a task at least, if that leaves some tasks: results are written while the next strip is reduced.
const MIN_STRIPS_PER_TASK: i64 = 2;

/// The plan, and what it costs beyond the work of all walks: sums are rescaled every few steps, and exponentials that
/// are not kept are worked out again.
pub(crate) fn choose(program: &RowProgram, target: &Target) -> Result<(SideBySidePlan, Cost), Declined> {
    let Some(neighbours) = &program.side_by_side else { return declined("the elements of a row lie together") };
    let work = Work::of(program, target);
    if matches!(program.map, Map::Index { .. }) {
        return Ok((argreduce(program, neighbours, target)?, work.cost()));
    }
    if !program.is_softmax() {
        return declined("rows that lie side by side are not those of a softmax or of argreduce");
    }
    let plan = softmax(program, neighbours, target)?;
    let again = if plan.keep { 0.0 } else { work.terms_again() };
    let rescale = work.terms_again() / plan.steps as f64;
    Ok((plan, work.cost().with("rescale sums", rescale).with("exponentials again", again)))
}

/// As many rows together as the cache holds exponentials of, if those are enough to read memory in runs.
fn softmax(program: &RowProgram, neighbours: &Group, target: &Target) -> Result<SideBySidePlan, Declined> {
    let (rows, columns) = (program.rows.size.as_int(), program.column()?.extent.as_int());
    let all = neighbours.size.as_int();
    if all.is_some_and(|all| all < MIN_NEIGHBOURS) {
        return declined("few rows lie side by side");
    }
    let bytes = target.limits.l2_bytes / KEPT_PART_OF_L2;
    let stays = |strip: &i64| columns.is_some_and(|columns| fits(columns.saturating_mul(*strip), bytes));
    let halves = std::iter::successors(Some(MAX_KEPT_STRIP), |strip| Some(strip / 2));
    let kept = halves.take_while(|strip| *strip >= MIN_STRIP).find(stays);
    let (widest, wanted) = kept.map_or((MAX_STRIP, WIDE_TASKS), |kept| (kept, TASKS));
    let shared = all.map_or(MAX_STRIP, |all| all.saturating_mul(rows.unwrap_or(TASKS)) / wanted);
    let strip = even_strip(all, widest.min(shared.max(MIN_STRIP)));
    let tasks = rows.zip(all).map(|(rows, all)| rows.saturating_mul(ceil_div(all, strip)));
    let several = columns.map_or(1, |columns| rows_per_task(columns.saturating_mul(strip), target));
    let several = tasks.map_or(several, |tasks| {
        let least = if tasks >= MIN_STRIPS_PER_TASK * TASKS / 2 { MIN_STRIPS_PER_TASK } else { 1 };
        even_part(Some(tasks), several.max(least).min((tasks / TASKS).max(least)), 1).max(1)
    });
    let (lanes, steps, keep) = (lanes(target), steps(columns), kept.is_some());
    Ok(SideBySidePlan { lanes, rows: several, strip, steps, keep, vectors: 1 })
}

/// Rows of a strip, at most so many: an even part of all, of whole vectors if there is such a one.
fn even_strip(all: Option<i64>, most: i64) -> i64 {
    let is_even = |strip: &i64| all.is_some_and(|all| *strip > 0 && all % strip == 0);
    match all {
        Some(all) if all <= most => all,
        _ => {
            let units = [MIN_STRIP / 4, MIN_STRIP / 16, 1];
            units.map(|unit| even_part(all, most, unit)).into_iter().find(is_even).unwrap_or(most)
        }
    }
}

/// Steps that are taken together: those that are left are taken one by one.
fn steps(columns: Option<i64>) -> i64 {
    match columns {
        Some(columns) if columns < *STEPS.end() => columns.max(1),
        Some(columns) => STEPS.rev().min_by_key(|steps| columns % steps).unwrap_or(*STEPS.end()),
        None => *STEPS.end(),
    }
}

fn argreduce(program: &RowProgram, neighbours: &Group, target: &Target) -> Result<SideBySidePlan, Declined> {
    let unknown = || Declined::because("the number of rows, or of their elements, is not known");
    let columns = program.column()?.extent.as_int().ok_or_else(unknown)?;
    let (rows, all) = (program.rows.size.as_int(), neighbours.size.as_int().ok_or_else(unknown)?);
    // Strips enough to share where there are few other rows.
    let max_rows = (all.saturating_mul(rows.unwrap_or(TASKS)) / TASKS).clamp(MIN_STRIP, MAX_STRIP);
    let mut strips = (MIN_STRIP.min(all)..=max_rows.max(all.min(MIN_STRIP))).rev();
    let Some(strip) = strips.find(|strip| all % strip == 0) else {
        return declined("rows side by side are not even strips");
    };
    let strips = rows.map(|rows| rows.saturating_mul(all / strip));
    let rows = argreduce_rows(strips, columns.saturating_mul(strip), target)?;
    let lanes = lanes(target);
    Ok(SideBySidePlan { lanes, rows, strip, steps: 1, keep: false, vectors: argreduce_accumulators(strip, lanes) })
}
