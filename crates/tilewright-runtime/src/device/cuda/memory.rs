//! Memory of a GPU, which is kept when it is given back: asking the driver for it waits for the device.

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_tensor::abi::TENSOR_ALIGN;
use tilewright_tensor::dlpack::DLDevice;
use tilewright_tensor::{DeviceMemory, TensorError};
use tilewright_vm_program::DeviceKind;

use super::api::{Address, Api, ApiError};
use crate::fork::Lock;

/// Pieces are multiples of so many bytes; large ones of [`LARGE_STEP`].
const STEP: usize = 512;
const LARGE: usize = 1 << 20;
const LARGE_STEP: usize = 1 << 21;

const _: () = assert!(STEP.is_multiple_of(TENSOR_ALIGN));

/// The memory of a device that the process has asked for.
pub(super) struct Pool {
    pub(super) api: Arc<dyn Api>,
    index: u32,
    /// Pieces that nobody uses, by their bytes.
    idle: Lock<BTreeMap<usize, Vec<Address>>>,
}

impl Pool {
    pub(super) fn new(api: Arc<dyn Api>, index: u32) -> Self {
        Self { api, index, idle: Lock::default() }
    }

    /// A piece of at least so many bytes. What it holds is undefined.
    pub(super) fn piece(self: &Arc<Self>, bytes: usize) -> Result<Piece, TensorError> {
        let none = || TensorError::OutOfMemory { bytes };
        let size = match self.api.keeps_memory() {
            true => {
                let step = if bytes > LARGE { LARGE_STEP } else { STEP };
                bytes.max(1).checked_next_multiple_of(step).ok_or_else(none)?
            }
            false => bytes.max(1),
        };
        let known = self.idle.lock().get_mut(&size).and_then(Vec::pop);
        let address = match known {
            Some(address) => address,
            None => match self.api.allocate(size) {
                Err(ApiError::OutOfMemory) => {
                    self.give_up_idle();
                    self.api.allocate(size).map_err(|_| none())?
                }
                other => other.map_err(|_| none())?,
            },
        };
        Ok(Piece { pool: Arc::clone(self), address, size, bytes })
    }

    /// Gives idle pieces back to the driver.
    fn give_up_idle(&self) {
        let idle = std::mem::take(&mut *self.idle.lock());
        idle.into_values().flatten().for_each(|address| self.api.free(address));
    }
}

/// Memory that goes back to its pool when it is dropped. Whoever drops it knows that the device is done with it.
pub(super) struct Piece {
    pool: Arc<Pool>,
    pub(super) address: Address,
    size: usize,
    bytes: usize,
}

impl DeviceMemory for Piece {
    fn device(&self) -> DLDevice {
        DLDevice { device_type: DeviceKind::Cuda as i32, device_id: self.pool.index as i32 }
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn address(&self) -> usize {
        self.address as usize
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        match self.pool.api.keeps_memory() {
            true => self.pool.idle.lock().entry(self.size).or_default().push(self.address),
            false => self.pool.api.free(self.address),
        }
    }
}
