//! `reindex(block, buffer)`, `reindex_cache_read(block, read_buffer_index, storage_scope, index_map)` and
//! `reindex_cache_write(block, write_buffer_index, storage_scope, index_map)`: what a block reads or writes goes through a
//! temporary that is indexed by the block's axes.
//!
//! `C[i] += A[2 * i + k]` after `reindex` of `A` is `A_reindex[i, k] = A[2 * i + k]` and `C[i] += A_reindex[i, k]`; with a map
//! of the axes the temporary has the map's indices.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::IndexMap;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{
    Block, Buffer, CmpOp, Expr, ExprKind, IterKind, IterVar, PrimFunc, Range, Scope, Stmt, StmtKind, Var,
};
use tilewright_tensor::DataType;

use super::call::{Call, Default, Outcome, Primitive, Results};
use crate::facts::exprs::{compare, mentions, stored, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::guard::known_around;
use crate::facts::independent::{check_affine, driven_axes};
use crate::facts::index_maps::{mapped, with_accesses_moved};
use crate::facts::required::{outermost_free, spatial_block, written_box};
use crate::facts::rewrite::{way, with_block};
use crate::facts::stages::{reads, scope_stages, writes};
use crate::facts::tree::{Key, Site, blocks_below};

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
    doc: "Copies what a block reads to other memory, at the places that a map of its axes says.",
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
    doc: "Lets a block write to other memory, at the places that a map of its axes says.",
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
    let Some(block) = site.block() else { return Err(Fault::at(site, "expected a block")) };
    let indices = only_indices(site, block, buffer)?;
    let axes: Vec<Expr> = block.iters.iter().map(|iter| Expr::var(&iter.var)).collect();
    let places = match wanted.map {
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
        .filter(|iter| {
            mentions(&indices, std::slice::from_ref(&iter.var)) || mentions(&places, std::slice::from_ref(&iter.var))
        })
        .cloned()
        .collect();
    let mut known = known_around(call.function, site);
    let shape = shape_of(&mut known, site, &used, &places)?;
    let name = format!("{}_{}", buffer.name, wanted.name.replace('.', "_"));
    let temporary = Buffer::new(name, shape, buffer.dtype).derive(|node| node.scope = wanted.scope.clone());
    let outer = outermost_free(site, |stmt| !is_write && written_box(stmt, buffer).is_some());
    check_outside(site, &outer, &used)?;
    check_axes(site, &used, if is_write { &places } else { &[] })?;
    let moved = with_temporary(site, block, buffer, &temporary, &places);
    let function = PrimFunc { body: site.replaced(moved), ..call.function.clone() };
    let outer =
        crate::facts::tree::follow(&function.body, &way(&outer)).ok_or_else(|| Fault::at(site, "the place is gone"))?;
    let copy = copy(&mut known, site, &used, (buffer, &indices), (&temporary, &places), is_write)?;
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
    let scope = site.scope().ok_or_else(|| Fault::at(site, "the root block is in no other"))?;
    let function = with_block(&function, &way(&scope), |block| block.alloc_buffers.push(temporary))?;
    Ok(Outcome::changed(function, Results::One(key)))
}

/// No loop around the place of the copy drives an axis: the copy is for all values of the axes.
fn check_outside(site: &Site, outer: &Site, used: &[IterVar]) -> Result<(), Fault> {
    let (Some(block), Some((values, _))) = (site.block(), site.binding()) else { return Ok(()) };
    for l in outer.loops() {
        let driven = driven_axes(block, values, std::slice::from_ref(&l.var));
        let is_used =
            |at: &usize| block.iters.get(*at).is_some_and(|iter| used.iter().any(|used| used.var == iter.var));
        if driven.iter().any(is_used) {
            let message =
                format!("loop `{}`, which is around the place of the copy, drives an axis that it has", l.var.name);
            return Err(Fault::at(site, message));
        }
    }
    Ok(())
}

/// The axes have as many values wherever the copy is made; and none that is summed over says which place is `written`.
fn check_axes(site: &Site, used: &[IterVar], written: &[Expr]) -> Result<(), Fault> {
    let around: Vec<Var> = site.loops().into_iter().map(|l| l.var).collect();
    for iter in used {
        let name = &iter.var.name;
        if mentions(&iter.domain, &around) {
            let message = format!("how many values axis `{name}` has depends on a loop around the block");
            return Err(Fault::at(site, message));
        }
        if iter.kind != IterKind::Spatial && mentions(&written.to_vec(), std::slice::from_ref(&iter.var)) {
            let message = format!("the places in the temporary are of axis `{name}`, over which the block reduces");
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

/// The extents of the temporary's indices, which tell the values of the axes apart.
fn shape_of(known: &mut Analyzer, site: &Site, used: &[IterVar], places: &[Expr]) -> Result<Vec<Expr>, Fault> {
    let ranges: Vec<(Var, Range)> = used.iter().map(|iter| (iter.var.clone(), iter.domain.clone())).collect();
    let refuse = |what: &str| Fault::at(site, format!("the places in the temporary {what}"));
    let mut shape = Vec::with_capacity(places.len());
    for place in places {
        let set = known.int_set_over(place, &ranges);
        let (least, end) = (set.min_value(), set.max_value());
        if least.is_none_or(|least| known.decide(CmpOp::Ge, least, &Expr::int(0, least.dtype)) != Some(true)) {
            return Err(refuse("are not known to be 0 or more"));
        }
        shape.push(known.simplify(&(end.ok_or_else(|| refuse("have no known end"))? + 1)));
    }
    let all_alone = places.iter().all(|place| place.as_var().is_some())
        && used.iter().all(|iter| places.iter().any(|place| place.as_var() == Some(&iter.var)));
    if !all_alone && !tells_apart(known, used, places) {
        return Err(refuse("are not known to be different for different values of the axes"));
    }
    Ok(shape)
}

/// Whether different values of the axes have different places.
fn tells_apart(known: &mut Analyzer, used: &[IterVar], places: &[Expr]) -> bool {
    let wide: Vec<(Var, Var)> =
        used.iter().map(|iter| (iter.var.clone(), Var::new(iter.var.name.clone(), DataType::I64))).collect();
    let renamed =
        places.iter().map(|place| crate::facts::index_maps::renamed(place, &wide)).collect::<Option<Vec<_>>>();
    let map = renamed.and_then(|places| IndexMap::new(wide.iter().map(|(_, to)| to.clone()).collect(), places).ok());
    let shape = used.iter().map(|iter| iter.domain.extent.cast(DataType::I64).ok()).collect::<Option<Vec<_>>>();
    let outputs: Vec<Var> = places.iter().map(|_| Var::new("p", DataType::I64)).collect();
    map.zip(shape).is_some_and(|(map, shape)| map.inverse(known, &shape, &outputs).is_some())
}

/// The block with the temporary in the place of the buffer.
fn with_temporary(site: &Site, block: &Block, buffer: &Buffer, temporary: &Buffer, places: &[Expr]) -> Stmt {
    let place = |_: &[Expr]| Some(places.to_vec());
    let of = |stmt: &Stmt| with_accesses_moved(&mut Analyzer::new(), stmt, buffer, temporary, &place);
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

/// The block that copies from the buffer, or back to it, for all values of the axes.
fn copy(
    known: &mut Analyzer,
    site: &Site,
    used: &[IterVar],
    (buffer, indices): (&Buffer, &[Expr]),
    (temporary, places): (&Buffer, &[Expr]),
    is_write: bool,
) -> Result<Stmt, Fault> {
    if used.iter().any(|iter| iter.domain.min.as_int() != Some(0)) {
        return Err(Fault::at(site, "an axis does not begin at 0"));
    }
    let scope = known.enter();
    used.iter().for_each(|iter| known.bind(&iter.var, &iter.domain));
    for (index, extent) in indices.iter().zip(&buffer.shape) {
        let inside = [compare(CmpOp::Ge, index, &Expr::int(0, index.dtype))?, compare(CmpOp::Lt, index, extent)?];
        if !inside.iter().all(|condition| known.prove(condition)) {
            let message = format!("for some values of the axes an index of `{}` may be out of range", buffer.name);
            return Err(Fault::at(site, message));
        }
    }
    known.leave(scope);
    let axes: Vec<(Var, Expr)> = used.iter().map(|iter| (iter.var.clone(), iter.domain.extent.clone())).collect();
    spatial_block(known, temporary.name.clone(), &axes, &Expr::bool(true), |at| {
        let values: Vec<(Var, Expr)> = used.iter().map(|iter| iter.var.clone()).zip(at.iter().cloned()).collect();
        let of = |exprs: &[Expr]| -> Vec<Expr> { exprs.iter().map(|expr| substituted(expr, &values)).collect() };
        let (from, to) = ((buffer, of(indices)), (temporary, of(places)));
        let (from, to) = if is_write { (to, from) } else { (from, to) };
        let load = typed(Expr::load(from.0, from.1))?;
        stored(to.0, to.1, &load)
    })
}

/// Nothing behind the place of the copy writes the buffer.
fn check_read(site: &Site, outer: &Site, buffer: &Buffer) -> Result<(), Fault> {
    let here = way(outer);
    let inside = |stage: &&Site| way(stage).starts_with(&here);
    if let Some(other) = scope_stages(site)?.iter().filter(inside).find(|stage| writes(stage, buffer)) {
        return Err(Fault::at(
            other,
            format!("`{}` is written behind the place where it would be copied", buffer.name),
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
    let (values, predicate) = site.binding().ok_or_else(|| Fault::at(site, "expected a block"))?;
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
        let in_indices = mentions(&indices.to_vec(), std::slice::from_ref(&iter.var));
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
        if iter.kind != IterKind::Spatial && !known.prove(&some) {
            return Err(Fault::at(site, format!("the reduction over axis `{}` may have no iteration", iter.var.name)));
        }
    }
    let updates = block.init.is_none() && block.reads.iter().any(|read| read.buffer.data == buffer.data);
    let here = way(site);
    let mut others = scope_stages(site)?.into_iter().filter(|stage| way(stage) != here);
    let outer = way(&outermost_free(site, |_| false));
    let clash = others.find(|stage| writes(stage, buffer) || (way(stage).starts_with(&outer) && reads(stage, buffer)));
    match clash {
        Some(other) => Err(Fault::at(&other, format!("`{}` is used by this block, too", buffer.name))),
        None if updates => {
            Err(Fault::at(site, format!("the block reads elements of `{}` that were there before", buffer.name)))
        }
        None => Ok(()),
    }
}
