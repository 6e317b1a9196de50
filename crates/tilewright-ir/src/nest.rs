//! Perfect nests: loops around one block and nothing else, as operators become.

use tilewright_expr::node::{VarId, walk};

use crate::Attrs;
use crate::tir::{Block, Buffer, Expr, ExprKind, ForKind, IterKind, Stmt, StmtKind, Var};

/// A loop of a nest.
#[derive(Clone, Debug)]
pub struct Loop {
    pub var: Var,
    pub min: Expr,
    pub extent: Expr,
    pub kind: ForKind,
    pub annotations: Attrs,
}

/// Loops around one block.
#[derive(Clone, Debug)]
pub struct Nest {
    /// From outside inwards.
    pub loops: Vec<Loop>,
    /// The values of the block's axes.
    pub values: Vec<Expr>,
    pub predicate: Expr,
    pub block: Block,
}

impl Nest {
    /// The statement as a nest, if it is one.
    pub fn of(stmt: &Stmt) -> Option<Self> {
        let mut loops = Vec::new();
        let mut inner = stmt;
        loop {
            match &inner.kind {
                StmtKind::For { var, min, extent, kind, annotations, body } => {
                    let (min, extent) = (min.clone(), extent.clone());
                    let (kind, annotations) = (kind.clone(), annotations.clone());
                    loops.push(Loop { var: var.clone(), min, extent, kind, annotations });
                    inner = body;
                }
                StmtKind::Block { values, predicate, block } => {
                    let (values, predicate, block) = (values.clone(), predicate.clone(), block.clone());
                    return Some(Self { loops, values, predicate, block });
                }
                _ => return None,
            }
        }
    }

    /// The nest as a statement.
    pub fn into_stmt(self) -> Stmt {
        let Self { loops, values, predicate, block } = self;
        let inner = StmtKind::Block { values, predicate, block }.into();
        loops.into_iter().rev().fold(inner, |body, Loop { var, min, extent, kind, annotations }| {
            StmtKind::For { var, min, extent, kind, annotations, body }.into()
        })
    }

    /// Whether every instance of the block runs at most once: each axis is spatial and has one loop for its value, and
    /// each loop is for one axis or runs at most once.
    pub fn runs_each_instance_once(&self) -> bool {
        let mut free: Vec<VarId> = self.loops.iter().map(|l| l.var.id()).collect();
        let bound_once = self.block.iters.iter().zip(&self.values).all(|(iter, value)| {
            let single = iter.domain.extent.as_int() == Some(1);
            let found = value.as_var().and_then(|var| free.iter().position(|known| *known == var.id()));
            match found {
                Some(index) => {
                    free.remove(index);
                    iter.kind == IterKind::Spatial
                }
                None => single,
            }
        });
        let single = |var: &VarId| self.loops.iter().any(|l| l.var.id() == *var && l.extent.as_int() == Some(1));
        bound_once && self.block.iters.len() == self.values.len() && free.iter().all(single)
    }

    /// The block's only statement, if that is an unmasked store: buffer, indices and value.
    pub fn single_store(&self) -> Option<(&Buffer, &[Expr], &Expr)> {
        let Block { alloc_buffers, match_buffers, init, body, .. } = &self.block;
        match &body.kind {
            StmtKind::Store { buffer, indices, value, predicate: None }
                if init.is_none() && alloc_buffers.is_empty() && match_buffers.is_empty() =>
            {
                Some((buffer, indices, value))
            }
            _ => None,
        }
    }
}

/// Whether two lists of indices name the same element, as they are written.
pub fn same_indices(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equal(b))
}

/// The indices of every load from the buffer in an expression.
pub fn loads(expr: &Expr, buffer: &Buffer) -> Vec<Vec<Expr>> {
    let mut found = Vec::new();
    walk(expr, |e: &Expr| {
        if let ExprKind::Load { buffer: loaded, indices, .. } = &e.kind
            && loaded == buffer
        {
            found.push(indices.clone());
        }
    });
    found
}
