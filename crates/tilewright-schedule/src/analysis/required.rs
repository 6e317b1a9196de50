//! The box of a buffer that the statements at a site need, and loops over a box.

use std::sync::Arc;

use tilewright_arith::{Analyzer, estimate_region_strict_bound};
use tilewright_ir::Attrs;
use tilewright_ir::nest::Loop;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{
    BinOp, Block, Buffer, BufferRegion, CmpOp, Expr, ForKind, IterKind, IterVar, Range, Scope, Stmt, StmtKind, Var,
};

use crate::build::exprs::{binary, compare, stored, substituted, typed};
use crate::fault::Fault;
use crate::site::{Key, Site, around, loop_of};

/// A block without axes around a statement: what it touches is what the statement touches.
fn nameless(stmt: &Stmt) -> Block {
    Block::without_axes("", Vec::new(), stmt.clone())
}

/// The box of what a statement reads of a buffer, over what is bound outside of it.
pub(crate) fn read_box(stmt: &Stmt, buffer: &Buffer) -> Option<BufferRegion> {
    block_regions(&nameless(stmt)).reads.into_iter().find(|region| region.buffer == *buffer)
}

/// The box of what a statement writes of a buffer, over what is bound outside of it.
pub(crate) fn written_box(stmt: &Stmt, buffer: &Buffer) -> Option<BufferRegion> {
    block_regions(&nameless(stmt)).writes.into_iter().find(|region| region.buffer == *buffer)
}

/// The outermost statement around a site, inside of the innermost block and of the branches around, in which `inside`
/// does not hold of the statement, seen from the block: where what the site needs exists already.
pub(crate) fn outermost_free(site: &Site, mut inside: impl FnMut(&Stmt) -> bool) -> Site {
    let Some(mut here) = site.scope().and_then(|scope| scope.child(0)) else { return site.clone() };
    let depth = site.above.len();
    let branch = site.above.iter().rposition(|(stmt, _)| matches!(stmt.kind, StmtKind::If { .. }));
    let branches = branch.map_or(0, |at| at + 1);
    while here.above.len() < depth
        && (here.above.len() < branches || matches!(here.stmt.kind, StmtKind::Seq(_)) || inside(&here.stmt))
    {
        let next = site.above.get(here.above.len()).map_or(0, |(_, at)| *at);
        match here.child(next) {
            Some(child) => here = child,
            None => break,
        }
    }
    here
}

/// Loops over a box, one for each axis: the loops, the axes' values, and the condition that these lie in their domains,
/// where that is not proven.
pub(crate) struct BoxLoops {
    pub(crate) loops: Vec<Loop>,
    pub(crate) values: Vec<Expr>,
    pub(crate) condition: Expr,
}

impl BoxLoops {
    /// For axes with the range that each takes, with loops of one iteration only where they are wanted.
    pub(crate) fn over(known: &mut Analyzer, axes: &[(IterVar, Range)], keep_units: bool) -> Result<Self, Fault> {
        let mut all = Self { loops: Vec::new(), values: Vec::new(), condition: Expr::bool(true) };
        for (iter, range) in axes {
            let dtype = iter.var.dtype;
            let (min, size) = (typed(range.min.cast(dtype))?, typed(range.extent.cast(dtype))?);
            let (min, size) = (known.simplify(&min), known.simplify(&size));
            let var = Var::new(format!("ax{}", all.loops.len()), dtype);
            let value = if size.as_int() == Some(1) && !keep_units {
                min
            } else {
                known.bind(&var, &Range::up_to(size.clone()));
                let l = Loop {
                    var,
                    min: Expr::int(0, dtype),
                    extent: size,
                    kind: ForKind::Serial,
                    annotations: Attrs::new(),
                };
                let value = Expr::var(&l.var);
                all.loops.push(l);
                if min.as_int() == Some(0) { value } else { binary(BinOp::Add, &min, &value)? }
            };
            let end = binary(BinOp::Add, &iter.domain.min, &iter.domain.extent)?;
            for condition in [compare(CmpOp::Ge, &value, &iter.domain.min)?, compare(CmpOp::Lt, &value, &end)?] {
                if !known.prove(&condition) {
                    all.condition = match all.condition.as_int() {
                        Some(1) => condition,
                        _ => binary(BinOp::And, &all.condition, &condition)?,
                    };
                }
            }
            all.values.push(value);
        }
        all.condition = known.simplify(&all.condition);
        Ok(all)
    }

    /// The loops around an instance of the block.
    pub(crate) fn around(self, block: Block) -> Stmt {
        let inner: Stmt = StmtKind::Block { values: self.values, predicate: self.condition, block }.into();
        self.loops.into_iter().rev().fold(inner, |body, l| around(l, body))
    }
}

