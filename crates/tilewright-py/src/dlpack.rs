//! DLPack's Python side: tensors to and from capsules.
//!
//! A capsule named `dltensor` or `dltensor_versioned` owns the structure in it; who takes the structure renames the
//! capsule to `used_…`, and then owns it. The structures themselves are `tilewright_tensor`'s. A class may offer a
//! table of C functions that do the same without a capsule.

use std::ffi::{CStr, c_void};
use std::ptr::{self, NonNull};

use pyo3::exceptions::{PyAttributeError, PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyType};
use tilewright::Tensor;
use tilewright::runtime::Device;
use tilewright::runtime::fork::Lock;
use tilewright::tensor::dlpack::{DLManagedTensor, DLManagedTensorVersioned, DLPackExchangeAPI, VERSION};

use crate::error;
use crate::kept::{Once, word};
use crate::value::runtime_error;

const PLAIN: &CStr = c"dltensor";
const PLAIN_USED: &CStr = c"used_dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";
const VERSIONED_USED: &CStr = c"used_dltensor_versioned";
const EXCHANGE: &CStr = c"dlpack_exchange_api";

/// A capsule for a consumer of at most `max_version`; without one the unversioned structure, which cannot say that
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
            release(ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast());
        }
    }
}

/// Whether a Python object can hand out a tensor.
pub(crate) fn is_exporter(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(matches!(exporter(value)?, Exporter::Table(_)) || value.hasattr(word!(value.py(), "__dlpack__"))?)
}

/// The tensor of an object with `__dlpack__`; none for any other object.
pub(crate) fn import_if_exporter(value: &Bound<'_, PyAny>) -> PyResult<Option<Tensor>> {
    if let Exporter::Table(table) = exporter(value)?
        && let Some(tensor) = import_by_table(value, table)?
    {
        return usable(value.py(), tensor).map(Some);
    }
    match value.getattr_opt(word!(value.py(), "__dlpack__"))? {
        Some(method) => usable(value.py(), import_by_method(value, &method)?).map(Some),
        None => Ok(None),
    }
}

/// The tensor, if it is on a device that this build can use.
fn usable(py: Python<'_>, tensor: Tensor) -> PyResult<Tensor> {
    if tensor.is_on_host() {
        return Ok(tensor);
    }
    match Device::of(&tensor).and_then(Device::require) {
        Ok(()) => Ok(tensor),
        Err(error) => Err(runtime_error(py, error)),
    }
}

/// A tensor over the memory of any object with `__dlpack__`.
pub(crate) fn import(value: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    match import_if_exporter(value)? {
        Some(tensor) => Ok(tensor),
        None => {
            let cause = PyAttributeError::new_err("no attribute `__dlpack__`");
            Err(not_shared(value, cause))
        }
    }
}

fn not_shared(value: &Bound<'_, PyAny>, cause: PyErr) -> PyErr {
    let class = value.get_type().name().map_or_else(|_| "exporter".to_owned(), |name| name.to_string());
    error::refused(value.py(), format_args!("the {class} does not share its memory through DLPack"), cause)
}

/// Asks for the versioned structure, because read-only arrays of NumPy give no other; an exporter that does not know
/// that argument is asked without it.
fn import_by_method(value: &Bound<'_, PyAny>, method: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    static OPTIONS: Once<Py<PyDict>> = Once::new();
    let py = value.py();
    let options = OPTIONS.get_or_try_init(py, || {
        let options = PyDict::new(py);
        options.set_item(word!(py, "max_version"), (VERSION.major, VERSION.minor))?;
        PyResult::Ok(options.unbind())
    })?;
    let capsule = match method.call((), Some(options.bind(py))) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => method.call0(),
        outcome => outcome,
    };
    take(&capsule.map_err(|cause| not_shared(value, cause))?)
}

/// The way in which a class's objects export.
#[derive(Clone, Copy)]
enum Exporter {
    /// By functions of C besides `__dlpack__`, which do in a tenth of a microsecond what takes the method several.
    Table(Table),
    /// By nothing but the method, if at all.
    Method,
}

/// A table of a class, which lives as long as the class.
#[derive(Clone, Copy)]
struct Table(*const DLPackExchangeAPI);

