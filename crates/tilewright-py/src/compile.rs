//! Compiling.

use std::sync::Arc;

use pyo3::prelude::*;
use tilewright::ir::pass::Sequential;
use tilewright::{CompileError, CompileOptions, Executable, IRModule, build_executable, pipelines};
use tilewright_cli::Progress;

use crate::error;
use crate::executable::{PyExecutable, Source};
use crate::module::{PyModule, function_of};
use crate::pass::{IntoPyErr, PyPass, Settings};
use crate::session::PyModelInfo;
use crate::target::PyTarget;
use crate::value::runtime_error;

impl IntoPyErr for CompileError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Module(found) => error::diagnostics(py, &found),
            Self::Pass(failed) => failed.into_py_err(py),
            Self::Load(failed) => runtime_error(py, failed),
        }
    }
}

/// The module to compile: a module as it is, a function as the only one of a module, visible under its own name.
fn module_to_build(object: &Bound<'_, PyAny>) -> PyResult<Arc<IRModule>> {
    if let Ok(module) = object.cast::<PyModule>() {
        return Ok(module.get().ir());
    }
    let Ok((name, function)) = function_of(object) else {
        return Err(error::wrong_type("expected an IRModule, a PrimFunc or a relax.Function", object));
    };
    let name = function.global_symbol().map_or(name, Arc::from);
    let mut module = IRModule::new();
    module.insert(name.clone(), function.with_symbol(name));
    Ok(Arc::new(module))
}

/// Compiles a module or a function; a pipeline replaces the default one. With `progress`, a terminal is told how far it
/// is. `model` is what the executable keeps for sessions.
#[pyfunction]
#[pyo3(signature = (module, target, pipeline, progress=false, model=None))]
pub(crate) fn build(
    py: Python<'_>,
    module: &Bound<'_, PyAny>,
    target: &PyTarget,
    pipeline: Option<&PyPass>,
    progress: bool,
    model: Option<&PyModelInfo>,
) -> PyResult<PyExecutable> {
    let mut module = module_to_build(module)?;
    let mut options = CompileOptions::for_target(target.target.clone());
    options.model = model.map(|info| info.0.clone());
    let settings = Settings::current(py)?;
    if let Some(pipeline) = pipeline {
        module = pipeline.apply(py, &settings, module)?;
        options.pipeline = Sequential { name: "none", passes: Vec::new() };
    }
    let line = progress.then(Progress::new);
    options.watch = line.as_ref().map(Progress::watch);
    let bytes = settings.run(py, |cx| {
        let Some(line) = &line else { return build_executable(cx, &module, &options) };
        cx.instruments.push(Box::new(line.clone()));
        let bytes = build_executable(cx, &module, &options);
        cx.instruments.pop();
        line.finish();
        bytes
    })?;
    let executable = py.detach(|| Executable::load(bytes)).map_err(|e| runtime_error(py, e))?;
    let source = Source { module, target: target.target.clone(), is_lowered: pipeline.is_some() };
    Ok(PyExecutable::from_source(executable, source))
}

/// A pipeline by name for a target, as one pass.
#[pyfunction]
pub(crate) fn pipeline(py: Python<'_>, name: &str, target: &PyTarget) -> PyResult<PyPass> {
    match pipelines::by_name(name, &target.target) {
        Some(pipeline) => Ok(PyPass::native(Arc::new(pipeline))),
        None => {
            let known: Vec<&str> = pipelines::ALL.iter().map(|(name, _)| *name).collect();
            let known = known.join(", ");
            Err(error::general(py, format_args!("unknown pipeline `{name}`: expected one of {known}")))
        }
    }
}
