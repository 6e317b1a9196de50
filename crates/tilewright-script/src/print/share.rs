//! Sharing: the nodes of an expression that need a name of their own, so that the text of a DAG stays about as long as
//! the DAG.

use tilewright_expr::node::{AnyHandle, IrNode, Visitor};
use tilewright_support::{Map, Set, with_stack};

/// How the nodes of a sort are to be written.
pub(super) struct Sharing<H> {
    /// Nothing is looked at inside of these nodes.
    pub(super) closed: fn(&H) -> bool,
    /// These nodes are written once however small they are: duplicates would mean something else.
    pub(super) once: fn(&H) -> bool,
}

impl<H> Clone for Sharing<H> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<H> Copy for Sharing<H> {}

/// Expressions of fewer nodes, written out as trees, are written out.
const SMALL_TREE: usize = 2_000;
/// Nodes of fewer nodes below them are repeated rather than named.
const SMALL_NODE: usize = 8;

/// The addresses of the nodes of sort `H` at or below `root` that are met more than once and need a name.
pub(super) fn shared_nodes<H: IrNode + AnyHandle>(root: &H, sharing: Sharing<H>) -> Set<usize> {
    let mut budget = Budget::<H> { left: SMALL_TREE, once: Map::default(), sharing };
    budget.visit(root);
    if budget.left > 0 {
        return budget.once.into_iter().filter(|(_, met)| *met > 1).map(|(at, _)| at).collect();
    }
    let mut sizes = Sizes::<H> { met: Map::default(), below: 0, sharing };
    sizes.visit(root);
    let named = |met: &Met| met.times > 1 && (met.once || met.size >= SMALL_NODE);
    sizes.met.into_iter().filter(|(_, met)| named(met)).map(|(at, _)| at).collect()
}

/// Visits the tree, shared nodes again and again, until the budget is spent.
struct Budget<H> {
    left: usize,
    /// The number of visits of each node that is written once.
    once: Map<usize, usize>,
    sharing: Sharing<H>,
}

impl<H: AnyHandle> Visitor for Budget<H> {
    fn visit(&mut self, node: &dyn AnyHandle) {
        if self.left > 0
            && let Some(handle) = node.downcast::<H>()
        {
            self.left -= 1;
            if (self.sharing.once)(handle) {
                *self.once.entry(node.address()).or_default() += 1;
            }
            if !(self.sharing.closed)(handle) {
                with_stack(|| node.visit_inside(self));
            }
        }
    }
}

/// Visits every node once and notes how often it is met and how large its tree is.
struct Sizes<H> {
    met: Map<usize, Met>,
    /// The size of what was visited since the current parent began.
    below: usize,
    sharing: Sharing<H>,
}

struct Met {
    times: usize,
    /// The size of the tree below and including the node.
    size: usize,
    once: bool,
}

impl<H: AnyHandle> Visitor for Sizes<H> {
    fn visit(&mut self, node: &dyn AnyHandle) {
        let Some(handle) = node.downcast::<H>() else { return };
        if let Some(met) = self.met.get_mut(&node.address()) {
            met.times += 1;
            self.below = self.below.saturating_add(met.size);
            return;
        }
        let before = std::mem::replace(&mut self.below, 0);
        if !(self.sharing.closed)(handle) {
            with_stack(|| node.visit_inside(self));
        }
        let size = self.below.saturating_add(1);
        let once = (self.sharing.once)(handle);
        self.met.insert(node.address(), Met { times: 1, size, once });
        self.below = before.saturating_add(size);
    }
}
