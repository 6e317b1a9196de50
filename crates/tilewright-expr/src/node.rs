//! The one traversal of the IR: visiting, rewriting, structural equality and structural hash.
//!
//! `#[derive(IrNode)]` writes the four methods of [`IrNode`] for every struct and enum of the IR. They stop at *handles*
//! (`Expr`, `Stmt`, `Buffer`, `relax::Expr`, …: shared pointers, made by [`ir_handle!`](crate::ir_handle)) and hand
//! them to the visitor or mapper, which decides whether to go on inside with
//! [`visit_inside`](AnyHandle::visit_inside) and [`map_inside`](AnyHandle::map_inside).
//!
//! Handles form a DAG: the ready-made walks ([`walk`], [`rewrite`], equality and hash) look at a shared node once.

use std::any::Any;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::Arc;

use tilewright_support::{Map, Origins, Set, Span};
use tilewright_tensor::DataType;

pub use tilewright_macros::IrNode;

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

/// A shared pointer to a node, whatever its sort.
pub trait AnyHandle: Any {
    /// The address of the node: two handles with one address are one node while either lives.
    fn address(&self) -> usize;
    /// Whether other handles point to the same node.
    fn is_shared(&self) -> bool;
    fn visit_inside(&self, visitor: &mut dyn Visitor);
    /// Rebuilds the node from mapped children; `None` when nothing changed.
    fn map_inside(&self, mapper: &mut dyn Mapper) -> Option<Box<dyn AnyHandle>>;
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

/// Receives handles.
pub trait Visitor {
    fn visit(&mut self, node: &dyn AnyHandle);
}

/// Receives handles and may replace each by another **of the same sort**.
pub trait Mapper {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>>;
}

/// Calls `f` on every handle at or below `root`, parents first, each shared node once. `f` returns whether to go inside.
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

/// What became of a node: its replacement, or `None` where nothing changed.
type Rewritten = Option<Box<dyn AnyHandle>>;

/// What became of shared nodes in one rewriting: the field that makes a [`Mapper`] linear on a DAG.
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
        memo: Memo,
        sort: std::marker::PhantomData<H>,
    }
    impl<H: AnyHandle, F: FnMut(&H) -> Option<H>> Mapper for BottomUp<H, F> {
        fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
            if let Some(result) = self.memo.get(node) {
                return result;
            }
            let inside = tilewright_support::with_stack(|| node.map_inside(self));
            let current = inside.as_deref().unwrap_or(node);
            let replaced = current.downcast::<H>().and_then(|h| (self.f)(h)).map(|h| Box::new(h) as Box<dyn AnyHandle>);
            let result = replaced.or(inside);
            self.memo.put(node, &result);
            result
        }
    }
    root.map_children(&mut BottomUp { f, memo: Memo::default(), sort: std::marker::PhantomData::<H> })
}

/// State of a structural comparison: which variables stand for which, and where the first difference is.
#[derive(Default, Debug)]
pub struct EqCx {
    forth: Map<VarId, VarId>,
    back: Map<VarId, VarId>,
    /// Pairs of shared nodes known to be equal.
    equal: Set<(usize, usize)>,
    /// Whether an unbound variable is bound at first sight.
    defining: bool,
    /// Whether a variable that is bound already is bound anew: at a binder, which one side may reach once, as a shared
    /// node, and the other twice, as two copies.
    rebinding: bool,
    /// Field names from the difference outwards.
    path: Vec<String>,
}

impl EqCx {
    /// Compares from scratch; on a difference the path of field names from the root to it.
    pub fn compare<N: IrNode>(a: &N, b: &N) -> Result<(), String> {
        let mut cx = Self::default();
        if a.node_eq(b, &mut cx) {
            return Ok(());
        }
        cx.path.reverse();
        Err(cx.path.join(" / "))
    }

    /// As [`EqCx::compare`], where free variables may stand for each other.
    pub fn compare_mapping_free_variables<N: IrNode>(a: &N, b: &N) -> bool {
        a.node_eq(b, &mut Self { defining: true, ..Self::default() })
    }

    /// Reports that the nodes differ right here.
    pub fn differ(&mut self) -> bool {
        false
    }

