//! Steps of the depth of a product.
//!
//! A step keeps a panel of the columns and a tile of the rows near the first-level cache. Where columns are read where they
//! lie, the second-level cache has to hold those of a step, whose places in memory may crowd each other out.

use tilewright_target::{NEAR_BYTES, Target};

use super::registers::{RegisterTile, l1};
use super::strides::{L1_WAY, L2_WAY, crowd, stride};
use super::tiling::{MANY_ROWS, SMALL_COPY, Sizes};
use crate::facts::size::ceil_div;
use crate::families::contraction::Contraction;
use crate::plan::cpu::gemm::GemmPlan;

/// Extents of the depth that are known only when the function runs are planned for as if they were this, which is the depth
/// of a step where something is copied for each.
pub(super) const STEP: i64 = 384;
/// The least depth of a step where it is chosen so that a panel stays in the first-level cache: one that is widened, or one
/// that comes from memory for few tiles.
pub(super) const LEAST_STEP: i64 = 128;
/// The most of a depth that is one step where nothing is copied.
pub(super) const WHOLE: i64 = 1536;
/// The most of a depth that is one step in any case.
pub(super) const MOST: i64 = 1 << 14;
/// The most lines that may meet on one place of the second-level cache: its ways.
const CROWD: i64 = NEAR_BYTES.cast_signed() / L2_WAY;
/// Bytes between the first and the last place of a step whose columns are read where they are: of more, too many places share
/// the second-level cache's, wherever their pages are in memory, and their pages are too many to be found at once.
const SPAN: i64 = 12 * L2_WAY;
/// Rows for which a copy of the columns takes longer than what else it would save, and whose few tiles wait for columns more
/// than sums that go to memory and back take.
pub(super) const FEW_FOR_COPY: i64 = 64;

/// The depth of steps whose panel of columns the second-level cache holds where it is, which few tiles of rows use. The fewer
/// rows, the shallower steps may be: sums that go to memory and back more often cost less than a copy.
pub(super) fn that_stays(c: &Contraction, sizes: &Sizes, depth: i64, tile: &RegisterTile) -> Option<i64> {
    let (rows, columns) = sizes.rows.zip(sizes.columns)?;
    let place = c.k.axes.iter().rfind(|axis| axis.extent.as_int() != Some(1));
    let stride = stride(&c.b, place.map(|axis| &axis.var))?;
    let small = sizes.depth.is_some_and(|depth| depth.saturating_mul(columns) <= SMALL_COPY);
    let few = rows <= MANY_ROWS || small || sizes.batch != Some(1);
    let is_narrow = tile.panel() * sizes.bytes <= L1_WAY;
    let least = if rows <= FEW_FOR_COPY { LEAST_STEP } else { STEP };
    let shallower = [STEP, STEP * 2 / 3, LEAST_STEP].into_iter().filter(|&about| about >= least);
    let mut depths = std::iter::once(depth).chain(shallower.map(|about| steps(depth, tile.lanes, about)));
    let stays = |depth: &i64| crowd(stride, *depth, L2_WAY) <= CROWD && depth.saturating_mul(stride) <= SPAN;
    if few && is_narrow { depths.find(stays) } else { None }
}

/// The depth of a step with all places of the inner axes for each place of the outermost one; steps of one depth where one
/// about as deep divides all.
pub(super) fn of_whole_windows(depth: i64, c: &Contraction) -> i64 {
    let inner: i64 = c.k.axes.iter().skip(1).filter_map(|axis| axis.extent.as_int()).product();
    let inner = inner.max(1);
    let about = (depth / inner).max(1);
    let all = c.k.axes.first().and_then(|axis| axis.extent.as_int()).unwrap_or(0);
    let even = (about - about / 3..=about + about / 2).filter(|count| all % count == 0);
    even.min_by_key(|count| count.abs_diff(about)).unwrap_or(about) * inner
}

/// The depth of steps whose widened panels the first-level cache holds, where that is deep enough to pay.
pub(super) fn of_widened_panels(t: &GemmPlan, sizes: &Sizes, target: &Target) -> i64 {
    let most = l1(target) / 3 * 2 / (t.panel() * sizes.bytes).max(1);
    if most < LEAST_STEP || t.kc <= most {
        return t.kc;
    }
    let all = sizes.depth.unwrap_or(most).max(1);
    even(all, ceil_div(all, most), t.lanes)
}

/// The depth of steps of about so much.
pub(super) fn steps(depth: i64, lanes: i64, about: i64) -> i64 {
    if depth <= about + about / 3 { depth } else { even(depth, (depth + about / 2) / about, lanes) }
}

/// The depth of so many even steps, whole vectors long.
fn even(depth: i64, count: i64, lanes: i64) -> i64 {
    ceil_div(ceil_div(depth, count), lanes) * lanes
}
