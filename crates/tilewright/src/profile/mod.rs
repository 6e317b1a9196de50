//! The time of a function by kernel, with the lower bounds by arithmetic and memory.
//!
//! Compiling leaves in the executable what each kernel came from and what a call of it costs, as formulas of its sizes
//! (`notes`, `formula`); [`profile`] runs a function, times its kernels, and evaluates the formulas for the sizes that
//! they were called with. [`Limits`] are measured separately.

mod formula;
mod limits;
mod memory;
mod notes;
pub mod trace;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tilewright_runtime::{Action, CallKind, Event, Executable, Instrument, Value, VirtualMachine};
use tilewright_support::Map;

pub use limits::Limits;
pub use memory::{Memory, Point};
pub use notes::KERNEL;
pub(crate) use notes::{Unscheduled, lines_of, sources};

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
    /// The calls of one run, whose time is the median of the watched ones, in the order in which they began.
    pub slices: Vec<Slice>,
    /// The memory of that run, unless the function has branches.
    pub memory: Option<Memory>,
    pub limits: Limits,
}

/// A call.
#[derive(Clone, PartialEq, Debug)]
pub struct Slice {
    pub kind: CallKind,
    pub name: String,
    /// How many calls of functions are around it.
    pub depth: usize,
    /// Since the beginning of the run.
    pub start: Duration,
    pub time: Duration,
    /// The arguments, such as `float32[3, 4]`; of a kernel also the tensors that it writes.
    pub args: Vec<String>,
    /// The bytes of each argument that is a tensor.
    pub bytes: Vec<Option<u64>>,
    pub operations: Option<f64>,
    pub read: Option<f64>,
    pub written: Option<f64>,
}

impl Slice {
    /// The lower bound of its operations and bytes.
    pub fn floor(&self, limits: &Limits) -> Option<Duration> {
        Duration::try_from_secs_f64(limits.floor(self.operations?, self.read?, self.written?)).ok()
    }
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
    /// When the run began.
    begin: Option<Instant>,
    /// The calls that are under way: their numbers in `slices`, when they began, and what `own` was then.
    open: Vec<(usize, Instant, Duration)>,
    /// Time that was spent on notes since the run began, which is no time of the run.
    own: Duration,
    slices: Vec<Slice>,
    notes: Map<String, Note>,
}

impl Recorder {
    fn note(&mut self, executable: &Executable, event: &Event<'_>) {
        let now = Instant::now();
        if event.result.is_none() {
            let slice = self.slice(executable, event);
            let number = self.slices.len();
            self.slices.push(slice);
            self.own += now.elapsed();
            self.open.push((number, Instant::now(), self.own));
            return;
        }
        let Some((number, start, own)) = self.open.pop() else { return };
        let begin = *self.begin.get_or_insert(start);
        if let Some(slice) = self.slices.get_mut(number) {
            slice.start = start.saturating_duration_since(begin).saturating_sub(own);
            slice.time = (now - start).saturating_sub(self.own - own);
        }
        self.own += now.elapsed();
    }

    /// A call that begins. Its arguments are those from before it: it may change what it is given.
    fn slice(&mut self, executable: &Executable, event: &Event<'_>) -> Slice {
        let note = self.notes.entry(event.name.to_owned()).or_insert_with(|| Note::of(executable, event.name));
        let scalars = scalars_of(event.args);
        let amount = |formula: &Option<String>| formula::evaluate(formula.as_deref()?, &scalars);
        let bytes = |value: &Value| match value {
            Value::Tensor(tensor) => Some(tensor.num_bytes() as u64),
            _ => None,
        };
        Slice {
            kind: event.kind,
            name: event.name.to_owned(),
            depth: self.open.len(),
            start: Duration::ZERO,
            time: Duration::ZERO,
            args: event.args.iter().map(text_of).collect(),
            bytes: event.args.iter().map(bytes).collect(),
            operations: amount(&note.operations),
            read: amount(&note.read),
            written: amount(&note.written),
        }
    }
}

/// An argument in a few words.
fn text_of(value: &Value) -> String {
    match value {
        Value::Tensor(tensor) => format!("{}{:?}", tensor.dtype(), tensor.shape()),
        Value::Tuple(items) => format!("tuple of {}", items.len()),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Shape(sizes) => format!("shape {sizes:?}"),
        other => other.kind_name().to_owned(),
    }
}

/// The calls of each callee in a run.
fn sums(slices: &[Slice]) -> Map<String, Calls> {
    let mut calls: Map<String, Calls> = Map::default();
    for slice in slices.iter().filter(|slice| slice.kind != CallKind::Function) {
        let first = Calls { operations: Some(0.0), read: Some(0.0), written: Some(0.0), ..Calls::default() };
        let calls = calls.entry(slice.name.clone()).or_insert(first);
        let more = |sum: Option<f64>, amount: Option<f64>| Some(sum? + amount?);
        calls.is_kernel = slice.kind == CallKind::Kernel;
        calls.count += 1;
        calls.time += slice.time;
        calls.operations = more(calls.operations, slice.operations);
        calls.read = more(calls.read, slice.read);
        calls.written = more(calls.written, slice.written);
    }
    calls
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
        let start = Instant::now();
        recorder.lock().unwrap_or_else(PoisonError::into_inner).begin = Some(start);
        run()?;
        let took = start.elapsed();
        machine.set_instrument(None);
        let mut recorder = recorder.lock().unwrap_or_else(PoisonError::into_inner);
        let own = std::mem::take(&mut recorder.own);
        watched.push((took.saturating_sub(own), std::mem::take(&mut recorder.slices)));
    }
    let limits = Limits::measure()?;
    let calls: Vec<_> = watched.iter().map(|(_, slices)| sums(slices)).collect();
    let rows = rows(executable, &calls);
    watched.sort_by_key(|(took, _)| *took);
    let middle = watched.len() / 2;
    let slices = watched.into_iter().nth(middle).map_or_else(Vec::new, |(_, slices)| slices);
    let memory = Memory::of(executable.program(), function, &slices);
    Ok(Profile { total: median(totals), rows, slices, memory, limits })
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
