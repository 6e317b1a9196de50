//! Work on all processors.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The results of `work` for each item, in the items' order, computed on all processors that the process may use.
pub fn parallel_map<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    // Asking how many processors there are reads files, which takes longer than many a single item.
    if let [only] = items {
        return vec![work(only)];
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(items.len()));
    let serve = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            let made = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, made));
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    thread::scope(|scope| {
        for _ in 1..threads {
            // Without a further thread, this one does all the work.
            let _ = thread::Builder::new().spawn_scoped(scope, serve);
        }
        serve();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).collect();
        assert_eq!(parallel_map(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(parallel_map(&[], |item: &u64| *item).is_empty());
    }
}
