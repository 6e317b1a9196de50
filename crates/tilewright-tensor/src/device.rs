//! Memory that lies on a device.

use std::any::Any;

use crate::dlpack::DLDevice;

/// A piece of a device's memory, which lives until its last tensor is dropped. Its device knows the type behind it, and
/// is the only one who reads or writes it.
pub trait DeviceMemory: Any + Send + Sync {
    /// Where the memory is.
    fn device(&self) -> DLDevice;

    /// How many bytes there are.
    fn bytes(&self) -> usize;

    /// The first byte's address, as the device counts. No two pieces of a device that are alive overlap; a device that
    /// has no addresses numbers its pieces such that they do not. The host never dereferences it.
    fn address(&self) -> usize;
}

impl dyn DeviceMemory {
    /// The memory as the type that its device made; none if another one did.
    pub fn downcast_ref<T: DeviceMemory>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

/// Memory of a device that another library owns.
pub(crate) struct ForeignMemory {
    pub(crate) device: DLDevice,
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) _keeper: Box<dyn Any + Send + Sync>,
}

impl DeviceMemory for ForeignMemory {
    fn device(&self) -> DLDevice {
        self.device
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn address(&self) -> usize {
        self.address
    }
}
