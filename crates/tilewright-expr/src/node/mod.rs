//! The one traversal of the IR: visiting, rewriting, structural equality and hash, paths, saving and loading.
//!
//! `#[derive(IrNode)]` writes the methods of [`IrNode`] for every struct and enum of the IR, from one list of fields.
//! They stop at *handles* (`Expr`, `Stmt`, `Buffer`, `relax::Expr`, …: shared pointers, made by
//! [`ir_handle!`](crate::ir_handle)) and hand them to the visitor or mapper, which decides whether to go on inside with
//! [`visit_inside`](AnyHandle::visit_inside) and [`map_inside`](AnyHandle::map_inside).
//!
//! Handles form a DAG: the ready-made walks ([`walk()`], [`rewrite()`], equality, hash, saving) look at a shared node
//! once.

mod containers;
pub mod document;
mod equal;
mod handle;
mod hash;
mod leaf;
mod load;
mod path;
mod rewrite;
mod save;
mod walk;

pub use equal::{EqCx, FreeVariables, Mismatch, Variables};
pub use handle::AnyHandle;
pub use hash::HashCx;
pub use leaf::{FloatBits, Leaf};
pub use load::{Handle, Input, LoadError, Loader, MAX_DEPTH, Sort, Tables, Variant};
pub use path::{Path, Step};
pub use rewrite::{Mapper, Memo, rewrite};
pub use save::{Saved, Saver};
pub use tilewright_macros::IrNode;
pub use walk::{Visitor, mentions, walk, walk_some};

/// A part of the IR that can be traversed.
pub trait IrNode: 'static {
    /// Hands every handle directly below to the visitor, in order.
    fn visit_children(&self, visitor: &mut dyn Visitor);
    /// Maps every handle directly below; `None` when nothing changed.
    fn map_children(&self, mapper: &mut dyn Mapper) -> Option<Self>
    where
        Self: Sized;
    /// Structural equality: bound variables by their binders, origins ignored.
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool
    where
        Self: Sized;
    /// Structural hash, equal for structurally equal nodes.
    fn node_hash(&self, cx: &mut HashCx);
    /// Hands every part directly below to `each`, with the step to it. A part is never a mere wrapper of another.
    fn parts<'n>(&'n self, each: &mut dyn FnMut(Step, &'n dyn IrNode));
    /// The node itself, or what it is only a wrapper of; `None` where that is absent.
    fn solid(&self) -> Option<&dyn IrNode>
    where
        Self: Sized,
    {
        Some(self)
    }
    /// The node as a handle, if it is one.
    fn as_handle(&self) -> Option<&dyn AnyHandle> {
        None
    }
    /// Writes the node: a handle as the number of its entry.
    fn save(&self, out: &mut Saver);
    /// Reads what [`save`](IrNode::save) wrote.
    fn load(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError>
    where
        Self: Sized;
}

/// The identity of a variable or buffer of any sort. It never reaches output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(u64);

impl VarId {
    /// An identity that no other variable of this process has.
    pub fn fresh() -> Self {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
