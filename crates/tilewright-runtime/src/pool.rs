//! The worker pool that runs kernels' parallel regions.
//!
//! One pool serves the process. A region is a number of tasks, numbered from 0; how many there are is the kernel's
//! choice, so that results do not depend on the number of threads. The calling thread publishes the region, works on
//! it like everyone else, closes it when no task is left to begin, and waits for those that others still run. A region
//! never waits for a worker to arrive: with all workers busy elsewhere, the caller does all tasks. Hence several
//! threads may run programs at once, and a region inside a task simply runs there and then.
//!
//! # Protocol
//!
//! **Slots.** A published region stands in one of the pool's slots; with none free, its caller runs it alone. A slot is
//! never freed, so that a late look at it is harmless. Its `control` word is all that decides, and goes through
//!
//! ```text
//! 0 ──► CLAIMED ──► CLAIMED + OPEN + visitors ──► CLAIMED + visitors (+ WAITING) ──► 0
//! ```
//!
//! 1. Who turns 0 into `CLAIMED` owns the slot until it puts 0 back. Nobody else takes `CLAIMED` off. While the word is
//!    just `CLAIMED`, nobody else touches the slot's other fields: the owner fills them in.
//! 2. A worker enters by adding a visitor to a word that is `OPEN`, in one compare-and-exchange. It may use the fields
//!    until it takes its visitor off, and does not touch them afterwards.
//! 3. The owner takes `OPEN` off when all tasks have begun. From then on visitors only leave; when none is left, all
//!    tasks are done, and what they wrote is seen by the owner (they leave with release, it looks with acquire).
//! 4. The slot's `next` hands every task to exactly one thread, in order, several neighbours at once while many are
//!    left. A failing task ends its thread's share, and moves `next` to the end, so that no more are handed out. Those
//!    before it have been handed out, and run until one of them fails: the failure of the smallest task is the same one
//!    whatever the threads do.
//!
//! **Sleeping.** Publishing counts `published` up, then looks for sleepers. A worker that finds nothing in any slot
//! looks at `published` for a short while. Then it counts itself among the sleepers, looks at `published` once more,
//! and sleeps. Both sides do so in the one order of sequentially consistent operations: either the worker sees the
//! region, or the publisher sees the sleeper. While workers enough are awake, publishing makes no system call and takes
//! no lock; else it wakes at most two, and each that comes to work wakes two more as long as tasks wait for a thread.
//! Those who decide that nobody is to be woken have counted all open regions and all workers in them, after a fence
//! that follows their own operations: so the same idle worker is not left to two regions at once.
//!
//! A region whose kernel knows that it is short calls nobody: workers that are awake help with it, and waking one costs
//! more than the region. Regions that follow each other closely may be long together; their caller counts.
//!
//! A caller with visitors left looks for a short while too, then sets `WAITING` in `control` and sleeps. The last
//! visitor sees it in the very operation by which it leaves.
//!
//! **Size.** Workers have numbers from 1 on. One whose number is above the wanted one ends when it is idle. After
//! `fork` the child has none of the threads; it forgets the pool and makes another when it needs one.
//!
//! `tests/runtime/protocol.rs` holds these rules as a model and tries all orders of its steps: a change here is a
//! change there.

mod slot;

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tilewright_tensor::abi::KernelCx;

use crate::affinity;
use crate::environment::setting;
use crate::kernel::{Failure, Worker};
pub(crate) use slot::Region;
use slot::{CLAIMED, FAILED, OPEN, Slot, VISITOR, WAITING};

/// How long an idle thread looks for work before it sleeps: longer than the gaps between the regions of a run.
const SPIN_TIME: Duration = Duration::from_micros(100);
/// Looks between two looks at the clock.
const SPINS_PER_LOOK: u32 = 64;
/// Regions that workers can help with at the same time.
const SLOTS: usize = 16;
/// The largest number of threads that the environment or a caller can set.
const MAX_THREADS: usize = 1024;

/// The number of threads that the user set; 0 leaves it to the environment and the machine.
static REQUESTED: AtomicUsize = AtomicUsize::new(0);
static CURRENT: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

/// Sets how many threads a region may use, the caller's own included; 0 goes back to the default, which is
/// `TILEWRIGHT_NUM_THREADS`, or else one per processor of [`crate::set_affinity`], or else one per processor that the
/// process may use.
pub fn set_num_threads(threads: usize) {
    REQUESTED.store(threads.min(MAX_THREADS), Ordering::SeqCst);
    resize();
}

