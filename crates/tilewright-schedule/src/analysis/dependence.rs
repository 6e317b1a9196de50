//! Whether iterations of a loop may run in any order, and in parallel.
//!
//! They may, if of every block inside (1) the loop drives spatial axes only, (2) the values of the axes are an affine
//! map of the loops, so that no instance runs twice, and (3) what one iteration writes, no other one reads or writes.
//!
//! Threads of a GPU may more. They may run an instance of a block twice that would do the same again, as where a tile
//! is fetched that overlaps that of another block of threads, or that all threads fetch; then (3) is that each
//! iteration writes by itself what it reads. And a reduction may be shared among the threads of a block (`threadIdx`).
//! Instances of one block that differ in a spatial axis write different elements: that is the promise of such axes. So
//! for a buffer that one block alone writes, (3) requires of the accesses to it only that an instance reads what it
//! writes itself, one element, or elements whose index in some dimension is the axis that the loop drives.

use tilewright_arith::{Analyzer, IterMapLevel, IterSumExpr, detect_iter_map};
use tilewright_expr::node::walk;
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{
    Block, Buffer, BufferRegion, BuiltinEffect, CmpOp, Expr, ExprKind, ForKind, IterKind, IterVar, PrimFunc, Range, Var,
};

use crate::analysis::guard::known_inside;
use crate::analysis::repeated::{is_repeatable, is_written_before};
use crate::build::exprs::{compare, mentions, mentions_var, substituted};
use crate::fault::Fault;
use crate::site::{Site, below, blocks_below, is_block, loop_of};
use tilewright_tir_passes::reduction::Reducer;

/// How the iterations of a loop run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In any order, with one memory for all.
    AnyOrder,
    /// As blocks of threads of a GPU: each has memory of its own, but for the global one.
    Blocks,
    /// As threads of a GPU: they wait for each other where one needs what another one wrote.
    Threads,
}

impl Way {
    fn of(tag: &str) -> Self {
        if tag.starts_with("blockIdx") { Self::Blocks } else { Self::Threads }
    }

    /// Whether several iterations may write an element of the buffer, all the same.
    fn allows_repeated_writes(self, buffer: &Buffer) -> bool {
        match self {
            Self::AnyOrder => false,
            Self::Blocks => !is_global(buffer),
            Self::Threads => true,
        }
    }
}

/// Refuses a loop whose iterations may depend on each other; `what` says for what they must not.
pub(crate) fn check_independent(function: &PrimFunc, site: &Site, what: &str) -> Result<(), Fault> {
    let Some(l) = loop_of(&site.stmt) else { return Err(Fault::at(site, "expected a loop")) };
    let way = match &l.kind {
        ForKind::ThreadBinding(tag) => Way::of(tag),
        _ => Way::AnyOrder,
    };
    check_way(&Check { function, site, l: &l, way, what })
}

/// The same of a loop whose iterations are to run on the threads of a tag.
pub(crate) fn check_threads(function: &PrimFunc, site: &Site, tag: &str) -> Result<(), Fault> {
    let Some(l) = loop_of(&site.stmt) else { return Err(Fault::at(site, "expected a loop")) };
    check_way(&Check { function, site, l: &l, way: Way::of(tag), what: "bound to threads" })
}

/// A loop whose iterations are to run in some way.
struct Check<'a> {
    function: &'a PrimFunc,
    site: &'a Site,
    l: &'a Loop,
    way: Way,
    what: &'a str,
}

fn check_way(check: &Check<'_>) -> Result<(), Fault> {
    let Check { site, l, what, .. } = check;
    if l.extent.as_int() == Some(1) {
        return Ok(());
    }
    let blocks = blocks_below(site);
    if let Some(other) = statement_outside_blocks(site) {
        return Err(Fault::at(
            &other,
            format!("a loop that is to be {what} has a statement inside that is in no block"),
        ));
    }
    for block in &blocks {
        check_block(check, block)?;
    }
    check_together(check, &blocks)
}

