//! The plan of attention by blocks of keys with an online softmax (flash attention).

use tilewright_macros::Plan;
use tilewright_tensor::DataType;

use crate::families::graph::AttentionTypes;
use crate::fault::Fault;

/// Whether the kernel computes such an attention: all sums are of float32, whose terms may be read from narrower
/// types, and the sizes of its register tiles are known.
pub(crate) fn can(types: &AttentionTypes) -> bool {
    let AttentionTypes { queries, keys, softmax, weights, head_dim, value_dim } = *types;
    let is_summed_in_f32 = |factor| [DataType::F32, DataType::F16, DataType::BF16].contains(&factor);
    let is_known = |dim: Option<i64>| dim.is_some_and(|dim| dim > 0);
    [queries, keys].into_iter().all(is_summed_in_f32)
        && [softmax, weights] == [DataType::F32; 2]
        && [head_dim, value_dim].into_iter().all(is_known)
}

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
