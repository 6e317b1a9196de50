//! `InjectPTXAsyncCopy`: copies from global to shared memory in an `async_scope` become asynchronous copies of the
//! device.
//!
//! A copy is one store of a load, of 4, 8 or 16 bytes: of one element, or of a vector of elements that are next to each
//! other. What a copy leaves out by a choice whose other value is 0 is the copy's own condition. Statements of a scope
//! that are no such copies stay as they are; the scope itself is left out where all of it was replaced.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Builtin, Expr, ExprKind, Intrinsic, PrimFunc, Scope, Stmt, StmtKind};
use tilewright_support::with_stack;

use super::{Options, below, with};
use crate::stmt::{Result, typed};

pub(super) fn inject_ptx_async_copy(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    Ok(with(function, injected(&function.body, false)?))
}

fn injected(stmt: &Stmt, inside: bool) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::Attr { key, body, .. } if &**key == "async_scope" => with_stack(|| injected(body, true)),
        StmtKind::Store { .. } if inside => Ok(copy(stmt)?.unwrap_or_else(|| stmt.clone())),
        _ => below(stmt, &mut |s| injected(s, inside)),
    }
}

/// The first element of a scalar index, or of a vector of neighbours.
fn first(index: &Expr) -> Option<Expr> {
    match &index.kind {
        _ if index.dtype.is_scalar() => Some(index.clone()),
        ExprKind::Ramp { base, stride } if stride.as_int() == Some(1) => Some(base.clone()),
        _ => None,
    }
}

/// The load of a copied value, and the condition under which it is made.
fn source(value: &Expr) -> Option<(&Buffer, &Expr, Option<Expr>)> {
    match &value.kind {
        ExprKind::Load { buffer, indices, predicate: None } => match indices.as_slice() {
            [index] => Some((buffer, index, None)),
            _ => None,
        },
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
            [condition, then, otherwise] if is_zero(otherwise) && condition.dtype.is_scalar() => {
                let (buffer, index, None) = source(then)? else { return None };
                Some((buffer, index, Some(condition.clone())))
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_zero(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Int(value) => *value == 0,
        ExprKind::Float(value) => value.0 == 0.0 && value.0.is_sign_positive(),
        ExprKind::Broadcast(value) => is_zero(value),
        _ => false,
    }
}

fn copy(stmt: &Stmt) -> Result<Option<Stmt>> {
    let StmtKind::Store { buffer: to, indices, value, predicate: None } = &stmt.kind else { return Ok(None) };
    let ([index], Some((from, at, condition))) = (indices.as_slice(), source(value)) else { return Ok(None) };
    let bytes = to.dtype.bytes() * usize::from(index.dtype.lanes);
    let (Some(start), Some(begin)) = (first(index), first(at)) else { return Ok(None) };
    let copies = to.scope.plain() == Scope::Shared
        && from.scope.plain() == Scope::Global
        && to.dtype == from.dtype
        && index.dtype.lanes == at.dtype.lanes
        && [4, 8, 16].contains(&bytes);
    let mut reads_shared = false;
    walk(&begin, |expr: &Expr| reads_shared |= matches!(expr.kind, ExprKind::Load { .. }));
    if !copies || reads_shared {
        return Ok(None);
    }
    let offset = |buffer: &Buffer, index: Expr| -> Result<Expr> {
        match &buffer.elem_offset {
            Some(offset) => Ok(&index + &typed(offset.cast(index.dtype))?),
            None => Ok(index),
        }
    };
    let mut args = vec![Expr::var(&to.data), offset(to, start)?, Expr::var(&from.data), offset(from, begin)?];
    args.push(Expr::i32(i32::try_from(bytes).unwrap_or(i32::MAX)));
    args.extend(condition);
    Ok(Some(StmtKind::Evaluate(Expr::builtin_of(to.dtype, Builtin::PTX_CP_ASYNC, args)).into()))
}
