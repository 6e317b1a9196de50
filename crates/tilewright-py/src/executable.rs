//! Executables: compiled functions and their constants, to be run, saved and looked at.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use tilewright::ir::pass::Sequential;
use tilewright::runtime::{self, fork::Lock};
use tilewright::vm_program::{DeviceKind, Image};
use tilewright::{CompileOptions, Executable, IRModule, Stage, Target, VirtualMachine, emit};

use crate::device::Device;
use crate::function::Function;
use crate::pass::Settings;
use crate::timing::{PyTimer, timing};
use crate::value::runtime_error;
use crate::{argument, error};

/// Compiled functions and their constants, to be run or saved.
#[pyclass(frozen, name = "Executable", module = "tilewright.relax.vm")]
#[derive(Debug)]
pub(crate) struct PyExecutable {
    pub(crate) executable: Arc<Executable>,
    /// The machine for calls on the executable itself, made when first needed: on the first device of each kind.
    machine: Lock<Option<VirtualMachine>>,
    /// What it was compiled from, for the text of its machine code.
    source: Option<Source>,
}

/// A module, with how it is compiled.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) module: Arc<IRModule>,
    pub(crate) target: Target,
    /// The module is what the pipeline left already.
    pub(crate) is_lowered: bool,
}

/// The name of the only function, by which programs ask for it.
const ENTRY: &str = "__tvm_main__";

impl PyExecutable {
    pub(crate) fn new(executable: Executable) -> Self {
        Self { executable: Arc::new(executable), machine: Lock::default(), source: None }
    }

    pub(crate) fn from_source(executable: Executable, source: Source) -> Self {
        Self { source: Some(source), ..Self::new(executable) }
    }

    fn machine(&self, py: Python<'_>) -> PyResult<VirtualMachine> {
        if let Some(machine) = &*self.machine.lock() {
            return Ok(machine.clone());
        }
        let needed = self.executable.program().devices.iter();
        let devices: Vec<runtime::Device> = needed.map(|&kind| runtime::Device { kind, index: 0 }).collect();
        let made = py.detach(|| VirtualMachine::new(self.executable.clone(), &devices));
        let made = made.map_err(|e| runtime_error(py, e))?;
        // Another thread may have been faster; then its machine stays.
        Ok(self.machine.lock().get_or_insert_with(|| made.clone()).clone())
    }

    fn function(&self, py: Python<'_>, name: &str) -> PyResult<Function> {
        self.machine(py)?.function(&self.own_name(name)).map(Function::machine).map_err(|e| runtime_error(py, e))
    }

    /// The name of a function, which is asked for by this one.
    fn own_name(&self, name: &str) -> String {
        match self.function_names().as_slice() {
            [only] if name == ENTRY => only.clone(),
            _ => name.to_owned(),
        }
    }
}

/// The code of a GPU in an executable.
#[pyclass(frozen, module = "tilewright._core")]
#[derive(Clone, Debug)]
pub(crate) struct DeviceModule {
    kind: DeviceKind,
    source: String,
    names: Vec<String>,
}

#[pymethods]
impl DeviceModule {
    /// The code as text: PTX.
    #[pyo3(signature = (fmt=""))]
    fn get_source(&self, py: Python<'_>, fmt: &str) -> PyResult<String> {
        match fmt {
            "" | "ptx" | "cuda" => Ok(self.source.clone()),
            _ => Err(error::general(py, format_args!("the source of a GPU's code is `ptx`, found `{fmt}`"))),
        }
    }

    /// The sort of module: the kind of device.
    #[getter]
    fn type_key(&self) -> &'static str {
        self.kind.name()
    }

    /// The modules inside this one: there are none.
    #[getter]
    fn imported_modules<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        PyList::empty(py)
    }

    fn __repr__(&self) -> String {
        format!("<Module {} with {}>", self.kind.name(), self.names.join(", "))
    }
}

