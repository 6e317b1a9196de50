//! Why a PrimFunc may write its result over an argument.
//!
//! The body is looked at as statements one after the other. Up to the statement that first touches the result, the argument
//! is whole; behind that statement nothing reads it. The statement itself either does not read the argument, or is a
//! perfect nest around one store `result[i] = …` whose every load of the argument is `argument[i]`, at the same indices,
//! whose instances run once each and store to different elements: an instance then reads what only it overwrites, and it
//! reads before it writes.

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
    let Some(first) = statements.iter().position(|stmt| touches(stmt, y)) else { return false };
    let (whole, behind) = (&statements[first], &statements[first + 1..]);
    behind.iter().all(|stmt| !touches(stmt, x)) && (!touches(whole, x) || is_elementwise(whole, x, y))
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

fn is_elementwise(stmt: &Stmt, x: &Buffer, y: &Buffer) -> bool {
    let Some(nest) = Nest::of(stmt).filter(Nest::runs_each_instance_once) else { return false };
    let Some((stored, indices, value)) = nest.single_store() else { return false };
    let around = nest.loops.iter().flat_map(|l| [&l.min, &l.extent]).chain(&nest.values).chain([&nest.predicate]);
    let computed = around.chain(indices);
    let several = nest.block.iters.iter().filter(|iter| iter.domain.extent.as_int() != Some(1));
    let distinct = |var: &Var| indices.iter().any(|index| index.as_var() == Some(var));
    stored == y
        && loads(value, y).is_empty()
        && loads(value, x).iter().all(|at| at.len() == indices.len() && at.iter().zip(indices).all(|(a, b)| a.equal(b)))
        && computed.clone().all(|expr| loads(expr, x).is_empty() && loads(expr, y).is_empty())
        && several.map(|iter| &iter.var).all(distinct)
}