    /// Compares a field and notes its name if it differs.
    pub fn field<N: IrNode>(&mut self, name: impl std::fmt::Display, a: &N, b: &N) -> bool {
        let equal = a.node_eq(b, self);
        if !equal {
            self.path.push(name.to_string());
        }
        equal
    }

    /// Compares a field that binds variables.
    pub fn binding<N: IrNode>(&mut self, name: &str, a: &N, b: &N) -> bool {
        let before = std::mem::replace(&mut self.rebinding, true);
        let equal = self.with_defining(name, a, b);
        self.rebinding = before;
        equal
    }

    /// Compares a field in which unbound variables are bound.
    pub fn defining<N: IrNode>(&mut self, name: &str, a: &N, b: &N) -> bool {
        self.contents(|cx| cx.with_defining(name, a, b))
    }

    fn with_defining<N: IrNode>(&mut self, name: &str, a: &N, b: &N) -> bool {
        let before = std::mem::replace(&mut self.defining, true);
        let equal = self.field(name, a, b);
        self.defining = before;
        equal
    }

    /// Compares what two variables say of themselves: what they mention is not bound anew with them.
    pub fn contents(&mut self, compare: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = std::mem::replace(&mut self.rebinding, false);
        let equal = compare(self);
        self.rebinding = before;
        equal
    }

    /// Whether the variables stand for each other. Their contents are compared by the caller when this says `Bound`.
    pub fn variables(&mut self, a: VarId, b: VarId) -> Variables {
        match (self.forth.get(&a), self.back.get(&b)) {
            (Some(&to), Some(&from)) if to == b && from == a => Variables::Same,
            (None, None) if self.defining => {
                self.forth.insert(a, b);
                self.back.insert(b, a);
                Variables::Bound
            }
            (None, None) if a == b => Variables::Same,
            _ if self.rebinding => {
                self.rebind(a, b);
                Variables::Bound
            }
            _ => Variables::Different,
        }
    }

    /// Lets the variables stand for each other in place of those that they stood for.
    fn rebind(&mut self, a: VarId, b: VarId) {
        if let Some(old) = self.forth.insert(a, b) {
            self.back.remove(&old);
        }
        if let Some(old) = self.back.insert(b, a)
            && old != a
        {
            self.forth.remove(&old);
        }
        // What was equal may have been so by the old pairs.
        self.equal.clear();
    }

    /// Compares two handles by their nodes, through the memory of shared pairs.
    pub fn handles<N: IrNode>(&mut self, a: &Arc<N>, b: &Arc<N>) -> bool {
        let pair = (Arc::as_ptr(a) as usize, Arc::as_ptr(b) as usize);
        let shared = Arc::strong_count(a) > 1 || Arc::strong_count(b) > 1;
        if shared && self.equal.contains(&pair) {
            return true;
        }
        let equal = tilewright_support::with_stack(|| a.node_eq(b, self));
        if equal && shared {
            self.equal.insert(pair);
        }
        equal
    }
}

/// The answer of [`EqCx::variables`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variables {
    Same,
    /// They stand for each other from here on: compare what they say of themselves.
    Bound,
    Different,
}

/// State of a structural hash.
#[derive(Default)]
pub struct HashCx {
    hasher: rustc_hash::FxHasher,
    numbers: Map<VarId, u64>,
    /// How many of the numbered variables no binder has bound.
    free: u64,
    /// The bound variables from the outermost handle inwards, each with the number that it had before.
    bound: Vec<(VarId, Option<u64>)>,
    /// Whether variables are bound here.
    binding: bool,
    done: Map<usize, u64>,
}

impl std::fmt::Debug for HashCx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HashCx({} variables)", self.numbers.len())
    }
}

impl HashCx {
    /// The hash of a node from scratch. Free variables count by their order of appearance.
    pub fn hash<N: IrNode>(node: &N) -> u64 {
        let mut cx = Self::default();
        node.node_hash(&mut cx);
        cx.hasher.finish()
    }

    pub fn word(&mut self, word: u64) {
        self.hasher.write_u64(word);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.hasher.write(bytes);
        self.word(bytes.len() as u64);
    }

    pub fn binding<N: IrNode>(&mut self, node: &N) {
        let before = std::mem::replace(&mut self.binding, true);
        node.node_hash(self);
        self.binding = before;
    }

