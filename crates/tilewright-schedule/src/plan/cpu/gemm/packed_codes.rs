//! The plan of a GEMM whose B is computed from words that neighbours along K share.
//!
//! Each task computes a panel of one K block, which stays in L1, and multiplies it with all of its rows: elements of B
//! are never in memory all at once, and tasks have as many rows as there are, so that each element is computed once for
//! many.

use tilewright_target::Target;

use super::extents::Extents;
use super::register_tile::{MAX_M_IN_PLACE, Registers, l1_bytes, lane_counts};
use super::task_blocks::{Blocks, Traffic};
use super::{Conversion, GemmPlan, PackA, PackB};
use crate::families::contraction::Contraction;
use crate::families::contraction::packed_codes::PackedCodes;
use crate::plan::Cost;

/// Cycles to compute an element of B of its word: six instructions for a vector of 16, of which two begin in a cycle,
/// and the gather of its words (measured: Sapphire Rapids class, 4 bits).
const DECODE_CYCLES: f64 = 0.3;

/// The plan of a contraction with such a B; `None` where it is none.
pub(crate) fn choose(c: &Contraction, batch: Option<i64>, target: &Target) -> Option<(GemmPlan, Cost)> {
    let lanes = *lane_counts(target, u32::from(c.out.dtype.bits), true).first()?;
    let PackedCodes { run } = PackedCodes::of(c, lanes)?;
    let e = Extents { pack_b_cycles: DECODE_CYCLES, ..Extents::of(c, batch, target) };
    let tile = Registers::of(target, c, vec![lanes], None).tile(&e);
    let longest = l1_bytes(target) / 3 * 2 / (tile.panel() * e.b_bytes).max(1);
    let mut plan = GemmPlan {
        mr: tile.mr,
        nr_vectors: tile.nr_vectors,
        lanes,
        kc: (longest / run).max(1).saturating_mul(run),
        mc: 0,
        nc: 0,
        pack_a: if e.m_at_most(MAX_M_IN_PLACE) { PackA::InPlace } else { PackA::RowMajor },
        pack_b: PackB::PerTask,
        conversion: Conversion::OfCodes,
        matrix_tiles: false,
        k_outermost: false,
        prefetch_b_to_l1: false,
        prefetch_b_bytes: 64,
    };
    let cost = Blocks { machine: target, e: &e, traffic: Traffic::default() }.choose(&mut plan);
    Some((plan, cost))
}
