//! Attention: products of queries and keys, their softmax, and the values weighed with it.

use tilewright_target::Target;

use super::{Declined, MAIN, Offers, Rule};
use crate::Schedule;
use crate::facts::axes::Axis;
use crate::facts::size::TASKS;
use crate::facts::stride::byte_stride;
use crate::families::attention::Attention;
use crate::kernels::cpu::attention::FLASH_ATTENTION;
use crate::plan::cpu::attention::AttentionPlan;

pub(super) const RULE: Rule = Rule {
    name: "attention",
    doc: "Attention runs block of keys by block of keys, with running maxima and sums.",
    kernels: &["attention"],
    offers: Offers::One(apply),
};

/// Keys whose scores are in memory at once, a multiple of the rows of each tile.
const KEYS: i64 = 96;
/// At most so many queries are taken one by one.
const FEW: i64 = 4;
/// Bytes of an element of what is read as it is.
const ELEMENT: i64 = 4;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let lanes = i64::from(target.lanes(32));
    let first = schedule.stages()?.first().copied();
    let first = first.ok_or_else(|| Declined::because("the function has no blocks"))?;
    let attention = schedule.module().prim(MAIN).and_then(|function| Attention::of(function).ok());
    // A register tile of `rows` times the vectors, the vectors of queries and an element of a key.
    let tile = if target.limits.vector_registers >= 32 { 24 } else { 8 };
    let most = if tile > 8 { 4 } else { 2 };
    let vectors = attention.as_ref().map_or(1, |attention| vectors(attention, lanes, most));
    let few = if attention.as_ref().is_some_and(has_parts) { 1 } else { FEW };
    let copy_values = vectors > 1 && attention.is_some_and(|attention| values_are_apart(&attention));
    let plan = AttentionPlan {
        lanes,
        vectors,
        rows: tile / vectors,
        keys: KEYS.max(lanes),
        few,
        copy_keys: false,
        copy_values,
    };
    schedule.build(&FLASH_ATTENTION, first, &plan)?;
    Ok(())
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
/// a block, which the first-level cache may not hold then: every so many lines meet on one of its places.
fn values_are_apart(attention: &Attention) -> bool {
    let own = attention.value_dim.extent.as_int().and_then(|width| width.checked_mul(ELEMENT));
    let is_row = byte_stride(&attention.v, Some(&attention.value_dim.var)) == Some(ELEMENT);
    is_row && byte_stride(&attention.v, Some(&attention.key.var)).is_none_or(|bytes| Some(bytes) > own)
}
