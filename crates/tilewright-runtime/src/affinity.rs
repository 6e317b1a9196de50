//! On which processors the pool's workers run.
//!
//! The user's choice is process-wide, like the pool. Without one, a worker may run wherever the process may, even if
//! the thread that first needed it is bound to a single processor, as host programs like to do with theirs.

use crate::environment::setting;
use crate::error::{ErrorKind, Result};
use crate::fork::Lock;
use crate::pool;

pub(crate) use system::{ThreadId, this_thread};

/// The user's processors; none before the environment was looked at.
static CHOSEN: Lock<Option<Vec<usize>>> = Lock::new(None);

/// Binds workers to processors: the n-th worker, counted from 1, to `processors[n % processors.len()]`. The first entry
/// is the calling thread's, which belongs to the host program and is left as it is. No processors at all set the
/// workers free. All have to be among [`available_processors`].
///
/// Without a call, the environment's `TILEWRIGHT_AFFINITY` counts: numbers and ranges such as `0-3,8`, of which those
/// that the process may not use are left out.
pub fn set_affinity(processors: &[usize]) -> Result<()> {
    let available = available_processors();
    if let Some(missing) = processors.iter().find(|processor| !available.contains(processor)) {
        let message = format!("processor {missing} is not among those that the process may use: {available:?}");
        let (function, argument) = ("set_affinity".to_owned(), "processors".to_owned());
        return Err(ErrorKind::Argument { function, argument, message }.into());
    }
    *CHOSEN.lock() = Some(processors.to_vec());
    pool::resize();
    Ok(())
}

/// The processors that the process may use, by the system's numbers; none where the system does not say.
pub fn available_processors() -> Vec<usize> {
    system::processors(system::process())
}

/// The user's processors; none for no choice.
fn chosen() -> Vec<usize> {
    if let Some(chosen) = &*CHOSEN.lock() {
        return chosen.clone();
    }
    let found = from_environment();
    CHOSEN.lock().get_or_insert(found).clone()
}

/// The processors that the environment names, with one warning if they cannot be read.
pub(crate) fn named_in_environment() -> Option<Vec<usize>> {
    setting("TILEWRIGHT_AFFINITY", "numbers and ranges of processors such as 0-3,8", parse)
}

fn from_environment() -> Vec<usize> {
    let mut processors = named_in_environment().unwrap_or_default();
    let available = available_processors();
    processors.retain(|processor| available.contains(processor));
    processors
}

/// Numbers and ranges with commas between them.
fn parse(text: &str) -> Option<Vec<usize>> {
    const MOST: usize = 1 << 20;
    let mut processors = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last > MOST {
            return None;
        }
        processors.extend(first..=last);
    }
    Some(processors)
}

/// Threads of a region, if nobody says how many.
pub(crate) fn default_threads() -> usize {
    match chosen().len() {
        0 => allowed_count(),
        processors => processors,
    }
}

/// Processors that the process may use, at least one.
pub(crate) fn allowed_count() -> usize {
    let process = available_processors();
    // The standard library knows about quotas too, but asks for the calling thread.
    let by_thread = std::thread::available_parallelism().map_or(1, usize::from);
    if system::processors(this_thread()) == process { by_thread } else { process.len().max(1) }
}

/// Sets the affinity of a worker. If the system refuses, the worker stays where it is.
pub(crate) fn place(thread: ThreadId, number: usize) {
    let chosen = chosen();
    if chosen.is_empty() {
        system::bind(thread, &available_processors());
    } else {
        system::bind(thread, &[chosen[number % chosen.len()]]);
    }
}

#[cfg(target_os = "linux")]
mod system {
    /// A thread by the system's number. That of the process is its first thread's.
    pub(crate) type ThreadId = libc::pid_t;

    pub(crate) fn this_thread() -> ThreadId {
        // SAFETY: reads a number.
        unsafe { libc::gettid() }
    }

    pub(super) fn process() -> ThreadId {
        // SAFETY: reads a number.
        unsafe { libc::getpid() }
    }

    /// The processors that a thread may use.
    pub(super) fn processors(thread: ThreadId) -> Vec<usize> {
        // SAFETY: a set is plain bits, for which zero is fine, and the call writes at most its size.
        unsafe {
            let mut set = std::mem::zeroed::<libc::cpu_set_t>();
            if libc::sched_getaffinity(thread, size_of_val(&set), &mut set) != 0 {
                return Vec::new();
            }
            (0..libc::CPU_SETSIZE as usize).filter(|&processor| libc::CPU_ISSET(processor, &set)).collect()
        }
    }

    /// Lets a thread run on these processors only; nothing if there are none.
    pub(super) fn bind(thread: ThreadId, processors: &[usize]) {
        // SAFETY: as above; numbers beyond the set's size are left out.
        unsafe {
            let mut set = std::mem::zeroed::<libc::cpu_set_t>();
            for &processor in processors.iter().filter(|&&processor| processor < libc::CPU_SETSIZE as usize) {
                libc::CPU_SET(processor, &mut set);
            }
            libc::sched_setaffinity(thread, size_of_val(&set), &set);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    /// Threads have no numbers that this crate knows how to use.
    #[derive(Clone, Copy, PartialEq)]
    pub(crate) struct ThreadId;

    pub(crate) fn this_thread() -> ThreadId {
        ThreadId
    }

    pub(super) fn process() -> ThreadId {
        ThreadId
    }

    pub(super) fn processors(_thread: ThreadId) -> Vec<usize> {
        Vec::new()
    }

    pub(super) fn bind(_thread: ThreadId, _processors: &[usize]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_numbers_and_ranges() {
        assert_eq!(parse("0-3,8, 6"), Some(vec![0, 1, 2, 3, 8, 6]));
        assert_eq!(parse("5"), Some(vec![5]));
        for wrong in ["", "a", "3-1", "1-", "-2", "0-99999999999", "1,,2"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_processor_that_is_not_there_is_refused() {
        let error = set_affinity(&[usize::MAX]).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("set_affinity: processors: processor {} is not among", usize::MAX)),
            "{error}"
        );
    }
}