impl PyExecutable {
    /// The code of GPUs, by image.
    fn device_modules(&self) -> Vec<DeviceModule> {
        let images = self.executable.program().images.iter().filter(|image| image.is_launched());
        let module = |image: &Image| {
            let mut offsets: Vec<u32> = Vec::new();
            let mut source = String::new();
            for (number, export) in image.exports.iter().enumerate() {
                if offsets.contains(&export.offset) {
                    continue;
                }
                offsets.push(export.offset);
                let text = image.code(number).unwrap_or_default();
                source += String::from_utf8_lossy(text).trim_end_matches('\0');
            }
            let names = image.exports.iter().map(|export| export.name.clone()).collect();
            DeviceModule { kind: image.kind, source, names }
        };
        images.map(module).collect()
    }
}

#[pymethods]
impl PyExecutable {
    /// Opens a saved executable. Its machine code runs with all rights of the process.
    #[staticmethod]
    fn load(py: Python<'_>, #[pyo3(from_py_with = argument::path)] path: PathBuf) -> PyResult<Self> {
        py.detach(|| Executable::open(path)).map(Self::new).map_err(|e| runtime_error(py, e))
    }

    /// Writes the executable to a file; its format is this package's own, whatever `fmt` says.
    #[pyo3(signature = (path, fmt=""))]
    fn save(&self, py: Python<'_>, #[pyo3(from_py_with = argument::path)] path: PathBuf, fmt: &str) -> PyResult<()> {
        let _ = fmt;
        py.detach(|| self.executable.save(path)).map_err(|e| runtime_error(py, e))
    }

