//! The blocks of a scope in order, and what flows between them.
//!
//! A *scope* is a block with the blocks directly inside of it, its *stages*, as they stand one after the other.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Stmt, StmtKind};

use crate::primitive::Fault;
use crate::tree::{Site, below, blocks_below};

/// The stages before a block, the block, and the stages behind it.
pub(crate) fn stages(site: &Site) -> Result<(Vec<Site>, Site, Vec<Site>), Fault> {
    let all = scope_stages(site)?;
    let way = |site: &Site| site.above.iter().map(|(_, at)| *at).collect::<Vec<_>>();
    let here = way(site);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for stage in all {
        match way(&stage).cmp(&here) {
            std::cmp::Ordering::Less => before.push(stage),
            std::cmp::Ordering::Equal => {}
            std::cmp::Ordering::Greater => after.push(stage),
        }
    }
    Ok((before, site.clone(), after))
}

/// The stages of the scope that a block is in.
pub(crate) fn scope_stages(site: &Site) -> Result<Vec<Site>, Fault> {
    let scope = site.scope().ok_or_else(|| Fault::at(site, "the root block is in no other"))?;
    Ok((0..below(&scope.stmt).len()).filter_map(|at| scope.child(at)).flat_map(|child| blocks_below(&child)).collect())
}

/// Whether the stage declares that it writes the buffer's memory.
pub(crate) fn writes(stage: &Site, buffer: &Buffer) -> bool {
    stage.block().is_some_and(|block| block.writes.iter().any(|write| write.buffer.data == buffer.data))
}

/// Whether the stage declares that it reads the buffer's memory.
pub(crate) fn reads(stage: &Site, buffer: &Buffer) -> bool {
    stage.block().is_some_and(|block| block.reads.iter().any(|read| read.buffer.data == buffer.data))
}

/// Whether the statement loads from the buffer's memory, or names its address.
pub(crate) fn touches(stmt: &Stmt, buffer: &Buffer) -> bool {
    let mut found = false;
    walk(stmt, |e: &Expr| {
        found |= match &e.kind {
            ExprKind::Load { buffer: other, .. } | ExprKind::AddressOf { buffer: other, .. } => {
                other.data == buffer.data
            }
            _ => false,
        };
    });
    walk(stmt, |s: &Stmt| {
        found |= matches!(&s.kind, StmtKind::Store { buffer: other, .. } if other.data == buffer.data);
        if let StmtKind::Block { block, .. } = &s.kind {
            found |= block.match_buffers.iter().any(|m| m.source.buffer.data == buffer.data);
        }
    });
    found
}