    pub fn defining<N: IrNode>(&mut self, node: &N) {
        self.contents(|cx| node.node_hash(cx));
    }

    /// Feeds what a variable says of itself: what it mentions is not bound with it.
    pub fn contents(&mut self, feed: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.binding, false);
        feed(self);
        self.binding = before;
    }

    /// Feeds a variable by its number; true where it is bound, or free and seen for the first time.
    ///
    /// A bound variable's number is how many are bound around it, so that a shared node and copies of it hash alike.
    pub fn variable(&mut self, id: VarId) -> bool {
        if self.binding {
            let number = 2 * self.bound.len() as u64 + 1;
            let before = self.numbers.insert(id, number);
            self.bound.push((id, before));
            self.word(number);
            return true;
        }
        if let Some(&number) = self.numbers.get(&id) {
            self.word(number);
            return false;
        }
        let number = 2 * self.free;
        self.free += 1;
        self.numbers.insert(id, number);
        self.word(number);
        true
    }

    /// Ends the scope of the variables that were bound since there were `count`.
    fn unbind(&mut self, count: usize) {
        for (id, before) in self.bound.drain(count..).rev() {
            match before {
                Some(number) => self.numbers.insert(id, number),
                None => self.numbers.remove(&id),
            };
        }
    }

    /// Feeds a handle by its node's own hash, computed once where it is shared. What the node binds is bound inside it.
    pub fn handle<N: IrNode>(&mut self, node: &Arc<N>) {
        let address = Arc::as_ptr(node) as usize;
        let hash = self.done.get(&address).copied().unwrap_or_else(|| {
            let outer = std::mem::take(&mut self.hasher);
            let bound = self.bound.len();
            self.contents(|cx| tilewright_support::with_stack(|| node.node_hash(cx)));
            self.unbind(bound);
            let hash = std::mem::replace(&mut self.hasher, outer).finish();
            if Arc::strong_count(node) > 1 {
                self.done.insert(address, hash);
            }
            hash
        });
        self.word(hash);
    }
}

/// Makes `$handle` a shared pointer to `$node`: construction, field access through `Deref`, the traversal traits, and a
/// drop that does not recurse on the thread's own stack. `$husk` is a cheap childless node to leave behind.
#[macro_export]
macro_rules! ir_handle {
    ($(#[$doc:meta])* $handle:ident => $node:ident, husk = $husk:expr) => {
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
                cx.handles(&self.0, &other.0)
            }
            fn node_hash(&self, cx: &mut $crate::node::HashCx) {
                cx.handle(&self.0);
            }
        }

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
            fn map_inside(&self, mapper: &mut dyn $crate::node::Mapper) -> Option<Box<dyn $crate::node::AnyHandle>> {
                let node = $crate::node::IrNode::map_children(&*self.0, mapper)?;
                Some(Box::new(Self::from_node(node)))
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
    };
}

/// `IrNode` for plain values: no children, compared and hashed by value.
#[macro_export]
macro_rules! ir_leaf {
    ($($type:ty: |$value:ident, $cx:ident| $hash:expr;)*) => { $(
        impl $crate::node::IrNode for $type {
            fn visit_children(&self, _: &mut dyn $crate::node::Visitor) {}
            fn map_children(&self, _: &mut dyn $crate::node::Mapper) -> Option<Self> {
                None
            }
            fn node_eq(&self, other: &Self, _: &mut $crate::node::EqCx) -> bool {
                self == other
            }
            fn node_hash(&self, $cx: &mut $crate::node::HashCx) {
                let $value = self;
                $hash
            }
        }
    )* };
}

ir_leaf! {
    bool: |v, cx| cx.word(u64::from(*v));
    u16: |v, cx| cx.word(u64::from(*v));
    usize: |v, cx| cx.word(*v as u64);
    i64: |v, cx| cx.word(*v as u64);
    String: |v, cx| cx.bytes(v.as_bytes());
    Arc<str>: |v, cx| cx.bytes(v.as_bytes());
    DataType: |v, cx| cx.word(u64::from(v.code as u8) << 32 | u64::from(v.bits) << 16 | u64::from(v.lanes));
}

/// A float that is a constant of the IR: compared and hashed by its bits, so that NaN equals itself and -0 differs from 0.
#[derive(Clone, Copy)]
pub struct FloatBits(pub f64);

