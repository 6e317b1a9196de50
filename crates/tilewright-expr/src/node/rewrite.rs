//! Rewriting.

use tilewright_support::Map;

use super::{AnyHandle, IrNode};

/// Receives handles and may replace each by another **of the same sort**.
pub trait Mapper {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>>;
}

/// The result of rewriting a node: its replacement, or `None` without a change.
type Rewritten = Option<Box<dyn AnyHandle>>;

/// The results for shared nodes in one rewriting: the field that makes a [`Mapper`] linear on a DAG.
#[derive(Default)]
pub struct Memo {
    /// By address; the kept handle keeps the address from being used again.
    done: Map<usize, (Box<dyn AnyHandle>, Rewritten)>,
}

impl std::fmt::Debug for Memo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memo({} nodes)", self.done.len())
    }
}

impl Memo {
    /// The earlier result for this very node, if there is one (`Some(None)`: it does not change).
    pub fn get(&self, node: &dyn AnyHandle) -> Option<Option<Box<dyn AnyHandle>>> {
        self.done.get(&node.address()).map(|(_, result)| result.as_ref().map(|r| r.boxed()))
    }

    /// Remembers the result, where the node can be met again.
    pub fn put(&mut self, node: &dyn AnyHandle, result: &Option<Box<dyn AnyHandle>>) {
        if node.is_shared() {
            self.done.insert(node.address(), (node.boxed(), result.as_ref().map(|r| r.boxed())));
        }
    }
}

/// Rewrites every handle of sort `H` at or below `root`, children first, each shared node once.
/// `f` sees a node whose children are rewritten already. `None` when nothing changed.
pub fn rewrite<H: AnyHandle, N: IrNode>(root: &N, f: impl FnMut(&H) -> Option<H>) -> Option<N> {
    struct BottomUp<H, F> {
        f: F,
        /// The results for shared nodes, by address: all visited ones are below `root`, which keeps them.
        done: Map<usize, Rewritten>,
        sort: std::marker::PhantomData<H>,
    }
    impl<H: AnyHandle, F: FnMut(&H) -> Option<H>> Mapper for BottomUp<H, F> {
        fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
            let is_shared = node.is_shared();
            if is_shared && let Some(result) = self.done.get(&node.address()) {
                return result.as_ref().map(|known| known.boxed());
            }
            let inside = tilewright_support::with_stack(|| node.map_inside(self));
            let current = inside.as_deref().unwrap_or(node);
            let replaced = current.downcast::<H>().and_then(|h| (self.f)(h)).map(|h| Box::new(h) as Box<dyn AnyHandle>);
            let result = replaced.or(inside);
            if is_shared {
                self.done.insert(node.address(), result.as_ref().map(|found| found.boxed()));
            }
            result
        }
    }
    root.map_children(&mut BottomUp { f, done: Map::default(), sort: std::marker::PhantomData::<H> })
}
