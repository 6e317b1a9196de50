//! Settings from the environment. One that cannot be read has no effect, of which the user hears once, on standard
//! error: there is nobody else to tell.

use std::ffi::OsStr;
use std::sync::Mutex;

/// Every variable that is read.
pub const VARIABLES: [&str; 6] = [
    "TILEWRIGHT_AFFINITY",
    "TILEWRIGHT_CACHE_BYTES",
    "TILEWRIGHT_CACHE_DIR",
    "TILEWRIGHT_GDB",
    "TILEWRIGHT_NUM_THREADS",
    "TILEWRIGHT_PERF",
];

/// The value of a variable, as `read` understands its text; none where it is not set, is empty, or is not what
/// `expected` says.
pub fn setting<T>(variable: &'static str, expected: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let text = std::env::var_os(variable).filter(|text| !text.is_empty())?;
    let value = text.to_str().and_then(|text| read(text.trim()));
    if value.is_none() {
        complain(variable, &text, expected);
    }
    value
}

/// A switch: 0 or 1.
pub(crate) fn switch(variable: &'static str) -> Option<bool> {
    setting(variable, "0 or 1", |text| match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    })
}

/// The user whose rights the process has.
#[cfg(unix)]
pub fn user() -> u32 {
    // SAFETY: reads a number.
    unsafe { libc::geteuid() }
}

/// Tells the user that a variable has no effect, once for each.
pub fn complain(variable: &'static str, text: &OsStr, expected: &str) {
    static TOLD: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    // In a process that was forked while another thread held the lock, nobody ever frees it.
    let Ok(mut told) = TOLD.try_lock() else { return };
    if !told.contains(&variable) {
        told.push(variable);
        eprintln!("warning: {variable}={} has no effect: expected {expected}", text.display());
    }
}
