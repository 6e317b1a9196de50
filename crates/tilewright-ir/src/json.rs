//! Saving and loading of any IR as JSON.
//!
//! # The format
//! ```json
//! {"format": "tilewright.ir", "version": 1,
//!  "nodes": [
//! ["%0", "tir.Var", {"name": "n", "dtype": "int64", "size": false}],
//! ["%1", "tir.Expr", {"dtype": "int64", "kind": {"Var": "%0"}}],
//! ["%2", "tir.Expr", {"dtype": "int64", "kind": {"Binary": {"op": "Mul", "a": "%1", "b": "%1"}}}]],
//!  "root": {"Scalar": "%2"},
//!  "files": [],
//!  "tensors": []}
//! ```
//! `nodes` holds the targets of shared pointers: expressions, statements, variables, buffers. Each occurs once, after
//! all that it mentions by label, so a shared node stays shared, a variable is one everywhere, and nothing can contain
//! itself. Everything else is written where it is used. Names of fields are those of the field ([`crate::node::Path`]
//! uses the same). A variant is `{"Name": …}`, or `"Name"` where it holds nothing. `tensors` are constants (`"@0"`):
//! type, shape, and bytes in base64. `files` are the texts that origins point into: `[file, start, end]` in bytes.
//! Floats that JSON has no numbers for are texts: `"inf"`, `"-inf"`, `"nan:"` and their bits.
//!
//! The same IR gives the same bytes, and loading what was saved and saving it again does, too. What the derive of
//! [`IrNode`](crate::node::IrNode) writes for a type is its form: a change of the IR's fields is a change of
//! [`VERSION`].
//!
//! # Hostile texts
//! A text of any bytes gives IR or an error with its position; time and memory are linear in its length. Every number,
//! name, length and label is checked, every scalar expression against the rule for its type, and the whole by the
//! verifier: a module must be well-formed ([`Form::Any`](crate::verify::Form::Any)), other IR may mention variables and
//! functions that it does not define. Brackets nest at most [`MAX_NESTING`](crate::node::document::MAX_NESTING) deep,
//! nodes at most [`MAX_DEPTH`](crate::node::MAX_DEPTH).

mod node;
#[cfg(test)]
mod tests;

use std::fmt;

use tilewright_expr::node::document::Document;
use tilewright_expr::node::{AnyHandle, Input, IrNode, LoadError, Loader, Saved, Saver, Sort, Tables};
use tilewright_support::Diagnostics;

use crate::op::OpTable;
use crate::{relax, tir, verify};

pub use node::Node;

/// The identification at the start of every text.
pub const FORMAT: &str = "tilewright.ir";

/// The version of the format that this code writes, and the only one that it reads.
pub const VERSION: i64 = 1;

/// The sorts of handles: each `ir_handle!` and `ir_identity!` of the IR.
const SORTS: [Sort; 6] = [
    Sort::of::<tir::Expr>(),
    Sort::of::<tir::Stmt>(),
    Sort::of::<tir::Var>(),
    Sort::of::<tir::Buffer>(),
    Sort::of::<relax::Expr>(),
    Sort::of::<relax::Var>(),
];

/// The IR as text.
pub fn save(node: &Node) -> String {
    let Saved { nodes, root, files, tensors } = Saver::save(node);
    format!(
        "{{\"format\": \"{FORMAT}\", \"version\": {VERSION}, \"nodes\": {nodes},\n\"root\": {root},\n\
         \"files\": {files},\n\"tensors\": {tensors}}}\n"
    )
}

/// A text that is no saved IR, or not one that is well-formed.
#[derive(Clone, Debug)]
pub enum Error {
    /// The text does not have the format.
    Text {
        message: String,
        /// Keys and positions from the outside; empty where the text is not even JSON.
        path: String,
        /// From 1 on; columns in characters.
        line: usize,
        column: usize,
    },
    /// The IR of the text breaks rules of the verifier.
    IllFormed(Diagnostics),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { message, path, line, column } => {
                write!(f, "line {line}, column {column}")?;
                if !path.is_empty() {
                    write!(f, ", at {path}")?;
                }
                write!(f, ": {message}")
            }
            Self::IllFormed(found) => found.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

/// The IR of a text; `operators` finds operators by name.
///
/// # Errors
/// Errors: the text is not UTF-8, not JSON, not of this format and version, or its IR is not well-formed.
pub fn load(text: &[u8], operators: OpTable) -> Result<Node, Error> {
    let node = load_unverified(text, operators)?;
    verify::verify_alone(&node).map_err(Error::IllFormed)?;
    Ok(node)
}

/// As [`load`], before the verifier has seen the whole.
fn load_unverified(text: &[u8], operators: OpTable) -> Result<Node, Error> {
    let text = std::str::from_utf8(text).map_err(|error| {
        let message = "the text is not UTF-8".to_owned();
        let before = String::from_utf8_lossy(text.get(..error.valid_up_to()).unwrap_or_default()).into_owned();
        error_at(&before, before.len(), message, String::new())
    })?;
    let document = Document::parse(text).map_err(|fault| error_at(text, fault.offset, fault.message, String::new()))?;
    read(Input::root(&document), operators)
        .map_err(|LoadError { message, value }| error_at(text, document.range(value).0, message, document.path(value)))
}

fn error_at(text: &str, offset: usize, message: String, path: String) -> Error {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    Error::Text { message, path, line, column }
}

fn read(input: Input<'_>, operators: OpTable) -> Result<Node, LoadError> {
    let entries = input.entries()?;
    let find = |name: &str| entries.iter().find(|(key, _)| key == name).map(|(_, value)| *value);
    match find("format") {
        Some(format) if format.text()? == FORMAT => {}
        Some(format) => return format.fail(format!("expected the format \"{FORMAT}\"")),
        None => return input.fail(format!("this is no saved IR: it lacks \"format\": \"{FORMAT}\"")),
    }
    match find("version") {
        Some(version) if version.int()? == VERSION => {}
        Some(version) => return version.fail(format!("expected version {VERSION}, found {}", version.int()?)),
        None => return input.fail("the field \"version\" is missing"),
    }
    let names = ["format", "version", "nodes", "root", "files", "tensors"];
    let [_, _, nodes, root, files, tensors] = input.fields("saved IR", names)?;
    let mut loader = Loader::new(Tables { files, tensors, nodes }, &SORTS, &operators, &check)?;
    Node::load(root, &mut loader)
}

/// Checks what a node says of itself, its operands being right.
fn check(node: &dyn AnyHandle) -> Result<(), String> {
    match node.downcast::<tir::Expr>() {
        Some(expr) => verify::check_type(expr),
        None => Ok(()),
    }
}
