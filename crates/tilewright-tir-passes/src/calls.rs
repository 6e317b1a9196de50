//! `inline_calls`: calls of other functions of the module, as their statements.
//!
//! Each call is written out where it stands: scalars become `let`s, and a parameter with a buffer becomes a view of the
//! memory at the address that the call gives. What a function returns is stored into a local buffer of one element,
//! which the statement around the call reads. The function's blocks are plain statements there, as the caller's own
//! blocks say nothing of what it does.

use std::sync::Arc;

use tilewright_expr::node::{AnyHandle, VarId, rewrite, walk};
use tilewright_ir::IRModule;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, ForeignCallee, Param, PrimFunc, Scope, Stmt, StmtKind, Var};
use tilewright_support::{Diagnostics, Map, Origins, Set, with_stack};

use crate::stmt::{Result, error_with_help, evaluates, map_below, map_own, typed, with_body};
use crate::substitute::{Owners, Substitute, reindex};
use crate::{compact_parameters, lower_blocks, lower_init, store_returned, structure_returns};

/// The function with the statements of the functions that it calls.
///
/// # Errors
/// `TW0561`: a call is recursive, or in an expression that may not be evaluated; a function is not in the module, takes
/// other arguments, or may end without a return where its value is used.
pub fn inline_calls(module: &IRModule, function: &PrimFunc) -> Result<PrimFunc> {
    if !has_call(&function.body) {
        return Ok(function.clone());
    }
    let mut cx = Inline { module, origins: &function.origins, open: Vec::new() };
    Ok(with_body(function, cx.stmt(&function.body)?))
}

fn callee(expr: &Expr) -> Option<(&Arc<str>, &[Expr])> {
    match &expr.kind {
        ExprKind::Foreign { callee: ForeignCallee::Function(name), args } => Some((name, args)),
        _ => None,
    }
}

fn has_call(stmt: &Stmt) -> bool {
    let mut found = false;
    walk(stmt, |expr: &Expr| found |= callee(expr).is_some());
    found
}

struct Inline<'a> {
    module: &'a IRModule,
    origins: &'a Origins,
    /// The functions that are being written out.
    open: Vec<Arc<str>>,
}

/// A call that is written out in front of the statement around it.
struct Written {
    body: Stmt,
    /// Where its value is.
    result: Option<Buffer>,
}

