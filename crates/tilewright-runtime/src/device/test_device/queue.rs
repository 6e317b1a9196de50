//! A queue that runs late, on a thread of its own.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tilewright_tensor::Tensor;
use tilewright_tensor::abi::KernelFn;

use super::memory::Pages;
use super::{Fault, Loaded};
use crate::device::transfer::require_alike;
use crate::device::{Device, Launch, Module, Stream, refused, require_place};
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::Worker;

/// So much work waits; more is begun without anybody waiting for it.
const MAX_WAITING: usize = 48;
/// Bytes of the stack that kernels run on.
const STACK_BYTES: usize = 8 << 20;

/// One thing to do. Its tensors stay alive until it is done.
enum Task {
    Kernel {
        _module: Arc<dyn Module>,
        entry: KernelFn,
        name: String,
        tensors: Vec<Tensor>,
        scalars: Vec<i64>,
        scratch_bytes: usize,
    },
    Upload {
        target: Tensor,
        bytes: Vec<u8>,
    },
    Download {
        target: Tensor,
        source: Tensor,
    },
    Within {
        target: Tensor,
        source: Tensor,
    },
}

/// What the thread is told.
enum Order {
    Do(Vec<Task>),
    /// To say when all is done, with the first failure.
    Report(Sender<Result<()>>),
}

pub(super) struct Queue {
    device: Device,
    fault: Option<Fault>,
    /// What waits, and the thread that will do it. Orders are given while the lock is held, so that none overtakes
    /// another.
    waiting: Mutex<(Vec<Task>, Sender<Order>)>,
}

impl Queue {
    pub(super) fn new(device: Device, fault: Option<Fault>) -> Result<Self> {
        let (sender, orders) = channel();
        let work = move || {
            let (worker, mut failure) = (Worker::default(), None);
            for order in orders {
                match order {
                    Order::Do(work) => {
                        for work in work {
                            let outcome = work.run(&worker);
                            failure = failure.or(outcome.err());
                        }
                    }
                    // Who asked may have gone.
                    Order::Report(to) => drop(to.send(failure.take().map_or(Ok(()), Err))),
                }
            }
        };
        let spawned = thread::Builder::new().name(device.to_string()).stack_size(STACK_BYTES).spawn(work);
        spawned.map_err(|source| ErrorKind::Io { path: "a thread".to_owned(), source })?;
        Ok(Self { device, fault, waiting: Mutex::new((Vec::new(), sender)) })
    }

    fn push(&self, work: Task) -> Result<()> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let (tasks, orders) = &mut *waiting;
        tasks.push(work);
        match tasks.len() > MAX_WAITING {
            true => self.order(orders, Order::Do(std::mem::take(tasks))),
            false => Ok(()),
        }
    }

    fn order(&self, orders: &Sender<Order>, order: Order) -> Result<()> {
        orders.send(order).or_else(|_| refused(self.device, "its thread has ended"))
    }
}

impl Stream for Queue {
    unsafe fn launch(&self, launch: Launch<'_>) -> Result<()> {
        let entry = launch.module.downcast_ref::<Loaded>().and_then(|module| module.entry(launch.export));
        let Some(entry) = entry else {
            return refused(self.device, format!("kernel \"{}\" was loaded for another device", launch.name));
        };
        for tensor in launch.tensors {
            require_place(self.device, tensor)?;
            pages(self.device, tensor)?;
        }
        self.push(Task::Kernel {
            _module: Arc::clone(launch.module),
            entry,
            name: launch.name.to_owned(),
            tensors: launch.tensors.to_vec(),
            scalars: launch.scalars.to_vec(),
            scratch_bytes: launch.scratch_bytes,
        })
    }

