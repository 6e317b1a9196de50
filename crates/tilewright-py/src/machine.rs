//! Machines: executables made ready to run.

use std::collections::{BTreeSet, HashMap};

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString, PyTuple};
use tilewright::runtime::fork::Lock;
use tilewright::runtime::{Action, CallKind, Error, Event, Instrument, registry};
use tilewright::{Value, VirtualMachine};

use crate::device::Device;
use crate::executable::PyExecutable;
use crate::function::Function;
use crate::kept::Kept;
use crate::timing::{PyReport, PyTimer, timing};
use crate::value::{arguments, from_python, raised, runtime_error, to_python};
use crate::{argument, error};

/// An executable, ready to run.
#[pyclass(frozen, name = "VirtualMachine", module = "tilewright.relax.vm")]
#[derive(Debug)]
pub(crate) struct PyMachine {
    machine: VirtualMachine,
    /// Saved functions whose results are dropped.
    without_result: Lock<BTreeSet<String>>,
    /// The functions by name: a name never changes its meaning.
    functions: Lock<HashMap<String, Py<Function>>>,
}

/// The memory strategies that programs ask for by name. The machine plans memory and keeps what it frees, whichever.
const MEMORY: [&str; 2] = ["naive", "pooled"];

fn check_memory(config: &Bound<'_, PyAny>) -> PyResult<()> {
    let values: Vec<Bound<'_, PyAny>> = match config.cast::<PyDict>() {
        Ok(by_device) => by_device.values().iter().collect(),
        Err(_) => vec![config.clone()],
    };
    for value in values {
        let name: Option<String> = value.extract().ok();
        if name.as_deref().is_none_or(|name| !MEMORY.contains(&name)) {
            let expected = "memory_cfg is \"naive\", \"pooled\", or a dict from devices to these";
            return Err(match name {
                Some(name) => error::general(config.py(), format_args!("{expected}, found \"{name}\"")),
                None => error::wrong_type(expected, &value),
            });
        }
    }
    Ok(())
}

fn devices_of(device: &Bound<'_, PyAny>) -> PyResult<Vec<tilewright::runtime::Device>> {
    let one = |device: &Bound<'_, PyAny>| match device.cast::<Device>() {
        Ok(device) => Ok(device.get().0),
        Err(_) => Err(error::wrong_type("expected a device such as cpu(), or a list of them", device)),
    };
    match device.cast::<Device>() {
        Ok(device) => Ok(vec![device.get().0]),
        Err(_) => match device.try_iter() {
            Ok(devices) => devices.map(|device| one(&device?)).collect(),
            Err(_) => one(device).map(|device| vec![device]),
        },
    }
}

impl PyMachine {
    fn find(&self, py: Python<'_>, name: &str) -> PyResult<tilewright::runtime::Function> {
        self.machine.function(name).map_err(|e| runtime_error(py, e))
    }

