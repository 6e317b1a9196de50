//! Operations that do not become IR, all reported at once, each with its location in the user's source.

use tilewright_support::{Diagnostic, Diagnostics, Span};

use super::value::Refused;

/// An operation for whose operator there is no rule.
pub const NO_RULE: &str = "TW0801";
/// An operation whose arguments its rule does not take.
pub const REFUSED: &str = "TW0802";

/// The location of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The name of the operation in its graph.
    pub node: &'a str,
    /// What the user called, in the user's words.
    pub said: &'a str,
    /// The line of the user's source that called it.
    pub place: Option<&'a Span>,
}

impl Site<'_> {
    fn mark(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.place {
            Some(span) => diagnostic.at(span.clone()).label(format!("the node `{}`", self.node)),
            None => diagnostic.note(format!("the node `{}`", self.node)),
        }
    }
}

/// Why a graph did not become a function.
#[derive(Debug, Default)]
pub struct Faults {
    pub diagnostics: Diagnostics,
    /// The names of the operations that have no rule or that their rules do not take.
    pub nodes: Vec<String>,
}

impl Faults {
    /// A fault that no single operation has.
    pub fn of_graph(reason: &Refused) -> Self {
        Self::from(Diagnostics::from(Diagnostic::error(REFUSED, reason.0.clone())))
    }

    /// There is no rule for the operator: `help` says how to supply one, and `nearest` is the operator of the most
    /// similar name that has one.
    pub fn no_rule(&mut self, site: Site<'_>, help: String, nearest: Option<&str>) {
        let mut diagnostic = Diagnostic::error(NO_RULE, format!("`{}` has no rule", site.said)).help(help);
        if let Some(nearest) = nearest {
            diagnostic = diagnostic.note(format!("there is one for `{nearest}`"));
        }
        self.push(site, diagnostic);
    }

    /// The rule does not take the operation's arguments.
    pub fn refused(&mut self, site: Site<'_>, reason: &Refused) {
        self.push(site, Diagnostic::error(REFUSED, format!("`{}`: {reason}", site.said)));
    }

    fn push(&mut self, site: Site<'_>, diagnostic: Diagnostic) {
        self.diagnostics.push(site.mark(diagnostic));
        self.nodes.push(site.node.to_owned());
    }

    /// An error if there are any.
    pub fn check(self) -> Result<(), Self> {
        if self.diagnostics.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl From<Diagnostics> for Faults {
    fn from(diagnostics: Diagnostics) -> Self {
        Self { diagnostics, nodes: Vec::new() }
    }
}
