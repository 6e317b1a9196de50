//! The worker pool that runs kernels' parallel regions.
//!
//! One pool serves the process. A region is a number of tasks, numbered from 0; how many there are is the kernel's
//! choice, so that results do not depend on the number of threads. The calling thread publishes the region, works on
//! it like everyone else, takes it back when no task is left to begin, and waits for those that others still run. Idle
//! workers spin for some microseconds, so that the next region of the same run finds them awake, then sleep.
//!
//! A region never waits for a worker to arrive: with all workers busy elsewhere, the caller does all tasks. Hence
//! several threads may run programs at once, and a region inside a task simply runs there and then.
//!
//! After `fork` the child has none of the threads; it forgets the pool and makes another when it needs one. Pools are
//! replaced, never freed: a replaced pool's threads end, and its few bytes of state stay.

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};

use tilewright_tensor::abi::{KernelCx, ParallelBody};

use crate::kernel::{Failure, Worker};

/// How often an idle worker looks for work before it sleeps: some tens of microseconds.
const SPINS: u32 = 2_000;
/// Bounds what the environment or a caller can ask for.
const MAX_THREADS: usize = 1024;

/// The number of threads that the user asked for; 0 leaves it to the environment and the machine.
static REQUESTED: AtomicUsize = AtomicUsize::new(0);
static CURRENT: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

/// Sets how many threads a region may use, the caller's own included; 0 goes back to the default, which is
/// `TILEWRIGHT_NUM_THREADS` or else one per processor.
pub fn set_num_threads(threads: usize) {
    REQUESTED.store(threads.min(MAX_THREADS), Ordering::Relaxed);
    let old = CURRENT.swap(ptr::null_mut(), Ordering::AcqRel);
    if !old.is_null() {
        // SAFETY: pools are never freed.
        unsafe { (*old).retire() };
    }
}

/// How many threads a region may use, the caller's own included.
pub fn num_threads() -> usize {
    let requested = REQUESTED.load(Ordering::Relaxed);
    if requested > 0 {
        return requested;
    }
    let from_environment = std::env::var("TILEWRIGHT_NUM_THREADS").ok().and_then(|text| text.trim().parse().ok());
    let threads = match from_environment {
        Some(threads) if threads > 0 => threads,
        _ => std::thread::available_parallelism().map_or(1, usize::from),
    };
    threads.min(MAX_THREADS)
}

/// One parallel region. Lives on the calling thread's stack.
struct Job {
    body: ParallelBody,
    closure: *mut u8,
    tasks: i64,
    scratch_bytes: usize,
    /// The next task that nobody has begun.
    next: AtomicI64,
    /// Workers, other than the caller, that may still look at this job.
    visitors: AtomicUsize,
    /// The failure of the task with the smallest number. Tasks begin in order and those begun are finished, so that it
    /// is the same one whatever the threads do.
    failure: Mutex<Option<(i64, Failure)>>,
}

impl Job {
    /// Runs tasks until none is left to begin.
    fn work(&self, cx: &KernelCx, worker: &Worker) {
        loop {
            let task = self.next.fetch_add(1, Ordering::Relaxed);
            if task >= self.tasks {
                return;
            }
            // SAFETY: the kernel gave body and closure for exactly this, and waits until all tasks are done.
            let outcome = worker.task(|| unsafe { (self.body)(cx, self.closure, task, self.tasks) });
            if let Err(failure) = outcome {
                self.fail(task, failure);
            }
        }
    }

    fn fail(&self, task: i64, failure: Failure) {
        self.next.fetch_max(self.tasks, Ordering::Relaxed);
        let mut first = lock(&self.failure);
        if first.as_ref().is_none_or(|(other, _)| task < *other) {
            *first = Some((task, failure));
        }
    }
}

/// A published job. The address is valid while it stands in the pool's list or its `visitors` is not 0.
#[derive(Clone, Copy, PartialEq)]
struct JobRef(*const Job);

// SAFETY: a job is made of atomics, a mutex and what the kernel shares between its tasks.
unsafe impl Send for JobRef {}

struct Pool {
    state: Mutex<State>,
    /// Counts published jobs; changes under the lock only.
    published: AtomicUsize,
    retired: AtomicBool,
    work: Condvar,
    /// Callers that sleep until their job has no visitors.
    waiting_callers: AtomicUsize,
    job_left: Condvar,
    workers: AtomicUsize,
}

#[derive(Default)]
struct State {
    jobs: Vec<JobRef>,
    sleepers: usize,
}

/// No code that can panic runs under these locks; a poisoned one is as good as another.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs all tasks of a region and gives the failure of the first task that failed.
pub(crate) fn run(
    cx: &KernelCx,
    worker: &Worker,
    body: ParallelBody,
    closure: *mut u8,
    tasks: i64,
) -> Result<(), Failure> {
    let job = Job {
        body,
        closure,
        tasks,
        scratch_bytes: worker.scratch_bytes(),
        next: AtomicI64::new(0),
        visitors: AtomicUsize::new(0),
        failure: Mutex::new(None),
    };
    let outermost = worker.enter_region();
    if tasks > 1
        && outermost
        && let Some(pool) = current_pool()
    {
        pool.publish(&job);
        job.work(cx, worker);
        pool.withdraw(&job);
    } else {
        job.work(cx, worker);
    }
    worker.leave_region(outermost);
    match job.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, failure)) => Err(failure),
        None => Ok(()),
    }
}

