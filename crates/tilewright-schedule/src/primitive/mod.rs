//! Primitives: one file for each, and one line in [`ALL`].
//!
//! A primitive is a function from a PrimFunc and the arguments of a call to an [`Outcome`]: another PrimFunc, what the
//! call gives, and what became of keys that are no longer those of the same thing. It either keeps what the function
//! computes or refuses with a [`Fault`], which names the loop or block at which a condition does not hold.

mod add_unit_loop;
mod annotate;
mod bind;
mod cache_read;
mod cache_write;
mod compute_at;
mod compute_inline;
mod decompose_reduction;
mod fuse;
mod get_block;
mod get_loops;
mod parallel;
mod relations;
mod reorder;
mod reverse_compute_at;
mod reverse_compute_inline;
mod rfactor;
mod set_scope;
mod split;
mod storage_align;
mod tile_attention;
pub(crate) mod tile_product;
mod unroll;
mod vectorize;

use std::fmt;

use tilewright_expr::node::Path;
use tilewright_ir::tir::{Buffer, Expr, PrimFunc};
use tilewright_ir::{Attr, IRModule};

use crate::tree::{Key, Site, find};

pub(crate) use bind::bind_independent;
pub(crate) use fuse::fuse;
pub(crate) use split::split;

/// Every primitive, in the order of the documentation.
pub const ALL: &[Primitive] = &[
    get_block::GET_BLOCK,
    get_loops::GET_LOOPS,
    relations::GET_CHILD_BLOCKS,
    relations::GET_PRODUCERS,
    relations::GET_CONSUMERS,
    relations::GET_OUTPUT_BLOCKS,
    split::SPLIT,
    fuse::FUSE,
    reorder::REORDER,
    add_unit_loop::ADD_UNIT_LOOP,
    bind::BIND,
    parallel::PARALLEL,
    vectorize::VECTORIZE,
    unroll::UNROLL,
    cache_read::CACHE_READ,
    cache_write::CACHE_WRITE,
    compute_at::COMPUTE_AT,
    reverse_compute_at::REVERSE_COMPUTE_AT,
    compute_inline::COMPUTE_INLINE,
    reverse_compute_inline::REVERSE_COMPUTE_INLINE,
    decompose_reduction::DECOMPOSE_REDUCTION,
    rfactor::RFACTOR,
    set_scope::SET_SCOPE,
    tile_attention::TILE_ATTENTION,
    tile_product::TILE_PRODUCT,
    storage_align::STORAGE_ALIGN,
    annotate::ANNOTATE,
    annotate::UNANNOTATE,
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
}

/// What a call gives.
#[derive(Clone, Debug)]
pub enum Results {
    Nothing,
    One(Key),
    List(Vec<Key>),
    Scalars(Vec<Expr>),
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

    /// The buffer of this number, an argument, among those that a block writes.
    pub(crate) fn written(&self, site: &Site, at: usize) -> Result<Buffer, Fault> {
        let index = self.int(at)?;
        let writes = site.block().map(|block| block.writes.as_slice()).unwrap_or_default();
        let write = usize::try_from(index).ok().and_then(|index| writes.get(index));
        let message = || format!("the block writes {} buffers, found number {index}", writes.len());
        write.map(|write| write.buffer.clone()).ok_or_else(|| Fault::at(site, message()))
    }

    /// The buffer of this number, an argument, among those that a block reads.
    pub(crate) fn read(&self, site: &Site, at: usize) -> Result<Buffer, Fault> {
        let index = self.int(at)?;
        let reads = site.block().map(|block| block.reads.as_slice()).unwrap_or_default();
        let read = usize::try_from(index).ok().and_then(|index| reads.get(index));
        let message = || format!("the block reads {} buffers, found number {index}", reads.len());
        read.map(|read| read.buffer.clone()).ok_or_else(|| Fault::at(site, message()))
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
