//! `transform_block_layout(block, index_map)`: a block's axes, and the loops that drive them, become others, as a map
//! says.
//!
//! With `(i, j) -> (i * 8 + j,)` the loops over `i` and `j` become one. Where an axis is divided into parts of a size
//! that does not divide it, the block runs under a condition.

use tilewright_ir::Attrs;
use tilewright_ir::nest::Loop;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{Block, Expr, ForKind, IterKind, IterVar, PrimFunc, Range, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::split::plain_loop;
use crate::analysis::dependence::{check_own_reads, has_effects};
use crate::analysis::guard::known_around;
use crate::analysis::index_maps::renamed;
use crate::build::exprs::{mentions, substituted, typed};
use crate::fault::Fault;
use crate::site::{Key, Site, around};

pub(crate) const TRANSFORM_BLOCK_LAYOUT: Primitive = Primitive {
    name: "TransformBlockLayout",
    method: "transform_block_layout",
    doc: "Makes other axes and loops of a block's, as a map says.",
    params: &[("block", Default::Required), ("index_map", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, map) = (call.block(0)?, call.index_map(1)?);
    let block = site.expect_block()?;
    let top = plain_nest(&site, block)?;
    let (count, wanted) = (block.iters.len(), map.initial().len());
    if count != wanted {
        return Err(Fault::at(&site, format!("block `{}` has {count} axes, the map takes {wanted}", block.name)));
    }
    let mut known = known_around(call.function, &top);
    let wide = |iter: &IterVar| typed(iter.domain.extent.cast(DataType::I64));
    let shape = block.iters.iter().map(wide).collect::<Result<Vec<_>, _>>()?;
    let outputs: Vec<Var> = (0..map.results().len()).map(|at| Var::new(format!("v{at}"), DataType::I64)).collect();
    let back = map.inverse(&mut known, &shape, &outputs).ok_or_else(|| {
        Fault::at(&site, format!("the map is not known to be one-to-one on the axes of block `{}`", block.name))
    })?;
    let refuse = || Fault::at(&site, "the map has operators that indices do not have");
    // In the type of the block's own axes, where that has room for it.
    let dtype = block.iters.first().map_or(DataType::I64, |iter| iter.var.dtype);
    let narrow = |extent: &Expr| match extent.as_int() {
        Some(size) if i32::try_from(size).is_ok() => Expr::int(size, dtype),
        _ => extent.clone(),
    };
    let shape: Vec<Expr> = back.shape.iter().map(narrow).collect();
    let of_type = |name: &str| -> Vec<Var> {
        shape.iter().enumerate().map(|(at, extent)| Var::new(format!("{name}{at}"), extent.dtype)).collect()
    };
    let (axes, loops) = (of_type("v"), of_type("ax"));
    let renamed_to = |vars: &[Var]| -> Vec<(Var, Var)> { outputs.iter().cloned().zip(vars.iter().cloned()).collect() };
    let mut iters = Vec::with_capacity(axes.len());
    for ((var, extent), result) in axes.iter().zip(&shape).zip(map.results()) {
        let kind = kind_of(&site, block, map.initial(), result)?;
        iters.push(IterVar { var: var.clone(), domain: Range::up_to(extent.clone()), kind });
    }
    let mut values = Vec::with_capacity(count);
    for (iter, value) in block.iters.iter().zip(&back.initial) {
        let value = renamed(value, &renamed_to(&axes)).ok_or_else(refuse)?;
        values.push((iter.var.clone(), typed(value.cast(iter.var.dtype))?));
    }
    let of = |stmt: &Stmt| substituted(stmt, &values);
    let made = Block { iters, body: of(&block.body), init: block.init.as_ref().map(of), ..block.clone() };
    let found = block_regions(&made);
    let made = Block { reads: found.reads, writes: found.writes, ..made };
    let predicate = match &back.inside {
        Some(inside) => known.simplify(&renamed(inside, &renamed_to(&loops)).ok_or_else(refuse)?),
        None => Expr::bool(true),
    };
    let at_loops: Vec<Expr> = loops.iter().map(Expr::var).collect();
    let inner: Stmt = StmtKind::Block { values: at_loops, predicate, block: made }.into();
    let nest = loops.iter().zip(&shape).rev().fold(inner, |body, (var, extent)| {
        let (min, extent) = (Expr::int(0, extent.dtype), extent.clone());
        around(Loop { var: var.clone(), min, extent, kind: ForKind::Serial, annotations: Attrs::new() }, body)
    });
    let function = PrimFunc { body: top.replaced(nest), ..call.function.clone() };
    let key = |iters: &[IterVar]| iters.first().map(|iter| Key::Block(iter.var.id()));
    let to = axes.first().map(|var| Key::Block(var.id()));
    let moved = key(&block.iters).zip(to).into_iter().collect();
    Ok(Outcome { function: Some(function), results: Results::Nothing, moved })
}

/// The outermost of the loops around a block, one for each axis, with nothing else in between.
fn plain_nest(site: &Site, block: &Block) -> Result<Site, Fault> {
    if has_effects(block) {
        return Err(Fault::at(site, format!("block `{}` calls a function with effects of its own", block.name)));
    }
    if let Some(iter) = block.iters.iter().find(|i| !matches!(i.kind, IterKind::Spatial | IterKind::Reduce)) {
        let message =
            format!("axis `{}` of block `{}` is neither spatial nor of a reduction", iter.var.name, block.name);
        return Err(Fault::at(site, message));
    }
    let refuse =
        || Fault::at(site, format!("block `{}` has not a loop for each axis, and nothing else around", block.name));
    let (values, predicate) = site.binding().ok_or_else(refuse)?;
    let depth = site.above.len().checked_sub(block.iters.len()).ok_or_else(refuse)?;
    let mut free: Vec<Var> = Vec::new();
    for at in depth..site.above.len() {
        let (above, rest) = site.above.split_at(at);
        let stmt = rest.first().map(|(stmt, _)| stmt.clone()).ok_or_else(refuse)?;
        let (l, _) = plain_loop(&Site { above: above.to_vec(), stmt }).map_err(|_| refuse())?;
        let whole = |iter: &IterVar, value: &Expr| {
            value.as_var() == Some(&l.var) && iter.domain.extent.equal(&l.extent) && l.min.as_int() == Some(0)
        };
        if !block.iters.iter().zip(values).any(|(iter, value)| whole(iter, value)) || mentions(&l.extent, &free) {
            return Err(refuse());
        }
        free.push(l.var);
    }
    if predicate.as_int() != Some(1) || block.iters.iter().any(|iter| iter.domain.min.as_int() != Some(0)) {
        return Err(refuse());
    }
    let spatial = (0..block.iters.len()).filter(|&at| block.iters.get(at).is_some_and(|i| i.kind == IterKind::Spatial));
    check_own_reads(site, block, &spatial.collect::<Vec<_>>())?;
    let (above, rest) = site.above.split_at(depth);
    let stmt = rest.first().map_or_else(|| site.stmt.clone(), |(stmt, _)| stmt.clone());
    Ok(Site { above: above.to_vec(), stmt })
}

/// The kind of an axis that a result of the map becomes.
fn kind_of(site: &Site, block: &Block, initial: &[Var], result: &Expr) -> Result<IterKind, Fault> {
    let kinds = block.iters.iter().zip(initial).filter(|(_, var)| mentions(result, std::slice::from_ref(*var)));
    let mut kinds = kinds.map(|(iter, _)| iter.kind);
    let first = kinds.next().unwrap_or(IterKind::Spatial);
    if kinds.any(|kind| kind != first) {
        return Err(Fault::at(site, "an axis of the map would be spatial and of a reduction at once"));
    }
    Ok(first)
}
