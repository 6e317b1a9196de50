//! `annotate_buffer_access(block, buffer_index, buf_type, gen_new_ranges)`, `unsafe_hide_buffer_access(block, buf_type,
//! buf_index_array)` and `reorder_block_iter_var(block, new_order)`: what a block declares of itself.

use tilewright_ir::Attr;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{Block, BufferRegion, CmpOp, Expr, IterVar, PrimFunc, Range, StmtKind};

use super::call::{Call, Default, Outcome, Primitive, Results};
use crate::analysis::guard::known_inside;
use crate::analysis::index_maps::mapped;
use crate::build::exprs::compare;
use crate::build::rewrite::{path_of, with_block};
use crate::fault::Fault;
use crate::site::{Key, Site};

pub(crate) const ANNOTATE_BUFFER_ACCESS: Primitive = Primitive {
    name: "AnnotateBufferAccess",
    method: "annotate_buffer_access",
    doc: "Declares what a block reads or writes of a buffer, as a map of its axes says.",
    params: &[
        ("block", Default::Required),
        ("buffer_index", Default::Required),
        ("buf_type", Default::Required),
        ("gen_new_ranges", Default::Required),
    ],
    plan: None,
    gives_list: false,
    run: annotate,
};

pub(crate) const UNSAFE_HIDE_BUFFER_ACCESS: Primitive = Primitive {
    name: "UnsafeHideBufferAccess",
    method: "unsafe_hide_buffer_access",
    doc: "Lets a block no longer declare that it reads or writes these buffers.",
    params: &[("block", Default::Required), ("buf_type", Default::Required), ("buf_index_array", Default::Required)],
    plan: None,
    gives_list: false,
    run: hide,
};

pub(crate) const REORDER_BLOCK_ITER_VAR: Primitive = Primitive {
    name: "ReorderBlockIterVar",
    method: "reorder_block_iter_var",
    doc: "Puts the axes of a block into another order.",
    params: &[("block", Default::Required), ("new_order", Default::Required)],
    plan: None,
    gives_list: false,
    run: reorder,
};

/// Whether a text says "write" and not "read".
fn is_write(site: &Site, text: &str) -> Result<bool, Fault> {
    match text {
        "read" => Ok(false),
        "write" => Ok(true),
        other => Err(Fault::at(site, format!("expected \"read\" or \"write\", found \"{other}\""))),
    }
}

fn regions(block: &mut Block, write: bool) -> &mut Vec<BufferRegion> {
    if write { &mut block.writes } else { &mut block.reads }
}

fn annotate(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, index, map) = (call.block(0)?, call.int(1)?, call.index_map(3)?);
    let write = is_write(&site, call.text(2)?)?;
    let buffer = if write { call.written(&site, 1)? } else { call.read(&site, 1)? };
    let block = site.expect_block()?;
    let axes: Vec<Expr> = block.iters.iter().map(|iter| Expr::var(&iter.var)).collect();
    let ends = mapped(map, &axes).filter(|ends| map.initial().len() == axes.len() && ends.len() == 2 * buffer.rank());
    let ends = ends.ok_or_else(|| {
        let message =
            format!("expected a begin and an end for each dimension of `{}`, of the block's axes", buffer.name);
        Fault::at(&site, message)
    })?;
    let known = known_inside(call.function, &site);
    let range = |ends: &[Expr]| match ends {
        [begin, end] => Range::new(begin.clone(), known.simplify(&(end - begin))),
        _ => Range::up_to(Expr::i64(0)),
    };
    let region: Vec<Range> = ends.chunks(2).map(range).collect();
    let found = block_regions(block);
    let found = if write { found.writes } else { found.reads };
    for used in found.iter().filter(|used| used.buffer == buffer).flat_map(|used| used.region.iter().zip(&region)) {
        let (used, declared) = used;
        let (end, last) = (&used.min + &used.extent, &declared.min + &declared.extent);
        let covers = [compare(CmpOp::Ge, &used.min, &declared.min)?, compare(CmpOp::Le, &end, &last)?];
        if !covers.iter().all(|condition| known.prove(condition)) {
            let message = format!("the ranges are not known to cover what the block uses of `{}`", buffer.name);
            return Err(Fault::at(&site, message));
        }
    }
    let key = if write { "explicit_write_region" } else { "explicit_read_region" };
    let function = with_block(call.function, &path_of(&site), |block| {
        let number = usize::try_from(index).unwrap_or(usize::MAX);
        if let Some(declared) = regions(block, write).get_mut(number) {
            declared.region = region;
        }
        let mut all = match block.annotations.remove(key) {
            Some(Attr::Array(all)) => all,
            _ => Vec::new(),
        };
        all.retain(|known| known.as_int() != Some(index));
        all.push(Attr::Int(index));
        block.annotations.insert(key.into(), Attr::Array(all));
    })?;
    Ok(Outcome::changed(function, Results::Nothing))
}

fn hide(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, hidden) = (call.block(0)?, call.ints(2)?);
    let write = is_write(&site, call.text(1)?)?;
    let count = site.block().map_or(0, |block| if write { block.writes.len() } else { block.reads.len() }) as i64;
    if let Some(number) = hidden.iter().find(|number| !(0..count).contains(*number)) {
        return Err(Fault::at(&site, format!("the block has {count} such buffers, found number {number}")));
    }
    let function = with_block(call.function, &path_of(&site), |block| {
        let mut number = -1;
        regions(block, write).retain(|_| {
            number += 1;
            !hidden.contains(&number)
        });
    })?;
    Ok(Outcome::changed(function, Results::Nothing))
}

fn reorder(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, order) = (call.block(0)?, call.ints(1)?);
    let (block, (values, predicate)) = (site.expect_block()?, site.expect_binding()?);
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != (0..block.iters.len() as i64).collect::<Vec<_>>() {
        let message =
            format!("expected the numbers of the {} axes of block `{}`, each once", block.iters.len(), block.name);
        return Err(Fault::at(&site, message));
    }
    let positions: Vec<usize> = order.iter().filter_map(|at| usize::try_from(*at).ok()).collect();
    let iters: Vec<IterVar> = positions.iter().filter_map(|at| block.iters.get(*at).cloned()).collect();
    let values = positions.iter().filter_map(|at| values.get(*at).cloned()).collect();
    let key = |iters: &[IterVar]| iters.first().map(|iter| Key::Block(iter.var.id()));
    let moved = key(&block.iters).zip(key(&iters)).into_iter().collect();
    let block = Block { iters, ..block.clone() };
    let body = site.replaced(StmtKind::Block { values, predicate: predicate.clone(), block }.into());
    let function = PrimFunc { body, ..call.function.clone() };
    Ok(Outcome { function: Some(function), results: Results::Nothing, moved })
}
