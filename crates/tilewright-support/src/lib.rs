//! Shared by every layer: source text, locations in it, diagnostics, a guard for the stack, and work on all processors.
//!
//! Reading order: [`SourceFile`] and [`Span`], then [`Diagnostic`], then [`with_stack`].
//!
//! Invariants: this crate knows no IR, prints nothing and reads no file. A [`Span`] carries its file, so that a
//! location stays meaningful wherever a piece of IR travels.

mod diagnostic;
pub mod json;
mod names;
mod near;
mod parallel;
mod placeholders;
mod render;
mod source;
mod stack;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use names::{NameSupply, nearest};
pub use near::{NearHasher, NearMap, NearSet};
pub use parallel::parallel_map;
pub use placeholders::fill_placeholders;
pub use source::{Origins, SourceFile, Span};
pub use stack::with_stack;

/// A hash map with a fixed hash function, for look-ups only: its order must never reach output.
pub type Map<K, V> = rustc_hash::FxHashMap<K, V>;
/// A hash set with a fixed hash function, for look-ups only: its order must never reach output.
pub type Set<K> = rustc_hash::FxHashSet<K>;
/// A map that iterates in order of insertion.
pub type OrderedMap<K, V> = indexmap::IndexMap<K, V, rustc_hash::FxBuildHasher>;
