//! The results of timing and profiling.

use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tilewright::VirtualMachine;
use tilewright::runtime::{Report, Times, Timing};

use crate::error;
use crate::value::{arguments, raised, runtime_error};

/// How often to call, from Python's numbers. Nothing can be asked to run before a repeat.
pub(crate) fn timing(
    py: Python<'_>,
    number: i64,
    repeat: i64,
    min_repeat_ms: f64,
    (cooldown_interval_ms, repeats_to_cooldown): (f64, i64),
    f_preproc: &str,
) -> PyResult<Timing> {
    if !f_preproc.is_empty() {
        return Err(error::general(py, format_args!("nothing runs before a repeat, found f_preproc {f_preproc:?}")));
    }
    let count = |name: &str, value: i64| {
        usize::try_from(value).map_err(|_| error::general(py, format_args!("`{name}` is 1 or more, found {value}")))
    };
    let duration = |name: &str, ms: f64| {
        let duration = Duration::try_from_secs_f64(ms / 1e3);
        duration.map_err(|_| error::general(py, format_args!("`{name}` is 0 or more, found {ms}")))
    };
    let timing = Timing {
        number: count("number", number)?,
        repeat: count("repeat", repeat)?,
        min_repeat: duration("min_repeat_ms", min_repeat_ms)?,
        cooldown: duration("cooldown_interval_ms", cooldown_interval_ms)?,
        repeats_to_cooldown: count("repeats_to_cooldown", repeats_to_cooldown)?,
    };
    timing.check().map_err(|e| runtime_error(py, e))?;
    Ok(timing)
}

/// Times a function when it is called with the function's arguments.
#[pyclass(frozen, name = "TimeEvaluator", module = "tilewright.runtime.module")]
#[derive(Debug)]
pub(crate) struct PyTimer {
    machine: VirtualMachine,
    name: String,
    timing: Timing,
}

impl PyTimer {
    pub(crate) fn new(py: Python<'_>, machine: VirtualMachine, name: &str, timing: Timing) -> PyResult<Self> {
        machine.function(name).map_err(|e| runtime_error(py, e))?;
        Ok(Self { machine, name: name.to_owned(), timing })
    }
}

#[pymethods]
impl PyTimer {
    #[pyo3(signature = (*args))]
    fn __call__(&self, args: &Bound<'_, PyTuple>) -> PyResult<PyTimes> {
        let py = args.py();
        let values = arguments(args)?;
        // The user may want to stop.
        let mut pause = || Python::attach(|py| py.check_signals()).map_err(raised);
        let times = py.detach(|| self.machine.time_with_pauses(&self.name, &values, self.timing, &mut pause));
        times.map(PyTimes).map_err(|e| runtime_error(py, e))
    }

    fn __repr__(&self) -> String {
        format!("<timer of {:?}>", self.name)
    }
}

/// Times of calls, in seconds.
#[pyclass(frozen, name = "BenchmarkResult", module = "tilewright.runtime.module")]
#[derive(Debug)]
pub(crate) struct PyTimes(Times);

#[pymethods]
impl PyTimes {
    /// Seconds for one call, a number for each repeat.
    #[getter]
    fn results(&self) -> Vec<f64> {
        self.0.0.clone()
    }

    #[getter]
    fn mean(&self) -> f64 {
        self.0.mean()
    }

    #[getter]
    fn median(&self) -> f64 {
        self.0.median()
    }

    #[getter]
    fn min(&self) -> f64 {
        self.0.min()
    }

    #[getter]
    fn max(&self) -> f64 {
        self.0.max()
    }

    /// The standard deviation.
    #[getter]
    fn std(&self) -> f64 {
        self.0.std()
    }

    fn __str__(&self) -> String {
        let ms = |seconds: f64| format!("{:.4}", seconds * 1e3);
        let (mean, median, min) = (ms(self.0.mean()), ms(self.0.median()), ms(self.0.min()));
        let (max, std, repeats) = (ms(self.0.max()), ms(self.0.std()), self.0.0.len());
        format!("mean {mean} ms, median {median} ms, min {min} ms, max {max} ms, std {std} ms of {repeats} repeats")
    }

    fn __repr__(&self) -> String {
        self.__str__()
    }
}

/// Where a run's time went.
#[pyclass(frozen, name = "Report", module = "tilewright.runtime.profiling")]
#[derive(Debug)]
pub(crate) struct PyReport(pub(crate) Report);

#[pymethods]
impl PyReport {
    /// Seconds of the whole run.
    #[getter]
    fn total(&self) -> f64 {
        self.0.total.as_secs_f64()
    }

    /// Seconds outside of kernels and packed functions.
    #[getter]
    fn overhead(&self) -> f64 {
        self.0.overhead().as_secs_f64()
    }

    /// The callees, the slowest first: a dict for each with its name, its kind (`kernel`, `packed` or `function`), the
    /// count of calls, seconds in all and of the shortest call, the share of the run, and the bytes of its tensors.
    #[getter]
    fn calls<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rows = self.0.rows.iter().map(|row| {
            let call = PyDict::new(py);
            call.set_item("name", &row.name)?;
            call.set_item("kind", row.kind.name())?;
            call.set_item("count", row.count)?;
            call.set_item("seconds", row.time.as_secs_f64())?;
            call.set_item("shortest", row.shortest.as_secs_f64())?;
            call.set_item("share", self.0.share(row))?;
            call.set_item("bytes", row.bytes)?;
            Ok(call)
        });
        rows.collect()
    }

    /// The report as a table.
    fn table(&self) -> String {
        self.0.to_string()
    }

    /// The calls as JSON.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        let report = PyDict::new(py);
        report.set_item("total", self.total())?;
        report.set_item("overhead", self.overhead())?;
        report.set_item("calls", self.calls(py)?)?;
        py.import("json")?.call_method1("dumps", (report,))?.extract()
    }

    fn __str__(&self) -> String {
        self.table()
    }

    fn __repr__(&self) -> String {
        self.table()
    }
}
