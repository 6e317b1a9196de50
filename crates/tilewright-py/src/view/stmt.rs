//! Statements and blocks.

use std::sync::Arc;

use pyo3::prelude::*;
use tilewright::expr::{Buffer, Expr, Range, Var};
use tilewright::ir::relax::Constant;
use tilewright::ir::tir::{Block, BufferRegion, ForKind, IterVar, MatchBuffer, Stmt, StmtKind};
use tilewright::support::Origins;
use tilewright::{DataType, Tensor};

use super::buffer::loop_kind_number;
use super::{Args, Field, Node, attrs};

pub(super) fn kind(stmt: &Stmt) -> &'static str {
    match &stmt.kind {
        StmtKind::Store { .. } => "tir.BufferStore",
        StmtKind::For { .. } => "tir.For",
        StmtKind::While { .. } => "tir.While",
        StmtKind::If { .. } => "tir.IfThenElse",
        StmtKind::Let { .. } => "tir.LetStmt",
        StmtKind::Assert { .. } => "tir.AssertStmt",
        StmtKind::Seq(_) => "tir.SeqStmt",
        StmtKind::Evaluate(_) => "tir.Evaluate",
        StmtKind::Block { .. } => "tir.BlockRealize",
        StmtKind::Allocate { .. } => "tir.DeclBuffer",
        StmtKind::AllocateConst { .. } => "tir.AllocateConst",
        StmtKind::Attr { .. } => "tir.AttrStmt",
    }
}

pub(super) fn field(stmt: &Stmt, name: &str) -> Option<Field> {
    if name == "span" {
        return Some(Field::None);
    }
    Some(match (&stmt.kind, name) {
        (
            StmtKind::Store { buffer, .. } | StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. },
            "buffer",
        ) => Field::Node(Node::Buffer(buffer.clone())),
        (StmtKind::Store { indices, .. }, "indices") => Field::scalars(indices),
        (StmtKind::Store { value, .. } | StmtKind::Let { value, .. } | StmtKind::Evaluate(value), "value")
        | (StmtKind::Attr { value, .. }, "value") => Field::scalar(value),
        (StmtKind::Store { predicate, .. }, "predicate") => Field::optional(predicate.as_ref(), Field::scalar),
        (StmtKind::For { var, .. }, "loop_var") | (StmtKind::Let { var, .. }, "var") => Field::var(var),
        (StmtKind::For { min, .. }, "min") => Field::scalar(min),
        (StmtKind::For { extent, .. }, "extent") => Field::scalar(extent),
        (StmtKind::For { kind, .. }, "kind") => Field::Int(loop_kind_number(kind)),
        (StmtKind::For { kind, .. }, "thread_binding") => thread_binding(stmt, kind),
        (StmtKind::For { annotations, .. }, "annotations") => attrs::map(annotations),
        (
            StmtKind::For { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::Let { body, .. }
            | StmtKind::Allocate { body, .. }
            | StmtKind::AllocateConst { body, .. }
            | StmtKind::Attr { body, .. },
            "body",
        ) => Field::stmt(body),
        (
            StmtKind::While { condition, .. } | StmtKind::If { condition, .. } | StmtKind::Assert { condition, .. },
            "condition",
        ) => Field::scalar(condition),
        (StmtKind::If { then, .. }, "then_case") => Field::stmt(then),
        (StmtKind::If { otherwise, .. }, "else_case") => Field::optional(otherwise.as_ref(), Field::stmt),
        (StmtKind::Assert { message, .. }, "message") => Field::scalar(&Expr::str(message.clone())),
        (StmtKind::Seq(stmts), "seq") => Field::list(stmts, Field::stmt),
        (StmtKind::Block { values, .. }, "iter_values") => Field::scalars(values),
        (StmtKind::Block { predicate, .. }, "predicate") => Field::scalar(predicate),
        (StmtKind::Block { block, .. }, "block") => Field::Node(Node::Block(Arc::new(block.clone()))),
        (StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. }, "buffer_var") => {
            Field::var(&buffer.data)
        }
        (StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. }, "dtype") => {
            Field::dtype(buffer.dtype)
        }
        (StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. }, "extents") => {
            Field::scalars(&buffer.shape)
        }
        (StmtKind::AllocateConst { data, .. }, "data") => Field::Tensor(data.0.clone()),
        (StmtKind::Attr { node, .. }, "node") => Field::scalar(node),
        (StmtKind::Attr { key, .. }, "attr_key") => Field::text(key.clone()),
        _ => return None,
    })
}

