//! Passes and the context that they run in.
//!
//! The context is a Python object (`tilewright.ir.transform.PassContext`), because `with` makes it current there; each
//! run of passes copies its settings into a [`PassCx`].

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyTuple};
use tilewright::ir::node::FloatBits;
use tilewright::ir::pass::{Evaluator, Instrument, PassInfo};
use tilewright::ir::{Attr, Attrs};
use tilewright::{IRModule, LinkedEvaluator, Pass, PassCx, PassError, Target};

use crate::error;
use crate::kept::Kept;
use crate::module::PyModule;
use crate::passes::make_pass;
use crate::target::PyTarget;

/// A pass: of the compiler, of the user, or several in order.
#[pyclass(frozen, subclass, name = "Pass", module = "tilewright.ir.transform")]
pub(crate) struct PyPass {
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    opt_level: u8,
    /// Passes of the compiler that run before a pass of Python's, or before several.
    required: Vec<String>,
    work: Work,
}

enum Work {
    Native(Arc<dyn Pass>),
    Python(Py<PyAny>),
    Sequence(Vec<Py<PyPass>>),
}

impl PyPass {
    pub(crate) fn native(pass: Arc<dyn Pass>) -> Self {
        let info = pass.info();
        Self { name: info.name.to_owned(), opt_level: info.opt_level, required: Vec::new(), work: Work::Native(pass) }
    }

    /// A pass that is not the compiler's own; those that it requires are.
    fn made(py: Python<'_>, name: String, opt_level: u8, required: Vec<String>, work: Work) -> PyResult<Self> {
        for known in &required {
            tilewright::passes::def(known).map_err(|message| error::general(py, message))?;
        }
        Ok(Self { name, opt_level, required, work })
    }

    /// Does the work, unless the settings leave it out.
    fn run<'py>(
        &self,
        py: Python<'py>,
        settings: &Settings,
        module: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if settings.leaves_out(&self.name, self.opt_level) {
            return Ok(module.clone());
        }
        self.call(py, settings, module)
    }

    /// Does the work. Names and levels choose among the passes of a sequence: one that is called by itself is meant.
    fn call<'py>(
        &self,
        py: Python<'py>,
        settings: &Settings,
        module: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.work {
            Work::Native(pass) => {
                let input = module_of(module)?;
                let output = settings.run(py, |cx| cx.call(pass.as_ref(), (*input).clone()))?;
                Ok(Bound::new(py, PyModule::of(output))?.into_any())
            }
            Work::Python(function) => self.watched(py, settings, module, |module| {
                let output = function.bind(py).call1((module, settings.context.bind(py)))?;
                let expected = || format!("expected an IRModule from the pass `{}`", self.name);
                module_of(&output).map_err(|_| error::wrong_type(expected(), &output))?;
                Ok(output)
            }),
            Work::Sequence(passes) => self.watched(py, settings, module, |module| {
                passes.iter().try_fold(module, |module, pass| pass.get().run(py, settings, &module))
            }),
        }
    }

    /// Runs the pass after those that it requires and under the instruments, by the rules of [`PassCx::call`].
    fn watched<'py>(
        &self,
        py: Python<'py>,
        settings: &Settings,
        module: &Bound<'py, PyAny>,
        work: impl FnOnce(Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = self.required.iter().try_fold(module.clone(), |module, name| {
            make_pass(py, name, &PyDict::new(py))?.run(py, settings, &module)
        })?;
        let info = self.info(py)?;
        for answer in settings.tell("should_run", &module, &info)? {
            if !answer.is_truthy()? {
                return Ok(module);
            }
        }
        settings.tell("run_before_pass", &module, &info)?;
        let output = work(module)?;
        settings.tell("run_after_pass", &output, &info)?;
        Ok(output)
    }
}

impl PyPass {
    /// The module after the pass.
    pub(crate) fn apply(&self, py: Python<'_>, settings: &Settings, module: Arc<IRModule>) -> PyResult<Arc<IRModule>> {
        module_of(&self.call(py, settings, Bound::new(py, PyModule::of(module))?.as_any())?)
    }
}

pub(crate) fn module_of(object: &Bound<'_, PyAny>) -> PyResult<Arc<IRModule>> {
    match object.cast::<PyModule>() {
        Ok(module) => Ok(module.get().ir()),
        Err(_) => Err(error::wrong_type("expected an IRModule", object)),
    }
}

#[pymethods]
impl PyPass {
    /// What subclasses begin with: the function that does the work and the pass's description, all by name. An object
    /// without them is no pass yet: its class may be made one by a decorator.
    #[new]
    #[pyo3(signature = (*_args, **given))]
    fn new(py: Python<'_>, _args: &Bound<'_, PyTuple>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let part = |name: &str| given.map_or(Ok(None), |given| given.get_item(name));
        let Some(work) = part("_work")? else {
            return Self::made(py, String::new(), 0, Vec::new(), Work::Sequence(Vec::new()));
        };
        let name = part("_name")?.map_or(Ok(String::new()), |name| name.extract())?;
        let level = part("_opt_level")?.map_or(Ok(0), |level| level.extract())?;
        let required = part("_required")?.map_or(Ok(Vec::new()), |names| names.extract())?;
        Self::made(py, name, level, required, Work::Python(work.unbind()))
    }

