//! Tuning: tasks, spaces, the search, and databases, as Python's `meta_schedule` uses them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyList;
use tilewright::ir::tir::PrimFunc;
use tilewright::schedule::{Schedule, Trace};
use tilewright::tune::{
    ApplyDatabase, Budget, Candidate, Database, DatabaseError, Event, Gain, Measure, Measured, ProcessRunner, Record,
    Run, Search, Space, Strategy, Task, tasks, tune,
};
use tilewright::{GlobalFunc, IRModule, pipelines, tuning};

use crate::error;
use crate::module::PyModule;
use crate::pass::{PyPass, Settings, module_of};
use crate::schedule::PySchedule;
use crate::target::PyTarget;
use crate::view::{self, Node};

/// The name of the function of a workload.
const MAIN: &str = "main";

fn prim_of(object: &Bound<'_, PyAny>) -> PyResult<Arc<PrimFunc>> {
    match view::node_of(object) {
        Some(Node::PrimFunc(_, function)) => Ok(function.clone()),
        _ => Err(error::wrong_type("expected a PrimFunc", object)),
    }
}

fn prim_object<'py>(py: Python<'py>, function: &Arc<PrimFunc>) -> PyResult<Bound<'py, PyAny>> {
    view::wrap(py, Node::PrimFunc(MAIN.into(), function.clone()))
}

fn failed(py: Python<'_>, problem: &DatabaseError) -> PyErr {
    error::general(py, problem)
}

/// A run as Python has it: sizes, seconds, and seconds of the kernel without tuning.
type RunParts = (Vec<i64>, Vec<f64>, Vec<f64>);

/// A record as Python has it: the key of its workload, its machine, the lines of its trace, and its runs.
type RecordParts = (String, String, Vec<String>, Vec<RunParts>);

fn parts_of(record: &Record) -> RecordParts {
    let run = |run: &Run| (run.sizes.clone(), run.seconds.clone(), run.baseline.clone());
    (record.workload.clone(), record.machine.clone(), record.trace.clone(), record.runs.iter().map(run).collect())
}

fn record_of((workload, machine, trace, runs): RecordParts) -> Record {
    Record { workload, machine, trace, runs: runs.into_iter().map(run_of).collect() }
}

fn run_of((sizes, seconds, baseline): RunParts) -> Run {
    Run { sizes, seconds, baseline }
}

/// Workloads and records, in memory or in files.
#[pyclass(frozen, name = "TuningDatabase", module = "tilewright.meta_schedule.database")]
#[derive(Debug)]
pub(crate) struct PyDatabase(Mutex<Database>);

impl PyDatabase {
    fn lock(&self) -> MutexGuard<'_, Database> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyDatabase {
    /// A database of these files, or one without any.
    #[new]
    #[pyo3(signature = (workloads=None, records=None))]
    fn new(py: Python<'_>, workloads: Option<PathBuf>, records: Option<PathBuf>) -> PyResult<Self> {
        let database = match (workloads, records) {
            (Some(workloads), Some(records)) => Database::open_files(&workloads, &records),
            (Some(one), None) | (None, Some(one)) => Database::open(&one),
            (None, None) => Ok(Database::memory()),
        };
        database.map(|database| Self(Mutex::new(database))).map_err(|problem| failed(py, &problem))
    }

    /// Adds a function, unless it is there; gives its key.
    fn commit_workload(&self, function: &Bound<'_, PyAny>) -> PyResult<String> {
        let prim = prim_of(function)?;
        self.lock().commit_workload(&prim).map_err(|problem| failed(function.py(), &problem))
    }

    /// The key of a function, or of one like it; `None` where it is not there.
    fn key_of(&self, function: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let function = prim_of(function)?;
        Ok(self.lock().key_of(&function).map(str::to_owned))
    }

