//! The processor and main memory. Operations are done when the call returns.

use std::sync::{Arc, OnceLock};

use tilewright_tensor::abi::KernelFn;
use tilewright_tensor::{Layout, Tensor};
use tilewright_vm_program::{DeviceKind, Image};

use super::transfer::require_alike;
use super::{Device, Driver, Launch, Module, OpenDevice, Stream, refused, require_image, require_place};
use crate::code::LoadedImage;
use crate::error::{Error, Result};
use crate::fork::Lock;
use crate::kernel::Worker;

/// The driver; and the device itself, of which there is one.
pub(super) struct Cpu;

impl Driver for Cpu {
    fn kind(&self) -> DeviceKind {
        DeviceKind::Cpu
    }

    fn count(&self) -> u32 {
        1
    }

    fn open(&self, _index: u32) -> Result<Arc<dyn OpenDevice>> {
        static CPU: OnceLock<Arc<Cpu>> = OnceLock::new();
        Ok(Arc::clone(CPU.get_or_init(|| Arc::new(Cpu))) as Arc<dyn OpenDevice>)
    }
}

impl OpenDevice for Cpu {
    fn device(&self) -> Device {
        Device::cpu()
    }

    fn name(&self) -> String {
        std::env::consts::ARCH.to_owned()
    }

    fn alloc(&self, layout: Arc<Layout>) -> Result<Tensor> {
        Ok(Tensor::zeros_with(layout)?)
    }

    fn load(&self, image: &Image) -> Result<Arc<dyn Module>> {
        require_image(Device::cpu(), image)?;
        Ok(Arc::new(LoadedImage::load(image)?))
    }

    fn stream(&self) -> Result<Box<dyn Stream>> {
        Ok(Box::new(Calls::default()))
    }
}

impl Module for LoadedImage {
    fn native(&self, export: u32) -> Option<KernelFn> {
        self.entry(export)
    }
}

/// A stream whose operations are done when the calls return.
#[derive(Default)]
struct Calls {
    failure: Lock<Option<Error>>,
}

impl Stream for Calls {
    unsafe fn launch(&self, launch: Launch<'_>) -> Result<()> {
        let Some(entry) = launch.module.native(launch.export) else {
            return refused(Device::cpu(), format!("kernel \"{}\" is no machine code of the processor", launch.name));
        };
        for tensor in launch.tensors {
            require_place(Device::cpu(), tensor)?;
        }
        let addresses: Vec<_> = launch.tensors.iter().map(Tensor::data_ptr).collect();
        // SAFETY: the caller's promise; the tensors are the host's.
        let outcome = unsafe { Worker::default().call(entry, &addresses, launch.scalars, launch.scratch_bytes) };
        if let Err(failure) = outcome {
            self.failure.lock().get_or_insert(failure.into_error(launch.name));
        }
        Ok(())
    }

    fn copy(&self, target: &Tensor, source: &Tensor) -> Result<()> {
        require_alike(target, source)?;
        Ok(target.overwrite(source.as_bytes()?)?)
    }

    fn synchronise(&self) -> Result<()> {
        self.failure.lock().take().map_or(Ok(()), Err)
    }
}