/// How many threads a region may use, the caller's own included.
pub fn num_threads() -> usize {
    let requested = REQUESTED.load(Ordering::SeqCst);
    if requested > 0 {
        return requested;
    }
    from_environment().unwrap_or_else(affinity::default_threads).min(MAX_THREADS)
}

/// Warns of unreadable settings of threads in the environment.
pub(crate) fn check_environment() {
    let _threads = from_environment();
    let _processors = affinity::named_in_environment();
}

/// The number of threads in the environment, with one warning if it cannot be read.
fn from_environment() -> Option<usize> {
    setting("TILEWRIGHT_NUM_THREADS", "a number of threads from 1 to 1024", |text| {
        text.parse().ok().filter(|threads| (1..=MAX_THREADS).contains(threads))
    })
}

/// Resizes the pool, if there is one, to the current settings.
pub(crate) fn resize() {
    let pool = CURRENT.load(Ordering::SeqCst);
    if !pool.is_null() {
        // SAFETY: pools that were published are never freed.
        unsafe { &*pool }.resize();
    }
}

/// Runs all tasks of a region and gives the failure of the first task that failed.
pub(crate) fn run(cx: &KernelCx, worker: &Worker, region: Region) -> Result<(), Failure> {
    let outermost = worker.enter_region();
    let helped = if region.tasks > 1 && outermost { current_pool() } else { None };
    let outcome = match helped.and_then(|pool| Some((pool, pool.claim()?))) {
        Some((pool, slot)) => pool.run(slot, region, cx, worker),
        None => (0..region.tasks).try_for_each(|task| region.task(cx, worker, task)),
    };
    worker.leave_region(outermost);
    outcome
}

/// A value that shares its cache line with nothing else.
#[repr(align(128))]
struct Apart<T>(T);

struct Pool {
    slots: [Slot; SLOTS],
    /// Counts published regions.
    published: Apart<AtomicU64>,
    /// Workers that sleep and have not been called. Changes under the lock of `calls` only.
    sleepers: Apart<AtomicUsize>,
    /// Workers that there are, or that are ending because there should be fewer.
    workers: AtomicUsize,
    /// Whether there are more threads than processors: then a waiting thread sleeps soon.
    oversubscribed: AtomicBool,
    /// Calls that wake a sleeper and that none has answered yet. Those who wait for `called` are as many as the
    /// sleepers and the calls together.
    calls: Mutex<usize>,
    called: Condvar,
    /// Taken to change who there is.
    roll: Mutex<Vec<Member>>,
    /// For callers that wait for the last visitor of their region.
    departures: Mutex<()>,
    departed: Condvar,
}

/// What is known about the worker of a number.
#[derive(Clone, Copy, PartialEq)]
enum Member {
    Absent,
    Starting,
    Present(affinity::ThreadId),
}

/// No code that can panic runs under these locks; a poisoned one is as good as another.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process's pool; none if one thread is all there is.
fn current_pool() -> Option<&'static Pool> {
    let mut pool = CURRENT.load(Ordering::Acquire);
    if pool.is_null() {
        pool = make_pool();
    }
    // SAFETY: pools that were published are never freed.
    let pool = unsafe { &*pool };
    (pool.workers.load(Ordering::Relaxed) > 0).then_some(pool)
}

#[cold]
fn make_pool() -> *mut Pool {
    static FORK_IS_HANDLED: AtomicBool = AtomicBool::new(false);
    if !FORK_IS_HANDLED.load(Ordering::Acquire) {
        // Several threads may come here at once; the handler may run twice. It is there before any pool.
        // SAFETY: the handler only stores to an atomic, which a child may do right after `fork`.
        unsafe { libc::pthread_atfork(None, None, Some(forget_pool)) };
        FORK_IS_HANDLED.store(true, Ordering::Release);
    }
    let pool = Box::into_raw(Box::new(Pool::new()));
    match CURRENT.compare_exchange(ptr::null_mut(), pool, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => {
            // The size is read after the pool is published: a concurrent `set_num_threads` that saw no pool came
            // before.
            // SAFETY: the pool is published, and so never freed.
            unsafe { &*pool }.resize();
            pool
        }
        Err(other) => {
            // SAFETY: nobody has seen this one.
            drop(unsafe { Box::from_raw(pool) });
            other
        }
    }
}

extern "C" fn forget_pool() {
    CURRENT.store(ptr::null_mut(), Ordering::Release);
}

