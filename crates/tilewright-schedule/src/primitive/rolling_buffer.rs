//! `rolling_buffer(block, write_buffer_index)`: a temporary whose window moves on with a loop keeps only the window,
//! and each iteration computes only what the one before did not.
//!
//! After `compute_at` an iteration computes the window that the consumers of that iteration read, and windows of
//! iterations that follow each other overlap. The dimension along which the outermost loop moves the window becomes a
//! circular buffer: it is as long as the window, and index `i` is at `i % length`. The block then runs only where the
//! loop is in its first iteration, or beyond the part of the window that the iteration before had.

use tilewright_arith::{Analyzer, estimate_region_strict_bound, estimate_region_upper_bound};
use tilewright_expr::node::rewrite;
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{
    BinOp, Block, Buffer, BufferRegion, CmpOp, Expr, ForKind, IterKind, PrimFunc, Range, Stmt, StmtKind, Var,
};

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::compute_inline::check_plain_loads;
use super::transform_layout::{check_compact, home_of};
use crate::analysis::guard::{known_around, known_inside};
use crate::analysis::index_maps::with_accesses_moved;
use crate::analysis::required::loops_to;
use crate::analysis::stages::{reads, scope_stages, stages, touches, writes};
use crate::build::exprs::{binary, compare, mentions, mentions_var, substituted};
use crate::build::rewrite::{path_of, with_regions_anew};
use crate::fault::Fault;
use crate::site::{Site, axis_values, is_block, loop_of};

