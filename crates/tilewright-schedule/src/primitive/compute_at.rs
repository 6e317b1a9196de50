//! `compute_at(block, loop, preserve_unit_loops, index)`: a block that computes a temporary moves into a loop around
//! its consumers; in each iteration it computes what they need there.

use std::ops::RangeInclusive;

use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{Block, Buffer, ForKind, IterKind, IterVar, PrimFunc, Range, Scope, Stmt, StmtKind};

use super::call::{Call, Default, Outcome, Primitive, Results, site_of};
use super::compute_inline::check_temporary;
use crate::analysis::dependence::{check_affine, check_independent, has_effects, reads_what_stays};
use crate::analysis::guard::known_inside;
use crate::analysis::required::{BoxLoops, read_box};
use crate::analysis::stages::{reads, stages, touches, writes};
use crate::build::rewrite::{axes_of, path_of, without};
use crate::fault::Fault;
use crate::site::{Key, Site, around, below, blocks_below, find, follow, key_at, loop_of};

pub(crate) const COMPUTE_AT: Primitive = Primitive {
    name: "ComputeAt",
    method: "compute_at",
    doc: "Moves a block into a loop of its consumers, where it computes what they need there.",
    params: &[
        ("block", Default::Required),
        ("loop", Default::Required),
        ("preserve_unit_loops", Default::Bool(false)),
        ("index", Default::Int(-1)),
    ],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, target) = (call.block(0)?, call.loop_at(1)?);
    let block = site.expect_block()?;
    let scope = site.expect_scope()?;
    check_moves(call.function, &site, &target, block)?;
    let mut needed: Option<Vec<(IterVar, Range)>> = None;
    for write in &block.writes {
        if let Some(around) = scope.block() {
            check_temporary(&site, around, &write.buffer)?;
        }
        check_flow(&site, &target, block, &write.buffer)?;
        let ranges = needed_ranges(&site, &target, block, &write.buffer)?;
        match &needed {
            None => needed = Some(ranges),
            Some(first) if same_ranges(first, &ranges) => {}
            Some(_) => return Err(Fault::at(&site, "different parts of what the block writes are needed")),
        }
    }
    let needed = needed.ok_or_else(|| Fault::at(&site, format!("block `{}` writes nothing", block.name)))?;
    let mut known = known_inside(call.function, &target);
    let nest = BoxLoops::over(&mut known, &needed, call.flag(2)?)?.around(block.clone());
    let wanted = key_at(&call.function.body, &target).ok_or_else(|| Fault::at(&target, "the loop is gone"))?;
    let function = PrimFunc { body: without(&site), ..call.function.clone() };
    let target = site_of(&function, &wanted)?;
    let buffers: Vec<Buffer> = block.writes.iter().map(|write| write.buffer.clone()).collect();
    let uses = |stmt: &Stmt| buffers.iter().any(|buffer| touches(stmt, buffer));
    let positions = |stmts: &[Stmt]| Some(0..=stmts.iter().position(uses)?);
    let function = inserted(&function, &target, nest, call.int(3)?, positions)?;
    check_loops_around(&function, &wanted)?;
    check_rereads(&function, &wanted, &site, &buffers)?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// The block, which now runs again in each iteration, still reads what it did where another one in the loop overwrites
/// it: `moved` is where it stood, `computed` what it computes.
fn check_rereads(function: &PrimFunc, target: &Key, moved: &Site, computed: &[Buffer]) -> Result<(), Fault> {
    let target = site_of(function, target)?;
    let known = moved.loops();
    for depth in 0..=target.above.len() {
        let Some(site) = follow(&function.body, &path_of(&target)[..depth]) else { continue };
        let Some(l) = loop_of(&site.stmt).filter(|l| known.iter().all(|other| other.var != l.var)) else { continue };
        let (own, others): (Vec<Site>, Vec<Site>) =
            blocks_below(&site).into_iter().partition(|stage| computed.iter().any(|buffer| writes(stage, buffer)));
        for (reader, writer) in own.iter().flat_map(|own| others.iter().map(move |other| (own, other))) {
            if !reads_what_stays(function, &site, reader, writer) {
                let [reader, name] = [reader, writer].map(|site| site.block().map_or("?", |block| &*block.name));
                let message = format!(
                    "block `{reader}` may read what block `{name}` overwrites in another iteration of loop `{}`",
                    l.var.name
                );
                return Err(Fault::at(moved, message));
            }
        }
    }
    Ok(())
}

