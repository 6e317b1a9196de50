//! Primitives: one file for each, and one line in [`ALL`].
//!
//! A primitive is a function from a PrimFunc and the arguments of a call to an [`Outcome`]: another PrimFunc, what the
//! call gives, and what became of keys that are no longer those of the same thing. It either keeps what the function
//! computes or refuses with a [`Fault`], which names the loop or block at which a condition does not hold.

mod accesses;
mod add_unit_loop;
mod annotate;
mod bind;
mod blockize;
mod cache_inplace;
mod cache_read;
mod cache_write;
mod compute_at;
mod compute_inline;
mod decompose_padding;
mod decompose_reduction;
mod enter_postproc;
mod fuse;
mod get_block;
mod get_loops;
mod loop_partition;
mod merge;
mod multiply_by_reciprocal;
mod pad_einsum;
mod parallel;
pub(crate) mod pipeline_moments;
pub(crate) mod pipeline_norm;
pub(crate) mod pipeline_softmax;
mod reindex;
mod relations;
mod reorder;
mod reverse_compute_at;
mod reverse_compute_inline;
mod rfactor;
mod sample;
pub(crate) mod seek_extreme;
mod set_scope;
mod softmax_by_pieces;
mod softmax_side_by_side;
mod split;
mod stage_transpose;
mod storage_align;
mod temporary;
mod tensorize;
pub(crate) mod tile_attention;
pub(crate) mod tile_product;
pub(crate) mod tile_windows;
mod transform_block_layout;
mod transform_layout;
mod unroll;
mod vectorize;
mod vectorize_reduction;
mod vectorize_transpose;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use tilewright_expr::node::Path;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, PrimFunc, Stmt};
use tilewright_ir::{Attr, IRModule, IndexMap};
use tilewright_support::nearest;
use tilewright_tensor::DataType;

use crate::rewrite::{way, with_block};
use crate::tree::{Key, Site, find, key_at};

pub(crate) use bind::bind_independent;
pub(crate) use fuse::fuse;
pub(crate) use split::split;

/// As users call the primitive that others try out.
const COMPUTE_AT_METHOD: &str = compute_at::COMPUTE_AT.method;

/// Every primitive, in the order of the documentation.
pub const ALL: &[Primitive] = &[
    get_block::GET_BLOCK,
    get_loops::GET_LOOPS,
    relations::GET_CHILD_BLOCKS,
    relations::GET_PRODUCERS,
    relations::GET_CONSUMERS,
    relations::GET_OUTPUT_BLOCKS,
    sample::SAMPLE_CATEGORICAL,
    sample::SAMPLE_PERFECT_TILE,
    sample::SAMPLE_PARTITIONED_TILE,
    sample::SAMPLE_COMPUTE_LOCATION,
    split::SPLIT,
    loop_partition::LOOP_PARTITION,
    fuse::FUSE,
    merge::MERGE,
    reorder::REORDER,
    accesses::REORDER_BLOCK_ITER_VAR,
    add_unit_loop::ADD_UNIT_LOOP,
    bind::BIND,
    parallel::PARALLEL,
    vectorize::VECTORIZE,
    vectorize_reduction::VECTORIZE_REDUCTION,
    vectorize_transpose::VECTORIZE_TRANSPOSE,
    stage_transpose::STAGE_TRANSPOSE,
    unroll::UNROLL,
    cache_read::CACHE_READ,
    cache_write::CACHE_WRITE,
    cache_inplace::CACHE_INPLACE,
    cache_inplace::READ_AT,
    cache_inplace::WRITE_AT,
    reindex::REINDEX,
    reindex::REINDEX_CACHE_READ,
    reindex::REINDEX_CACHE_WRITE,
    compute_at::COMPUTE_AT,
    reverse_compute_at::REVERSE_COMPUTE_AT,
    compute_inline::COMPUTE_INLINE,
    reverse_compute_inline::REVERSE_COMPUTE_INLINE,
    decompose_reduction::DECOMPOSE_REDUCTION,
    rfactor::RFACTOR,
    blockize::BLOCKIZE,
    tensorize::TENSORIZE,
    transform_layout::TRANSFORM_LAYOUT,
    transform_block_layout::TRANSFORM_BLOCK_LAYOUT,
    pad_einsum::PAD_EINSUM,
    decompose_padding::DECOMPOSE_PADDING,
    multiply_by_reciprocal::MULTIPLY_BY_RECIPROCAL,
    pipeline_softmax::PIPELINE_SOFTMAX,
    softmax_by_pieces::SOFTMAX_BY_PIECES,
    softmax_side_by_side::SOFTMAX_SIDE_BY_SIDE,
    pipeline_norm::PIPELINE_NORM,
    pipeline_moments::PIPELINE_MOMENTS,
    seek_extreme::SEEK_EXTREME,
    set_scope::SET_SCOPE,
    temporary::SET_AXIS_SEPARATOR,
    temporary::UNSAFE_SET_DTYPE,
    accesses::ANNOTATE_BUFFER_ACCESS,
    accesses::UNSAFE_HIDE_BUFFER_ACCESS,
    tile_attention::TILE_ATTENTION,
    tile_product::TILE_PRODUCT,
    tile_windows::TILE_WINDOWS,
    storage_align::STORAGE_ALIGN,
    annotate::ANNOTATE,
    annotate::UNANNOTATE,
    enter_postproc::ENTER_POSTPROC,
];

