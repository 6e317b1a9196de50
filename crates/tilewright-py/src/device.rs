//! `Device`, and the threads that kernels use.

use pyo3::prelude::*;
use tilewright::runtime::{self, DeviceKind};

use crate::value::runtime_error;
use crate::{argument, error};

/// A memory space for tensors: a kind of device and its index.
#[pyclass(frozen, eq, hash, from_py_object, module = "tilewright.runtime.device")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Device(pub(crate) runtime::Device);

impl Device {
    /// An error unless tensors can live here in this version.
    pub(crate) fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.0.require().map_err(|e| error::general(py, e))
    }
}

#[pymethods]
impl Device {
    #[new]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = argument::kind)] kind: String,
        #[pyo3(from_py_with = argument::index)] index: i64,
    ) -> PyResult<Self> {
        let Some(kind) = DeviceKind::ALL.into_iter().find(|known| known.name() == kind) else {
            let known = DeviceKind::ALL.map(DeviceKind::name).join(", ");
            let message = format_args!("unknown kind of device `{kind}`: expected one of {known}");
            return Err(error::general(py, message));
        };
        match u32::try_from(index) {
            Ok(index) => Ok(Self(runtime::Device { kind, index })),
            Err(_) => Err(error::general(py, format_args!("a device's index is 0 or more, found {index}"))),
        }
    }

    /// The device as scripts name it among those of their module: `llvm:0`.
    #[pyo3(name = "from_script")]
    fn name_in_script(&self) -> String {
        let kind = if self.0.kind == DeviceKind::Cpu { "llvm" } else { self.0.kind.name() };
        format!("{kind}:{}", self.0.index)
    }

    /// Whether the device is there and can be used.
    #[getter]
    fn exist(&self) -> bool {
        self.0.exists()
    }

    /// DLPack's number for the kind of device.
    #[getter]
    fn device_type(&self) -> i32 {
        self.0.kind as i32
    }

    #[getter]
    fn device_id(&self) -> u32 {
        self.0.index
    }

    /// How many threads a kernel may use here, the caller's own included; 0 for a device that is not there.
    #[getter]
    fn max_threads(&self) -> usize {
        if self.0.exists() { runtime::num_threads() } else { 0 }
    }

    /// How many processors the process may use; 0 for a device that is not there.
    #[getter]
    fn multi_processor_count(&self) -> usize {
        if self.0.exists() { runtime::available_processors().len().max(1) } else { 0 }
    }

    /// What its maker calls the device; `None` for one that is not there.
    #[getter]
    fn device_name(&self) -> Option<String> {
        self.0.open().ok().map(|device| device.name())
    }

    /// Waits until the device has done its work. The processor always has when a call returns.
    fn sync(&self, py: Python<'_>) -> PyResult<()> {
        self.check(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, pyo3::types::PyType>, (&'static str, u32)) {
        (py.get_type::<Self>(), (self.0.kind.name(), self.0.index))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }
}

/// How many threads a parallel loop of a kernel may use, the caller's own included.
#[pyfunction]
pub(crate) fn num_threads() -> usize {
    runtime::num_threads()
}

/// Sets it; 0 goes back to the default.
#[pyfunction]
pub(crate) fn set_num_threads(py: Python<'_>, #[pyo3(from_py_with = argument::threads)] threads: i64) -> PyResult<()> {
    match usize::try_from(threads) {
        Ok(threads) => {
            py.detach(|| runtime::set_num_threads(threads));
            Ok(())
        }
        Err(_) => {
            let message = format_args!("a number of threads is 0 (for the default) or more, found {threads}");
            Err(error::general(py, message))
        }
    }
}

/// Binds the workers to these processors; none sets them free.
#[pyfunction]
pub(crate) fn set_affinity(
    py: Python<'_>,
    #[pyo3(from_py_with = argument::processors)] processors: Vec<usize>,
) -> PyResult<()> {
    py.detach(|| runtime::set_affinity(&processors)).map_err(|e| runtime_error(py, e))
}

/// The processors that the process may use, by the system's numbers.
#[pyfunction]
pub(crate) fn available_processors() -> Vec<usize> {
    runtime::available_processors()
}
