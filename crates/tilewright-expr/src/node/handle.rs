//! Handles: shared pointers to nodes.

use std::any::Any;

use super::{Mapper, Saver, Visitor};

/// A shared pointer to a node, whatever its sort.
pub trait AnyHandle: Any {
    /// The address of the node: two handles with one address are one node while either lives.
    fn address(&self) -> usize;
    /// Whether other handles point to the same node.
    fn is_shared(&self) -> bool;
    fn visit_inside(&self, visitor: &mut dyn Visitor);
    /// Rebuilds the node from mapped children; `None` when nothing changed.
    fn map_inside(&self, mapper: &mut dyn Mapper) -> Option<Box<dyn AnyHandle>>;
    /// Writes the node itself, where it has its entry.
    fn save_inside(&self, out: &mut Saver);
    /// The name of the sort, in saved graphs and messages.
    fn sort(&self) -> &'static str;
    fn boxed(&self) -> Box<dyn AnyHandle>;
    fn as_any(&self) -> &dyn Any;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl dyn AnyHandle {
    /// This handle, if it is of sort `H`.
    pub fn downcast<H: 'static>(&self) -> Option<&H> {
        self.as_any().downcast_ref()
    }
}

/// Makes `$handle` a shared pointer to `$node`: construction, field access through `Deref`, the traversal traits, and a
/// drop that does not recurse on the thread's own stack. `$sort` is its name in saved graphs, `$husk` a cheap childless
/// node to leave in its stead.
#[macro_export]
macro_rules! ir_handle {
    ($(#[$doc:meta])* $handle:ident => $node:ident, sort = $sort:literal, husk = $husk:expr) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $handle(::std::sync::Arc<$node>);

        impl $handle {
            /// Wraps a finished node.
            pub fn from_node(node: $node) -> Self {
                Self(::std::sync::Arc::new(node))
            }

            /// Whether both point to the very same node.
            pub fn same(&self, other: &Self) -> bool {
                ::std::sync::Arc::ptr_eq(&self.0, &other.0)
            }
        }

        impl ::std::ops::Deref for $handle {
            type Target = $node;
            fn deref(&self) -> &$node {
                &self.0
            }
        }

        impl ::std::fmt::Debug for $handle {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&*self.0, f)
            }
        }

        impl Drop for $handle {
            fn drop(&mut self) {
                if let Some(node) = ::std::sync::Arc::get_mut(&mut self.0) {
                    let husk = $husk;
                    let node = ::std::mem::replace(node, husk);
                    ::tilewright_support::with_stack(move || drop(node));
                }
            }
        }

        impl $crate::node::IrNode for $handle {
            fn visit_children(&self, visitor: &mut dyn $crate::node::Visitor) {
                visitor.visit(self);
            }
            fn map_children(&self, mapper: &mut dyn $crate::node::Mapper) -> Option<Self> {
                let mapped = mapper.map(self)?;
                mapped.into_any().downcast::<Self>().ok().map(|h| *h)
            }
            fn node_eq(&self, other: &Self, cx: &mut $crate::node::EqCx) -> bool {
                cx.shared(&self.0, &other.0)
            }
            fn node_hash(&self, cx: &mut $crate::node::HashCx) {
                cx.handle(&self.0);
            }
            fn parts<'n>(&'n self, each: &mut dyn FnMut($crate::node::Step, &'n dyn $crate::node::IrNode)) {
                $crate::node::IrNode::parts(&*self.0, each);
            }
            fn as_handle(&self) -> Option<&dyn $crate::node::AnyHandle> {
                Some(self)
            }
            fn save(&self, out: &mut $crate::node::Saver) {
                out.handle(self);
            }
            fn load(
                input: $crate::node::Input<'_>,
                cx: &mut $crate::node::Loader<'_>,
            ) -> Result<Self, $crate::node::LoadError> {
                cx.handle(input)
            }
        }

        $crate::ir_shared!($handle => $node, sort = $sort, make = |node| Self::from_node(node));
    };
}