    /// The function of a key.
    fn function<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let function = self.lock().function(key).cloned();
        function.map(|function| prim_object(py, &function)).transpose()
    }

    /// The keys of all workloads, in the order in which they came.
    fn keys(&self) -> Vec<String> {
        self.lock().workloads().map(|(key, _)| key.to_owned()).collect()
    }

    fn commit(&self, py: Python<'_>, record: RecordParts) -> PyResult<()> {
        self.lock().commit(record_of(record)).map_err(|problem| failed(py, &problem))
    }

    /// All records, in the order in which they came.
    fn records(&self) -> Vec<RecordParts> {
        self.lock().records().iter().map(parts_of).collect()
    }

    /// The best records of a workload; of one machine's processor where that is given.
    #[pyo3(signature = (key, machine, count))]
    fn top(&self, key: &str, machine: Option<&str>, count: usize) -> Vec<RecordParts> {
        self.lock().top(key, machine, count).into_iter().map(parts_of).collect()
    }

    /// Adds all of another database.
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        let other = other.lock().clone();
        self.lock().merge(&other).map_err(|problem| failed(py, &problem))
    }
}

/// The tasks of a module: its PrimFuncs without a schedule, or with `compiled` those that its compilation would
/// schedule. Each is a name, a function and the number of its calls.
#[pyfunction]
pub(crate) fn tuning_tasks<'py>(
    py: Python<'py>,
    module: &Bound<'py, PyAny>,
    target: &PyTarget,
    compiled: bool,
) -> PyResult<Vec<(String, Bound<'py, PyAny>, usize)>> {
    let (module, target) = (module_of(module)?, &target.target);
    let found = match compiled {
        true => Settings::current(py)?.run(py, |cx| tuning::module_tasks(cx, &module, target))?,
        false => tasks(&module, target),
    };
    found.into_iter().map(|task| Ok((task.name, prim_object(py, &task.function)?, task.weight))).collect()
}

/// The traces of the default space of a function: those of the rules' candidates, the rules' own choice first, then
/// tilings with decisions.
#[pyfunction]
pub(crate) fn tuning_space(function: &Bound<'_, PyAny>, target: &PyTarget) -> PyResult<Vec<Vec<String>>> {
    let function = prim_of(function)?;
    let task = Task::new(MAIN, &function, &target.target);
    let space = Space::of_rules(&task);
    let first = space.first().iter().map(|candidate| &candidate.trace);
    Ok(first.chain(space.designs()).map(lines).collect())
}

/// What a function and its like are known by.
#[pyfunction]
pub(crate) fn workload_hash(function: &Bound<'_, PyAny>) -> PyResult<u64> {
    let function = prim_of(function)?;
    let workload = tilewright::tune::workload(&function);
    Ok(tilewright::ir::node::HashCx::hash(&workload))
}

/// The target as records name it.
#[pyfunction]
pub(crate) fn machine_name(target: &PyTarget) -> String {
    tilewright::tune::machine_name(&target.target)
}

/// A pass that replaces PrimFuncs by what a database has for them.
#[pyfunction]
#[pyo3(signature = (database, target=None, schedule=None))]
pub(crate) fn apply_database(
    database: &PyDatabase,
    target: Option<&PyTarget>,
    schedule: Option<&PySchedule>,
) -> PyPass {
    let pass = ApplyDatabase::new(Arc::new(database.lock().clone()), target.map(|target| target.target.clone()));
    let pass = match schedule {
        Some(schedule) => pass.with_intrinsics(schedule.state().intrinsics().clone()),
        None => pass,
    };
    PyPass::native(Arc::new(pass))
}

/// The default pipeline, with the schedules of a database.
#[pyfunction]
pub(crate) fn pipeline_with_database(database: &PyDatabase, target: &PyTarget) -> PyPass {
    let database = Arc::new(database.lock().clone());
    PyPass::native(Arc::new(pipelines::with_database(&target.target, database)))
}

/// A search in a space, step by step.
#[pyclass(frozen, name = "TuningSearch", module = "tilewright.meta_schedule.search_strategy")]
#[derive(Debug)]
pub(crate) struct PySearch(Mutex<(Search, Vec<Candidate>)>);

#[pymethods]
impl PySearch {
    /// A search of a function's default space, or in one of schedules of its own.
    #[new]
    #[pyo3(signature = (function, target, strategy, seed, schedules=None))]
    fn new(
        function: &Bound<'_, PyAny>,
        target: &PyTarget,
        strategy: &str,
        seed: u64,
        schedules: Option<Vec<Bound<'_, PySchedule>>>,
    ) -> PyResult<Self> {
        let prim = prim_of(function)?;
        let task = Task::new(MAIN, &prim, &target.target);
        let search = Search::new(space(&task, schedules), strategy_of(function.py(), strategy)?, seed);
        Ok(Self(Mutex::new((search, Vec::new()))))
    }

