//! A device for tests: it runs machine code of the processor, and keeps all rules that a device may insist on.
//!
//! - *Memory of its own* (`memory`): pages without access, but for those of a kernel's or copy's tensors while it runs.
//!   A host that touches them is stopped by a message, and an address is never given out twice.
//! - *A queue that runs late* (`queue`): launches and copies wait until somebody synchronises, or until there are many
//!   of them, and then run on another thread. New memory is full of ones: a float that is read too early is NaN.
//! - *Errors of its own*: the first failure is kept and told at the next synchronisation.
//!
//! So a copy, a wait or a place that was forgotten shows in a test. Devices beyond the first two have a fault of this
//! sort themselves ([`Fault`]): they are there to show that tests find it.
//!
//! It is part of no build but one with the feature `test-device`. Of its streams a child of `fork` finds none.

mod memory;
mod queue;

use std::sync::{Arc, LazyLock};

use tilewright_tensor::abi::KernelFn;
use tilewright_tensor::{Layout, Tensor};
use tilewright_vm_program::{DeviceKind, Image};

use super::{Device, Driver, Module, OpenDevice, Stream, require_image};
use crate::code::LoadedImage;
use crate::error::Result;
pub use memory::MESSAGE;
use memory::Pages;
use queue::Queue;

/// What a device does wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Nobody waits for it: as if each wait had been forgotten.
    Waits,
    /// Nothing is copied to it: as if each copy there had been forgotten.
    CopiesThere,
    /// Nothing is copied from it.
    CopiesBack,
}

/// The devices: two in good order, then one for each fault.
const DEVICES: [Option<Fault>; 5] = [None, None, Some(Fault::Waits), Some(Fault::CopiesThere), Some(Fault::CopiesBack)];

impl Fault {
    pub const ALL: [Self; 3] = [Self::Waits, Self::CopiesThere, Self::CopiesBack];

    /// The device that has it.
    pub fn device(self) -> Device {
        let index = DEVICES.iter().position(|fault| *fault == Some(self)).unwrap_or_default();
        device(index as u32)
    }
}

/// The test device of this index.
pub const fn device(index: u32) -> Device {
    Device { kind: DeviceKind::ExtDev, index }
}

pub(super) struct TestDriver;

impl Driver for TestDriver {
    fn kind(&self) -> DeviceKind {
        DeviceKind::ExtDev
    }

    fn count(&self) -> u32 {
        DEVICES.len() as u32
    }

    fn open(&self, index: u32) -> Result<Arc<dyn OpenDevice>> {
        static OPEN: LazyLock<Vec<Arc<TestDevice>>> = LazyLock::new(|| {
            let devices = DEVICES.iter().enumerate();
            devices.map(|(index, fault)| Arc::new(TestDevice { index: index as u32, fault: *fault })).collect()
        });
        Ok(Arc::clone(&OPEN[index as usize]) as Arc<dyn OpenDevice>)
    }
}

struct TestDevice {
    index: u32,
    fault: Option<Fault>,
}

impl OpenDevice for TestDevice {
    fn device(&self) -> Device {
        device(self.index)
    }

    fn name(&self) -> String {
        match self.fault {
            None => "test device".to_owned(),
            Some(fault) => format!("test device with a fault: {fault:?}"),
        }
    }

    fn alloc(&self, layout: Arc<Layout>) -> Result<Tensor> {
        let pages = Pages::new(self.index, layout.num_bytes())?;
        Ok(Tensor::on_device(Arc::new(pages), layout, 0)?)
    }

    fn load(&self, image: &Image) -> Result<Arc<dyn Module>> {
        require_image(self.device(), image)?;
        Ok(Arc::new(Loaded(LoadedImage::load(image)?)))
    }

    fn stream(&self) -> Result<Box<dyn Stream>> {
        Ok(Box::new(Queue::new(self.device(), self.fault)?))
    }
}

/// Machine code that only the device calls.
struct Loaded(LoadedImage);

impl Loaded {
    fn entry(&self, export: u32) -> Option<KernelFn> {
        self.0.entry(export)
    }
}

impl Module for Loaded {
    fn native(&self, _export: u32) -> Option<KernelFn> {
        None
    }
}