/// Makes `$handle`, a shared pointer to `$node`, a node by its identity: the traversal traits, and comparison by `id`.
/// `$sort` is its name in saved graphs.
#[macro_export]
macro_rules! ir_identity {
    ($handle:ident => $node:ident, sort = $sort:literal) => {
        impl $handle {
            pub fn id(&self) -> $crate::node::VarId {
                self.0.id
            }
        }

        impl ::std::ops::Deref for $handle {
            type Target = $node;
            fn deref(&self) -> &$node {
                &self.0
            }
        }

        impl PartialEq for $handle {
            fn eq(&self, other: &Self) -> bool {
                self.0.id == other.0.id
            }
        }
        impl Eq for $handle {}
        impl ::std::hash::Hash for $handle {
            fn hash<H: ::std::hash::Hasher>(&self, state: &mut H) {
                self.0.id.hash(state);
            }
        }

        impl $crate::node::IrNode for $handle {
            fn visit_children(&self, visitor: &mut dyn $crate::node::Visitor) {
                visitor.visit(self);
            }
            fn map_children(&self, mapper: &mut dyn $crate::node::Mapper) -> Option<Self> {
                mapper.map(self)?.into_any().downcast::<Self>().ok().map(|v| *v)
            }
            fn node_eq(&self, other: &Self, cx: &mut $crate::node::EqCx) -> bool {
                match cx.variables(self.0.id, other.0.id) {
                    $crate::node::Variables::Same => true,
                    $crate::node::Variables::Different => cx.differ(),
                    $crate::node::Variables::Bound => {
                        cx.contents(|cx| $crate::node::IrNode::node_eq(&*self.0, &*other.0, cx))
                    }
                }
            }
            fn node_hash(&self, cx: &mut $crate::node::HashCx) {
                cx.variable(self.0.id, |cx| $crate::node::IrNode::node_hash(&*self.0, cx));
            }
            fn parts<'n>(&'n self, each: &mut dyn FnMut($crate::node::Step, &'n dyn $crate::node::IrNode)) {
                $crate::node::IrNode::parts(&*self.0, each);
            }
            fn as_handle(&self) -> Option<&dyn $crate::node::AnyHandle> {
                Some(self)
            }
            fn save(&self, out: &mut $crate::node::Saver) {
                out.handle(self);
            }
            fn load(
                input: $crate::node::Input<'_>,
                cx: &mut $crate::node::Loader<'_>,
            ) -> Result<Self, $crate::node::LoadError> {
                cx.handle(input)
            }
        }

        $crate::ir_shared!($handle => $node, sort = $sort, make = |node| Self(::std::sync::Arc::new(node)));
    };
}

/// [`AnyHandle`] and [`Handle`](super::Handle) for a shared pointer to `$node`.
#[macro_export]
macro_rules! ir_shared {
    ($handle:ident => $node:ident, sort = $sort:literal, make = |$made:ident| $make:expr) => {
        impl $crate::node::AnyHandle for $handle {
            fn address(&self) -> usize {
                ::std::sync::Arc::as_ptr(&self.0) as usize
            }
            fn is_shared(&self) -> bool {
                ::std::sync::Arc::strong_count(&self.0) > 1
            }
            fn visit_inside(&self, visitor: &mut dyn $crate::node::Visitor) {
                $crate::node::IrNode::visit_children(&*self.0, visitor);
            }
            /// A variable or buffer that changes is another one; a mapper meets each once and so replaces all uses
            /// alike.
            fn map_inside(&self, mapper: &mut dyn $crate::node::Mapper) -> Option<Box<dyn $crate::node::AnyHandle>> {
                let $made = $crate::node::IrNode::map_children(&*self.0, mapper)?;
                Some(Box::new($make))
            }
            fn save_inside(&self, out: &mut $crate::node::Saver) {
                $crate::node::IrNode::save(&*self.0, out);
            }
            fn sort(&self) -> &'static str {
                $sort
            }
            fn boxed(&self) -> Box<dyn $crate::node::AnyHandle> {
                Box::new(self.clone())
            }
            fn as_any(&self) -> &dyn ::std::any::Any {
                self
            }
            fn into_any(self: Box<Self>) -> Box<dyn ::std::any::Any> {
                self
            }
        }

        impl $crate::node::Handle for $handle {
            const SORT: &'static str = $sort;
            fn load_inside(
                input: $crate::node::Input<'_>,
                cx: &mut $crate::node::Loader<'_>,
            ) -> Result<Self, $crate::node::LoadError> {
                let $made = <$node as $crate::node::IrNode>::load(input, cx)?;
                Ok($make)
            }
        }
    };
}
