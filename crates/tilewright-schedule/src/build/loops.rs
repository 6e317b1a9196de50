//! Loops, temporaries and blocks that kernels are written with, and what they require of the loops that they replace.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::Attrs;
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{Block, Buffer, BufferRegion, Expr, ForKind, Range, Scope, Stmt, StmtKind, Var};
use tilewright_support::{Origins, Set};
use tilewright_tensor::DataType;

use crate::build::exprs::{loaded_buffers, mentions_var, stored, typed};
use crate::fault::Fault;
use crate::units::LINE;

/// `for var in range(extent)`; of a loop of one iteration its body remains.
pub(crate) fn serial(var: &Var, extent: &Expr, body: Stmt) -> Stmt {
    looped(var, extent, ForKind::Serial, body)
}

pub(crate) fn looped(var: &Var, extent: &Expr, kind: ForKind, body: Stmt) -> Stmt {
    Stmt::for_loop(var, Expr::int(0, var.dtype), extent.clone(), kind, body)
}

/// The same as a loop that has no body yet.
pub(crate) fn serial_loop(var: &Var, extent: &Expr) -> Loop {
    let min = Expr::int(0, var.dtype);
    Loop { var: var.clone(), min, extent: extent.clone(), kind: ForKind::Serial, annotations: Attrs::new() }
}

pub(crate) fn only_if(condition: Expr, then: Stmt) -> Stmt {
    if condition.as_int() == Some(1) {
        return then;
    }
    StmtKind::If { condition, then, otherwise: None }.into()
}

/// The expression under a name, unless it is a name or a constant.
pub(crate) fn named(name: &str, value: &Expr, lets: &mut Vec<(Var, Expr)>) -> Expr {
    if value.as_var().is_some() || value.as_int().is_some() {
        return value.clone();
    }
    let var = Var::new(name, value.dtype);
    lets.push((var.clone(), value.clone()));
    Expr::var(&var)
}

pub(crate) fn with_names(lets: Vec<(Var, Expr)>, body: Stmt) -> Stmt {
    lets.into_iter().rev().fold(body, |body, (var, value)| StmtKind::Let { var, value, body }.into())
}

/// An element, by indices that stay in use.
pub(crate) fn load(buffer: &Buffer, indices: &[&Expr]) -> Result<Expr, Fault> {
    typed(Expr::load(buffer, indices.iter().copied().cloned().collect()))
}

/// A store to such an element.
pub(crate) fn store(buffer: &Buffer, indices: &[&Expr], value: &Expr) -> Result<Stmt, Fault> {
    stored(buffer, indices.iter().copied().cloned().collect(), value)
}

/// A horizontal reduction of accumulators, the rows of a buffer, to the first lane of `halves`: the second half of the
/// vectors is merged into the first, and so on; then the lanes of the vector that is left, in the same way.
pub(crate) fn folded(
    accumulators: &Buffer,
    halves: &Buffer,
    both: &dyn Fn(&Expr, &Expr) -> Result<Expr, Fault>,
) -> Result<Vec<Stmt>, Fault> {
    let (Some(count), Some(lanes)) = (constant(accumulators), constant(halves)) else {
        return Err(Fault::of_call("accumulators are not a constant number of vectors"));
    };
    let vector = |width: i64, body: &dyn Fn(&Expr) -> Result<Stmt, Fault>| {
        let l = Var::new("l", DataType::I64);
        Ok(looped(&l, &Expr::i64(width), ForKind::Vectorized, body(&Expr::var(&l))?))
    };
    let mut stmts = Vec::new();
    let mut left = count / 2;
    while left > 0 {
        let u = Var::new("u", DataType::I64);
        let (one, other) = (Expr::var(&u), &Expr::var(&u) + left);
        let onto = vector(lanes, &|l| {
            let value = both(&load(accumulators, &[&one, l])?, &load(accumulators, &[&other, l])?)?;
            store(accumulators, &[&one, l], &value)
        })?;
        stmts.push(looped(&u, &Expr::i64(left), ForKind::Unrolled, onto));
        left /= 2;
    }
    let zero = Expr::i64(0);
    stmts.push(vector(lanes, &|l| store(halves, &[l], &load(accumulators, &[&zero, l])?))?);
    let mut width = lanes / 2;
    while width > 0 {
        stmts.push(vector(width, &|l| {
            store(halves, &[l], &both(&load(halves, &[l])?, &load(halves, &[&(l + width)])?)?)
        })?);
        width /= 2;
    }
    Ok(stmts)
}

