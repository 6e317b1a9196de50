//! Schedules: how loops run, changed step by step while what they compute stays the same.
//!
//! A *primitive* (`primitive`) is a function from a PrimFunc to another one that computes the same, and a map from old
//! handles to new ones. A [`Schedule`] holds a module while primitives are applied, gives out *handles* for blocks and
//! loops, and writes down each call in a *trace*. [`DefaultGPUSchedule`] is a pass made of primitives.
//!
//! Reading order: `tree` (places in a function and their keys), `exprs` (what is made and asked of expressions), `guard` (what
//! is known at a place), `independent` (whether iterations depend on each other), `written` (what a block
//! certainly writes), `formulas` (what a whole function computes),
//! `epilogue` (what follows a reduction), `primitive` (one file each), [`Schedule`], [`DefaultGPUSchedule`], [`rules`]
//! (schedules without a user).
//!
//! Invariants: a primitive keeps what the function computes, whatever the arguments, or refuses with the place at which
//! a condition does not hold; nothing is changed then. This crate prints nothing and knows no text format: faults carry
//! paths, which others underline.

mod axes;
mod default_gpu;
mod epilogue;
mod exprs;
mod formulas;
mod guard;
mod independent;
mod index_maps;
mod loops;
mod pieces;
pub mod primitive;
mod reduced_rows;
mod reducer;
mod required;
mod rewrite;
mod row_vectors;
pub mod rules;
mod schedule;
mod size;
mod stages;
mod stride;
pub mod trace;
mod tree;
mod unique;
mod written;

use tilewright_ir::pass::PassDef;

/// Every pass that users make by name.
pub const PASSES: &[PassDef] = &[DefaultGPUSchedule::DEF, rules::ApplyDefaultSchedule::DEF];

pub use default_gpu::{DefaultGPUSchedule, IS_SCHEDULED, MOST_BLOCKS};
pub use primitive::{Intrinsics, TensorIntrin};
pub use schedule::{Schedule, ScheduleError};
pub use trace::{Arg, Output, Rv, Trace};
pub use tree::Key;