impl Inline<'_> {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        if !has_call(stmt) {
            return Ok(stmt.clone());
        }
        if let StmtKind::Evaluate(value) = &stmt.kind
            && let Some((name, args)) = callee(value)
        {
            let mut calls = Vec::new();
            let args = args.iter().map(|arg| self.expr(arg, &mut calls)).collect::<Result<Vec<_>>>()?;
            calls.push(self.written(name, &args)?);
            return Ok(around(calls, None));
        }
        let (mut calls, mut problem) = (Vec::new(), None);
        let own = map_own(stmt, &mut |expr| match self.expr(expr, &mut calls) {
            Ok(made) => made,
            Err(found) => {
                problem.get_or_insert(found);
                expr.clone()
            }
        });
        match problem {
            Some(problem) => return Err(problem),
            None if !calls.is_empty() && matches!(stmt.kind, StmtKind::While { .. }) => {
                return Err(self.refused(
                    "a call of a PrimFunc in the condition of `while`",
                    "call it in the loop, and keep its value in a buffer",
                ));
            }
            None => {}
        }
        let made = map_below(&own, &mut |inner| self.stmt(inner))?;
        Ok(around(calls, Some(made)))
    }

    /// The expression with the values of its calls, which are added.
    fn expr(&mut self, expr: &Expr, calls: &mut Vec<Written>) -> Result<Expr> {
        let mut problem: Option<Diagnostics> = None;
        walk(expr, |inner: &Expr| {
            if let Some((name, _)) = callee(inner)
                && !evaluates(expr, |other| other.address() == inner.address())
            {
                problem = Some(self.refused(
                    &format!("a call of `{name}` in an expression that may not be evaluated"),
                    "call it in a statement of its own, `x = f(…)`, under an `if`",
                ));
            }
        });
        // What is inside of a call comes first.
        let made = rewrite(expr, |inner: &Expr| {
            let (name, args) = callee(inner).filter(|_| problem.is_none())?;
            let value = with_stack(|| self.value_of(name, args, calls));
            value.map_err(|found| problem = Some(found)).ok()
        });
        match problem {
            Some(problem) => Err(problem),
            None => Ok(made.unwrap_or_else(|| expr.clone())),
        }
    }

    fn value_of(&mut self, name: &Arc<str>, args: &[Expr], calls: &mut Vec<Written>) -> Result<Expr> {
        let written = self.written(name, args)?;
        let Some(result) = &written.result else {
            return Err(
                self.refused(&format!("`{name}` returns nothing, and its value is used"), "end it with `T.ret`")
            );
        };
        let value = typed(Expr::load(result, vec![Expr::i32(0)]))?;
        calls.push(written);
        Ok(value)
    }

    /// The statements of a call.
    fn written(&mut self, name: &Arc<str>, args: &[Expr]) -> Result<Written> {
        let Some(function) = self.module.prim(name) else {
            return Err(
                self.refused(&format!("the module has no PrimFunc `{name}`"), "add the function that is called")
            );
        };
        if self.open.contains(name) {
            return Err(self.refused(&format!("`{name}` calls itself"), "write a loop: kernels have no recursion"));
        }
        if function.params.len() != args.len() {
            let (takes, found) = (function.params.len(), args.len());
            return Err(self.refused(&format!("`{name}` takes {takes} arguments, found {found}"), "give each once"));
        }
        let stored = store_returned(function)?;
        let (function, returned) = match stored {
            Some((_, returned)) if returned.maybe => {
                return Err(
                    self.refused(&format!("`{name}` may end without `T.ret`"), "return a value at its end, too")
                );
            }
            Some((stored, returned)) => (stored, Some(returned)),
            None => ((**function).clone(), None),
        };
        let plain = lower_blocks(&lower_init(&structure_returns(&compact_parameters(&function)?)?)?)?;
        self.open.push(name.clone());
        let inner = self.stmt(&plain.body);
        self.open.pop();
        let result = returned.map(|returned| {
            let buffer = Buffer::new(format!("{name}_result"), vec![Expr::i32(1)], returned.dtype);
            buffer.derive(|node| node.scope = Scope::Local)
        });
        let body = self.bound(name, &with_body(&plain, inner?), args, result.as_ref())?;
        Ok(Written { body, result })
    }

    /// The body of a function with the arguments for its parameters.
    fn bound(&self, name: &str, function: &PrimFunc, args: &[Expr], result: Option<&Buffer>) -> Result<Stmt> {
        let mut all = Substitute::default();
        let (mut lets, mut views) = (Vec::new(), Vec::new());
        for (at, param) in function.params.iter().enumerate() {
            let Some(arg) = args.get(at) else {
                if let (Some(own), Some(result)) = (&param.buffer, result) {
                    all.buffers.insert(own.id(), result.clone());
                }
                continue;
            };
            match &param.buffer {
                Some(buffer) => views.push((buffer, self.memory(name, param, buffer, arg)?)),
                None if let Some(var) = arg.as_var().or_else(|| start_of_memory(arg)) => {
                    all.binders.insert(param.var.id(), var.clone());
                    all.values.insert(param.var.id(), Expr::var(var));
                }
                None => {
                    let arg = if param.var.dtype.is_handle() { arg.clone() } else { typed(arg.cast(param.var.dtype))? };
                    let var = param.var.renewed();
                    all.binders.insert(param.var.id(), var.clone());
                    all.values.insert(param.var.id(), Expr::var(&var));
                    lets.push((var, arg));
                }
            }
        }
        self.bind_dimensions(name, &views, &mut all)?;
        let (mut declared, mut body) = (Vec::new(), function.body.clone());
        for (own, Memory { data, part, .. }) in views {
            all.binders.insert(own.data.id(), data.clone());
            all.values.insert(own.data.id(), Expr::var(&data));
            match part {
                Some((flat, offset)) => {
                    body = self.shifted(&body, own, &flat, &offset)?;
                    declared.push(flat);
                }
                None => {
                    let shape = own.shape.iter().map(|dim| all.apply(dim)).collect();
                    let view = own.derive(|node| {
                        node.data = data;
                        node.shape = shape;
                    });
                    all.buffers.insert(own.id(), view.clone());
                    declared.push(view);
                }
            }
        }
        let body = all.apply(&Owners::of(function).copy_with(&body, []));
        let body = declared.into_iter().rev().fold(body, |body, buffer| StmtKind::Allocate { buffer, body }.into());
        Ok(lets.into_iter().rev().fold(body, |body, (var, value)| StmtKind::Let { var, value, body }.into()))
    }

    /// The statement with accesses to a buffer of one dimension, from this element on, in place of those to `own`.
    fn shifted(&self, body: &Stmt, own: &Buffer, flat: &Buffer, offset: &Expr) -> Result<Stmt> {
        let mut problem: Option<Diagnostics> = None;
        walk(body, |buffer: &Buffer| {
            if buffer.data == own.data && buffer != own {
                let message = format!("`{}` is a view of a part of the memory that a call gives", buffer.name);
                problem = Some(self.refused(&message, "give the memory from its first element on"));
            }
        });
        let made = reindex(body, |buffer, indices| {
            if buffer != own || problem.is_some() {
                return None;
            }
            let place = || -> Result<Expr> {
                let inside = typed(own.offset_of(indices))?;
                let inside = inside.first().cloned().unwrap_or_else(|| Expr::int(0, offset.dtype));
                let start = typed(typed(offset.cast(inside.dtype.element()))?.broadcast(inside.dtype.lanes))?;
                typed(Expr::binary(BinOp::Add, &start, &inside))
            };
            place().map_err(|found| problem = Some(found)).ok().map(|index| (flat.clone(), vec![index]))
        });
        problem.map_or(Ok(made), Err)
    }

    /// Gives the symbolic dimensions of parameters those of the memory that is given whole.
    fn bind_dimensions(&self, name: &str, views: &[(&Buffer, Memory)], all: &mut Substitute) -> Result<()> {
        let mut known: Map<VarId, ()> = all.values.keys().map(|id| (*id, ())).collect();
        for (own, memory) in views {
            let given = memory.whole.as_ref().filter(|given| given.rank() == own.rank());
            for (at, dim) in own.shape.iter().enumerate() {
                let mut open: Set<VarId> = Set::default();
                walk(dim, |var: &Var| {
                    open.insert(var.id());
                });
                open.retain(|var| !known.contains_key(var));
                match (dim.as_var(), given.and_then(|given| given.shape.get(at))) {
                    _ if open.is_empty() => {}
                    (Some(var), Some(size)) => {
                        known.insert(var.id(), ());
                        all.values.insert(var.id(), typed(size.cast(var.dtype))?);
                    }
                    _ => {
                        let message = format!("nothing tells the shape of `{}` in the call of `{name}`", own.name);
                        return Err(self.refused(&message, "give the sizes as scalars"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The memory at an address, for a parameter with a buffer.
    fn memory(&self, name: &str, param: &Param, buffer: &Buffer, address: &Expr) -> Result<Memory> {
        match &address.kind {
            ExprKind::Var(data) if data.dtype.is_handle() => Ok(Memory { data: data.clone(), part: None, whole: None }),
            ExprKind::AddressOf { buffer: given, indices } if given.dtype == buffer.dtype => {
                let first = indices.iter().all(|index| index.as_int() == Some(0));
                let compact = given.elem_offset.is_none() && given.strides.is_empty();
                let part = match typed(given.offset_of(indices))?.as_slice() {
                    _ if first && given.elem_offset.is_none() => None,
                    [offset] => Some((flat(given)?, offset.clone())),
                    _ => {
                        let message = format!("memory of several dimensions is given to `{name}`");
                        return Err(self.refused(&message, "give a buffer of one range of memory"));
                    }
                };
                let whole = (first && compact).then(|| given.clone());
                Ok(Memory { data: given.data.clone(), part, whole })
            }
            ExprKind::AddressOf { buffer: given, .. } => Err(self.refused(
                &format!("`{name}` takes {} at `{}`, found {}", buffer.dtype, param.var.name, given.dtype),
                "give memory of that type",
            )),
            _ => Err(self.refused(
                &format!("`{name}` takes the address of a buffer at `{}`", param.var.name),
                "give `A.data`, or `T.address_of(A[i])`",
            )),
        }
    }

    fn refused(&self, message: &str, help: &str) -> Diagnostics {
        error_with_help("TW0561", self.origins, message, help)
    }
}

/// Memory that a call gives.
struct Memory {
    data: Var,
    /// All of it as one dimension, and where it begins there, unless that is the first element.
    part: Option<(Buffer, Expr)>,
    /// The buffer, where it is given from its first element on and has no gaps.
    whole: Option<Buffer>,
}

/// All memory of a buffer up to its last element, as one dimension.
fn flat(buffer: &Buffer) -> Result<Buffer> {
    let flat = typed(buffer.flattened())?;
    let extent = flat.shape.first().cloned().unwrap_or_else(|| Expr::i32(1));
    let extent = match &buffer.elem_offset {
        Some(offset) => typed(Expr::binary(BinOp::Add, &extent, &typed(offset.cast(extent.dtype))?))?,
        None => extent,
    };
    Ok(flat.derive(|node| {
        node.shape = vec![extent];
        node.elem_offset = None;
    }))
}

/// The calls in order, in front of the statement that uses their values.
fn around(calls: Vec<Written>, stmt: Option<Stmt>) -> Stmt {
    let results: Vec<Buffer> = calls.iter().filter_map(|call| call.result.clone()).collect();
    if calls.is_empty() {
        return stmt.unwrap_or_else(Stmt::nothing);
    }
    let body = Stmt::seq(calls.into_iter().map(|call| call.body).chain(stmt));
    results.into_iter().rev().fold(body, |body, buffer| StmtKind::Allocate { buffer, body }.into())
}

/// The memory whose start is the address.
pub(crate) fn start_of_memory(address: &Expr) -> Option<&Var> {
    match &address.kind {
        ExprKind::AddressOf { buffer, indices }
            if buffer.elem_offset.is_none() && indices.iter().all(|index| index.as_int() == Some(0)) =>
        {
            Some(&buffer.data)
        }
        _ => None,
    }
}
