//! `reindex(block, buffer)`, `reindex_cache_read(block, read_buffer_index, storage_scope, index_map)` and
//! `reindex_cache_write(block, write_buffer_index, storage_scope, index_map)`: what a block reads or writes goes
//! through a temporary that is indexed by the block's axes.
//!
//! `C[i] += A[2 * i + k]` after `reindex` of `A` is `A_reindex[i, k] = A[2 * i + k]` and `C[i] += A_reindex[i, k]`;
//! with a map of the axes the temporary has the map's indices.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::IndexMap;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{
    Block, Buffer, CmpOp, Expr, ExprKind, IterKind, IterVar, PrimFunc, Range, Scope, Stmt, StmtKind, Var,
};
use tilewright_tensor::DataType;

use super::call::{Call, Default, Outcome, Primitive, Results};
use crate::analysis::dependence::{check_affine, driven_axes};
use crate::analysis::guard::known_around;
use crate::analysis::index_maps::{mapped, with_accesses_moved};
use crate::analysis::required::{outermost_free, spatial_block, written_box};
use crate::analysis::stages::{reads, scope_stages, writes};
use crate::build::exprs::{compare, mentions, mentions_var, stored, substituted, typed};
use crate::build::rewrite::{path_of, with_block};
use crate::fault::Fault;
use crate::site::{Key, Site, blocks_below};

pub(crate) const REINDEX: Primitive = Primitive {
    name: "ReIndex",
    method: "reindex",
    doc: "Puts a temporary between a block and a buffer that is indexed by the block's axes.",
    params: &[("block", Default::Required), ("buffer", Default::Required)],
    plan: None,
    gives_list: false,
    run: reindex,
};

pub(crate) const REINDEX_CACHE_READ: Primitive = Primitive {
    name: "ReindexCacheRead",
    method: "reindex_cache_read",
    doc: "Copies what a block reads to other memory, at the indices that a map of its axes gives.",
    params: &[
        ("block", Default::Required),
        ("read_buffer_index", Default::Required),
        ("storage_scope", Default::Required),
        ("index_map", Default::Required),
    ],
    plan: None,
    gives_list: false,
    run: cache_read,
};

pub(crate) const REINDEX_CACHE_WRITE: Primitive = Primitive {
    name: "ReindexCacheWrite",
    method: "reindex_cache_write",
    doc: "Lets a block write to other memory, at the indices that a map of its axes gives.",
    params: &[
        ("block", Default::Required),
        ("write_buffer_index", Default::Required),
        ("storage_scope", Default::Required),
        ("index_map", Default::Required),
    ],
    plan: None,
    gives_list: false,
    run: cache_write,
};

fn reindex(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let buffer = call.buffer(&site, 1)?;
    let is_written = site.block().is_some_and(|block| block.writes.iter().any(|write| write.buffer == buffer));
    through(call, &site, &buffer, is_written, &Temporary { name: "reindex", scope: buffer.scope.clone(), map: None })
}

fn scope_named(call: &Call<'_>, site: &Site) -> Result<Scope, Fault> {
    let name = call.text(2)?;
    Scope::named(name).ok_or_else(|| Fault::at(site, format!("there is no memory `{name}`")))
}

fn cache_read(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let (buffer, scope) = (call.read(&site, 1)?, scope_named(call, &site)?);
    let name = call.text(2)?;
    through(call, &site, &buffer, false, &Temporary { name, scope, map: Some(call.index_map(3)?) })
}

fn cache_write(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let (buffer, scope) = (call.written(&site, 1)?, scope_named(call, &site)?);
    let name = call.text(2)?;
    through(call, &site, &buffer, true, &Temporary { name, scope, map: Some(call.index_map(3)?) })
}

/// What the temporary is to be.
struct Temporary<'a> {
    name: &'a str,
    scope: Scope,
    /// Its indices, of all axes of the block; without one these are the axes that the indices of the buffer have.
    map: Option<&'a IndexMap>,
}

