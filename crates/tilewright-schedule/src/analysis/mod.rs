//! What is known of a function: what is known at a loop or block, what it reads and writes, whether iterations are
//! independent, and which formulas and reductions it computes.
//!
//! Invariants: nothing here knows a primitive, a schedule or a target, and nothing changes a function.

pub(crate) mod axes;
pub(crate) mod dependence;
pub(crate) mod epilogue;
pub(crate) mod formulas;
pub(crate) mod guard;
pub(crate) mod index_maps;
pub(crate) mod loop_nest;
pub(crate) mod repeated;
pub(crate) mod required;
pub(crate) mod size;
pub(crate) mod stages;
pub(crate) mod stride;
pub(crate) mod written;
