//! Results that do not depend on each other, shared among threads: neighbouring threads compute neighbouring results.
//!
//! ```text
//! for b in blockIdx.x, t in threadIdx.x
//!   for p in per_thread
//!     for v in vectorized(vector)
//!       result ((b * per_thread + p) * threads + t) * vector + v     if there is one
//! ```
//!
//! The loops that drive spatial axes are brought to the front and fused; loops of reductions stay inside. Where the
//! results are not known to be whole vectors, a vector that is not whole is computed one by one.

use tilewright_ir::Attrs;
use tilewright_ir::nest::{Loop, Nest};
use tilewright_ir::tir::{BinOp, CmpOp, Expr, ForKind, IterKind, PrimFunc, Stmt, StmtKind, Var};

use crate::analysis::dependence::{check_affine, check_independent, driven_axes};
use crate::analysis::stages::own_nest;
use crate::build::exprs::{binary, compare, mentions};
use crate::build::unique::with_unique_keys;
use crate::fault::Fault;
use crate::plan::Plan;
use crate::plan::gpu::map::MapPlan;
use crate::primitive::call::{Call, Outcome, Primitive, Results};
use crate::primitive::{bind_independent, fuse, site_of, split};
use crate::site::{Key, Site, around, loop_of};

pub(crate) const MAP_THREADS: Primitive = Primitive {
    name: "MapThreads",
    method: "map_threads",
    doc: "Shares the results of a stage, which do not depend on each other, among the threads of a GPU.",
    params: MapPlan::PARAMS,
    plan: Some(MapPlan::DEF),
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, plan) = (call.block(0)?, MapPlan::of_call(call)?);
    own_nest(&site)?;
    let loops = site.loops().len();
    let (above, rest) = site.above.split_at(site.above.len() - loops);
    let outermost = rest.first().map_or(&site.stmt, |(stmt, _)| stmt);
    let nest = Site { above: above.to_vec(), stmt: outermost.clone() };
    Ok(Outcome::changed(spread(call.function, &nest, &plan)?, Results::Nothing))
}

/// The function with the spatial loops of the nest at a site bound to blocks and threads.
pub(crate) fn spread(function: &PrimFunc, site: &Site, plan: &MapPlan) -> Result<PrimFunc, Fault> {
    spread_by(function, site, |function, spatial, others| match (others, plan.vector) {
        (1.., 2..) => Err(Fault::at(site, "results of reductions are no vectors")),
        _ => bound(function, spatial, plan),
    })
}

/// The same, where `bind` binds the spatial loops, inside of which there are so many others.
pub(crate) fn spread_by(
    function: &PrimFunc,
    site: &Site,
    bind: impl FnOnce(&PrimFunc, &[Key], usize) -> Result<PrimFunc, Fault>,
) -> Result<PrimFunc, Fault> {
    let nest = Nest::of(&site.stmt).ok_or_else(|| Fault::at(site, "expected loops around one block"))?;
    let all = nest.loops.len();
    let (nest, spatial) = spatial_loops_first(function, site, nest)?;
    let keys: Vec<Key> = nest.loops.iter().take(spatial).map(|l| Key::Loop(l.var.id())).collect();
    let reordered = PrimFunc { body: site.replaced(nest.into_stmt()), ..function.clone() };
    for key in &keys {
        check_independent(&reordered, &site_of(&reordered, key)?, "bound to threads")?;
    }
    bind(&reordered, &keys, all - spatial)
}

/// The nest with the loops that drive spatial axes in front, and how many these are.
fn spatial_loops_first(function: &PrimFunc, site: &Site, mut nest: Nest) -> Result<(Nest, usize), Fault> {
    let vars: Vec<Var> = nest.loops.iter().map(|l| l.var.clone()).collect();
    let rectangular = nest.loops.iter().all(|l| !mentions(&l.min, &vars) && !mentions(&l.extent, &vars));
    let axes_allow = nest.block.iters.iter().all(|iter| iter.kind != IterKind::Opaque);
    let mut inner = site.clone();
    for _ in &nest.loops {
        inner = inner.child(0).ok_or_else(|| Fault::at(site, "a loop is empty"))?;
    }
    if !rectangular || !axes_allow {
        return Err(Fault::at(site, "bounds of loops depend on each other, or the order of an axis may matter"));
    }
    check_affine(function, &inner)?;
    let is_spatial = |l: &Loop| {
        let driven = driven_axes(&nest.block, &nest.values, std::slice::from_ref(&l.var));
        let all = driven.iter().all(|&at| nest.block.iters.get(at).is_some_and(|i| i.kind == IterKind::Spatial));
        !driven.is_empty() && all
    };
    let (spatial, others): (Vec<Loop>, Vec<Loop>) = nest.loops.drain(..).partition(is_spatial);
    let count = spatial.len();
    // How a loop ran on a processor is of no matter here.
    let serial = |l: Loop| Loop { kind: ForKind::Serial, annotations: Attrs::new(), ..l };
    nest.loops = spatial.into_iter().map(serial).chain(others).collect();
    match count {
        0 => Err(Fault::at(site, "no loop drives a spatial axis")),
        _ => Ok((nest, count)),
    }
}

