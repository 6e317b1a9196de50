//! Passes by name, and those that take arguments.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tilewright::relax_passes::{self, BindParams, BindSymbolicVars, ParamKey};
use tilewright::{passes, pipelines};

use crate::dlpack;
use crate::error;
use crate::module::PyModule;
use crate::pass::PyPass;
use crate::tensor::NdArray;

/// A pass that needs no arguments.
#[pyfunction]
pub(crate) fn by_name(py: Python<'_>, name: &str) -> PyResult<PyPass> {
    passes::by_name(name).map(PyPass::native).map_err(|message| error::general(py, message))
}

/// The names of all passes that need no arguments.
#[pyfunction]
pub(crate) fn pass_names() -> Vec<&'static str> {
    passes::names().into_iter().filter(|name| pipelines::by_name(name).is_none()).collect()
}

/// The names of all pipelines.
#[pyfunction]
pub(crate) fn pipeline_names() -> Vec<&'static str> {
    pipelines::ALL.iter().map(|(name, _)| *name).collect()
}

/// Binds parameters of the function `name`, by their names or positions, to tensors; the tensors are copied, since a
/// module's constants never change.
#[pyfunction]
pub(crate) fn bind_params(name: String, params: &Bound<'_, PyDict>) -> PyResult<PyPass> {
    let py = params.py();
    let mut bound = Vec::new();
    for (param, value) in params {
        let tensor = match value.cast::<NdArray>() {
            Ok(tensor) => tensor.get().0.clone(),
            Err(_) if dlpack::is_exporter(&value)? => dlpack::import(&value)?,
            Err(_) => {
                let expected = format!("parameter {} takes a tensor or an array", param.repr()?);
                return Err(error::wrong_type(expected, &value));
            }
        };
        let key = match param.extract::<usize>() {
            Ok(index) => ParamKey::Index(index),
            Err(_) => {
                let name = param.extract().or_else(|_| param.getattr("name_hint")?.extract());
                let expected = "a parameter is given by its name or its position";
                ParamKey::Name(name.map_err(|_| error::wrong_type(expected, &param))?)
            }
        };
        bound.push((key, tensor.copied().map_err(|e| error::tensor(py, &e))?.to_read_only()));
    }
    Ok(PyPass::native(Arc::new(BindParams::new(name, bound))))
}

/// Turns symbolic dimensions, by name, into numbers: in the function of that name, or in all.
#[pyfunction]
pub(crate) fn bind_symbolic_vars(sizes: &Bound<'_, PyDict>, function: Option<String>) -> PyResult<PyPass> {
    let mut values = Vec::new();
    for (var, size) in sizes {
        let name = var.extract().or_else(|_| var.getattr("name")?.extract());
        let name: String = name.map_err(|_| error::wrong_type("a symbolic dimension is given by its name", &var))?;
        let number = size.extract::<i64>().map_err(|_| error::wrong_type("a size is an integer", &size))?;
        values.push((name, number));
    }
    Ok(PyPass::native(match function {
        Some(function) => Arc::new(BindSymbolicVars::of_function(function, values)),
        None => Arc::new(BindSymbolicVars::of_all(values)),
    }))
}

/// The memory that the tensors of a planned module's functions take, as a table.
#[pyfunction]
pub(crate) fn estimate_memory_usage(module: &PyModule) -> String {
    relax_passes::estimate_memory_usage(&module.ir()).to_string()
}
