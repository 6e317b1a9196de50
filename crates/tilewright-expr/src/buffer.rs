//! Buffers: typed, shaped views of memory.

use std::any::Any;
use std::sync::Arc;

use tilewright_tensor::DataType;

use crate::node::{AnyHandle, EqCx, HashCx, IrNode, Mapper, VarId, Variables, Visitor};
use crate::{Expr, Var, ir_leaf};

/// Where a buffer's memory lives.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scope {
    /// Memory of the device: parameters and large temporaries.
    #[default]
    Global,
    /// Shared by the threads of a block (GPU).
    Shared,
    /// Private to one iteration of the surrounding loops; registers where its indices are constants.
    Local,
    /// One of these with a tag that some target knows, such as `global.texture` or `shared.dyn`; made by [`Scope::named`].
    Tagged(Arc<str>),
}

impl Scope {
    /// The scopes without a tag.
    pub const ALL: [Self; 3] = [Self::Global, Self::Shared, Self::Local];

    /// The field's word for it, as in `T.alloc_buffer(…, scope="local")`.
    pub fn name(&self) -> &str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Local => "local",
            Self::Tagged(name) => name,
        }
    }

    /// The scope of this name: one of [`Scope::ALL`], or one of them, a dot and a tag of letters, digits and dots.
    pub fn named(name: &str) -> Option<Self> {
        let (first, tag) = name.split_once('.').map_or((name, None), |(first, tag)| (first, Some(tag)));
        let plain = Self::ALL.into_iter().find(|scope| scope.name() == first)?;
        match tag {
            None => Some(plain),
            Some(tag) => {
                let letters = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
                (!tag.is_empty() && tag.chars().all(letters)).then(|| Self::Tagged(name.into()))
            }
        }
    }

    /// The scope without its tag.
    pub fn plain(&self) -> Self {
        match self {
            Self::Tagged(name) => name.split('.').next().and_then(Self::named).unwrap_or_default(),
            plain => plain.clone(),
        }
    }
}

ir_leaf! {
    Scope: |v, cx| cx.bytes(v.name().as_bytes());
}

/// What a [`Buffer`] says of itself.
#[derive(Clone, Debug)]
pub struct BufferNode {
    id: VarId,
    pub name: Arc<str>,
    /// The address of its memory. Buffers with the same data variable view the same memory.
    pub data: Var,
    /// Type of an element, always of one lane.
    pub dtype: DataType,
    /// Extent of each dimension, in elements; empty for a single element.
    pub shape: Vec<Expr>,
    /// Elements between neighbours of each dimension; empty means row-major without gaps.
    pub strides: Vec<Expr>,
    /// Elements between `data` and the first element.
    pub elem_offset: Option<Expr>,
    pub scope: Scope,
    /// Promised alignment of the first element in bytes; 0 promises that of one element.
    pub align: usize,
    /// `elem_offset` is a multiple of this many elements; 0 and 1 promise nothing.
    pub offset_factor: usize,
    /// Dimensions before which flattening begins anew: memory of several dimensions, as textures have.
    pub axis_separators: Vec<usize>,
    /// Whether a dimension of extent 1 may stand for any extent where the buffer is an argument (`buffer_type="auto"`).
    pub broadcasts: bool,
}

/// A buffer. Like a variable it is its identity: two buffers alike in all they say of themselves are still two.
#[derive(Clone, Debug)]
pub struct Buffer(Arc<BufferNode>);

impl Buffer {
    /// A compact row-major buffer in global memory with a data variable of its own.
    pub fn new(name: impl Into<Arc<str>>, shape: Vec<Expr>, dtype: DataType) -> Self {
        let name = name.into();
        let data = Var::new(name.clone(), DataType::HANDLE);
        Self(Arc::new(BufferNode {
            id: VarId::fresh(),
            name,
            data,
            dtype,
            shape,
            strides: Vec::new(),
            elem_offset: None,
            scope: Scope::Global,
            align: 0,
            offset_factor: 0,
            axis_separators: Vec::new(),
            broadcasts: false,
        }))
    }