/// A block that copies the elements of a box from one buffer to another, in loops of its own; with its key.
pub(crate) fn copy_block(
    known: &mut Analyzer,
    from: &Buffer,
    to: &Buffer,
    name: &Arc<str>,
    region: &[Range],
) -> Result<(Stmt, Key), Fault> {
    let axis = |(at, extent): (usize, &Expr)| IterVar {
        var: Var::new(format!("v{at}"), extent.dtype),
        domain: Range::up_to(extent.clone()),
        kind: IterKind::Spatial,
    };
    let iters: Vec<IterVar> = from.shape.iter().enumerate().map(axis).collect();
    let indices: Vec<Expr> = iters.iter().map(|iter| Expr::var(&iter.var)).collect();
    let element = |buffer: &Buffer| {
        let one = |index: &Expr| Range::new(index.clone(), Expr::int(1, index.dtype));
        BufferRegion { buffer: buffer.clone(), region: indices.iter().map(one).collect() }
    };
    let load = typed(Expr::load(from, indices.clone()))?;
    let body = stored(to, indices.clone(), &load)?;
    let axes: Vec<(IterVar, Range)> = iters.iter().cloned().zip(region.iter().cloned()).collect();
    let loops = BoxLoops::over(known, &axes, true)?;
    let (reads, writes) = (vec![element(from)], vec![element(to)]);
    let block = Block { name: name.clone(), iters, reads, writes, ..nameless(&body) };
    let key = block.iters.first().map_or_else(|| Key::Bare(name.clone(), 0), |iter| Key::Block(iter.var.id()));
    Ok((loops.around(block), key))
}

/// An axis for each dimension of a buffer.
pub(crate) fn index_vars(buffer: &Buffer) -> Vec<(Var, Expr)> {
    let var = |(at, extent): (usize, &Expr)| (Var::new(format!("v{at}"), extent.dtype), extent.clone());
    buffer.shape.iter().enumerate().map(var).collect()
}

/// A block over all values of spatial axes, in loops of its own: `axes` are as the condition has them, under which it
/// runs, names them, each with its extent, and `body` makes the statement at the axes' values.
pub(crate) fn spatial_block(
    known: &mut Analyzer,
    name: Arc<str>,
    axes: &[(Var, Expr)],
    condition: &Expr,
    body: impl FnOnce(&[Expr]) -> Result<Stmt, Fault>,
) -> Result<Stmt, Fault> {
    let axis = |(var, extent): &(Var, Expr)| IterVar {
        var: Var::new(var.name.clone(), extent.dtype),
        domain: Range::up_to(extent.clone()),
        kind: IterKind::Spatial,
    };
    let iters: Vec<IterVar> = axes.iter().map(axis).collect();
    let indices: Vec<Expr> = iters.iter().map(|iter| Expr::var(&iter.var)).collect();
    let ranges: Vec<(IterVar, Range)> = iters.iter().map(|iter| (iter.clone(), iter.domain.clone())).collect();
    let mut loops = BoxLoops::over(known, &ranges, true)?;
    let mut at_loops = Vec::with_capacity(axes.len());
    for ((var, _), value) in axes.iter().zip(&loops.values) {
        at_loops.push((var.clone(), typed(value.cast(var.dtype))?));
    }
    loops.condition = known.simplify(&substituted(condition, &at_loops));
    let body = body(&indices)?;
    let block = Block { name, iters, ..nameless(&body) };
    let found = block_regions(&block);
    Ok(loops.around(Block { reads: found.reads, writes: found.writes, ..block }))
}

/// A buffer for copies of another one's elements.
pub(crate) fn cache_of(buffer: &Buffer, scope: &Scope) -> Buffer {
    let name = format!("{}_{}", buffer.name, scope.name());
    Buffer::new(name, buffer.shape.clone(), buffer.dtype).derive(|node| node.scope = scope.clone())
}

/// The box that the ranges make up over the loops, if they are one without gaps.
pub(crate) fn boxed(
    known: &mut Analyzer,
    ranges: &[Range],
    loops: &[(Var, Range)],
    predicate: &Expr,
) -> Option<Vec<Range>> {
    let sets = estimate_region_strict_bound(known, ranges, loops, predicate)?;
    Some(sets.iter().zip(ranges).map(|(set, range)| set.cover_range(known, range)).collect())
}

/// The loops below a site as far as blocks, and those around it as far as the next block, with their ranges.
pub(crate) fn loops_to(site: &Site, inner: &Site) -> Vec<(Var, Range)> {
    let between = inner.above.iter().skip(site.above.len()).map(|(stmt, _)| stmt);
    let loops = between.filter_map(loop_of);
    loops.map(|l| (l.var, Range::new(l.min, l.extent))).collect()
}