// SAFETY: the table is constant; its functions are called with the GIL held.
unsafe impl Send for Table {}

/// Classes that are remembered: a program has arrays of few.
const MAX_CLASSES: usize = 16;

/// How the object's class exports. What a class of arrays said is remembered, with a reference to the class.
fn exporter(value: &Bound<'_, PyAny>) -> PyResult<Exporter> {
    static KNOWN: Lock<Vec<(Py<PyType>, Exporter)>> = Lock::new(Vec::new());
    // SAFETY: the type of a live object, which keeps it alive.
    let class = unsafe { ffi::Py_TYPE(value.as_ptr()) };
    if let Some((_, exporter)) = KNOWN.lock().iter().find(|(known, _)| known.as_ptr() == class.cast()) {
        return Ok(*exporter);
    }
    let class = value.get_type();
    let exporter = match class.getattr_opt(word!(value.py(), "__dlpack_c_exchange_api__"))? {
        Some(capsule) => table(&capsule).map_or(Exporter::Method, Exporter::Table),
        None if class.hasattr(word!(value.py(), "__dlpack__"))? => Exporter::Method,
        None => return Ok(Exporter::Method),
    };
    let mut known = KNOWN.lock();
    if known.len() < MAX_CLASSES {
        known.push((class.unbind(), exporter));
    }
    Ok(exporter)
}

/// The newest table of the capsule that this version knows.
fn table(capsule: &Bound<'_, PyAny>) -> Option<Table> {
    let object = capsule.as_ptr();
    // SAFETY: a live object, whose name is checked before the pointer is read; by the protocol of that name the pointer
    // is that of a table, or of the first of several, that is never freed.
    unsafe {
        if ffi::PyCapsule_IsValid(object, EXCHANGE.as_ptr()) != 1 {
            return None;
        }
        let mut table = ffi::PyCapsule_GetPointer(object, EXCHANGE.as_ptr()).cast::<DLPackExchangeAPI>().cast_const();
        while !table.is_null() && (*table).version.major > VERSION.major {
            table = (*table).previous;
        }
        (!table.is_null() && (*table).version.major == VERSION.major).then_some(Table(table))
    }
}

/// The tensor by the class's function; none where the method is to be asked: it refuses what must not be shared, such
/// as tensors that record gradients, and says why.
fn import_by_table(value: &Bound<'_, PyAny>, table: Table) -> PyResult<Option<Tensor>> {
    let py = value.py();
    let records = value.getattr_opt(word!(py, "requires_grad"))?;
    // SAFETY: the table lives as long as the class, which is remembered.
    let Some(export) = (unsafe { (*table.0).managed_tensor_from_py_object_no_sync }) else { return Ok(None) };
    if records.is_some_and(|records| !records.is(PyBool::new(py, false))) {
        return Ok(None);
    }
    let mut managed = ptr::null_mut();
    // SAFETY: the object is of the class that the table is of, and the GIL is held.
    if unsafe { export(value.as_ptr().cast(), &mut managed) } != 0 || managed.is_null() {
        drop(PyErr::take(py));
        return Ok(None);
    }
    // SAFETY: the function gave us a structure of this version, which has no other owner.
    let tensor = unsafe { Tensor::from_dlpack_versioned(managed) };
    tensor.map(Some).map_err(|e| {
        // SAFETY: a structure that was refused still belongs to us.
        unsafe { release(managed) };
        error::tensor(py, &e)
    })
}

/// # Safety
/// The structure belongs to the caller, who does not use it any more.
unsafe fn release(managed: *mut DLManagedTensorVersioned) {
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(deleter) = (*managed).deleter {
            deleter(managed);
        }
    }
}

/// Takes the structure out of a capsule.
fn take(capsule: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let py = capsule.py();
    let object = capsule.as_ptr();
    // SAFETY: `object` is a live Python object; the name is checked before the pointer is read, the structure is valid
    // by the protocol of that name, and the capsule is renamed once the structure is ours, so that no one else
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
            return Err(error::wrong_type("expected an unused DLPack capsule from `__dlpack__`", capsule));
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
