//! The plan of rows that stay in a cache (`kernels::cpu::rows::resident`).

use tilewright_target::Target;

use super::cost::Work;
use super::{ASSUMED_COLUMNS, ResidentPlan, accumulators, declined, fits, lanes};
use crate::families::rows::RowProgram;
use crate::plan::{Cost, Declined};
use crate::units::{TASKS, even_part, signed};

/// Rows of a task, at least: the stages that come before the first result have nothing to share cycles with.
const MIN_ROWS: i64 = 16;

/// The plan, and what it costs: nothing waits for the horizontal reductions, and no term is worked out again.
pub(crate) fn choose(program: &RowProgram, target: &Target) -> Result<(ResidentPlan, Cost), Declined> {
    program.contiguous()?;
    program.elements()?;
    let columns = program.column()?.extent.as_int();
    let rows = match program.is_softmax() {
        true => softmax_rows(program, columns, target)?,
        false => norm_rows(program, columns, target)?,
    };
    let rows = even_part(program.rows.size.as_int(), rows, 1).max(1);
    let lanes = lanes(target);
    let accumulators = accumulators(columns.unwrap_or(ASSUMED_COLUMNS).max(1), lanes);
    Ok((ResidentPlan { lanes, accumulators, rows }, Work::of(program, target).cost()))
}

/// Rows of a task of a softmax, whose exponentials stay in the caches of a core.
fn softmax_rows(program: &RowProgram, columns: Option<i64>, target: &Target) -> Result<i64, Declined> {
    if columns.is_some_and(|columns| columns > signed(target.plan.softmax_row_elements)) {
        return declined("exponentials of rows do not stay in the caches");
    }
    let max_rows = columns.map_or(MIN_ROWS, |columns| signed(target.tasks.row_task_elements) / columns.max(1));
    match program.rows.size.as_int() {
        Some(count) if count < TASKS * MIN_ROWS.min(max_rows) => declined("there are few rows"),
        Some(count) => Ok((count / TASKS).min(max_rows)),
        None => Ok(max_rows),
    }
}

/// Rows of a task of a norm, which stay in the first-level cache.
fn norm_rows(program: &RowProgram, columns: Option<i64>, target: &Target) -> Result<i64, Declined> {
    let columns = columns.unwrap_or(ASSUMED_COLUMNS).max(1);
    let Some(count) = program.rows.size.as_int() else { return declined("the number of rows is not known") };
    // The rows of all stages, and one of each parameter of the columns.
    if !fits((program.depth() as i64 + 2).saturating_mul(columns), target.limits.l1_bytes) {
        return declined("the rows of all stages do not stay in the first-level cache");
    }
    if count < TASKS * MIN_ROWS {
        return declined("there are few rows");
    }
    Ok((count / TASKS).min((signed(target.tasks.row_task_elements) / columns).max(MIN_ROWS)))
}
