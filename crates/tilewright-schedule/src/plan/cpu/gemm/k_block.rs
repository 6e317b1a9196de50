//! KC, the K block of a GEMM.
//!
//! A K block keeps a panel of B and a tile of A in or near L1. Where B is read in place, L2 has to hold the elements of
//! a block, whose strides may make them conflict in its sets.

use tilewright_target::{Machine, Target};

use super::extents::{Extents, K_BLOCK};
use super::register_tile::{RegisterTile, core_cache, l1_bytes};
use crate::analysis::stride::byte_stride;
use crate::families::contraction::Contraction;
use crate::plan::cpu::gemm::GemmPlan;
use crate::plan::cpu::set_conflicts::max_set_conflicts;
use crate::units::{ceil_div, signed};

/// The least KC that is chosen so that a panel stays in L1: one that is widened, or one that comes from DRAM for few
/// tiles.
pub(crate) const MIN_K_BLOCK: i64 = 128;
/// K up to which there is one block where nothing is packed.
pub(crate) const MAX_WHOLE_K: i64 = 1536;
/// K up to which there may be one block at all.
pub(crate) const MAX_K_BLOCK: i64 = 1 << 14;
/// M up to which packing B takes longer than it saves, and whose few tiles wait for B longer than partial sums take to
/// memory and back.
pub(crate) const MAX_M_UNPACKED: i64 = 64;
/// M from which on packing B pays even where the caches hold it in place.
pub(crate) const MIN_M_TO_PACK_B: i64 = 512;
/// Set strides of L2 that a K block of B may span in place: of more, its pages are too many for the TLB, and too many
/// of its lines share a set, wherever the pages are in physical memory.
const MAX_SPAN_SET_STRIDES: i64 = 12;

/// KC with which L2 holds a panel of B in place, which few register tiles use; `None` where it would have to be too
/// small. The smaller M, the smaller KC may be: partial sums that go to memory and back more often cost less than
/// packing.
pub(crate) fn in_place(c: &Contraction, e: &Extents, kc: i64, tile: &RegisterTile, machine: &Machine) -> Option<i64> {
    let m = e.m?;
    let innermost = c.k.axes.iter().rfind(|axis| axis.extent.as_int() != Some(1));
    let stride = byte_stride(&c.b, innermost.map(|axis| &axis.var));
    let small = e.b_elements().is_some_and(|count| count <= signed(machine.plan.shared_pack_elements));
    let few = m <= MIN_M_TO_PACK_B || small || e.batch != Some(1);
    let is_narrow = tile.panel() * e.b_bytes <= signed(machine.plan.l1_set_stride_bytes);
    let least = if m <= MAX_M_UNPACKED { MIN_K_BLOCK } else { K_BLOCK };
    let smaller = [K_BLOCK, K_BLOCK * 2 / 3, MIN_K_BLOCK].into_iter().filter(|&about| about >= least);
    let mut all = std::iter::once(kc).chain(smaller.map(|about| even_blocks(kc, tile.lanes, about)));
    let set_stride = signed(machine.plan.l2_set_stride_bytes);
    let ways = core_cache(machine) / set_stride.max(1);
    let Some(stride) = stride.filter(|_| e.n.is_some()) else {
        // Whatever the stride is, so few lines stay in their sets.
        return (few && is_narrow && kc <= ways).then_some(kc);
    };
    let stays = |kc: &i64| {
        max_set_conflicts(stride, *kc, set_stride) <= ways
            && kc.saturating_mul(stride) <= MAX_SPAN_SET_STRIDES * set_stride
    };
    if few && is_narrow { all.find(stays) } else { None }
}

/// KC of whole windows: all inner axes of K for each index of the outermost one; blocks of one size where one about as
/// large divides all.
pub(crate) fn of_whole_windows(kc: i64, c: &Contraction) -> i64 {
    let inner: i64 = c.k.axes.iter().skip(1).filter_map(|axis| axis.extent.as_int()).product();
    let inner = inner.max(1);
    let about = (kc / inner).max(1);
    let all = c.k.axes.first().and_then(|axis| axis.extent.as_int()).unwrap_or(0);
    let even = (about - about / 3..=about + about / 2).filter(|count| all % count == 0);
    even.min_by_key(|count| count.abs_diff(about)).unwrap_or(about) * inner
}

/// KC with which L1 holds a widened panel, where that is large enough to pay.
pub(crate) fn of_widened_panels(plan: &GemmPlan, e: &Extents, target: &Target) -> i64 {
    let most = l1_bytes(target) / 3 * 2 / (plan.panel() * e.b_bytes).max(1);
    if most < MIN_K_BLOCK || plan.kc <= most {
        return plan.kc;
    }
    let all = e.k.unwrap_or(most).max(1);
    even(all, ceil_div(all, most), plan.lanes)
}

/// KC of about so much, in even blocks of K.
pub(crate) fn even_blocks(k: i64, lanes: i64, about: i64) -> i64 {
    if k <= about + about / 3 { k } else { even(k, (k + about / 2) / about, lanes) }
}

/// KC of so many even blocks, whole vectors long.
fn even(k: i64, count: i64, lanes: i64) -> i64 {
    ceil_div(ceil_div(k, count), lanes) * lanes
}
