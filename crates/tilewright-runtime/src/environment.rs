//! Settings from the environment. One that cannot be read has no effect, of which the user hears once, on standard
//! error: there is nobody else to tell.

#[cfg(unix)]
use std::ffi::CStr;
use std::ffi::OsStr;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
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

/// The program or the library that this code is a part of.
#[cfg(unix)]
pub fn own_file() -> Option<PathBuf> {
    let mut found = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: the address is one of this code, and `found` is a place for the answer.
    let is_known = unsafe { libc::dladdr(own_file as *const libc::c_void, &mut found) } != 0;
    if !is_known || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a string of the loader, which stays as long as this code.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    let path = PathBuf::from(OsStr::from_bytes(name.to_bytes()));
    // A program has the name by which it was started.
    if path.is_absolute() { Some(path) } else { std::env::current_exe().ok() }
}

/// The program that this code is a part of.
#[cfg(not(unix))]
pub fn own_file() -> Option<PathBuf> {
    std::env::current_exe().ok()
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
