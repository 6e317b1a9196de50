//! `compute_inline(block)`: a block that computes a temporary goes away; where its elements are read, they are computed.

use tilewright_expr::node::walk;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{Block, Buffer, BufferRegion, Expr, PrimFunc, Stmt, StmtKind, Var};

use super::{Call, Default, Fault, Outcome, Primitive, Results};
use crate::guard::{mentions, substituted};
use crate::independent::has_effects;
use crate::rewrite::{Formula, axes_of, way, with_block, with_loads_replaced, with_regions_anew, without};
use crate::stages::{stages, touches};
use crate::tree::{Site, follow};

pub(super) const COMPUTE_INLINE: Primitive = Primitive {
    name: "ComputeInline",
    method: "compute_inline",
    params: &[("block", Default::Required)],
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let formula = Formula::of(&site)?;
    let scope = site.scope().ok_or_else(|| Fault::at(&site, "the root block is in no other"))?;
    let (Some(block), Some(around)) = (site.block(), scope.block()) else {
        return Err(Fault::at(&site, "expected a block"));
    };
    let axes = axes_of(&formula.indices, block)
        .filter(|axes| !mentions_others(&formula.value, block, axes))
        .ok_or_else(|| Fault::at(&site, "the indices of the store are not the axes of the block, each once"))?;
    check_temporary(&site, around, &formula.buffer)?;
    check_only_writer(&site, block, &formula.buffer)?;
    check_plain_loads(&scope, &formula.buffer)?;
    let value_at = |indices: &[Expr]| -> Option<Expr> {
        let values = axes.iter().zip(indices).filter_map(|(axis, index)| Some((axis.clone()?, index)));
        let values =
            values.map(|(var, index)| Some((var.clone(), index.cast(var.dtype).ok()?))).collect::<Option<Vec<_>>>()?;
        Some(substituted(&formula.value, &values))
    };
    let (scope_way, buffer) = (way(&scope), formula.buffer.clone());
    let function = PrimFunc { body: without(&site), ..call.function.clone() };
    let scope = follow(&function.body, &scope_way).ok_or_else(|| Fault::of_call("the scope is gone"))?;
    let inlined = with_loads_replaced(&scope.stmt, &buffer, &value_at);
    let reads: Vec<Buffer> = block_regions(block).reads.into_iter().map(|read| read.buffer).collect();
    let concerned = |region: &BufferRegion| region.buffer == buffer || reads.contains(&region.buffer);
    let read_it = |block: &Block| block.reads.iter().any(|read| read.buffer == buffer);
    let inlined = with_regions_anew(&inlined, &read_it, &concerned);
    let function = PrimFunc { body: scope.replaced(inlined), ..function };
    let function = with_block(&function, &scope_way, |block| block.alloc_buffers.retain(|known| *known != buffer))?;
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
    let message = format!("`{}` is no temporary of the block around: it is still needed behind it", buffer.name);
    Err(Fault::at(site, message))
}

/// No other stage writes the buffer, and what the block reads is still the same when the last stage reads the buffer.
fn check_only_writer(site: &Site, block: &Block, buffer: &Buffer) -> Result<(), Fault> {
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
    let last = after.iter().rposition(|stage| touches(&stage.stmt, buffer)).map_or(0, |at| at + 1);
    let reads = block_regions(block).reads;
    for read in &reads {
        if read.buffer.data == buffer.data {
            return Err(Fault::at(site, format!("block `{}` reads what it writes", block.name)));
        }
        if let Some(other) = after.iter().take(last).find(|stage| writes(stage, &read.buffer)) {
            let message =
                format!("`{}`, which block `{}` reads, is written before the last use", read.buffer.name, block.name);
            return Err(Fault::at(other, message));
        }
    }
    Ok(())
}

/// The buffer is only loaded from, element by element.
pub(super) fn check_plain_loads(scope: &Site, buffer: &Buffer) -> Result<(), Fault> {
    let mut plain = true;
    walk(&scope.stmt, |e: &Expr| match &e.kind {
        tilewright_ir::tir::ExprKind::Load { buffer: loaded, indices, predicate } if loaded.data == buffer.data => {
            plain &= loaded == buffer && predicate.is_none() && indices.iter().all(|index| index.dtype.is_scalar());
        }
        tilewright_ir::tir::ExprKind::AddressOf { buffer: loaded, .. } if loaded.data == buffer.data => plain = false,
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
