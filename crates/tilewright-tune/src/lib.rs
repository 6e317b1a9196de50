//! The tuner: for each kernel of a module, schedules that run faster than the one that the rules choose.
//!
//! A [`Task`] is a PrimFunc without a schedule, a target and a weight. Its [`Space`] has *candidates*: those that the
//! default rules offer, plans next to theirs, and traces whose decisions are drawn. A [`Search`] proposes candidates
//! and learns from their times with a cost model ([`Model`]); [`Measure`] takes the times, by default in another
//! process ([`ProcessRunner`], [`worker`]). What was measured becomes a [`Record`] of a [`Database`], which is applied
//! to a module by the pass [`ApplyDatabase`].
//!
//! Reading order: `task`, `candidate`, `space` (with `tiling` and `mutate`), `features`, `model`, `search`, `measure`,
//! `record`, `database`, `tuner` ([`tune`]), `apply`, then the measuring process: `inputs`, `kernel`, `worker`,
//! `runner`.
//!
//! Invariants: a record holds the text of a trace that was replayed from that text to the function that was measured.
//! A kernel is replaced only where a record is measurably better than the kernel without one, on all sizes that were
//! measured. Nothing here compiles: the crate that starts a worker hands it a compiler. Nothing here prints.

mod apply;
mod candidate;
mod database;
mod features;
mod inputs;
mod kernel;
mod measure;
mod model;
mod mutate;
mod random;
mod record;
mod runner;
mod search;
mod space;
mod task;
mod tiling;
mod tuner;
pub mod worker;

pub use apply::ApplyDatabase;
pub use candidate::Candidate;
pub use database::{Database, DatabaseError, Found};
pub use measure::{Measure, Measured, Run};
pub use model::Model;
pub use record::Record;
pub use runner::ProcessRunner;
pub use search::{Search, Strategy};
pub use space::Space;
pub use task::{Task, machine_name, tasks, workload};
pub use tuner::{Budget, Event, Gain, tune};
