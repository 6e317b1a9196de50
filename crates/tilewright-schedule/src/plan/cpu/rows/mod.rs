//! The plans of the walks over the rows of a row reduction: their sizes, and what each walk costs.
//!
//! | walk | rows |
//! |---|---|
//! | [`resident`] | contiguous, many: the rows of all stages stay in the first-level cache, or a softmax's in the caches |
//! | [`by_pieces`] | contiguous, long, few or of several axes; argreduce |
//! | [`side_by_side`] | neighbours in memory: a softmax, argreduce |
//!
//! Each walk's `choose` gives sizes and a cost, or the reason why it is not for a program. Where there are too few rows
//! to share among tasks, all decline: the rule `contiguous_reduction` takes the function apart. Sizes depend on shapes
//! and the target alone.

pub(crate) mod by_pieces;
mod cost;
pub(crate) mod resident;
pub(crate) mod side_by_side;

use tilewright_macros::Plan;
use tilewright_target::Target;

use crate::plan::Declined;
use crate::units::signed;

/// Columns for which symbolic numbers of columns are planned.
pub(crate) const ASSUMED_COLUMNS: i64 = 1 << 10;

/// Independent accumulators of a reduction, at most.
const MAX_ACCUMULATORS: i64 = 4;
/// Bytes of a float32.
const FLOAT_BYTES: i64 = 4;

/// Lanes of float32 of a vector.
fn lanes(target: &Target) -> i64 {
    i64::from(target.lanes(32)).clamp(1, 64)
}

/// As many accumulators as leave the fewest vectors of a row over.
fn accumulators(columns: i64, lanes: i64) -> i64 {
    let left = |accumulators: &i64| columns / lanes % accumulators;
    [MAX_ACCUMULATORS, 2, 1].into_iter().min_by_key(left).unwrap_or(1)
}

/// Rows of so many elements each that make up the work of a task; at least one.
fn rows_per_task(elements: i64, target: &Target) -> i64 {
    (signed(target.tasks.row_task_elements) / elements.max(1)).max(1)
}

/// Whether so many float32 take at most these bytes.
fn fits(numbers: i64, bytes: u64) -> bool {
    u64::try_from(numbers.saturating_mul(FLOAT_BYTES)).is_ok_and(|own| own <= bytes)
}

fn declined<T>(reason: &str) -> Result<T, Declined> {
    Err(Declined::because(reason))
}

/// Rows that stay in the first-level cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Plan)]
pub(crate) struct ResidentPlan {
    /// Lanes of a vector: elements of a row.
    #[plan(range = 1..=64, power_of_two)]
    pub(crate) lanes: i64,
    /// Vectors of a reduction that are independent of each other, and are merged at the end of a row.
    #[plan(range = 1..=16, power_of_two, default = 4)]
    pub(crate) accumulators: i64,
    /// Rows of a task.
    #[plan(range = 1..=65536, default = 32)]
    pub(crate) rows: i64,
}

/// Rows taken piece by piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Plan)]
pub(crate) struct ByPiecesPlan {
    /// Lanes of a vector: elements of a row.
    #[plan(range = 1..=64, power_of_two)]
    pub(crate) lanes: i64,
    /// Vectors of a reduction that are independent of each other, and are merged at the end of a piece or row.
    #[plan(range = 1..=16, power_of_two, default = 4)]
    pub(crate) accumulators: i64,
    /// Rows of a task.
    #[plan(range = 1..=65536, default = 1)]
    pub(crate) rows: i64,
    /// Elements of a piece, at most.
    #[plan(range = 1..=16384, default = 2048)]
    pub(crate) piece: i64,
    /// Whether terms that the result reads again are kept in memory for a row, and not worked out again.
    #[plan(default = false)]
    pub(crate) keep: bool,
    /// Whether the next row is prefetched, and not the next piece.
    #[plan(default = false, alias = "ahead")]
    pub(crate) prefetch_row: bool,
}

impl ByPiecesPlan {
    /// Argreduce of rows side by side: a piece is a strip of rows.
    pub(crate) fn as_strips(&self) -> SideBySidePlan {
        let Self { lanes, accumulators: vectors, rows, piece: strip, .. } = *self;
        SideBySidePlan { lanes, rows, strip, steps: 1, keep: false, vectors }
    }
}

/// Rows whose neighbours are neighbours in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Plan)]
pub(crate) struct SideBySidePlan {
    /// Lanes of a vector: rows.
    #[plan(range = 1..=64, power_of_two)]
    pub(crate) lanes: i64,
    /// Strips of rows of a task.
    #[plan(range = 1..=65536, default = 1)]
    pub(crate) rows: i64,
    /// Rows of a strip.
    #[plan(range = 1..=16384, default = 256, alias = "lot")]
    pub(crate) strip: i64,
    /// Elements of each row that are taken in together.
    #[plan(range = 1..=16, default = 8)]
    pub(crate) steps: i64,
    /// Whether terms that the result reads again are kept in memory for a strip, and not worked out again.
    #[plan(default = false)]
    pub(crate) keep: bool,
    /// Vectors of an iteration of the loop over a strip.
    #[plan(range = 1..=16, power_of_two, default = 1)]
    pub(crate) vectors: i64,
}