impl PartialEq for FloatBits {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}
impl Eq for FloatBits {}
impl std::fmt::Debug for FloatBits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&self.0, f)
    }
}

ir_leaf! {
    FloatBits: |v, cx| cx.word(v.0.to_bits());
}

macro_rules! places {
    ($($type:ty),*) => { $(
        impl IrNode for $type {
            fn visit_children(&self, _: &mut dyn Visitor) {}
            fn map_children(&self, _: &mut dyn Mapper) -> Option<Self> {
                None
            }
            fn node_eq(&self, _: &Self, _: &mut EqCx) -> bool {
                true
            }
            fn node_hash(&self, _: &mut HashCx) {}
        }
    )* };
}
places!(Origins, Span);

impl<T: IrNode + Clone> IrNode for Option<T> {
    fn visit_children(&self, visitor: &mut dyn Visitor) {
        if let Some(inner) = self {
            inner.visit_children(visitor);
        }
    }
    fn map_children(&self, mapper: &mut dyn Mapper) -> Option<Self> {
        self.as_ref().and_then(|inner| inner.map_children(mapper)).map(Some)
    }
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.node_eq(b, cx),
            (None, None) => true,
            _ => false,
        }
    }
    fn node_hash(&self, cx: &mut HashCx) {
        cx.word(u64::from(self.is_some()));
        if let Some(inner) = self {
            inner.node_hash(cx);
        }
    }
}

impl<T: IrNode + Clone> IrNode for Vec<T> {
    fn visit_children(&self, visitor: &mut dyn Visitor) {
        for item in self {
            item.visit_children(visitor);
        }
    }
    fn map_children(&self, mapper: &mut dyn Mapper) -> Option<Self> {
        let mut mapped: Option<Self> = None;
        for (i, item) in self.iter().enumerate() {
            match (item.map_children(mapper), &mut mapped) {
                (Some(new), Some(all)) => all.push(new),
                (None, Some(all)) => all.push(item.clone()),
                (Some(new), None) => mapped = Some(self[..i].iter().cloned().chain([new]).collect()),
                (None, None) => {}
            }
        }
        mapped
    }
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
        self.len() == other.len()
            && self.iter().zip(other).enumerate().all(|(i, (a, b))| cx.field(format_args!("[{i}]"), a, b))
    }
    fn node_hash(&self, cx: &mut HashCx) {
        cx.word(self.len() as u64);
        for item in self {
            item.node_hash(cx);
        }
    }
}

impl<T: IrNode + Clone> IrNode for BTreeMap<Arc<str>, T> {
    fn visit_children(&self, visitor: &mut dyn Visitor) {
        for item in self.values() {
            item.visit_children(visitor);
        }
    }
    fn map_children(&self, mapper: &mut dyn Mapper) -> Option<Self> {
        let mut mapped: Option<Self> = None;
        for (key, item) in self {
            if let Some(new) = item.map_children(mapper) {
                mapped.get_or_insert_with(|| self.clone()).insert(key.clone(), new);
            }
        }
        mapped
    }
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
        self.len() == other.len()
            && self.iter().zip(other).all(|((ka, a), (kb, b))| ka == kb && cx.field(format_args!("[{ka:?}]"), a, b))
    }
    fn node_hash(&self, cx: &mut HashCx) {
        cx.word(self.len() as u64);
        for (key, item) in self {
            cx.bytes(key.as_bytes());
            item.node_hash(cx);
        }
    }
}

impl<A: IrNode + Clone, B: IrNode + Clone> IrNode for (A, B) {
    fn visit_children(&self, visitor: &mut dyn Visitor) {
        self.0.visit_children(visitor);
        self.1.visit_children(visitor);
    }
    fn map_children(&self, mapper: &mut dyn Mapper) -> Option<Self> {
        match (self.0.map_children(mapper), self.1.map_children(mapper)) {
            (None, None) => None,
            (a, b) => Some((a.unwrap_or_else(|| self.0.clone()), b.unwrap_or_else(|| self.1.clone()))),
        }
    }
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
        cx.field("0", &self.0, &other.0) && cx.field("1", &self.1, &other.1)
    }
    fn node_hash(&self, cx: &mut HashCx) {
        self.0.node_hash(cx);
        self.1.node_hash(cx);
    }
}
