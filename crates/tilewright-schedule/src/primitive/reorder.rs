//! `reorder(loops…)`: loops of one nest, one inside the other in another order.

use tilewright_expr::Expr;
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{Block, ForKind, IterKind, PrimFunc, Var};

use super::call::{Call, Default, Outcome, Primitive, Results, site_of};
use crate::analysis::dependence::{check_affine, check_independent, check_own_reads, driven_axes, has_effects};
use crate::build::exprs::mentions;
use crate::fault::Fault;
use crate::site::{Key, Site, around, blocks_below, is_block, loop_of};

pub(crate) const REORDER: Primitive = Primitive {
    name: "Reorder",
    method: "reorder",
    doc: "Puts loops of one nest into this order, from outside inwards.",
    params: &[("*ordered_loops", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    Ok(Outcome::changed(reorder(call.function, &call.loops(0)?)?, Results::Nothing))
}

/// The function with the loops, wherever they stand in their nest, from outside inwards in the order of the list.
fn reorder(function: &PrimFunc, order: &[Key]) -> Result<PrimFunc, Fault> {
    let mut sites = Vec::with_capacity(order.len());
    for key in order {
        sites.push(site_of(function, key)?);
    }
    let depth = |site: &Site| site.above.len();
    let (Some(outer), Some(inner)) = (sites.iter().min_by_key(|s| depth(s)), sites.iter().max_by_key(|s| depth(s)))
    else {
        return Ok(function.clone());
    };
    for (at, site) in sites.iter().enumerate() {
        if sites.iter().skip(at + 1).any(|other| depth(other) == depth(site)) {
            return Err(Fault::at(site, "the loops to reorder are not different loops of one nest"));
        }
    }
    let mut nest = nest_between(outer, inner)?;
    for site in &sites {
        if !nest.iter().any(|l| Some(l.var.id()) == loop_of(&site.stmt).map(|l| l.var.id())) {
            return Err(Fault::at(site, "the loop is not in one nest with the others"));
        }
    }
    match blocks_below(inner).len() {
        0 | 1 => check_blocks(function, inner, &nest)?,
        // Whatever is inside: where no iteration depends on another, any order will do.
        _ => {
            let loops = inner.above.len() - outer.above.len();
            let around = (0..loops).filter_map(|at| {
                let (above, rest) = inner.above.split_at(outer.above.len() + at);
                Some(Site { above: above.to_vec(), stmt: rest.first()?.0.clone() })
            });
            around.chain([inner.clone()]).try_for_each(|site| check_independent(function, &site, "reordered"))?;
        }
    }
    let mut wanted = order
        .iter()
        .filter_map(|key| nest.iter().find(|l| Key::Loop(l.var.id()) == *key).cloned())
        .collect::<Vec<_>>()
        .into_iter();
    for l in &mut nest {
        if order.contains(&Key::Loop(l.var.id()))
            && let Some(next) = wanted.next()
        {
            *l = next;
        }
    }
    for (at, l) in nest.iter().enumerate() {
        let inside: Vec<Var> = nest.iter().skip(at).map(|l| l.var.clone()).collect();
        if mentions(&l.min, &inside) || mentions(&l.extent, &inside) {
            let message = format!("the bounds of loop `{}` depend on a loop that would be inside of it", l.var.name);
            return Err(Fault::at(outer, message));
        }
    }
    let Some(body) = inner.child(0) else { return Err(Fault::at(inner, "expected a loop")) };
    let reordered = nest.into_iter().rev().fold(body.stmt, |body, l| around(l, body));
    Ok(PrimFunc { body: outer.replaced(reordered), ..function.clone() })
}

/// The loops from one site down to another, where nothing else is in between.
fn nest_between(outer: &Site, inner: &Site) -> Result<Vec<Loop>, Fault> {
    let mut between = inner.above.iter().skip(outer.above.len()).map(|(stmt, _)| stmt).chain([&inner.stmt]);
    let begins = inner.above.get(outer.above.len()).map_or(&inner.stmt, |(stmt, _)| stmt);
    let loops = between.try_fold(Vec::new(), |mut loops, stmt| {
        loops.push(loop_of(stmt)?);
        Some(loops)
    });
    match loops {
        Some(loops) if begins.same(&outer.stmt) => Ok(loops),
        _ => Err(Fault::at(inner, "something else than loops is between the loops to reorder")),
    }
}

/// Whether the order of the loops does not matter: one block is inside, whose axes are spatial or of a reduction.
fn check_blocks(function: &PrimFunc, inner: &Site, nest: &[Loop]) -> Result<(), Fault> {
    if let Some(l) = nest.iter().find(|l| matches!(l.kind, ForKind::Vectorized)) {
        return Err(Fault::at(inner, format!("loop `{}` is vectorised: it has to be the innermost", l.var.name)));
    }
    let blocks = blocks_below(inner);
    let site = match blocks.as_slice() {
        [site] if is_alone(inner, site) => site,
        _ => return Err(Fault::at(inner, "expected one block inside of the loops to reorder, and no other statement")),
    };
    let (Some(block), Some((values, _))) = (site.block(), site.binding()) else { return Ok(()) };
    if has_effects(block) {
        return Err(Fault::at(site, format!("block `{}` calls a function with effects of its own", block.name)));
    }
    let vars: Vec<Var> = nest.iter().map(|l| l.var.clone()).collect();
    let driven = driven_axes(block, values, &vars);
    let ordered =
        |at: &&usize| block.iters.get(**at).is_none_or(|i| !matches!(i.kind, IterKind::Spatial | IterKind::Reduce));
    if let Some(&at) = driven.iter().find(ordered) {
        let axis = block.iters.get(at).map_or("?", |iter| &*iter.var.name);
        let message =
            format!("axis `{axis}` of block `{}` is neither spatial nor of a reduction: its order matters", block.name);
        return Err(Fault::at(site, message));
    }
    check_affine(function, site)?;
    check_first_visit(site, block, values, &vars)?;
    let spatial: Vec<usize> =
        driven.into_iter().filter(|&at| block.iters.get(at).is_some_and(|i| i.kind == IterKind::Spatial)).collect();
    check_own_reads(site, block, &spatial)
}

/// Whether an element's first visit stays the first. A block with an init begins each element anew where all reduction
/// axes are at their least values; where one loop drives an element's index and its reduction too, that is the first
/// visit in the old order of the loops of the reduction only.
fn check_first_visit(site: &Site, block: &Block, values: &[Expr], vars: &[Var]) -> Result<(), Fault> {
    let drives = |var: &Var, kind: IterKind| {
        let driven = driven_axes(block, values, std::slice::from_ref(var));
        driven.into_iter().any(|at| block.iters.get(at).is_some_and(|axis| axis.kind == kind))
    };
    let reducing: Vec<&Var> = vars.iter().filter(|var| drives(var, IterKind::Reduce)).collect();
    let Some(mixed) = reducing.iter().find(|var| drives(var, IterKind::Spatial)) else { return Ok(()) };
    if block.init.is_none() || reducing.len() < 2 {
        return Ok(());
    }
    let message = format!(
        "loop `{}` drives spatial axes and axes of a reduction of block `{}`: its elements would not begin with `init`",
        mixed.name, block.name
    );
    Err(Fault::at(site, message))
}

/// Whether the block is all that is in the loop, but for loops.
fn is_alone(outer: &Site, block: &Site) -> bool {
    block.above.iter().skip(outer.above.len()).all(|(stmt, _)| loop_of(stmt).is_some()) && is_block(&block.stmt)
}
