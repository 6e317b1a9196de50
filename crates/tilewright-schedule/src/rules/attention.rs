//! Attention: products of queries and keys, their softmax, and the values weighed with it.

use tilewright_target::Target;

use super::calls::int;
use super::{Declined, MAIN, Rule};
use crate::Schedule;
use crate::primitive::tile_attention::Attention;
use crate::trace::Arg;

pub(super) const RULE: Rule = Rule {
    name: "attention",
    doc: "Attention runs block of keys by block of keys, with running maxima and sums.",
    apply,
};

/// Keys whose scores are in memory at once.
const KEYS: i64 = 128;
/// At most so many queries are taken one by one.
const FEW: i64 = 4;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let lanes = i64::from(target.lanes(32));
    let first = schedule.stages()?.first().copied();
    let first = first.ok_or_else(|| Declined::because("the function has no blocks"))?;
    let queries = schedule.module().prim(MAIN).and_then(|function| Attention::of(function).ok()?.query.extent.as_int());
    // Two vectors of queries save a little, where the second is not empty in the last task.
    let vectors = if queries.is_some_and(|queries| (queries - 1) / lanes % 2 == 1) { 2 } else { 1 };
    // A register tile of `rows` times the vectors, a vector of queries and an element of a key.
    let tile = if target.limits.vector_registers >= 32 { 16 } else { 8 };
    let sizes = [lanes, vectors, tile / vectors, KEYS.max(lanes), FEW].map(int);
    schedule.apply_named("tile_attention", std::iter::once(Arg::Rv(first)).chain(sizes).collect())?;
    Ok(())
}