/// The primitive of this name, as traces or as users write it.
pub fn by_name(name: &str) -> Option<&'static Primitive> {
    ALL.iter().find(|primitive| primitive.name == name || primitive.method == name)
}

/// What a parameter is where a call leaves it out.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    Required,
    None,
    Bool(bool),
    Int(i64),
    Str(&'static str),
}

/// A primitive.
pub struct Primitive {
    /// As traces name it.
    pub name: &'static str,
    /// As users call it.
    pub method: &'static str,
    /// What it does, in a sentence: the documentation of the method.
    pub doc: &'static str,
    /// The names of its parameters, and their values where a call leaves them out. A name that begins with `*` stands for
    /// all arguments by position, as a list.
    pub params: &'static [(&'static str, Default)],
    /// Whether it gives a list, even of one handle.
    pub gives_list: bool,
    pub run: fn(&Call<'_>) -> Result<Outcome, Fault>,
}

impl fmt::Debug for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// An argument of a call, its handles resolved.
#[derive(Clone, Debug)]
pub enum Value {
    /// A loop or a block.
    Place(Key),
    Expr(Expr),
    Attr(Attr),
    List(Vec<Value>),
}

/// A call of a primitive on a function.
#[derive(Debug)]
pub struct Call<'a> {
    pub function: &'a PrimFunc,
    /// One for each parameter.
    pub args: &'a [Value],
    pub intrinsics: &'a Intrinsics,
    /// What follows from it is drawn where a decision is left open.
    pub seed: u64,
}

/// A computation (`desc`) and what does the same (`implementation`), as functions of the same buffers.
#[derive(Clone, Debug)]
pub struct TensorIntrin {
    pub desc: PrimFunc,
    pub implementation: PrimFunc,
}

/// Tensor intrinsics by name.
pub type Intrinsics = BTreeMap<Arc<str>, TensorIntrin>;

/// What a call gives.
#[derive(Clone, Debug)]
pub enum Results {
    Nothing,
    One(Key),
    List(Vec<Key>),
    Scalars(Vec<Expr>),
    Scalar(Expr),
    /// What follows from a decision, which the trace keeps: the last argument of the call.
    Decided(Box<Results>, Attr),
}

/// What a primitive did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The function afterwards; `None` where it only looked.
    pub function: Option<PrimFunc>,
    pub results: Results,
    /// Keys that are now others: handles follow.
    pub moved: Vec<(Key, Key)>,
}

impl Outcome {
    pub(crate) fn found(results: Results) -> Self {
        Self { function: None, results, moved: Vec::new() }
    }

    pub(crate) fn changed(function: PrimFunc, results: Results) -> Self {
        Self { function: Some(function), results, moved: Vec::new() }
    }
}

