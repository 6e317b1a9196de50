//! Traced PyTorch graphs: a recorded graph becomes a function.
//!
//! The front end records what `torch.fx` or `torch.export` traced, and decides nothing: names of ATen operators, arguments,
//! keyword arguments and the user's source lines ([`Graph`]). Rules turn each node into IR, one function for each operator.
//!
//! Reading order: [`graph`](Graph) (what is recorded), `rules` (the tables and the functions), `args` and `cx` (what rules
//! read and build with), `translate` (the walk over the nodes: changes in place, faults, the result).
//!
//! Invariants: the rules know nothing of Python. A node without a rule, and arguments that a rule does not take, are
//! errors with the place in the user's source, all told at once. Tensors of the graph are constants: whoever records it
//! hands over snapshots.

pub mod args;
pub mod cx;
mod graph;
pub mod rules;
#[cfg(test)]
mod tests;
mod translate;
mod value;

pub use graph::{Argument, Graph, Input, Node, Target};
pub use translate::{Custom, Failed, NO_RULE, Options, REFUSED, from_graph, translate};
pub use value::{Refused, Res, Value};
