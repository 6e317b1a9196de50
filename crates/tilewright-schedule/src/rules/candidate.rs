//! Candidates: the ways of a rule to schedule a function, with what they are expected to cost.

use crate::Schedule;
use crate::plan::{Cost, Declined};

/// Applies a candidate to the function that it was made for.
type Build<'a> = Box<dyn FnOnce() -> Result<Schedule, Declined> + 'a>;

/// A way to schedule a function.
pub(crate) struct Candidate<'a> {
    /// As explanations name it.
    pub(crate) name: &'static str,
    /// What it is expected to cost; none if its rule has no model: the work of the function is told then.
    pub(crate) cost: Option<Cost>,
    build: Build<'a>,
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(
        name: &'static str,
        cost: Option<Cost>,
        build: impl FnOnce() -> Result<Schedule, Declined> + 'a,
    ) -> Self {
        Self { name, cost, build: Box::new(build) }
    }

    pub(crate) fn build(self) -> Result<Schedule, Declined> {
        (self.build)()
    }

    /// Cycles by which candidates are ordered.
    pub(crate) fn cycles(&self) -> f64 {
        self.cost.as_ref().map_or(0.0, Cost::total)
    }
}

/// What a rule has for a function: candidates, and why others are none.
#[derive(Default)]
pub(crate) struct Offer<'a> {
    pub(crate) candidates: Vec<Candidate<'a>>,
    pub(crate) declined: Vec<(&'static str, String)>,
}

impl<'a> Offer<'a> {
    /// Adds a candidate, or why it is none.
    pub(crate) fn add(&mut self, name: &'static str, candidate: Result<Candidate<'a>, Declined>) {
        match candidate {
            Ok(candidate) => self.candidates.push(candidate),
            Err(Declined(reason)) => self.declined.push((name, reason)),
        }
    }
}
