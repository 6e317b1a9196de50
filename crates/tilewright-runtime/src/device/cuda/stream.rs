//! A queue of a GPU: launches by plans, and copies.

use std::sync::Arc;

use tilewright_support::Map;
use tilewright_tensor::Tensor;
use tilewright_tensor::abi::{CUDA_MAX_GRID, DEVICE_ALIGN};
use tilewright_vm_program::{Dim, KernelLaunch, LaunchStep};

use super::api::{Address, ApiResult, Handle, Start};
use super::memory::{Piece, Pool};
use super::{Kernel, Loaded, failed};
use crate::device::transfer::require_alike;
use crate::device::{Device, Launch, Module, Stream, refused, require_place};
use crate::error::{Error, ErrorKind, Result};
use crate::fork::Lock;
use crate::kernel::Failure;
use crate::scalar;

/// Bytes of a message that are read at most.
const MAX_MESSAGE_BYTES: u64 = 4096;
/// Kernels whose tensors are kept; the queue is waited for before there are more.
const MAX_WAITING: usize = 4096;

pub(super) struct Queue {
    device: Device,
    pool: Arc<Pool>,
    queue: Handle,
    /// Where threads report failures.
    record: Address,
    waiting: Lock<Waiting>,
}

/// What the device may still work on.
#[derive(Default)]
struct Waiting {
    tensors: Vec<Tensor>,
    temporaries: Vec<Piece>,
    /// The kernel of each launch, by the launch's number.
    launches: Vec<(Arc<dyn Module>, u32)>,
    failure: Option<Error>,
}

impl Queue {
    pub(super) fn new(device: Device, pool: &Arc<Pool>) -> Result<Self> {
        let about = |error| failed(device, error);
        let queue = pool.api.queue().map_err(about)?;
        let record = pool.api.failure_record().inspect_err(|_| pool.api.drop_queue(queue)).map_err(about)?;
        Ok(Self { device, pool: Arc::clone(pool), queue, record, waiting: Lock::default() })
    }

    fn checked<T>(&self, result: ApiResult<T>) -> Result<T> {
        result.map_err(|error| failed(self.device, error))
    }

    /// Waits, and gives up what was kept for the device.
    fn settle(&self) -> Result<()> {
        let outcome = self.checked(self.pool.api.wait(self.queue)).and_then(|()| self.reported());
        let kept = std::mem::take(&mut *self.waiting.lock());
        // Tensors are dropped outside of the lock.
        match kept.failure {
            Some(earlier) => Err(earlier),
            None => outcome,
        }
    }

    /// The failure that a thread has written.
    fn reported(&self) -> Result<()> {
        let found = self.pool.api.take_failure(self.record);
        if found.taken == 0 {
            return Ok(());
        }
        let mut message = vec![0; found.message_bytes.min(MAX_MESSAGE_BYTES) as usize];
        // SAFETY: the bytes are there until the queue has been waited for.
        let copied = unsafe { self.pool.api.copy_out(self.queue, message.as_mut_ptr(), found.message, message.len()) };
        self.checked(copied.and_then(|()| self.pool.api.wait(self.queue)))?;
        let kernel = self.waiting.lock().launches.get(found.launch as usize).cloned();
        let name = kernel.and_then(|(module, export)| {
            let loaded = module.downcast_ref::<Loaded>()?;
            Some(loaded.kernels.get(export as usize)?.name.clone())
        });
        let message = String::from_utf8_lossy(&message).into_owned();
        let failure = Failure::Kernel { status: found.status as i32, message };
        Err(failure.into_error(&name.unwrap_or_default()))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // A failure that nobody has asked for is nobody's.
        let _ = self.settle();
        self.pool.api.drop_queue(self.queue);
        self.pool.api.drop_failure_record(self.record);
    }
}

impl Stream for Queue {
    unsafe fn launch(&self, launch: Launch<'_>) -> Result<()> {
        let kernel =
            launch.module.downcast_ref::<Loaded>().and_then(|module| module.kernels.get(launch.export as usize));
        let Some(kernel) = kernel else {
            return refused(self.device, format!("kernel \"{}\" was loaded for another device", launch.name));
        };
        let mut memory = Vec::with_capacity(kernel.plan.memories as usize);
        for tensor in launch.tensors {
            require_place(self.device, tensor)?;
            let address = tensor.data_ptr().addr();
            if tensor.num_elements() > 0 && !address.is_multiple_of(DEVICE_ALIGN) {
                let message = format!("a tensor begins at no multiple of {DEVICE_ALIGN} bytes: copy it first");
                return refused(self.device, message);
            }
            memory.push(address as Address);
        }
        memory.resize(kernel.plan.memories as usize, 0);
        let number = {
            let mut waiting = self.waiting.lock();
            waiting.tensors.extend(launch.tensors.iter().cloned());
            waiting.launches.push((Arc::clone(launch.module), launch.export));
            waiting.launches.len() as u64 - 1
        };
        let mut slots = launch.scalars.to_vec();
        slots.resize(kernel.plan.slots as usize, 0);
        let functions = kernel.functions(self.device)?;
        let pieces = Map::default();
        let mut run = Run { queue: self, kernel, functions: &functions, number, slots, memory, pieces };
        let outcome = run.steps(&kernel.plan.steps);
        let left: Vec<Piece> = run.pieces.into_values().collect();
        self.waiting.lock().temporaries.extend(left);
        if let Err(error) = outcome {
            self.waiting.lock().failure.get_or_insert(error);
        }
        if number as usize >= MAX_WAITING {
            // The failure stays for whoever asks next.
            if let Err(error) = self.settle() {
                self.waiting.lock().failure.get_or_insert(error);
            }
        }
        Ok(())
    }

