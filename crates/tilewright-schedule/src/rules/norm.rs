//! `norm`: rows, several stages of which run at once.

use tilewright_target::Target;

use super::accesses::gone;
use super::calls::int;
use super::elementwise::even_part;
use super::softmax::{ROWS, TASK, accumulators};
use super::{Declined, Offers, Rule};
use crate::Schedule;
use crate::facts::size::TASKS;
use crate::primitive::pipeline_norm::Norm;
use crate::primitive::{MULTIPLY_BY_RECIPROCAL, PIPELINE_NORM};
use crate::row_vectors::UNKNOWN;
use crate::trace::Arg;

pub(super) const NORM: Rule = Rule {
    name: "norm",
    doc: "A norm of many rows: its sums, those that depend on them and results of rows that follow each other, at once.",
    kernels: &["norm"],
    offers: Offers::One(apply),
};

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let last = *schedule.stages()?.last().ok_or_else(gone)?;
    // Divisions by the root of a variance.
    let _ = schedule.on_block(&MULTIPLY_BY_RECIPROCAL, last);
    let last = *schedule.stages()?.last().ok_or_else(gone)?;
    let (function, _) = schedule.site(last).ok_or_else(gone)?;
    let norm = Norm::of(function).map_err(|fault| Declined::because(fault.message))?;
    let count = norm.rows.size.as_int().ok_or_else(|| Declined::because("the number of rows is not known"))?;
    let columns = norm.column.extent.as_int().unwrap_or(UNKNOWN).max(1);
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
    let lanes = i64::from(target.lanes(32)).clamp(1, 64);
    let sizes = [lanes, accumulators(columns, lanes), even_part(Some(count), rows, 1)].map(int);
    schedule.call(&PIPELINE_NORM, std::iter::once(Arg::Rv(last)).chain(sizes).collect())?;
    Ok(())
}
