//! Calling one kernel: its context, its memory, and what it reports.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};
use std::{ptr, slice};

use tilewright_tensor::abi::{KernelCx, KernelFn, PackedArg, ParallelBody, Status};

use crate::error::{Error, ErrorKind};
use crate::pool::Region;
use crate::scratch::Scratch;
use crate::temporary::TemporaryStack;
use crate::{packed, pool};

/// Bytes of scratch memory that an idle worker keeps at most.
const MAX_IDLE_SCRATCH: usize = 64 << 20;

/// Nanoseconds of parallel regions from which on sleeping workers are called: calling costs the caller about 5 µs, and
/// a worker comes after 30.
const WORTH_CALLING: u64 = 25_000;
/// Short regions that begin within such a time are one piece of work.
const BURST: Duration = Duration::from_micros(50);

/// Runs tasks that are written in Rust on the pool; `nanoseconds` is about what they take together on one thread.
pub(crate) fn parallel(tasks: u64, nanoseconds: u64, task: &(dyn Fn(u64) + Sync)) -> Result<(), Error> {
    /// # Safety
    /// `closure` points to the reference to a task, which is alive, and `cx` is the context of this thread.
    unsafe extern "C" fn body(cx: *const KernelCx, closure: *mut u8, task: i64, _tasks: i64) -> i32 {
        // SAFETY: the caller's promise.
        let (worker, run) = unsafe { (worker_of(cx), *closure.cast::<&(dyn Fn(u64) + Sync)>()) };
        match catch_unwind(AssertUnwindSafe(|| run(task as u64))) {
            Ok(()) => Status::Ok as i32,
            Err(payload) => worker.record(Failure::Panic(payload)),
        }
    }
    let worker = Worker::default();
    let closure = ptr::from_ref(&task).cast_mut().cast();
    let region = Region { body, closure, tasks, nanoseconds, scratch_bytes: 0 };
    pool::run(&worker.context(ptr::null_mut()), &worker, region)
        .map_err(|failure| failure.into_error("a runtime function"))
}

/// Why a kernel stopped.
pub(crate) enum Failure {
    /// What it reported itself, or the runtime on its behalf.
    Kernel { status: i32, message: String },
    /// The very error of a packed function that it called.
    Packed(Error),
    /// A packed function panicked. The kernel was left in good order; the panic goes on when it has returned.
    Panic(Box<dyn Any + Send>),
}

impl Failure {
    fn out_of_memory(message: String) -> Self {
        Self::Kernel { status: Status::OutOfMemory as i32, message }
    }

    pub(crate) fn status(&self) -> i32 {
        match self {
            Self::Kernel { status, .. } => *status,
            Self::Packed(_) | Self::Panic(_) => Status::CallFailed as i32,
        }
    }

    /// The error of the run that called the kernel of this name.
    pub(crate) fn into_error(self, kernel: &str) -> Error {
        match self {
            Self::Kernel { status, message } => ErrorKind::Kernel { kernel: kernel.to_owned(), status, message }.into(),
            Self::Packed(error) => error,
            Self::Panic(payload) => resume_unwind(payload),
        }
    }
}

