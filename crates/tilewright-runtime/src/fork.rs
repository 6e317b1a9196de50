//! Locks that a child of `fork` can always take.
//!
//! `fork` copies the memory of a process, but of its threads only the one that forks: a lock that another thread held
//! stays locked in the child for ever, and what it protects may be half changed. Hence all locks whose data outlives a
//! call are those of this module. A thread that holds one is in a *section*; `fork` waits until no other thread is in a
//! section, and keeps threads from entering one until the child is made. So a child finds every lock free, and all data
//! whole.
//!
//! What is done in a section is short and waits for nothing but locks of this module: no other lock of the host
//! program, no file, and no destructor of the user's values. Short is its work, not its time: its thread may wait for a
//! processor that many others want, or the whole process may be stopped. `fork` therefore counts looks at the sections
//! and not seconds, sleeps between them so that it keeps the processor from nobody, and goes on after so many looks
//! that only a section that breaks the rule has not ended: ten seconds of them where nobody else runs.
//!
//! Entering costs two operations on a counter that few threads share. The pool's own locks are not of this kind: a
//! child makes itself another pool.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// Counters that threads spread over.
const COUNTERS: usize = 32;
/// How often `fork` looks whether sections have ended, before it goes on without that.
const LOOKS: u32 = 10_000;
/// After so many looks, a thread that waits sleeps between two of them.
const HASTY_LOOKS: u32 = 100;
const NAP: Duration = Duration::from_millis(1);

/// How many threads are forking.
static FORKING: AtomicUsize = AtomicUsize::new(0);
/// How many threads are in a section, by the counter that each has.
static INSIDE: [Counter; COUNTERS] = [const { Counter(AtomicUsize::new(0)) }; COUNTERS];

/// A counter that shares its cache line with nothing else.
#[repr(align(128))]
struct Counter(AtomicUsize);

/// What a thread knows of itself.
struct ThreadState {
    /// Sections that it is in, one inside the other.
    depth: Cell<usize>,
    /// Its counter, by its index; none has the index `COUNTERS`.
    counter: Cell<usize>,
}

thread_local! {
    static THREAD_STATE: ThreadState = const { ThreadState { depth: Cell::new(0), counter: Cell::new(COUNTERS) } };
}

impl ThreadState {
    fn counter(&self) -> &'static AtomicUsize {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        if self.counter.get() == COUNTERS {
            self.counter.set(NEXT.fetch_add(1, Ordering::Relaxed) % COUNTERS);
        }
        &INSIDE[self.counter.get()].0
    }
}

/// A time in which other threads do not fork.
#[derive(Debug)]
struct Section;

impl Section {
    fn enter() -> Self {
        THREAD_STATE.with(|state| {
            let depth = state.depth.get();
            state.depth.set(depth + 1);
            if depth == 0 {
                handle_fork();
                enter_outermost(state.counter());
            }
        });
        Self
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        THREAD_STATE.with(|state| {
            let depth = state.depth.get() - 1;
            state.depth.set(depth);
            if depth == 0 {
                state.counter().fetch_sub(1, Ordering::Release);
            }
        });
    }
}

/// Lets other threads get on before the next look.
fn give_way(looks: u32) {
    if looks < HASTY_LOOKS {
        std::thread::yield_now();
    } else {
        std::thread::sleep(NAP);
    }
}

/// Either whoever forks sees the count, or this thread sees that someone forks: both happen in the one order of
/// sequentially consistent operations.
fn enter_outermost(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::SeqCst);
    while FORKING.load(Ordering::SeqCst) > 0 {
        counter.fetch_sub(1, Ordering::SeqCst);
        let mut looks = 0;
        while FORKING.load(Ordering::Relaxed) > 0 {
            give_way(looks);
            looks = looks.saturating_add(1);
        }
        counter.fetch_add(1, Ordering::SeqCst);
    }
}

/// Makes `fork` wait for sections, from the first one on. Several threads may come here at once; handlers that are
/// there twice do no harm, and no section begins without them.
#[cfg(unix)]
fn handle_fork() {
    static HANDLED: AtomicBool = AtomicBool::new(false);
    if !HANDLED.load(Ordering::Acquire) {
        // SAFETY: the handlers touch atomics and the thread's own cells only, and sleep a bounded number of times.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(after_fork_in_child)) };
        HANDLED.store(true, Ordering::Release);
    }
}

#[cfg(not(unix))]
fn handle_fork() {}

/// How often this thread counts in its counter.
fn own_count(state: &ThreadState) -> usize {
    usize::from(state.depth.get() > 0)
}

#[cfg(unix)]
extern "C" fn before_fork() {
    FORKING.fetch_add(1, Ordering::SeqCst);
    let mut looks = 0;
    THREAD_STATE.with(|state| {
        let own = state.counter();
        for Counter(counter) in &INSIDE {
            // A signal's handler may fork within a section of the thread that it interrupts.
            let expected = if std::ptr::eq(counter, own) { own_count(state) } else { 0 };
            while counter.load(Ordering::SeqCst) > expected && looks < LOOKS {
                give_way(looks);
                looks += 1;
            }
        }
    });
}

#[cfg(unix)]
extern "C" fn after_fork() {
    FORKING.fetch_sub(1, Ordering::SeqCst);
}

/// The child has this thread alone: no other counts, not even one that was just about to see that it may not enter.
#[cfg(unix)]
extern "C" fn after_fork_in_child() {
    THREAD_STATE.with(|state| {
        let own = state.counter();
        for Counter(counter) in &INSIDE {
            counter.store(if std::ptr::eq(counter, own) { own_count(state) } else { 0 }, Ordering::SeqCst);
        }
    });
    FORKING.store(0, Ordering::SeqCst);
}

/// A mutex for data that outlives a call. A panic under it leaves the data as it is.
#[derive(Default, Debug)]
pub struct Lock<T>(Mutex<T>);

/// The data of a [`Lock`], or of a [`SharedLock`] that is to be changed, while the guard lives.
#[derive(Debug)]
pub struct Held<G> {
    // Dropped first: the section ends when the lock is free.
    guard: G,
    _section: Section,
}

impl<G> Held<G> {
    fn take(take: impl FnOnce() -> G) -> Self {
        let section = Section::enter();
        Self { guard: take(), _section: section }
    }
}

impl<G: Deref> Deref for Held<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Held<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

impl<T> Lock<T> {
    pub const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub fn lock(&self) -> Held<MutexGuard<'_, T>> {
        Held::take(|| self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// As [`Lock`], for any number of readers at once.
#[derive(Default, Debug)]
pub struct SharedLock<T>(RwLock<T>);

impl<T> SharedLock<T> {
    pub const fn new(value: T) -> Self {
        Self(RwLock::new(value))
    }

    pub fn read(&self) -> Held<RwLockReadGuard<'_, T>> {
        Held::take(|| self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn write(&self) -> Held<RwLockWriteGuard<'_, T>> {
        Held::take(|| self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}