/// Why a primitive was not applied.
#[derive(Clone, Debug)]
pub struct Fault {
    pub message: String,
    /// The loop or block that is concerned, from the function on.
    pub path: Option<Path>,
}

impl Fault {
    pub(crate) fn at(site: &Site, message: impl Into<String>) -> Self {
        Self { message: message.into(), path: Some(site.path()) }
    }

    pub(crate) fn of_call(message: impl Into<String>) -> Self {
        Self { message: message.into(), path: None }
    }
}

/// What a value is, for messages.
fn in_words(value: &Value) -> String {
    match value {
        Value::Place(Key::Loop(_)) => "a loop".to_owned(),
        Value::Place(_) => "a block".to_owned(),
        Value::Expr(expr) => format!("an expression of type {}", expr.dtype),
        Value::Attr(attr) => attr.in_words(),
        Value::List(_) => "a list".to_owned(),
    }
}

impl Call<'_> {
    fn value(&self, at: usize) -> Result<&Value, Fault> {
        self.args.get(at).ok_or_else(|| Fault::of_call(format!("argument {} is missing", at + 1)))
    }

    fn expected<T>(&self, at: usize, what: &str, value: &Value) -> Result<T, Fault> {
        Err(Fault::of_call(format!("argument {}: expected {what}, found {}", at + 1, in_words(value))))
    }

    pub(crate) fn block(&self, at: usize) -> Result<Site, Fault> {
        match self.value(at)? {
            Value::Place(key @ (Key::Block(_) | Key::Bare(..))) => place(self.function, key),
            other => self.expected(at, "a block", other),
        }
    }

    pub(crate) fn loop_at(&self, at: usize) -> Result<Site, Fault> {
        match self.value(at)? {
            Value::Place(key @ Key::Loop(_)) => place(self.function, key),
            other => self.expected(at, "a loop", other),
        }
    }

    pub(crate) fn block_or_loop(&self, at: usize) -> Result<Site, Fault> {
        match self.value(at)? {
            Value::Place(key) => place(self.function, key),
            other => self.expected(at, "a block or a loop", other),
        }
    }

    /// Blocks; none where the argument is left out.
    pub(crate) fn blocks(&self, at: usize) -> Result<Vec<Site>, Fault> {
        let block = |value: &Value| match value {
            Value::Place(key @ (Key::Block(_) | Key::Bare(..))) => place(self.function, key),
            other => self.expected(at, "blocks", other),
        };
        match self.value(at)? {
            Value::Attr(Attr::None) => Ok(Vec::new()),
            Value::List(values) => values.iter().map(block).collect(),
            value => block(value).map(|site| vec![site]),
        }
    }

    pub(crate) fn loops(&self, at: usize) -> Result<Vec<Key>, Fault> {
        let loop_key = |value: &Value| match value {
            Value::Place(key @ Key::Loop(_)) => Ok(key.clone()),
            other => self.expected(at, "loops", other),
        };
        match self.value(at)? {
            Value::List(values) => values.iter().map(loop_key).collect(),
            value => loop_key(value).map(|key| vec![key]),
        }
    }

    pub(crate) fn text(&self, at: usize) -> Result<&str, Fault> {
        match self.value(at)? {
            Value::Attr(Attr::Str(text)) => Ok(text),
            other => self.expected(at, "a text", other),
        }
    }

    pub(crate) fn flag(&self, at: usize) -> Result<bool, Fault> {
        match self.value(at)? {
            Value::Attr(attr @ (Attr::Bool(_) | Attr::Int(_))) => Ok(attr.is_true()),
            other => self.expected(at, "True or False", other),
        }
    }

    pub(crate) fn int(&self, at: usize) -> Result<i64, Fault> {
        match self.value(at)? {
            Value::Attr(Attr::Int(value)) => Ok(*value),
            other => self.expected(at, "an integer", other),
        }
    }

    /// The function with another block in the place of a block and the loops around it from `outer` on. Handles follow.
    pub(crate) fn with_block_for(&self, block: &Site, outer: &Site, new: Stmt) -> Result<Outcome, Fault> {
        let function = PrimFunc { body: outer.replaced(new), ..self.function.clone() };
        let key = key_at(&function.body, outer).ok_or_else(|| Fault::of_call("the block is gone"))?;
        let moved = key_at(&self.function.body, block).into_iter().map(|was| (was, key.clone())).collect();
        Ok(Outcome { function: Some(function), results: Results::One(key), moved })
    }

    /// The function with another body of the root block, directly inside of which a block has to be, and no temporaries.
    pub(crate) fn with_root_body(
        &self,
        block: &Site,
        body: impl FnOnce() -> Result<Stmt, Fault>,
    ) -> Result<Outcome, Fault> {
        let scope = block.scope().ok_or_else(|| Fault::at(block, "the root block is in no other"))?;
        if !scope.above.is_empty() {
            return Err(Fault::at(block, "the block is not directly inside of the root block"));
        }
        let body = body()?;
        let function = with_block(self.function, &way(&scope), |root| {
            (root.body, root.alloc_buffers) = (body, Vec::new());
        })?;
        Ok(Outcome::changed(function, Results::Nothing))
    }

    /// An integer of which there may be so many, by the name of its parameter.
    pub(crate) fn size(&self, at: usize, name: &str, sizes: RangeInclusive<i64>) -> Result<i64, Fault> {
        let size = self.int(at)?;
        if sizes.contains(&size) {
            return Ok(size);
        }
        let (least, most) = sizes.into_inner();
        Err(Fault::of_call(format!("`{name}` must be between {least} and {most}, found {size}")))
    }

    /// Such an integer that is a power of two.
    pub(crate) fn power_of_two(&self, at: usize, name: &str, most: i64) -> Result<i64, Fault> {
        let size = self.size(at, name, 1..=most)?;
        if size & (size - 1) != 0 {
            return Err(Fault::of_call(format!("`{name}` must be a power of two, found {size}")));
        }
        Ok(size)
    }

    /// The buffer of this number, an argument, among those that a block writes.
    pub(crate) fn written(&self, site: &Site, at: usize) -> Result<Buffer, Fault> {
        of_block(site, true, self.int(at)?)
    }

    /// The buffer of this number, an argument, among those that a block reads.
    pub(crate) fn read(&self, site: &Site, at: usize) -> Result<Buffer, Fault> {
        of_block(site, false, self.int(at)?)
    }

    /// The buffer that a call names: `["write", 0]` or `["read", 0]`, a number among those that the block writes, or a name.
    pub(crate) fn buffer(&self, site: &Site, at: usize) -> Result<Buffer, Fault> {
        let number = |value: &Value| match value {
            Value::Attr(attr) => attr.as_int(),
            Value::Expr(expr) => expr.as_int(),
            _ => None,
        };
        match self.value(at)? {
            Value::Attr(Attr::Int(index)) => of_block(site, true, *index),
            Value::Attr(Attr::Str(name)) => {
                let block = site.block().ok_or_else(|| Fault::at(site, "expected a block"))?;
                let mut known = block.writes.iter().chain(&block.reads).map(|region| &region.buffer);
                let found = known.find(|buffer| *buffer.name == **name).cloned();
                found.ok_or_else(|| Fault::at(site, format!("block `{}` uses no buffer `{name}`", block.name)))
            }
            Value::List(items) => match items.as_slice() {
                [Value::Attr(Attr::Str(kind)), index] if matches!(&**kind, "read" | "write") => match number(index) {
                    Some(index) => of_block(site, &**kind == "write", index),
                    None => self.expected(at, "a number behind \"read\" or \"write\"", index),
                },
                _ => self.expected(at, "a buffer, such as [\"write\", 0] or its name", self.value(at)?),
            },
            other => self.expected(at, "a buffer, such as [\"write\", 0] or its name", other),
        }
    }

    pub(crate) fn index_map(&self, at: usize) -> Result<&IndexMap, Fault> {
        match self.value(at)? {
            Value::Attr(Attr::IndexMap(map)) => Ok(map),
            other => self.expected(at, "a map of indices", other),
        }
    }

    /// A number as an element of this type; `None` where the argument is left out.
    pub(crate) fn number(&self, at: usize, dtype: DataType) -> Result<Option<Expr>, Fault> {
        let value = match self.value(at)? {
            Value::Attr(Attr::None) => return Ok(None),
            Value::Attr(Attr::Int(value)) => Some(Expr::number(*value, dtype)),
            Value::Attr(Attr::Bool(value)) => Some(Expr::number(i64::from(*value), dtype)),
            Value::Attr(Attr::Float(value)) if dtype.is_float() => Some(Expr::float(value.0, dtype)),
            Value::Attr(Attr::Expr(expr)) | Value::Expr(expr) => match &expr.kind {
                ExprKind::Int(_) | ExprKind::Float(_) => expr.cast(dtype).ok(),
                _ => None,
            },
            _ => None,
        };
        match value {
            Some(value) => Ok(Some(value)),
            None => self.expected(at, &format!("a number of type {dtype}"), self.value(at)?),
        }
    }

    /// Integers.
    pub(crate) fn ints(&self, at: usize) -> Result<Vec<i64>, Fault> {
        let int = |value: &Value| match value {
            Value::Attr(attr) => attr.as_int(),
            Value::Expr(expr) => expr.as_int(),
            _ => None,
        };
        let items = match self.value(at)? {
            Value::List(items) => items.iter().map(int).collect(),
            Value::Attr(attr) => attr.as_ints(),
            _ => None,
        };
        match items {
            Some(items) => Ok(items),
            None => self.expected(at, "a list of integers", self.value(at)?),
        }
    }

    /// The pair that a name stands for.
    pub(crate) fn intrinsic(&self, at: usize) -> Result<&TensorIntrin, Fault> {
        let name = self.text(at)?;
        self.intrinsics.get(name).ok_or_else(|| {
            let near = nearest(name, self.intrinsics.keys().map(|known| &**known));
            let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            Fault::of_call(format!("no tensor intrinsic is registered as `{name}`{hint}"))
        })
    }

    /// Sizes; `None` where one is left open.
    pub(crate) fn sizes(&self, at: usize) -> Result<Vec<Option<Expr>>, Fault> {
        let Value::List(values) = self.value(at)? else {
            return self.expected(at, "a list of factors", self.value(at)?);
        };
        let size = |value: &Value| match value {
            Value::Attr(Attr::None) => Ok(None),
            Value::Attr(Attr::Int(size)) => Ok(Some(Expr::i64(*size))),
            Value::Attr(Attr::Expr(expr)) | Value::Expr(expr) if expr.dtype.is_int() && expr.dtype.is_scalar() => {
                Ok(Some(expr.clone()))
            }
            other => self.expected(at, "integers or None", other),
        };
        values.iter().map(size).collect()
    }
}

