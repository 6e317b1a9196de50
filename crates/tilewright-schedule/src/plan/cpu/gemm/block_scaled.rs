//! The plan of a GEMM of integers with a scale for each group along K.
//!
//! A tile has two accumulators for each vector of a row: the group's sum in int32, and the tile's in float32. B comes
//! from memory once where one tile has all of M; else a panel of one K block stays in L1 while the tiles of a task read
//! it, and A in L2.

use tilewright_target::Target;

use super::choose::multiplies_bytes;
use super::{Conversion, GemmPlan, PackA, PackB};
use crate::families::contraction::Contraction;
use crate::families::contraction::block_scaled::BlockScaled;
use crate::plan::Cost;
use crate::units::{TASKS, ceil_div};

/// Columns of a vector: words of 32 bits in the registers of AVX-512.
const LANES: i64 = 16;
/// Registers that are no accumulators: words of B, masks, scales.
const OTHER_REGISTERS: i64 = 6;
/// Rows of a tile that is one of several.
const MR: i64 = 8;
/// Vectors of one row: as many dot products in a row wait for each other.
const ROW_VECTORS: i64 = 4;
/// KC where several tiles read a panel: 16 columns of four bits and their scales are half of L1.
const KC: i64 = 2048;
/// MC, at most: so many rows of a K block are an eighth of L2.
const MAX_MC: i64 = 128;
/// NC, at most, where M is several tiles.
const MAX_NC: i64 = 512;
/// Instructions for a group that are no dot products, for each accumulator: its start, the conversion, two products.
const SCALE_INSTRUCTIONS: f64 = 4.0;

/// The plan of a contraction of such operands; `None` where it is none, or the target has no dot products of bytes.
pub(crate) fn choose(c: &Contraction, target: &Target) -> Option<(GemmPlan, Cost)> {
    if !multiplies_bytes(target) {
        return None;
    }
    let spec = BlockScaled::of(c, LANES)?;
    let (m, n, k) = (c.m.size.as_int(), c.n.size.as_int(), c.k.size.as_int());
    let single = m.is_some_and(|m| m <= MR);
    let mr = m.unwrap_or(MR).clamp(1, MR);
    // Two accumulators for each row and vector.
    let registers = (i64::from(target.limits.vector_registers) - OTHER_REGISTERS) / 2;
    let panels = n.map_or(i64::MAX, |n| ceil_div(n, LANES));
    let nr_vectors = (registers / mr).clamp(1, ROW_VECTORS).min(panels);
    let panel = nr_vectors * LANES;
    let whole_k = ceil_div(k.unwrap_or(KC).max(1), spec.group) * spec.group;
    let kc = if single { whole_k.min(1 << 16) } else { even_groups(whole_k, spec.group) };
    let mc = m.unwrap_or(MAX_MC).clamp(1, MAX_MC);
    let per_task = ceil_div(n.unwrap_or(MAX_NC), TASKS).clamp(1, MAX_NC);
    let plan = GemmPlan {
        mr,
        nr_vectors,
        lanes: LANES,
        kc,
        mc: if single { mr } else { ceil_div(mc, mr) * mr },
        nc: ceil_div(per_task, panel) * panel,
        pack_a: PackA::InPlace,
        pack_b: PackB::InPlace,
        conversion: Conversion::BlockScaled,
        matrix_tiles: false,
        k_outermost: false,
        prefetch_b_to_l1: false,
        prefetch_b_bytes: 64,
    };
    let batch = c.batch.size.as_int().unwrap_or(1).max(1) as f64;
    Some((plan, cost(&spec, [m, n, k].map(|extent| extent.unwrap_or(MAX_MC))).times(batch)))
}

/// KC of whole groups, about the same in each K block.
fn even_groups(k: i64, group: i64) -> i64 {
    let blocks = ceil_div(k, KC.max(group));
    ceil_div(ceil_div(k, blocks), group) * group
}

/// Cycles, of two instructions in each.
fn cost(spec: &BlockScaled, [m, n, k]: [i64; 3]) -> Cost {
    let vectors = (m * ceil_div(n, LANES)) as f64;
    let groups = ceil_div(k, spec.group) as f64;
    Cost::default()
        .with("dot products", vectors * groups * spec.words.len() as f64 / 2.0)
        .with("scales", vectors * groups * SCALE_INSTRUCTIONS / 2.0)
}
