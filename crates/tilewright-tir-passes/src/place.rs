//! `place_allocations`: each temporary moves to the innermost statement around its uses, and shrinks to what is used
//! there.
//!
//! It moves into a loop only where no iteration reads what another one wrote: each iteration writes before it reads.
//! Local memory is private to the iterations of a parallel loop in any case. A dimension shrinks where all indices, as
//! far as they vary inside of the new place, span a constant width from one least index on.

use tilewright_arith::Analyzer;
use tilewright_expr::node::VarId;
use tilewright_ir::tir::{Buffer, Expr, ForKind, PrimFunc, Range, Scope, Stmt, StmtKind};
use tilewright_support::{Set, with_stack};

use crate::regions::{touched, writes_before_it_reads};
use crate::stmt::{Result, analyzer_of, assume, map_below, uses_memory, with_body, written_data};
use crate::substitute::reindex;

pub fn place_allocations(function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Place { analyzer: analyzer_of(function), written: written_data(function) };
    let body = cx.stmt(&function.body)?;
    Ok(with_body(function, body))
}

struct Place {
    analyzer: Analyzer,
    written: Set<VarId>,
}

impl Place {
    /// Places inner temporaries first.
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let scope = self.analyzer.enter();
        self.learn(stmt);
        let below = map_below(stmt, &mut |s| self.stmt(s));
        self.analyzer.leave(scope);
        let below = below?;
        match &below.kind {
            StmtKind::Allocate { buffer, body } => self.sink(buffer, body),
            _ => Ok(below),
        }
    }

    fn learn(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::For { var, min, extent, .. } => {
                self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
            }
            StmtKind::Let { var, value, .. } => self.analyzer.bind_value(var, value),
            StmtKind::If { condition, otherwise: None, .. } => assume(&mut self.analyzer, &self.written, condition),
            _ => {}
        }
    }

    /// `body` with the allocation of the buffer as far inside as it can be.
    fn sink(&mut self, buffer: &Buffer, body: &Stmt) -> Result<Stmt> {
        let used = |stmt: &Stmt| uses_memory(stmt, &buffer.data);
        let used_by = |expr: &Expr| uses_memory(expr, &buffer.data);
        if !used(body) {
            return Ok(body.clone());
        }
        let goes_on = match &body.kind {
            StmtKind::Seq(stmts) => return self.sink_into_seq(buffer, stmts),
            StmtKind::For { var, min, extent, kind, body: inner, .. } => {
                !used_by(min) && !used_by(extent) && *kind != ForKind::Vectorized && {
                    let private = buffer.scope.plain() == Scope::Local && *kind == ForKind::Parallel;
                    let scope = self.analyzer.enter();
                    self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
                    let carried = !private && !writes_before_it_reads(&mut self.analyzer, &self.written, buffer, inner);
                    self.analyzer.leave(scope);
                    !carried
                }
            }
            StmtKind::Let { value, .. } => !used_by(value),
            StmtKind::If { condition, then, otherwise } => {
                !(used_by(condition) || (used(then) && otherwise.as_ref().is_some_and(used)))
            }
            StmtKind::Allocate { .. } => true,
            _ => false,
        };
        if !goes_on || !shape_is_known_inside(buffer, body) {
            return self.compact(buffer, body);
        }
        let scope = self.analyzer.enter();
        self.learn(body);
        let sunk = map_below(body, &mut |s| if used(s) { with_stack(|| self.sink(buffer, s)) } else { Ok(s.clone()) });
        self.analyzer.leave(scope);
        sunk
    }

    /// Around the statements from the first to the last use, or into the only one.
    fn sink_into_seq(&mut self, buffer: &Buffer, stmts: &[Stmt]) -> Result<Stmt> {
        let used: Vec<usize> = (0..stmts.len()).filter(|&i| uses_memory(&stmts[i], &buffer.data)).collect();
        let (Some(&first), Some(&last)) = (used.first(), used.last()) else { return Ok(Stmt::seq(stmts.to_vec())) };
        let placed = if first == last {
            self.sink(buffer, &stmts[first])?
        } else {
            self.compact(buffer, &Stmt::seq(stmts[first..=last].to_vec()))?
        };
        let around = stmts[..first].iter().cloned().chain([placed]).chain(stmts[last + 1..].iter().cloned());
        Ok(Stmt::seq(around))
    }

    /// The allocation around `body`, as large as what `body` uses.
    fn compact(&mut self, buffer: &Buffer, body: &Stmt) -> Result<Stmt> {
        let boxes = if buffer.strides.is_empty() && buffer.elem_offset.is_none() {
            touched(&mut self.analyzer, buffer, body)
        } else {
            vec![None; buffer.rank()]
        };
        let mut shape = buffer.shape.clone();
        let mut offsets: Vec<Option<Expr>> = vec![None; buffer.rank()];
        for (dim, found) in boxes.into_iter().enumerate() {
            let Some((low, width)) = found else { continue };
            let extent = self.analyzer.simplify(&shape[dim]).as_int();
            if extent.is_none_or(|extent| width < extent) {
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
        let body = reindex(body, moved);
        Ok(StmtKind::Allocate { buffer: small, body }.into())
    }
}

/// Whether the shape names nothing that the statement binds.
fn shape_is_known_inside(buffer: &Buffer, stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::For { var, .. } | StmtKind::Let { var, .. } => {
            !crate::stmt::mentions(&buffer.shape, std::slice::from_ref(var))
        }
        _ => true,
    }
}