/// The buffer of this number among those that a block writes, or reads.
fn of_block(site: &Site, writes: bool, index: i64) -> Result<Buffer, Fault> {
    let regions = site.block().map(|block| if writes { &block.writes } else { &block.reads });
    let regions = regions.map(Vec::as_slice).unwrap_or_default();
    let region = usize::try_from(index).ok().and_then(|index| regions.get(index));
    let does = if writes { "writes" } else { "reads" };
    let message = || format!("the block {does} {} buffers, found number {index}", regions.len());
    region.map(|region| region.buffer.clone()).ok_or_else(|| Fault::at(site, message()))
}

/// Where a loop or block is that a handle was given out for.
pub(crate) fn place(function: &PrimFunc, key: &Key) -> Result<Site, Fault> {
    find(&function.body, key).ok_or_else(|| {
        let what = match key {
            Key::Loop(_) => "the loop is gone: a primitive has replaced it",
            _ => "the block is gone: a primitive has removed it",
        };
        Fault::of_call(what)
    })
}

/// The PrimFunc that a name stands for, for primitives that begin with a name.
pub(crate) fn prim_func<'m>(module: &'m IRModule, name: &str) -> Result<&'m PrimFunc, Fault> {
    match module.prim(name) {
        Some(function) => Ok(function),
        None => Err(Fault::of_call(format!("the module has no PrimFunc `{name}`"))),
    }
}
