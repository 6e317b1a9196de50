//! Checkpoints: the files of a model's weights.

use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use tilewright::DataType;
use tilewright::import::ImportError;
use tilewright::import::checkpoint::{Checkpoint, CheckpointError, Entry, Expected, Meta};
use tilewright::tensor::{SharedBytes, UnknownDataType};

use crate::error;
use crate::tensor::NdArray;

/// The tensors of a checkpoint by name. `tilewright.checkpoint` makes a mapping of it.
#[pyclass(frozen, name = "CheckpointFile", module = "tilewright._core")]
#[derive(Debug)]
pub(crate) struct PyCheckpoint(Checkpoint);

fn failed(py: Python<'_>, failure: CheckpointError) -> PyErr {
    match failure {
        CheckpointError::Io { path, error } if error.raw_os_error().is_some() => {
            PyOSError::new_err((error.raw_os_error(), error.to_string(), path))
        }
        other => error::general(py, other),
    }
}

fn refused(py: Python<'_>, failure: ImportError) -> PyErr {
    error::general(py, failure)
}

#[pymethods]
impl PyCheckpoint {
    /// Opens a file, an index or a folder, or the bytes of a file.
    #[staticmethod]
    fn open(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = source.py();
        if let Ok(bytes) = source.cast::<PyBytes>() {
            let bytes = SharedBytes::from(bytes.as_bytes().to_vec());
            return py.detach(|| Checkpoint::from_bytes(bytes)).map(Self).map_err(|failure| refused(py, failure));
        }
        let path: PathBuf = source.extract()?;
        py.detach(|| Checkpoint::open(&path)).map(Self).map_err(|failure| failed(py, failure))
    }

    /// The name of the format.
    #[getter]
    fn format(&self) -> &'static str {
        self.0.format()
    }

    /// The files that were opened.
    #[getter]
    fn files(&self) -> Vec<PathBuf> {
        self.0.files().to_vec()
    }

    /// What the files say besides the tensors. Arrays of numbers are tensors.
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        for (key, value) in self.0.metadata() {
            found.set_item(key, meta(py, value)?)?;
        }
        Ok(found)
    }

    /// The names of the tensors, in the order of the files.
    fn names(&self) -> Vec<&str> {
        self.0.entries().iter().map(Entry::name).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.0.entry(name).is_some()
    }

    /// Shape, stored type, data type (None where the tensor is not read), bytes and the number of the file.
    fn entry<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(entry) = self.0.entry(name) else { return Ok(None) };
        let dtype = entry.stored().dtype().map(|dtype| dtype.to_string());
        let parts = (entry.shape(), entry.stored().to_string(), dtype, entry.bytes(), entry.file());
        parts.into_pyobject(py).map(|parts| Some(parts.into_any()))
    }

    /// The tensor of a name.
    fn get(&self, py: Python<'_>, name: &str) -> PyResult<NdArray> {
        py.detach(|| self.0.get(name)).map(NdArray).map_err(|failure| refused(py, failure))
    }

    /// The stored bytes of the tensor of a name.
    fn raw(&self, py: Python<'_>, name: &str) -> PyResult<NdArray> {
        py.detach(|| self.0.raw(name)).map(NdArray).map_err(|failure| refused(py, failure))
    }

    /// Compares the tensors with names, shapes (None for any size) and data types (None for any), as a report and as
    /// text.
    fn compare<'py>(
        &self,
        py: Python<'py>,
        expected: Vec<(String, Vec<Option<i64>>, Option<String>)>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let expected = expected.into_iter().map(|(name, shape, dtype)| {
            let dtype: Option<DataType> = dtype.map(|dtype| dtype.parse()).transpose()?;
            Ok(Expected { name, shape, dtype })
        });
        let expected: Vec<Expected> = expected
            .collect::<Result<_, _>>()
            .map_err(|unknown: UnknownDataType| PyValueError::new_err(unknown.to_string()))?;
        let found = py.detach(|| self.0.compare(&expected));
        let report = PyDict::new(py);
        report.set_item("text", found.to_string())?;
        report.set_item("is_match", found.is_match())?;
        report.set_item("is_loadable", found.is_loadable())?;
        report.set_item("matched", found.matched)?;
        report.set_item("missing", found.missing)?;
        report.set_item("unexpected", found.unexpected)?;
        report.set_item("misshapen", found.misshapen)?;
        let mistyped = found.mistyped.into_iter().map(|(name, dtype, found)| (name, dtype.to_string(), found));
        report.set_item("mistyped", mistyped.collect::<Vec<_>>())?;
        report.set_item("extra_prefix", found.extra_prefix)?;
        report.set_item("absent_prefix", found.absent_prefix)?;
        Ok(report)
    }
}

fn meta<'py>(py: Python<'py>, value: &Meta) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Meta::Null => py.None().into_bound(py),
        Meta::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Meta::Int(value) => value.into_pyobject(py)?.into_any(),
        Meta::UInt(value) => value.into_pyobject(py)?.into_any(),
        Meta::Float(value) => value.into_pyobject(py)?.into_any(),
        Meta::Text(text) => text.into_pyobject(py)?.into_any(),
        Meta::Numbers(tensor) => Bound::new(py, NdArray(tensor.clone()))?.into_any(),
        Meta::List(items) => {
            let items: Vec<_> = items.iter().map(|item| meta(py, item)).collect::<PyResult<_>>()?;
            PyList::new(py, items)?.into_any()
        }
        Meta::Map(items) => {
            let found = PyDict::new(py);
            for (key, value) in items {
                found.set_item(key, meta(py, value)?)?;
            }
            found.into_any()
        }
    })
}
