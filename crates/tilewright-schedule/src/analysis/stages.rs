//! The blocks of a scope in order, and what flows between them.
//!
//! A *scope* is a block with the blocks directly inside of it, its *stages*, as they stand one after the other.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Stmt, StmtKind, written_data};

use crate::fault::Fault;
use crate::site::{Site, below, blocks_below, loop_of};

/// The stages before a block, the block, and the stages after it.
pub(crate) fn stages(site: &Site) -> Result<(Vec<Site>, Site, Vec<Site>), Fault> {
    let all = scope_stages(site)?;
    let path = |site: &Site| site.above.iter().map(|(_, at)| *at).collect::<Vec<_>>();
    let here = path(site);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for stage in all {
        match path(&stage).cmp(&here) {
            std::cmp::Ordering::Less => before.push(stage),
            std::cmp::Ordering::Equal => {}
            std::cmp::Ordering::Greater => after.push(stage),
        }
    }
    Ok((before, site.clone(), after))
}

/// The stages of the scope that a block is in.
pub(crate) fn scope_stages(site: &Site) -> Result<Vec<Site>, Fault> {
    let scope = site.expect_scope()?;
    Ok((0..below(&scope.stmt).len()).filter_map(|at| scope.child(at)).flat_map(|child| blocks_below(&child)).collect())
}

/// The statements of a scope, one after the other.
pub(crate) fn statements(scope: &Site) -> Vec<Site> {
    let Some(body) = scope.child(0) else { return Vec::new() };
    match &body.stmt.kind {
        StmtKind::Seq(stmts) => (0..stmts.len()).filter_map(|at| body.child(at)).collect(),
        _ => vec![body],
    }
}

/// The number of the statement of its scope that is loops around this block, and around nothing else: what replaces the
/// block can replace that statement.
pub(crate) fn own_nest(site: &Site) -> Result<usize, Fault> {
    let depth = site.scope().map_or(0, |scope| scope.above.len());
    let nest = match site.above.get(depth..) {
        Some([(_, 0), (stmts, at), loops @ ..]) if matches!(stmts.kind, StmtKind::Seq(_)) => Some((*at, loops)),
        Some([(_, 0), loops @ ..]) => Some((0, loops)),
        _ => None,
    };
    match nest {
        Some((at, loops)) if loops.iter().all(|(stmt, _)| loop_of(stmt).is_some()) => Ok(at),
        _ => {
            let name = site.block().map_or("?", |block| &*block.name);
            Err(Fault::at(site, format!("block `{name}` is not alone in loops around nothing else")))
        }
    }
}

/// The stages after a block in a nest of its own, where all that follows are such nests, each of one stage.
pub(crate) fn nests_after(site: &Site) -> Result<Vec<Site>, Fault> {
    let (at, (_, _, after)) = (own_nest(site)?, stages(site)?);
    after.iter().try_for_each(|stage| own_nest(stage).map(|_| ()))?;
    let all = site.scope().map(|scope| statements(&scope)).unwrap_or_default();
    match all.iter().skip(at + 1).find(|stmt| blocks_below(stmt).is_empty()) {
        Some(other) => Err(Fault::at(other, "the statement is in no block")),
        None => Ok(after),
    }
}

/// Whether the statement may change the buffer's memory.
pub(crate) fn may_write(stmt: &Stmt, buffer: &Buffer) -> bool {
    let mut found = written_data(stmt).contains(&buffer.data.id());
    walk(stmt, |e: &Expr| found |= e.as_var() == Some(&buffer.data));
    walk(stmt, |s: &Stmt| {
        if let StmtKind::Block { block, .. } = &s.kind {
            found |= block.match_buffers.iter().any(|m| m.source.buffer.data == buffer.data);
        }
    });
    found
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
