//! Regions, and the slots that hold them while threads work on them: rules 1 to 4 of the protocol of [`super`].

use std::cell::UnsafeCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use tilewright_tensor::abi::{KernelCx, ParallelBody};

use super::lock;
use crate::kernel::{Failure, Worker};

/// One parallel region, apart from how far it has come.
#[derive(Clone, Copy)]
pub(crate) struct Region {
    pub(crate) body: ParallelBody,
    pub(crate) closure: *mut u8,
    pub(crate) tasks: u64,
    /// What all tasks take together on one thread, as far as the kernel knows.
    pub(crate) nanoseconds: u64,
    pub(crate) scratch_bytes: usize,
}

impl Region {
    pub(super) fn task(&self, cx: &KernelCx, worker: &Worker, task: u64) -> Result<(), Failure> {
        // SAFETY: the kernel gave body and closure for exactly this, and waits until all tasks are done.
        worker.task(|| unsafe { (self.body)(cx, self.closure, task as i64, self.tasks as i64) })
    }
}

/// Bits of a slot's control word; the bits from `VISITOR` on count the visitors.
pub(super) const CLAIMED: u64 = 1;
pub(super) const OPEN: u64 = 2;
pub(super) const WAITING: u64 = 4;
pub(super) const FAILED: u64 = 8;
pub(super) const VISITOR: u64 = 16;

/// Of the tasks that nobody has begun, a thread takes one part in so many, times the number of threads, at once.
const BATCHES: u64 = 4;

/// A slot for a region. The fields that every handover touches share a cache line, which is not that of the next slot.
#[repr(align(128))]
pub(super) struct Slot {
    pub(super) control: AtomicU64,
    /// The first task that nobody has taken.
    next: AtomicU64,
    /// The region's tasks, also for those who have not entered: a hint, which is right once they have seen `published`.
    tasks: AtomicU64,
    region: UnsafeCell<Option<Region>>,
    /// The failure of the task with the smallest number, if `control` has `FAILED`.
    pub(super) failure: Mutex<Option<(u64, Failure)>>,
}

// SAFETY: `region` is written by the owner while `control` is `CLAIMED`, when nobody else reads it, and read by
// those whom `control` counts; the orderings at its changes are stated there. The closure's address in it goes to the
// kernel's own code, whose tasks may run on any thread.
unsafe impl Sync for Slot {}

impl Slot {
    pub(super) const fn new() -> Self {
        Self {
            control: AtomicU64::new(0),
            next: AtomicU64::new(0),
            tasks: AtomicU64::new(0),
            region: UnsafeCell::new(None),
            failure: Mutex::new(None),
        }
    }

    /// Makes a claimed slot an open region.
    pub(super) fn open(&self, region: Region) {
        self.next.store(0, Ordering::Relaxed);
        self.tasks.store(region.tasks, Ordering::Relaxed);
        // SAFETY: the slot is claimed by this thread.
        unsafe { *self.region.get() = Some(region) };
        // Releases the fields to those who enter.
        self.control.store(CLAIMED | OPEN, Ordering::Release);
    }

    /// Counts this thread among the visitors, if there seem to be tasks to begin.
    pub(super) fn enter(&self) -> Option<Region> {
        let mut control = self.control.load(Ordering::Relaxed);
        while control & OPEN != 0 && self.left_to_begin() > 0 {
            let entered =
                self.control.compare_exchange_weak(control, control + VISITOR, Ordering::SeqCst, Ordering::Relaxed);
            match entered {
                // SAFETY: we are a visitor, so that the region is there and stays.
                Ok(_) => return unsafe { *self.region.get() },
                Err(changed) => control = changed,
            }
        }
        None
    }

    pub(super) fn left_to_begin(&self) -> u64 {
        self.tasks.load(Ordering::Relaxed).saturating_sub(self.next.load(Ordering::Relaxed))
    }

    pub(super) fn visitors(&self) -> u64 {
        self.control.load(Ordering::Relaxed) / VISITOR
    }

    /// Runs tasks until none is left to begin, together with `threads - 1` others at most. For the owner and for
    /// visitors.
    pub(super) fn work(&self, region: &Region, threads: u64, cx: &KernelCx, worker: &Worker) {
        loop {
            // Many at once while many are left: neighbours are often neighbours in memory. Few towards the end, so that
            // all threads end at about the same time.
            let batch = (self.left_to_begin() / (threads * BATCHES)).max(1);
            let first = self.next.fetch_add(batch, Ordering::Relaxed);
            if first >= region.tasks {
                return;
            }
            for task in first..region.tasks.min(first + batch) {
                if let Err(failure) = region.task(cx, worker, task) {
                    self.fail(region, task, failure);
                    break;
                }
            }
        }
    }

    /// Fails the next task, if one is left, for a visitor that cannot work. Only to leave would not do: it would find
    /// the same region again and again.
    pub(super) fn give_up(&self, region: &Region, failure: Failure) {
        let task = self.next.fetch_add(1, Ordering::Relaxed);
        if task < region.tasks {
            self.fail(region, task, failure);
        }
    }

    fn fail(&self, region: &Region, task: u64, failure: Failure) {
        self.next.fetch_max(region.tasks, Ordering::Relaxed);
        let mut first = lock(&self.failure);
        if first.as_ref().is_none_or(|(other, _)| task < *other) {
            *first = Some((task, failure));
        }
        self.control.fetch_or(FAILED, Ordering::Relaxed);
    }
}