    /// The arguments of a call, those by name in the order of the parameters.
    fn call_arguments(
        &self,
        name: &str,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Value>> {
        let py = args.py();
        let mut values = arguments(args)?;
        let Some(named) = named.filter(|named| !named.is_empty()) else { return Ok(values) };
        let function = self.find(py, name)?;
        let params = function.signature().params.iter().skip(function.captured().len() + values.len());
        let params: Vec<&str> = params.map(|param| param.name.as_str()).take(named.len()).collect();
        for param in &params {
            match named.get_item(param)? {
                Some(value) => values.push(from_python(&value)?),
                None => {
                    let message = format_args!("{name}: arguments by name need a value for \"{param}\" too");
                    return Err(error::general(py, message));
                }
            }
        }
        if let Some(unknown) =
            named.keys().iter().find(|key| !params.iter().any(|param| key.eq(param).unwrap_or(false)))
        {
            return Err(error::general(py, format_args!("{name} has no further parameter {unknown}")));
        }
        Ok(values)
    }
}

#[pymethods]
impl PyMachine {
    /// A machine on one device or several. The memory strategies of `memory_cfg` are accepted and change nothing:
    /// memory is always planned and kept. Every machine can be profiled, with `profile` or without.
    #[new]
    #[pyo3(signature = (rt_mod, device=None, memory_cfg=None, profile=false))]
    fn new(
        rt_mod: &Bound<'_, PyAny>,
        device: Option<&Bound<'_, PyAny>>,
        memory_cfg: Option<&Bound<'_, PyAny>>,
        profile: bool,
    ) -> PyResult<Self> {
        let _ = profile;
        let py = rt_mod.py();
        let Ok(executable) = rt_mod.cast::<PyExecutable>() else {
            return Err(error::wrong_type("expected an Executable from relax.build", rt_mod));
        };
        memory_cfg.map_or(Ok(()), check_memory)?;
        let devices = device.map_or(Ok(Vec::new()), devices_of)?;
        let executable = executable.get().executable.clone();
        let made: Result<_, Error> = py.detach(|| VirtualMachine::new(executable, &devices));
        let machine = made.map_err(|e| runtime_error(py, e))?;
        Ok(Self { machine, without_result: Lock::default(), functions: Lock::default() })
    }

    /// The numbers of the two strategies of memory.
    #[classattr]
    const NAIVE_ALLOCATOR: i64 = 1;
    #[classattr]
    const POOLED_ALLOCATOR: i64 = 2;

    fn __getitem__(&self, name: &Bound<'_, PyAny>) -> PyResult<Py<Function>> {
        let py = name.py();
        if let Ok(text) = name.cast::<PyString>()
            && let Some(known) = self.functions.lock().get(text.to_str()?)
        {
            return Ok(known.clone_ref(py));
        }
        let name = argument::function_name(name)?;
        let function = self.find(py, &name)?;
        let silent = self.without_result.lock().contains(&name);
        let function = if silent { Function::without_result(function) } else { Function::machine(function) };
        let function = Py::new(py, function)?;
        self.functions.lock().insert(name, function.clone_ref(py));
        Ok(function)
    }

    /// The machine itself: `vm.module["main"]` is `vm["main"]`.
    #[getter]
    fn module(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// The names of the program's functions.
    fn function_names(&self) -> Vec<String> {
        self.machine.function_names().map(str::to_owned).collect()
    }

    /// Calls a closure that a function of the machine returned.
    #[pyo3(signature = (closure, *args))]
    fn invoke_closure<'py>(
        &self,
        closure: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let (closure, values) = (from_python(closure)?, arguments(args)?);
        let result = py.detach(|| self.machine.invoke_closure(&closure, &values)).map_err(|e| runtime_error(py, e))?;
        to_python(py, &result)
    }

    /// Makes a function of this machine under a new name: `func_name` with its first arguments given, or those by name.
    /// Without `include_return` its result is dropped.
    #[pyo3(signature = (func_name, saved_name, *args, include_return=true, **named))]
    fn save_function(
        &self,
        #[pyo3(from_py_with = argument::function_name)] func_name: String,
        #[pyo3(from_py_with = argument::function_name)] saved_name: String,
        args: &Bound<'_, PyTuple>,
        include_return: bool,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let py = args.py();
        let values = self.call_arguments(&func_name, args, named)?;
        self.machine.save_function(&func_name, &saved_name, &values).map_err(|e| runtime_error(py, e))?;
        if !include_return {
            self.without_result.lock().insert(saved_name);
        }
        Ok(())
    }

    /// Stores the arguments of the next `invoke_stateful` of the function, by position or by name.
    #[pyo3(signature = (func_name, *args, **named))]
    fn set_input(
        &self,
        #[pyo3(from_py_with = argument::function_name)] func_name: String,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let values = self.call_arguments(&func_name, args, named)?;
        self.machine.set_input(&func_name, &values).map_err(|e| runtime_error(args.py(), e))
    }