    /// A new buffer, with an identity of its own, that differs from this one by `change`.
    pub fn derive(&self, change: impl FnOnce(&mut BufferNode)) -> Self {
        let mut node = (*self.0).clone();
        node.id = VarId::fresh();
        change(&mut node);
        Self(Arc::new(node))
    }

    pub fn id(&self) -> VarId {
        self.0.id
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.0.shape.len()
    }

    /// The constant shape, if every dimension is a constant.
    pub fn constant_shape(&self) -> Option<Vec<i64>> {
        self.0.shape.iter().map(Expr::as_int).collect()
    }
}

impl std::ops::Deref for Buffer {
    type Target = BufferNode;
    fn deref(&self) -> &BufferNode {
        &self.0
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}
impl Eq for Buffer {}
impl std::hash::Hash for Buffer {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

impl IrNode for Buffer {
    fn visit_children(&self, visitor: &mut dyn Visitor) {
        visitor.visit(self);
    }
    fn map_children(&self, mapper: &mut dyn Mapper) -> Option<Self> {
        mapper.map(self)?.into_any().downcast::<Self>().ok().map(|b| *b)
    }
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
        match cx.variables(self.0.id, other.0.id) {
            Variables::Same => true,
            Variables::Different => cx.differ(),
            Variables::Bound => {
                let (a, b) = (&self.0, &other.0);
                cx.contents(|cx| {
                    a.scope == b.scope
                        && a.align == b.align
                        && a.offset_factor == b.offset_factor
                        && a.axis_separators == b.axis_separators
                        && a.broadcasts == b.broadcasts
                        && cx.field("dtype", &a.dtype, &b.dtype)
                        && cx.field("shape", &a.shape, &b.shape)
                        && cx.field("strides", &a.strides, &b.strides)
                        && cx.field("elem_offset", &a.elem_offset, &b.elem_offset)
                        && cx.field("data", &a.data, &b.data)
                })
            }
        }
    }
    fn node_hash(&self, cx: &mut HashCx) {
        if cx.variable(self.0.id) {
            cx.contents(|cx| {
                self.0.dtype.node_hash(cx);
                self.0.scope.node_hash(cx);
                self.0.shape.node_hash(cx);
                self.0.strides.node_hash(cx);
                self.0.elem_offset.node_hash(cx);
            });
        }
    }
}

impl AnyHandle for Buffer {
    fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
    fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
    fn visit_inside(&self, visitor: &mut dyn Visitor) {
        self.0.data.visit_children(visitor);
        self.0.shape.visit_children(visitor);
        self.0.strides.visit_children(visitor);
        self.0.elem_offset.visit_children(visitor);
    }
    /// A buffer whose shape changes is a new buffer; a mapper meets each buffer once and so replaces all of its uses alike.
    fn map_inside(&self, mapper: &mut dyn Mapper) -> Option<Box<dyn AnyHandle>> {
        let data = self.0.data.map_children(mapper);
        let shape = self.0.shape.map_children(mapper);
        let strides = self.0.strides.map_children(mapper);
        let elem_offset = self.0.elem_offset.map_children(mapper);
        if data.is_none() && shape.is_none() && strides.is_none() && elem_offset.is_none() {
            return None;
        }
        Some(Box::new(self.derive(|node| {
            node.data = data.unwrap_or_else(|| node.data.clone());
            node.shape = shape.unwrap_or_else(|| std::mem::take(&mut node.shape));
            node.strides = strides.unwrap_or_else(|| std::mem::take(&mut node.strides));
            node.elem_offset = elem_offset.unwrap_or_else(|| node.elem_offset.take());
        })))
    }
    fn boxed(&self) -> Box<dyn AnyHandle> {
        Box::new(self.clone())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_have_names_with_and_without_a_tag() {
        for (name, plain) in [
            ("global", Scope::Global),
            ("local", Scope::Local),
            ("shared.dyn", Scope::Shared),
            ("global.vtcm.x", Scope::Global),
        ] {
            let scope = Scope::named(name).unwrap();
            assert_eq!((scope.name(), scope.plain()), (name, plain));
        }
        for name in ["", "globe", "global.", "global.a-b", ".x", "global.a b", "wmma.matrix_a"] {
            assert_eq!(Scope::named(name), None, "{name}");
        }
    }
}