/// The state of one thread for the kernels that it runs; `KernelCx::state` points to it. Never shared between threads.
#[derive(Default)]
pub(crate) struct Worker {
    scratch: RefCell<Scratch>,
    scratch_bytes: Cell<usize>,
    temporaries: RefCell<TemporaryStack>,
    in_region: Cell<bool>,
    /// Time of the last regions that woke nobody, as their kernels estimate it, and when the last of them began.
    alone: Cell<(u64, Option<Instant>)>,
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
        self.temporaries.borrow_mut().clear();
        if status == Status::Ok as i32 { Ok(()) } else { Err(self.take_failure(status)) }
    }

    /// Runs `f` with a context for a region's tasks; an error if there is no memory for scratch.
    pub(crate) fn serve(&self, scratch_bytes: usize, f: impl FnOnce(&KernelCx, &Worker)) -> Result<(), Failure> {
        let scratch = self.scratch(scratch_bytes)?;
        self.in_region.set(true);
        f(&self.context(scratch), self);
        self.temporaries.borrow_mut().clear();
        Ok(())
    }

    /// Whether this region, with those shortly before it, takes so long that a sleeping worker is to be woken.
    pub(crate) fn is_worth_calling_for(&self, nanoseconds: u64) -> bool {
        if nanoseconds >= WORTH_CALLING {
            return true;
        }
        let now = Instant::now();
        let before = match self.alone.get() {
            (alone, Some(last)) if now.duration_since(last) < BURST => alone,
            _ => 0,
        };
        let alone = before + nanoseconds;
        let worth = alone >= WORTH_CALLING;
        self.alone.set((if worth { 0 } else { alone }, Some(now)));
        worth
    }

    /// Frees scratch memory above a limit: for an idle worker.
    pub(crate) fn rest(&self) {
        self.scratch.borrow_mut().shrink_to(MAX_IDLE_SCRATCH);
    }

    /// Runs one task, then frees what it allocated and did not free.
    pub(crate) fn task(&self, run: impl FnOnce() -> i32) -> Result<(), Failure> {
        let height = self.temporaries.borrow().height();
        let status = run();
        self.temporaries.borrow_mut().release(height);
        if status == Status::Ok as i32 { Ok(()) } else { Err(self.take_failure(status)) }
    }

    fn context(&self, scratch: *mut u8) -> KernelCx {
        let state = ptr::from_ref(self).cast_mut().cast();
        KernelCx { parallel_for, fail, scratch, state, alloc, free, call_packed, parallel_for_estimated }
    }

    /// Scratch memory of at least so many bytes; kept for the next kernel.
    fn scratch(&self, bytes: usize) -> Result<*mut u8, Failure> {
        self.scratch_bytes.set(bytes);
        if bytes == 0 {
            return Ok(ptr::null_mut());
        }
        self.scratch.borrow_mut().of(bytes).ok_or_else(|| {
            Failure::out_of_memory(format!("out of memory: the kernel needs {bytes} bytes of scratch memory"))
        })
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

    /// What the kernel or task reported before it returned `status`.
    fn take_failure(&self, status: i32) -> Failure {
        let recorded = self.failure.take();
        recorded
            .filter(|failure| failure.status() == status)
            .unwrap_or_else(|| Failure::Kernel { status, message: describe(status) })
    }

    /// Keeps a failure until the kernel returns its status.
    fn record(&self, failure: Failure) -> i32 {
        let status = failure.status();
        self.failure.replace(Some(failure));
        status
    }
}

/// A status in words, for kernels that gave none.
fn describe(status: i32) -> String {
    let known = [
        (Status::AssertionFailed, "an assertion failed"),
        (Status::DivisionFault, "integer division by zero, or of the least value by -1"),
        (Status::IndexOutOfRange, "an index lies outside its buffer"),
        (Status::CallFailed, "a called function failed"),
        (Status::OutOfMemory, "out of memory"),
    ];
    match known.into_iter().find(|(known, _)| *known as i32 == status) {
        Some((_, text)) => text.to_owned(),
        None => format!("stopped with status {status}"),
    }
}

/// The worker whose context this is.
///
/// # Safety
/// `cx` is the context that the calling kernel or task was given: it is alive, and its state is the [`Worker`] of this
/// very thread.
unsafe fn worker_of<'a>(cx: *const KernelCx) -> &'a Worker {
    // SAFETY: the caller's promise.
    unsafe { &*(*cx).state.cast::<Worker>() }
}

/// The bytes at `data`; none if there cannot be any.
///
/// # Safety
/// `data` points to `length` elements that outlive `'a`, unless it is null or `length` is not above 0.
unsafe fn elements<'a, T>(data: *const T, length: i64) -> &'a [T] {
    match usize::try_from(length) {
        // SAFETY: the caller's promise.
        Ok(length) if length > 0 && !data.is_null() => unsafe { slice::from_raw_parts(data, length) },
        _ => &[],
    }
}