fn through(
    call: &Call<'_>,
    site: &Site,
    buffer: &Buffer,
    is_write: bool,
    wanted: &Temporary<'_>,
) -> Result<Outcome, Fault> {
    let block = site.expect_block()?;
    let indices = only_indices(site, block, buffer)?;
    let axes: Vec<Expr> = block.iters.iter().map(|iter| Expr::var(&iter.var)).collect();
    let moved_indices = match wanted.map {
        Some(map) if map.initial().len() != axes.len() => {
            let message =
                format!("block `{}` has {} axes, the map takes {}", block.name, axes.len(), map.initial().len());
            return Err(Fault::at(site, message));
        }
        Some(map) => {
            mapped(map, &axes).ok_or_else(|| Fault::at(site, "the map has operators that indices do not have"))?
        }
        None => axes.iter().filter(|axis| mentions(&indices, &vars_of(axis))).cloned().collect(),
    };
    let used: Vec<IterVar> = block
        .iters
        .iter()
        .filter(|iter| mentions_var(&indices, &iter.var) || mentions_var(&moved_indices, &iter.var))
        .cloned()
        .collect();
    let mut known = known_around(call.function, site);
    let shape = shape_of(&mut known, site, &used, &moved_indices)?;
    let name = format!("{}_{}", buffer.name, wanted.name.replace('.', "_"));
    let temporary = Buffer::new(name, shape, buffer.dtype).derive(|node| node.scope = wanted.scope.clone());
    let outer = outermost_free(site, |stmt| !is_write && written_box(stmt, buffer).is_some());
    check_outside(site, &outer, &used)?;
    check_axes(site, &used, if is_write { &moved_indices } else { &[] })?;
    let moved = with_temporary(site, block, buffer, &temporary, &moved_indices);
    let function = PrimFunc { body: site.replaced(moved), ..call.function.clone() };
    let outer = outer.again_in(&function.body)?;
    let copy = copy(
        &mut known,
        site,
        &used,
        &Elements { of: buffer, at: &indices },
        &Elements { of: &temporary, at: &moved_indices },
        is_write,
    )?;
    let blocks = blocks_below(&Site::root(&copy));
    let key = blocks.first().and_then(Site::block).and_then(|block| block.iters.first());
    let key = key.map_or_else(|| Key::Bare(temporary.name.clone(), 0), |iter| Key::Block(iter.var.id()));
    let both = if is_write {
        check_written(call.function, site, &outer, block, &indices, buffer)?;
        Stmt::seq([outer.stmt.clone(), copy])
    } else {
        check_read(site, &outer, buffer)?;
        Stmt::seq([copy, outer.stmt.clone()])
    };
    let function = PrimFunc { body: outer.replaced(both), ..function };
    let scope = site.expect_scope()?;
    let function = with_block(&function, &path_of(&scope), |block| block.alloc_buffers.push(temporary))?;
    Ok(Outcome::changed(function, Results::One(key)))
}

/// No loop around the copy drives an axis: the copy is for all values of the axes.
fn check_outside(site: &Site, outer: &Site, used: &[IterVar]) -> Result<(), Fault> {
    let (Some(block), Some((values, _))) = (site.block(), site.binding()) else { return Ok(()) };
    for l in outer.loops() {
        let driven = driven_axes(block, values, std::slice::from_ref(&l.var));
        let is_used =
            |at: &usize| block.iters.get(*at).is_some_and(|iter| used.iter().any(|used| used.var == iter.var));
        if driven.iter().any(is_used) {
            let message = format!("loop `{}`, which is around the copy, drives an axis that it has", l.var.name);
            return Err(Fault::at(site, message));
        }
    }
    Ok(())
}

/// The axes have as many values wherever the copy is made; and none that is reduced over is in the `written` indices.
fn check_axes(site: &Site, used: &[IterVar], written: &[Expr]) -> Result<(), Fault> {
    let around: Vec<Var> = site.loops().into_iter().map(|l| l.var).collect();
    for iter in used {
        let name = &iter.var.name;
        if mentions(&iter.domain, &around) {
            let message = format!("how many values axis `{name}` has depends on a loop around the block");
            return Err(Fault::at(site, message));
        }
        if iter.kind != IterKind::Spatial && mentions_var(&written.to_vec(), &iter.var) {
            let message = format!("the indices of the temporary are of axis `{name}`, over which the block reduces");
            return Err(Fault::at(site, message));
        }
    }
    Ok(())
}

fn vars_of(axis: &Expr) -> Vec<Var> {
    axis.as_var().cloned().into_iter().collect()
}