    /// Traces that were never proposed, so many at most.
    fn propose(&self, count: usize) -> Vec<Vec<String>> {
        let mut search = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        search.1 = search.0.propose(count);
        search.1.iter().map(|candidate| lines(&candidate.trace)).collect()
    }

    /// Tells what a candidate of the last proposal cost, by its number.
    fn learn(&self, number: usize, cost: f64) {
        let mut search = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(candidate) = search.1.get(number).cloned() {
            search.0.learn(&candidate, cost);
        }
    }
}

fn lines(trace: &Trace) -> Vec<String> {
    trace.instructions.iter().map(ToString::to_string).collect()
}

fn space(task: &Task, schedules: Option<Vec<Bound<'_, PySchedule>>>) -> Space {
    match schedules {
        None => Space::of_rules(task),
        Some(own) => {
            let own: Vec<Schedule> = own.iter().map(|schedule| schedule.get().state()).collect();
            Space::of_schedules(task, &own)
        }
    }
}

/// Measures by a function of Python's: of the task's number and modules, which gives for each its seconds, or a text
/// that says why there are none.
struct PythonMeasure {
    function: Py<PyAny>,
    names: Vec<String>,
    raised: Option<PyErr>,
}

impl PythonMeasure {
    fn ask(&self, py: Python<'_>, task: &Task, candidates: &[Candidate]) -> PyResult<Vec<Measured>> {
        let modules = candidates.iter().map(|candidate| {
            let mut module = IRModule::new();
            module.insert(MAIN, GlobalFunc::from(candidate.function.clone()).with_symbol(MAIN));
            Bound::new(py, PyModule::of(module))
        });
        let modules = PyList::new(py, modules.collect::<PyResult<Vec<_>>>()?)?;
        let at = self.names.iter().position(|name| *name == task.name).unwrap_or(0);
        let answers = self.function.bind(py).call1((at, modules))?;
        let answer = |answer: Bound<'_, PyAny>| -> PyResult<Measured> {
            match answer.extract::<String>() {
                Ok(failure) => Ok(Err(failure)),
                Err(_) => Ok(Ok(vec![Run { seconds: answer.extract()?, ..Run::default() }])),
            }
        };
        answers.try_iter()?.map(|item| answer(item?)).collect()
    }
}

impl Measure for PythonMeasure {
    fn measure(&mut self, task: &Task, candidates: &[Candidate]) -> Vec<Measured> {
        if self.raised.is_none() {
            match Python::attach(|py| self.ask(py, task, candidates)) {
                Ok(outcomes) => return outcomes,
                Err(raised) => self.raised = Some(raised),
            }
        }
        Vec::new()
    }
}

/// A task as Python gives it: name, function, weight, and schedules of its own where it has a space of its own.
type TaskParts<'py> = (String, Bound<'py, PyAny>, usize, Option<Vec<Bound<'py, PySchedule>>>);

