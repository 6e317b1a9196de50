//! Candidates: scheduled functions with the traces that make them.

use tilewright_expr::node::HashCx;
use tilewright_ir::Attr;
use tilewright_ir::tir::PrimFunc;
use tilewright_schedule::{IS_SCHEDULED, Names, Schedule, ScheduleError, Trace};

use crate::task::{MAIN, are_equal};

/// A way to run a kernel.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What made it: a rule's candidate, or how the search came to it.
    pub origin: &'static str,
    pub trace: Trace,
    /// The function that the trace makes, marked as scheduled.
    pub function: PrimFunc,
    /// Of the function's structure.
    pub(crate) hash: u64,
}

impl Candidate {
    /// What a trace makes of a schedule's function; decisions that it leaves open follow from the seed.
    pub(crate) fn replay(
        start: &Schedule,
        trace: &Trace,
        seed: u64,
        origin: &'static str,
    ) -> Result<Self, ScheduleError> {
        let mut schedule = start.clone();
        schedule.set_seed(seed);
        schedule.apply(trace)?;
        Self::of_schedule(&schedule, origin)
    }

    pub(crate) fn of_schedule(schedule: &Schedule, origin: &'static str) -> Result<Self, ScheduleError> {
        let gone = || ScheduleError {
            primitive: "trace",
            message: "the function is gone".to_owned(),
            place: None,
            kind: tilewright_schedule::FaultKind::Unknown,
        };
        let function = marked(schedule.module().prim(MAIN).ok_or_else(gone)?);
        let hash = HashCx::hash(&function);
        Ok(Self { origin, trace: schedule.trace().clone(), function, hash })
    }

    /// The trace as lines of text, from which the same function was made again; `None` where the text does not say all
    /// of the trace.
    pub(crate) fn lines(&self, start: &Schedule) -> Option<Vec<String>> {
        let lines: Vec<String> = self.trace.instructions.iter().map(ToString::to_string).collect();
        let again = replay_lines(start, &lines).ok()?;
        let function = marked(again.module().prim(MAIN)?);
        are_equal(&function, &self.function).then_some(lines)
    }
}

/// The schedule that the lines of a trace make.
pub(crate) fn replay_lines(start: &Schedule, lines: &[String]) -> Result<Schedule, String> {
    let (mut schedule, mut names) = (start.clone(), Names::default());
    for line in lines {
        schedule.run_line(&mut names, line).map_err(|found| found.to_string())?;
    }
    Ok(schedule)
}

fn marked(function: &PrimFunc) -> PrimFunc {
    let mut function = function.clone();
    function.attrs.insert(IS_SCHEDULED.into(), Attr::Bool(true));
    function
}
