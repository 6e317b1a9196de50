//! `moments`: norms by mean and variance whose rows are too long, or have too many axes, for several stages at once.

use tilewright_target::Target;

use super::accesses::gone;
use super::calls::{flag, int};
use super::elementwise::even_part;
use super::softmax::{TASK, accumulators};
use super::{Declined, Offers, Rule};
use crate::Schedule;
use crate::facts::size::TASKS;
use crate::primitive::PIPELINE_MOMENTS;
use crate::primitive::pipeline_moments::Moments;
use crate::trace::Arg;

pub(super) const MOMENTS: Rule = Rule {
    name: "moments",
    doc: "A norm of rows of one or several axes: the result of a row and the moments of the next one at once, piece by piece.",
    kernels: &["moments"],
    offers: Offers::One(apply),
};

/// Elements of a piece: the two steps of its moments take longer than to put these together with what is behind.
const PIECE: i64 = 2048;
/// Columns that lie together, at least, and elements of a row.
const COLUMNS: i64 = 32;
const LEAST: i64 = 512;
/// Tasks at least, where there are rows for as many, and rows of a task: nothing is written while the moments of the first one
/// are taken.
const FEWEST: i64 = TASKS / 2;
const LEAST_ROWS: i64 = 8;
/// Rows that the second-level cache holds: the one that is written, the one whose moments are taken, the one that comes.
const NEAR: i64 = 4;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let last = *schedule.stages()?.last().ok_or_else(gone)?;
    let (function, _) = schedule.site(last).ok_or_else(gone)?;
    let moments = Moments::of(function).map_err(|fault| Declined::because(fault.message))?;
    if moments.columns < COLUMNS || moments.count < LEAST {
        return Err(Declined::because("rows are short"));
    }
    let rows = moments.rows.size.as_int();
    if rows.is_some_and(|rows| rows < TASKS) {
        return Err(Declined::because("there are few rows"));
    }
    let several = match rows {
        Some(rows) => even_part(Some(rows), (rows / FEWEST).min((TASK / moments.count).max(LEAST_ROWS)).max(1), 1),
        None => LEAST_ROWS,
    };
    let near = moments.count.saturating_mul(4 * NEAR);
    let ahead = u64::try_from(near).is_ok_and(|near| near <= target.limits.l2_bytes);
    let lanes = i64::from(target.lanes(32)).clamp(1, 64);
    let piece = PIECE.min(moments.count);
    let accumulators = accumulators(moments.columns.min(piece), lanes);
    let sizes = [lanes, accumulators, several, piece].map(int);
    let args = std::iter::once(Arg::Rv(last)).chain(sizes).chain([flag(ahead)]);
    schedule.call(&PIPELINE_MOMENTS, args.collect())?;
    Ok(())
}
