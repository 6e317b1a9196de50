//! What all warps of a launch share and none changes.

use crate::decode::{Code, MaskKind, Special};
use crate::lanes::{Lanes, WARP};
use crate::machine::Options;
use crate::module::Module;

#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) module: &'a Module,
    /// The kernel.
    pub(crate) function: usize,
    pub(crate) options: &'a Options,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Threads of a block.
    pub(crate) threads: usize,
    pub(crate) warps: usize,
    pub(crate) params: &'a [u8],
    /// The address of each variable in its space.
    pub(crate) addresses: Vec<u64>,
    pub(crate) shared_bytes: usize,
    pub(crate) dynamic_shared: u32,
    /// The seed of this launch.
    pub(crate) seed: u64,
    pub(crate) empty: Code,
}

impl Context<'_> {
    pub(crate) fn code(&self, function: usize) -> &Code {
        self.module.functions[function].code.as_ref().unwrap_or(&self.empty)
    }

    /// Warps, the unit that copies, and the units of the warpgroups.
    pub(crate) fn agents(&self) -> usize {
        self.warps + 1 + self.warps.div_ceil(4)
    }

    /// `%tid` of a thread.
    pub(crate) fn thread(&self, warp: usize, lane: usize) -> [u32; 3] {
        let [x, y, _] = self.block.map(|extent| extent.max(1));
        let thread = (warp * WARP + lane) as u32;
        [thread % x, thread / x % y, thread / x / y]
    }

    pub(crate) fn special(&self, special: Special, block: [u32; 3], warp: usize, out: &mut Lanes) {
        match special {
            Special::Tid(axis) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = self.thread(warp, lane)[axis].into();
                }
            }
            Special::Ntid(axis) => out.fill(self.block[axis].into()),
            Special::Ctaid(axis) => out.fill(block[axis].into()),
            Special::Nctaid(axis) => out.fill(self.grid[axis].into()),
            Special::Lane => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = lane as u64;
                }
            }
            Special::Warp => out.fill(warp as u64),
            Special::Warps => out.fill(self.warps as u64),
            Special::Sm => out.fill(0),
            Special::SmCount => out.fill(1),
            Special::Grid => out.fill(1),
            Special::LaneMask(kind) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    let (below, equal) = ((1u64 << lane) - 1, 1u64 << lane);
                    *out = match kind {
                        MaskKind::Eq => equal,
                        MaskKind::Lt => below,
                        MaskKind::Le => below | equal,
                        MaskKind::Gt => !(below | equal) & 0xffff_ffff,
                        MaskKind::Ge => !below & 0xffff_ffff,
                    };
                }
            }
            Special::DynamicShared => out.fill(self.dynamic_shared.into()),
            Special::TotalShared => out.fill(self.shared_bytes as u64),
            Special::Zero => out.fill(0),
            Special::One => out.fill(1),
        }
    }
}
