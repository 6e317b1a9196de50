//! Why a schedule step does not apply, and at which loop or block.

use tilewright_expr::node::Path;
use tilewright_ir::tir::{Block, Expr, Stmt};

use crate::site::{Site, follow};

/// Why a primitive was not applied.
#[derive(Clone, Debug)]
pub struct Fault {
    pub message: String,
    /// The loop or block that is concerned, from the function on.
    pub path: Option<Path>,
    pub kind: FaultKind,
}

/// Which sort of fault it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// A condition of the primitive does not hold.
    Condition,
    /// An argument is missing, unknown, or of another type than the primitive takes.
    Argument,
    /// The block or the loop of a handle does not exist any more.
    Expired,
    /// A handle that the schedule does not have.
    Unknown,
}

impl Fault {
    pub(crate) fn at(site: &Site, message: impl Into<String>) -> Self {
        Self { message: message.into(), path: Some(site.path()), kind: FaultKind::Condition }
    }

    pub(crate) fn of_kind(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { message: message.into(), path: None, kind }
    }

    pub(crate) fn of_call(message: impl Into<String>) -> Self {
        Self { message: message.into(), path: None, kind: FaultKind::Condition }
    }
}

impl Site {
    /// The block at this site.
    pub(crate) fn expect_block(&self) -> Result<&Block, Fault> {
        self.block().ok_or_else(|| Fault::at(self, "expected a block"))
    }

    /// The values and the predicate of the block at this site.
    pub(crate) fn expect_binding(&self) -> Result<(&[Expr], &Expr), Fault> {
        self.binding().ok_or_else(|| Fault::at(self, "expected a block"))
    }

    /// The innermost block around.
    pub(crate) fn expect_scope(&self) -> Result<Self, Fault> {
        self.scope().ok_or_else(|| Fault::at(self, "the root block is in no other"))
    }

    /// The site at the same path in a changed function's body.
    pub(crate) fn again_in(&self, body: &Stmt) -> Result<Self, Fault> {
        let path: Vec<usize> = self.above.iter().map(|(_, at)| *at).collect();
        follow(body, &path).ok_or_else(|| Fault::at(self, "the statement is gone"))
    }
}
