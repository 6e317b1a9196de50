//! Values that calls overwrite: they must not become constants.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::calls::packed_inplace;
use tilewright_ir::relax::{BindingValue, Callee, Expr, ExprKind, SeqExpr, Var};
use tilewright_support::{Set, with_stack};

/// The variables of a function's body whose memory a call may overwrite: overwritten arguments, and everything that
/// they may be aliases or views of.
pub(super) fn in_place(body: &SeqExpr) -> Set<VarId> {
    let mut written = Set::default();
    walk(body, |value: &Expr| overwritten(value, &mut written));
    if !written.is_empty() {
        sources(body, &mut written);
    }
    written
}

/// Tells the variables that a call overwrites.
fn overwritten(value: &Expr, found: &mut Set<VarId>) {
    let ExprKind::Call { callee, args, attrs, .. } = &value.kind else { return };
    let positions: Vec<Option<usize>> = match callee {
        Callee::TirInplace { results, .. } => results.clone(),
        Callee::Packed(_) => packed_inplace(attrs).unwrap_or_default(),
        _ => return,
    };
    positions.into_iter().flatten().filter_map(|position| args.get(position)).for_each(|arg| mentioned(arg, found));
}

/// Adds the variables from which these values are made, backwards from the last binding; the result of a PrimFunc has
/// memory of its own, or that of an argument that is known to be overwritten.
fn sources(seq: &SeqExpr, written: &mut Set<VarId>) {
    for binding in seq.blocks.iter().rev().flat_map(|block| block.bindings.iter().rev()) {
        let (BindingValue::Expr(value) | BindingValue::MatchCast { value, .. }) = &binding.value;
        if written.contains(&binding.var.id()) && !is_fresh(value) {
            mentioned(value, written);
        }
        match &value.kind {
            ExprKind::If { then, otherwise, .. } => with_stack(|| {
                sources(then, written);
                sources(otherwise, written);
            }),
            ExprKind::Function(function) => with_stack(|| sources(&function.body, written)),
            _ => {}
        }
    }
}

/// Adds the variables that a value mentions.
fn mentioned(value: &Expr, found: &mut Set<VarId>) {
    walk(&vec![value.clone()], |var: &Var| {
        found.insert(var.id());
    });
}

fn is_fresh(value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Call { callee: Callee::Tir(_) | Callee::TirInplace { .. }, .. })
}
