//! Changes that several primitives make: a block goes away, a buffer becomes another, regions follow.

use tilewright_expr::node::rewrite;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{Block, Buffer, BufferRegion, Expr, ExprKind, IterKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_tir_passes::Substitute;

use crate::fault::Fault;
use crate::site::{Site, follow, is_block, with_below};

/// The path to a site from the function's body.
pub(crate) fn path_of(site: &Site) -> Vec<usize> {
    site.above.iter().map(|(_, at)| *at).collect()
}

/// The function's body without the statement at a site, and without loops and branches that had nothing else inside.
pub(crate) fn without(site: &Site) -> Stmt {
    let mut inner: Option<Stmt> = None;
    for (stmt, at) in site.above.iter().rev() {
        inner = match (inner, &stmt.kind) {
            (Some(new), _) => Some(with_below(stmt, *at, new)),
            (None, StmtKind::Seq(stmts)) if stmts.len() > 1 => {
                Some(Stmt::seq(stmts.iter().enumerate().filter(|(i, _)| i != at).map(|(_, stmt)| stmt.clone())))
            }
            (None, StmtKind::If { condition, otherwise: Some(otherwise), .. }) if *at == 0 => {
                let (condition, otherwise) = (condition.clone(), Some(otherwise.clone()));
                Some(StmtKind::If { condition, then: Stmt::nothing(), otherwise }.into())
            }
            (None, StmtKind::If { condition, then, .. }) if *at == 1 => {
                let (condition, then) = (condition.clone(), then.clone());
                Some(StmtKind::If { condition, then, otherwise: None }.into())
            }
            (None, _) if is_block(stmt) => Some(with_below(stmt, *at, Stmt::nothing())),
            (None, _) => None,
        };
    }
    inner.unwrap_or_else(Stmt::nothing)
}

/// The function with a block, at a path that its body still has, changed.
pub(crate) fn with_block(
    function: &PrimFunc,
    path: &[usize],
    change: impl FnOnce(&mut Block),
) -> Result<PrimFunc, Fault> {
    let site = follow(&function.body, path).ok_or_else(|| Fault::of_call("the block is gone"))?;
    let mut kind = site.stmt.kind.clone();
    if let StmtKind::Block { block, .. } = &mut kind {
        change(block);
    }
    Ok(PrimFunc { body: site.replaced(kind.into()), ..function.clone() })
}

/// The statement with each load from a buffer replaced by what `value` makes of its indices.
pub(crate) fn with_loads_replaced(stmt: &Stmt, buffer: &Buffer, value: &dyn Fn(&[Expr]) -> Option<Expr>) -> Stmt {
    let replaced = rewrite(stmt, |expr: &Expr| match &expr.kind {
        ExprKind::Load { buffer: loaded, indices, predicate: None } if loaded == buffer => value(indices),
        _ => None,
    });
    replaced.unwrap_or_else(|| stmt.clone())
}

/// The statement with the regions of some buffers, in the blocks that `which` says, from inside outwards, as the bodies
/// of the blocks say.
pub(crate) fn with_regions_anew(
    stmt: &Stmt,
    which: &dyn Fn(&Block) -> bool,
    concerned: &dyn Fn(&BufferRegion) -> bool,
) -> Stmt {
    let anew = rewrite(stmt, |stmt: &Stmt| match &stmt.kind {
        StmtKind::Block { values, predicate, block } if which(block) => {
            let block = declared_anew(block, concerned);
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
        }
        _ => None,
    });
    anew.unwrap_or_else(|| stmt.clone())
}

/// The block with the regions of some buffers as its body says; what it declares of others stays. They are in the
/// order in which the body uses the buffers.
fn declared_anew(block: &Block, concerned: &dyn Fn(&BufferRegion) -> bool) -> Block {
    let found = block_regions(block);
    let merge = |declared: &[BufferRegion], found: Vec<BufferRegion>| -> Vec<BufferRegion> {
        let kept: Vec<BufferRegion> = declared.iter().filter(|region| !concerned(region)).cloned().collect();
        let is_new = |region: &BufferRegion| kept.iter().all(|kept| kept.buffer != region.buffer);
        let order: Vec<Buffer> = found.iter().map(|region| region.buffer.clone()).collect();
        let new: Vec<BufferRegion> = found.into_iter().filter(is_new).collect();
        let mut all: Vec<BufferRegion> = kept.into_iter().chain(new).collect();
        all.sort_by_key(|region| order.iter().position(|buffer| *buffer == region.buffer).unwrap_or(order.len()));
        all
    };
    Block { reads: merge(&block.reads, found.reads), writes: merge(&block.writes, found.writes), ..block.clone() }
}

/// The statement with another buffer for one.
pub(crate) fn with_buffer(stmt: &Stmt, from: &Buffer, to: &Buffer) -> Stmt {
    let mut all = Substitute::default();
    all.buffers.insert(from.id(), to.clone());
    all.apply(stmt)
}

/// The only statement of a block that computes each element of a buffer once: the buffer, its indices and the value.
pub(crate) struct Formula {
    pub(crate) buffer: Buffer,
    pub(crate) indices: Vec<Expr>,
    pub(crate) value: Expr,
}

impl Formula {
    /// The formula of a block whose axes are all spatial.
    pub(crate) fn of(site: &Site) -> Result<Self, Fault> {
        let block = site.expect_block()?;
        if let Some(iter) = block.iters.iter().find(|iter| iter.kind != IterKind::Spatial) {
            let message = format!("axis `{}` of block `{}` is not spatial", iter.var.name, block.name);
            return Err(Fault::at(site, message));
        }
        let plain = block.init.is_none() && block.alloc_buffers.is_empty() && block.match_buffers.is_empty();
        match &block.body.kind {
            StmtKind::Store { buffer, indices, value, predicate: None } if plain => {
                Ok(Self { buffer: buffer.clone(), indices: indices.clone(), value: value.clone() })
            }
            _ => Err(Fault::at(site, format!("the body of block `{}` is not a single store", block.name))),
        }
    }
}

/// Which axis each index is, where every index is an axis of its own, or constant along an axis of extent 1, and every
/// axis of the block is one of them.
pub(crate) fn axes_of(indices: &[Expr], block: &Block) -> Option<Vec<Option<Var>>> {
    let mut axes: Vec<Option<Var>> = Vec::with_capacity(indices.len());
    for index in indices {
        match index.as_var() {
            Some(var) if block.iters.iter().any(|iter| iter.var == *var) => {
                if axes.iter().flatten().any(|known| known == var) {
                    return None;
                }
                axes.push(Some(var.clone()));
            }
            None if index.as_int().is_some() => axes.push(None),
            _ => return None,
        }
    }
    let all = block
        .iters
        .iter()
        .all(|iter| iter.domain.extent.as_int() == Some(1) || axes.iter().flatten().any(|known| *known == iter.var));
    all.then_some(axes)
}

/// The block's body and init with another buffer for one.
pub(crate) fn with_buffer_in(block: &Block, from: &Buffer, to: &Buffer) -> Block {
    let of = |stmt: &Stmt| with_buffer(stmt, from, to);
    Block { body: of(&block.body), init: block.init.as_ref().map(of), ..block.clone() }
}