    /// Writes the executable to a file. Whatever the name ends in, `.so` and `.tar` included, the file is this
    /// package's own format: code, constants and program in one, read by `runtime.load_module`, `Executable.load`, the
    /// program `tilewright` and the Rust runtime; the system's loader and archivers do not read it. No compiler or
    /// linker is called: `fcompile` and its options are accepted, and files in `addons` are refused.
    #[pyo3(signature = (file_name, fcompile=None, addons=None, workspace_dir=None, **options))]
    fn export_library(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::path)] file_name: PathBuf,
        fcompile: Option<&Bound<'_, PyAny>>,
        addons: Option<&Bound<'_, PyAny>>,
        workspace_dir: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let _ = (fcompile, workspace_dir, options);
        if addons.is_some_and(|addons| addons.is_truthy().unwrap_or(true)) {
            return Err(error::general(py, "an executable holds its own code alone: it takes no other files (addons)"));
        }
        self.save(py, file_name, "")
    }

    /// The function of that name; `query_imports` is accepted, as there are no imported modules.
    #[pyo3(signature = (name, query_imports=false))]
    fn get_function(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::function_name)] name: String,
        query_imports: bool,
    ) -> PyResult<Function> {
        let _ = query_imports;
        self.function(py, &name)
    }

    /// Whether there is a function of that name.
    #[pyo3(signature = (func_name, query_imports=false))]
    fn implements_function(&self, func_name: &str, query_imports: bool) -> bool {
        let _ = query_imports;
        self.function_names().iter().any(|name| name == func_name)
    }

    /// The name by which programs ask for the only function.
    #[getter]
    fn entry_name(&self) -> &'static str {
        ENTRY
    }

    /// The only function.
    #[getter]
    fn entry_func(&self, py: Python<'_>) -> PyResult<Function> {
        self.function(py, ENTRY)
    }

    /// The modules inside this one: the code of a GPU, where there is some. All other code is its own.
    #[getter]
    fn imported_modules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.device_modules())
    }

    /// The sort of module.
    #[getter]
    fn type_key(&self) -> &'static str {
        "relax.Executable"
    }

    /// The format in which it is written.
    #[getter]
    fn format(&self) -> &'static str {
        "tilewright"
    }

    /// Whether it can be written to a file and read back.
    #[getter]
    fn is_binary_serializable(&self) -> bool {
        true
    }

    /// Whether the system's linker makes a library of it.
    #[getter]
    fn is_dso_exportable(&self) -> bool {
        false
    }

    /// The machine code as text: LLVM's intermediate representation (`ll`, or nothing) or assembly (`asm`, `s`), which
    /// only an executable that was compiled in this process has; of one for a GPU its code (`ptx`, or nothing).
    #[pyo3(signature = (fmt=""))]
    fn get_source(&self, py: Python<'_>, fmt: &str) -> PyResult<String> {
        let devices = self.device_modules();
        if !devices.is_empty() && ["", "ptx"].contains(&fmt) {
            return Ok(devices.into_iter().map(|module| module.source).collect());
        }
        let stage = match fmt {
            "" | "ll" | "llvm" => Stage::Llvm,
            "asm" | "s" => Stage::Asm,
            _ => return Err(error::general(py, format_args!("the source is `ll` or `asm`, found `{fmt}`"))),
        };
        let Some(source) = &self.source else {
            return Err(error::general(py, "an executable that was read from a file has no source"));
        };
        let mut options = CompileOptions::for_target(source.target.clone());
        if source.is_lowered {
            options.pipeline = Sequential { name: "none", passes: Vec::new() };
        }
        let emitted = Settings::current(py)?.run(py, |cx| emit(cx, &source.module, &options, stage))?;
        Ok(String::from_utf8_lossy(emitted.as_bytes()).into_owned())
    }

    /// Executables are not pickled: they are files.
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "executables are not pickled: write one to a file with save(path) or export_library(path), which \
             runtime.load_module(path) opens",
        ))
    }

    /// The executable: its code is linked already.
    fn jit(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// How many functions, instructions, kernels and constants there are, and how many bytes they take.
    fn stats(&self) -> String {
        self.executable.program().stats().to_string()
    }

    /// The program of the machine as text.
    fn as_text(&self) -> String {
        self.executable.program().as_text()
    }

    /// The program of the machine as a listing in Python's syntax, one statement for each instruction.
    fn as_python(&self) -> String {
        self.executable.program().as_python()
    }

    /// The machine that the executable was compiled for, by LLVM's name; empty for one without machine code.
    #[getter]
    fn target_triple(&self) -> &str {
        &self.executable.target().triple
    }

    /// The extensions of the instruction set that the processor must have.
    #[getter]
    fn required_features(&self) -> Vec<String> {
        self.executable.target().features.clone()
    }

    fn function_names(&self) -> Vec<String> {
        self.executable.program().functions.iter().map(|function| function.name.clone()).collect()
    }

    fn __getitem__(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::function_name)] name: String,
    ) -> PyResult<Function> {
        self.function(py, &name)
    }

    /// Calls the only function.
    #[pyo3(signature = (*args))]
    fn __call__<'py>(&self, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        match self.function_names().as_slice() {
            [name] => self.function(py, name)?.__call__(args),
            [] => {
                let message = "the executable has no function that can be called: none has a `global_symbol`";
                Err(error::general(py, message))
            }
            names => {
                let names = names.join(", ");
                Err(error::general(py, format_args!("the executable has several functions: choose one of {names}")))
            }
        }
    }

    /// A timer of calls of the function: see `VirtualMachine.time_evaluator`.
    #[pyo3(signature = (
        func_name, dev=None, number=10, repeat=1, min_repeat_ms=0.0, cooldown_interval_ms=0.0, repeats_to_cooldown=1,
        f_preproc="",
    ))]
    #[expect(clippy::too_many_arguments, reason = "the parameters that programs give by name")]
    fn time_evaluator(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::function_name)] func_name: String,
        #[pyo3(from_py_with = argument::optional_device)] dev: Option<Device>,
        #[pyo3(from_py_with = argument::number)] number: i64,
        #[pyo3(from_py_with = argument::repeat)] repeat: i64,
        #[pyo3(from_py_with = argument::min_repeat_ms)] min_repeat_ms: f64,
        #[pyo3(from_py_with = argument::cooldown_interval_ms)] cooldown_interval_ms: f64,
        #[pyo3(from_py_with = argument::repeats_to_cooldown)] repeats_to_cooldown: i64,
        f_preproc: &str,
    ) -> PyResult<PyTimer> {
        dev.map_or(Ok(()), |dev| dev.check(py))?;
        let cooldown = (cooldown_interval_ms, repeats_to_cooldown);
        let timing = timing(py, number, repeat, min_repeat_ms, cooldown, f_preproc)?;
        PyTimer::new(py, self.machine(py)?, &self.own_name(&func_name), timing)
    }

    fn __repr__(&self) -> String {
        format!("<Executable with {}>", self.function_names().join(", "))
    }
}
