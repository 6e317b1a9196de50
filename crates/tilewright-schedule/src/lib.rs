//! Schedules: how loops run, changed step by step while what they compute stays the same.
//!
//! A *primitive* (`primitive`) is a function from a PrimFunc to another one that computes the same, and a map from old
//! handles to new ones. A [`Schedule`] holds a module while primitives are applied, gives out *handles* for blocks and
//! loops, and writes down each call in a *trace*. [`DefaultGPUSchedule`] is a pass made of primitives.
//!
//! Reading order: `site` (where a loop or block is), `build` (how loops are made), `analysis` (what is known of a
//! function); these are the bottom of the crate. Then `primitive` (one file each),
//! [`Schedule`], [`DefaultGPUSchedule`], [`rules`] (schedules without a user).
//!
//! Invariants: a primitive keeps what the function computes, whatever the arguments, or refuses with the place at which
//! a condition does not hold; nothing is changed then. This crate prints nothing and knows no text format: faults carry
//! paths, which others underline.

mod analysis;
mod build;
mod default_gpu;
mod families;
mod fault;
mod kernels;
mod plan;
pub mod primitive;
pub mod registry;
pub mod rules;
mod schedule;
mod site;
pub mod trace;
mod units;

use tilewright_ir::pass::PassDef;

/// Every pass that users make by name.
pub const PASSES: &[PassDef] = &[DefaultGPUSchedule::DEF, rules::ApplyDefaultSchedule::DEF];

pub use default_gpu::{DefaultGPUSchedule, IS_SCHEDULED, MOST_BLOCKS};
pub use fault::{Fault, FaultKind};
pub use primitive::{Intrinsics, TensorIntrin};
pub use schedule::state::{BlockFlags, DepKind, Dependency, StmtRef};
pub use schedule::{Names, Schedule, ScheduleError};
pub use site::Key;
pub use trace::{Arg, Output, Rv, Trace};
