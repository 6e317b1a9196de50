//! Whether a function changes anything that its caller can see.

use tilewright_expr::node::{VarId, walk_some};
use tilewright_support::Set;

use super::memory::given_memory;
use crate::tir::{Expr, ExprKind, PrimFunc, Stmt, StmtKind};

/// Whether the function writes only memory that it allocates itself and calls nothing that may have effects.
pub fn is_pure_function(function: &PrimFunc) -> bool {
    impurity(function).is_none()
}

/// As [`is_pure_function`], with what is impure as the error.
pub fn assert_pure_function(function: &PrimFunc) -> Result<(), String> {
    match impurity(function) {
        None => Ok(()),
        Some(what) => Err(format!("the function is not pure: it {what}")),
    }
}

fn impurity(function: &PrimFunc) -> Option<String> {
    // A buffer that is declared on memory of the caller's is a view of it, not memory of the function's own.
    let given = given_memory(function);
    let mut own: Set<VarId> = Set::default();
    let mut found = None;
    walk_some(&function.body, |node| {
        if let Some(stmt) = node.downcast::<Stmt>() {
            match &stmt.kind {
                StmtKind::Allocate { buffer, .. } if !given.contains(&buffer.data.id()) => {
                    own.insert(buffer.data.id());
                }
                StmtKind::Let { var, value, .. } if is_address_in(value, &own) => {
                    own.insert(var.id());
                }
                StmtKind::Block { block, .. } => {
                    own.extend(block.alloc_buffers.iter().map(|buffer| buffer.data.id()));
                    // A view of memory of the function's own is the function's own.
                    for matched in &block.match_buffers {
                        if own.contains(&matched.source.buffer.data.id()) {
                            own.insert(matched.buffer.data.id());
                        }
                    }
                }
                StmtKind::Store { buffer, .. } if !own.contains(&buffer.data.id()) => {
                    found.get_or_insert_with(|| format!("writes `{}`", buffer.name));
                }
                StmtKind::Assert { .. } => {
                    found.get_or_insert_with(|| "may stop with an assertion".to_owned());
                }
                _ => {}
            }
        } else if let Some(expr) = node.downcast::<Expr>()
            && let ExprKind::Foreign { callee, .. } = &expr.kind
        {
            found.get_or_insert_with(|| format!("calls `{}`", callee.name()));
        }
        found.is_none()
    });
    found
}

/// Whether the value is the address of an element of one of these.
fn is_address_in(value: &Expr, own: &Set<VarId>) -> bool {
    match &value.kind {
        ExprKind::AddressOf { buffer, .. } => own.contains(&buffer.data.id()),
        ExprKind::Var(var) => own.contains(&var.id()),
        _ => false,
    }
}