fn same_ranges(a: &[(IterVar, Range)], b: &[(IterVar, Range)]) -> bool {
    a.iter().zip(b).all(|((_, a), (_, b))| a.min.equal(&b.min) && a.extent.equal(&b.extent))
}

/// What has to hold of any block that moves into a loop of its scope.
pub(super) fn check_moves(function: &PrimFunc, site: &Site, target: &Site, block: &Block) -> Result<(), Fault> {
    let scope = |site: &Site| site.scope().map(|scope| path_of(&scope));
    if scope(site) != scope(target) {
        return Err(Fault::at(target, format!("the loop is not in the block around block `{}`", block.name)));
    }
    if path_of(site).starts_with(&path_of(target)) {
        return Err(Fault::at(target, format!("the loop is around block `{}` already", block.name)));
    }
    if let Some(branch) = own_branch(site, target) {
        return Err(Fault::at(
            &branch,
            format!("block `{}` runs under a condition that the loop does not", block.name),
        ));
    }
    if has_effects(block) {
        return Err(Fault::at(site, format!("block `{}` calls a function with effects of its own", block.name)));
    }
    if let Some(iter) = block.iters.iter().find(|iter| !matches!(iter.kind, IterKind::Spatial | IterKind::Reduce)) {
        let message =
            format!("axis `{}` of block `{}` is neither spatial nor of a reduction", iter.var.name, block.name);
        return Err(Fault::at(site, message));
    }
    let updates = block.iters.iter().any(|iter| iter.kind == IterKind::Reduce) && block.init.is_none();
    let own = block.writes.iter().any(|write| block.reads.iter().any(|read| read.buffer.data == write.buffer.data));
    if updates || own {
        return Err(Fault::at(site, format!("block `{}` updates what another one has written", block.name)));
    }
    let predicate = site.binding().is_some_and(|(_, predicate)| predicate.as_int() == Some(1));
    if !predicate {
        return Err(Fault::at(site, format!("block `{}` runs under a condition", block.name)));
    }
    check_affine(function, site)
}

/// The outermost branch around a block that is not around the loop, too.
fn own_branch(site: &Site, target: &Site) -> Option<Site> {
    let (own, other) = (path_of(site), path_of(target));
    let depth = site.above.iter().enumerate().position(|(depth, (stmt, _))| {
        matches!(stmt.kind, StmtKind::If { .. }) && own.get(..=depth) != other.get(..=depth)
    })?;
    let (stmt, _) = site.above.get(depth)?;
    Some(Site { above: site.above.get(..depth)?.to_vec(), stmt: stmt.clone() })
}

/// Every stage that uses the buffer is in the loop, after the block; none before the first of them changes what it
/// reads. What changes it later finds the block computed: that stands before the first one, in each iteration.
fn check_flow(site: &Site, target: &Site, block: &Block, buffer: &Buffer) -> Result<(), Fault> {
    let (before, _, after) = stages(site)?;
    let inside = |stage: &Site| path_of(stage).starts_with(&path_of(target));
    if let Some(other) = before.iter().chain(&after).find(|stage| writes(stage, buffer)) {
        return Err(Fault::at(other, format!("`{}` is written by another block, too", buffer.name)));
    }
    let mut users = before.iter().chain(&after).filter(|stage| touches(&stage.stmt, buffer));
    if let Some(other) = users.find(|stage| !inside(stage)) {
        return Err(Fault::at(other, format!("the block, which is not in the loop, reads `{}`", buffer.name)));
    }
    if !after.iter().any(inside) || before.iter().any(inside) {
        return Err(Fault::at(target, format!("the loop is not after block `{}`", block.name)));
    }
    let first = after.iter().position(|stage| reads(stage, buffer)).unwrap_or(after.len());
    for read in &block.reads {
        if let Some(other) = after.iter().take(first).find(|stage| writes(stage, &read.buffer)) {
            let message = format!("the block writes `{}`, which block `{}` reads", read.buffer.name, block.name);
            return Err(Fault::at(other, message));
        }
    }
    Ok(())
}