    /// A Python function from a module and a context to a module; the passes of these names run before it.
    #[staticmethod]
    #[pyo3(signature = (function, name, opt_level, required = vec![]))]
    fn from_python(
        py: Python<'_>,
        function: Py<PyAny>,
        name: String,
        opt_level: u8,
        required: Vec<String>,
    ) -> PyResult<Self> {
        Self::made(py, name, opt_level, required, Work::Python(function))
    }

    /// The description for instruments: its name, the level at which it runs, and the passes that it requires.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        pass_info(py, &self.name, self.opt_level, &self.required)
    }

    fn __call__<'py>(&self, py: Python<'py>, r#mod: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        module_of(r#mod)?;
        self.call(py, &Settings::current(py)?, r#mod)
    }

    fn __repr__(&self) -> String {
        format!("<pass {}>", self.name)
    }
}

/// Passes one after the other, as one.
#[pyclass(frozen, extends = PyPass, name = "Sequential", module = "tilewright.ir.transform")]
pub(crate) struct PySequential;

#[pymethods]
impl PySequential {
    /// One pass that runs these in order, after the compiler's passes that are `required`.
    #[new]
    #[pyo3(signature = (passes=None, opt_level=None, name="sequential", required=None, traceable=false))]
    fn new(
        py: Python<'_>,
        passes: Option<&Bound<'_, PyAny>>,
        opt_level: Option<&Bound<'_, PyAny>>,
        name: &str,
        required: Option<Vec<String>>,
        traceable: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        let _ = traceable;
        let mut parts = Vec::new();
        for pass in passes.map(|passes| passes.try_iter()).transpose()?.into_iter().flatten() {
            let pass = pass?;
            match pass.cast::<PyPass>() {
                Ok(part) => parts.push(part.clone().unbind()),
                Err(_) => {
                    let message = format!("expected a list of passes, found {} in it", pass.repr()?);
                    return Err(error::wrong(py, &message));
                }
            }
        }
        let level = opt_level.map_or(Ok(0), |level| {
            let expected = "opt_level is a number from 0 to 3, and the name is given as name=";
            level.extract::<u8>().map_err(|_| error::wrong_type(expected, level))
        })?;
        let pass = PyPass::made(py, name.to_owned(), level, required.unwrap_or_default(), Work::Sequence(parts))?;
        Ok(PyClassInitializer::from(pass).add_subclass(Self))
    }

    /// The passes in order.
    #[getter]
    fn passes(slf: PyRef<'_, Self>) -> Vec<Py<PyPass>> {
        match &slf.as_super().work {
            Work::Sequence(passes) => passes.iter().map(|pass| pass.clone_ref(slf.py())).collect(),
            Work::Native(_) | Work::Python(_) => Vec::new(),
        }
    }
}

/// A `PassInfo` of Python's.
fn pass_info<'py>(py: Python<'py>, name: &str, opt_level: u8, required: &[String]) -> PyResult<Bound<'py, PyAny>> {
    py.import("tilewright.ir.transform")?.getattr("PassInfo")?.call1((opt_level, name, required))
}

/// The settings of a Python context.
pub(crate) struct Settings {
    context: Py<PyAny>,
    opt_level: u8,
    required: Vec<String>,
    disabled: Vec<String>,
    instruments: Vec<Py<PyAny>>,
    config: Attrs,
    /// The target in scope.
    target: Option<Target>,
}

impl Settings {
    /// Those of the context that is current in Python, and the target that is in scope there.
    pub(crate) fn current(py: Python<'_>) -> PyResult<Self> {
        let context = py.import("tilewright.ir.transform")?.getattr("PassContext")?.call_method0("current")?;
        let target = py.import("tilewright.target")?.getattr("Target")?.call_method0("current")?;
        let target: Option<Bound<'_, PyTarget>> = target.extract()?;
        Ok(Self {
            target: target.map(|target| target.get().target.clone()),
            opt_level: context.getattr("opt_level")?.extract()?,
            required: context.getattr("required_pass")?.extract()?,
            disabled: context.getattr("disabled_pass")?.extract()?,
            instruments: context.getattr("_watchers")?.extract()?,
            config: options(context.getattr("config")?.cast()?)?,
            context: context.unbind(),
        })
    }

    /// The rule of [`PassCx::run`] for passes that are Python's.
    fn leaves_out(&self, name: &str, opt_level: u8) -> bool {
        let named = |names: &[String]| names.iter().any(|known| known == name);
        named(&self.disabled) || (opt_level > self.opt_level && !named(&self.required))
    }

