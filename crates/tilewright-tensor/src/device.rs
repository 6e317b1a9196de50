//! Memory that lies on a device.

use std::any::Any;

use crate::dlpack::DLDevice;

/// A kind of device, for targets, programs and tensors alike. The numbers are those of DLPack; files have them, too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum DeviceKind {
    /// The host: its processor and main memory.
    #[default]
    Cpu = 1,
    Cuda = 2,
    Vulkan = 7,
    Metal = 8,
    /// DLPack's name for a device that tests the use of devices.
    ExtDev = 12,
    WebGpu = 15,
}

impl DeviceKind {
    pub const ALL: [Self; 6] = [Self::Cpu, Self::Cuda, Self::Vulkan, Self::Metal, Self::ExtDev, Self::WebGpu];

    /// The name that users write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Vulkan => "vulkan",
            Self::Metal => "metal",
            Self::ExtDev => "ext_dev",
            Self::WebGpu => "webgpu",
        }
    }
}

/// A piece of a device's memory, which lives until its last tensor is dropped. Its device knows the concrete type, and
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
