//! Tuning: batches of candidates for the tasks of a module, as long as the budget lasts.
//!
//! Each task gets one candidate, its kernel without tuning, in the order of the tasks. After that, each batch goes to
//! the task from which most is expected: its calls times its best time, times what its last batches gained. A candidate
//! that looks like the best one yet is measured a second time, and the worse of both outcomes counts: of many noisy
//! times the least is a lucky one.

use crate::candidate::Candidate;
use crate::database::{Database, DatabaseError};
use crate::measure::{Measure, Run};
use crate::record::Record;
use crate::search::Search;
use crate::task::{Task, machine_name};

/// How long to tune.
pub struct Budget<'a> {
    /// Candidates that are measured at most, of all tasks and of each one.
    pub trials: usize,
    pub trials_per_task: usize,
    /// Candidates of a batch.
    pub batch: usize,
    /// Asked before each batch.
    pub is_over: &'a dyn Fn() -> bool,
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Budget({} trials, batches of {})", self.trials, self.batch)
    }
}

/// What was gained for a task.
#[derive(Clone, Debug)]
pub struct Gain {
    pub name: String,
    pub weight: usize,
    /// Candidates that were measured, and those of them that failed.
    pub trials: usize,
    pub failures: usize,
    /// Why the last one failed.
    pub failure: Option<String>,
    /// The best record, and what made its candidate.
    pub best: Option<Record>,
    pub origin: &'static str,
}

/// What happens while tuning.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A batch of so many candidates begins for the task of this index.
    Batch { task: usize, name: &'a str, candidates: usize },
    /// A candidate of that task was measured.
    Trial { task: usize, gain: &'a Gain },
}

struct State<'a> {
    task: &'a Task,
    search: Search,
    gain: Gain,
    /// What is left to expect of the task, as a share of its time.
    hope: f64,
    is_done: bool,
}

/// The hope for a task of which only the kernel without tuning was measured, and what a batch without a gain leaves
/// of it.
const FIRST_HOPE: f64 = 0.5;
const FADING: f64 = 0.5;

/// Tunes each task by its search, and writes what was measured into the database. The gains are in the order of the
/// tasks.
///
/// # Errors
/// The database cannot be written.
pub fn tune(
    tasks: Vec<(&Task, Search)>,
    budget: &Budget<'_>,
    measure: &mut dyn Measure,
    database: &mut Database,
    watch: &mut dyn FnMut(&Event<'_>),
) -> Result<Vec<Gain>, DatabaseError> {
    let mut states: Vec<State<'_>> = tasks.into_iter().map(|(task, search)| State::new(task, search)).collect();
    let mut left = budget.trials;
    while left > 0 && !(budget.is_over)() {
        let Some(at) = next_task(&states) else { break };
        let state = &mut states[at];
        let room = budget.trials_per_task.saturating_sub(state.gain.trials);
        let batch = if state.gain.trials == 0 { 1 } else { budget.batch.max(1) };
        let candidates = state.search.propose(batch.min(left).min(room));
        if candidates.is_empty() {
            state.is_done = true;
            continue;
        }
        left -= candidates.len();
        watch(&Event::Batch { task: at, name: &state.task.name, candidates: candidates.len() });
        let before = state.best_cost();
        state.batch(at, &candidates, measure, database, watch)?;
        state.hope = match (before, state.best_cost()) {
            (Some(before), Some(now)) => (1.0 - now / before).max(state.hope * FADING),
            (None, Some(_)) => FIRST_HOPE,
            (_, None) => state.hope * FADING,
        };
    }
    Ok(states.into_iter().map(|state| state.gain).collect())
}

/// The task whose turn it is.
fn next_task(states: &[State<'_>]) -> Option<usize> {
    let open = || states.iter().enumerate().filter(|(_, state)| !state.is_done);
    if let Some((at, _)) = open().find(|(_, state)| state.gain.trials == 0) {
        return Some(at);
    }
    open().max_by(|(_, a), (_, b)| a.expected().total_cmp(&b.expected())).map(|(at, _)| at)
}

impl<'a> State<'a> {
    fn new(task: &'a Task, search: Search) -> Self {
        let gain = Gain {
            name: task.name.clone(),
            weight: task.weight,
            trials: 0,
            failures: 0,
            failure: None,
            best: None,
            origin: "",
        };
        Self { task, search, gain, hope: FIRST_HOPE, is_done: false }
    }

    fn expected(&self) -> f64 {
        let seconds = self.gain.best.as_ref().map_or(0.0, Record::seconds);
        self.hope * seconds * self.task.weight as f64
    }

    fn best_cost(&self) -> Option<f64> {
        self.gain.best.as_ref().map(cost)
    }

    fn batch(
        &mut self,
        at: usize,
        candidates: &[Candidate],
        measure: &mut dyn Measure,
        database: &mut Database,
        watch: &mut dyn FnMut(&Event<'_>),
    ) -> Result<(), DatabaseError> {
        let key = database.commit_workload(&self.task.function)?;
        let mut outcomes = measure.measure(self.task, candidates);
        let missing = candidates.len().saturating_sub(outcomes.len());
        outcomes.extend((0..missing).map(|_| Err("it was not measured".to_owned())));
        for (candidate, outcome) in candidates.iter().zip(outcomes) {
            self.gain.trials += 1;
            match outcome.and_then(|runs| self.record(&key, candidate, runs)) {
                Ok(record) => self.keep(candidate, record, measure, database)?,
                Err(failure) => {
                    self.gain.failures += 1;
                    self.gain.failure = Some(failure);
                }
            }
            watch(&Event::Trial { task: at, gain: &self.gain });
        }
        Ok(())
    }

    fn record(&self, key: &str, candidate: &Candidate, runs: Vec<Run>) -> Result<Record, String> {
        let trace = candidate.lines(self.search.space().start());
        let trace = trace.ok_or("its trace cannot be written as text")?;
        let record = Record { workload: key.to_owned(), machine: machine_name(&self.task.target), trace, runs };
        if record.seconds().is_finite() { Ok(record) } else { Err("it was not measured".to_owned()) }
    }

    fn keep(
        &mut self,
        candidate: &Candidate,
        mut record: Record,
        measure: &mut dyn Measure,
        database: &mut Database,
    ) -> Result<(), DatabaseError> {
        let is_best = |record: &Record, best: Option<f64>| best.is_none_or(|best| cost(record) < best);
        if record.is_faster() && is_best(&record, self.best_cost()) {
            let again = measure.measure(self.task, std::slice::from_ref(candidate)).pop();
            let Some(Ok(again)) = again.filter(|again| again.as_ref().is_ok_and(|r| r.len() == record.runs.len()))
            else {
                self.gain.failures += 1;
                self.gain.failure = Some("it ran once, and failed when it was measured again".to_owned());
                return Ok(());
            };
            let worse = |(first, second): (Run, Run)| if second.ratio() > first.ratio() { second } else { first };
            record.runs = record.runs.into_iter().zip(again).map(worse).collect();
        }
        self.search.learn(candidate, cost(&record));
        if is_best(&record, self.best_cost()) {
            self.gain.best = Some(record.clone());
            self.gain.origin = candidate.origin;
        }
        database.commit(record)
    }
}

/// What the records of one search are compared by: all of them have a baseline, or none.
fn cost(record: &Record) -> f64 {
    record.ratio().unwrap_or_else(|| record.seconds())
}
