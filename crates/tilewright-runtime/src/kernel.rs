//! Calling one kernel: its context, its scratch memory, and what it reports.

use std::cell::{Cell, RefCell};
use std::ptr;

use tilewright_tensor::abi::{KernelCx, KernelFn, ParallelBody, Status};
use tilewright_tensor::{DataType, Tensor};

use crate::pool;

/// Why a kernel stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) status: i32,
    pub(crate) message: String,
}

/// What one thread brings to the kernels that it runs; `KernelCx::state` points to it. Never shared between threads.
#[derive(Default)]
pub(crate) struct Worker {
    scratch: RefCell<Option<Tensor>>,
    scratch_bytes: Cell<usize>,
    in_region: Cell<bool>,
    failure: RefCell<Option<Failure>>,
}

impl Worker {
    /// Calls a kernel on this thread.
    ///
    /// # Safety
    /// `entry` is a kernel, and `tensors` and `scalars` are what it takes: as many as it reads, of the sizes that it
    /// relies on, the written ones overlapping no other.
    pub(crate) unsafe fn call(
        &self,
        entry: KernelFn,
        tensors: &[*mut u8],
        scalars: &[i64],
        scratch_bytes: usize,
    ) -> Result<(), Failure> {
        let scratch = self.scratch(scratch_bytes)?;
        // What an earlier kernel recorded and then overcame is not this one's.
        self.failure.take();
        let cx = self.context(scratch);
        // SAFETY: the caller's promise; the context lives until the kernel returns.
        let status = unsafe { entry(&cx, tensors.as_ptr(), scalars.as_ptr()) };
        if status == Status::Ok as i32 { Ok(()) } else { Err(self.take_failure(status)) }
    }

    /// Runs `f` with a context for a region's tasks, unless there is no memory for scratch.
    pub(crate) fn serve(&self, scratch_bytes: usize, f: impl FnOnce(&KernelCx, &Worker)) {
        if let Ok(scratch) = self.scratch(scratch_bytes) {
            self.in_region.set(true);
            f(&self.context(scratch), self);
        }
    }

    fn context(&self, scratch: *mut u8) -> KernelCx {
        KernelCx { parallel_for, fail, scratch, state: ptr::from_ref(self).cast_mut().cast() }
    }

    /// Scratch memory of at least so many bytes; kept for the next kernel.
    fn scratch(&self, bytes: usize) -> Result<*mut u8, Failure> {
        self.scratch_bytes.set(bytes);
        if bytes == 0 {
            return Ok(ptr::null_mut());
        }
        let mut scratch = self.scratch.borrow_mut();
        if let Some(memory) = &*scratch
            && memory.num_bytes() >= bytes
        {
            return Ok(memory.data_ptr());
        }
        // The old memory goes first, so that both are never held at once.
        *scratch = None;
        let memory = i64::try_from(bytes).ok().and_then(|bytes| Tensor::zeros(DataType::U8, &[bytes]).ok());
        match memory {
            Some(memory) => Ok(scratch.insert(memory).data_ptr()),
            None => Err(Failure {
                status: Status::CallFailed as i32,
                message: format!("out of memory: the kernel needs {bytes} bytes of scratch"),
            }),
        }
    }

    pub(crate) fn scratch_bytes(&self) -> usize {
        self.scratch_bytes.get()
    }

    /// Marks the thread as working on a region; false if it was already.
    pub(crate) fn enter_region(&self) -> bool {
        !self.in_region.replace(true)
    }

    pub(crate) fn leave_region(&self, outermost: bool) {
        self.in_region.set(!outermost);
    }

    /// What the kernel reported before it returned `status`.
    pub(crate) fn take_failure(&self, status: i32) -> Failure {
        let recorded = self.failure.borrow_mut().take();
        recorded
            .filter(|failure| failure.status == status)
            .unwrap_or_else(|| Failure { status, message: describe(status) })
    }
}

/// A status in words, for kernels that gave none.
fn describe(status: i32) -> String {
    let known = [
        (Status::AssertionFailed, "an assertion failed"),
        (Status::DivisionFault, "integer division by zero, or of the least value by -1"),
        (Status::IndexOutOfRange, "an index lies outside its buffer"),
        (Status::CallFailed, "a called function failed"),
    ];
    match known.into_iter().find(|(known, _)| *known as i32 == status) {
        Some((_, text)) => text.to_owned(),
        None => format!("stopped with status {status}"),
    }
}

/// [`tilewright_tensor::abi::ParallelFor`].
///
/// # Safety
/// `cx` is the context that the calling kernel or task was given; `body` may be called with `closure` for each task, on
/// any thread.
unsafe extern "C" fn parallel_for(cx: *const KernelCx, body: ParallelBody, closure: *mut u8, n_tasks: i64) -> i32 {
    // SAFETY: by the caller's promise the context is alive, and its state is the `Worker` of this very thread.
    let (cx, worker) = unsafe { (&*cx, &*(*cx).state.cast::<Worker>()) };
    match pool::run(cx, worker, body, closure, n_tasks) {
        Ok(()) => Status::Ok as i32,
        Err(failure) => {
            let status = failure.status;
            *worker.failure.borrow_mut() = Some(failure);
            status
        }
    }
}

/// [`tilewright_tensor::abi::Fail`].
///
/// # Safety
/// `cx` is the context that the calling kernel or task was given; `message` points to `length` bytes.
unsafe extern "C" fn fail(cx: *const KernelCx, status: i32, message: *const u8, length: i64) -> i32 {
    // SAFETY: as in `parallel_for`.
    let worker = unsafe { &*(*cx).state.cast::<Worker>() };
    let bytes = match usize::try_from(length) {
        // SAFETY: by the caller's promise.
        Ok(length) if !message.is_null() => unsafe { std::slice::from_raw_parts(message, length) },
        _ => &[],
    };
    let message = String::from_utf8_lossy(bytes).into_owned();
    *worker.failure.borrow_mut() = Some(Failure { status, message });
    status
}