/// What was gained for a task: name, weight, trials, failures, why the last one failed, the best record, its origin.
type GainParts = (String, usize, usize, usize, Option<String>, Option<RecordParts>, &'static str);

fn gain_parts(gain: &Gain) -> GainParts {
    let best = gain.best.as_ref().map(parts_of);
    (gain.name.clone(), gain.weight, gain.trials, gain.failures, gain.failure.clone(), best, gain.origin)
}

fn strategy_of(py: Python<'_>, name: &str) -> PyResult<Strategy> {
    match name {
        "evolutionary" => Ok(Strategy::Evolutionary),
        "replay-trace" => Ok(Strategy::Replay),
        "replay-func" => Ok(Strategy::Given),
        other => {
            let expected = "expected \"evolutionary\", \"replay-trace\" or \"replay-func\"";
            Err(error::general(py, format_args!("{expected}, found \"{other}\"")))
        }
    }
}

/// How to search: strategy, candidates at most in all and for a task, those of a batch, the seed, and the seconds after
/// which to stop.
type SearchParts = (String, usize, usize, usize, u64, Option<f64>);

/// Tunes tasks for a target, and writes what was measured into a database. `measure` is a function that takes the
/// times, or the command of a process that does, with the seconds for one candidate; `watch` is called with each gain
/// as it is after a trial.
#[pyfunction]
pub(crate) fn tune_tasks(
    py: Python<'_>,
    tasks: Vec<TaskParts<'_>>,
    target: &PyTarget,
    search: SearchParts,
    database: &PyDatabase,
    measure: &Bound<'_, PyAny>,
    watch: Option<Py<PyAny>>,
) -> PyResult<Vec<GainParts>> {
    let (strategy, trials, trials_per_task, batch, seed, seconds) = search;
    let strategy = strategy_of(py, &strategy)?;
    let mut all: Vec<(Task, Search)> = Vec::new();
    for (at, (name, function, weight, schedules)) in tasks.into_iter().enumerate() {
        let function = prim_of(&function)?;
        let task = Task { weight, ..Task::new(name, &function, &target.target) };
        let search = Search::new(space(&task, schedules), strategy, seed.wrapping_add(at as u64));
        all.push((task, search));
    }
    let limits = Limits { trials, trials_per_task, batch, seconds };
    let mut measure = Measurer::new(measure, &all)?;
    // Callbacks may use the database: it is not locked while they can run.
    let mut copy = database.lock().clone();
    let outcome = py.detach(|| run(all, &limits, &mut measure, &mut copy, watch));
    database.lock().absorb(copy);
    if let Measurer::Python(PythonMeasure { raised: Some(raised), .. }) = measure {
        return Err(raised);
    }
    match outcome {
        Ok(gains) => Ok(gains.iter().map(gain_parts).collect()),
        Err(Stopped::Database(problem)) => Err(failed(py, &problem)),
        Err(Stopped::Raised(raised)) => Err(raised),
    }
}

struct Limits {
    trials: usize,
    trials_per_task: usize,
    batch: usize,
    seconds: Option<f64>,
}

enum Stopped {
    Database(DatabaseError),
    Raised(PyErr),
}

enum Measurer {
    Python(PythonMeasure),
    Process(ProcessRunner),
}

impl Measurer {
    fn new(measure: &Bound<'_, PyAny>, tasks: &[(Task, Search)]) -> PyResult<Self> {
        if measure.is_callable() {
            let names = tasks.iter().map(|(task, _)| task.name.clone()).collect();
            let function = measure.clone().unbind();
            return Ok(Self::Python(PythonMeasure { function, names, raised: None }));
        }
        let (command, environment, limit): (Vec<OsString>, Vec<(OsString, OsString)>, f64) = measure.extract()?;
        let mut runner = ProcessRunner::new(command);
        runner.environment = environment;
        runner.limit = Duration::try_from_secs_f64(limit).unwrap_or(runner.limit);
        Ok(Self::Process(runner))
    }
}

impl Measure for Measurer {
    fn measure(&mut self, task: &Task, candidates: &[Candidate]) -> Vec<Measured> {
        match self {
            Self::Python(python) => python.measure(task, candidates),
            Self::Process(process) => process.measure(task, candidates),
        }
    }
}

fn run(
    tasks: Vec<(Task, Search)>,
    limits: &Limits,
    measure: &mut Measurer,
    database: &mut Database,
    watch: Option<Py<PyAny>>,
) -> Result<Vec<Gain>, Stopped> {
    let (owned, searches): (Vec<Task>, Vec<Search>) = tasks.into_iter().unzip();
    let begin = Instant::now();
    let raised: Mutex<Option<PyErr>> = Mutex::new(None);
    let kept = || raised.lock().unwrap_or_else(PoisonError::into_inner);
    let is_over = || {
        if let Err(stop) = Python::attach(|py| py.check_signals()) {
            *kept() = Some(stop);
        }
        kept().is_some() || limits.seconds.is_some_and(|seconds| begin.elapsed().as_secs_f64() >= seconds)
    };
    let Limits { trials, trials_per_task, batch, .. } = *limits;
    let budget = Budget { trials, trials_per_task, batch, is_over: &is_over };
    let mut told = |event: &Event<'_>| {
        if let (Event::Trial { gain, .. }, Some(watch)) = (event, &watch)
            && let Err(problem) = Python::attach(|py| watch.bind(py).call1((gain_parts(gain),)).map(drop))
        {
            kept().get_or_insert(problem);
        }
    };
    let gains = tune(owned.iter().zip(searches).collect(), &budget, measure, database, &mut told);
    match raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(raised) => Err(Stopped::Raised(raised)),
        None => gains.map_err(Stopped::Database),
    }
}
