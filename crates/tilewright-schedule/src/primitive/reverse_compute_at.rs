//! `reverse_compute_at(block, loop, preserve_unit_loops, index)`: a block moves into a loop around the producers of
//! what it reads; in each iteration it takes what they have computed there.

use tilewright_arith::{Analyzer, estimate_region_strict_bound};
use tilewright_ir::tir::{BinOp, Block, Buffer, CmpOp, Expr, ExprKind, IterKind, IterVar, PrimFunc, Range, Stmt, Var};

use super::call::{Call, Default, Outcome, Primitive, Results, site_of};
use super::compute_at::{check_loops_around, check_moves, inserted};
use crate::analysis::dependence::{check_affine, driven_axes};
use crate::analysis::guard::{known_around, known_inside};
use crate::analysis::required::{BoxLoops, loops_to, written_box};
use crate::analysis::stages::{reads, stages, writes};
use crate::build::exprs::{mentions, substituted};
use crate::build::rewrite::{path_of, without};
use crate::fault::Fault;
use crate::site::{Site, axis_values, key_at, loop_of};

pub(crate) const REVERSE_COMPUTE_AT: Primitive = Primitive {
    name: "ReverseComputeAt",
    method: "reverse_compute_at",
    doc: "Moves a block into a loop of its producers, where it takes what they have computed there.",
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
    check_moves(call.function, &site, &target, block)?;
    let (buffer, producers) = flow(&site, &target, block)?;
    let made = made_by_all(call.function, &target, &producers, &buffer)?;
    let taken = taken_ranges(call.function, &site, block, &buffer, made)?;
    let mut known = known_inside(call.function, &target);
    let nest = BoxLoops::over(&mut known, &taken, call.flag(2)?)?.around(block.clone());
    let wanted = key_at(&call.function.body, &target).ok_or_else(|| Fault::at(&target, "the loop is gone"))?;
    let function = PrimFunc { body: without(&site), ..call.function.clone() };
    let target = site_of(&function, &wanted)?;
    let positions =
        |stmts: &[Stmt]| Some(stmts.iter().rposition(|stmt| written_box(stmt, &buffer).is_some())? + 1..=stmts.len());
    let function = inserted(&function, &target, nest, call.int(3)?, positions)?;
    check_loops_around(&function, &wanted)?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// The one buffer that the block reads and blocks in the loop write, with those blocks.
fn flow(site: &Site, target: &Site, block: &Block) -> Result<(Buffer, Vec<Site>), Fault> {
    let (before, _, _) = stages(site)?;
    let here = path_of(target);
    let inside: Vec<&Site> = before.iter().filter(|stage| path_of(stage).starts_with(&here)).collect();
    let later: Vec<&Site> =
        before.iter().filter(|stage| path_of(stage) > here && !path_of(stage).starts_with(&here)).collect();
    let mut flows = Vec::new();
    for read in &block.reads {
        let writers: Vec<&Site> = inside.iter().filter(|stage| writes(stage, &read.buffer)).copied().collect();
        if let Some(other) = later.iter().find(|stage| writes(stage, &read.buffer)) {
            let message = format!("the block writes `{}` after the loop, for block `{}`", read.buffer.name, block.name);
            return Err(Fault::at(other, message));
        }
        if !writers.is_empty() {
            flows.push((read.buffer.clone(), writers.into_iter().cloned().collect::<Vec<_>>()));
        }
    }
    let [(buffer, producers)] = flows.as_slice() else {
        let message =
            format!("expected the loop to compute one buffer that block `{}` reads, found {}", block.name, flows.len());
        return Err(Fault::at(target, message));
    };
    for write in &block.writes {
        let others =
            inside.iter().chain(&later).find(|stage| writes(stage, &write.buffer) || reads(stage, &write.buffer));
        if let Some(other) = others {
            return Err(Fault::at(
                other,
                format!("the block uses `{}`, which block `{}` writes", write.buffer.name, block.name),
            ));
        }
    }
    Ok((buffer.clone(), producers.clone()))
}

/// The values of the block's axes for which an iteration of the loop has computed what the block reads.
fn taken_ranges(
    function: &PrimFunc,
    site: &Site,
    block: &Block,
    buffer: &Buffer,
    made: Vec<Range>,
) -> Result<Vec<(IterVar, Range)>, Fault> {
    let regions: Vec<_> = block.reads.iter().filter(|read| read.buffer == *buffer).collect();
    let [read] = regions.as_slice() else {
        return Err(Fault::at(site, format!("block `{}` reads `{}` in more than one way", block.name, buffer.name)));
    };
    let mut taken: Vec<(IterVar, Range)> = block.iters.iter().map(|iter| (iter.clone(), iter.domain.clone())).collect();
    for (range, made) in read.region.iter().zip(made) {
        let axis =
            taken.iter_mut().find(|(iter, _)| range.min.as_var() == Some(&iter.var) && iter.kind == IterKind::Spatial);
        let known = known_inside(function, site);
        let is_all = |iter: &IterVar| {
            let same = |a: &Expr, b: &Expr| known.prove_equal(a, b);
            same(&made.min, &iter.domain.min) && same(&made.extent, &iter.domain.extent)
        };
        let reduced = block.iters.iter().find(|iter| range.min.as_var() == Some(&iter.var));
        match axis {
            Some((iter, values)) if range.extent.as_int() == Some(1) && values.extent.equal(&iter.domain.extent) => {
                *values = made
            }
            // A reduction takes all that there is along its axis, or has to wait.
            None if range.extent.as_int() == Some(1)
                && reduced.is_some_and(|iter| iter.kind == IterKind::Reduce && is_all(iter)) => {}
            _ if range.extent.as_int() == Some(1)
                && range.min.as_int().is_some()
                && made.extent.as_int() == Some(1) => {}
            _ => {
                let message = format!(
                    "block `{}` does not read one element of `{}` at its own spatial axes",
                    block.name, buffer.name
                );
                return Err(Fault::at(site, message));
            }
        }
    }
    Ok(taken)
}

/// The box that an iteration of the loop writes. Several blocks, such as the init and the update of a reduction, write
/// the same one.
fn made_by_all(function: &PrimFunc, target: &Site, producers: &[Site], buffer: &Buffer) -> Result<Vec<Range>, Fault> {
    let [others @ .., last] = producers else { return Err(Fault::at(target, "the loop computes nothing")) };
    let made = made_in_iteration(function, target, last, buffer)?;
    let known = known_inside(function, target);
    let same = |a: &Range, b: &Range| known.prove_equal(&a.min, &b.min) && known.prove_equal(&a.extent, &b.extent);
    for other in others {
        let written = made_in_iteration(function, target, other, buffer)?;
        if !written.iter().zip(&made).all(|(a, b)| same(a, b)) {
            let name = |site: &Site| site.block().map(|block| block.name.clone()).unwrap_or_default();
            let (first, second) = (name(other), name(last));
            let message = format!("blocks `{first}` and `{second}` write different parts of `{}`", buffer.name);
            return Err(Fault::at(other, message));
        }
    }
    Ok(made)
}

/// The box that an iteration of the loop writes, all of it, and that no other iteration does.
fn made_in_iteration(
    function: &PrimFunc,
    target: &Site,
    producer: &Site,
    buffer: &Buffer,
) -> Result<Vec<Range>, Fault> {
    check_affine(function, producer)?;
    let refuse = |what: &str| Fault::at(producer, format!("what an iteration computes of `{}` {what}", buffer.name));
    let (Some(block), Some((values, predicate))) = (producer.block(), producer.binding()) else {
        return Err(refuse("is not known"));
    };
    let inner = loops_to(target, producer).len();
    let loops = producer.loops();
    let outer: Vec<_> = loops.iter().take(loops.len() - inner.min(loops.len())).map(|l| l.var.clone()).collect();
    let target_var = loop_of(&target.stmt).map(|l| l.var);
    let outer: Vec<_> = outer.into_iter().chain(target_var).collect();
    let reduces = |at: &usize| block.iters.get(*at).is_none_or(|iter| iter.kind != IterKind::Spatial);
    if driven_axes(block, values, &outer).iter().any(reduces) {
        return Err(refuse("is not complete: the loop drives a reduction"));
    }
    let write = block.writes.iter().find(|write| write.buffer == *buffer).ok_or_else(|| refuse("is not known"))?;
    let axes = axis_values(block, values);
    let ranges: Vec<Range> = write.region.iter().map(|range| substituted(range, &axes)).collect();
    let mut known = known_inside(function, target);
    let below: Vec<_> = loops_to(target, producer).into_iter().filter(|(var, _)| !outer.contains(var)).collect();
    // Under a condition, the box is what would be written without it; elements outside of the domain are in no box.
    let all = Expr::bool(true);
    let sets = estimate_region_strict_bound(&mut known, &ranges, &below, &all).ok_or_else(|| refuse("is no box"))?;
    if !covers_domain(&known_around(function, producer), producer, predicate) {
        return Err(refuse("depends on a condition"));
    }
    Ok(sets.iter().zip(&ranges).map(|(set, range)| set.cover_range(&known, range)).collect())
}

/// Whether the condition says no more than that the axes' values lie in their domains, and lets each reduction begin.
fn covers_domain(known: &Analyzer, producer: &Site, predicate: &Expr) -> bool {
    let (Some(block), Some((values, _))) = (producer.block(), producer.binding()) else { return false };
    let is_spatial = |at: &usize| block.iters.get(*at).is_none_or(|iter| iter.kind != IterKind::Reduce);
    let loops = producer.loops();
    let reducing = loops.iter().filter(|l| {
        let driven = driven_axes(block, values, std::slice::from_ref(&l.var));
        block.init.is_some() && !driven.is_empty() && !driven.iter().any(is_spatial)
    });
    let firsts: Vec<(Var, Expr)> = reducing.map(|l| (l.var.clone(), l.min.clone())).collect();
    let vars: Vec<Var> = firsts.iter().map(|(var, _)| var.clone()).collect();
    let mut pending = vec![predicate.clone()];
    while let Some(part) = pending.pop() {
        match &part.kind {
            ExprKind::Int(1) => {}
            ExprKind::Binary(BinOp::And, a, b) => pending.extend([a.clone(), b.clone()]),
            ExprKind::Compare(CmpOp::Lt, a, b) => {
                let says = block.iters.iter().zip(values).any(|(iter, value)| {
                    value.equal(a) && iter.domain.extent.equal(b) && iter.domain.min.as_int() == Some(0)
                });
                let begins = || mentions(&part, &vars) && known.prove(&substituted(&part, &firsts));
                if !says && !begins() {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}
