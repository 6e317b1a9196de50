//! The runtime as a shared library for C: `include/tilewright.h` says what each function does.
//!
//! Reading order: `handle` (a session with what C sees of it), `tensor` (tensors both ways), then the functions here.
//!
//! Invariants: no panic crosses into C; a function that fails has set the message of [`tw_last_error`]. This crate
//! links the runtime and no compiler.

mod handle;
mod tensor;

use std::cell::RefCell;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use tilewright_runtime::{Executable, Session, set_num_threads};

pub use handle::{Handle, Spec};
pub use tensor::CTensor;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

type Outcome<T> = Result<T, String>;

/// What `body` gives; where it fails, `failed`, and the reason is kept for [`tw_last_error`].
fn guarded<T>(failed: T, body: impl FnOnce() -> Outcome<T>) -> T {
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        Err("the library made a mistake: this is a defect of Tilewright, please report it".to_owned())
    });
    outcome.unwrap_or_else(|message| {
        let message = CString::new(message.replace('\0', "\\0")).unwrap_or_default();
        LAST_ERROR.with(|last| *last.borrow_mut() = message);
        failed
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn tw_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[unsafe(no_mangle)]
pub extern "C" fn tw_last_error() -> *const c_char {
    LAST_ERROR.with(|last| last.borrow().as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn tw_dtype_bytes(dtype: c_int) -> usize {
    tensor::dtype_of(dtype).map_or(0, |dtype| dtype.element_bytes())
}

#[unsafe(no_mangle)]
pub extern "C" fn tw_set_num_threads(threads: usize) {
    guarded((), || {
        set_num_threads(threads);
        Ok(())
    })
}

/// # Safety
/// `path` is NULL or a string of C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_session_open(path: *const c_char) -> *mut Handle {
    guarded(ptr::null_mut(), || {
        if path.is_null() {
            return Err("the path is NULL".to_owned());
        }
        // SAFETY: a string of C, by the caller's promise.
        let path = unsafe { CStr::from_ptr(path) };
        let session = Session::open(path_of(path)?).map_err(|error| error.to_string())?;
        Ok(Box::into_raw(Box::new(Handle::new(session)?)))
    })
}

#[cfg(unix)]
fn path_of(path: &CStr) -> Outcome<&OsStr> {
    use std::os::unix::ffi::OsStrExt;
    Ok(OsStr::from_bytes(path.to_bytes()))
}

#[cfg(not(unix))]
fn path_of(path: &CStr) -> Outcome<&OsStr> {
    path.to_str().map(OsStr::new).map_err(|_| "the path is not UTF-8".to_owned())
}

/// # Safety
/// `bytes` is NULL or has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_session_from_bytes(bytes: *const c_void, size: usize) -> *mut Handle {
    guarded(ptr::null_mut(), || {
        // SAFETY: so many bytes, by the caller's promise.
        let bytes = unsafe { tensor::slice(bytes.cast::<u8>(), size) }.ok_or("the bytes are NULL")?;
        let session = Executable::load_copy(bytes).and_then(|executable| Session::new(executable.into()));
        Ok(Box::into_raw(Box::new(Handle::new(session.map_err(|error| error.to_string())?)?)))
    })
}

/// # Safety
/// `session` is NULL or from an `open`, not closed before and not in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_session_close(session: *mut Handle) {
    if !session.is_null() {
        // SAFETY: a box of `tw_session_open`, which nobody else has.
        let session = unsafe { Box::from_raw(session) };
        guarded((), || {
            drop(session);
            Ok(())
        });
    }
}

/// # Safety
/// `session` is NULL or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_session_num_inputs(session: *const Handle) -> usize {
    // SAFETY: by the caller's promise.
    unsafe { session.as_ref() }.map_or(0, |session| session.inputs().len())
}

/// # Safety
/// `session` is NULL or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_session_num_outputs(session: *const Handle) -> usize {
    // SAFETY: by the caller's promise.
    unsafe { session.as_ref() }.map_or(0, |session| session.outputs().len())
}

/// # Safety
/// `session` is NULL or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_session_input(session: *const Handle, index: usize) -> *const Spec {
    // SAFETY: by the caller's promise.
    unsafe { session.as_ref() }.and_then(|session| session.inputs().get(index)).map_or(ptr::null(), ptr::from_ref)
}

/// # Safety
/// `session` is NULL or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_session_output(session: *const Handle, index: usize) -> *const Spec {
    // SAFETY: by the caller's promise.
    unsafe { session.as_ref() }.and_then(|session| session.outputs().get(index)).map_or(ptr::null(), ptr::from_ref)
}

/// # Safety
/// `session` is NULL or open; `inputs` and `outputs` have as many tensors as is said, whose shapes have `rank` sizes
/// and whose data have all elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_session_run(
    session: *const Handle,
    inputs: *const CTensor,
    num_inputs: usize,
    outputs: *mut CTensor,
    num_outputs: usize,
) -> c_int {
    guarded(1, || {
        // SAFETY: by the caller's promise.
        let (session, inputs) = unsafe { (session.as_ref(), tensor::slice(inputs, num_inputs)) };
        let session = session.ok_or("the session is NULL")?;
        let inputs = inputs.ok_or("the inputs are NULL")?;
        // SAFETY: as above; nobody else has the outputs.
        let outputs = unsafe { tensor::slice_mut(outputs, num_outputs) }.ok_or("the outputs are NULL")?;
        // SAFETY: as above.
        unsafe { session.run(inputs, outputs) }.map(|()| 0)
    })
}

/// # Safety
/// `tensor` is NULL, or a tensor that is the caller's or a result that was not given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_tensor_release(tensor: *mut CTensor) {
    // SAFETY: by the caller's promise.
    if let Some(tensor) = unsafe { tensor.as_mut() } {
        guarded((), || {
            // SAFETY: as above.
            unsafe { tensor.release() };
            Ok(())
        });
    }
}
