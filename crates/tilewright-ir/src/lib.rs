//! The IR: one module of two levels.
//!
//! An [`IRModule`] maps global names to functions of two kinds:
//!
//! - a **PrimFunc** ([`tir::PrimFunc`], *TensorIR*) is a nest of loops over *buffers*. It returns nothing: the caller
//!   hands it the buffers to write (*destination-passing style*). A *block* is the unit of computation inside the
//!   loops: it binds its own axes to loop indices and says which regions it reads and writes, so that a schedule may
//!   rearrange the loops around it without looking inside.
//! - a **Relax function** ([`relax::Function`]) is a computational graph: *bindings* of variables to operator calls on
//!   whole tensors, grouped into blocks. Inside a *dataflow block* nothing has side effects, so bindings there may be
//!   reordered, fused and dropped. Every expression carries its *struct info*: the shape and data type that it has,
//!   with symbolic dimensions as integer expressions.
//!
//! The levels are joined by calls whose callee is [`relax::Callee::Tir`] (`R.call_tir`: allocate the results, run a
//! PrimFunc) or [`relax::Callee::DpsPacked`] (the same for a function registered with the runtime).
//!
//! Reading order: [`Attr`], [`tir`], [`relax`], [`IRModule`], [`op`] (what an operator is), [`legalize`] (capabilities
//! of the machine, by which an operator's loops are chosen), [`pass`] (how modules change), [`builder`] (how functions
//! are written and rewritten), [`analysis`], [`verify`] (the named forms), [`low`] (what code generators take).
//!
//! Invariants: nodes are immutable and shared; a Relax expression is typed at birth by its operator's rule; a pass
//! makes a new module. This crate knows no operator by name, no target and no text format but [`json`], and runs
//! nothing.

extern crate self as tilewright_ir;

pub mod analysis;
mod attr;
pub mod builder;
pub mod calls;
pub mod empty_reduction;
mod index_map;
mod infer;
pub mod inplace;
pub mod interface;
pub mod json;
pub mod legalize;
pub mod low;
mod matching;
mod module;
pub mod nest;
#[cfg(test)]
mod node_tests;
pub mod op;
pub mod pass;
pub mod regions;
pub mod relax;
pub mod rename;
pub mod tir;
pub mod verify;

pub use attr::{Attr, Attrs};
pub use index_map::{IndexMap, Inverse};
pub use module::{GlobalFunc, GlobalInfo, IRModule};
pub use tilewright_expr::node;
