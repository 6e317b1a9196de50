//! Containers of parts of the IR that are no nodes themselves: lists, maps, optional and boxed parts.

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_support::{OrderedMap, with_stack};

use super::{EqCx, HashCx, Input, IrNode, LoadError, Loader, Mapper, Saver, Step, Visitor};

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
            _ => cx.differ(),
        }
    }
    fn node_hash(&self, cx: &mut HashCx) {
        cx.word(u64::from(self.is_some()));
        if let Some(inner) = self {
            inner.node_hash(cx);
        }
    }
    fn parts<'n>(&'n self, each: &mut dyn FnMut(Step, &'n dyn IrNode)) {
        if let Some(inner) = self {
            inner.parts(each);
        }
    }
    fn solid(&self) -> Option<&dyn IrNode> {
        self.as_ref().and_then(IrNode::solid)
    }
    fn save(&self, out: &mut Saver) {
        match self {
            Some(inner) => inner.save(out),
            None => out.null(),
        }
    }
    fn load(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError> {
        if input.is_null() { Ok(None) } else { T::load(input, cx).map(Some) }
    }
}

/// Values that hold lists of themselves nest as deep as users write them: each level checks its stack.
impl<T: IrNode + Clone> IrNode for Vec<T> {
    fn visit_children(&self, visitor: &mut dyn Visitor) {
        for item in self {
            with_stack(|| item.visit_children(visitor));
        }
    }
    fn map_children(&self, mapper: &mut dyn Mapper) -> Option<Self> {
        let mut mapped: Option<Self> = None;
        for (i, item) in self.iter().enumerate() {
            match (with_stack(|| item.map_children(mapper)), &mut mapped) {
                (Some(new), Some(all)) => all.push(new),
                (None, Some(all)) => all.push(item.clone()),
                (Some(new), None) => mapped = Some(self[..i].iter().cloned().chain([new]).collect()),
                (None, None) => {}
            }
        }
        mapped
    }
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
        if !self.iter().zip(other).enumerate().all(|(i, (a, b))| with_stack(|| cx.part(|| Step::Item(i), a, b))) {
            return false;
        }
        match self.len().cmp(&other.len()) {
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Greater => cx.only_left(Step::Item(other.len())),
            std::cmp::Ordering::Less => cx.only_right(Step::Item(self.len())),
        }
    }
    fn node_hash(&self, cx: &mut HashCx) {
        cx.word(self.len() as u64);
        for item in self {
            with_stack(|| item.node_hash(cx));
        }
    }
    fn parts<'n>(&'n self, each: &mut dyn FnMut(Step, &'n dyn IrNode)) {
        for (i, item) in self.iter().enumerate() {
            if let Some(item) = item.solid() {
                each(Step::Item(i), item);
            }
        }
    }
    fn save(&self, out: &mut Saver) {
        out.open('[');
        for item in self {
            out.item();
            with_stack(|| item.save(out));
        }
        out.close(']');
    }
    fn load(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError> {
        input.items()?.map(|item| with_stack(|| T::load(item, cx))).collect()
    }
}

/// The entries of a map on both sides, by name.
fn equal_entries<'n, T: IrNode + Clone>(
    left: impl Iterator<Item = (&'n Arc<str>, &'n T)>,
    right: impl Iterator<Item = (&'n Arc<str>, &'n T)>,
    cx: &mut EqCx,
) -> bool {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    loop {
        let (a, b) = match (left.peek(), right.peek()) {
            (None, None) => return true,
            (Some((a, _)), Some((b, _))) if a < b => return cx.only_left(Step::Key((*a).clone())),
            (Some((a, _)), None) => return cx.only_left(Step::Key((*a).clone())),
            (Some((a, _)), Some((b, _))) if a > b => return cx.only_right(Step::Key((*b).clone())),
            (None, Some((b, _))) => return cx.only_right(Step::Key((*b).clone())),
            (Some(a), Some(b)) => (*a, *b),
        };
        if !cx.part(|| Step::Key(a.0.clone()), a.1, b.1) {
            return false;
        }
        left.next();
        right.next();
    }
}

fn save_entries<'n, T: IrNode>(entries: impl Iterator<Item = (&'n Arc<str>, &'n T)>, out: &mut Saver) {
    out.open('{');
    for (key, item) in entries {
        out.key(key);
        with_stack(|| item.save(out));
    }
    out.close('}');
}

