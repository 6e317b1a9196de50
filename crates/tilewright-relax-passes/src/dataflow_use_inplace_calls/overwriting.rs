//! Why a PrimFunc may write its result over an argument.
//!
//! An element of the result is to depend on no element of the argument but the one in its place, by all ways through the
//! function. The body is looked at as statements one after the other. One that reads the argument, or a buffer computed
//! from it, is a perfect nest around one store `y[i] = …` whose every load of such a buffer is at the same indices, and whose
//! instances run once each and store to different elements. The result is stored by the last of them, and nothing behind it
//! reads the argument.
//!
//! So an instance reads what only it overwrites, and it reads before it writes. That stays so when the function is
//! scheduled, whichever of the statements are computed inside of others. A sum of the argument, which would be whole before
//! the first element is overwritten, is no reason to let the result overwrite it: stages could no longer be taken together.

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_ir::nest::{Nest, loads};
use tilewright_ir::tir::{
    Buffer, Expr, ExprKind, MatchBuffer, PrimFunc, Stmt, StmtKind, Var, attr_names, written_data,
};
use tilewright_support::Map;

/// The function without its result, which it writes over the argument; nothing without a proof. `arguments` is the number
/// of its parameters but for the one result.
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

/// Whether the same index means the same place in both.
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
    let (mut computed, mut written) = (vec![x.clone()], false);
    for stmt in statements {
        if written && touches(stmt, x) {
            return false;
        }
        if computed.iter().any(|buffer| touches(stmt, buffer)) {
            let Some(stored) = elementwise(stmt, &computed) else { return false };
            computed.push(stored);
        }
        written |= touches(stmt, y);
    }
    true
}

/// Whether the statement loads from the buffer or stores to it.
fn touches(stmt: &Stmt, buffer: &Buffer) -> bool {
    let mut found = false;
    walk(stmt, |stmt: &Stmt| {
        found |= matches!(&stmt.kind, StmtKind::Store { buffer: stored, .. } if stored == buffer);
    });
    walk(stmt, |expr: &Expr| {
        found |= matches!(&expr.kind, ExprKind::Load { buffer: loaded, .. } if loaded == buffer);
    });
    found
}

/// The buffer that the statement computes element by element, where it loads from the given ones at the same indices.
fn elementwise(stmt: &Stmt, from: &[Buffer]) -> Option<Buffer> {
    let nest = Nest::of(stmt).filter(Nest::runs_each_instance_once)?;
    let (stored, indices, value) = nest.single_store()?;
    let around = nest.loops.iter().flat_map(|l| [&l.min, &l.extent]).chain(&nest.values).chain([&nest.predicate]);
    let mut elsewhere = around.chain(indices);
    let mut several = nest.block.iters.iter().filter(|iter| iter.domain.extent.as_int() != Some(1));
    let distinct = several.all(|iter| indices.iter().any(|index| index.as_var() == Some(&iter.var)));
    let same = |at: &Vec<Expr>| at.len() == indices.len() && at.iter().zip(indices).all(|(a, b)| a.equal(b));
    let fine = distinct
        && from.iter().all(|buffer| loads(value, buffer).iter().all(same))
        && elsewhere.all(|expr| from.iter().chain([stored]).all(|buffer| loads(expr, buffer).is_empty()));
    fine.then(|| stored.clone())
}
