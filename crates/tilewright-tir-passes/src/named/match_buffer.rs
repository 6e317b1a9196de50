//! `LowerMatchBuffer`: accesses to matched buffers become accesses to the buffers that they are parts of. What a
//! matched buffer declares and its region does not prove is an assert in the block.

use tilewright_expr::node::VarId;
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::tir::{Block, BufferRegion, Expr, PrimFunc, Range, Stmt, StmtKind};
use tilewright_support::Set;

use super::{Options, below, with};
use crate::blocks::Blocks;
use crate::stmt::Result;
use crate::substitute::{Substitute, reindex};

pub(super) fn lower_match_buffer(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut bound: Set<VarId> = KernelInterface::scalars_of(function).iter().map(|s| s.var.id()).collect();
    let body = lowered(function, &mut bound, &function.body)?;
    Ok(with(function, body))
}

fn lowered(function: &PrimFunc, bound: &mut Set<VarId>, stmt: &Stmt) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::For { var, .. } | StmtKind::Let { var, .. } => drop(bound.insert(var.id())),
        StmtKind::Block { block, .. } => bound.extend(block.iters.iter().map(|iter| iter.var.id())),
        _ => {}
    }
    let StmtKind::Block { values, predicate, block } = &stmt.kind else {
        return below(stmt, &mut |s| lowered(function, bound, s));
    };
    let block = if block.match_buffers.is_empty() { block.clone() } else { opened(function, bound, block)? };
    let init = block.init.as_ref().map(|init| lowered(function, bound, init)).transpose()?;
    let body = lowered(function, bound, &block.body)?;
    let block = Block { init, body, ..block };
    Ok(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
}

/// The block without its matched buffers.
fn opened(function: &PrimFunc, bound: &Set<VarId>, block: &Block) -> Result<Block> {
    let mut cx = Blocks::new(function, bound.clone());
    let mut all = Substitute::default();
    let mut asserts = Vec::new();
    let mut regions: Vec<(VarId, BufferRegion)> = Vec::new();
    for matched in &block.match_buffers {
        let source = all.apply(&matched.source);
        let region = cx.resolved(&source);
        asserts.extend(cx.defined(&mut all, &function.origins, matched, &region)?);
        all.values.insert(matched.buffer.data.id(), Expr::var(&region.buffer.data));
        regions.push((matched.buffer.id(), region.clone()));
        cx.view(matched.buffer.id(), region);
    }
    let through = |stmt: &Stmt| -> Stmt {
        let stmt = reindex(stmt, |buffer, indices| cx.through_view(buffer, indices));
        declared(&regions, &stmt)
    };
    let body = all.apply(&through(&block.body));
    let init = block.init.as_ref().map(|init| all.apply(&through(init)));
    let simple = |region: BufferRegion| region;
    let (reads, writes) = (
        block.reads.iter().map(|r| simple(part(&regions, r))).collect(),
        block.writes.iter().map(|r| simple(part(&regions, r))).collect(),
    );
    let body = Stmt::seq(asserts.into_iter().chain([body]));
    Ok(Block { match_buffers: Vec::new(), reads, writes, init, body, ..block.clone() })
}

/// The regions that blocks inside declare, in terms of the sources.
fn declared(regions: &[(VarId, BufferRegion)], stmt: &Stmt) -> Stmt {
    tilewright_expr::node::rewrite(stmt, |s: &Stmt| here(regions, s)).unwrap_or_else(|| stmt.clone())
}

fn here(regions: &[(VarId, BufferRegion)], stmt: &Stmt) -> Option<Stmt> {
    let StmtKind::Block { values, predicate, block } = &stmt.kind else { return None };
    let mut block = block.clone();
    for region in block.reads.iter_mut().chain(&mut block.writes) {
        *region = part(regions, region);
    }
    for matched in &mut block.match_buffers {
        matched.source = part(regions, &matched.source);
    }
    Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
}

/// The region of a matched buffer as one of its source.
fn part(regions: &[(VarId, BufferRegion)], region: &BufferRegion) -> BufferRegion {
    let Some((_, source)) = regions.iter().find(|(id, _)| *id == region.buffer.id()) else { return region.clone() };
    let dropped = source.region.len().saturating_sub(region.region.len());
    let outer = source.region.iter().take(dropped).map(|range| Range::new(range.min.clone(), range.extent.clone()));
    let inner = source.region.iter().skip(dropped).zip(&region.region);
    let inner = inner.map(|(outer, inner)| {
        let min = match (outer.min.as_int(), inner.min.as_int()) {
            (Some(0), _) => inner.min.clone(),
            (_, Some(0)) => outer.min.clone(),
            _ => &outer.min + &inner.min,
        };
        Range::new(min, inner.extent.clone())
    });
    BufferRegion { buffer: source.buffer.clone(), region: outer.chain(inner).collect() }
}
