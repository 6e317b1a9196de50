//! Passes by name, and those that take arguments.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tilewright::passes;
use tilewright::relax_passes::{BindParams, ParamKey};

use crate::dlpack;
use crate::error;
use crate::pass::PyPass;
use crate::tensor::NdArray;

/// A pass that needs no arguments.
#[pyfunction]
pub(crate) fn by_name(py: Python<'_>, name: &str) -> PyResult<PyPass> {
    passes::by_name(name).map(PyPass::native).map_err(|message| error::general(py, message))
}

/// Binds parameters of the function `name`, by their names or positions, to tensors; the tensors are copied, since a module's constants never change.
#[pyfunction]
pub(crate) fn bind_params(name: String, params: &Bound<'_, PyDict>) -> PyResult<PyPass> {
    let py = params.py();
    let mut bound = Vec::new();
    for (param, value) in params {
        let tensor = match value.cast::<NdArray>() {
            Ok(tensor) => tensor.get().0.clone(),
            Err(_) => dlpack::import(&value)?,
        };
        let key = match param.extract::<usize>() {
            Ok(index) => ParamKey::Index(index),
            Err(_) => ParamKey::Name(param.extract()?),
        };
        bound.push((key, tensor.copied().map_err(|e| error::tensor(py, &e))?.to_read_only()));
    }
    Ok(PyPass::native(Arc::new(BindParams::new(name, bound))))
}
