//! `RemoveWeightLayoutRewriteBlock`: a block with the annotation `meta_schedule.layout_rewrite_preproc` copies a
//! parameter into a buffer of another layout. The pass leaves the block out, and that buffer is the parameter: the
//! caller gives what it would have held.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{Buffer, PrimFunc, Stmt, StmtKind};
use tilewright_support::Map;

use super::{Options, below, no_op, refuse, with};
use crate::stmt::Result;
use crate::substitute::Substitute;

const PREPROC: &str = "meta_schedule.layout_rewrite_preproc";

pub(super) fn remove_weight_layout_rewrite_block(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    // The rewritten buffers, by the parameters.
    let mut rewritten: Map<VarId, Buffer> = Map::default();
    let mut wrong = None;
    walk(&function.body, |stmt: &Stmt| {
        let StmtKind::Block { block, .. } = &stmt.kind else { return };
        if !block.annotations.contains_key(PREPROC) {
            return;
        }
        match (block.reads.as_slice(), block.writes.as_slice()) {
            ([read], [write]) => drop(rewritten.insert(read.buffer.id(), write.buffer.clone())),
            _ => wrong = Some(block.name.clone()),
        }
    });
    if let Some(name) = wrong {
        return refuse(format!("block `{name}` rewrites the layout of one buffer into another, and has other regions"));
    }
    if rewritten.is_empty() {
        return Ok(function.clone());
    }
    let mut params = function.params.clone();
    let mut own = Substitute::default();
    for param in &mut params {
        let Some(buffer) = param.buffer.as_mut() else { continue };
        if let Some(layout) = rewritten.remove(&buffer.id()) {
            // The memory stays that of the parameter.
            let taken = layout.derive(|node| {
                node.data = buffer.data.clone();
                node.scope = buffer.scope.clone();
            });
            own.buffers.insert(layout.id(), taken.clone());
            *buffer = taken;
        }
    }
    if let Some(layout) = rewritten.values().next() {
        return refuse(format!("`{}` holds the layout of a buffer that is no parameter", layout.name));
    }
    let body = own.apply(&without(function, &function.body)?);
    Ok(with(&PrimFunc { params, ..function.clone() }, body))
}

/// The statement without the blocks, and without the declarations of what they fill.
fn without(function: &PrimFunc, stmt: &Stmt) -> Result<Stmt> {
    if let StmtKind::Block { block, .. } = &stmt.kind
        && block.annotations.contains_key(PREPROC)
    {
        return Ok(no_op());
    }
    let inside = below(stmt, &mut |s| without(function, s))?;
    let mut kind = inside.kind.clone();
    if let StmtKind::Block { block, .. } = &mut kind {
        let mut filled: Vec<VarId> = Vec::new();
        walk(&function.body, |stmt: &Stmt| {
            if let StmtKind::Block { block, .. } = &stmt.kind
                && block.annotations.contains_key(PREPROC)
            {
                filled.extend(block.writes.iter().map(|region| region.buffer.id()));
            }
        });
        block.alloc_buffers.retain(|buffer| !filled.contains(&buffer.id()));
    }
    Ok(kind.into())
}