/// The calling side.
impl Pool {
    fn new() -> Self {
        Self {
            slots: [const { Slot::new() }; SLOTS],
            published: Apart(AtomicU64::new(0)),
            sleepers: Apart(AtomicUsize::new(0)),
            workers: AtomicUsize::new(0),
            oversubscribed: AtomicBool::new(false),
            calls: Mutex::new(0),
            called: Condvar::new(),
            roll: Mutex::new(Vec::new()),
            departures: Mutex::new(()),
            departed: Condvar::new(),
        }
    }

    /// A slot for this thread, if one is free.
    fn claim(&self) -> Option<&Slot> {
        self.slots.iter().find(|slot| {
            slot.control.load(Ordering::Relaxed) == 0
                // Acquires the fields from the owner before, who released them with the 0.
                && slot.control.compare_exchange(0, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_ok()
        })
    }

    /// Runs a region in a claimed slot, with whoever comes to help.
    fn run(&self, slot: &Slot, region: Region, cx: &KernelCx, worker: &Worker) -> Result<(), Failure> {
        slot.open(region);
        self.published.0.fetch_add(1, Ordering::SeqCst);
        if self.sleepers.0.load(Ordering::SeqCst) > 0 && worker.is_worth_calling_for(region.nanoseconds) {
            self.call_sleepers();
        }
        slot.work(&region, self.threads(), cx, worker);
        let control = self.close(slot);
        let failure = if control & FAILED != 0 { lock(&slot.failure).take() } else { None };
        slot.control.store(0, Ordering::Release);
        match failure {
            Some((_, failure)) => Err(failure),
            None => Ok(()),
        }
    }

    /// Threads that work on a region at most.
    fn threads(&self) -> u64 {
        self.workers.load(Ordering::Relaxed) as u64 + 1
    }

    /// Lets nobody else in and waits until all visitors have left.
    fn close(&self, slot: &Slot) -> u64 {
        let mut control = slot.control.fetch_and(!OPEN, Ordering::Acquire);
        let mut patience = Spin::new(self);
        while control >= VISITOR && patience.wait() {
            control = slot.control.load(Ordering::Acquire);
        }
        if control >= VISITOR {
            control = self.wait_for_departure(slot);
        }
        control
    }

    #[cold]
    fn wait_for_departure(&self, slot: &Slot) -> u64 {
        slot.control.fetch_or(WAITING, Ordering::Relaxed);
        let mut departures = lock(&self.departures);
        loop {
            let control = slot.control.load(Ordering::Acquire);
            if control < VISITOR {
                return control;
            }
            departures = self.departed.wait(departures).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes sleepers, two at most, if fewer workers are awake and idle than tasks wait for a thread. For a thread that
    /// is about to take a task itself.
    fn call_sleepers(&self) {
        let sleepers = self.sleepers.0.load(Ordering::SeqCst);
        if sleepers == 0 {
            return;
        }
        // Ordered after what this thread has just published or entered: of two threads that come here, one sees the
        // other's.
        fence(Ordering::SeqCst);
        let waiting = self.slots.iter().map(Slot::left_to_begin).fold(0, u64::saturating_add).saturating_sub(1);
        let busy: u64 = self.slots.iter().map(Slot::visitors).sum();
        let awake = self.workers.load(Ordering::Relaxed).saturating_sub(sleepers) as u64;
        let missing = waiting.saturating_sub(awake.saturating_sub(busy)).min(2) as usize;
        if missing > 0 {
            let called = self.take_sleepers(missing);
            (0..called).for_each(|_| self.called.notify_one());
        }
    }

    /// Turns sleepers into calls; the caller notifies as many.
    fn take_sleepers(&self, max: usize) -> usize {
        let mut calls = lock(&self.calls);
        let called = self.sleepers.0.load(Ordering::Relaxed).min(max);
        self.sleepers.0.fetch_sub(called, Ordering::SeqCst);
        *calls += called;
        called
    }
}

/// The workers' side.
impl Pool {
    /// The main loop of a worker.
    fn serve(&self, number: usize) {
        block_signals();
        self.arrive(number);
        let worker = Worker::default();
        loop {
            // Acquires what publishers wrote before they counted up.
            let seen = self.published.0.load(Ordering::Acquire);
            if self.help(&worker) {
                continue;
            }
            if self.is_too_many(number) && self.resign(number) {
                // The call that woke this worker may have been for one that stays.
                return self.call_sleepers();
            }
            let news = || self.published.0.load(Ordering::Relaxed) != seen || self.is_too_many(number);
            let mut patience = Spin::new(self);
            while !news() {
                if !patience.wait() {
                    worker.rest();
                    self.sleep(number, news);
                    break;
                }
            }
        }
    }

    fn is_too_many(&self, number: usize) -> bool {
        number > self.workers.load(Ordering::Relaxed)
    }

    /// Works on all regions that have tasks to begin; false if there were none.
    fn help(&self, worker: &Worker) -> bool {
        let mut helped = false;
        for slot in &self.slots {
            let Some(region) = slot.enter() else { continue };
            helped = true;
            self.call_sleepers();
            if let Err(failure) =
                worker.serve(region.scratch_bytes, |cx, worker| slot.work(&region, self.threads(), cx, worker))
            {
                slot.give_up(&region, failure);
            }
            // Releases what the tasks wrote.
            let before = slot.control.fetch_sub(VISITOR, Ordering::Release);
            if before & WAITING != 0 && before / VISITOR == 1 {
                // Taking the lock once makes sure that a caller that saw a visitor sleeps already.
                drop(lock(&self.departures));
                self.departed.notify_all();
            }
        }
        helped
    }

    /// Sleeps until called or too many, unless there is news after all.
    fn sleep(&self, number: usize, news: impl Fn() -> bool) {
        let mut calls = lock(&self.calls);
        self.sleepers.0.fetch_add(1, Ordering::SeqCst);
        // The deciding look comes after the count in the single order of sequentially consistent operations.
        fence(Ordering::SeqCst);
        if news() {
            self.sleepers.0.fetch_sub(1, Ordering::SeqCst);
            return;
        }
        while *calls == 0 {
            calls = self.called.wait(calls).unwrap_or_else(PoisonError::into_inner);
            // One that should go to sleep may take the call that was meant for one that should end.
            if *calls == 0 && self.is_too_many(number) {
                self.sleepers.0.fetch_sub(1, Ordering::SeqCst);
                return;
            }
        }
        *calls -= 1;
    }

    /// Starts workers, or lets some end, until there are as many as wanted; and sets their affinities.
    fn resize(&self) {
        let mut roll = lock(&self.roll);
        let threads = num_threads();
        let old = self.workers.swap(threads - 1, Ordering::SeqCst);
        self.oversubscribed.store(threads > affinity::allowed_count(), Ordering::Relaxed);
        // Number 0 is the caller of each region.
        let numbers = roll.len().max(threads);
        roll.resize(numbers, Member::Absent);
        for number in 1..threads {
            match roll[number] {
                Member::Absent if self.start(number) => roll[number] = Member::Starting,
                // A system that gives no more threads leaves a smaller pool.
                Member::Absent => {
                    self.workers.store(number - 1, Ordering::SeqCst);
                    break;
                }
                Member::Present(thread) => affinity::place(thread, number),
                Member::Starting => {}
            }
        }
        drop(roll);
        if threads - 1 < old {
            self.take_sleepers(usize::MAX);
            self.called.notify_all();
        }
    }

    fn start(&self, number: usize) -> bool {
        let address = ptr::from_ref(self) as usize;
        let serve = move || {
            // SAFETY: pools with workers are never freed.
            let pool = unsafe { &*(address as *const Self) };
            pool.serve(number);
        };
        std::thread::Builder::new().name(format!("tilewright-{number}")).spawn(serve).is_ok()
    }

    fn arrive(&self, number: usize) {
        let mut roll = lock(&self.roll);
        let thread = affinity::this_thread();
        affinity::place(thread, number);
        if let Some(member) = roll.get_mut(number) {
            *member = Member::Present(thread);
        }
    }

    /// Whether the worker may end: if it is still one too many.
    fn resign(&self, number: usize) -> bool {
        let mut roll = lock(&self.roll);
        let ends = number > self.workers.load(Ordering::SeqCst);
        if ends && let Some(member) = roll.get_mut(number) {
            *member = Member::Absent;
        }
        ends
    }
}

/// A bounded spin loop before a thread sleeps.
struct Spin {
    looks: u32,
    since: Option<Instant>,
    oversubscribed: bool,
}

impl Spin {
    fn new(pool: &Pool) -> Self {
        Self { looks: 0, since: None, oversubscribed: pool.oversubscribed.load(Ordering::Relaxed) }
    }

    /// Lets a moment pass; false when enough have passed.
    fn wait(&mut self) -> bool {
        self.looks += 1;
        std::hint::spin_loop();
        if !self.looks.is_multiple_of(SPINS_PER_LOOK) {
            return true;
        }
        // Whoever is waited for may need this very processor. (Yielding it again and again would not do: schedulers
        // take that for a wish to come last for a long time.)
        !self.oversubscribed && self.since.get_or_insert_with(Instant::now).elapsed() < SPIN_TIME
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