/// The indices of every access to the buffer in the block, which are of its axes alone.
fn only_indices(site: &Site, block: &Block, buffer: &Buffer) -> Result<Vec<Expr>, Fault> {
    let mut all: Vec<Vec<Expr>> = Vec::new();
    let mut plain = block.match_buffers.is_empty();
    walk(&site.stmt, |e: &Expr| match &e.kind {
        ExprKind::Load { buffer: other, indices, predicate } if other.data == buffer.data => {
            plain &= predicate.is_none() && other == buffer;
            all.push(indices.clone());
        }
        ExprKind::AddressOf { buffer: other, .. } => plain &= other.data != buffer.data,
        _ => {}
    });
    let mut loops: Vec<Var> = Vec::new();
    walk(&block.body, |stmt: &Stmt| {
        if let StmtKind::For { var, .. } | StmtKind::Let { var, .. } = &stmt.kind {
            loops.push(var.clone());
        }
    });
    walk(&site.stmt, |stmt: &Stmt| {
        if let StmtKind::Store { buffer: other, indices, .. } = &stmt.kind
            && other.data == buffer.data
        {
            plain &= other == buffer;
            all.push(indices.clone());
        }
    });
    let first = all.first().cloned();
    let same = |other: &Vec<Expr>, first: &Vec<Expr>| other.iter().zip(first).all(|(a, b)| a.equal(b));
    first.filter(|first| plain && all.iter().all(|other| same(other, first)) && !mentions(first, &loops)).ok_or_else(
        || {
            let message =
                format!("block `{}` does not use `{}` at the same indices everywhere", block.name, buffer.name);
            Fault::at(site, message)
        },
    )
}

/// The extents of the temporary's indices, which are distinct for distinct values of the axes.
fn shape_of(known: &mut Analyzer, site: &Site, used: &[IterVar], moved_indices: &[Expr]) -> Result<Vec<Expr>, Fault> {
    let ranges: Vec<(Var, Range)> = used.iter().map(|iter| (iter.var.clone(), iter.domain.clone())).collect();
    let refuse = |what: &str| Fault::at(site, format!("the indices of the temporary {what}"));
    let mut shape = Vec::with_capacity(moved_indices.len());
    for index in moved_indices {
        let set = known.int_set_over(index, &ranges);
        let (least, end) = (set.min_value(), set.max_value());
        if least.is_none_or(|least| known.decide(CmpOp::Ge, least, &Expr::int(0, least.dtype)) != Some(true)) {
            return Err(refuse("are not known to be 0 or more"));
        }
        shape.push(known.simplify(&(end.ok_or_else(|| refuse("have no known end"))? + 1)));
    }
    let all_alone = moved_indices.iter().all(|index| index.as_var().is_some())
        && used.iter().all(|iter| moved_indices.iter().any(|index| index.as_var() == Some(&iter.var)));
    if !all_alone && !are_distinct(known, used, moved_indices) {
        return Err(refuse("are not known to be different for different values of the axes"));
    }
    Ok(shape)
}

/// Whether different values of the axes have different indices.
fn are_distinct(known: &mut Analyzer, used: &[IterVar], moved_indices: &[Expr]) -> bool {
    let wide: Vec<(Var, Var)> =
        used.iter().map(|iter| (iter.var.clone(), Var::new(iter.var.name.clone(), DataType::I64))).collect();
    let renamed = moved_indices
        .iter()
        .map(|index| crate::analysis::index_maps::renamed(index, &wide))
        .collect::<Option<Vec<_>>>();
    let map = renamed
        .and_then(|moved_indices| IndexMap::new(wide.iter().map(|(_, to)| to.clone()).collect(), moved_indices).ok());
    let shape = used.iter().map(|iter| iter.domain.extent.cast(DataType::I64).ok()).collect::<Option<Vec<_>>>();
    let outputs: Vec<Var> = moved_indices.iter().map(|_| Var::new("p", DataType::I64)).collect();
    map.zip(shape).is_some_and(|(map, shape)| map.inverse(known, &shape, &outputs).is_some())
}

/// The block with the temporary in the place of the buffer.
fn with_temporary(site: &Site, block: &Block, buffer: &Buffer, temporary: &Buffer, moved_indices: &[Expr]) -> Stmt {
    let remap = |_: &[Expr]| Some(moved_indices.to_vec());
    let of = |stmt: &Stmt| with_accesses_moved(&mut Analyzer::new(), stmt, buffer, temporary, &remap);
    let made = Block { body: of(&block.body), init: block.init.as_ref().map(of), ..block.clone() };
    let found = block_regions(&made);
    let made = Block { reads: found.reads, writes: found.writes, ..made };
    match &site.stmt.kind {
        StmtKind::Block { values, predicate, .. } => {
            StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block: made }.into()
        }
        _ => site.stmt.clone(),
    }
}

/// A buffer, and indices over the axes of a block.
struct Elements<'a> {
    of: &'a Buffer,
    at: &'a [Expr],
}

