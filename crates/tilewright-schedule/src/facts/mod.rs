//! Facts about functions, which every other part of this crate uses: where a loop or block is, what is known there,
//! what it reads and writes, whether iterations are independent, and how expressions and loops are built checked.
//!
//! Invariants: nothing here knows a primitive, a schedule or a target; each file uses only files listed before it and
//! the IR.

pub(crate) mod axes;
pub(crate) mod epilogue;
pub(crate) mod exprs;
pub(crate) mod fault;
pub(crate) mod formulas;
pub(crate) mod guard;
pub(crate) mod independent;
pub(crate) mod index_maps;
pub(crate) mod loop_nest;
pub(crate) mod loops;
pub(crate) mod reducer;
pub(crate) mod required;
pub(crate) mod rewrite;
pub(crate) mod seed;
pub(crate) mod size;
pub(crate) mod stages;
pub(crate) mod stride;
pub(crate) mod tree;
pub(crate) mod unique;
pub(crate) mod written;