/// The thread axis of a loop that is bound to threads: an `IterVar` of its own variable.
fn thread_binding(stmt: &Stmt, kind: &ForKind) -> Field {
    match (&stmt.kind, kind) {
        (StmtKind::For { var, min, extent, .. }, ForKind::ThreadBinding(tag)) => {
            let axis = IterVar {
                var: Var::new(tag.clone(), var.dtype),
                domain: Range::new(min.clone(), extent.clone()),
                kind: tilewright::ir::tir::IterKind::Opaque,
            };
            Field::Node(Node::IterVar(axis))
        }
        _ => Field::None,
    }
}

pub(super) fn block_field(block: &Block, name: &str) -> Option<Field> {
    let regions = |regions: &[BufferRegion]| Field::list(regions, |region| Field::Node(Node::Region(region.clone())));
    Some(match name {
        "name_hint" => Field::text(block.name.clone()),
        "iter_vars" => Field::list(&block.iters, |iter| Field::Node(Node::IterVar(iter.clone()))),
        "alloc_buffers" => Field::list(&block.alloc_buffers, |buffer| Field::Node(Node::Buffer(buffer.clone()))),
        "match_buffers" => Field::list(&block.match_buffers, |matched| Field::Node(Node::MatchBuffer(matched.clone()))),
        "reads" => regions(&block.reads),
        "writes" => regions(&block.writes),
        "annotations" => attrs::map(&block.annotations),
        "init" => Field::optional(block.init.as_ref(), Field::stmt),
        "body" => Field::stmt(&block.body),
        "span" => Field::None,
        _ => return None,
    })
}

pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Option<Node>> {
    if args.kind() == "tir.Block" {
        return Ok(Some(Node::Block(Arc::new(block(args)?))));
    }
    let stmt = match args.kind() {
        "tir.BufferStore" => {
            let (buffer, value): (Buffer, Expr) = (args.get(0, "buffer")?, args.get(1, "value")?);
            let (indices, predicate): (Vec<Expr>, Option<Expr>) = (args.get(2, "indices")?, args.get(3, "predicate")?);
            let value =
                if super::node_of(&args.object(1)?).is_some() { value } else { args.made(value.cast(buffer.dtype))? };
            args.made(Stmt::store_where(&buffer, indices, &value, predicate))?
        }
        "tir.For" => for_loop(args)?.into(),
        "tir.While" => StmtKind::While { condition: args.get(0, "condition")?, body: args.get(1, "body")? }.into(),
        "tir.IfThenElse" => StmtKind::If {
            condition: args.get(0, "condition")?,
            then: args.get(1, "then_case")?,
            otherwise: args.get(2, "else_case")?,
        }
        .into(),
        "tir.LetStmt" => {
            StmtKind::Let { var: args.get(0, "var")?, value: args.get(1, "value")?, body: args.get(2, "body")? }.into()
        }
        "tir.AssertStmt" => {
            let assert: Stmt =
                StmtKind::Assert { condition: args.get(0, "condition")?, message: args.get(1, "message")? }.into();
            // The statement after the check may be given with it.
            match args.get::<Option<Stmt>>(2, "body")? {
                Some(body) => Stmt::seq([assert, body]),
                None => assert,
            }
        }
        "tir.SeqStmt" => StmtKind::Seq(args.get(0, "seq")?).into(),
        "tir.Evaluate" => StmtKind::Evaluate(args.get(0, "value")?).into(),
        "tir.BlockRealize" => {
            let block: Arc<Block> = args.get(2, "block")?;
            let predicate = args.get(1, "predicate")?;
            StmtKind::Block { values: args.get(0, "iter_values")?, predicate, block: (*block).clone() }.into()
        }
        "tir.DeclBuffer" => StmtKind::Allocate { buffer: args.get(0, "buffer")?, body: args.get(1, "body")? }.into(),
        "tir.Allocate" => allocate(args)?.into(),
        "tir.AllocateConst" => allocate_const(args)?.into(),
        "tir.AttrStmt" => StmtKind::Attr {
            node: args.get(0, "node")?,
            key: args.get(1, "attr_key")?,
            value: args.get(2, "value")?,
            body: args.get(3, "body")?,
        }
        .into(),
        _ => return Ok(None),
    };
    Ok(Some(Node::Stmt(stmt)))
}

