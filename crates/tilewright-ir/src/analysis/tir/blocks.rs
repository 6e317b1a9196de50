//! Blocks: which one a function is about, and what they touch.

use tilewright_expr::node::VarId;
use tilewright_support::{Set, with_stack};

use super::work::estimate_tir_flops;
use crate::regions::block_regions;
use crate::tir::{Block, BufferRegion, IterKind, PrimFunc, Range, Stmt, StmtKind, given_away};
use crate::{GlobalFunc, IRModule};

/// The buffers that a block accesses.
#[derive(Clone, Debug, Default)]
pub struct AccessRegions {
    pub reads: Vec<BufferRegion>,
    pub writes: Vec<BufferRegion>,
    /// Buffers whose address a foreign function gets: it may do anything with them.
    pub opaque: Vec<BufferRegion>,
}

/// The regions that the block touches, by its body.
pub fn get_block_access_region(block: &Block) -> AccessRegions {
    let mut addressed: Set<VarId> = Set::default();
    let stmts = block.init.iter().chain([&block.body]);
    for stmt in stmts {
        given_away(stmt, &mut |buffer| {
            addressed.insert(buffer.id());
        });
    }
    let regions = block_regions(block);
    let plain = |region: &BufferRegion| !addressed.contains(&region.buffer.id());
    let mut opaque: Vec<BufferRegion> = Vec::new();
    for region in regions.reads.iter().chain(&regions.writes).filter(|region| !plain(region)) {
        if !opaque.iter().any(|known| known.buffer == region.buffer) {
            let whole = region.buffer.shape.iter().map(|extent| Range::up_to(extent.clone())).collect();
            opaque.push(BufferRegion { buffer: region.buffer.clone(), region: whole });
        }
    }
    AccessRegions {
        reads: regions.reads.into_iter().filter(plain).collect(),
        writes: regions.writes.into_iter().filter(plain).collect(),
        opaque,
    }
}

/// The main block of the module, which the others serve: a reduction with an init first, then the block with the most
/// arithmetic; the last of equals. The root block does not count.
pub fn find_anchor_block(module: &IRModule) -> Option<Block> {
    let mut best: Option<((bool, f64), Block)> = None;
    for (_, function) in module.sorted() {
        let GlobalFunc::Prim(function) = function else { continue };
        let mut blocks = Vec::new();
        leaves(&function.body, 1.0, &mut blocks);
        for (times, block) in blocks {
            let reduces = block.init.is_some() || block.iters.iter().any(|iter| iter.kind == IterKind::Reduce);
            let inside = PrimFunc { body: block.body.clone(), attrs: Default::default(), ..(**function).clone() };
            // A block of symbolic size counts by what one instance does.
            let rank = (reduces, times * estimate_tir_flops(&inside).unwrap_or(1.0));
            if best.as_ref().is_none_or(|(known, _)| *known <= rank) {
                best = Some((rank, block));
            }
        }
    }
    best.map(|(_, block)| block)
}

/// The blocks with no block inside, each with how often it runs.
fn leaves(stmt: &Stmt, times: f64, found: &mut Vec<(f64, Block)>) {
    with_stack(|| match &stmt.kind {
        StmtKind::Block { block, .. } => {
            let before = found.len();
            leaves(&block.body, times, found);
            if found.len() == before && !block.iters.is_empty() {
                found.push((times, block.clone()));
            }
        }
        StmtKind::For { extent, body, .. } => leaves(body, times * extent.as_int().unwrap_or(1).max(0) as f64, found),
        StmtKind::If { then, otherwise, .. } => {
            leaves(then, times, found);
            otherwise.iter().for_each(|stmt| leaves(stmt, times, found));
        }
        StmtKind::Seq(stmts) => stmts.iter().for_each(|stmt| leaves(stmt, times, found)),
        StmtKind::While { body, .. }
        | StmtKind::Let { body, .. }
        | StmtKind::Allocate { body, .. }
        | StmtKind::AllocateConst { body, .. }
        | StmtKind::Attr { body, .. } => leaves(body, times, found),
        StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => {}
    });
}
