//! Targets, compiling, executables and machines.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tilewright::ir::Attr;
use tilewright::ir::tir::attr_names::GLOBAL_SYMBOL;
use tilewright::runtime::Error;
use tilewright::{
    CompileError, CompileOptions, Executable, GlobalFunc, IRModule, Target, VirtualMachine, build_executable, pipelines,
};

use crate::error;
use crate::function::Function;
use crate::module::{PyModule, function_of};
use crate::pass::{IntoPyErr, PyPass, Settings};
use crate::tensor::Device;
use crate::value::runtime_error;

/// A machine to compile for. Python's own class adds `with`.
#[pyclass(frozen, subclass, name = "Target", module = "tilewright.target.target")]
#[derive(Debug)]
pub(crate) struct PyTarget {
    target: Target,
    text: String,
}

#[pymethods]
impl PyTarget {
    #[new]
    fn new(py: Python<'_>, target: &str) -> PyResult<Self> {
        let parsed = Target::parse(target).map_err(|e| error::general(py, e))?;
        Ok(Self { target: parsed, text: target.to_owned() })
    }

    /// The first word of the target string, such as `llvm`.
    #[getter]
    fn kind(&self) -> &str {
        self.text.split_whitespace().next().unwrap_or_default()
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("Target({:?})", self.text)
    }
}

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
        return Ok(module.get().0.clone());
    }
    let (name, mut function) = function_of(object)?;
    let name = function.global_symbol().map_or(name, Arc::from);
    let symbol = (Arc::from(GLOBAL_SYMBOL), Attr::str(name.clone()));
    match &mut function {
        GlobalFunc::Prim(function) => Arc::make_mut(function).attrs.extend([symbol]),
        GlobalFunc::Relax(function) => Arc::make_mut(function).attrs.extend([symbol]),
    }
    let mut module = IRModule::new();
    module.insert(name, function);
    Ok(Arc::new(module))
}

/// Compiles a module or a function.
#[pyfunction]
pub(crate) fn build(py: Python<'_>, module: &Bound<'_, PyAny>, target: &PyTarget) -> PyResult<PyExecutable> {
    let module = module_to_build(module)?;
    let options = CompileOptions::for_target(target.target.clone());
    let bytes = Settings::current(py)?.run(py, |cx| build_executable(cx, &module, &options))?;
    let executable = py.detach(|| Executable::load(bytes)).map_err(|e| runtime_error(py, e))?;
    Ok(PyExecutable::new(executable))
}

/// A pipeline by name, as one pass.
#[pyfunction]
pub(crate) fn pipeline(py: Python<'_>, name: &str) -> PyResult<PyPass> {
    match pipelines::by_name(name) {
        Some(pipeline) => Ok(PyPass::native(Arc::new(pipeline))),
        None => {
            let known: Vec<&str> = pipelines::ALL.iter().map(|(name, _)| *name).collect();
            let known = known.join(", ");
            Err(error::general(py, format_args!("unknown pipeline `{name}`: expected one of {known}")))
        }
    }
}

/// Compiled functions and their constants, to be run or saved.
#[pyclass(frozen, name = "Executable", module = "tilewright.relax.vm")]
#[derive(Debug)]
pub(crate) struct PyExecutable {
    executable: Arc<Executable>,
    /// The machine for calls on the executable itself, made when first needed.
    machine: OnceLock<VirtualMachine>,
}

impl PyExecutable {
    fn new(executable: Executable) -> Self {
        Self { executable: Arc::new(executable), machine: OnceLock::new() }
    }

    fn machine(&self, py: Python<'_>) -> PyResult<&VirtualMachine> {
        if self.machine.get().is_none() {
            let machine = VirtualMachine::new(self.executable.clone(), &[]).map_err(|e| runtime_error(py, e))?;
            // Another thread may have been faster; then its machine stays.
            let _ = self.machine.set(machine);
        }
        self.machine.get().ok_or_else(|| error::general(py, "the executable has no machine"))
    }
}

#[pymethods]
impl PyExecutable {
    /// Opens a saved executable. Its machine code runs with all rights of the process.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Executable::open(path)).map(Self::new).map_err(|e| runtime_error(py, e))
    }

    /// Writes the executable to a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.executable.save(path)).map_err(|e| runtime_error(py, e))
    }

    /// The program of the machine as text.
    fn as_text(&self) -> String {
        self.executable.program().as_text()
    }

    fn function_names(&self) -> Vec<String> {
        self.executable.program().functions.iter().map(|function| function.name.clone()).collect()
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Function> {
        self.machine(py)?.function(name).map(Function::machine).map_err(|e| runtime_error(py, e))
    }

    /// Calls the only function.
    #[pyo3(signature = (*args))]
    fn __call__<'py>(&self, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        match self.function_names().as_slice() {
            [name] => self.__getitem__(py, name)?.__call__(args),
            names => {
                let names = names.join(", ");
                Err(error::general(py, format_args!("the executable has several functions: choose one of {names}")))
            }
        }
    }

    fn __repr__(&self) -> String {
        format!("<Executable with {}>", self.function_names().join(", "))
    }
}

/// An executable, ready to run.
#[pyclass(frozen, name = "VirtualMachine", module = "tilewright.relax.vm")]
#[derive(Debug)]
pub(crate) struct PyMachine(VirtualMachine);

#[pymethods]
impl PyMachine {
    /// A machine on one device or several.
    #[new]
    #[pyo3(signature = (executable, device=None))]
    fn new(executable: &Bound<'_, PyAny>, device: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let py = executable.py();
        let Ok(executable) = executable.cast::<PyExecutable>() else {
            let found = executable.get_type().name()?;
            return Err(PyTypeError::new_err(format!("expected an Executable from relax.build, found {found}")));
        };
        let executable = executable.get().executable.clone();
        let devices = match device {
            None => vec![],
            Some(device) => match device.cast::<Device>() {
                Ok(device) => vec![device.get().0],
                Err(_) => device.try_iter()?.map(|one| Ok(one?.cast::<Device>()?.get().0)).collect::<PyResult<_>>()?,
            },
        };
        let made: Result<_, Error> = py.detach(|| VirtualMachine::new(executable, &devices));
        made.map(Self).map_err(|e| runtime_error(py, e))
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Function> {
        self.0.function(name).map(Function::machine).map_err(|e| runtime_error(py, e))
    }

    fn __repr__(&self) -> String {
        format!("<VirtualMachine with {}>", self.0.function_names().collect::<Vec<_>>().join(", "))
    }
}