/// `(loop_var, min, extent, kind, body, thread_binding, annotations)`.
fn for_loop(args: &Args<'_, '_>) -> PyResult<StmtKind> {
    let var: Var = args.get(0, "loop_var")?;
    let (min, extent): (Expr, Expr) = (args.get(1, "min")?, args.get(2, "extent")?);
    let (min, extent) = (args.made(min.cast(var.dtype))?, args.made(extent.cast(var.dtype))?);
    let thread: Option<IterVar> = args.get(5, "thread_binding")?;
    let kind = match args.get::<i64>(3, "kind")? {
        0 => ForKind::Serial,
        1 => ForKind::Parallel,
        2 => ForKind::Vectorized,
        3 => ForKind::Unrolled,
        number if number != 4 => {
            let reason = format_args!("`kind` is a number from 0 to 4, found {number}");
            return Err(super::refused(args.py(), args.kind(), reason));
        }
        _ => match &thread {
            Some(axis) => ForKind::ThreadBinding(axis.var.name.clone()),
            None => return Err(super::refused(args.py(), args.kind(), "a loop on threads needs a `thread_binding`")),
        },
    };
    let annotations = args.attrs(6, "annotations")?;
    Ok(StmtKind::For { var, min, extent, kind, annotations, body: args.get(4, "body")? })
}

/// `(buffer_var, dtype, extents, condition, body)`: memory without a shape of its own, seen as a flat buffer.
fn allocate(args: &Args<'_, '_>) -> PyResult<StmtKind> {
    let data: Var = args.get(0, "buffer_var")?;
    let buffer = Buffer::new(data.name.clone(), args.get(2, "extents")?, args.get(1, "dtype")?);
    let buffer = buffer.derive(|node| node.data = data);
    let (condition, body): (Expr, Stmt) = (args.get(3, "condition")?, args.get(4, "body")?);
    let memory = StmtKind::Allocate { buffer, body };
    Ok(match condition.as_int() {
        Some(1) => memory,
        _ => StmtKind::If { condition, then: memory.into(), otherwise: None },
    })
}

/// `(buffer_var, dtype, extents, data, body)`.
fn allocate_const(args: &Args<'_, '_>) -> PyResult<StmtKind> {
    let (var, dtype): (Var, DataType) = (args.get(0, "buffer_var")?, args.get(1, "dtype")?);
    let (extents, data): (Vec<Expr>, Tensor) = (args.get(2, "extents")?, args.get(3, "data")?);
    let sizes: Vec<_> = extents.iter().map(Expr::as_int).collect();
    let found: Vec<_> = data.shape().iter().map(|&size| Some(size)).collect();
    if data.dtype() != dtype || sizes != found {
        let reason = format_args!("`data` is not of the type and the extents that are given");
        return Err(super::refused(args.py(), args.kind(), reason));
    }
    let buffer = Buffer::new(var.name.clone(), extents, dtype).derive(|node| node.data = var);
    Ok(StmtKind::AllocateConst { buffer, data: Constant(data), body: args.get(4, "body")? })
}

/// `(iter_vars, reads, writes, name_hint, body, init, alloc_buffers, match_buffers, annotations)`.
fn block(args: &Args<'_, '_>) -> PyResult<Block> {
    Ok(Block {
        name: args.get(3, "name_hint")?,
        iters: args.get::<Vec<IterVar>>(0, "iter_vars")?,
        alloc_buffers: args.get::<Option<Vec<Buffer>>>(6, "alloc_buffers")?.unwrap_or_default(),
        match_buffers: args.get::<Option<Vec<MatchBuffer>>>(7, "match_buffers")?.unwrap_or_default(),
        reads: args.get(1, "reads")?,
        writes: args.get(2, "writes")?,
        annotations: args.attrs(8, "annotations")?,
        init: args.get(5, "init")?,
        body: args.get(4, "body")?,
        origins: Origins::default(),
    })
}
