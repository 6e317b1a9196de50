//! Visiting.

use tilewright_support::Set;

use super::{AnyHandle, IrNode};
use crate::Var;

/// Receives handles.
pub trait Visitor {
    fn visit(&mut self, node: &dyn AnyHandle);
}

/// Calls `f` on every handle at or below `root`, parents first, each shared node once. `f` returns whether to go
/// inside.
pub fn walk_some<N: IrNode>(root: &N, f: impl FnMut(&dyn AnyHandle) -> bool) {
    struct Walk<F> {
        f: F,
        seen: Set<usize>,
    }
    impl<F: FnMut(&dyn AnyHandle) -> bool> Visitor for Walk<F> {
        fn visit(&mut self, node: &dyn AnyHandle) {
            if node.is_shared() && !self.seen.insert(node.address()) {
                return;
            }
            if (self.f)(node) {
                tilewright_support::with_stack(|| node.visit_inside(self));
            }
        }
    }
    root.visit_children(&mut Walk { f, seen: Set::default() });
}

/// Calls `f` on every handle of sort `H` at or below `root`, parents first, each shared node once.
pub fn walk<H: 'static, N: IrNode>(root: &N, mut f: impl FnMut(&H)) {
    walk_some(root, |node| {
        if let Some(node) = node.downcast::<H>() {
            f(node);
        }
        true
    });
}

/// Whether one of the variables occurs in the node.
pub fn mentions<N: IrNode>(node: &N, vars: &[Var]) -> bool {
    let mut found = false;
    walk_some(node, |node| {
        found |= node.downcast::<Var>().is_some_and(|var| vars.contains(var));
        !found
    });
    found
}
