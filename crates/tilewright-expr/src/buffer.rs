//! Buffers: typed, shaped views of memory.

use std::sync::Arc;

use tilewright_tensor::DataType;

use crate::node::{HashCx, Input, IrNode, Leaf, LoadError, Loader, Saver, VarId};
use crate::{BinOp, Expr, TypeMismatch, Var, ir_identity, ir_leaf};

/// The memory scope of a buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scope {
    /// Memory of the device: parameters and large temporaries.
    #[default]
    Global,
    /// Shared by the threads of a block (GPU).
    Shared,
    /// Private to one iteration of the surrounding loops; registers where its indices are constants.
    Local,
    /// One of these with a tag that some target knows, such as `global.texture` or `shared.dyn`, or memory that only
    /// some targets have, such as `warp` and `wmma.matrix_a`; made by [`Scope::named`].
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

    /// Names of memory that only some targets have, each private to a thread or a group of threads; tags may follow.
    pub const OF_TARGETS: [&str; 6] = ["warp", "wmma", "m16n8k8", "metal", "amx", "mma"];

    /// The scope of this name: one of [`Scope::ALL`] or of [`Scope::OF_TARGETS`], or one of them, a dot and a tag of
    /// letters, digits and dots.
    pub fn named(name: &str) -> Option<Self> {
        let (first, tag) = name.split_once('.').map_or((name, None), |(first, tag)| (first, Some(tag)));
        let Some(plain) = Self::ALL.into_iter().find(|scope| scope.name() == first) else {
            let letters = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
            let known = Self::OF_TARGETS.contains(&first) && tag.is_none_or(|tag| !tag.is_empty());
            return (known && name.chars().all(letters)).then(|| Self::Tagged(name.into()));
        };
        match tag {
            None => Some(plain),
            Some(tag) => {
                let letters = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
                (!tag.is_empty() && tag.chars().all(letters)).then(|| Self::Tagged(name.into()))
            }
        }
    }

    /// The scope without its tag; of memory that only some targets have, `Local`.
    pub fn plain(&self) -> Self {
        match self {
            Self::Tagged(name) => {
                let first = name.split('.').next().unwrap_or_default();
                Self::ALL.into_iter().find(|scope| scope.name() == first).unwrap_or(Self::Local)
            }
            plain => plain.clone(),
        }
    }
}

impl Leaf for Scope {
    fn feed(&self, cx: &mut HashCx) {
        cx.bytes(self.name().as_bytes());
    }
    fn save(&self, out: &mut Saver) {
        out.text(self.name());
    }
    fn load(input: Input<'_>, _: &mut Loader<'_>) -> Result<Self, LoadError> {
        let name = input.text()?;
        Self::named(&name).map_or_else(|| input.fail("expected a scope of memory, such as \"global\""), Ok)
    }
}

ir_leaf!(Scope);

/// The fields of a [`Buffer`].
#[derive(Clone, Debug, IrNode)]
pub struct BufferNode {
    #[ir(identity)]
    id: VarId,
    #[ir(skip)]
    pub name: Arc<str>,
    /// The address of its memory. Buffers with the same data variable view the same memory.
    #[ir(unhashed)]
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
    #[ir(name = "data_alignment")]
    pub align: usize,
    /// `elem_offset` is a multiple of this many elements; 0 and 1 promise nothing.
    pub offset_factor: usize,
    /// Dimensions before which flattening begins anew: memory of several dimensions, as textures have.
    pub axis_separators: Vec<usize>,
    /// Whether a dimension of extent 1 may match any extent where the buffer is an argument (`buffer_type="auto"`).
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

