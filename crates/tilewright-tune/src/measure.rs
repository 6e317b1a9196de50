//! What measuring is: runs of a candidate and, in turns with them, of the kernel that nobody tuned.

use crate::candidate::Candidate;
use crate::task::Task;

/// Times of a candidate at one choice of the symbolic sizes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Run {
    /// The values of the function's symbolic sizes, in the order of its parameters; empty where it has none.
    pub sizes: Vec<i64>,
    /// Seconds of a call, a number for each repeat.
    pub seconds: Vec<f64>,
    /// The same of the kernel without tuning, measured in the same process in turns; empty where it was not measured.
    pub baseline: Vec<f64>,
}

impl Run {
    /// The time by that of the kernel without tuning; `None` where the latter is not known.
    pub fn ratio(&self) -> Option<f64> {
        let (own, other) = (median(&self.seconds)?, median(&self.baseline)?);
        (other > 0.0).then(|| own / other)
    }
}

/// The median of the numbers; none of no numbers.
pub(crate) fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        count if count % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// What came of a candidate: a run for each bucket of sizes, or why there is none.
pub type Measured = Result<Vec<Run>, String>;

/// Takes the times of candidates.
pub trait Measure {
    /// An outcome for each candidate, in order. A candidate that computes something else than the task's function is a
    /// failure.
    fn measure(&mut self, task: &Task, candidates: &[Candidate]) -> Vec<Measured>;
}