/// The process's pool; none if one thread is all there is.
fn current_pool() -> Option<&'static Pool> {
    let pool = CURRENT.load(Ordering::Acquire);
    if !pool.is_null() {
        // SAFETY: pools are never freed.
        let pool = unsafe { &*pool };
        return (pool.workers.load(Ordering::Relaxed) > 0).then_some(pool);
    }
    static AT_FORK: Once = Once::new();
    AT_FORK.call_once(|| {
        // SAFETY: the handler only stores to an atomic, which a child may do right after `fork`.
        unsafe { libc::pthread_atfork(None, None, Some(forget_pool)) };
    });
    let pool: &'static Pool = Box::leak(Box::new(Pool {
        state: Mutex::new(State::default()),
        published: AtomicUsize::new(0),
        retired: AtomicBool::new(false),
        work: Condvar::new(),
        waiting_callers: AtomicUsize::new(0),
        job_left: Condvar::new(),
        workers: AtomicUsize::new(0),
    }));
    let address = ptr::from_ref(pool).cast_mut();
    if CURRENT.compare_exchange(ptr::null_mut(), address, Ordering::AcqRel, Ordering::Acquire).is_err() {
        // Another thread made one in the meantime; this one has no threads yet.
        return current_pool();
    }
    for index in 1..num_threads() {
        let spawned = std::thread::Builder::new().name(format!("tilewright-{index}")).spawn(move || pool.serve());
        // A system that gives no more threads leaves a smaller pool.
        if spawned.is_err() {
            break;
        }
        pool.workers.fetch_add(1, Ordering::Relaxed);
    }
    (pool.workers.load(Ordering::Relaxed) > 0).then_some(pool)
}

extern "C" fn forget_pool() {
    CURRENT.store(ptr::null_mut(), Ordering::Release);
}

impl Pool {
    fn publish(&self, job: &Job) {
        let mut state = lock(&self.state);
        state.jobs.push(JobRef(job));
        self.published.fetch_add(1, Ordering::Release);
        let sleepers = state.sleepers;
        drop(state);
        let wanted = usize::try_from(job.tasks - 1).unwrap_or(usize::MAX);
        if sleepers <= wanted {
            if sleepers > 0 {
                self.work.notify_all();
            }
        } else {
            (0..wanted).for_each(|_| self.work.notify_one());
        }
    }

    /// Takes the job from the list and waits until nobody looks at it any more.
    fn withdraw(&self, job: &Job) {
        lock(&self.state).jobs.retain(|&other| other != JobRef(job));
        for _ in 0..SPINS {
            if job.visitors.load(Ordering::Acquire) == 0 {
                return;
            }
            std::hint::spin_loop();
        }
        self.waiting_callers.fetch_add(1, Ordering::SeqCst);
        let mut state = lock(&self.state);
        while job.visitors.load(Ordering::SeqCst) > 0 {
            state = self.job_left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        self.waiting_callers.fetch_sub(1, Ordering::SeqCst);
    }

    /// A worker's life.
    fn serve(&self) {
        block_signals();
        let worker = Worker::default();
        let mut seen = 0;
        while let Some(JobRef(job)) = self.next_job(&mut seen) {
            // SAFETY: `next_job` counted this thread among the job's visitors, so that its owner waits for us.
            let job_ref = unsafe { &*job };
            // Without memory for scratch this thread leaves the tasks to the others: the caller has its own.
            worker.serve(job_ref.scratch_bytes, |cx, worker| job_ref.work(cx, worker));
            // The last look at the job: its owner may return as soon as the count is 0.
            let last = job_ref.visitors.fetch_sub(1, Ordering::SeqCst) == 1;
            if last && self.waiting_callers.load(Ordering::SeqCst) > 0 {
                // Taking the lock once makes sure that a caller that saw the old count sleeps already.
                drop(lock(&self.state));
                self.job_left.notify_all();
            }
        }
    }

    /// A job with tasks to begin, with this thread counted as a visitor; none when the pool is retired.
    fn next_job(&self, seen: &mut usize) -> Option<JobRef> {
        loop {
            let mut state = lock(&self.state);
            if self.retired.load(Ordering::Relaxed) {
                return None;
            }
            *seen = self.published.load(Ordering::Relaxed);
            for &job in &state.jobs {
                // SAFETY: a job in the list is alive; its owner takes it out under the lock that we hold.
                let job_ref = unsafe { &*job.0 };
                if job_ref.next.load(Ordering::Relaxed) < job_ref.tasks {
                    job_ref.visitors.fetch_add(1, Ordering::Relaxed);
                    return Some(job);
                }
            }
            drop(state);
            if self.spin(*seen) {
                continue;
            }
            state = lock(&self.state);
            state.sleepers += 1;
            while self.published.load(Ordering::Relaxed) == *seen && !self.retired.load(Ordering::Relaxed) {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.sleepers -= 1;
        }
    }

    /// Whether something was published, or the pool retired, within a short while.
    fn spin(&self, seen: usize) -> bool {
        (0..SPINS).any(|_| {
            std::hint::spin_loop();
            self.published.load(Ordering::Acquire) != seen || self.retired.load(Ordering::Relaxed)
        })
    }

    /// Lets the workers end once they are idle. Callers in the middle of a region finish it.
    fn retire(&self) {
        let state = lock(&self.state);
        self.retired.store(true, Ordering::Relaxed);
        drop(state);
        self.work.notify_all();
    }
}

/// Signals are the business of the threads that the user's program made.
fn block_signals() {
    // SAFETY: the set is filled before it is used, and only this thread's mask changes.
    unsafe {
        let mut all = std::mem::zeroed::<libc::sigset_t>();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, ptr::null_mut());
    }
}
