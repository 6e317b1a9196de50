//! Threads of a GPU and attributes of statements.

use std::sync::Arc;

use ruff_python_ast as ast;
use tilewright_ir::Attrs;
use tilewright_ir::tir::{Expr, ForKind, Range, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use super::stmt::Around;
use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

/// Keys of attributes that make a loop over threads of the statement below.
const THREAD_KEYS: [&str; 2] = ["thread_extent", "virtual_thread"];

/// A loop over threads, before its body is known.
pub(super) struct Launched {
    pub(super) var: Var,
    extent: Expr,
    tag: Arc<str>,
}

impl Launched {
    pub(super) fn around(self, body: Stmt) -> StmtKind {
        let Self { var, extent, tag } = self;
        let Range { min, extent } = Range::up_to(extent);
        StmtKind::For { var, min, extent, kind: ForKind::ThreadBinding(tag), annotations: Attrs::new(), body }
    }
}

impl Parser<'_> {
    /// `tx = T.env_thread("threadIdx.x")`: a variable that a later `T.launch_thread(tx, n)` makes a loop of.
    pub(super) fn env_thread(&mut self, name: &str, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["thread_tag", "dtype"], 1)?;
        let tag = self.string(bound[0].ok_or(Reported)?)?;
        let dtype = bound[1].map_or(Ok(DataType::I32), |dtype| self.dtype(dtype))?;
        let var = Var::new(name, dtype);
        self.tir.threads.insert(var.id(), tag);
        Ok(Value::Scalar(Expr::var(&var)))
    }

    /// `T.launch_thread("threadIdx.x", n)`, or of a variable of [`Parser::env_thread`].
    pub(super) fn launch_thread(&mut self, name: &str, call: &ast::ExprCall) -> Res<Launched> {
        let bound = self.bind(call, &["thread", "extent"], 2)?;
        let (Some(thread), Some(extent)) = (bound[0], bound[1]) else { return Err(Reported) };
        match self.eval(thread)? {
            Value::Str(tag) => {
                let extent = self.scalar(extent, None)?;
                let var = Var::new(if name.is_empty() { thread_name(&tag) } else { name }, extent.dtype);
                self.launched(var, bound[1], extent, tag)
            }
            Value::Scalar(scalar) => {
                let tag = scalar.as_var().and_then(|var| self.tir.threads.get(&var.id()).cloned());
                let (Some(var), Some(tag)) = (scalar.as_var().cloned(), tag) else {
                    let label = format!("make it one with `{}`", self.spell("script.tir.env_thread"));
                    return Err(self.fail(codes::KIND, thread, "this is no variable of threads", label));
                };
                let scalar = self.scalar(extent, Some(var.dtype))?;
                self.launched(var, bound[1], scalar, tag)
            }
            other => Err(self.wrong_kind(thread, "a tag such as \"threadIdx.x\"", &other)),
        }
    }

    fn launched(&mut self, var: Var, node: Option<&ast::Expr>, extent: Expr, tag: Arc<str>) -> Res<Launched> {
        let node = node.ok_or(Reported)?;
        self.check_integer(node, &extent)?;
        let cast = extent.cast(var.dtype);
        let extent = self.checked(node, cast)?;
        self.tir.loops.insert(var.id(), Range::up_to(extent.clone()));
        Ok(Launched { var, extent, tag })
    }

    /// `T.attr(node, "key", value)`. Of threads it is the loop over them.
    pub(super) fn attribute_around(&mut self, call: &ast::ExprCall) -> Res<Around> {
        let bound = self.bind(call, &["node", "attr_key|key", "value"], 3)?;
        let (Some(node), Some(key), Some(value)) = (bound[0], bound[1], bound[2]) else { return Err(Reported) };
        let key = self.string(key)?;
        if THREAD_KEYS.contains(&&*key) {
            let (var, tag) = self.thread_of(node)?;
            let extent = self.scalar(value, Some(var.dtype))?;
            let thread = self.launched(var, Some(value), extent, tag)?;
            return Ok(Box::new(|body| thread.around(body)));
        }
        let (node, value) = (self.attribute_operand(node)?, self.attribute_operand(value)?);
        Ok(Box::new(|body| StmtKind::Attr { node, key, value, body }))
    }

    /// The variable and tag of `T.iter_var(v, None, "ThreadIndex", "threadIdx.x")`, or of a variable of threads.
    fn thread_of(&mut self, node: &ast::Expr) -> Res<(Var, Arc<str>)> {
        if let Some((path, call)) = self.call_path(node)
            && path == "script.tir.iter_var"
        {
            let bound = self.bind(call, &["var|v", "dom", "iter_type", "thread_tag"], 4)?;
            let (Some(var), Some(tag)) = (bound[0], bound[3]) else { return Err(Reported) };
            let tag = self.string(tag)?;
            if let Some((path, call)) = self.call_path(var)
                && let Some(function) = path.strip_prefix("script.tir.")
                && let Some((dtype, _)) = self.declared_type(function, call)?
            {
                return Ok((Var::new(thread_name(&tag), dtype), tag));
            }
            let var = match self.eval(var)? {
                Value::Str(name) => Var::new(name, DataType::I32),
                Value::Scalar(scalar) if scalar.as_var().is_some() => scalar.as_var().cloned().ok_or(Reported)?,
                other => return Err(self.wrong_kind(var, "a variable", &other)),
            };
            return Ok((var, tag));
        }
        match self.eval(node)? {
            Value::Scalar(scalar) => {
                let found =
                    scalar.as_var().and_then(|var| Some((var.clone(), self.tir.threads.get(&var.id())?.clone())));
                found.ok_or_else(|| self.fail(codes::KIND, node, "this is no variable of threads", ""))
            }
            other => Err(self.wrong_kind(node, "a variable of threads", &other)),
        }
    }

    /// The node of an attribute, or its value: a scalar, a text, an address; nothing is 0.
    fn attribute_operand(&mut self, node: &ast::Expr) -> Res<Expr> {
        match self.eval(node)? {
            Value::None => Ok(Expr::i32(0)),
            Value::Buffer(buffer) => Ok(Expr::var(&buffer.data)),
            value => self.scalar_value(node, value, None),
        }
    }
}

/// The usual name of a thread's variable: `tx` for `threadIdx.x`.
fn thread_name(tag: &str) -> &str {
    match tag {
        "blockIdx.x" => "bx",
        "blockIdx.y" => "by",
        "blockIdx.z" => "bz",
        "threadIdx.x" => "tx",
        "threadIdx.y" => "ty",
        "threadIdx.z" => "tz",
        _ => "thread",
    }
}