/// A statement inside that is neither a block nor around one.
fn statement_outside_blocks(site: &Site) -> Option<Site> {
    let inner = below(&site.stmt);
    if is_block(&site.stmt) {
        return None;
    }
    if inner.is_empty() {
        let nothing = matches!(&site.stmt.kind, tilewright_ir::tir::StmtKind::Seq(stmts) if stmts.is_empty());
        return (!nothing).then(|| site.clone());
    }
    (0..inner.len()).filter_map(|at| site.child(at)).find_map(|child| statement_outside_blocks(&child))
}

/// Whether a block without axes, which names the loops around it, writes elements by the loop's number and reads none
/// of what it writes. Such blocks say themselves which element a thread writes.
fn writes_by_iteration(block: &Block, var: &Var) -> bool {
    let named = |region: &BufferRegion| region.region.iter().any(|range| mentions_var(&range.min, var));
    let read = |write: &BufferRegion| block.reads.iter().any(|read| read.buffer.data == write.buffer.data);
    block.iters.is_empty() && block.writes.iter().all(|write| named(write) && !read(write))
}

/// Conditions (1) and (2), and (3) within the block.
fn check_block(check: &Check<'_>, site: &Site) -> Result<(), Fault> {
    let Check { function, l, way, what, .. } = *check;
    let (Some(block), Some((values, _))) = (site.block(), site.binding()) else { return Ok(()) };
    let name = &l.var.name;
    if has_effects(block) {
        return Err(Fault::at(site, format!("block `{}` calls a function with effects of its own", block.name)));
    }
    let driven = driven_axes(block, values, std::slice::from_ref(&l.var));
    if is_repeatable(block) && block.writes.iter().all(|write| way.allows_repeated_writes(&write.buffer)) {
        return Ok(());
    }
    let reduces = |at: &usize| block.iters.get(*at).is_none_or(|iter| iter.kind != IterKind::Spatial);
    if way == Way::Threads && !driven.is_empty() && driven.iter().all(reduces) && is_shared_reduction(block) {
        return check_affine(function, site);
    }
    if let Some(&axis) = driven.iter().find(|&at| reduces(at)) {
        let axis = block.iters.get(axis).map_or("?", |iter| &*iter.var.name);
        let message = format!(
            "loop `{name}` drives axis `{axis}` of block `{}`, which is not spatial: it cannot be {what}",
            block.name
        );
        return Err(Fault::at(site, message));
    }
    if driven.is_empty() && way == Way::Threads && writes_by_iteration(block, &l.var) {
        return Ok(());
    }
    if driven.is_empty() {
        let message =
            format!("loop `{name}` drives no axis of block `{}`: its iterations do the same work", block.name);
        return Err(Fault::at(site, message));
    }
    // Where other loops run an instance again, it does the same work again, in the same iteration of this one.
    check_affine_over(function, site, &loops_in(values, site.loops()))?;
    check_own_reads(site, block, &driven)
}

/// Whether the block is a reduction with an init, whose parts threads may compute and then combine.
fn is_shared_reduction(block: &Block) -> bool {
    let is_axis = |iter: &IterVar| matches!(iter.kind, IterKind::Spatial | IterKind::Reduce);
    block.iters.iter().all(is_axis) && Reducer::of(block).is_ok()
}

/// Which axes' values the variables stand in.
pub(crate) fn driven_axes(block: &Block, values: &[Expr], vars: &[Var]) -> Vec<usize> {
    (0..block.iters.len()).filter(|&at| values.get(at).is_some_and(|value| mentions(value, vars))).collect()
}

/// Refuses a block whose axes' values are not an affine map of the loops around it, each instance once.
pub(crate) fn check_affine(function: &PrimFunc, site: &Site) -> Result<(), Fault> {
    check_affine_over(function, site, &site.loops())
}

/// The loops that stand in the values.
fn loops_in(values: &[Expr], loops: Vec<Loop>) -> Vec<Loop> {
    let stands = |l: &Loop| values.iter().any(|value| mentions(value, std::slice::from_ref(&l.var)));
    loops.into_iter().filter(stands).collect()
}