    /// Calls the function with the arguments that were set, and keeps its result for `get_outputs`.
    fn invoke_stateful(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::function_name)] func_name: String,
    ) -> PyResult<()> {
        py.detach(|| self.machine.invoke_stateful(&func_name)).map_err(|e| runtime_error(py, e))
    }

    /// The result of the last `invoke_stateful` of the function.
    fn get_outputs<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::function_name)] func_name: String,
    ) -> PyResult<Bound<'py, PyAny>> {
        let outputs = self.machine.get_outputs(&func_name).map_err(|e| runtime_error(py, e))?;
        to_python(py, &outputs)
    }

    /// Calls `instrument(func, name, before_run, ret_value, *args)` before and after each call of a kernel, a packed
    /// function or a function of the program, from the next run on; None takes it away. `func` is the packed function,
    /// or None for what has no function of its own; `ret_value` is None before the call. Before a call the answer
    /// `VMInstrumentReturnKind.SKIP_RUN` leaves it out. An exception ends the run and comes back from it.
    fn set_instrument(&self, py: Python<'_>, instrument: Option<Py<PyAny>>) -> PyResult<()> {
        let watch = match instrument {
            None => None,
            Some(object) if object.bind(py).is_callable() => {
                let object = Kept::new(object);
                Some(Instrument::new(move |event| Python::attach(|py| tell(object.bind(py), event)).map_err(raised)))
            }
            Some(object) => {
                return Err(error::wrong_type("expected a function to call around each call", object.bind(py)));
            }
        };
        py.detach(|| self.machine.set_instrument(watch));
        Ok(())
    }

    /// A timer of calls of the function: called with its arguments, it calls the function once without looking, then
    /// takes `repeat` times of `number` calls each; `number` grows until a repeat takes `min_repeat_ms`. After every
    /// `repeats_to_cooldown` repeats it waits for `cooldown_interval_ms`. Nothing can be done before a repeat:
    /// `f_preproc` is empty.
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
        PyTimer::new(py, self.machine.clone(), &func_name, timing)
    }

    /// Runs the function once and says where the time went.
    #[pyo3(signature = (func_name, *args))]
    fn profile(
        &self,
        #[pyo3(from_py_with = argument::function_name)] func_name: String,
        args: &Bound<'_, PyTuple>,
    ) -> PyResult<PyReport> {
        let py = args.py();
        let values = arguments(args)?;
        let outcome = py.detach(|| self.machine.profile(&func_name, &values).map(|(_, report)| report));
        outcome.map(PyReport).map_err(|e| runtime_error(py, e))
    }

    fn __repr__(&self) -> String {
        format!("<VirtualMachine with {}>", self.function_names().join(", "))
    }
}

/// Tells a Python instrument of a call.
fn tell(instrument: &Bound<'_, PyAny>, event: &Event<'_>) -> PyResult<Action> {
    let py = instrument.py();
    let function = match event.kind {
        CallKind::Packed => registry::get(event.name).ok().map(|function| Function::packed(event.name, function)),
        CallKind::Kernel | CallKind::Function => None,
    };
    let function = function.map_or(Ok(py.None().into_bound(py)), |f| Bound::new(py, f).map(Bound::into_any))?;
    let result = event.result.map_or(Ok(py.None().into_bound(py)), |result| to_python(py, result))?;
    let before = PyBool::new(py, event.result.is_none()).to_owned().into_any();
    let mut all = vec![function, PyString::new(py, event.name).into_any(), before, result];
    for arg in event.args {
        all.push(to_python(py, arg)?);
    }
    let answer = instrument.call1(PyTuple::new(py, all)?)?;
    if event.result.is_some() || answer.is_none() {
        return Ok(Action::Run);
    }
    match answer.extract::<i64>() {
        Ok(0) => Ok(Action::Run),
        Ok(1) => Ok(Action::Skip),
        _ => Err(error::wrong_type("an instrument answers None or a VMInstrumentReturnKind", &answer)),
    }
}
