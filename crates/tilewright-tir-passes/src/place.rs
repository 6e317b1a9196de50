//! `place_allocations`: each temporary moves to the innermost statement around its uses, and shrinks to the region used
//! there.
//!
//! It moves into a loop only where no iteration reads what another one wrote: each iteration writes before it reads.
//! Local memory is private to the iterations of a parallel loop in any case. A dimension shrinks where all indices, as
//! far as they vary inside that statement, span a constant width from a common least index on; the width must be small
//! where the extent is known only at run time.

use tilewright_ir::tir::{Buffer, Expr, ForKind, PrimFunc, Scope, Stmt, StmtKind};
use tilewright_support::with_stack;

use crate::facts::Facts;
use crate::regions::{touched, writes_before_it_reads};
use crate::stmt::{Result, map_below, uses_memory, with_body};
use crate::substitute::reindex_where;
use crate::uses::Uses;

/// The widest constant extent that replaces one known only at run time.
const MAX_CONSTANT_EXTENT: i64 = 1 << 16;

pub fn place_allocations(function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Placement { facts: Facts::of(function), uses: Uses::of(&function.body) };
    let body = cx.stmt(&function.body)?;
    Ok(with_body(function, body))
}

struct Placement {
    facts: Facts,
    uses: Uses,
}

impl Placement {
    /// Moves inner temporaries first.
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let scope = self.facts.enter();
        self.learn(stmt);
        let below = map_below(stmt, &mut |s| self.stmt(s));
        self.facts.leave(scope);
        let below = below?;
        match &below.kind {
            // What the threads of a block share has its place and size.
            StmtKind::Allocate { buffer, body } if buffer.scope.plain() != Scope::Shared => self.sink(buffer, body),
            _ => Ok(below),
        }
    }

    fn learn(&mut self, stmt: &Stmt) {
        self.facts.bind_in(stmt);
        if let StmtKind::If { condition, otherwise: None, .. } = &stmt.kind {
            self.facts.assume(condition);
        }
    }

    /// `body` with the allocation of the buffer as far inside as it can be.
    fn sink(&mut self, buffer: &Buffer, body: &Stmt) -> Result<Stmt> {
        let used_by = |expr: &Expr| uses_memory(expr, &buffer.data);
        if !self.uses.has(body, buffer) {
            return Ok(body.clone());
        }
        let sinks_further = match &body.kind {
            StmtKind::Seq(stmts) => return self.sink_into_seq(buffer, stmts),
            StmtKind::For { kind: ForKind::ThreadBinding(_), .. } if buffer.scope.plain() == Scope::Global => false,
            StmtKind::For { min, extent, kind, body: inner, .. } => {
                !used_by(min) && !used_by(extent) && *kind != ForKind::Vectorized && {
                    let private = buffer.scope.plain() == Scope::Local
                        && matches!(kind, ForKind::Parallel | ForKind::ThreadBinding(_));
                    let scope = self.facts.enter();
                    self.facts.bind_in(body);
                    let carried = !private && !writes_before_it_reads(&mut self.facts, &mut self.uses, buffer, inner);
                    self.facts.leave(scope);
                    !carried
                }
            }
            StmtKind::Let { value, .. } => !used_by(value),
            StmtKind::If { condition, then, otherwise } => {
                !(used_by(condition)
                    || (self.uses.has(then, buffer) && otherwise.as_ref().is_some_and(|s| self.uses.has(s, buffer))))
            }
            StmtKind::Allocate { .. } => true,
            _ => false,
        };
        if !sinks_further || !shape_is_known_inside(buffer, body) {
            return self.compact(buffer, body);
        }
        let scope = self.facts.enter();
        self.learn(body);
        let sunk = map_below(body, &mut |s| match self.uses.has(s, buffer) {
            true => with_stack(|| self.sink(buffer, s)),
            false => Ok(s.clone()),
        });
        self.facts.leave(scope);
        sunk
    }

    /// Moves the allocation around the statements from the first to the last use, or into the only one.
    fn sink_into_seq(&mut self, buffer: &Buffer, stmts: &[Stmt]) -> Result<Stmt> {
        let used: Vec<usize> = (0..stmts.len()).filter(|&i| self.uses.has(&stmts[i], buffer)).collect();
        let (Some(&first), Some(&last)) = (used.first(), used.last()) else { return Ok(Stmt::seq(stmts.to_vec())) };
        let placed = if first == last {
            self.sink(buffer, &stmts[first])?
        } else {
            self.compact(buffer, &Stmt::seq(stmts[first..=last].to_vec()))?
        };
        let around = stmts[..first].iter().cloned().chain([placed]).chain(stmts[last + 1..].iter().cloned());
        Ok(Stmt::seq(around))
    }

    /// The allocation around `body`, as large as the region that `body` uses.
    fn compact(&mut self, buffer: &Buffer, body: &Stmt) -> Result<Stmt> {
        let boxes = if buffer.strides.is_empty() && buffer.elem_offset.is_none() {
            touched(&mut self.facts, &mut self.uses, buffer, body)
        } else {
            vec![None; buffer.rank()]
        };
        let mut shape = buffer.shape.clone();
        let mut offsets: Vec<Option<Expr>> = vec![None; buffer.rank()];
        for (dim, found) in boxes.into_iter().enumerate() {
            let Some((low, width)) = found else { continue };
            if self.is_less(width, &shape[dim]) {
                shape[dim] = Expr::int(width, shape[dim].dtype);
                offsets[dim] = Some(low).filter(|low| low.as_int() != Some(0));
            }
        }
        if shape.iter().zip(&buffer.shape).all(|(a, b)| a.same(b)) {
            return Ok(StmtKind::Allocate { buffer: buffer.clone(), body: body.clone() }.into());
        }
        let small = buffer.derive(|node| node.shape = shape);
        let moved = |accessed: &Buffer, indices: &[Expr]| {
            let subtract = |(index, offset): (&Expr, &Option<Expr>)| match offset {
                Some(offset) => index - offset,
                None => index.clone(),
            };
            (accessed == buffer).then(|| (small.clone(), indices.iter().zip(&offsets).map(subtract).collect()))
        };
        let body = reindex_where(body, |stmt| self.uses.has(stmt, buffer), moved);
        Ok(StmtKind::Allocate { buffer: small, body }.into())
    }

    /// Whether `width` is less than the extent. The limits of the extent's type are no bounds of it.
    fn is_less(&self, width: i64, extent: &Expr) -> bool {
        match self.facts.analyzer.simplify(extent).as_int() {
            Some(extent) => width < extent,
            None => {
                width <= MAX_CONSTANT_EXTENT && self.facts.analyzer.bounds(extent).max.is_none_or(|most| width < most)
            }
        }
    }
}

/// Whether the shape uses no variable that the statement binds.
fn shape_is_known_inside(buffer: &Buffer, stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::For { var, .. } | StmtKind::Let { var, .. } => {
            !crate::stmt::mentions(&buffer.shape, std::slice::from_ref(var))
        }
        _ => true,
    }
}