/// The block that copies from the buffer, or back to it, for all values of the axes.
fn copy(
    known: &mut Analyzer,
    site: &Site,
    used: &[IterVar],
    own: &Elements<'_>,
    temporary: &Elements<'_>,
    is_write: bool,
) -> Result<Stmt, Fault> {
    if used.iter().any(|iter| iter.domain.min.as_int() != Some(0)) {
        return Err(Fault::at(site, "an axis does not begin at 0"));
    }
    let scope = known.enter();
    used.iter().for_each(|iter| known.bind(&iter.var, &iter.domain));
    for (index, extent) in own.at.iter().zip(&own.of.shape) {
        let inside = [compare(CmpOp::Ge, index, &Expr::int(0, index.dtype))?, compare(CmpOp::Lt, index, extent)?];
        if !inside.iter().all(|condition| known.prove(condition)) {
            let message = format!("for some values of the axes an index of `{}` may be out of range", own.of.name);
            return Err(Fault::at(site, message));
        }
    }
    known.leave(scope);
    let axes: Vec<(Var, Expr)> = used.iter().map(|iter| (iter.var.clone(), iter.domain.extent.clone())).collect();
    spatial_block(known, temporary.of.name.clone(), &axes, &Expr::bool(true), |at| {
        let values: Vec<(Var, Expr)> = used.iter().map(|iter| iter.var.clone()).zip(at.iter().cloned()).collect();
        let at = |exprs: &[Expr]| exprs.iter().map(|expr| substituted(expr, &values)).collect();
        let (from, to) = if is_write { (temporary, own) } else { (own, temporary) };
        stored(to.of, at(to.at), &typed(Expr::load(from.of, at(from.at)))?)
    })
}

/// Nothing after the copy writes the buffer.
fn check_read(site: &Site, outer: &Site, buffer: &Buffer) -> Result<(), Fault> {
    let here = path_of(outer);
    let inside = |stage: &&Site| path_of(stage).starts_with(&here);
    if let Some(other) = scope_stages(site)?.iter().filter(inside).find(|stage| writes(stage, buffer)) {
        return Err(Fault::at(
            other,
            format!("`{}` is written after the statement where it would be copied", buffer.name),
        ));
    }
    Ok(())
}

/// The block alone writes the buffer, for all values of its spatial axes, before anybody reads it.
fn check_written(
    function: &PrimFunc,
    site: &Site,
    outer: &Site,
    block: &Block,
    indices: &[Expr],
    buffer: &Buffer,
) -> Result<(), Fault> {
    check_affine(function, site)?;
    let (values, predicate) = site.expect_binding()?;
    let known = known_around(function, outer);
    let loops = site.loops();
    let covered = |(iter, value): (&IterVar, &Expr)| {
        let own = loops.iter().find(|l| value.as_var() == Some(&l.var));
        own.is_some_and(|l| l.min.as_int() == Some(0) && known.prove_equal(&l.extent, &iter.domain.extent))
    };
    let axes = || block.iters.iter().zip(values);
    if predicate.as_int() != Some(1) || !axes().filter(|(iter, _)| iter.kind == IterKind::Spatial).all(covered) {
        let message = format!("block `{}` is not known to run for all values of its spatial axes", block.name);
        return Err(Fault::at(site, message));
    }
    for iter in &block.iters {
        let in_indices = mentions_var(&indices.to_vec(), &iter.var);
        let ok = if iter.kind == IterKind::Spatial {
            in_indices || iter.domain.extent.as_int() == Some(1)
        } else {
            !in_indices
        };
        if !ok {
            let message =
                format!("axis `{}` of block `{}` does not say which element is written", iter.var.name, block.name);
            return Err(Fault::at(site, message));
        }
        let some = compare(CmpOp::Gt, &iter.domain.extent, &Expr::int(0, iter.domain.extent.dtype))?;
        if iter.kind != IterKind::Spatial && block.init.is_none() && !known.prove(&some) {
            return Err(Fault::at(site, format!("the reduction over axis `{}` may have no iteration", iter.var.name)));
        }
    }
    let updates = block.init.is_none() && block.reads.iter().any(|read| read.buffer.data == buffer.data);
    let here = path_of(site);
    let mut others = scope_stages(site)?.into_iter().filter(|stage| path_of(stage) != here);
    let outer = path_of(&outermost_free(site, |_| false));
    let clash =
        others.find(|stage| writes(stage, buffer) || (path_of(stage).starts_with(&outer) && reads(stage, buffer)));
    match clash {
        Some(other) => Err(Fault::at(&other, format!("`{}` is used by this block, too", buffer.name))),
        None if updates => {
            Err(Fault::at(site, format!("the block reads elements of `{}` that were there before", buffer.name)))
        }
        None => Ok(()),
    }
}