/// [`tilewright_tensor::abi::ParallelFor`].
///
/// # Safety
/// `cx` is the context that the calling kernel or task was given; `body` may be called with `closure` for each task, on
/// any thread.
unsafe extern "C" fn parallel_for(cx: *const KernelCx, body: ParallelBody, closure: *mut u8, n_tasks: i64) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { parallel_for_estimated(cx, body, closure, n_tasks, i64::MAX) }
}

/// [`tilewright_tensor::abi::ParallelForEstimated`].
///
/// # Safety
/// As for [`parallel_for`].
unsafe extern "C" fn parallel_for_estimated(
    cx: *const KernelCx,
    body: ParallelBody,
    closure: *mut u8,
    n_tasks: i64,
    nanoseconds: i64,
) -> i32 {
    // SAFETY: by the caller's promise the context is alive and this thread's.
    let (cx, worker) = unsafe { (&*cx, worker_of(cx)) };
    let tasks = u64::try_from(n_tasks).unwrap_or(0);
    let nanoseconds = u64::try_from(nanoseconds).unwrap_or(0);
    let region = Region { body, closure, tasks, nanoseconds, scratch_bytes: worker.scratch_bytes() };
    match pool::run(cx, worker, region) {
        Ok(()) => Status::Ok as i32,
        Err(failure) => worker.record(failure),
    }
}

/// [`tilewright_tensor::abi::Fail`].
///
/// # Safety
/// `cx` is the context that the calling kernel or task was given; `message` points to `length` bytes.
unsafe extern "C" fn fail(cx: *const KernelCx, status: i32, message: *const u8, length: i64) -> i32 {
    // SAFETY: the caller's promise.
    let (worker, message) = unsafe { (worker_of(cx), elements(message, length)) };
    worker.record(Failure::Kernel { status, message: String::from_utf8_lossy(message).into_owned() })
}

/// [`tilewright_tensor::abi::Alloc`].
///
/// # Safety
/// `cx` is the context that the calling kernel or task was given.
unsafe extern "C" fn alloc(cx: *const KernelCx, bytes: i64) -> *mut u8 {
    // SAFETY: the caller's promise.
    let worker = unsafe { worker_of(cx) };
    let memory = worker.temporaries.borrow_mut().alloc(bytes);
    memory.unwrap_or_else(|| {
        worker.record(Failure::out_of_memory(format!("out of memory: the kernel needs {bytes} bytes at once")));
        ptr::null_mut()
    })
}

/// [`tilewright_tensor::abi::Free`].
///
/// # Safety
/// `cx` is the context that the calling kernel or task was given; nobody uses `memory` any more.
unsafe extern "C" fn free(cx: *const KernelCx, memory: *mut u8) {
    // SAFETY: the caller's promise.
    let worker = unsafe { worker_of(cx) };
    worker.temporaries.borrow_mut().free(memory);
}

/// [`tilewright_tensor::abi::CallPacked`].
///
/// # Safety
/// `cx` is the context that the calling kernel or task was given; `name`, `args` and `result` are what the ABI says.
unsafe extern "C" fn call_packed(
    cx: *const KernelCx,
    name: *const u8,
    name_length: i64,
    args: *const PackedArg,
    n_args: i64,
    result: *mut PackedArg,
) -> i32 {
    // SAFETY: the caller's promise.
    let (worker, name, args) = unsafe { (worker_of(cx), elements(name, name_length), elements(args, n_args)) };
    let name = String::from_utf8_lossy(name);
    if worker.in_region.get() {
        let message = format!("packed function \"{name}\" is called from a parallel loop: call it outside of the loop");
        return worker.record(Failure::Kernel { status: Status::CallFailed as i32, message });
    }
    // A panic must not unwind through machine code.
    // SAFETY: the caller's promise.
    let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { packed::call(&name, args, result.as_mut()) }));
    match outcome {
        Ok(Ok(())) => Status::Ok as i32,
        Ok(Err(error)) => worker.record(Failure::Packed(error)),
        Err(payload) => worker.record(Failure::Panic(payload)),
    }
}
