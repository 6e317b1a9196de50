//! The plan of a direct convolution, or of another reduction over sliding windows: register tile and task.

pub(crate) mod channels;
pub(crate) mod depthwise;
mod sizes;

use tilewright_macros::Plan;

/// Accumulators of a tile and statements of its unrolled body, at most.
pub(crate) const MAX_UNROLLED: i64 = 320;

/// Sizes of a direct convolution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Plan)]
pub(crate) struct DirectConvPlan {
    /// Output rows of a register tile.
    #[plan(range = 1..=MAX_UNROLLED)]
    pub(crate) rows: i64,
    /// Output columns of a register tile, one lane each.
    #[plan(range = 1..=64)]
    pub(crate) lanes: i64,
    /// Output rows of a task.
    #[plan(range = 1..=i64::MAX)]
    pub(crate) band: i64,
    /// Images of a task.
    #[plan(range = 1..=65536, default = 1)]
    pub(crate) images: i64,
    /// Output channels of a register tile; they share the elements of the image that the tile loads.
    #[plan(range = 1..=MAX_UNROLLED, default = 1)]
    pub(crate) channels: i64,
}