/// As [`check_affine`], of some of the loops.
fn check_affine_over(function: &PrimFunc, site: &Site, loops: &[Loop]) -> Result<(), Fault> {
    let (Some(block), Some((values, predicate))) = (site.block(), site.binding()) else { return Ok(()) };
    if is_plain(block, values, loops) {
        return Ok(());
    }
    let mut known = known_inside(function, &site.scope().unwrap_or_else(|| Site::root(&function.body)));
    // Where a domain is empty, there is no instance to be the same as another one.
    for extent in block.iters.iter().map(|iter| &iter.domain.extent) {
        known.assume(&compare(CmpOp::Ge, extent, &Expr::int(1, extent.dtype))?);
    }
    let iters: Vec<(Var, Range)> =
        loops.iter().map(|l| (l.var.clone(), Range::new(l.min.clone(), l.extent.clone()))).collect();
    let found = detect_iter_map(&mut known, values, &iters, predicate, IterMapLevel::Bijective, true);
    // Without some of its instances, a block that runs each once still does.
    let mut all = || detect_iter_map(&mut known, values, &iters, &Expr::bool(true), IterMapLevel::Bijective, true);
    if !values.is_empty() && found.indices.is_empty() && all().indices.is_empty() {
        let reason = found.errors.first().map(|reason| format!(": {reason}")).unwrap_or_default();
        let message =
            format!("the axes of block `{}` are not an affine map of the loops around it{reason}", block.name);
        return Err(Fault::at(site, message));
    }
    Ok(())
}

/// Whether every axis has a loop for itself or a value without loops, and every loop of more than one iteration an
/// axis.
fn is_plain(block: &Block, values: &[Expr], loops: &[Loop]) -> bool {
    let vars: Vec<Var> = loops.iter().map(|l| l.var.clone()).collect();
    let mut free = vars.clone();
    let plain = values.iter().all(|value| match value.as_var().and_then(|var| free.iter().position(|v| v == var)) {
        Some(at) => {
            free.remove(at);
            true
        }
        None => !mentions(value, &vars),
    });
    let is_unit = |var: &Var| loops.iter().any(|l| l.var == *var && l.extent.as_int() == Some(1));
    plain && values.len() == block.iters.len() && free.iter().all(is_unit)
}

/// Whether the block calls what may do more than give a value.
pub(crate) fn has_effects(block: &Block) -> bool {
    let mut found = false;
    walk(&block.body, |e: &Expr| {
        found |= match &e.kind {
            ExprKind::Foreign { callee, .. } => match callee.builtin() {
                Some(row) => row.effect != BuiltinEffect::Pure,
                None => !callee.is_pure(),
            },
            _ => false,
        };
    });
    found
}

/// Condition (3) within a block: an instance reads of what the block writes only elements of its own.
pub(crate) fn check_own_reads(site: &Site, block: &Block, driven: &[usize]) -> Result<(), Fault> {
    let updates = block.init.is_some() || block.iters.iter().any(|iter| iter.kind == IterKind::Reduce);
    for write in &block.writes {
        let same_memory = |region: &&BufferRegion| region.buffer.data == write.buffer.data;
        let reads: Vec<&BufferRegion> = block.reads.iter().filter(same_memory).collect();
        let others: Vec<&BufferRegion> = block.writes.iter().filter(same_memory).collect();
        if reads.is_empty() && others.len() == 1 && !updates {
            continue;
        }
        let regions: Vec<&BufferRegion> = reads.iter().chain(&others).copied().collect();
        let single = regions.iter().all(|region| is_element(region) && same_region(region, write));
        let pinned = driven.iter().all(|&at| {
            let axis = block.iters.get(at).map(|iter| &iter.var);
            axis.is_some_and(|axis| is_pinned(block, &regions, axis))
        });
        if !single && !pinned {
            let message = format!(
                "instances of block `{}` may read elements of `{}` that others write",
                block.name, write.buffer.name
            );
            return Err(Fault::at(site, message));
        }
    }
    Ok(())
}

fn is_element(region: &BufferRegion) -> bool {
    region.region.iter().all(|range| range.extent.as_int() == Some(1))
}

fn same_region(a: &BufferRegion, b: &BufferRegion) -> bool {
    let same = |a: &Range, b: &Range| a.min.equal(&b.min) && a.extent.equal(&b.extent);
    a.buffer == b.buffer && a.region.len() == b.region.len() && a.region.iter().zip(&b.region).all(|(a, b)| same(a, b))
}

