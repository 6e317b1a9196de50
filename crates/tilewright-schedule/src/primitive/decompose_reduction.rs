//! `decompose_reduction(block, loop)`: the init of a reduction becomes a block of its own in front of a loop.

use tilewright_expr::node::walk;
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{
    BinOp, Block, BufferRegion, Expr, ExprKind, ForKind, IterKind, PrimFunc, Stmt, StmtKind, Var,
};

use super::call::{Call, Default, Outcome, Primitive, Results};
use crate::analysis::dependence::{check_affine, driven_axes};
use crate::analysis::guard::known_around;
use crate::build::exprs::{binary, mentions, substituted};
use crate::build::rewrite::path_of;
use crate::build::unique::renewed_axes;
use crate::fault::Fault;
use crate::site::{Key, Site, around, loop_of};

pub(crate) const DECOMPOSE_REDUCTION: Primitive = Primitive {
    name: "DecomposeReduction",
    method: "decompose_reduction",
    doc: "Makes the init of a reduction a block of its own, in front of a loop.",
    params: &[("block", Default::Required), ("loop", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, at) = (call.block(0)?, call.loop_at(1)?);
    let (block, (values, predicate)) = (site.expect_block()?, site.expect_binding()?);
    let Some(init) = &block.init else {
        return Err(Fault::at(&site, format!("block `{}` has no init", block.name)));
    };
    let loops = site.loops();
    let depth = loop_of(&at.stmt).and_then(|wanted| loops.iter().position(|l| l.var == wanted.var));
    let depth = depth.ok_or_else(|| Fault::at(&at, format!("the loop is not around block `{}`", block.name)))?;
    if path_of(&site).iter().zip(path_of(&at)).any(|(a, b)| *a != b) || !block.alloc_buffers.is_empty() {
        return Err(Fault::at(&at, format!("the loop is not around block `{}`", block.name)));
    }
    check_affine(call.function, &site)?;
    let (outside, inside) = loops.split_at(depth);
    let reduces = |l: &Loop| {
        let driven = driven_axes(block, values, std::slice::from_ref(&l.var));
        driven.iter().any(|&at| block.iters.get(at).is_some_and(|iter| iter.kind != IterKind::Spatial))
    };
    if let Some(l) = outside.iter().find(|l| reduces(l)) {
        let message = format!("loop `{}`, outside of the loop, drives the reduction", l.var.name);
        return Err(Fault::at(&at, message));
    }
    let (reduce, spatial): (Vec<Loop>, Vec<Loop>) = inside.iter().cloned().partition(reduces);
    if let Some((l, axis)) = driver_of_both(block, values, &reduce) {
        let message = format!("loop `{}` drives the reduction and the spatial axis `{axis}`", l.var.name);
        return Err(Fault::at(&at, message));
    }
    let conditions = without_reduction(call.function, &site, predicate, &reduce)?;
    let start = init_block(block, init);
    let stays = block.iters.iter().zip(values).filter(|(iter, _)| iter.kind != IterKind::Reduce);
    let kept = stays.map(|(_, value)| value.clone()).collect();
    let key = start.iters.first().map_or_else(|| Key::Bare(start.name.clone(), 0), |iter| Key::Block(iter.var.id()));
    let start: Stmt = StmtKind::Block { values: kept, predicate: conditions, block: start }.into();
    let start = with_own_loops(&spatial, start);
    let update = updated(block);
    let update: Stmt = StmtKind::Block { values: values.to_vec(), predicate: predicate.clone(), block: update }.into();
    let function = PrimFunc { body: site.replaced(update), ..call.function.clone() };
    let at = at.again_in(&function.body)?;
    let body = at.replaced(Stmt::seq([start, at.stmt.clone()]));
    Ok(Outcome::changed(PrimFunc { body, ..function }, Results::One(key)))
}

/// A loop of the reduction that a spatial axis depends on too: the init would have no loop for that axis.
fn driver_of_both<'a>(block: &'a Block, values: &[Expr], reduce: &'a [Loop]) -> Option<(&'a Loop, &'a str)> {
    let of = |l: &'a Loop| {
        let driven = driven_axes(block, values, std::slice::from_ref(&l.var));
        let mut axes = driven.into_iter().filter_map(|at| block.iters.get(at));
        axes.find(|iter| iter.kind != IterKind::Reduce).map(|iter| (l, &*iter.var.name))
    };
    reduce.iter().find_map(of)
}

/// The conditions under which a reduction begins: those of the predicate that do not depend on its loops, and those
/// that depend on other loops as well, in the first iterations of the reduction.
pub(super) fn without_reduction(
    function: &PrimFunc,
    site: &Site,
    predicate: &Expr,
    reduce: &[Loop],
) -> Result<Expr, Fault> {
    let vars: Vec<Var> = reduce.iter().map(|l| l.var.clone()).collect();
    let firsts: Vec<(Var, Expr)> = reduce.iter().map(|l| (l.var.clone(), l.min.clone())).collect();
    let known = known_around(function, site);
    let (mut kept, mut pending) = (Expr::bool(true), vec![predicate.clone()]);
    while let Some(part) = pending.pop() {
        match &part.kind {
            ExprKind::Binary(BinOp::And, a, b) => pending.extend([b.clone(), a.clone()]),
            _ => {
                let is_other = |var: &Var| !vars.contains(var) && site.loops().iter().any(|l| l.var == *var);
                let mut others = false;
                walk(&part, |var: &Var| others |= is_other(var));
                let begins = substituted(&part, &firsts);
                let needed = !mentions(&part, &vars) || (others && !known.prove(&begins));
                kept = match (needed, kept.as_int()) {
                    (false, _) => kept,
                    (true, Some(1)) => begins,
                    (true, _) => binary(BinOp::And, &kept, &begins)?,
                };
            }
        }
    }
    Ok(kept)
}

/// The init as a block, whose axes are those of the block but for the reduction's.
pub(super) fn init_block(block: &Block, init: &Stmt) -> Block {
    renewed_axes(&Block {
        name: format!("{}_init", block.name).into(),
        iters: block.iters.iter().filter(|iter| iter.kind != IterKind::Reduce).cloned().collect(),
        reads: Vec::new(),
        init: None,
        body: init.clone(),
        ..block.clone()
    })
}

/// The block without its init, which reads what it updates.
fn updated(block: &Block) -> Block {
    let missing = |write: &&BufferRegion| block.reads.iter().all(|read| read.buffer != write.buffer);
    let reads = block.writes.iter().filter(missing).chain(&block.reads).cloned().collect();
    Block { name: format!("{}_update", block.name).into(), init: None, reads, ..block.clone() }
}

/// The statement inside of copies of the loops.
pub(super) fn with_own_loops(loops: &[Loop], stmt: Stmt) -> Stmt {
    loops.iter().rev().fold(stmt, |body, l| {
        let var = Var::new(format!("{}_init", l.var.name), l.var.dtype);
        let body = substituted(&body, &[(l.var.clone(), Expr::var(&var))]);
        let kind = match &l.kind {
            ForKind::ThreadBinding(tag) => ForKind::ThreadBinding(tag.clone()),
            _ => ForKind::Serial,
        };
        around(
            Loop { var, min: l.min.clone(), extent: l.extent.clone(), kind, annotations: l.annotations.clone() },
            body,
        )
    })
}
