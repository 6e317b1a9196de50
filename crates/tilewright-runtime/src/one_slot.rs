//! A lock-free cache of one idle object.
//!
//! It holds an object that each call takes and gives back: taking it is one atomic operation, and giving it back is
//! another. Where several threads call at once, one finds it, and the others use the slower allocation that they would
//! use without this cache. A child of `fork` finds it as it was, or empty.

use std::marker::PhantomData;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A box, or nothing. Like a lock, it may be shared between threads if its contents may be sent to another thread.
#[derive(Debug)]
pub(crate) struct OneSlot<T>(AtomicPtr<T>, PhantomData<Mutex<T>>);

impl<T> Default for OneSlot<T> {
    fn default() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()), PhantomData)
    }
}

impl<T> OneSlot<T> {
    pub(crate) fn take(&self) -> Option<Box<T>> {
        // The common case of nothing needs no exclusive access to the memory.
        if self.0.load(Ordering::Relaxed).is_null() {
            return None;
        }
        let found = self.0.swap(ptr::null_mut(), Ordering::Acquire);
        // SAFETY: what stands here came from `Box::into_raw` in `put`, and whoever swaps it out is the only one to have
        // it.
        (!found.is_null()).then(|| unsafe { Box::from_raw(found) })
    }

    /// Stores the box; gives it back if there is one already.
    pub(crate) fn put(&self, value: Box<T>) -> Option<Box<T>> {
        let raw = Box::into_raw(value);
        match self.0.compare_exchange(ptr::null_mut(), raw, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => None,
            // SAFETY: the address was made by `Box::into_raw` above, and did not get where others see it.
            Err(_) => Some(unsafe { Box::from_raw(raw) }),
        }
    }
}

impl<T> Drop for OneSlot<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn there_is_room_for_one() {
        let slot = OneSlot::default();
        assert!(slot.take().is_none());
        assert!(slot.put(Box::new(1)).is_none());
        assert_eq!(slot.put(Box::new(2)).as_deref(), Some(&2));
        assert_eq!(slot.take().as_deref(), Some(&1));
        assert!(slot.take().is_none());
    }

    #[test]
    fn the_contents_are_dropped_with_the_slot() {
        let value = Arc::new(());
        let slot = OneSlot::default();
        assert!(slot.put(Box::new(Arc::clone(&value))).is_none());
        drop(slot);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn each_box_is_with_one_thread_at_a_time() {
        let (slot, made) = (OneSlot::<AtomicUsize>::default(), AtomicUsize::new(0));
        let work = || {
            for _ in 0..2_000 {
                let found = slot.take().unwrap_or_else(|| {
                    made.fetch_add(1, Ordering::Relaxed);
                    Box::default()
                });
                assert_eq!(found.swap(1, Ordering::Relaxed), 0);
                std::hint::spin_loop();
                found.store(0, Ordering::Relaxed);
                drop(slot.put(found));
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
        assert!(made.into_inner() > 0);
    }
}
