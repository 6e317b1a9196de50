//! `softmax`: rows of a known number of columns, several stages of which run at once.

use tilewright_target::Target;

use super::accesses::gone;
use super::calls::int;
use super::{Declined, Rule};
use crate::Schedule;
use crate::primitive::pipeline_softmax::Softmax;
use crate::trace::Arg;

pub(super) const SOFTMAX: Rule = Rule {
    name: "softmax",
    doc: "A softmax of many rows: maxima, powers and results of rows that follow each other, at once.",
    apply,
};

/// Accumulators of a reduction, at most.
const ACCUMULATORS: i64 = 4;
/// Elements of a task.
const TASK: i64 = 1 << 16;
/// Tasks among which rows are shared, and rows of a task, at least.
const TASKS: i64 = 16;
const ROWS: i64 = 16;
/// The longest row whose powers, with those of the row before, stay near the core.
const COLUMNS: i64 = 1 << 14;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let last = *schedule.stages()?.last().ok_or_else(gone)?;
    let (function, _) = schedule.site(last).ok_or_else(gone)?;
    let softmax = Softmax::of(function).map_err(|fault| Declined::because(fault.message))?;
    let lanes = i64::from(target.lanes(32)).clamp(1, 64);
    let whole = |accumulators: &i64| softmax.columns % (lanes * accumulators) == 0;
    let accumulators = [ACCUMULATORS, 2, 1].into_iter().find(whole);
    let accumulators = accumulators.ok_or_else(|| Declined::because("a row is not of whole vectors"))?;
    if softmax.columns > COLUMNS {
        return Err(Declined::because("the powers of a row do not stay near the core"));
    }
    let extents = softmax.rows.iter().map(|axis| axis.extent.as_int());
    let count = extents.into_iter().try_fold(1_i64, |count, extent| Some(count.saturating_mul(extent?)));
    let most = TASK / softmax.columns;
    let rows = match count {
        Some(count) if count < TASKS * ROWS.min(most) => return Err(Declined::because("there are few rows")),
        Some(count) => (count / TASKS).min(most),
        None => most,
    };
    // A part of all rows that is even, if there is one that is not much less.
    let even = |rows: &i64| count.is_some_and(|count| count % rows == 0);
    let rows = (rows / 2 + 1..=rows).rev().find(even).unwrap_or(rows).max(1);
    let sizes = [lanes, accumulators, rows].map(int);
    schedule.apply_named("pipeline_softmax", std::iter::once(Arg::Rv(last)).chain(sizes).collect())?;
    Ok(())
}
