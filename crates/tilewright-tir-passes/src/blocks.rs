//! `lower_blocks`: axes take their values, predicates become conditions, temporaries become `Allocate`, accesses to
//! matched buffers become accesses to what they match.

use tilewright_expr::node::VarId;
use tilewright_ir::tir::{BinOp, Block, Buffer, BufferRegion, Expr, MatchBuffer, PrimFunc, Range, Stmt, StmtKind};
use tilewright_support::{Map, Origins};

use crate::stmt::{Result, error, map_below, typed, with_body};
use crate::substitute::{Substitute, reindex};

pub fn lower_blocks(function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Blocks { views: Map::default() };
    Ok(with_body(function, cx.lower(&function.origins, &function.body)?))
}

struct Blocks {
    /// What matched buffers see, in terms of buffers that match nothing.
    views: Map<VarId, BufferRegion>,
}

impl Blocks {
    fn lower(&mut self, origins: &Origins, stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::Block { values, predicate, block } => {
                let origins = if block.origins.first().is_some() { &block.origins } else { origins };
                let body = self.open(origins, values, block)?;
                Ok(match predicate.as_int() {
                    Some(1) => body,
                    _ => StmtKind::If { condition: predicate.clone(), then: body, otherwise: None }.into(),
                })
            }
            _ => map_below(stmt, &mut |s| self.lower(origins, s)),
        }
    }

    /// The body of the block for these values of its axes, lowered.
    fn open(&mut self, origins: &Origins, values: &[Expr], block: &Block) -> Result<Stmt> {
        if block.init.is_some() || values.len() != block.iters.len() {
            let message = format!("block `{}` has an init, or a wrong number of values for its axes", block.name);
            return Err(error("TW0504", origins, message));
        }
        let mut all = Substitute::default();
        for (iter, value) in block.iters.iter().zip(values) {
            all.values.insert(iter.var.id(), typed(value.cast(iter.var.dtype))?);
        }
        for matched in &block.match_buffers {
            let source = all.apply(&matched.source);
            let region = self.resolved(&source);
            define(&mut all, origins, matched, &region)?;
            self.views.insert(matched.buffer.id(), region);
        }
        let body = reindex(&block.body, |buffer, indices| self.through_view(buffer, indices));
        let body = self.lower(origins, &all.apply(&body))?;
        Ok(block.alloc_buffers.iter().rev().fold(body, |body, buffer| {
            let buffer = all.buffers.get(&buffer.id()).cloned().unwrap_or_else(|| all.apply(buffer));
            StmtKind::Allocate { buffer, body }.into()
        }))
    }

    /// The region in the buffer that owns the elements.
    fn resolved(&self, region: &BufferRegion) -> BufferRegion {
        let Some(view) = self.views.get(&region.buffer.id()) else { return region.clone() };
        let dropped = view.region.len().saturating_sub(region.region.len());
        let inner = view.region[dropped..].iter().zip(&region.region);
        let inner = inner.map(|(outer, inner)| Range::new(&outer.min + &inner.min, inner.extent.clone()));
        let region = view.region[..dropped].iter().cloned().chain(inner).collect();
        BufferRegion { buffer: view.buffer.clone(), region }
    }

    fn through_view(&self, buffer: &Buffer, indices: &[Expr]) -> Option<(Buffer, Vec<Expr>)> {
        let view = self.views.get(&buffer.id())?;
        let dropped = view.region.len().checked_sub(indices.len())?;
        let outer = view.region[..dropped].iter().map(|range| range.min.clone());
        let inner = view.region[dropped..].iter().zip(indices).map(|(range, index)| {
            let min = range.min.broadcast(index.dtype.lanes).unwrap_or_else(|_| range.min.clone());
            &min + index
        });
        Some((view.buffer.clone(), outer.chain(inner).collect()))
    }
}

/// Elements between neighbours of each dimension.
pub(crate) fn strides(buffer: &Buffer) -> Result<Vec<Expr>> {
    if !buffer.strides.is_empty() {
        return Ok(buffer.strides.clone());
    }
    let mut strides: Vec<Expr> = Vec::with_capacity(buffer.rank());
    let mut stride: Option<Expr> = None;
    for dim in buffer.shape.iter().rev() {
        let here = stride.unwrap_or_else(|| Expr::int(1, dim.dtype));
        strides.push(here.clone());
        stride = Some(typed(Expr::binary(BinOp::Mul, dim, &here))?);
    }
    strides.reverse();
    Ok(strides)
}

/// The variables in the shape, the strides and the offset of a matched buffer are what they are in the region.
fn define(all: &mut Substitute, origins: &Origins, matched: &MatchBuffer, region: &BufferRegion) -> Result<()> {
    let (buffer, source) = (&matched.buffer, &region.buffer);
    let refuse = |what: &str| {
        error("TW0504", origins, format!("buffer `{}` cannot match a region of `{}`: {what}", buffer.name, source.name))
    };
    let region = &region.region;
    let Some(dropped) = region.len().checked_sub(buffer.rank()) else {
        return Err(refuse("it has more dimensions"));
    };
    if buffer.dtype != source.dtype {
        return Err(refuse("its elements have another type"));
    }
    if region[..dropped].iter().any(|range| range.extent.as_int() != Some(1)) {
        return Err(refuse("a dimension that it lacks is not of extent 1"));
    }
    let source_strides = strides(source)?;
    let mut offset = source.elem_offset.clone();
    for (range, stride) in region.iter().zip(&source_strides) {
        let here = &range.min * stride;
        offset = Some(offset.map_or(here.clone(), |offset| &offset + &here));
    }
    let extents = region[dropped..].iter().map(|range| &range.extent);
    let defined = buffer.shape.iter().zip(extents).chain(buffer.strides.iter().zip(&source_strides[dropped..]));
    for (declared, actual) in defined.chain(buffer.elem_offset.iter().zip(&offset)) {
        if let Some(var) = declared.as_var() {
            all.values.insert(var.id(), typed(actual.cast(var.dtype))?);
        }
    }
    Ok(())
}
