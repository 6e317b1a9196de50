//! The plans of the walks over rows.

use tilewright_macros::Plan;

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
