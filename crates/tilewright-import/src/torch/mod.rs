//! Traced PyTorch graphs: a recorded graph becomes a function.
//!
//! The front end records what `torch.fx` or `torch.export` traced, and decides nothing: names of ATen operators,
//! arguments, keyword arguments and the user's source lines ([`Graph`]). Rules turn each node into IR, one function for
//! each operator.
//!
//! Reading order: [`graph`](Graph) (what is recorded), `rules` (the tables and the functions), [`crate::common`] (what
//! rules read and build with), `promotion`, `numbers` and `operands` (how PyTorch and Python combine operands),
//! `translate` (the walk over the nodes: changes in place and the memory that tensors share).
//!
//! Invariants: the rules know nothing of Python's objects. A node without a rule, and arguments that a rule does not
//! take, are errors with the location in the user's source, all reported at once. Tensors of the graph are constants:
//! whoever records it hands over snapshots.

mod graph;
mod numbers;
mod operands;
mod precision;
mod promotion;
pub mod rule;
pub mod rules;
#[cfg(test)]
mod tests;
mod translate;

pub use graph::{Argument, Graph, Node, Target};
pub use translate::{Custom, from_graph, translate};

pub use crate::common::{Faults, Input, NO_RULE, Options, REFUSED, Refused, Res, Value};
