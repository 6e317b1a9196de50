//! Passes that change how blocks and loops are written, statement by statement.

use tilewright_ir::analysis::tir::get_block_access_region;
use tilewright_ir::tir::{Block, Buffer, ForKind, PrimFunc, Stmt, StmtKind};

use super::{Options, below, no_op, refuse, with};
use crate::init::in_first_instance;
use crate::stmt::{Result, typed};
use crate::substitute::Substitute;

/// A block without axes around a statement, with the regions that the statement touches.
pub(super) fn around(alloc_buffers: Vec<Buffer>, body: Stmt) -> Block {
    let block = Block::without_axes("", alloc_buffers, body);
    let found = get_block_access_region(&block);
    Block { reads: found.reads, writes: found.writes, ..block }
}

/// Blocks whose axes have their values: opaque ones.
pub(super) fn convert_blocks_to_opaque(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    Ok(with(function, opaque(&function.body)?))
}

fn opaque(stmt: &Stmt) -> Result<Stmt> {
    let StmtKind::Block { values, predicate, block } = &stmt.kind else { return below(stmt, &mut opaque) };
    if block.init.is_some() {
        return refuse(format!("block `{}` has a `T.init`: lower it by LowerInitBlock first", block.name));
    }
    let mut axes = Substitute::default();
    for (iter, value) in block.iters.iter().zip(values) {
        axes.values.insert(iter.var.id(), typed(value.cast(iter.var.dtype))?);
    }
    let inside = axes.apply(&Block { iters: Vec::new(), ..block.clone() });
    let body = opaque(&inside.body)?;
    let block = Block { body, ..inside };
    Ok(StmtKind::Block { values: Vec::new(), predicate: predicate.clone(), block }.into())
}

/// Loops that ran in parallel run one iteration after the other.
pub(super) fn convert_for_loops_to_serial(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    fn serial(stmt: &Stmt) -> Result<Stmt> {
        let mut inside = below(stmt, &mut serial)?.kind.clone();
        if let StmtKind::For { kind: kind @ ForKind::Parallel, .. } = &mut inside {
            *kind = ForKind::Serial;
        }
        Ok(inside.into())
    }
    Ok(with(function, serial(&function.body)?))
}

/// No asserts.
pub(super) fn skip_assert(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    fn skip(stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::Assert { .. } => Ok(no_op()),
            _ => below(stmt, &mut skip),
        }
    }
    Ok(with(function, skip(&function.body)?))
}

/// The `T.init` of a block as a statement of its body, where its reduce axes have their first values.
pub(super) fn lower_init_block(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    fn lowered(stmt: &Stmt) -> Result<Stmt> {
        let stmt = below(stmt, &mut lowered)?;
        let StmtKind::Block { values, predicate, block } = &stmt.kind else { return Ok(stmt) };
        let Some(init) = &block.init else { return Ok(stmt) };
        let init = in_first_instance(block, init)?;
        let block = Block { init: None, body: Stmt::seq([init, block.body.clone()]), ..block.clone() };
        Ok(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
    }
    Ok(with(function, lowered(&function.body)?))
}
