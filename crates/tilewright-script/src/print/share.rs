//! Which nodes of an expression need a name of their own, so that the text of a DAG stays about as long as the DAG.

use tilewright_expr::node::{AnyHandle, IrNode, Visitor};
use tilewright_support::{Map, Set, with_stack};

/// Expressions of fewer nodes, written out as trees, are written out.
const SMALL_TREE: usize = 2_000;
/// Nodes of fewer nodes below them are repeated rather than named.
const SMALL_NODE: usize = 8;

/// The addresses of the nodes of sort `H` at or below `root` that are met more than once and are worth a name. Nothing
/// is looked at inside the nodes for which `closed` says true.
pub(super) fn shared_nodes<H: IrNode + AnyHandle>(root: &H, closed: fn(&H) -> bool) -> Set<usize> {
    let mut budget = Budget::<H> { left: SMALL_TREE, closed };
    budget.visit(root);
    if budget.left > 0 {
        return Set::default();
    }
    let mut sizes = Sizes::<H> { met: Map::default(), below: 0, closed };
    sizes.visit(root);
    sizes.met.into_iter().filter(|(_, (met, size))| *met > 1 && *size >= SMALL_NODE).map(|(at, _)| at).collect()
}

/// Visits the tree, shared nodes again and again, until the budget is spent.
struct Budget<H> {
    left: usize,
    closed: fn(&H) -> bool,
}

impl<H: AnyHandle> Visitor for Budget<H> {
    fn visit(&mut self, node: &dyn AnyHandle) {
        if self.left > 0
            && let Some(handle) = node.downcast::<H>()
        {
            self.left -= 1;
            if !(self.closed)(handle) {
                with_stack(|| node.visit_inside(self));
            }
        }
    }
}

/// Visits every node once and notes how often it is met and how large its tree is.
struct Sizes<H> {
    met: Map<usize, (usize, usize)>,
    /// The size of what was visited since the current parent began.
    below: usize,
    closed: fn(&H) -> bool,
}

impl<H: AnyHandle> Visitor for Sizes<H> {
    fn visit(&mut self, node: &dyn AnyHandle) {
        let Some(handle) = node.downcast::<H>() else { return };
        if let Some((met, size)) = self.met.get_mut(&node.address()) {
            *met += 1;
            self.below = self.below.saturating_add(*size);
            return;
        }
        let before = std::mem::replace(&mut self.below, 0);
        if !(self.closed)(handle) {
            with_stack(|| node.visit_inside(self));
        }
        let size = self.below.saturating_add(1);
        self.met.insert(node.address(), (1, size));
        self.below = before.saturating_add(size);
    }
}