    fn copy(&self, target: &Tensor, source: &Tensor) -> Result<()> {
        for tensor in [target, source] {
            require_place(self.device, tensor)?;
        }
        require_alike(target, source)?;
        let work = match (target.is_on_host(), source.is_on_host()) {
            (true, true) => return Ok(target.overwrite(source.as_bytes()?)?),
            (false, true) if self.fault == Some(Fault::CopiesThere) => return Ok(()),
            (true, false) if self.fault == Some(Fault::CopiesBack) => return Ok(()),
            (false, true) => Task::Upload { target: target.clone(), bytes: source.as_bytes()?.to_vec() },
            (true, false) => Task::Download { target: target.clone(), source: source.clone() },
            (false, false) => Task::Within { target: target.clone(), source: source.clone() },
        };
        for tensor in [target, source].into_iter().filter(|tensor| !tensor.is_on_host()) {
            pages(self.device, tensor)?;
        }
        self.push(work)
    }

    fn synchronise(&self) -> Result<()> {
        if self.fault == Some(Fault::Waits) {
            return Ok(());
        }
        let (to, report) = channel();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let (tasks, orders) = &mut *waiting;
        self.order(orders, Order::Do(std::mem::take(tasks)))?;
        self.order(orders, Order::Report(to))?;
        drop(waiting);
        report.recv().unwrap_or_else(|_| refused(self.device, "its thread has ended"))
    }
}

/// The pages of a tensor on the device.
fn pages(device: Device, tensor: &Tensor) -> Result<&Pages> {
    match tensor.device_memory().and_then(|(memory, _)| memory.downcast_ref::<Pages>()) {
        Some(pages) => Ok(pages),
        None => refused(device, "it is given a tensor that another library made"),
    }
}

/// The tensors' pages, open as long as this lives.
struct Open<'a>(Vec<&'a Pages>);

impl<'a> Open<'a> {
    /// Of those tensors that are on a device.
    fn of(tensors: &'a [&Tensor]) -> Result<Self> {
        let mut open = Self(Vec::new());
        let memories = tensors.iter().filter_map(|tensor| tensor.device_memory());
        for pages in memories.filter_map(|(memory, _)| memory.downcast_ref::<Pages>()) {
            let opened = pages.open();
            open.0.push(pages);
            if !opened {
                let message = "the system does not let it use its own memory";
                return refused(super::device(0), message);
            }
        }
        Ok(open)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|pages| pages.close());
    }
}

impl Task {
    fn run(self, worker: &Worker) -> Result<(), Error> {
        match self {
            Self::Kernel { _module, entry, name, tensors, scalars, scratch_bytes } => {
                let tensors: Vec<&Tensor> = tensors.iter().collect();
                let _open = Open::of(&tensors)?;
                let addresses: Vec<_> = tensors.iter().map(|tensor| exposed(tensor)).collect();
                // SAFETY: the promise of whoever launched it; the module and the tensors are alive, and their pages
                // open.
                let outcome = unsafe { worker.call(entry, &addresses, &scalars, scratch_bytes) };
                outcome.map_err(|failure| failure.into_error(&name))
            }
            Self::Upload { target, bytes } => {
                let tensors = [&target];
                let _open = Open::of(&tensors)?;
                // SAFETY: the target is contiguous, of as many bytes, and its pages are open.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), exposed(&target), bytes.len()) };
                Ok(())
            }
            Self::Download { target, source } => {
                let tensors = [&source];
                let _open = Open::of(&tensors)?;
                // SAFETY: the source is contiguous, and its pages are open.
                let bytes = unsafe { std::slice::from_raw_parts(exposed(&source), source.num_bytes()) };
                Ok(target.overwrite(bytes)?)
            }
            Self::Within { target, source } => {
                let tensors = [&target, &source];
                let _open = Open::of(&tensors)?;
                // SAFETY: both are contiguous, of as many bytes, and their pages are open; they may overlap.
                unsafe { std::ptr::copy(exposed(&source), exposed(&target), source.num_bytes()) };
                Ok(())
            }
        }
    }
}

/// The address of the first element, which the pages' system call made known.
fn exposed(tensor: &Tensor) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(tensor.data_ptr().addr())
}
