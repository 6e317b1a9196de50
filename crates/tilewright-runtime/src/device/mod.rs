//! Devices: where tensors live and kernels run.
//!
//! [`Device`] names one, whether it exists or not. A *driver* ([`Driver`]) knows a kind of device and opens those that
//! the machine has; all drivers are in [`DRIVERS`], one line each, with a folder next to this file. What is open
//! ([`OpenDevice`]) gives memory, loads modules and makes *streams* ([`Stream`]): queues of launches and copies, which
//! a device works off in order and at its own time.
//!
//! The rules that a driver and its users keep:
//!
//! - The memory of a tensor is read and written by its device alone ([`Tensor::is_on_host`] is false), unless the
//!   device is the host itself.
//! - An enqueued operation keeps its tensors alive until it is done, or longer.
//! - A copy from the host has read its source when [`Stream::copy`] returns. One to the host has written its target
//!   when [`Stream::synchronise`] returns.
//! - Two streams know nothing of each other: whoever uses on one what another one makes waits for the other one first.
//! - A kernel that fails stops nothing. A stream keeps its first failure, and the next [`Stream::synchronise`] gives
//!   it.
//!
//! The processor is a device like the others, with one exception for speed: its modules give the addresses of their
//! kernels ([`Module::native`]), and the machine calls these on the thread that runs, with no stream between.

mod cpu;
mod cuda;
pub(crate) mod run;
#[cfg(any(test, feature = "test-device"))]
pub mod test_device;
pub(crate) mod transfer;

pub use transfer::copy_elements;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use tilewright_tensor::abi::KernelFn;
use tilewright_tensor::{Layout, Tensor};
pub use tilewright_vm_program::DeviceKind;
use tilewright_vm_program::Image;

use crate::error::{ErrorKind, Result};

/// The drivers of this build, in the order in which they are listed to users.
const DRIVERS: &[&dyn Driver] = &[
    &cpu::Cpu,
    &cuda::CudaDriver,
    #[cfg(any(test, feature = "test-device"))]
    &test_device::TestDriver,
];

/// A kind of device that this build can use.
pub trait Driver: Sync {
    fn kind(&self) -> DeviceKind;

    /// How many devices of the kind the machine has.
    fn count(&self) -> u32;

    /// The device of this index, below [`Driver::count`]. Opening one twice gives the same one.
    fn open(&self, index: u32) -> Result<Arc<dyn OpenDevice>>;
}

/// A device in use.
pub trait OpenDevice: Send + Sync {
    fn device(&self) -> Device;

    /// What its maker calls it.
    fn name(&self) -> String;

    /// A tensor in its memory, at an address aligned to [`tilewright_tensor::abi::TENSOR_ALIGN`], with undefined
    /// contents.
    fn alloc(&self, layout: Arc<Layout>) -> Result<Tensor>;

    /// A verified image made ready to run; an error unless it is for this kind of device.
    fn load(&self, image: &Image) -> Result<Arc<dyn Module>>;

    /// A queue of its own.
    fn stream(&self) -> Result<Box<dyn Stream>>;
}

/// Kernels that are ready to run on a device.
pub trait Module: Any + Send + Sync {
    /// The kernel that the image exports under this index, where any thread of the host may call it.
    fn native(&self, export: u32) -> Option<KernelFn>;
}

impl dyn Module {
    /// The module as the type that its device made; none if another one did.
    pub fn downcast_ref<T: Module>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

/// One call of a kernel.
pub struct Launch<'a> {
    pub module: &'a Arc<dyn Module>,
    /// Index into the exports of the module's image.
    pub export: u32,
    /// The kernel's name, for messages.
    pub name: &'a str,
    /// Contiguous tensors on the stream's device; none that is written overlaps another one.
    pub tensors: &'a [Tensor],
    /// Integers sign-extended, floats and bools by their bits.
    pub scalars: &'a [i64],
    pub scratch_bytes: usize,
}

impl fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:?}; {:?})", self.name, self.tensors, self.scalars)
    }
}

/// A queue of a device's work.
pub trait Stream: Send + Sync {
    /// Enqueues the call of a kernel.
    ///
    /// # Safety
    /// The launch is what the kernel takes: as many tensors and numbers as it reads, of the sizes that it relies on.
    unsafe fn launch(&self, launch: Launch<'_>) -> Result<()>;

    /// Copies the elements of one contiguous tensor to another one of the same type and shape: from the host to the
    /// stream's device, back, or on the device.
    fn copy(&self, target: &Tensor, source: &Tensor) -> Result<()>;

    /// Waits until all is done; the first failure since the last time is the error.
    fn synchronise(&self) -> Result<()>;
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

    /// Where the tensor lives; an error for a sort of memory that no device here is known by.
    pub fn of(tensor: &Tensor) -> Result<Self> {
        if tensor.is_on_host() {
            return Ok(Self::cpu());
        }
        let found = tensor.device();
        let kind = DeviceKind::ALL.into_iter().find(|kind| *kind as i32 == found.device_type);
        match (kind, u32::try_from(found.device_id)) {
            (Some(kind), Ok(index)) => Ok(Self { kind, index }),
            _ => Err(ErrorKind::Tensor(tilewright_tensor::TensorError::OnDevice { device: found }).into()),
        }
    }

    /// The devices that this machine has and this build can use.
    pub fn all() -> impl Iterator<Item = Self> {
        DRIVERS.iter().flat_map(|driver| (0..driver.count()).map(|index| Self { kind: driver.kind(), index }))
    }

    fn driver(self) -> Option<&'static dyn Driver> {
        DRIVERS.iter().copied().find(|driver| driver.kind() == self.kind && self.index < driver.count())
    }

    /// Whether this runtime can use it.
    pub fn exists(self) -> bool {
        self.driver().is_some()
    }

    /// An error that names the device, if it does not exist.
    pub fn require(self) -> Result<()> {
        if self.exists() { Ok(()) } else { Err(ErrorKind::NoDevice { device: self }.into()) }
    }

    /// The device for use.
    pub fn open(self) -> Result<Arc<dyn OpenDevice>> {
        match self.driver() {
            Some(driver) => driver.open(self.index),
            None => Err(ErrorKind::NoDevice { device: self }.into()),
        }
    }

    /// A tensor on the device, with undefined contents.
    pub fn empty(self, layout: Arc<Layout>) -> Result<Tensor> {
        self.open()?.alloc(layout)
    }

    /// Whether this is the host.
    pub(crate) fn is_host(self) -> bool {
        self.kind == DeviceKind::Cpu
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

/// Refuses what a device cannot do with what it is given.
fn refused<T>(device: Device, message: impl Into<String>) -> Result<T> {
    Err(ErrorKind::Device { device, message: message.into() }.into())
}

/// An error unless the image is for the device's kind.
fn require_image(device: Device, image: &Image) -> Result<()> {
    if image.kind == device.kind {
        return Ok(());
    }
    let (here, there) = (device.kind.name(), image.kind.name());
    refused(device, format!("it runs code for {here}, and is given code for {there}: compile the program for {here}"))
}

/// An error unless the tensor is contiguous and on the host or the device.
fn require_place(device: Device, tensor: &Tensor) -> Result<()> {
    let found = Device::of(tensor)?;
    if found != device && !found.is_host() {
        return refused(device, format!("it is given a tensor on {found}: copy it with .to({device}) first"));
    }
    match tensor.is_contiguous() {
        true => Ok(()),
        false => {
            refused(device, format!("it is given a tensor with strides {:?}, expected a compact one", tensor.strides()))
        }
    }
}
