//! Slots that are filled when a warp begins: literals, addresses of variables, special registers.

use crate::module::Space;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    Bits(u64),
    /// The address of a variable in its space, by index.
    Variable(usize, u64),
    /// An offset in the thread's local memory.
    Local(u64),
    /// The generic address of a parameter of the kernel.
    Param(u64),
    /// An address in the frame of the function.
    Frame(u64),
    Special(Special),
}

/// Special registers that a warp has from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    Lane,
    Warp,
    Warps,
    Sm,
    SmCount,
    Grid,
    LaneMask(MaskKind),
    /// `%dynamic_smem_size`.
    DynamicShared,
    /// `%total_smem_size`.
    TotalShared,
    Zero,
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MaskKind {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
}

/// The special register of that name; those that change while a warp runs are instructions instead.
pub(super) fn special(name: &str) -> Option<Special> {
    let (base, axis) = match name.rsplit_once('.') {
        Some((base, "x")) => (base, Some(0)),
        Some((base, "y")) => (base, Some(1)),
        Some((base, "z")) => (base, Some(2)),
        _ => (name, None),
    };
    Some(match (base, axis) {
        ("%tid", Some(axis)) => Special::Tid(axis),
        ("%ntid", Some(axis)) => Special::Ntid(axis),
        ("%ctaid", Some(axis)) | ("%clusterid", Some(axis)) => Special::Ctaid(axis),
        ("%nctaid", Some(axis)) | ("%nclusterid", Some(axis)) => Special::Nctaid(axis),
        ("%cluster_ctaid", Some(_)) | ("%cluster_ctarank", None) => Special::Zero,
        ("%cluster_nctaid", Some(_)) | ("%cluster_nctarank", None) => Special::One,
        ("%laneid", None) => Special::Lane,
        ("%warpid", None) => Special::Warp,
        ("%nwarpid", None) => Special::Warps,
        ("%smid", None) => Special::Sm,
        ("%nsmid", None) => Special::SmCount,
        ("%gridid", None) => Special::Grid,
        ("%lanemask_eq", None) => Special::LaneMask(MaskKind::Eq),
        ("%lanemask_lt", None) => Special::LaneMask(MaskKind::Lt),
        ("%lanemask_le", None) => Special::LaneMask(MaskKind::Le),
        ("%lanemask_gt", None) => Special::LaneMask(MaskKind::Gt),
        ("%lanemask_ge", None) => Special::LaneMask(MaskKind::Ge),
        ("%dynamic_smem_size", None) => Special::DynamicShared,
        ("%total_smem_size", None) => Special::TotalShared,
        _ => return None,
    })
}

/// The windows of generic addresses.
pub(crate) const SHARED_WINDOW: u64 = 0x0001_0000_0000_0000;
pub(crate) const LOCAL_WINDOW: u64 = 0x0002_0000_0000_0000;
pub(crate) const PARAM_WINDOW: u64 = 0x0003_0000_0000_0000;
/// Where allocations begin.
pub(crate) const GLOBAL_BASE: u64 = 0x7f00_0000_0000;
/// The bytes of one window.
pub(crate) const WINDOW_BYTES: u64 = 1 << 32;
/// Shared memory begins here in its own space: an address of 0 is none.
pub(crate) const SHARED_BASE: u64 = 1024;

/// The window of a space that has one.
pub(crate) fn window(space: Space) -> Option<u64> {
    match space {
        Space::Shared => Some(SHARED_WINDOW),
        Space::Local => Some(LOCAL_WINDOW),
        Space::Param => Some(PARAM_WINDOW),
        Space::Global | Space::Const | Space::Generic => None,
    }
}