/// The values of the block's axes for what the loop's body reads of the buffer.
fn needed_ranges(site: &Site, target: &Site, block: &Block, buffer: &Buffer) -> Result<Vec<(IterVar, Range)>, Fault> {
    let refuse = |what: &str| Fault::at(site, format!("block `{}` {what}", block.name));
    let write = block.writes.iter().find(|write| write.buffer == *buffer);
    let indices: Vec<_> = write.iter().flat_map(|write| &write.region).map(|range| range.min.clone()).collect();
    let single = write.is_some_and(|write| write.region.iter().all(|range| range.extent.as_int() == Some(1)));
    let spatial = Block {
        iters: block.iters.iter().filter(|iter| iter.kind == IterKind::Spatial).cloned().collect(),
        ..block.clone()
    };
    let axes = axes_of(&indices, &spatial).filter(|_| single);
    let axes = axes.ok_or_else(|| refuse("does not write one element at its own axes"))?;
    let body = below(&target.stmt).first().map(|body| (*body).clone()).unwrap_or_else(Stmt::nothing);
    let needed = read_box(&with_sharing_threads(target, body, buffer), buffer)
        .ok_or_else(|| refuse("computes nothing that the loop reads"))?;
    let range_of = |iter: &IterVar| {
        let dim = axes.iter().position(|axis| axis.as_ref() == Some(&iter.var));
        dim.and_then(|dim| needed.region.get(dim)).cloned().unwrap_or_else(|| iter.domain.clone())
    };
    Ok(block.iters.iter().map(|iter| (iter.clone(), range_of(iter))).collect())
}

/// The body of the loop for all threads that share the buffer: they need what any of them reads.
fn with_sharing_threads(target: &Site, body: Stmt, buffer: &Buffer) -> Stmt {
    if buffer.scope.plain() != Scope::Shared {
        return body;
    }
    let is_thread = |l: &Loop| matches!(&l.kind, ForKind::ThreadBinding(tag) if !tag.starts_with("blockIdx"));
    let loops = target.loops().into_iter().chain(loop_of(&target.stmt));
    loops.filter(is_thread).fold(body, |body, l| around(l, body))
}

/// The function with a statement in the body of a loop: -1 is the last of the positions among the statements
/// there that `positions` gives, -2 the first, another number the position itself.
pub(super) fn inserted(
    function: &PrimFunc,
    target: &Site,
    new: Stmt,
    index: i64,
    positions: impl Fn(&[Stmt]) -> Option<RangeInclusive<usize>>,
) -> Result<PrimFunc, Fault> {
    let body = target.child(0).ok_or_else(|| Fault::at(target, "expected a loop"))?;
    let mut stmts: Vec<Stmt> = match &body.stmt.kind {
        StmtKind::Seq(stmts) => stmts.clone(),
        _ => vec![body.stmt.clone()],
    };
    let positions =
        positions(&stmts).ok_or_else(|| Fault::at(target, "nothing in the loop uses what the block computes"))?;
    let at = match index {
        -1 => Some(*positions.end()),
        -2 => Some(*positions.start()),
        index => usize::try_from(index).ok().filter(|at| positions.contains(at)),
    };
    let message = || {
        let (first, last) = (positions.start(), positions.end());
        format!("the block can stand at positions from {first} to {last} in the loop, found index {index}")
    };
    let at = at.ok_or_else(|| Fault::at(target, message()))?;
    stmts.insert(at.min(stmts.len()), new);
    Ok(PrimFunc { body: body.replaced(Stmt::seq(stmts)), ..function.clone() })
}

/// Parallel loops around, as far as the block around, still may be parallel. Loops outside of that block see its
/// accesses only, which stay.
pub(super) fn check_loops_around(function: &PrimFunc, target: &Key) -> Result<(), Fault> {
    let Some(target) = find(&function.body, target) else { return Ok(()) };
    let scope = target.scope().map_or(0, |scope| path_of(&scope).len());
    let paths = (scope..=target.above.len()).map(|depth| path_of(&target)[..depth].to_vec());
    for site in paths.filter_map(|path| follow(&function.body, &path)) {
        let side_by_side = |kind: &ForKind| !matches!(kind, ForKind::Serial | ForKind::Unrolled);
        if loop_of(&site.stmt).is_some_and(|l| side_by_side(&l.kind)) {
            check_independent(function, &site, "run in any order with the block inside")?;
        }
    }
    Ok(())
}