    fn copy(&self, target: &Tensor, source: &Tensor) -> Result<()> {
        for tensor in [target, source] {
            require_place(self.device, tensor)?;
        }
        require_alike(target, source)?;
        let (api, bytes) = (&self.pool.api, source.num_bytes());
        if bytes == 0 {
            return Ok(());
        }
        let address = |tensor: &Tensor| tensor.data_ptr().addr() as Address;
        self.waiting.lock().tensors.extend([target.clone(), source.clone()]);
        self.checked(match (target.is_on_host(), source.is_on_host()) {
            (true, true) => return Ok(target.overwrite(source.as_bytes()?)?),
            (false, true) => api.copy_in(self.queue, address(target), source.as_bytes()?),
            // SAFETY: the target is contiguous, has as many bytes, and is kept until the queue has been waited for.
            (true, false) => unsafe { api.copy_out(self.queue, target.data_ptr(), address(source), bytes) },
            (false, false) => api.copy_within(self.queue, address(target), address(source), bytes),
        })
    }

    fn synchronise(&self) -> Result<()> {
        self.settle()
    }
}

/// A plan that is worked off.
struct Run<'a> {
    queue: &'a Queue,
    kernel: &'a Kernel,
    functions: &'a Map<String, Handle>,
    /// Of the launch, for failures.
    number: u64,
    slots: Vec<i64>,
    memory: Vec<Address>,
    /// What is allocated now, by its index.
    pieces: Map<u32, Piece>,
}

impl Run<'_> {
    fn number(&self, dim: Dim) -> i64 {
        match dim {
            Dim::Const(number) => number,
            Dim::Slot(slot) => self.slots[slot as usize],
        }
    }

    fn failure(&self, message: String) -> Error {
        let status = tilewright_tensor::abi::Status::AssertionFailed as i32;
        ErrorKind::Kernel { kernel: self.kernel.name.clone(), status, message }.into()
    }

    fn steps(&mut self, steps: &[LaunchStep]) -> Result<()> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &LaunchStep) -> Result<()> {
        match step {
            LaunchStep::Compute { dst, op, dtype, args } => {
                let mut values = [0; 3];
                let values = &mut values[..args.len().min(3)];
                values.iter_mut().zip(args).for_each(|(value, arg)| *value = self.number(*arg));
                let result = scalar::compute(*op, *dtype, values);
                self.slots[*dst as usize] =
                    result.map_err(|fault| self.failure(format!("the size of a launch {}", fault.describe(*dtype))))?;
                Ok(())
            }
            LaunchStep::Check { condition, message } => match self.number(*condition) {
                0 => Err(self.failure(message.clone())),
                _ => Ok(()),
            },
            LaunchStep::Allocate { memory, bytes } => {
                let bytes = usize::try_from(self.number(*bytes));
                let bytes = bytes.map_err(|_| self.failure("a temporary has less than 0 bytes".to_owned()))?;
                let piece = self.queue.pool.piece(bytes)?;
                self.memory[*memory as usize] = piece.address;
                self.pieces.insert(*memory, piece);
                Ok(())
            }
            LaunchStep::Free { memory } => {
                // The device may still use it.
                self.queue.waiting.lock().temporaries.extend(self.pieces.remove(memory));
                Ok(())
            }
            LaunchStep::Launch(launch) => self.launch(launch),
            LaunchStep::Repeat { slot, from, count, steps } => {
                let (from, count) = (self.number(*from), self.number(*count));
                for step in 0..count.max(0) {
                    self.slots[*slot as usize] = from.wrapping_add(step);
                    self.steps(steps)?;
                }
                Ok(())
            }
            LaunchStep::Choose { condition, then, otherwise } => {
                self.steps(if self.number(*condition) == 0 { otherwise } else { then })
            }
        }
    }

    fn launch(&mut self, launch: &KernelLaunch) -> Result<()> {
        let mut grid = [1; 3];
        for (axis, ((blocks, dim), most)) in grid.iter_mut().zip(launch.grid).zip(CUDA_MAX_GRID).enumerate() {
            let number = self.number(dim);
            if number <= 0 {
                return Ok(());
            }
            if number > i64::from(most) {
                let axis = ["x", "y", "z"][axis];
                let message = format!("{number} blocks on {axis}, where the device has at most {most}");
                return Err(self.failure(message));
            }
            *blocks = number as u32;
        }
        let Some(&function) = self.functions.get(&launch.symbol) else {
            return refused(self.queue.device, format!("kernel \"{}\" has no code", self.kernel.name));
        };
        let memory = launch.memory.iter().map(|&memory| self.memory[memory as usize]);
        let scalars = launch.scalars.iter().map(|&scalar| self.number(scalar) as u64);
        let params: Vec<u64> = memory.chain(scalars).chain([self.queue.record, self.number]).collect();
        let start = Start { function, grid, block: launch.block, shared_bytes: launch.shared_bytes, params: &params };
        // SAFETY: the promise of whoever launched the kernel; its plan was verified against its parameters.
        let started = unsafe { self.queue.pool.api.start(self.queue.queue, start) };
        self.queue.checked(started)
    }
}
