//! ONNX models: a file becomes a function.
//!
//! [`read`] reads a file into typed values ([`Model`]), [`import`] makes a module of them. Rules turn each node into
//! IR, one function for each operator; differences between the versions of an operator are inside of its function.
//!
//! The messages are read by a reader of this crate's own (`wire`, `model`) instead of generated code: it leaves texts
//! and raw data where they are in the file, takes memory in proportion to the bytes, bounds nesting, and gives the
//! offset of what is wrong. ONNX's messages are few and have been stable for years.
//!
//! Reading order: [`Model`] (what is in a file), `rule` (what a rule gets), `rules` (the tables and the functions),
//! `values` and `fold` (what is known of sizes while a model is imported), `graph` (the walk over the nodes), `control`
//! (graphs in attributes), `custom` (nodes that others translate), [`crate::common`] (what rules build with).
//!
//! Invariants: bytes are not trusted, and no input makes the importer panic. A node without a rule, and what a rule
//! does not take, are errors that name the node, all reported at once. Nothing here opens a file: whoever imports a
//! model with external data hands over a function that reads it ([`External`]).

pub mod control;
pub mod custom;
pub mod fold;
pub mod graph;
mod listing;
pub mod model;
pub mod rule;
pub mod rules;
pub mod tensors;
#[cfg(test)]
mod tests;
pub mod values;
pub mod wire;

use tilewright_ir::IRModule;
use tilewright_support::Diagnostic;

pub use custom::{Custom, Foreign, Resources};
pub use graph::{Options, Size, identifier, import};
pub use model::{Dim, Graph, Model, TensorProto, TypeProto, ValueInfo};
pub use tensors::{External, Part, element_name};

use crate::ImportError;
pub use crate::common::Faults;

/// Reads the messages of a file.
///
/// # Errors
/// If the bytes are no message of ONNX: with the offset of what is wrong.
pub fn read(bytes: &[u8]) -> Result<Model<'_>, ImportError> {
    Model::read(bytes)
}

/// The module of the bytes of a file, with the model as its function `main`.
///
/// # Errors
/// If the bytes are no model, or if nodes of it have no rule or are not taken by it: all of them at once.
pub fn from_onnx(bytes: &[u8], options: &Options, external: Option<&External<'_>>) -> Result<IRModule, Faults> {
    from_onnx_with(bytes, options, &Resources { external, ..Resources::default() })
}

/// As [`from_onnx`], with other functions that translate nodes.
///
/// # Errors
/// As [`from_onnx`], and where such a function refuses a node.
pub fn from_onnx_with(bytes: &[u8], options: &Options, resources: &Resources<'_>) -> Result<IRModule, Faults> {
    let model = read(bytes).map_err(|error| {
        Faults::from(tilewright_support::Diagnostics::from(Diagnostic::error(
            crate::common::REFUSED,
            error.to_string(),
        )))
    })?;
    import(&model, options, resources)
}

/// Whether bytes may be a model: they begin with one of the first fields of its message.
pub fn is_model(bytes: &[u8]) -> bool {
    !bytes.is_empty() && wire::Message::new(bytes).fields().next().is_some_and(|field| field.is_ok())
}
