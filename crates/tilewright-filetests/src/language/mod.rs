//! The table of the whole language, `docs/language/README.md`: for every node, operator, intrinsic, attribute and
//! spelling, whether a textual test prints, parses, verifies, interprets and compiles it.
//!
//! The rows come from the language's own tables (`sections`): the kinds that
//! [`Kinds`](tilewright::ir::analysis::kinds::Kinds) names by matches without a wildcard, the op table, and the names
//! that the parser knows. Forms of Python that have no table there are patterns ([`forms`]). The marks come from the
//! textual tests (`evidence`): the occurrences in the modules that they read and in their texts (`source`), and the
//! actions of their headers. Where a mark cannot be, [`reasons`] gives the reason.
//!
//! One trial fails where a mark is missing without a reason, where a reason is given for what a test shows after all,
//! and where the page is not what `page` writes; `UPDATE_EXPECT=1` writes it.
//!
//! Invariants: nothing here runs a program; that tests do what their headers say is what all the other trials check.

mod evidence;
mod forms;
mod page;
mod reasons;
mod sections;
mod source;

use std::path::Path;
use std::sync::Arc;

use tilewright::tensor::DataType;

use crate::TestFile;
use evidence::Evidence;
use page::{Cell, Line};

/// Something that the language has.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Thing {
    /// A kind of node, by its name in `Kinds`.
    Kind(String),
    /// An operator of graphs.
    Operator(&'static str),
    /// An attribute of an operator.
    OperatorAttr(&'static str, &'static str),
    /// An attribute of a function or of a module, by its key.
    FunctionAttr(String),
    /// The key of an attribute around statements.
    StatementAttr(String),
    /// An element type.
    Element(DataType),
    /// A name after `T.`, `R.` or `I.`, as texts spell it.
    Name(String),
    /// A form of Python, by its title.
    Form(&'static str),
}

/// The kinds of evidence of a test for a thing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Column {
    Prints,
    Parses,
    Verifies,
    Interprets,
    Compiles,
}

impl Column {
    const ALL: [Self; 5] = [Self::Prints, Self::Parses, Self::Verifies, Self::Interprets, Self::Compiles];
}

const PAGE: &str = "docs/language/README.md";

/// Whether nothing is missing and the page says so.
pub(crate) fn check(root: &Path, tests: &[Arc<TestFile>]) -> Result<(), String> {
    let evidence = Evidence::of(tests);
    let mut problems = Vec::new();
    let mut sections = Vec::new();
    for section in sections::all() {
        let lines = section.things.iter().map(|thing| line(&evidence, thing, &mut problems)).collect();
        sections.push((section.title, lines));
    }
    let text = page::write(&sections);
    let path = root.join(PAGE);
    if std::fs::read_to_string(&path).unwrap_or_default() != text {
        match std::env::var_os("UPDATE_EXPECT") {
            Some(_) => std::fs::write(&path, text).map_err(|error| error.to_string())?,
            None => problems.push(format!("{PAGE} is not what the tests show; UPDATE_EXPECT=1 writes it")),
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn line(evidence: &Evidence, thing: &Thing, problems: &mut Vec<String>) -> Line {
    let mut missing = Vec::new();
    let cells = Column::ALL.map(|column| match (evidence.shows(thing, column), reasons::why_not(thing, column)) {
        (true, None) => Cell::Shown,
        (false, Some(reason)) => Cell::Impossible(reason),
        (false, None) => {
            missing.push(page::verb(column));
            Cell::Missing
        }
        (true, Some(reason)) => {
            let verb = page::verb(column);
            problems.push(format!("{thing:?} cannot be shown ({reason}), yet a textual test {verb} it"));
            Cell::Shown
        }
    });
    if !missing.is_empty() {
        problems.push(format!("no textual test {}: {thing:?}", missing.join(", ")));
    }
    Line { title: sections::title(thing), cells }
}
