//! `form_kernels`: everything that touches memory is in a *kernel*, a nest of loops that are bound to blocks and
//! threads.
//!
//! What is around kernels is left to the host: sequences, loops and choices over numbers that the host knows, memory of
//! scope `global`, and asserts about such numbers. A statement that is no part of a kernel and reads or writes memory
//! becomes one of a single thread; neighbours share it. A parallel loop outside of kernels gets a block for each
//! iteration, one inside is serial. A whole kernel is made of a loop or choice of the host's whose bounds or condition
//! are in memory.

use std::sync::Arc;

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Expr, ForKind, PrimFunc, Scope, Stmt, StmtKind, Var, written_data};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;

use crate::stmt::{Result, is_nothing, map_below, reads, uses_memory, with_body};
use crate::substitute::Substitute;

pub fn form_kernels(function: &PrimFunc) -> Result<PrimFunc> {
    Ok(with_body(function, on_host(&function.body)?))
}

/// `enter_kernels`: memory of threads and blocks that is declared around kernels is declared in each that uses it.
pub fn enter_kernels(function: &PrimFunc) -> Result<PrimFunc> {
    Ok(with_body(function, entered(&function.body, &mut Vec::new())?))
}

fn entered(stmt: &Stmt, open: &mut Vec<Buffer>) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::Allocate { buffer, body } if buffer.scope.plain() != Scope::Global => {
            open.push(buffer.clone());
            let body = with_stack(|| entered(body, open));
            open.pop();
            body
        }
        StmtKind::For { kind: ForKind::ThreadBinding(_), .. } => {
            let used: Vec<Buffer> = open.iter().filter(|buffer| uses_memory(stmt, &buffer.data)).cloned().collect();
            let declared = |body: Stmt, buffer| StmtKind::Allocate { buffer, body }.into();
            map_below(stmt, &mut |body| Ok(used.iter().rev().cloned().fold(body.clone(), declared)))
        }
        _ => map_below(stmt, &mut |stmt| entered(stmt, open)),
    }
}

/// Whether the statement is a loop that is bound to a block or a thread.
fn begins_kernel(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::For { kind: ForKind::ThreadBinding(_), .. })
}

/// Whether a kernel begins somewhere in the statement.
fn has_kernel(stmt: &Stmt) -> bool {
    let mut found = false;
    walk(stmt, |stmt: &Stmt| found |= begins_kernel(stmt) || is_parallel(stmt));
    found
}

fn is_parallel(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::For { kind: ForKind::Parallel, .. })
}

fn on_host(stmt: &Stmt) -> Result<Stmt> {
    match &stmt.kind {
        _ if is_nothing(stmt) => Ok(stmt.clone()),
        StmtKind::For { kind: ForKind::ThreadBinding(_), .. } => in_kernel(stmt),
        StmtKind::For { var, min, extent, kind: ForKind::Parallel, annotations, body }
            if !reads(min) && !reads(extent) =>
        {
            let (var, min, extent, annotations) = (var.clone(), min.clone(), extent.clone(), annotations.clone());
            let kind = ForKind::ThreadBinding("blockIdx.x".into());
            in_kernel(&StmtKind::For { var, min, extent, kind, annotations, body: body.clone() }.into())
        }
        StmtKind::Seq(stmts) => sequence(stmts),
        StmtKind::If { condition, then, otherwise: None } if reads(condition) && begins_kernel(then) => {
            match changes(then, condition) {
                true => single(stmt),
                false => on_host(&under(then, condition)?),
            }
        }
        _ if !has_kernel(stmt) || !is_hosts(stmt) => single(stmt),
        _ => map_below(stmt, &mut on_host),
    }
}

/// Whether the host can do the statement itself, but for what is inside.
fn is_hosts(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::For { min, extent, kind, .. } => {
            matches!(kind, ForKind::Serial | ForKind::Unrolled) && !reads(min) && !reads(extent)
        }
        StmtKind::If { condition, .. } => !reads(condition),
        StmtKind::Let { value, .. } => !reads(value),
        // Memory of a kernel's own moves into it later.
        StmtKind::Allocate { .. } => true,
        _ => false,
    }
}

/// Whether the statement writes memory that the condition reads.
fn changes(stmt: &Stmt, condition: &Expr) -> bool {
    let written = written_data(stmt);
    let mut found = false;
    walk(condition, |buffer: &Buffer| found |= written.contains(&buffer.data.id()));
    found
}

/// The kernel with what its threads do under a condition over memory, which each of them looks at.
fn under(kernel: &Stmt, condition: &Expr) -> Result<Stmt> {
    match begins_kernel(kernel) {
        true => map_below(kernel, &mut |body| under(body, condition)),
        false => Ok(StmtKind::If { condition: condition.clone(), then: kernel.clone(), otherwise: None }.into()),
    }
}

/// Neighbours that are no kernels share one.
fn sequence(stmts: &[Stmt]) -> Result<Stmt> {
    let (mut done, mut open) = (Vec::new(), Vec::new());
    for stmt in stmts {
        let alone = matches!(&stmt.kind, StmtKind::Assert { condition, .. } if !reads(condition));
        if has_kernel(stmt) || alone {
            if !open.is_empty() {
                done.push(single(&Stmt::seq(std::mem::take(&mut open)))?);
            }
            done.push(if alone { stmt.clone() } else { on_host(stmt)? });
        } else {
            open.push(stmt.clone());
        }
    }
    if !open.is_empty() {
        done.push(single(&Stmt::seq(open))?);
    }
    Ok(Stmt::seq(done))
}

/// A kernel of one thread. Memory of the host's is declared around it.
fn single(stmt: &Stmt) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::Assert { condition, .. } if !reads(condition) => Ok(stmt.clone()),
        StmtKind::Allocate { buffer, .. } if buffer.scope.plain() == Scope::Global => map_below(stmt, &mut single),
        _ => {
            let (var, one) = (Var::new("thread", DataType::I64), Expr::i64(1));
            let kind = ForKind::ThreadBinding(Arc::from("threadIdx.x"));
            in_kernel(&Stmt::for_loop(&var, Expr::i64(0), one, kind, stmt.clone()))
        }
    }
}

/// The hardware counts blocks and threads from 0.
fn from_zero(stmt: Stmt) -> Stmt {
    match &stmt.kind {
        StmtKind::For { var, min, extent, kind: kind @ ForKind::ThreadBinding(_), annotations, body }
            if min.as_int() != Some(0) =>
        {
            let number = Var::new(var.name.clone(), var.dtype);
            let body = Substitute::value(var, &Expr::var(&number) + min).apply(body);
            let (extent, kind, annotations) = (extent.clone(), kind.clone(), annotations.clone());
            let min = Expr::int(0, var.dtype);
            StmtKind::For { var: number, min, extent, kind, annotations, body }.into()
        }
        _ => stmt,
    }
}

/// Inside of a kernel no loop is parallel, and each axis begins at 0.
fn in_kernel(stmt: &Stmt) -> Result<Stmt> {
    let below = from_zero(map_below(stmt, &mut in_kernel)?);
    let StmtKind::For { kind: ForKind::Parallel, .. } = &below.kind else { return Ok(below) };
    let mut kind = below.kind.clone();
    if let StmtKind::For { kind, .. } = &mut kind {
        *kind = ForKind::Serial;
    }
    Ok(kind.into())
}
