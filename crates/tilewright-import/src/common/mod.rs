//! What importers of graphs share: the building of a function out of the operations of a recorded graph.
//!
//! An importer walks over the operations of its format. A *rule*, one function for each operator of the format, gets
//! the operation's arguments by the names of its parameters ([`Args`]) and builds with graph operators, which it names
//! by their statics ([`Cx`], [`Op`]). It gives a [`Value`], or says why it cannot ([`Refused`]); the walk adds the
//! location ([`Site`]) and reports all faults at once ([`Faults`]). [`begin`] and [`finish`] make the function around
//! it.
//!
//! Reading order: [`Value`], [`Cx`] (calls, then shapes, broadcasting and elements), [`Args`], [`Faults`], [`begin`].
//!
//! Invariants: nothing here knows a framework or a file format. Names of a format's operators, the order of their
//! parameters, the data types that it combines elements in, and its changes in place are the importer's. A file here
//! uses only those above it in this list: `value`, `cx`, `shapes`, `broadcast`, `elements`, `args`, `faults`,
//! `function`.

mod args;
mod broadcast;
mod cx;
mod elements;
mod faults;
mod function;
mod shapes;
#[cfg(test)]
mod tests;
mod value;

pub use args::{Args, Signature};
pub use broadcast::is_one_at_most;
pub use cx::{Cx, Op, ToAttr, is};
pub use faults::{Faults, NO_RULE, REFUSED, Site};
pub use function::{Begun, Input, Options, begin, finish};
pub(crate) use shapes::facts_of_sizes;
pub use shapes::new_size;
pub use value::{Number, Refused, Res, Value};
