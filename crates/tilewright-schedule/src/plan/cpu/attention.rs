//! The plan of attention by blocks of keys with an online softmax (flash attention).

use tilewright_macros::Plan;

use crate::facts::fault::Fault;

/// Sizes and choices of attention.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Plan)]
#[plan(check = AttentionPlan::check)]
pub(crate) struct AttentionPlan {
    /// Lanes of a vector: queries, one lane each.
    #[plan(range = 1..=64, power_of_two)]
    pub(crate) lanes: i64,
    /// Vectors of queries of a task.
    #[plan(range = 1..=16, default = 2)]
    pub(crate) vectors: i64,
    /// Keys, or columns of the values, of a register tile.
    #[plan(range = 1..=64, default = 8)]
    pub(crate) rows: i64,
    /// Keys of a block, whose scores are in memory at once.
    #[plan(range = 1..=4096, default = 128)]
    pub(crate) keys: i64,
    /// Queries that are taken one by one, with the lanes along the depth, where there are no more.
    #[plan(range = 0..=4096, default = 4)]
    pub(crate) few: i64,
    /// Whether a block of keys is copied before its elements are broadcast one by one.
    #[plan(default = false)]
    pub(crate) copy_keys: bool,
    /// The same of values.
    #[plan(default = false)]
    pub(crate) copy_values: bool,
}

impl AttentionPlan {
    fn check(&self) -> Result<(), Fault> {
        let Self { lanes, rows, keys, .. } = *self;
        if keys % lanes == 0 && keys % rows == 0 {
            return Ok(());
        }
        let message = format!("`keys` must be a multiple of {lanes} lanes and of {rows} rows, found {keys}");
        Err(Fault::of_call(message))
    }
}
