//! DLPack's Python side: tensors to and from capsules.
//!
//! A capsule named `dltensor` or `dltensor_versioned` owns the structure in it; who takes the structure renames the
//! capsule to `used_…`, and then owns it. The structures themselves are `tilewright_tensor`'s.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use pyo3::{ffi, intern};
use tilewright::Tensor;
use tilewright::tensor::dlpack::{DLManagedTensor, DLManagedTensorVersioned, VERSION};

use crate::error;

const PLAIN: &CStr = c"dltensor";
const PLAIN_USED: &CStr = c"used_dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";
const VERSIONED_USED: &CStr = c"used_dltensor_versioned";

/// A capsule for whoever asked for at most `max_version`; without one the unversioned structure, which cannot say that
/// a tensor is read-only and therefore refuses one.
pub(crate) fn export(
    py: Python<'_>,
    tensor: Tensor,
    max_version: Option<(u32, u32)>,
) -> PyResult<Bound<'_, PyCapsule>> {
    let versioned = max_version.is_some_and(|(major, _)| major >= VERSION.major);
    if versioned {
        let managed = tensor.into_dlpack_versioned();
        let Some(address) = NonNull::new(managed.cast::<c_void>()) else { return Err(null()) };
        // SAFETY: the structure is ours until its deleter runs, which `drop_versioned` calls unless it was taken.
        return unsafe { PyCapsule::new_with_pointer_and_destructor(py, address, VERSIONED, Some(drop_versioned)) };
    }
    let managed =
        tensor.into_dlpack().map_err(|e| PyBufferError::new_err(format!("{e}: ask for max_version=(1, 0)")))?;
    let Some(address) = NonNull::new(managed.cast::<c_void>()) else { return Err(null()) };
    // SAFETY: as above, with `drop_plain`.
    unsafe { PyCapsule::new_with_pointer_and_destructor(py, address, PLAIN, Some(drop_plain)) }
}

fn null() -> PyErr {
    PyBufferError::new_err("the tensor has no DLPack structure")
}

/// # Safety
/// Called by Python with a capsule that is about to go.
unsafe extern "C" fn drop_plain(capsule: *mut ffi::PyObject) {
    // SAFETY: the capsule is alive during this call; a name other than `dltensor` means that the structure was taken.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, PLAIN.as_ptr()) == 1 {
            let managed = ffi::PyCapsule_GetPointer(capsule, PLAIN.as_ptr()).cast::<DLManagedTensor>();
            if let Some(deleter) = (*managed).deleter {
                deleter(managed);
            }
        }
    }
}

/// # Safety
/// As for [`drop_plain`].
unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: as in `drop_plain`.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) == 1 {
            let managed = ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast::<DLManagedTensorVersioned>();
            if let Some(deleter) = (*managed).deleter {
                deleter(managed);
            }
        }
    }
}

/// Whether a Python object can hand out a tensor.
pub(crate) fn is_exporter(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.hasattr(intern!(value.py(), "__dlpack__"))
}

/// A tensor over the memory of any object with `__dlpack__`. The versioned structure is asked for, because read-only
/// arrays of NumPy give no other; an exporter that does not know that argument is asked without it.
pub(crate) fn import(value: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let py = value.py();
    let options = PyDict::new(py);
    options.set_item(intern!(py, "max_version"), (VERSION.major, VERSION.minor))?;
    let name = intern!(py, "__dlpack__");
    let capsule = match value.call_method(name, (), Some(&options)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => value.call_method0(name),
        outcome => outcome,
    };
    let capsule = capsule.map_err(|cause| {
        let class = value.get_type().name().map_or_else(|_| "exporter".to_owned(), |name| name.to_string());
        error::refused(py, format_args!("the {class} does not share its memory through DLPack"), cause)
    })?;
    take(&capsule)
}

/// Takes the structure out of a capsule.
fn take(capsule: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let py = capsule.py();
    let object = capsule.as_ptr();
    // SAFETY: `object` is a live Python object; the name is checked before the pointer is read, the structure is valid
    // by the protocol that the name stands for, and the capsule is renamed once the structure is ours, so that nobody
    // takes or frees it a second time.
    let taken = unsafe {
        if ffi::PyCapsule_IsValid(object, VERSIONED.as_ptr()) == 1 {
            let managed = ffi::PyCapsule_GetPointer(object, VERSIONED.as_ptr()).cast();
            let tensor = Tensor::from_dlpack_versioned(managed);
            tensor.inspect(|_| rename(object, VERSIONED_USED))
        } else if ffi::PyCapsule_IsValid(object, PLAIN.as_ptr()) == 1 {
            let managed = ffi::PyCapsule_GetPointer(object, PLAIN.as_ptr()).cast();
            let tensor = Tensor::from_dlpack(managed);
            tensor.inspect(|_| rename(object, PLAIN_USED))
        } else {
            return Err(error::wrong_type("expected a DLPack capsule that nobody has used from `__dlpack__`", capsule));
        }
    };
    taken.map_err(|e| error::tensor(py, &e))
}

/// # Safety
/// `capsule` is a live capsule.
unsafe fn rename(capsule: *mut ffi::PyObject, name: &'static CStr) {
    // SAFETY: the caller's promise; the name lives for ever. Renaming a live capsule cannot fail.
    unsafe { ffi::PyCapsule_SetName(capsule, name.as_ptr()) };
}
