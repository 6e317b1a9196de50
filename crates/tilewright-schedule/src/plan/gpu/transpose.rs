//! The plan of stages that read along one axis what they write along another (`kernels::gpu::transpose`).

use tilewright_macros::Plan;

use super::Device;
use crate::analysis::loop_nest::LoopNest;
use crate::fault::Fault;
use crate::plan::Declined;

/// Sizes of a transpose through shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Plan)]
#[plan(check = TransposePlan::check)]
pub(crate) struct TransposePlan {
    /// Elements of a side of a tile, and threads along it.
    #[plan(range = 1..=64, default = 32)]
    pub(crate) side: i64,
    /// Rows of a tile that are moved at once.
    #[plan(range = 1..=64, default = 8)]
    pub(crate) rows: i64,
}

/// Elements of a side at least: shorter runs are no worse to read one by one.
const MIN_SIDE: i64 = 8;

impl TransposePlan {
    fn check(&self) -> Result<(), Fault> {
        match self.side % self.rows {
            0 if self.side * self.rows <= 1024 => Ok(()),
            _ => Err(Fault::of_call("`rows` must divide `side`, and both together be 1024 threads at most")),
        }
    }
}

/// The loop along which something is read, where it is another one than that along which the result is written.
pub(crate) fn crossed(nest: &LoopNest) -> Option<(usize, usize)> {
    let written = nest.along_result().filter(|_| nest.is_spatial())?;
    let long = |at: usize| nest.extent(at).is_none_or(|extent| extent >= MIN_SIDE);
    let read = nest.reads.iter().find_map(|read| {
        let along = (0..nest.loops.len()).rev().find(|&at| nest.step(read, at) == Some(1))?;
        let far = nest.step(read, written).is_none_or(|step| step.abs() >= MIN_SIDE);
        (along != written && far).then_some(along)
    })?;
    (long(read) && long(written)).then_some((read, written))
}

/// The plan, with as many threads as a block of the device may have.
pub(crate) fn choose(nest: &LoopNest, device: &Device) -> Result<TransposePlan, Declined> {
    crossed(nest).ok_or_else(|| Declined::because("what is read lies along the result"))?;
    let side = device.threads(device.warp());
    let plan = TransposePlan { side, rows: (device.threads(256) / side).clamp(1, side) };
    Ok(plan)
}
