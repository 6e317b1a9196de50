//! Python objects that Rust keeps, such that a child of `fork` never waits.
//!
//! PyO3 has locks of its own, of which `tilewright::runtime::fork` knows nothing: a child may find one taken by a
//! thread that it does not have, and wait for it for ever. Hence objects that may be dropped without the GIL are
//! [`Kept`], lazily made ones are [`Once`] or a [`word!`], and [`fill_cells`] fills PyO3's own cells before any fork.

use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyMapping, PySequence, PyString, PyType};
use pyo3::wrap_pyfunction;
use tilewright::IRModule;

use crate::module::PyModule;
use crate::tensor::data_type_parts;

/// A Python object, or an exception, that takes the GIL to go wherever it is dropped.
///
/// PyO3 would put it, under a lock, on a list for whoever has the GIL next. As tensors of other libraries do, objects
/// go outside of all locks of the runtime: whoever has the GIL may wait for one of those.
pub(crate) struct Kept<T>(ManuallyDrop<T>);

impl<T> Kept<T> {
    pub(crate) fn new(object: T) -> Self {
        Self(ManuallyDrop::new(object))
    }
}

impl<T> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Drop for Kept<T> {
    fn drop(&mut self) {
        // Without an interpreter there is nothing to give the object back to.
        Python::try_attach(|_| {
            // SAFETY: this is the only drop, and `self` is not used afterwards.
            unsafe { ManuallyDrop::drop(&mut self.0) }
        });
    }
}

impl fmt::Debug for Kept<PyErr> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Kept<PyErr> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl Error for Kept<PyErr> {}

/// A value that is made on first use, by one of the threads that come first.
///
/// PyO3's own cell lets go of the GIL after a thread has begun to fill it. This one is filled in one go under the GIL,
/// which whoever forks from Python has too.
pub(crate) struct Once<T>(OnceLock<T>);

impl<T> Once<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The value. Several threads may make one; the first stays.
    pub(crate) fn get_or_try_init<E>(&self, _py: Python<'_>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(value) = self.0.get() {
            return Ok(value);
        }
        let made = make()?;
        Ok(self.0.get_or_init(|| made))
    }
}

impl Once<Py<PyType>> {
    /// The class of this name.
    pub(crate) fn import<'py>(&self, py: Python<'py>, module: &str, name: &str) -> PyResult<&Bound<'py, PyType>> {
        let import = || PyResult::Ok(py.import(module)?.getattr(name)?.cast_into()?.unbind());
        Ok(self.get_or_try_init(py, import)?.bind(py))
    }
}

impl Once<Py<PyString>> {
    /// The name as a string of Python's.
    pub(crate) fn name<'py>(&self, py: Python<'py>, name: &'static str) -> &Bound<'py, PyString> {
        let Ok(made) = self.get_or_try_init(py, || Ok::<_, Infallible>(PyString::intern(py, name).unbind()));
        made.bind(py)
    }
}

/// The name of an attribute or an argument, as a string of Python's that is made once.
macro_rules! word {
    ($py:expr, $name:literal) => {{
        static WORD: $crate::kept::Once<pyo3::Py<pyo3::types::PyString>> = $crate::kept::Once::new();
        WORD.name($py, $name)
    }};
}
pub(crate) use word;

/// Fills those cells of PyO3's that calls of this extension come to, while the module is imported.
pub(crate) fn fill_cells(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<PyModule>();
    class.name()?;
    class.fully_qualified_name()?;
    // A function tells an exception which argument raised it.
    let _ = wrap_pyfunction!(data_type_parts, py)?.call1((py.None(),));
    // A class with attributes of its own asks Python for its version.
    Bound::new(py, PyModule::of(IRModule::new()))?;
    // Sequences and mappings that are none of Python's own are asked what they are.
    PyList::empty(py).try_iter()?.size_hint();
    let other = py.None().into_bound(py);
    let _ = (other.cast::<PySequence>(), other.cast::<PyMapping>());
    Ok(())
}