fn load_entries<T: IrNode, M: FromIterator<(Arc<str>, T)>>(
    input: Input<'_>,
    cx: &mut Loader<'_>,
) -> Result<M, LoadError> {
    let entries = input.entries()?.into_iter();
    entries.map(|(key, item)| Ok((key.into(), with_stack(|| T::load(item, cx))?))).collect()
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
        equal_entries(self.iter(), other.iter(), cx)
    }
    fn node_hash(&self, cx: &mut HashCx) {
        cx.word(self.len() as u64);
        for (key, item) in self {
            cx.bytes(key.as_bytes());
            item.node_hash(cx);
        }
    }
    fn parts<'n>(&'n self, each: &mut dyn FnMut(Step, &'n dyn IrNode)) {
        for (key, item) in self {
            if let Some(item) = item.solid() {
                each(Step::Key(key.clone()), item);
            }
        }
    }
    fn save(&self, out: &mut Saver) {
        save_entries(self.iter(), out);
    }
    fn load(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError> {
        load_entries(input, cx)
    }
}

/// Entries by name; their order is kept, and has no meaning.
fn sorted<T>(map: &OrderedMap<Arc<str>, T>) -> impl Iterator<Item = (&Arc<str>, &T)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    entries.into_iter()
}

impl<T: IrNode + Clone> IrNode for OrderedMap<Arc<str>, T> {
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
        equal_entries(sorted(self), sorted(other), cx)
    }
    fn node_hash(&self, cx: &mut HashCx) {
        cx.word(self.len() as u64);
        for (key, item) in sorted(self) {
            cx.bytes(key.as_bytes());
            item.node_hash(cx);
        }
    }
    fn parts<'n>(&'n self, each: &mut dyn FnMut(Step, &'n dyn IrNode)) {
        for (key, item) in self {
            if let Some(item) = item.solid() {
                each(Step::Key(key.clone()), item);
            }
        }
    }
    fn save(&self, out: &mut Saver) {
        save_entries(self.iter(), out);
    }
    fn load(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError> {
        load_entries(input, cx)
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
        cx.part(|| Step::Item(0), &self.0, &other.0) && cx.part(|| Step::Item(1), &self.1, &other.1)
    }
    fn node_hash(&self, cx: &mut HashCx) {
        self.0.node_hash(cx);
        self.1.node_hash(cx);
    }
    fn parts<'n>(&'n self, each: &mut dyn FnMut(Step, &'n dyn IrNode)) {
        for (i, part) in [self.0.solid(), self.1.solid()].into_iter().enumerate() {
            if let Some(part) = part {
                each(Step::Item(i), part);
            }
        }
    }
    fn save(&self, out: &mut Saver) {
        out.open('[');
        self.0.save(out);
        out.item();
        self.1.save(out);
        out.close(']');
    }
    fn load(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError> {
        let [a, b] = input.tuple("a pair")?;
        Ok((A::load(a, cx)?, B::load(b, cx)?))
    }
}

macro_rules! pointers {
    ($($pointer:ident, $eq:expr;)*) => { $(
        /// The pointee, in all but memory.
        impl<T: IrNode + Clone> IrNode for $pointer<T> {
            fn visit_children(&self, visitor: &mut dyn Visitor) {
                (**self).visit_children(visitor);
            }
            fn map_children(&self, mapper: &mut dyn Mapper) -> Option<Self> {
                (**self).map_children(mapper).map(Self::new)
            }
            fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
                let equal: fn(&Self, &Self, &mut EqCx) -> bool = $eq;
                equal(self, other, cx)
            }
            fn node_hash(&self, cx: &mut HashCx) {
                (**self).node_hash(cx);
            }
            fn parts<'n>(&'n self, each: &mut dyn FnMut(Step, &'n dyn IrNode)) {
                (**self).parts(each);
            }
            fn solid(&self) -> Option<&dyn IrNode> {
                (**self).solid()
            }
            fn save(&self, out: &mut Saver) {
                with_stack(|| (**self).save(out));
            }
            fn load(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError> {
                with_stack(|| T::load(input, cx)).map(Self::new)
            }
        }
    )* };
}

pointers! {
    Box, |a, b, cx| with_stack(|| (**a).node_eq(b, cx));
    Arc, |a, b, cx| cx.shared(a, b);
}
