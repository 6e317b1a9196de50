//! Devices: where tensors live and kernels run.

use std::fmt;

pub use tilewright_vm_program::DeviceKind;

use crate::error::{ErrorKind, Result};

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

    /// A device for each that a program names, by their order: of those given, and where there is none, the processor.
    pub(crate) fn assign(needed: &[DeviceKind], given: &[Self]) -> Result<Vec<Self>> {
        given.iter().try_for_each(|device| device.require())?;
        let assigned = needed.iter().enumerate().map(|(index, &kind)| match given.get(index) {
            Some(&device) if device.kind == kind => Ok(device),
            None if kind == DeviceKind::Cpu => Ok(Self::cpu()),
            other => Err(ErrorKind::WrongDevice { index, expected: kind, found: other.copied() }.into()),
        });
        assigned.collect()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.kind.name(), self.index)
    }
}
