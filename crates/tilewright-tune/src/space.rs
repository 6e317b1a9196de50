//! Spaces: the candidates that there are for a task.

use tilewright_schedule::{Schedule, Trace, rules};

use crate::candidate::Candidate;
use crate::mutate::{draws, undecided, with_changed_size, with_open_decision};
use crate::random::Random;
use crate::task::Task;
use crate::tiling::tilings;

/// How often a step of the search is tried again where a primitive refuses it.
const ATTEMPTS: usize = 24;

/// The candidates of a task: some that are measured whatever the search thinks, and traces to draw from.
#[derive(Clone, Debug)]
pub struct Space {
    start: Schedule,
    first: Vec<Candidate>,
    designs: Vec<Trace>,
    /// Whether sizes that are no decisions may change too: those of kernels' plans and of splits.
    changes_sizes: bool,
}

impl Space {
    /// What the default rules offer for the task, the rules' own choice first, plans next to theirs, and tilings.
    pub fn of_rules(task: &Task) -> Self {
        let start = Schedule::new(&task.module());
        let designs = tilings(&start);
        let mut space = Self { start, first: Vec::new(), designs, changes_sizes: true };
        for offered in rules::candidates(&task.function, &task.target) {
            if let Ok(candidate) = Candidate::replay(&space.start, &offered.trace, 1, offered.name) {
                space.first.push(candidate);
            }
        }
        space
    }

    /// Schedules of one's own, of the task's module: they are measured as they are, and then with other decisions.
    pub fn of_schedules(task: &Task, schedules: &[Schedule]) -> Self {
        let mut start = Schedule::new(&task.module());
        if let Some(schedule) = schedules.first() {
            start.set_intrinsics(schedule.intrinsics().clone());
        }
        let mut space = Self { start, first: Vec::new(), designs: Vec::new(), changes_sizes: false };
        for schedule in schedules {
            // Another function may have been scheduled; then its trace says so when it is replayed.
            space.first.extend(Candidate::replay(&space.start, schedule.trace(), 1, "design"));
            space.designs.push(schedule.trace().clone());
        }
        space
    }

    /// The schedule that traces are applied to.
    pub fn start(&self) -> &Schedule {
        &self.start
    }

    /// The traces whose decisions are drawn.
    pub fn designs(&self) -> &[Trace] {
        &self.designs
    }

    /// The candidates that are measured first.
    pub fn first(&self) -> &[Candidate] {
        &self.first
    }

    /// A design with other decisions.
    pub(crate) fn drawn(&self, random: &mut Random) -> Option<Candidate> {
        let open: Vec<&Trace> = self.designs.iter().filter(|trace| draws(trace)).collect();
        (0..ATTEMPTS).find_map(|_| {
            let design = random.pick(&open)?;
            Candidate::replay(&self.start, &undecided(design), random.next(), "drawn").ok()
        })
    }

    /// A candidate like another one: with another decision or another size.
    pub(crate) fn neighbour(&self, random: &mut Random, of: &Candidate) -> Option<Candidate> {
        (0..ATTEMPTS).find_map(|_| {
            let trace = match (draws(&of.trace), self.changes_sizes) {
                (true, false) => with_open_decision(random, &of.trace),
                (true, true) if random.share() < 0.5 => with_open_decision(random, &of.trace),
                (_, true) => with_changed_size(random, &of.trace),
                (false, false) => None,
            }?;
            Candidate::replay(&self.start, &trace, random.next(), "neighbour").ok()
        })
    }
}
