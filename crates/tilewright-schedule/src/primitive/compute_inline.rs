//! `compute_inline(block)`: a block that computes a temporary goes away; where its elements are read, they are
//! computed.

use std::cmp::Ordering;

use tilewright_expr::node::walk;
use tilewright_ir::nest::{loads, same_indices};
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{Block, Buffer, BufferRegion, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};

use super::call::{Call, Default, Outcome, Primitive, Results};
use crate::analysis::dependence::{check_affine, has_effects};
use crate::analysis::stages::{stages, touches};
use crate::build::exprs::{mentions, substituted};
use crate::build::rewrite::{Formula, axes_of, path_of, with_block, with_loads_replaced, with_regions_anew, without};
use crate::fault::Fault;
use crate::site::{Site, follow};

pub(crate) const COMPUTE_INLINE: Primitive = Primitive {
    name: "ComputeInline",
    method: "compute_inline",
    doc: "Removes a block: where what it computes is read, it is computed.",
    params: &[("block", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let formula = Formula::of(&site)?;
    let scope = site.expect_scope()?;
    let (block, around) = (site.expect_block()?, scope.expect_block()?);
    let axes = axes_of(&formula.indices, block)
        .filter(|axes| !mentions_others(&formula.value, block, axes))
        .ok_or_else(|| Fault::at(&site, "the indices of the store are not the axes of the block, each once"))?;
    check_temporary(&site, around, &formula.buffer)?;
    check_plain_loads(&scope, &formula.buffer)?;
    let value_at = |indices: &[Expr]| -> Option<Expr> {
        let values = axes.iter().zip(indices).filter_map(|(axis, index)| Some((axis.clone()?, index)));
        let values =
            values.map(|(var, index)| Some((var.clone(), index.cast(var.dtype).ok()?))).collect::<Option<Vec<_>>>()?;
        Some(substituted(&formula.value, &values))
    };
    check_only_writer(call.function, &site, block, &formula.buffer, &value_at)?;
    let (scope_path, buffer) = (path_of(&scope), formula.buffer.clone());
    let function = PrimFunc { body: without(&site), ..call.function.clone() };
    let scope = follow(&function.body, &scope_path).ok_or_else(|| Fault::of_call("the scope is gone"))?;
    let inlined = with_loads_replaced(&scope.stmt, &buffer, &value_at);
    let reads: Vec<Buffer> = block_regions(block).reads.into_iter().map(|read| read.buffer).collect();
    let concerned = |region: &BufferRegion| region.buffer == buffer || reads.contains(&region.buffer);
    let read_it = |block: &Block| block.reads.iter().any(|read| read.buffer == buffer);
    let inlined = with_regions_anew(&inlined, &read_it, &concerned);
    let function = PrimFunc { body: scope.replaced(inlined), ..function };
    let function = with_block(&function, &scope_path, |block| block.alloc_buffers.retain(|known| *known != buffer))?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// Whether the value depends on axes that are none of the indices.
fn mentions_others(value: &Expr, block: &Block, axes: &[Option<Var>]) -> bool {
    let others: Vec<Var> = block
        .iters
        .iter()
        .map(|i| i.var.clone())
        .filter(|var| !axes.iter().flatten().any(|axis| axis == var))
        .collect();
    mentions(value, &others)
}

/// The buffer is memory of the scope that the block is in.
pub(super) fn check_temporary(site: &Site, scope: &Block, buffer: &Buffer) -> Result<(), Fault> {
    if scope.alloc_buffers.contains(buffer) {
        return Ok(());
    }
    let message = format!("`{}` is no temporary of the block around: it is still needed after it", buffer.name);
    Err(Fault::at(site, message))
}

/// No other stage writes the buffer, and what the block reads is still the same when the last stage reads the buffer.
fn check_only_writer(
    function: &PrimFunc,
    site: &Site,
    block: &Block,
    buffer: &Buffer,
    value_at: &dyn Fn(&[Expr]) -> Option<Expr>,
) -> Result<(), Fault> {
    if has_effects(block) {
        return Err(Fault::at(site, format!("block `{}` calls a function with effects of its own", block.name)));
    }
    let writes = |stage: &Site, of: &Buffer| {
        stage.block().is_some_and(|other| other.writes.iter().any(|write| write.buffer.data == of.data))
    };
    let (before, _, after) = stages(site)?;
    if let Some(other) = before.iter().chain(&after).find(|stage| writes(stage, buffer)) {
        return Err(Fault::at(other, format!("`{}` is written by another block, too", buffer.name)));
    }
    if let Some(early) = before.iter().find(|stage| touches(&stage.stmt, buffer)) {
        return Err(Fault::at(early, format!("`{}` is read before it is written", buffer.name)));
    }
    let readers: Vec<usize> = (0..after.len()).filter(|&at| touches(&after[at].stmt, buffer)).collect();
    for read in &block_regions(block).reads {
        if read.buffer.data == buffer.data {
            return Err(Fault::at(site, format!("block `{}` reads what it writes", block.name)));
        }
        for (at, writer) in after.iter().enumerate().filter(|(_, stage)| writes(stage, &read.buffer)) {
            let unharmed = |&reader: &usize| match reader.cmp(&at) {
                Ordering::Less => !share_a_loop(&after[reader], writer),
                Ordering::Equal => overwrites_what_it_reads(function, writer, buffer, &read.buffer, value_at),
                Ordering::Greater => false,
            };
            if !readers.iter().all(unharmed) {
                let message = format!(
                    "`{}`, which block `{}` reads, is written before the last use",
                    read.buffer.name, block.name
                );
                return Err(Fault::at(writer, message));
            }
        }
    }
    Ok(())
}

/// Whether both stages run in one iteration of a loop, the first one again after the other.
fn share_a_loop(a: &Site, b: &Site) -> bool {
    let others = b.loops();
    a.loops().iter().any(|l| others.iter().any(|other| other.var == l.var))
}

/// Whether a stage that stores to `memory` reads of it, once the elements of the temporary are computed in the stage,
/// no element but the one that the same instance stores: each instance stores one of its own, once, after it has read
/// it.
fn overwrites_what_it_reads(
    function: &PrimFunc,
    stage: &Site,
    temporary: &Buffer,
    memory: &Buffer,
    value_at: &dyn Fn(&[Expr]) -> Option<Expr>,
) -> bool {
    let (Ok(stored), Some(block), Some((values, predicate))) = (Formula::of(stage), stage.block(), stage.binding())
    else {
        return false;
    };
    let own_element = |value: Expr| {
        let mut only = true;
        walk(&value, |e: &Expr| {
            only &= !matches!(&e.kind, ExprKind::Load { buffer, .. } if buffer.data == memory.data && buffer != memory)
        });
        only && loads(&value, memory).iter().all(|at| same_indices(at, &stored.indices))
    };
    stored.buffer == *memory
        && axes_of(&stored.indices, block).is_some()
        && check_affine(function, stage).is_ok()
        && values.iter().chain([predicate]).all(|expr| loads(expr, temporary).is_empty())
        && loads(&stored.value, temporary).iter().all(|at| value_at(at).is_some_and(own_element))
}

/// The buffer is only loaded from, element by element.
pub(super) fn check_plain_loads(scope: &Site, buffer: &Buffer) -> Result<(), Fault> {
    let mut plain = true;
    walk(&scope.stmt, |e: &Expr| match &e.kind {
        ExprKind::Load { buffer: loaded, indices, predicate } if loaded.data == buffer.data => {
            plain &= loaded == buffer && predicate.is_none() && indices.iter().all(|index| index.dtype.is_scalar());
        }
        ExprKind::AddressOf { buffer: loaded, .. } if loaded.data == buffer.data => plain = false,
        _ => {}
    });
    walk(&scope.stmt, |s: &Stmt| {
        if let StmtKind::Block { block, .. } = &s.kind {
            plain &= block.match_buffers.iter().all(|m| m.source.buffer.data != buffer.data);
        }
    });
    if plain {
        Ok(())
    } else {
        Err(Fault::at(scope, format!("`{}` is used other than element by element", buffer.name)))
    }
}
