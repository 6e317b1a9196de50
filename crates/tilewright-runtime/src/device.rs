//! Devices: where tensors live and kernels run.

use std::fmt;

use crate::error::{ErrorKind, Result};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeviceKind {
    Cpu,
    Cuda,
}

/// The `index`-th device of a kind. Any device can be named; using one that this machine lacks is an error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Device {
    pub kind: DeviceKind,
    pub index: u32,
}

impl Device {
    /// The machine's processor and main memory.
    pub const fn cpu() -> Self {
        Self { kind: DeviceKind::Cpu, index: 0 }
    }

    pub const fn cuda(index: u32) -> Self {
        Self { kind: DeviceKind::Cuda, index }
    }

    /// Whether this runtime can use it. This version drives the processor only.
    pub fn exists(self) -> bool {
        match self.kind {
            DeviceKind::Cpu => self.index == 0,
            DeviceKind::Cuda => false,
        }
    }

    /// An error that names the device, if it does not exist.
    pub fn require(self) -> Result<()> {
        if self.exists() { Ok(()) } else { Err(ErrorKind::NoDevice { device: self }.into()) }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            DeviceKind::Cpu => "cpu",
            DeviceKind::Cuda => "cuda",
        };
        write!(f, "{kind}({})", self.index)
    }
}