/// Whether in some dimension the regions, which are of one buffer, are the same for one value of the axis and disjoint
/// for different ones: the index is the axis, or the region begins at a multiple of it that is no smaller than its
/// extent.
fn is_pinned(block: &Block, regions: &[&BufferRegion], axis: &Var) -> bool {
    let Some(first) = regions.first() else { return true };
    let alike = regions.iter().all(|region| region.buffer == first.buffer);
    let mut known = Analyzer::new();
    block.iters.iter().for_each(|iter| known.bind(&iter.var, &iter.domain));
    let next = [(axis.clone(), &Expr::var(axis) + 1)];
    let steps_apart = |range: &Range| {
        let step = known.simplify(&(&substituted(&range.min, &next) - &range.min)).as_int();
        step.zip(range.extent.as_int()).is_some_and(|(step, extent)| extent >= 1 && step >= extent)
    };
    alike
        && first.region.iter().enumerate().any(|(dim, range)| {
            let same = |other: &&BufferRegion| {
                other.region.get(dim).is_some_and(|it| it.min.equal(&range.min) && it.extent.equal(&range.extent))
            };
            steps_apart(range) && regions.iter().all(same)
        })
}

/// An access of a block as a region over the loops around it.
struct Access {
    block: usize,
    writes: bool,
    region: BufferRegion,
}

/// What a block, of this number, reads and writes.
fn accesses(number: usize, site: &Site) -> Vec<Access> {
    let (Some(block), Some((values, _))) = (site.block(), site.binding()) else { return Vec::new() };
    let axes: Vec<(Var, Expr)> = block.iters.iter().map(|i| i.var.clone()).zip(values.iter().cloned()).collect();
    let regions = block.reads.iter().map(|r| (false, r)).chain(block.writes.iter().map(|w| (true, w)));
    let over_loops = |region: &BufferRegion| BufferRegion {
        buffer: region.buffer.clone(),
        region: region.region.iter().map(|range| substituted(range, &axes)).collect(),
    };
    regions.map(|(writes, region)| Access { block: number, writes, region: over_loops(region) }).collect()
}

/// Whether what one block inside of a loop reads, other iterations of the loop do not change by the other block.
pub(crate) fn reads_what_stays(function: &PrimFunc, site: &Site, reader: &Site, writer: &Site) -> bool {
    let Some(l) = loop_of(&site.stmt) else { return true };
    let (read, written) = (accesses(0, reader), accesses(1, writer));
    read.iter().filter(|read| !read.writes).all(|read| {
        let same_memory = |write: &&Access| write.writes && write.region.buffer.data == read.region.buffer.data;
        written.iter().filter(same_memory).all(|write| disjoint(function, site, &l, &read.region, &write.region))
    })
}

/// Condition (3) between the blocks inside of the loop.
fn check_together(check: &Check<'_>, blocks: &[Site]) -> Result<(), Fault> {
    let Check { function, site, l, way, what } = *check;
    let accesses: Vec<Access> = blocks.iter().enumerate().flat_map(|(at, inner)| accesses(at, inner)).collect();
    for write in accesses.iter().filter(|access| access.writes) {
        for other in accesses.iter().filter(|other| other.block != write.block) {
            if other.region.buffer.data != write.region.buffer.data {
                continue;
            }
            let alike = is_element(&write.region) && same_region(&write.region, &other.region);
            let repeated = way.allows_repeated_writes(&write.region.buffer)
                && !other.writes
                && blocks.get(write.block).zip(blocks.get(other.block)).is_some_and(|(writer, reader)| {
                    is_written_before(function, (writer, &write.region), (reader, &other.region))
                });
            if !alike && !repeated && !disjoint(function, site, l, &write.region, &other.region) {
                let message = format!(
                    "iterations of loop `{}` may use elements of `{}` that others write: it cannot be {what}",
                    l.var.name, write.region.buffer.name
                );
                return Err(Fault::at(site, message));
            }
        }
    }
    Ok(())
}

