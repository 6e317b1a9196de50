//! Plans of kernels for GPUs.
//!
//! Costs are in cycles of a multiprocessor: of the whole GPU, so that a candidate's cycles are its time by the clock.
//! Sizes depend on shapes and on the target's numbers alone.

pub(crate) mod gemm;
pub(crate) mod map;
pub(crate) mod reduce;
pub(crate) mod rows;
pub(crate) mod transpose;
pub(crate) mod work;

use tilewright_target::{DeviceLimits, Gpu, Target};

use super::Declined;

/// Bytes of the widest load or store of a thread.
pub(crate) const VECTOR_BYTES: i64 = 16;

/// What plans read of a GPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device {
    pub(crate) limits: DeviceLimits,
    pub(crate) gpu: Gpu,
}

impl Device {
    pub(crate) fn of(target: &Target) -> Result<Self, Declined> {
        let (limits, gpu) = target.gpu().ok_or_else(|| Declined::because("the target has no numbers of a GPU"))?;
        Ok(Self { limits, gpu })
    }

    pub(crate) fn multiprocessors(&self) -> i64 {
        i64::from(self.gpu.multiprocessors).max(1)
    }

    /// Threads that execute together.
    pub(crate) fn warp(&self) -> i64 {
        i64::from(self.limits.warp_size).max(1)
    }

    /// The greatest power of two of threads that is no more than `most`, nor than a block may have.
    pub(crate) fn threads(&self, most: i64) -> i64 {
        1 << i64::from(self.limits.max_threads_per_block).min(most).max(1).ilog2()
    }

    /// Bytes of shared memory of a block.
    pub(crate) fn shared_bytes(&self) -> i64 {
        i64::from(self.limits.shared_memory_bytes)
    }

    /// Cycles to move bytes from or to the device's memory.
    pub(crate) fn memory_cycles(&self, bytes: f64) -> f64 {
        bytes / self.gpu.memory_bytes_per_ns * self.gpu.clock_ghz
    }

    /// Cycles of a launch.
    pub(crate) fn launch_cycles(&self) -> f64 {
        self.gpu.launch_ns * self.gpu.clock_ghz
    }
}
