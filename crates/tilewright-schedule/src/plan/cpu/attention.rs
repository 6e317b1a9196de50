//! The plan of attention by blocks of keys with an online softmax (flash attention).

use tilewright_ir::tir::Intrinsic;
use tilewright_macros::Plan;
use tilewright_target::Target;
use tilewright_tensor::DataType;

use super::gemm::register_tile::tile_cycles;
use super::work::assumed;
use crate::analysis::axes::Axis;
use crate::analysis::size::{operations, size};
use crate::analysis::stride::byte_stride;
use crate::families::attention::Attention;
use crate::families::graph::AttentionTypes;
use crate::fault::Fault;
use crate::plan::Cost;
use crate::units::TASKS;

/// Keys whose scores are in memory at once, a multiple of the rows of each tile.
const KEYS: i64 = 96;
/// At most so many queries are taken one by one.
const FEW: i64 = 4;
/// Bytes of an element of what is read as it is.
const ELEMENT: i64 = 4;
/// Vectors of a register tile where there are 32 registers, and where there are fewer.
const TILE_VECTORS: [i64; 2] = [24, 8];
/// Vectors of queries of a task at most, for the same.
const MAX_QUERY_VECTORS: [i64; 2] = [4, 2];

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

/// The plan, and what it costs.
pub(crate) fn choose(attention: &Attention, target: &Target) -> (AttentionPlan, Cost) {
    let lanes = i64::from(target.lanes(32));
    // A register tile of `rows` times the vectors, the vectors of queries and an element of a key.
    let registers = usize::from(target.limits.vector_registers < 32);
    let vectors = vectors(attention, lanes, MAX_QUERY_VECTORS[registers]);
    let plan = AttentionPlan {
        lanes,
        vectors,
        rows: TILE_VECTORS[registers] / vectors,
        keys: KEYS.max(lanes),
        few: if has_parts(attention) { 1 } else { FEW },
        copy_keys: false,
        copy_values: vectors > 1 && values_are_apart(attention),
    };
    (plan, cost(attention, &plan, target))
}

/// The cycles of both products in register tiles, and of the formulas of each score.
fn cost(attention: &Attention, plan: &AttentionPlan, target: &Target) -> Cost {
    let extent = |axis: &Axis| assumed(&axis.extent);
    let batch: f64 = attention.batch.iter().map(extent).product();
    let pairs = batch * extent(&attention.query) * extent(&attention.key);
    // A query sees half of the keys, and the block that it is in.
    let seen = if attention.is_causal() { pairs / 2.0 } else { pairs };
    let vectors = seen / plan.lanes as f64;
    let of_tile = tile_cycles(target, plan.rows, plan.vectors) / (plan.rows * plan.vectors) as f64;
    // The formula of a score, its maximum, its distance from that, the exponential of this, and the sum.
    let formulas = size(&attention.scores).1 as u64 + 1 + operations(Intrinsic::Exp) + 2;
    Cost::default()
        .with("scores", vectors * extent(&attention.head_dim) * of_tile)
        .with("softmax", vectors * formulas as f64)
        .with("weighted sums", vectors * extent(&attention.value_dim) * of_tile)
}

/// Vectors of queries in a task. Each more takes keys and values from the second cache less often. But with a
/// causal mask a task reads all keys up to those of its last query, and there have to be enough tasks.
fn vectors(attention: &Attention, lanes: i64, most: i64) -> i64 {
    let batch = attention.batch.iter().try_fold(1_i64, |all, axis| all.checked_mul(axis.extent.as_int()?));
    let queries = attention.query.extent.as_int();
    let are_few = |vectors: i64| {
        let tasks = batch.zip(queries).map(|(batch, queries)| batch.saturating_mul(queries / (lanes * vectors)));
        tasks.is_some_and(|tasks| tasks < TASKS)
    };
    let mut vectors = if attention.is_causal() { most.min(2) } else { most };
    while vectors > 1 && are_few(vectors) {
        vectors /= 2;
    }
    vectors
}

/// Whether few queries share a vector, so that keys and values are read once for all of them: their number is known,
/// and depth and width are pieces for several lanes.
fn has_parts(attention: &Attention) -> bool {
    if !matches!(attention.query.extent.as_int(), Some(2..=FEW)) {
        return false;
    }
    let pieces = |axis: &Axis| axis.extent.as_int().is_some_and(|extent| extent % FEW == 0);
    pieces(&attention.head_dim) && pieces(&attention.value_dim)
}

/// Whether something else lies between the values of two keys. Tile for tile of their columns is taken from all keys of
/// a block, which the first-level cache may not hold then: their lines fall into few of its sets.
fn values_are_apart(attention: &Attention) -> bool {
    let own = attention.value_dim.extent.as_int().and_then(|width| width.checked_mul(ELEMENT));
    let is_row = byte_stride(&attention.v, Some(&attention.value_dim.var)) == Some(ELEMENT);
    is_row && byte_stride(&attention.v, Some(&attention.key.var)).is_none_or(|bytes| Some(bytes) > own)
}
