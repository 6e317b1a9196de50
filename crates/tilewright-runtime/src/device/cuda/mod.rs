//! NVIDIA's GPUs: the driver library is opened where the machine has one ([`nvidia`]); nothing else is needed.
//!
//! A module is PTX, which the library assembles for the device when a kernel of it is first used. A kernel of a program
//! is a plan of launches ([`tilewright_vm_program::LaunchPlan`]), which the stream works off. Memory goes back to a
//! pool when its last tensor is dropped, and may be used at once by others: a stream keeps the tensors of what it has
//! enqueued until somebody waits for it.

mod api;
mod memory;
mod nvidia;
#[cfg(any(test, feature = "test-device"))]
mod sim;
mod stream;

use std::sync::Arc;

use tilewright_support::Map;
use tilewright_tensor::abi::KernelFn;
use tilewright_tensor::{Layout, Tensor};
use tilewright_vm_program::{DeviceKind, Image, LaunchPlan, LaunchStep};

use super::{Device, Driver, Module, OpenDevice, Stream, refused, require_image};
use crate::error::{Error, ErrorKind, Result};
use crate::fork::Lock;
use api::{Api, ApiError, ApiResult, Handle};
use memory::Pool;

pub(super) struct CudaDriver;

impl Driver for CudaDriver {
    fn kind(&self) -> DeviceKind {
        DeviceKind::Cuda
    }

    fn count(&self) -> u32 {
        match nvidia::count() {
            0 => SIMULATED,
            found => found,
        }
    }

    fn open(&self, index: u32) -> Result<Arc<dyn OpenDevice>> {
        static OPEN: Lock<Vec<Option<Arc<Gpu>>>> = Lock::new(Vec::new());
        if let Some(Some(open)) = OPEN.lock().get(index as usize) {
            return Ok(Arc::clone(open) as Arc<dyn OpenDevice>);
        }
        let device = Device::cuda(index);
        let api = opened(index).map_err(|error| failed(device, error))?;
        let gpu = Arc::new(Gpu { device, pool: Arc::new(Pool::new(api, index)) });
        let mut open = OPEN.lock();
        let slots = open.len().max(index as usize + 1);
        open.resize(slots, None);
        // Another thread may have been faster.
        let gpu = open[index as usize].get_or_insert(gpu);
        Ok(Arc::clone(gpu) as Arc<dyn OpenDevice>)
    }
}

/// Devices that the build simulates where the machine has none.
const SIMULATED: u32 = if cfg!(any(test, feature = "test-device")) { 1 } else { 0 };

fn opened(index: u32) -> ApiResult<Arc<dyn Api>> {
    #[cfg(any(test, feature = "test-device"))]
    if nvidia::count() == 0 {
        return Ok(Arc::new(sim::Sim::new()));
    }
    Ok(Arc::new(nvidia::Nvidia::open(index)?))
}

/// A failed call of the device's, as an error of the runtime.
fn failed(device: Device, error: ApiError) -> Error {
    let message = match error {
        ApiError::OutOfMemory => "it has not enough memory".to_owned(),
        ApiError::Other(words) => words,
    };
    ErrorKind::Device { device, message }.into()
}

/// A device that is open.
struct Gpu {
    device: Device,
    pool: Arc<Pool>,
}

impl OpenDevice for Gpu {
    fn device(&self) -> Device {
        self.device
    }

    fn name(&self) -> String {
        self.pool.api.name()
    }

    fn alloc(&self, layout: Arc<Layout>) -> Result<Tensor> {
        let piece = self.pool.piece(layout.num_bytes())?;
        Ok(Tensor::on_device(Arc::new(piece), layout, 0)?)
    }

    fn load(&self, image: &Image) -> Result<Arc<dyn Module>> {
        require_image(self.device, image)?;
        let mut kernels = Vec::with_capacity(image.exports.len());
        let mut codes: Vec<(u32, Arc<Code>)> = Vec::new();
        for (number, (export, plan)) in image.exports.iter().zip(&image.plans).enumerate() {
            let code = match codes.iter().find(|(offset, _)| *offset == export.offset) {
                Some((_, code)) => Arc::clone(code),
                None => {
                    let ptx = image.code(number).filter(|ptx| ptx.last() == Some(&0));
                    let Some(ptx) = ptx else {
                        return refused(self.device, format!("the code of kernel \"{}\" has no end", export.name));
                    };
                    let code =
                        Arc::new(Code { api: Arc::clone(&self.pool.api), ptx: ptx.to_vec(), loaded: Lock::default() });
                    codes.push((export.offset, Arc::clone(&code)));
                    code
                }
            };
            kernels.push(Kernel { name: export.name.clone(), plan: plan.clone(), code });
        }
        Ok(Arc::new(Loaded { kernels }))
    }

    fn stream(&self) -> Result<Box<dyn Stream>> {
        Ok(Box::new(stream::Queue::new(self.device, &self.pool)?))
    }
}

/// The kernels of an image.
struct Loaded {
    kernels: Vec<Kernel>,
}

struct Kernel {
    name: String,
    plan: LaunchPlan,
    code: Arc<Code>,
}

/// PTX, and what the driver has made of it.
struct Code {
    api: Arc<dyn Api>,
    ptx: Vec<u8>,
    loaded: Lock<Option<Functions>>,
}

/// A module, and its functions by their symbols.
#[derive(Clone)]
struct Functions {
    module: Handle,
    by_symbol: Arc<Map<String, Handle>>,
}

impl Kernel {
    /// The functions that the plan launches.
    fn functions(&self, device: Device) -> Result<Arc<Map<String, Handle>>> {
        if let Some(known) = &*self.code.loaded.lock() {
            return Ok(Arc::clone(&known.by_symbol));
        }
        let about = |error| failed(device, about_kernel(error, &self.name));
        // Not under the lock: assembling takes a while.
        let module = self.code.api.load(&self.code.ptx).map_err(about)?;
        let mut by_symbol = Map::default();
        let mut launches = Vec::new();
        launched(&self.plan.steps, &mut launches);
        for (symbol, shared_bytes) in launches {
            let function = self.code.api.function(module, symbol, shared_bytes).map_err(about)?;
            by_symbol.insert(symbol.to_owned(), function);
        }
        let functions = Functions { module, by_symbol: Arc::new(by_symbol) };
        let mut loaded = self.code.loaded.lock();
        if loaded.is_some() {
            // Another thread was faster.
            self.code.api.unload(module);
        }
        Ok(Arc::clone(&loaded.get_or_insert(functions).by_symbol))
    }
}

fn about_kernel(error: ApiError, name: &str) -> ApiError {
    match error {
        ApiError::Other(words) => ApiError::Other(format!("it refuses kernel \"{name}\": {words}")),
        other => other,
    }
}

/// The symbols that steps launch, with their bytes of dynamic shared memory.
fn launched<'a>(steps: &'a [LaunchStep], found: &mut Vec<(&'a str, u32)>) {
    for step in steps {
        match step {
            LaunchStep::Launch(launch) => found.push((&launch.symbol, launch.shared_bytes)),
            LaunchStep::Repeat { steps, .. } => launched(steps, found),
            LaunchStep::Choose { then, otherwise, .. } => {
                launched(then, found);
                launched(otherwise, found);
            }
            _ => {}
        }
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(functions) = self.loaded.lock().take() {
            self.api.unload(functions.module);
        }
    }
}

impl Module for Loaded {
    fn native(&self, _export: u32) -> Option<KernelFn> {
        None
    }
}
