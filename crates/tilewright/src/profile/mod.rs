//! The time of a function by kernel, with the lower bounds by arithmetic and memory.
//!
//! Compiling leaves in the executable what each kernel came from and what a call of it costs, as formulas of its sizes
//! (`notes`, `formula`); [`profile`] runs a function, times its kernels, and evaluates the formulas for the sizes that
//! they were called with. [`Limits`] are measured separately.

mod formula;
mod limits;
mod notes;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tilewright_runtime::{Action, CallKind, Event, Executable, Instrument, Value, VirtualMachine};
use tilewright_support::Map;

pub use limits::Limits;
pub use notes::KERNEL;
pub(crate) use notes::{Unscheduled, sources};

use notes::Note;

/// Runs that are not counted: pages are touched, frequencies rise.
const WARM_UP: usize = 2;

/// The distribution of a function's time.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The median time of a run without instruments.
    pub total: Duration,
    /// Kernels and functions of the process, those that take longest first.
    pub rows: Vec<Row>,
    pub limits: Limits,
}

/// All calls of one kernel in a run.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    /// Whether it is a kernel; otherwise it is a function of the process.
    pub is_kernel: bool,
    /// Calls in a run.
    pub calls: usize,
    /// The median over the runs.
    pub time: Duration,
    /// Arithmetic operations and bytes of the tensors, where the executable says what the kernel does.
    pub operations: Option<f64>,
    pub read: Option<f64>,
    pub written: Option<f64>,
    /// `FILE:LINE TEXT` of what it was made from.
    pub sources: Vec<String>,
}

impl Row {
    /// The lower bound of its operations and bytes, all calls together: each usually touches other memory.
    pub fn floor(&self, limits: &Limits) -> Option<Duration> {
        Duration::try_from_secs_f64(limits.floor(self.operations?, self.read?, self.written?)).ok()
    }

    /// The part of its time that cannot be saved.
    pub fn share_of_floor(&self, limits: &Limits) -> Option<f64> {
        (!self.time.is_zero()).then_some(())?;
        Some(self.floor(limits)?.as_secs_f64() / self.time.as_secs_f64())
    }
}

/// The calls of one callee in one run.
#[derive(Clone, Debug, Default)]
struct Calls {
    is_kernel: bool,
    count: usize,
    time: Duration,
    operations: Option<f64>,
    read: Option<f64>,
    written: Option<f64>,
}

/// Notes the calls of a run.
#[derive(Debug, Default)]
struct Recorder {
    started: Vec<Instant>,
    calls: Map<String, Calls>,
    notes: Map<String, Note>,
}

impl Recorder {
    fn note(&mut self, executable: &Executable, event: &Event<'_>) {
        let now = Instant::now();
        if event.kind == CallKind::Function {
            return;
        }
        if event.result.is_none() {
            self.started.push(Instant::now());
            return;
        }
        let Some(start) = self.started.pop() else { return };
        let note = self.notes.entry(event.name.to_owned()).or_insert_with(|| Note::of(executable, event.name));
        let scalars = scalars_of(event.args);
        let amount = |formula: &Option<String>| formula::evaluate(formula.as_deref()?, &scalars);
        let first = Calls { operations: Some(0.0), read: Some(0.0), written: Some(0.0), ..Calls::default() };
        let calls = self.calls.entry(event.name.to_owned()).or_insert(first);
        let more = |sum: Option<f64>, formula| Some(sum? + amount(formula)?);
        calls.is_kernel = event.kind == CallKind::Kernel;
        calls.count += 1;
        calls.time += now - start;
        calls.operations = more(calls.operations, &note.operations);
        calls.read = more(calls.read, &note.read);
        calls.written = more(calls.written, &note.written);
    }
}

/// The arguments of a kernel that are no tensors, in order.
fn scalars_of(args: &[Value]) -> Vec<f64> {
    let number = |value: &Value| match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        _ => None,
    };
    args.iter().filter_map(number).collect()
}

/// Runs a function of an executable `runs` times and returns the distribution of its time.
pub fn profile(executable: &Arc<Executable>, function: &str, args: &[Value], runs: usize) -> Result<Profile, String> {
    let machine = VirtualMachine::new(Arc::clone(executable), &[]).map_err(|error| error.to_string())?;
    let called = machine.function(function).map_err(|error| error.to_string())?;
    let run = || called.call(args).map_err(|error| error.to_string());
    for _ in 0..WARM_UP {
        run()?;
    }
    let (mut totals, mut watched) = (Vec::new(), Vec::new());
    let recorder = Arc::new(Mutex::new(Recorder::default()));
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        run()?;
        totals.push(start.elapsed());
        machine.set_instrument(Some(watching(&recorder, executable)));
        run()?;
        machine.set_instrument(None);
        watched.push(std::mem::take(&mut recorder.lock().unwrap_or_else(PoisonError::into_inner).calls));
    }
    let limits = Limits::measure()?;
    Ok(Profile { total: median(totals), rows: rows(executable, &watched), limits })
}

fn watching(recorder: &Arc<Mutex<Recorder>>, executable: &Arc<Executable>) -> Instrument {
    let (recorder, executable) = (Arc::clone(recorder), Arc::clone(executable));
    Instrument::new(move |event| {
        recorder.lock().unwrap_or_else(PoisonError::into_inner).note(&executable, event);
        Ok(Action::Run)
    })
}

/// The rows of several runs, by their median times.
fn rows(executable: &Executable, runs: &[Map<String, Calls>]) -> Vec<Row> {
    let Some(last) = runs.last() else { return Vec::new() };
    let row = |(name, calls): (&String, &Calls)| Row {
        name: name.clone(),
        is_kernel: calls.is_kernel,
        calls: calls.count,
        time: median(runs.iter().filter_map(|run| Some(run.get(name)?.time)).collect()),
        operations: calls.operations,
        read: calls.read,
        written: calls.written,
        sources: Note::of(executable, name).sources,
    };
    let mut rows: Vec<Row> = last.iter().map(row).collect();
    rows.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    rows
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
