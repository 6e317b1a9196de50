//! A reduction that threads of a block share: each takes every `threads`-th element, and `LowerCrossThreadReduction`
//! combines what they have.
//!
//! ```text
//! for b in blockIdx.x, r in threadIdx.y (results)
//!   for k in range(ceil(K / threads))
//!     for t in threadIdx.x (threads)
//!       out[b * results + r] += term(k * threads + t)         if there is such an element
//! ```
//!
//! With `neighbours="results"` `r` is `threadIdx.x`, and `t` is `threadIdx.y`.

use tilewright_ir::Attrs;
use tilewright_ir::nest::{Loop, Nest};
use tilewright_ir::tir::{Expr, ForKind, IterKind, IterVar, PrimFunc, Range, Var};

use super::map::spread_by;
use crate::analysis::dependence::{check_threads, driven_axes};
use crate::analysis::stages::own_nest;
use crate::fault::Fault;
use crate::plan::Plan;
use crate::plan::gpu::reduce::{Neighbours, ReducePlan};
use crate::primitive::call::{Call, Outcome, Primitive, Results};
use crate::primitive::{bind_independent, fuse, site_of, split};
use crate::site::{Key, Site, loop_of};

pub(crate) const REDUCE_THREADS: Primitive = Primitive {
    name: "ReduceThreads",
    method: "reduce_threads",
    doc: "Shares the elements of each reduction of a stage among threads of a GPU.",
    params: ReducePlan::PARAMS,
    plan: Some(ReducePlan::DEF),
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, plan) = (call.block(0)?, ReducePlan::of_call(call)?);
    own_nest(&site)?;
    let loops = site.loops().len();
    let (above, rest) = site.above.split_at(site.above.len() - loops);
    let outermost = rest.first().map_or(&site.stmt, |(stmt, _)| stmt);
    let nest = Site { above: above.to_vec(), stmt: outermost.clone() };
    let (function, nest) = with_a_result_loop(call.function, &nest, &site)?;
    let function = spread_by(&function, &nest, |function, spatial, others| bound(function, spatial, others, &plan))?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// The function with a loop of one iteration around a reduction to a single result, which drives no axis.
fn with_a_result_loop(function: &PrimFunc, nest: &Site, block: &Site) -> Result<(PrimFunc, Site), Fault> {
    let found = Nest::of(&nest.stmt).ok_or_else(|| Fault::at(nest, "expected loops around one block"))?;
    let Some(first) = found.loops.first() else { return Err(Fault::at(block, "the block has no loops")) };
    let drives = |l: &Loop| {
        let driven = driven_axes(&found.block, &found.values, std::slice::from_ref(&l.var));
        let spatial = |at: &usize| found.block.iters.get(*at).is_some_and(|iter| iter.kind == IterKind::Spatial);
        !driven.is_empty() && driven.iter().all(spatial)
    };
    if found.loops.iter().any(drives) {
        return Ok((function.clone(), nest.clone()));
    }
    let (dtype, iter) = (first.var.dtype, Var::new("v_one", first.var.dtype));
    let one = Expr::int(1, dtype);
    let var = Var::new("one", dtype);
    let mut nest_of = found.clone();
    let min = Expr::int(0, dtype);
    let l = Loop { var: var.clone(), min, extent: one.clone(), kind: ForKind::Serial, annotations: Attrs::new() };
    nest_of.loops.insert(0, l);
    nest_of.values.insert(0, Expr::var(&var));
    let axis = IterVar { var: iter, domain: Range::up_to(one), kind: IterKind::Spatial };
    nest_of.block.iters.insert(0, axis);
    let stmt = nest_of.into_stmt();
    let function = PrimFunc { body: nest.replaced(stmt.clone()), ..function.clone() };
    Ok((function, Site { above: nest.above.clone(), stmt }))
}

fn bound(function: &PrimFunc, spatial: &[Key], others: usize, plan: &ReducePlan) -> Result<PrimFunc, Fault> {
    let innermost = spatial.last().ok_or_else(|| Fault::of_call("there is no loop over results"))?;
    let mut site = site_of(function, innermost)?;
    let mut reduced = Vec::new();
    for _ in 0..others {
        site = site.child(0).ok_or_else(|| Fault::of_call("a loop is gone"))?;
        reduced.push(Key::Loop(loop_of(&site.stmt).ok_or_else(|| Fault::at(&site, "expected a loop"))?.var.id()));
    }
    let (results, threads) = match plan.neighbours {
        Neighbours::Elements => ("threadIdx.y", "threadIdx.x"),
        Neighbours::Results => ("threadIdx.x", "threadIdx.y"),
    };
    let size = |size: i64| Some(Expr::i64(size));
    let (function, one) = fuse(function, &reduced)?;
    let (function, parts) = split(&function, &one, &[None, size(plan.threads)])?;
    let shared = parts.last().filter(|_| plan.threads > 1);
    let (function, fused) = fuse(&function, spatial)?;
    let function = match plan.results {
        1 => bind_independent(&function, &fused, "blockIdx.x")?,
        several => {
            let (function, parts) = split(&function, &fused, &[None, size(several)])?;
            let [blocks, own] = parts.as_slice() else { return Err(Fault::of_call("expected two loops")) };
            bind_independent(&bind_independent(&function, blocks, "blockIdx.x")?, own, results)?
        }
    };
    let Some(shared) = shared else { return Ok(function) };
    check_threads(&function, &site_of(&function, shared)?, threads)?;
    bind_independent(&function, shared, threads)
}