    /// The results of the instruments that have a method of this name.
    fn tell<'py>(
        &self,
        method: &str,
        module: &Bound<'py, PyAny>,
        info: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let methods = self.instruments.iter().map(|instrument| instrument.bind(module.py()).getattr_opt(method));
        let answers = methods.map(|method| method?.map(|method| method.call1((module, info))).transpose());
        answers.filter_map(PyResult::transpose).collect()
    }

    /// Runs with a context of these settings, without the GIL. An exception of an instrument wins over the result.
    pub(crate) fn run<T: Send, E: Send + IntoPyErr>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut PassCx<'_>) -> Result<T, E> + Send,
    ) -> PyResult<T> {
        let raised = Arc::new(Mutex::new(None));
        let instruments: Vec<_> =
            self.instruments.iter().map(|instrument| Kept::new(instrument.clone_ref(py))).collect();
        let (opt_level, config) = (self.opt_level, self.config.clone());
        let (required, disabled) = (self.required.clone(), self.disabled.clone());
        let target = self.target.clone();
        error::forget_callbacks();
        let outcome = py.detach(|| {
            let evaluator = LinkedEvaluator::default();
            let evaluator: Option<&dyn Evaluator> = Some(&evaluator);
            let mut cx = PassCx { opt_level, required, disabled, config, evaluator, target, ..PassCx::default() };
            for object in instruments {
                cx.instruments.push(Box::new(PythonInstrument { object, raised: Arc::clone(&raised) }));
            }
            let outcome = work(&mut cx);
            (outcome, std::mem::take(&mut cx.diagnostics))
        });
        let (outcome, warnings) = outcome;
        error::warn(py, &warnings)?;
        match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(exception) => Err(exception),
            None => outcome.map_err(|failed| error::caused_by_callback(py, failed.into_py_err(py))),
        }
    }
}

/// The option that names passes of Python, which `lower` and `build` run between those of the lowering.
const ADD_LOWER_PASS: &str = "tir.add_lower_pass";

/// The options of a context that the compiler's passes may read.
fn options(config: &Bound<'_, PyDict>) -> PyResult<Attrs> {
    let mut read = Attrs::new();
    for (name, value) in config.iter() {
        let name = name.extract::<String>()?;
        if name != ADD_LOWER_PASS {
            read.insert(name.into(), attr(&value)?);
        }
    }
    Ok(read)
}

/// Options by name: numbers, texts, and lists and dicts of them.
fn attrs(options: &Bound<'_, PyDict>) -> PyResult<Attrs> {
    options.iter().map(|(name, value)| Ok((name.extract::<String>()?.into(), attr(&value)?))).collect()
}

fn attr(value: &Bound<'_, PyAny>) -> PyResult<Attr> {
    if value.is_none() {
        return Ok(Attr::None);
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Attr::Bool(value.is_true()));
    }
    if let Ok(value) = value.extract() {
        return Ok(Attr::Int(value));
    }
    if let Ok(value) = value.extract() {
        return Ok(Attr::Float(FloatBits(value)));
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(Attr::str(text));
    }
    match value.cast::<PyDict>() {
        Ok(options) => attrs(options).map(Attr::Map),
        Err(_) => value.try_iter()?.map(|item| attr(&item?)).collect::<PyResult<_>>().map(Attr::Array),
    }
}

/// Errors of the compiler that have an exception.
pub(crate) trait IntoPyErr {
    fn into_py_err(self, py: Python<'_>) -> PyErr;
}

impl IntoPyErr for PassError {
    fn into_py_err(self, py: Python<'_>) -> PyErr {
        error::diagnostics(py, &self.diagnostics)
    }
}

/// An instrument written in Python. After one exception it does no more, and lets no pass run.
struct PythonInstrument {
    object: Kept<Py<PyAny>>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl PythonInstrument {
    /// Calls a method with the module and what is known of the pass. None where the instrument has no such method; an
    /// error once it has raised an exception.
    fn call<T>(&self, method: &str, info: &PassInfo, module: &IRModule, read: Read<T>) -> Result<Option<T>, Stopped> {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.is_some() {
            return Err(Stopped);
        }
        let called = Python::attach(|py| {
            let Some(method) = self.object.bind(py).getattr_opt(method)? else { return Ok(None) };
            let module = Bound::new(py, PyModule::of(module.clone()))?;
            let info = pass_info(py, info.name, info.opt_level, &[])?;
            read(&method.call1((module, info))?).map(Some)
        });
        called.map_err(|exception| {
            *raised = Some(exception);
            Stopped
        })
    }
}

/// An instrument has raised an exception.
struct Stopped;

type Read<T> = fn(&Bound<'_, PyAny>) -> PyResult<T>;

impl Instrument for PythonInstrument {
    fn should_run(&mut self, info: &PassInfo, module: &IRModule) -> bool {
        match self.call("should_run", info, module, |answer| answer.is_truthy()) {
            Ok(answer) => answer.unwrap_or(true),
            Err(Stopped) => false,
        }
    }

    fn before(&mut self, info: &PassInfo, module: &IRModule) {
        // Its exception is reported when the passes have ended.
        let _ = self.call("run_before_pass", info, module, |_| Ok(()));
    }

    fn after(&mut self, info: &PassInfo, module: &IRModule) {
        let _ = self.call("run_after_pass", info, module, |_| Ok(()));
    }
}
