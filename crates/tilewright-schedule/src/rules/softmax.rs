//! `softmax`: rows, several stages of which run at once.

use tilewright_target::Target;

use super::accesses::gone;
use super::calls::int;
use super::elementwise::even_part;
use super::{Declined, Rule};
use crate::Schedule;
use crate::primitive::pipeline_softmax::Softmax;
use crate::row_vectors::UNKNOWN;
use crate::size::TASKS;
use crate::trace::Arg;

pub(super) const SOFTMAX: Rule = Rule {
    name: "softmax",
    doc: "A softmax of many rows, or its logarithm: maxima, powers and results of rows that follow each other, at once.",
    apply,
};

/// Accumulators of a reduction, at most.
const ACCUMULATORS: i64 = 4;
/// Elements of a task.
pub(super) const TASK: i64 = 1 << 16;
/// Rows of a task, at least: what comes before the first of them runs alone.
pub(super) const ROWS: i64 = 16;
/// The longest row whose powers, with those of the row before, stay near the core.
const COLUMNS: i64 = 1 << 14;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let last = *schedule.stages()?.last().ok_or_else(gone)?;
    let (function, _) = schedule.site(last).ok_or_else(gone)?;
    let softmax = Softmax::of(function).map_err(|fault| Declined::because(fault.message))?;
    let lanes = i64::from(target.lanes(32)).clamp(1, 64);
    let columns = softmax.column.extent.as_int();
    if columns.is_some_and(|columns| columns > COLUMNS) {
        return Err(Declined::because("the powers of a row do not stay near the core"));
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
    schedule.apply_named("pipeline_softmax", std::iter::once(Arg::Rv(last)).chain(sizes).collect())?;
    Ok(())
}

/// As many as leave the fewest vectors of a row over.
pub(super) fn accumulators(columns: i64, lanes: i64) -> i64 {
    let left = |accumulators: &i64| columns / lanes % accumulators;
    [ACCUMULATORS, 2, 1].into_iter().min_by_key(left).unwrap_or(1)
}