pub(crate) const ROLLING_BUFFER: Primitive = Primitive {
    name: "RollingBuffer",
    method: "rolling_buffer",
    doc: "Keeps only the window of a temporary that an iteration needs, and computes only what is new in it.",
    params: &[("block", Default::Required), ("write_buffer_index", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

/// A dimension of the buffer along which a loop moves the window.
struct Moving {
    dim: usize,
    outer: Loop,
    /// How many loops are outside of this one.
    depth: usize,
    window: i64,
    /// How much of the window the iteration before has computed.
    overlap: i64,
    /// The first index of the window.
    first: Expr,
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let buffer = call.written(&site, 1)?;
    let home = home_of(&site, &buffer)?;
    check_plain_loads(&home, &buffer)?;
    check_compact(&site, &buffer)?;
    let shared = shared_loop(&site, &buffer)?;
    let moving = moving(call.function, &site, &shared, &buffer)?;
    let Some(rolled) = moving.iter().min_by_key(|moving| moving.depth) else {
        let message = format!("no loop moves a window of `{}` so that windows overlap", buffer.name);
        return Err(Fault::at(&site, message));
    };
    check_lasting(&site, &shared, &buffer)?;
    let predicate = only_new(call.function, &site, &buffer, &moving)?;
    let body = with_predicate(&site, &predicate);
    let home = home.again_in(&body)?;
    let circular = buffer.derive(|node| {
        if let Some(extent) = node.shape.get_mut(rolled.dim) {
            *extent = Expr::int(rolled.window, extent.dtype);
        }
    });
    let modulo = |indices: &[Expr]| {
        let mut indices = indices.to_vec();
        let index = indices.get_mut(rolled.dim)?;
        *index = Expr::binary(BinOp::FloorMod, index, &Expr::int(rolled.window, index.dtype)).ok()?;
        Some(indices)
    };
    let uses = |block: &Block| block.reads.iter().chain(&block.writes).any(|region| region.buffer == buffer);
    let opaque = rewrite(&home.stmt, |stmt: &Stmt| in_order(stmt, &uses, &rolled.outer.var));
    let opaque = opaque.unwrap_or_else(|| home.stmt.clone());
    let mut known = known_around(call.function, &home);
    let moved = with_accesses_moved(&mut known, &opaque, &buffer, &circular, &modulo);
    let moved = with_regions_anew(&moved, &uses, &|region: &BufferRegion| region.buffer == buffer);
    let mut kind = moved.kind.clone();
    if let StmtKind::Block { block, .. } = &mut kind {
        let own = block.alloc_buffers.iter_mut().filter(|known| **known == buffer);
        own.for_each(|known| *known = circular.clone());
    }
    Ok(Outcome::changed(PrimFunc { body: home.replaced(kind.into()), ..call.function.clone() }, Results::Nothing))
}

/// The innermost loop around the block and all who read the buffer, which come after the block; the block alone writes
/// it.
fn shared_loop(site: &Site, buffer: &Buffer) -> Result<Site, Fault> {
    let (before, _, after) = stages(site)?;
    if let Some(other) = before.iter().chain(&after).find(|stage| writes(stage, buffer)) {
        return Err(Fault::at(other, format!("`{}` is written by this block, too", buffer.name)));
    }
    if let Some(other) = before.iter().find(|stage| touches(&stage.stmt, buffer)) {
        return Err(Fault::at(other, format!("the block uses `{}` before it is written", buffer.name)));
    }
    let path = path_of(site);
    let consumers: Vec<&Site> = after.iter().filter(|stage| touches(&stage.stmt, buffer)).collect();
    let common = |other: &&Site| path_of(other).iter().zip(&path).take_while(|(a, b)| a == b).count();
    let depth = consumers.iter().map(common).min().unwrap_or(0);
    let around = site.above.iter().take(depth + 1).rposition(|(stmt, _)| loop_of(stmt).is_some() || is_block(stmt));
    match around.and_then(|at| Some((site.above.get(..at)?, &site.above.get(at)?.0))) {
        Some((above, stmt)) if loop_of(stmt).is_some() => Ok(Site { above: above.to_vec(), stmt: stmt.clone() }),
        _ => {
            let message =
                format!("no loop is around the block and all who read `{}`: call `compute_at` first", buffer.name);
            Err(Fault::at(site, message))
        }
    }
}

/// A region over loops, and the loops.
type OverLoops = (Vec<Range>, Vec<(Var, Range)>);

/// A region of a block's axes over the loops around the block, and those of them that are inside of a site.
fn over_loops(shared: &Site, site: &Site, region: &[Range]) -> Result<OverLoops, Fault> {
    let (block, (values, _)) = (site.expect_block()?, site.expect_binding()?);
    let axes = axis_values(block, values);
    let inside =
        Site { above: site.above.get(..=shared.above.len()).unwrap_or_default().to_vec(), stmt: shared.stmt.clone() };
    Ok((region.iter().map(|range| substituted(range, &axes)).collect(), loops_to(&inside, site)))
}

/// The dimensions along which windows overlap; what is read of the buffer lies in the window.
fn moving(function: &PrimFunc, site: &Site, shared: &Site, buffer: &Buffer) -> Result<Vec<Moving>, Fault> {
    let refuse = |why: &str| Fault::at(site, format!("the window of `{}` {why}", buffer.name));
    let inner = shared.child(0).ok_or_else(|| refuse("is not known"))?;
    let mut known = known_around(function, &inner);
    let block = site.expect_block()?;
    let write = block.writes.iter().find(|write| write.buffer == *buffer).ok_or_else(|| refuse("is not known"))?;
    let (region, loops) = over_loops(shared, site, &write.region)?;
    let truth = Expr::bool(true);
    let window = estimate_region_strict_bound(&mut known, &region, &loops, &truth);
    let window = window.ok_or_else(|| refuse("is not known to be a box"))?;
    for consumer in scope_stages(site)?.iter().filter(|stage| reads(stage, buffer) && path_of(stage) != path_of(site)) {
        let read = consumer.block().and_then(|block| block.reads.iter().find(|read| read.buffer == *buffer));
        let Some(read) = read else { continue };
        let (region, loops) = over_loops(shared, consumer, &read.region)?;
        let needed = estimate_region_upper_bound(&mut known, &region, &loops, &truth);
        if !needed.iter().zip(&window).all(|(needed, window)| needed.is_subset(&known, window)) {
            return Err(Fault::at(consumer, format!("the block reads `{}` outside of its window", buffer.name)));
        }
    }
    let scope = site.scope().map_or(0, |scope| scope.above.len() + 1);
    let around = shared.above.iter().map(|(stmt, _)| stmt).chain([&shared.stmt]).enumerate().skip(scope);
    let around: Vec<(usize, Loop)> = around.filter_map(|(at, stmt)| Some((at, loop_of(stmt)?))).collect();
    let mut found = Vec::new();
    for (dim, set) in window.iter().enumerate() {
        let (Some(first), Some(last)) = (set.min_value(), set.max_value()) else { continue };
        let mut movers = around.iter().filter(|(_, l)| mentions_var(first, &l.var));
        let Some((depth, outer)) = movers.next() else { continue };
        if movers.next().is_some() {
            return Err(refuse("is moved by several loops along one dimension"));
        }
        let next = [(outer.var.clone(), &Expr::var(&outer.var) + 1)];
        let step = known.simplify(&(&substituted(first, &next) - first)).as_int();
        let size = known.simplify(&(&(last - first) + 1)).as_int();
        let (Some(step), Some(window)) = (step, size) else { return Err(refuse("has no constant size and step")) };
        if step < 1 {
            return Err(refuse("moves backwards"));
        }
        if outer.kind != ForKind::Serial && outer.kind != ForKind::Unrolled {
            return Err(refuse("is moved by a loop whose iterations are in no order"));
        }
        if window > step {
            let (outer, first) = (outer.clone(), first.clone());
            found.push(Moving { dim, outer, depth: *depth, window, overlap: window - step, first });
        }
    }
    Ok(found)
}

/// The block computes an element anew as it was: what it reads does not change while the window moves.
fn check_lasting(site: &Site, shared: &Site, buffer: &Buffer) -> Result<(), Fault> {
    let mut pending: Vec<Site> = vec![site.clone()];
    let stages = scope_stages(site)?;
    let scope = site.scope().map_or(0, |scope| scope.above.len() + 1);
    let outermost = shared.above.iter().skip(scope).position(|(stmt, _)| loop_of(stmt).is_some());
    let outermost = outermost.map_or(shared.above.len(), |at| scope + at);
    let inside: Vec<usize> = path_of(shared).into_iter().take(outermost).collect();
    let mut seen: Vec<Buffer> = vec![buffer.clone()];
    while let Some(stage) = pending.pop() {
        let block = stage.expect_block()?;
        if block.writes.len() != 1 {
            return Err(Fault::at(&stage, "the block writes several buffers"));
        }
        let own = |region: &&BufferRegion| block.writes.iter().any(|write| write.buffer.data == region.buffer.data);
        if block.init.is_none() && block.reads.iter().any(|read| own(&read)) {
            return Err(Fault::at(&stage, "the block reads what it wrote before"));
        }
        for read in block.reads.iter().filter(|read| !own(read)) {
            for writer in stages.iter().filter(|other| writes(other, &read.buffer)) {
                if path_of(writer) > path_of(&stage) {
                    let message = format!("the block changes `{}`, which a window is made of", read.buffer.name);
                    return Err(Fault::at(writer, message));
                }
                if path_of(writer).starts_with(&inside) && !seen.contains(&read.buffer) {
                    seen.push(read.buffer.clone());
                    pending.push(writer.clone());
                }
            }
        }
    }
    Ok(())
}

/// The block's predicate, and that the element is new in each window that moves.
fn only_new(function: &PrimFunc, site: &Site, buffer: &Buffer, moving: &[Moving]) -> Result<Expr, Fault> {
    let (block, (values, predicate)) = (site.expect_block()?, site.expect_binding()?);
    let known: Analyzer = known_inside(function, site);
    let axes = axis_values(block, values);
    let mut all = predicate.clone();
    let write = block.writes.iter().find(|write| write.buffer == *buffer);
    for one in moving {
        let Some(range) = write.and_then(|write| write.region.get(one.dim)) else { continue };
        if range.extent.as_int() != Some(1) {
            return Err(Fault::at(site, format!("the block writes several elements of `{}` at once", buffer.name)));
        }
        let at = known.simplify(&(&substituted(&range.min, &axes) - &one.first));
        let var = Expr::var(&one.outer.var);
        let begin = compare(CmpOp::Lt, &var, &known.simplify(&(&one.outer.min + 1)))?;
        let new = compare(CmpOp::Le, &Expr::int(one.overlap, at.dtype), &at)?;
        let condition = binary(BinOp::Or, &begin, &new)?;
        all = if all.as_int() == Some(1) { condition } else { binary(BinOp::And, &all, &condition)? };
    }
    Ok(all)
}

/// The function's body with another predicate of the block.
fn with_predicate(site: &Site, predicate: &Expr) -> Stmt {
    let mut kind = site.stmt.kind.clone();
    if let StmtKind::Block { predicate: own, .. } = &mut kind {
        *own = predicate.clone();
    }
    site.replaced(kind.into())
}

/// A block that uses the buffer, with its axes that follow the loop opaque: they are taken in the loop's order.
fn in_order(stmt: &Stmt, uses: &dyn Fn(&Block) -> bool, var: &Var) -> Option<Stmt> {
    let StmtKind::Block { values, predicate, block } = &stmt.kind else { return None };
    let follows = |value: &Expr| mentions(value, std::slice::from_ref(var));
    if !uses(block) || !values.iter().any(follows) {
        return None;
    }
    let mut block = block.clone();
    for (iter, value) in block.iters.iter_mut().zip(values) {
        if follows(value) {
            iter.kind = IterKind::Opaque;
        }
    }
    Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
}
