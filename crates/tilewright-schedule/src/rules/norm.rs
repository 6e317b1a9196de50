//! `norm`: rows, several stages of which run at once.

use tilewright_target::Target;

use super::accesses::gone;
use super::calls::int;
use super::{Declined, Rule};
use crate::Schedule;
use crate::primitive::pipeline_norm::Norm;
use crate::size::TASKS;
use crate::trace::Arg;

pub(super) const NORM: Rule = Rule {
    name: "norm",
    doc: "A norm of many rows: its sums, those that depend on them and results of rows that follow each other, at once.",
    apply,
};

/// Accumulators of a sum, at most.
const ACCUMULATORS: i64 = 4;
/// Elements of a task.
const TASK: i64 = 1 << 16;
/// Rows of a task, at least: the sums of the first ones run alone.
const ROWS: i64 = 16;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let last = *schedule.stages()?.last().ok_or_else(gone)?;
    // Divisions by the root of a variance.
    let _ = schedule.on_block("multiply_by_reciprocal", last);
    let last = *schedule.stages()?.last().ok_or_else(gone)?;
    let (function, _) = schedule.site(last).ok_or_else(gone)?;
    let norm = Norm::of(function).map_err(|fault| Declined::because(fault.message))?;
    let (Some(columns), Some(count)) = (norm.column.extent.as_int(), norm.rows.size.as_int()) else {
        return Err(Declined::because("the number of rows, or of columns, is not known"));
    };
    let columns = columns.max(1);
    // The rows of all stages, and one of each parameter of the columns.
    let near = (norm.depth as i64 + 2).saturating_mul(columns).saturating_mul(4);
    if u64::try_from(near).is_ok_and(|near| near > target.limits.l1_bytes) {
        return Err(Declined::because("the rows of all stages do not stay in the first cache"));
    }
    let most = (TASK / columns).max(ROWS);
    if count < TASKS * ROWS {
        return Err(Declined::because("there are few rows"));
    }
    let rows = (count / TASKS).min(most);
    // A part of all rows that is even, if there is one that is not much less.
    let rows = (rows / 2 + 1..=rows).rev().find(|rows| count % rows == 0).unwrap_or(rows).max(1);
    let lanes = i64::from(target.lanes(32)).clamp(1, 64);
    // With the fewest vectors that are left over.
    let left = |accumulators: i64| columns / lanes % accumulators;
    let accumulators = [ACCUMULATORS, 2, 1].into_iter().min_by_key(|&accumulators| left(accumulators)).unwrap_or(1);
    let sizes = [lanes, accumulators, rows].map(int);
    schedule.apply_named("pipeline_norm", std::iter::once(Arg::Rv(last)).chain(sizes).collect())?;
    Ok(())
}
