//! The plan of stages whose results are independent of each other (`kernels::gpu::map`).

use tilewright_macros::Plan;

use super::{Device, VECTOR_BYTES};
use crate::analysis::loop_nest::LoopNest;
use crate::fault::Fault;
use crate::units::ceil_div;

/// Threads of a block.
const THREADS: i64 = 256;
/// Results that a thread computes one by one where they are no vector: loads of several wait at once.
const PER_THREAD: i64 = 4;
/// Lanes of a vector at most.
const MAX_LANES: i64 = 16;

/// How results are shared among threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Plan)]
#[plan(check = MapPlan::check)]
pub(crate) struct MapPlan {
    /// Threads of a block.
    #[plan(range = 1..=1024)]
    pub(crate) threads: i64,
    /// Neighbouring results that a thread computes as a vector.
    #[plan(range = 1..=16, default = 1)]
    pub(crate) vector: i64,
    /// Vectors of a thread, as many apart as a block has threads.
    #[plan(range = 1..=64, default = 1)]
    pub(crate) per_thread: i64,
}

impl MapPlan {
    fn check(&self) -> Result<(), Fault> {
        crate::plan::check_power_of_two("vector", self.vector)
    }

    /// One result a thread.
    pub(crate) fn plain(device: &Device) -> Self {
        Self { threads: device.threads(THREADS), vector: 1, per_thread: 1 }
    }
}

/// The plan of a nest, in which these spatial loops stand outermost, in this order.
pub(crate) fn choose(nest: &LoopNest, spatial: &[usize], device: &Device) -> MapPlan {
    let plain = MapPlan::plain(device);
    let all = nest.iterations(spatial);
    // A block of each multiprocessor at least, where there are results enough for warps.
    let fewer = |threads: i64| {
        let halves = std::iter::successors(Some(threads), |threads| Some(threads / 2));
        let enough = |threads: &i64| all.is_none_or(|all| ceil_div(all, *threads) >= 2 * device.multiprocessors());
        halves.take_while(|threads| *threads >= device.warp()).find(enough)
    };
    let Some(threads) = fewer(plain.threads) else {
        return MapPlan { threads: device.threads(device.warp()), ..plain };
    };
    let fills =
        |each: i64| all.is_none_or(|all| all / each.saturating_mul(threads).max(1) >= 2 * device.multiprocessors());
    if spatial.len() < nest.loops.len() {
        return MapPlan { threads, ..plain };
    }
    let lanes = lanes(nest, spatial);
    let vector = std::iter::successors(Some(lanes), |lanes| Some(lanes / 2)).find(|&lanes| lanes <= 1 || fills(lanes));
    let vector = vector.unwrap_or(1).max(1);
    let per_thread = if vector == 1 && fills(PER_THREAD) { PER_THREAD } else { 1 };
    MapPlan { threads, vector, per_thread }
}

/// Lanes of a vector of neighbours: all that is read and written lies together along the innermost loop, or is the same
/// for all of them, and either rows are whole vectors or all loops go through memory as one.
fn lanes(nest: &LoopNest, spatial: &[usize]) -> i64 {
    let Some(&along) = spatial.last() else { return 1 };
    let widest = nest.accesses().map(|access| access.buffer.dtype.element_bytes()).max().unwrap_or(16);
    let lanes = (VECTOR_BYTES / (widest as i64).max(1)).clamp(1, MAX_LANES);
    let decided = nest.decides.get(along).copied().unwrap_or(true);
    let together = nest.accesses().all(|access| matches!(nest.step(access, along), Some(0 | 1)));
    if decided || !together {
        return 1;
    }
    let flat = nest.contiguous(spatial) == spatial.len();
    match nest.extent(along) {
        _ if flat => lanes,
        Some(extent) => 1 << lanes.ilog2().min(extent.trailing_zeros()),
        None => 1,
    }
}
