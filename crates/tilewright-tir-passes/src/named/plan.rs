//! `PlanAndUpdateBufferAllocationLocation`: every temporary is allocated in the innermost block or loop around its
//! uses. In a loop that is an opaque block of its own around the body.

use tilewright_expr::node::{AnyHandle, walk};
use tilewright_ir::analysis::tir::detect_buffer_access_lca;
use tilewright_ir::tir::{Buffer, Expr, PrimFunc, Stmt, StmtKind};
use tilewright_support::Map;

use super::blocks::around;
use super::{Options, below, is_meant, with};
use crate::stmt::Result;

pub(super) fn plan_and_update_buffer_allocation_location(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let around = detect_buffer_access_lca(function);
    let mut places: Map<usize, Vec<Buffer>> = Map::default();
    let mut allocated: Vec<Buffer> = Vec::new();
    walk(&function.body, |stmt: &Stmt| {
        if let StmtKind::Block { block, .. } = &stmt.kind {
            let buffers = block.alloc_buffers.iter().cloned();
            let (moved, kept): (Vec<Buffer>, Vec<Buffer>) = buffers.partition(|buffer| is_meant(options, buffer));
            allocated.extend(moved);
            places.entry(stmt.address()).or_default().extend(kept);
        }
    });
    for buffer in &allocated {
        if let Some(Some(stmt)) = around.get(buffer) {
            places.entry(stmt.address()).or_default().push(buffer.clone());
        }
    }
    let body = planned(&places, &function.body)?;
    Ok(with(function, body))
}

fn planned(places: &Map<usize, Vec<Buffer>>, stmt: &Stmt) -> Result<Stmt> {
    let here = places.get(&stmt.address()).cloned().unwrap_or_default();
    let mut kind = below(stmt, &mut |s| planned(places, s))?.kind.clone();
    match &mut kind {
        StmtKind::Block { block, .. } => block.alloc_buffers = here,
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::Allocate { body, .. }
        | StmtKind::AllocateConst { body, .. }
            if !here.is_empty() =>
        {
            *body = in_block(here, body.clone());
        }
        _ => {}
    }
    Ok(kind.into())
}

fn in_block(alloc_buffers: Vec<Buffer>, body: Stmt) -> Stmt {
    let block = around(alloc_buffers, body);
    StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block }.into()
}
