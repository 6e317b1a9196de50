//! The proof that a PrimFunc may write its result over an argument.
//!
//! The body is a sequence of statements. Up to the one that first touches the result, the argument is unchanged; after
//! it nothing reads the argument. That statement is a perfect nest around one store `y[i] = …`, whose every load of the
//! argument is at the same indices, and whose instances are distinct and store to different elements: an instance reads
//! only the element that it overwrites, and reads it before it writes.
//!
//! A further condition keeps in-place calls as fast as others: a schedule may compute the stages element by element or
//! row by row. So all buffers computed from the argument must be elements or values of rows (module `dependence`): the
//! row of another element is never read again. Schedules prove legality by themselves; in a function that needs more of
//! the argument, such as a product, the stages could not be fused.

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_ir::tir::{
    Buffer, Expr, ExprKind, MatchBuffer, PrimFunc, Stmt, StmtKind, Var, attr_names, written_data,
};
use tilewright_support::Map;

use super::dependence::{Dependence, touches};

/// The function without its result, which it writes over the argument; `None` without a proof. `arguments` is the
/// number of its parameters but for the one result.
pub(super) fn made(function: &PrimFunc, argument: usize, arguments: usize) -> Option<PrimFunc> {
    if function.params.len() != arguments + 1 {
        return None;
    }
    let x = function.params.get(argument)?.buffer.clone()?;
    let y = function.params.get(arguments)?.buffer.clone()?;
    if !alike(&x, &y) || !is_only_indexed(function, &x, &y) || !reads_before_it_writes(function, &x, &y) {
        return None;
    }
    let mut inplace = function.clone();
    inplace.params.remove(arguments);
    inplace.attrs.remove(attr_names::GLOBAL_SYMBOL);
    inplace.body = rewrite(&inplace.body, |buffer: &Buffer| (*buffer == y).then(|| x.clone()))?;
    // A module's functions share no variables.
    let mut fresh: Map<VarId, Var> = Map::default();
    rewrite(&inplace, |var: &Var| Some(fresh.entry(var.id()).or_insert_with(|| var.renewed()).clone()))
}

/// Whether the same index is the same address in both.
fn alike(x: &Buffer, y: &Buffer) -> bool {
    let compact = |buffer: &Buffer| buffer.strides.is_empty() && buffer.elem_offset.is_none();
    x.dtype == y.dtype
        && x.scope == y.scope
        && compact(x)
        && compact(y)
        && x.rank() == y.rank()
        && x.shape.iter().zip(&y.shape).all(|(a, b)| a.equal(b))
}

/// Whether the memory of both is touched by loads and stores of these buffers alone, and `x` is not stored to.
fn is_only_indexed(function: &PrimFunc, x: &Buffer, y: &Buffer) -> bool {
    let mut only = !written_data(&function.body).contains(&x.data.id()) && x.data != y.data;
    walk(&function.body, |buffer: &Buffer| {
        only &= buffer == x || buffer == y || (buffer.data != x.data && buffer.data != y.data);
    });
    walk(&function.body, |expr: &Expr| match &expr.kind {
        ExprKind::Var(var) => only &= *var != x.data && *var != y.data,
        ExprKind::AddressOf { buffer, .. } => only &= buffer != x && buffer != y,
        _ => {}
    });
    walk(&function.body, |stmt: &Stmt| {
        if let StmtKind::Block { block, .. } = &stmt.kind {
            let views = |view: &MatchBuffer| view.source.buffer == *x || view.source.buffer == *y;
            only &= !block.match_buffers.iter().any(views);
        }
    });
    only
}

fn reads_before_it_writes(function: &PrimFunc, x: &Buffer, y: &Buffer) -> bool {
    let body = function.root_block().map_or(&function.body, |root| &root.body);
    let one = [body.clone()];
    let statements: &[Stmt] = match &body.kind {
        StmtKind::Seq(statements) => statements,
        _ => &one,
    };
    let (mut dependence, mut written) = (Dependence::of(x), false);
    for stmt in statements {
        if written && touches(stmt, x) {
            return false;
        }
        let writes = touches(stmt, y);
        if dependence.reaches(stmt) && !(dependence.follow(stmt) && (!writes || dependence.has_elements(y))) {
            return false;
        }
        written |= writes;
    }
    true
}
