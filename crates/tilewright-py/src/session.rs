//! Sessions, and the cache of what they have compiled.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use tilewright::runtime::session::{MAIN, ModelInfo, Session, Size, TensorSpec};
use tilewright::session::{SessionCache, info_of};

use crate::executable::PyExecutable;
use crate::value::runtime_error;
use crate::{argument, error};

/// A model with its inputs and outputs.
#[pyclass(frozen, name = "Session", module = "tilewright._core")]
#[derive(Debug)]
pub(crate) struct PySession(Session);

/// The name, the dimensions (numbers, or names of symbolic ones) and the data type.
type Spec<'py> = (String, Vec<Bound<'py, PyAny>>, String);

#[pymethods]
impl PySession {
    #[new]
    fn new(py: Python<'_>, executable: &PyExecutable) -> PyResult<Self> {
        let executable = executable.executable.clone();
        py.detach(|| Session::new(executable)).map(Self).map_err(|e| runtime_error(py, e))
    }

    /// Each input: its name, its dimensions (numbers, or names of symbolic ones) and its data type.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Spec<'py>>> {
        self.0.inputs().iter().map(|spec| spec_of(py, spec)).collect()
    }

    /// Each output, as `inputs`.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Spec<'py>>> {
        self.0.outputs().iter().map(|spec| spec_of(py, spec)).collect()
    }

    /// The names of the function's parameters, which are identifiers.
    #[getter]
    fn parameters(&self) -> Vec<String> {
        let executable = self.0.machine().executable();
        let main = executable.program().functions.iter().find(|function| function.name == MAIN);
        main.map(|main| main.params.iter().map(|param| param.name.clone()).collect()).unwrap_or_default()
    }

    /// The texts that the model has for whoever uses it.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        self.0.metadata().try_for_each(|(key, text)| found.set_item(key, text))?;
        Ok(found)
    }

    #[getter]
    fn gives_tuple(&self) -> bool {
        self.0.gives_tuple()
    }

    /// What is wrong with inputs, each for itself and all at once: `found` has the data type and the shape of each,
    /// `None` for one that is passed over.
    fn problems(&self, found: Vec<Option<(String, Vec<i64>)>>) -> Vec<String> {
        let found = found.iter().map(|one| one.as_ref().map(|(dtype, shape)| (dtype.as_str(), shape.as_slice())));
        self.0.problems(&found.collect::<Vec<_>>())
    }
}

fn spec_of<'py>(py: Python<'py>, spec: &TensorSpec) -> PyResult<Spec<'py>> {
    let size = |size: &Size| {
        Ok(match size {
            Size::Known(size) => size.into_pyobject(py)?.into_any(),
            other => PyString::new(py, &other.to_string()).into_any(),
        })
    };
    Ok((spec.name.clone(), spec.shape.iter().map(size).collect::<PyResult<_>>()?, spec.dtype.to_string()))
}

/// A folder of executables, by what they were compiled from.
#[pyclass(frozen, name = "SessionCache", module = "tilewright._core")]
#[derive(Debug)]
pub(crate) struct PySessionCache(SessionCache);

/// A key of the cache.
#[pyclass(frozen, name = "SessionKey", module = "tilewright._core")]
#[derive(Debug)]
pub(crate) struct PySessionKey(tilewright::build::cache_folder::Key);

#[pymethods]
impl PySessionCache {
    #[new]
    fn new(#[pyo3(from_py_with = argument::path)] folder: PathBuf) -> Self {
        Self(SessionCache::at(folder))
    }

    /// The user's cache; `None` where the environment keeps caches off the disk.
    #[staticmethod]
    fn of_user() -> Option<Self> {
        SessionCache::of_user().map(Self)
    }

    /// The key of the bytes of an ONNX model, of the files in its folder that hold its tensors, of the compiler, and of
    /// the texts that say what else decides what it becomes.
    fn key(&self, py: Python<'_>, model: &[u8], path: Option<PathBuf>, said: Vec<String>) -> PySessionKey {
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        PySessionKey(py.detach(|| self.0.key(model, path.as_deref(), &said)))
    }

    /// The executable of a key; `None` where there is none, or a damaged one.
    fn read(&self, py: Python<'_>, key: &PySessionKey) -> Option<PyExecutable> {
        py.detach(|| self.0.read(&key.0)).map(PyExecutable::new)
    }

    /// Keeps an executable; a folder that cannot be written to keeps nothing.
    fn write(&self, py: Python<'_>, key: &PySessionKey, executable: &PyExecutable) {
        py.detach(|| self.0.write(&key.0, &executable.executable));
    }
}

/// What an executable keeps of an ONNX model.
#[pyclass(frozen, name = "ModelInfo", module = "tilewright._core")]
#[derive(Debug)]
pub(crate) struct PyModelInfo(pub(crate) ModelInfo);

#[pymethods]
impl PyModelInfo {
    /// Of the bytes of a model; its inputs are those of these names, unless `held` has them.
    #[new]
    fn new(py: Python<'_>, model: &[u8], held: Vec<String>) -> PyResult<Self> {
        let mut info = info_of(model).ok_or_else(|| error::general(py, "the bytes are no model of ONNX"))?;
        info.inputs.retain(|name| !held.contains(name));
        Ok(Self(info))
    }
}
