//! `lower_blocks`: axes take their values, predicates become conditions, temporaries become `Allocate`, matched buffers
//! become views of their source.

use tilewright_ir::tir::{Block, Buffer, Expr, MatchBuffer, PrimFunc, Stmt, StmtKind};
use tilewright_support::Origins;

use crate::stmt::{Result, error, map_below, typed, with_body};
use crate::substitute::Substitute;

pub fn lower_blocks(function: &PrimFunc) -> Result<PrimFunc> {
    Ok(with_body(function, lower(&function.origins, &function.body)?))
}

fn lower(origins: &Origins, stmt: &Stmt) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::Block { values, predicate, block } => {
            let origins = if block.origins.first().is_some() { &block.origins } else { origins };
            let body = open(origins, values, block)?;
            let body = lower(origins, &body)?;
            Ok(match predicate.as_int() {
                Some(1) => body,
                _ => StmtKind::If { condition: predicate.clone(), then: body, otherwise: None }.into(),
            })
        }
        _ => map_below(stmt, &mut |s| lower(origins, s)),
    }
}

/// The body of the block for these values of its axes.
fn open(origins: &Origins, values: &[Expr], block: &Block) -> Result<Stmt> {
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
        view(&mut all, origins, &MatchBuffer { buffer: matched.buffer.clone(), source })?;
    }
    let body = all.apply(&block.body);
    Ok(block.alloc_buffers.iter().rev().fold(body, |body, buffer| {
        let buffer = all.buffers.get(&buffer.id()).cloned().unwrap_or_else(|| all.apply(buffer));
        StmtKind::Allocate { buffer, body }.into()
    }))
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
        stride = Some(typed(Expr::binary(tilewright_ir::tir::BinOp::Mul, dim, &here))?);
    }
    strides.reverse();
    Ok(strides)
}

/// Replaces a matched buffer by a view of its source, and the variables that it defines by what they are there.
fn view(all: &mut Substitute, origins: &Origins, matched: &MatchBuffer) -> Result<()> {
    let (buffer, source) = (&matched.buffer, &matched.source.buffer);
    let refuse = |what: &str| {
        error("TW0504", origins, format!("buffer `{}` cannot match a region of `{}`: {what}", buffer.name, source.name))
    };
    let region = &matched.source.region;
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
    let own_strides = source_strides[dropped..].to_vec();
    let extents = region[dropped..].iter().map(|range| &range.extent);
    let defined = buffer.shape.iter().zip(extents).chain(buffer.strides.iter().zip(&own_strides));
    let defined = defined.chain(buffer.elem_offset.iter().zip(&offset));
    for (declared, actual) in defined {
        if let Some(var) = declared.as_var() {
            all.values.insert(var.id(), typed(actual.cast(var.dtype))?);
        }
    }
    let shape = buffer.shape.iter().map(|dim| all.apply(dim)).collect();
    let view = buffer.derive(|node| {
        node.data = source.data.clone();
        node.shape = shape;
        node.strides = own_strides;
        node.elem_offset = offset;
        node.scope = source.scope;
    });
    all.values.insert(buffer.data.id(), Expr::var(&source.data));
    all.buffers.insert(buffer.id(), view);
    Ok(())
}