/// The extent of the first dimension.
fn constant(buffer: &Buffer) -> Option<i64> {
    buffer.shape.first()?.as_int()
}

/// Those of the buffers that the statement mentions.
pub(crate) fn used_in(body: &Stmt, buffers: Vec<Buffer>) -> Vec<Buffer> {
    let mut used = Set::default();
    walk(body, |buffer: &Buffer| {
        used.insert(buffer.data.id());
    });
    buffers.into_iter().filter(|buffer| used.contains(&buffer.data.id())).collect()
}

/// A temporary of a task, on cache lines of its own.
pub(crate) fn memory(name: &str, shape: Vec<Expr>, dtype: DataType, scope: Scope) -> Buffer {
    Buffer::new(name, shape, dtype).derive(|node| {
        node.scope = scope;
        node.align = LINE as usize;
    })
}

/// A block without axes that may read all of what the expressions load from, write all of some buffers, and has its own
/// ones.
pub(crate) fn task_block(name: &str, read: &[&Expr], written: Vec<Buffer>, own: Vec<Buffer>, body: Stmt) -> Stmt {
    let buffers = loaded_buffers(&read.iter().copied().cloned().collect::<Vec<_>>());
    let whole = |buffer: Buffer| {
        let region = buffer.shape.iter().map(|extent| Range::up_to(extent.clone())).collect();
        BufferRegion { buffer, region }
    };
    let block = Block {
        name: name.into(),
        iters: Vec::new(),
        alloc_buffers: own,
        match_buffers: Vec::new(),
        reads: buffers.into_iter().map(whole).collect(),
        writes: written.into_iter().map(whole).collect(),
        annotations: Attrs::new(),
        init: None,
        body,
        origins: Origins::default(),
    };
    StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block }.into()
}

/// Refuses, with the reason, a block that does not run exactly once, whatever the arguments, for all values of its
/// axes: each axis has a loop of its own over all of its values, or one value, and other loops have one iteration.
/// Nothing depends on the loops' variables but the axes.
pub(crate) fn check_own_loops(
    known: &Analyzer,
    loops: &[Loop],
    block: &Block,
    binding: (&[Expr], &Expr),
) -> Result<(), String> {
    let (name, (values, predicate)) = (&block.name, binding);
    if predicate.as_int() != Some(1) {
        return Err(format!("block `{name}` runs under a condition"));
    }
    let mut free: Vec<&Loop> = loops.iter().collect();
    for (iter, value) in block.iters.iter().zip(values) {
        let own = free.iter().position(|l| {
            value.as_var() == Some(&l.var)
                && l.min.as_int() == Some(0)
                && known.prove_equal(&l.extent, &iter.domain.extent)
        });
        let unit = iter.domain.extent.as_int() == Some(1) && value.as_int() == Some(0);
        if let Some(at) = own {
            free.remove(at);
        }
        if own.is_none() && !unit || iter.domain.min.as_int() != Some(0) {
            return Err(format!(
                "axis `{}` of block `{name}` has no loop of its own over all of its values",
                iter.var.name
            ));
        }
    }
    if let Some(other) = free.iter().find(|l| l.extent.as_int() != Some(1)) {
        return Err(format!("loop `{}` drives no axis of block `{name}`", other.var.name));
    }
    let named = |l: &&Loop| mentions_var(block, &l.var);
    match loops.iter().find(named) {
        Some(l) => Err(format!("block `{name}` depends on loop `{}` otherwise than by its axes", l.var.name)),
        None => Ok(()),
    }
}