/// The function with these loops, one directly inside the other, fused, split and bound.
fn bound(function: &PrimFunc, loops: &[Key], plan: &MapPlan) -> Result<PrimFunc, Fault> {
    let size = |size: i64| Some(Expr::i64(size));
    let (function, fused) = fuse(function, loops)?;
    let all = loop_of(&site_of(&function, &fused)?.stmt).ok_or_else(|| Fault::of_call("a loop is gone"))?.extent;
    let threads = all.as_int().map_or(plan.threads, |all| all.clamp(1, plan.threads));
    let vector = plan.vector;
    let mut factors = match plan.per_thread {
        1 => vec![None, size(threads)],
        each => vec![None, size(each), size(threads)],
    };
    // Independent are the loops as they were, and so are the parts of what they are fused to.
    if vector == 1 {
        let (function, parts) = split(&function, &fused, &factors)?;
        return on_threads(&function, &parts);
    }
    if all.as_int().is_some_and(|all| all % vector == 0) {
        let (function, parts) = split(&function, &fused, &[None, size(vector)])?;
        let [outer, lanes] = parts.as_slice() else { return Err(Fault::of_call("expected two loops")) };
        let (function, parts) = split(&function, outer, &factors)?;
        return on_threads(&with_kind(&function, lanes, ForKind::Vectorized)?, &parts);
    }
    factors.push(size(vector));
    let (function, parts) = split(&function, &fused, &factors)?;
    let (outer, lanes) = parts.split_at(parts.len().saturating_sub(1));
    let lanes = lanes.first().ok_or_else(|| Fault::of_call("expected four loops"))?;
    on_threads(&whole_vectors(&function, outer, lanes, &all, plan)?, outer)
}

/// Binds the loops over blocks and threads; of the one between, each thread does all.
fn on_threads(function: &PrimFunc, parts: &[Key]) -> Result<PrimFunc, Fault> {
    let bind = |function: &PrimFunc, blocks: &Key, threads: &Key| {
        bind_independent(&bind_independent(function, blocks, "blockIdx.x")?, threads, "threadIdx.x")
    };
    match parts {
        [blocks, threads] => bind(function, blocks, threads),
        [blocks, each, threads] => {
            let function = nested(function, &[blocks.clone(), threads.clone(), each.clone()])?;
            with_kind(&bind(&function, blocks, threads)?, each, ForKind::Unrolled)
        }
        _ => Err(Fault::of_call("expected two or three loops")),
    }
}

/// The loop over lanes as a vector where all of its results are there, else one by one.
fn whole_vectors(
    function: &PrimFunc,
    outer: &[Key],
    lanes: &Key,
    all: &Expr,
    plan: &MapPlan,
) -> Result<PrimFunc, Fault> {
    let site = site_of(function, lanes)?;
    let mut first: Option<Expr> = None;
    for key in outer {
        let l = loop_of(&site_of(function, key)?.stmt).ok_or_else(|| Fault::of_call("a loop is gone"))?;
        let var = Expr::var(&l.var);
        first = Some(match first {
            None => var,
            Some(first) => binary(BinOp::Add, &binary(BinOp::Mul, &first, &l.extent)?, &var)?,
        });
    }
    let first = first.ok_or_else(|| Fault::of_call("expected loops"))?;
    let end = &(&first * plan.vector) + plan.vector;
    let nest = Nest::of(&site.stmt).ok_or_else(|| Fault::at(&site, "expected a loop around one block"))?;
    let lane = |l: Loop| Loop { kind: ForKind::Vectorized, ..l };
    let loops = nest.loops.iter().cloned().map(lane).collect();
    let whole = Nest { loops, predicate: Expr::bool(true), ..nest }.into_stmt();
    let condition = compare(CmpOp::Le, &end, all)?;
    let either = StmtKind::If { condition, then: whole, otherwise: Some(site.stmt.clone()) }.into();
    Ok(with_unique_keys(&PrimFunc { body: site.replaced(either), ..function.clone() }))
}

fn with_kind(function: &PrimFunc, key: &Key, kind: ForKind) -> Result<PrimFunc, Fault> {
    let site = site_of(function, key)?;
    let (Some(l), Some(body)) = (loop_of(&site.stmt), site.child(0)) else {
        return Err(Fault::at(&site, "expected a loop"));
    };
    Ok(PrimFunc { body: site.replaced(around(Loop { kind, ..l }, body.stmt)), ..function.clone() })
}

/// The function with loops, one directly inside the other, whose order does not matter, in this order.
pub(crate) fn nested(function: &PrimFunc, order: &[Key]) -> Result<PrimFunc, Fault> {
    let mut sites = order.iter().map(|key| site_of(function, key)).collect::<Result<Vec<_>, _>>()?;
    let loops: Vec<Loop> = sites.iter().filter_map(|site| loop_of(&site.stmt)).collect();
    sites.sort_by_key(|site| site.above.len());
    let (Some(outer), Some(body)) = (sites.first(), sites.last().and_then(|inner| inner.child(0))) else {
        return Ok(function.clone());
    };
    let body: Stmt = loops.into_iter().rev().fold(body.stmt, |body, l| around(l, body));
    Ok(PrimFunc { body: outer.replaced(body), ..function.clone() })
}