    /// Elements between neighbours of each dimension, where the buffer says none: those of rows without gaps.
    pub fn element_strides(&self) -> Result<Vec<Expr>, TypeMismatch> {
        if !self.0.strides.is_empty() {
            return Ok(self.0.strides.clone());
        }
        let mut strides: Vec<Expr> = Vec::new();
        for (dim, extent) in self.0.shape.iter().enumerate().rev() {
            let begins = dim + 1 == self.rank() || self.0.axis_separators.contains(&(dim + 1));
            let next = match (begins, strides.last(), self.0.shape.get(dim + 1)) {
                (false, Some(inner), Some(below)) if inner.as_int() == Some(1) => below.clone(),
                (false, Some(inner), Some(below)) => worked_out(BinOp::Mul, inner, below)?,
                _ => Expr::int(1, extent.dtype),
            };
            strides.push(next);
        }
        strides.reverse();
        Ok(strides)
    }

    /// The dimensions between axis separators: those that are contiguous to each other.
    fn groups(&self) -> Vec<std::ops::Range<usize>> {
        let inner = self.0.axis_separators.iter().copied();
        let ends: Vec<usize> = std::iter::once(0).chain(inner).chain([self.rank()]).collect();
        ends.windows(2).map(|ends| ends[0]..ends[1].max(ends[0])).collect()
    }

    /// The same memory as a buffer of one dimension, or of one for each group of dimensions between axis separators.
    pub fn flattened(&self) -> Result<Self, TypeMismatch> {
        let strides = self.element_strides()?;
        let mut shape = Vec::new();
        for group in self.groups() {
            shape.push(match (strides.get(group.start), self.0.shape.get(group.start)) {
                (Some(stride), Some(extent)) if stride.as_int() == Some(1) && !group.is_empty() => extent.clone(),
                (Some(stride), Some(extent)) if !group.is_empty() => worked_out(BinOp::Mul, extent, stride)?,
                _ => Expr::int(1, self.0.shape.first().map_or(DataType::I32, |extent| extent.dtype)),
            });
        }
        Ok(self.derive(|flat| {
            flat.axis_separators = (1..shape.len()).collect();
            flat.shape = shape;
            flat.strides = Vec::new();
        }))
    }

    /// The indices of an element in the [flattened](Self::flattened) buffer; an offset is part of the last one.
    pub fn offset_of(&self, indices: &[Expr]) -> Result<Vec<Expr>, TypeMismatch> {
        let (strides, groups) = (self.element_strides()?, self.groups());
        let mut found = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            let offset = self.0.elem_offset.clone().filter(|_| number + 1 == groups.len());
            let mut sum = offset.filter(|offset| offset.as_int() != Some(0));
            for (index, stride) in indices.iter().zip(&strides).take(group.end).skip(group.start) {
                let term =
                    if stride.as_int() == Some(1) { index.clone() } else { worked_out(BinOp::Mul, index, stride)? };
                sum = Some(match sum {
                    Some(sum) => worked_out(BinOp::Add, &sum, &term)?,
                    None => term,
                });
            }
            found.push(sum.unwrap_or_else(|| Expr::int(0, DataType::I32)));
        }
        Ok(found)
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

/// The operation, of constants its value.
fn worked_out(op: BinOp, a: &Expr, b: &Expr) -> Result<Expr, TypeMismatch> {
    let made = Expr::binary(op, a, b)?;
    let exact = |x: i64, y: i64| if op == BinOp::Add { x.checked_add(y) } else { x.checked_mul(y) };
    let value = a.as_int().zip(b.as_int()).and_then(|(x, y)| exact(x, y)).map(|value| Expr::int(value, made.dtype));
    Ok(value.unwrap_or(made))
}

ir_identity! { Buffer => BufferNode, sort = "tir.Buffer" }

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
            ("warp", Scope::Local),
            ("wmma.matrix_a", Scope::Local),
        ] {
            let scope = Scope::named(name).unwrap();
            assert_eq!((scope.name(), scope.plain()), (name, plain));
        }
        for name in ["", "globe", "global.", ".x", "global.a b", "wmma.", "warm"] {
            assert_eq!(Scope::named(name), None, "{name}");
        }
    }
}
