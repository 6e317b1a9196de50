//! Functions in which keys are unique: every loop, and every block with axes, has variables of its own.
//!
//! A tree may have the same statement, or copies with the same variables, at several sites that are not inside each
//! other. There a schedule could not tell one loop from the other.

use tilewright_expr::node::VarId;
use tilewright_ir::tir::{Block, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Set, with_stack};
use tilewright_tir_passes::Substitute;

use crate::site::{below, with_below};

/// The function with loop variables and axes that were met before replaced by others.
pub(crate) fn with_unique_keys(function: &PrimFunc) -> PrimFunc {
    let body = unique(&function.body, &mut Set::default());
    PrimFunc { body, ..function.clone() }
}

fn unique(stmt: &Stmt, seen: &mut Set<VarId>) -> Stmt {
    let bound: Vec<&Var> = match &stmt.kind {
        StmtKind::For { var, .. } => vec![var],
        StmtKind::Block { block, .. } => block.iters.iter().map(|iter| &iter.var).collect(),
        _ => Vec::new(),
    };
    let met: Vec<&Var> = bound.into_iter().filter(|var| !seen.insert(var.id())).collect();
    let mut renewed = stmt.clone();
    if !met.is_empty() {
        let mut renew = Substitute::default();
        for var in met {
            let other = var.renewed();
            seen.insert(other.id());
            renew.binders.insert(var.id(), other);
        }
        renewed = renew.apply(stmt);
    }
    let count = below(&renewed).len();
    for at in 0..count {
        let Some(inner) = below(&renewed).get(at).map(|inner| (*inner).clone()) else { continue };
        let changed = with_stack(|| unique(&inner, seen));
        if !changed.same(&inner) {
            renewed = with_below(&renewed, at, changed);
        }
    }
    renewed
}

/// The block with axes of its own.
pub(crate) fn renewed_axes(block: &Block) -> Block {
    let mut renew = Substitute::default();
    for iter in &block.iters {
        renew.binders.insert(iter.var.id(), iter.var.renewed());
    }
    renew.apply(block)
}