/// Whether in different iterations the two regions have no element in common: in some dimension both go upwards, and a
/// later iteration begins beyond what an earlier one has of the other; or both lie in boxes of a grid, each iteration
/// in a box of its own.
fn disjoint(function: &PrimFunc, site: &Site, l: &Loop, a: &BufferRegion, b: &BufferRegion) -> bool {
    if a.buffer != b.buffer {
        return false;
    }
    let mut known = known_inside(function, site);
    let ranges: Vec<(Var, Range)> =
        loops_below(site).iter().map(|l| (l.var.clone(), Range::new(l.min.clone(), l.extent.clone()))).collect();
    ranges.iter().for_each(|(var, range)| known.bind(var, range));
    let vars: Vec<Var> = ranges.into_iter().map(|(var, _)| var).collect();
    let mut dims = a.region.iter().zip(&b.region);
    dims.any(|(a, b)| follows(&mut known, l, &vars, a, b) && follows(&mut known, l, &vars, b, a))
        || in_boxes_of_a_grid(&mut known, l, &vars, a, b)
}

/// Whether the first indices of the two are the same in each dimension, multiples of a step that is no smaller than
/// what follows the first index, and together different in different iterations.
fn in_boxes_of_a_grid(known: &mut Analyzer, l: &Loop, inner: &[Var], a: &BufferRegion, b: &BufferRegion) -> bool {
    let (mut firsts, mut sizes) = (Vec::new(), Vec::new());
    for (a, b) in a.region.iter().zip(&b.region) {
        let ends = [&a.min + &a.extent, &b.min + &b.extent];
        let (Some((first, _)), Some((other, _))) = (known.extremes(&a.min, inner), known.extremes(&b.min, inner))
        else {
            continue;
        };
        let size = |end: &Expr| known.simplify(&(&known.extremes(end, inner)?.1 - &first)).as_int();
        let [Some(of_a), Some(of_b)] = ends.each_ref().map(size) else { continue };
        if mentions_var(&first, &l.var) && known.prove_equal(&first, &other) {
            firsts.push(first);
            sizes.push(of_a.max(of_b));
        }
    }
    let iters = [(l.var.clone(), Range::new(l.min.clone(), l.extent.clone()))];
    let grid = detect_iter_map(known, &firsts, &iters, &Expr::bool(true), IterMapLevel::Bijective, true).indices;
    let steps_reach = |(sum, size): (&IterSumExpr, &i64)| match sum.args.as_slice() {
        [split] => split.scale.as_int().is_some_and(|step| step >= *size),
        _ => false,
    };
    !firsts.is_empty() && grid.len() == firsts.len() && grid.iter().zip(&sizes).all(steps_reach)
}

/// Whether every later iteration's least index in `later` is greater than every index in `earlier`.
fn follows(known: &mut Analyzer, l: &Loop, inner: &[Var], earlier: &Range, later: &Range) -> bool {
    let end = &earlier.min + &earlier.extent;
    let (Some((_, end)), Some((start, _))) = (known.extremes(&end, inner), known.extremes(&later.min, inner)) else {
        return false;
    };
    let next = l.var.renewed();
    let scope = known.enter();
    let (first, left) = (&Expr::var(&l.var) + 1, &(&(&l.min + &l.extent) - &Expr::var(&l.var)) - 1);
    known.bind(&next, &Range::new(first, left));
    let start = substituted(&start, &[(l.var.clone(), Expr::var(&next))]);
    let follows = known.decide(CmpOp::Ge, &start, &end) == Some(true);
    known.leave(scope);
    follows
}

/// All loops below, as far as blocks.
fn loops_below(site: &Site) -> Vec<Loop> {
    let (mut found, mut pending) = (Vec::new(), vec![site.clone()]);
    while let Some(here) = pending.pop() {
        let count = below(&here.stmt).len();
        let inner = (0..count).filter_map(|at| here.child(at)).filter(|child| !is_block(&child.stmt));
        for child in inner {
            found.extend(loop_of(&child.stmt));
            pending.push(child);
        }
    }
    found
}

/// Whether the statement has a loop over threads of a GPU inside, or is one.
pub(crate) fn has_threads(stmt: &tilewright_ir::tir::Stmt) -> bool {
    let mut found = false;
    walk(stmt, |stmt: &tilewright_ir::tir::Stmt| {
        found |= loop_of(stmt).is_some_and(|l| matches!(l.kind, ForKind::ThreadBinding(_)));
    });
    found
}

/// Whether the buffer's memory is that of the device.
pub(crate) fn is_global(buffer: &Buffer) -> bool {
    buffer.scope.plain() == tilewright_ir::tir::Scope::Global
}
