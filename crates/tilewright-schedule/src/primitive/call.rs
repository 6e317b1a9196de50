//! What a primitive is, and a call of one: its arguments with their handles resolved, and what comes of it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use tilewright_ir::tir::{Buffer, Expr, ExprKind, PrimFunc, Stmt};
use tilewright_ir::{Attr, IRModule, IndexMap};
use tilewright_support::nearest;
use tilewright_tensor::DataType;

use crate::build::rewrite::{path_of, with_block};
use crate::fault::{Fault, FaultKind};
use crate::site::{Key, Site, find, key_at};

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
    /// The names of its parameters, and their values where a call leaves them out. A name that begins with `*` stands
    /// for all arguments by position, as a list.
    pub params: &'static [(&'static str, Default)],
    /// What is said of its parameters where they are the fields of a plan.
    pub plan: Option<PlanDef>,
    /// Whether it gives a list, even of one handle.
    pub gives_list: bool,
    pub run: fn(&Call<'_>) -> Result<Outcome, Fault>,
}

/// The names and the documentation of a plan's fields.
#[derive(Clone, Copy, Debug)]
pub struct PlanDef {
    /// Other names of fields, each with the field that it stands for.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Each field with its documentation.
    pub docs: &'static [(&'static str, &'static str)],
    /// The values of each field that is a choice between named ways; none of the others.
    pub choices: &'static [(&'static str, &'static [&'static str])],
}

impl Primitive {
    /// Whether its last argument is a decision, which it draws where that is left out.
    pub fn draws(&self) -> bool {
        self.params.last().is_some_and(|(name, _)| *name == "decision")
    }

    /// The name of the parameter that a call may give by this name.
    pub(crate) fn param<'n>(&self, name: &'n str) -> &'n str {
        let aliases = self.plan.map_or(&[][..], |plan| plan.aliases);
        aliases.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, field)| field)
    }
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
    Site(Key),
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

/// What a value is, for messages.
fn in_words(value: &Value) -> String {
    match value {
        Value::Site(Key::Loop(_)) => "a loop".to_owned(),
        Value::Site(_) => "a block".to_owned(),
        Value::Expr(expr) => format!("an expression of type {}", expr.dtype),
        Value::Attr(attr) => attr.in_words(),
        Value::List(_) => "a list".to_owned(),
    }
}

impl Call<'_> {
    pub(crate) fn value(&self, at: usize) -> Result<&Value, Fault> {
        self.args.get(at).ok_or_else(|| Fault::of_call(format!("argument {} is missing", at + 1)))
    }

    pub(crate) fn expected<T>(&self, at: usize, what: &str, value: &Value) -> Result<T, Fault> {
        let message = format!("argument {}: expected {what}, found {}", at + 1, in_words(value));
        Err(Fault::of_kind(FaultKind::Argument, message))
    }

    pub(crate) fn block(&self, at: usize) -> Result<Site, Fault> {
        match self.value(at)? {
            Value::Site(key @ (Key::Block(_) | Key::Bare(..))) => site_of(self.function, key),
            other => self.expected(at, "a block", other),
        }
    }

    pub(crate) fn loop_at(&self, at: usize) -> Result<Site, Fault> {
        match self.value(at)? {
            Value::Site(key @ Key::Loop(_)) => site_of(self.function, key),
            other => self.expected(at, "a loop", other),
        }
    }

    pub(crate) fn block_or_loop(&self, at: usize) -> Result<Site, Fault> {
        match self.value(at)? {
            Value::Site(key) => site_of(self.function, key),
            other => self.expected(at, "a block or a loop", other),
        }
    }

    /// Blocks; none where the argument is left out.
    pub(crate) fn blocks(&self, at: usize) -> Result<Vec<Site>, Fault> {
        let block = |value: &Value| match value {
            Value::Site(key @ (Key::Block(_) | Key::Bare(..))) => site_of(self.function, key),
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
            Value::Site(key @ Key::Loop(_)) => Ok(key.clone()),
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

    /// The function with another body of the root block, directly inside of which a block has to be, and no
    /// temporaries.
    pub(crate) fn with_root_body(
        &self,
        block: &Site,
        body: impl FnOnce() -> Result<Stmt, Fault>,
    ) -> Result<Outcome, Fault> {
        let scope = block.expect_scope()?;
        if !scope.above.is_empty() {
            return Err(Fault::at(block, "the block is not directly inside of the root block"));
        }
        let body = body()?;
        let function = with_block(self.function, &path_of(&scope), |root| {
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
        let (min, max) = sizes.into_inner();
        Err(Fault::of_call(format!("`{name}` must be between {min} and {max}, found {size}")))
    }

    /// Such an integer that is a power of two.
    pub(crate) fn power_of_two(&self, at: usize, name: &str, max: i64) -> Result<i64, Fault> {
        let size = self.size(at, name, 1..=max)?;
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

    /// The buffer that a call names: `["write", 0]` or `["read", 0]`, a number among those that the block writes, or a
    /// name.
    pub(crate) fn buffer(&self, site: &Site, at: usize) -> Result<Buffer, Fault> {
        let number = |value: &Value| match value {
            Value::Attr(attr) => attr.as_int(),
            Value::Expr(expr) => expr.as_int(),
            _ => None,
        };
        match self.value(at)? {
            Value::Attr(Attr::Int(index)) => of_block(site, true, *index),
            Value::Attr(Attr::Str(name)) => {
                let block = site.expect_block()?;
                let mut known = block.writes.iter().chain(&block.reads).map(|region| &region.buffer);
                let found = known.find(|buffer| *buffer.name == **name).cloned();
                found.ok_or_else(|| Fault::at(site, format!("block `{}` uses no buffer `{name}`", block.name)))
            }
            Value::List(items) => match items.as_slice() {
                [Value::Attr(Attr::Str(kind)), index] if matches!(&**kind, "read" | "write") => match number(index) {
                    Some(index) => of_block(site, &**kind == "write", index),
                    None => self.expected(at, "a number after \"read\" or \"write\"", index),
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
            let similar = nearest(name, self.intrinsics.keys().map(|known| &**known));
            let hint = similar.map(|name| format!(": did you mean `{name}`?")).unwrap_or_default();
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
pub(crate) fn site_of(function: &PrimFunc, key: &Key) -> Result<Site, Fault> {
    find(&function.body, key).ok_or_else(|| {
        let what = match key {
            Key::Loop(_) => "the loop is gone: a primitive has replaced it",
            _ => "the block is gone: a primitive has removed it",
        };
        Fault::of_kind(FaultKind::Expired, what)
    })
}

/// The PrimFunc that a name stands for, for primitives that begin with a name.
pub(crate) fn prim_func<'m>(module: &'m IRModule, name: &str) -> Result<&'m PrimFunc, Fault> {
    match module.prim(name) {
        Some(function) => Ok(function),
        None => Err(Fault::of_call(format!("the module has no PrimFunc `{name}`"))),
    }
}
