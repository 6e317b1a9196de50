//! `guard_indices`: user data never reads or writes out of bounds.
//!
//! Every index is proven to lie in its dimension or checked by an `Assert` in front of its statement; where the access is
//! evaluated under a condition, so is the check. What is left to check is what the caller decides: loaded data, scalar
//! arguments, and sizes of different arguments that nothing relates. A masked access is checked lane by lane where its
//! predicate holds, and one through a view also against the memory that it views. An index that is certainly outside, or that a loop
//! certainly drives outside, is an error now.

use tilewright_arith::Analyzer;
use tilewright_expr::node::VarId;
use tilewright_ir::low::INDEX_GUARD;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, PrimFunc, Range, Stmt, StmtKind, Var};
use tilewright_support::{Diagnostics, Map, Origins, Set, with_stack};
use tilewright_tensor::DataType;

use crate::access::{Access, accesses_of, lane, loads};
use crate::blocks::strides;
use crate::magnitude::Magnitudes;
use crate::stmt::{Result, analyzer_of, assume_trusted, error, is_foreign, map_below, typed, with_body, written_data};

pub fn guard_indices(function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Guard {
        analyzer: analyzer_of(function),
        magnitudes: Magnitudes::of(function),
        written: written_data(function),
        origins: &function.origins,
        found: Diagnostics::default(),
        conditional: 0,
        loops: Vec::new(),
        owners: function.params.iter().filter_map(|p| p.buffer.clone()).map(|b| (b.data.id(), b)).collect(),
    };
    let body = cx.stmt(&function.body)?;
    if cx.found.has_errors() { Err(cx.found) } else { Ok(with_body(function, body)) }
}

struct Guard<'a> {
    analyzer: Analyzer,
    magnitudes: Magnitudes,
    written: Set<VarId>,
    origins: &'a Origins,
    found: Diagnostics,
    /// Conditions around the statement.
    conditional: usize,
    /// Loops around the statement with constant bounds, which run at least once.
    loops: Vec<Var>,
    /// The buffer that says how much memory there is behind a data variable; other buffers on it are views.
    owners: Map<VarId, Buffer>,
}

impl Guard<'_> {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let stored = match &stmt.kind {
            StmtKind::Store { buffer, indices, predicate, .. } => accesses_of(buffer, indices, predicate.as_ref(), &[]),
            _ => Vec::new(),
        };
        let mut accesses = Vec::new();
        let mut seen = Map::default();
        for expr in &stmt.own_exprs() {
            loads(expr, &mut Vec::new(), &mut seen, &mut accesses);
        }
        accesses.extend(stored);
        let scope = self.analyzer.enter();
        let mut guards = Vec::new();
        for access in accesses {
            self.check(&access, &mut guards)?;
        }
        let below = self.below(stmt, &guards);
        self.analyzer.leave(scope);
        Ok(Stmt::seq(guards.into_iter().chain([below?])))
    }

    fn below(&mut self, stmt: &Stmt, guards: &[Stmt]) -> Result<Stmt> {
        let known = self.loops.len();
        let scope = self.analyzer.enter();
        let mut conditional = 0;
        match &stmt.kind {
            StmtKind::For { var, min, extent, .. } => {
                self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
                self.magnitudes.bind(var, min, extent);
                let constant = |e: &Expr| self.analyzer.simplify(e).as_int();
                match (constant(min), constant(extent)) {
                    (Some(_), Some(1..)) => self.loops.push(var.clone()),
                    _ => conditional = usize::from(!self.analyzer.bounds(extent).at_least(1)),
                }
            }
            StmtKind::Let { var, value, .. } => {
                self.analyzer.bind_value(var, value);
                self.magnitudes.bind_value(var, value);
            }
            StmtKind::If { condition, otherwise, .. } => {
                conditional = 1;
                if otherwise.is_none() {
                    self.assume(condition);
                }
            }
            StmtKind::While { .. } => conditional = 1,
            StmtKind::Allocate { buffer, .. } => drop(self.owners.insert(buffer.data.id(), buffer.clone())),
            _ => {}
        }
        self.conditional += conditional;
        let below = match &stmt.kind {
            StmtKind::Seq(stmts) => self.seq(stmts),
            // The condition is evaluated again behind each run of the body.
            StmtKind::While { condition, body } if !guards.is_empty() => with_stack(|| self.stmt(body)).map(|body| {
                let body = Stmt::seq([body].into_iter().chain(guards.iter().cloned()));
                StmtKind::While { condition: condition.clone(), body }.into()
            }),
            _ => map_below(stmt, &mut |s| self.stmt(s)),
        };
        self.conditional -= conditional;
        self.loops.truncate(known);
        self.analyzer.leave(scope);
        below
    }

    /// Learns what holds from here on: of a sum that may have wrapped around a comparison says nothing.
    fn assume(&mut self, condition: &Expr) {
        assume_trusted(&mut self.analyzer, &self.written, &self.magnitudes, condition);
    }

    /// What an assert checks holds for the rest of the sequence.
    fn seq(&mut self, stmts: &[Stmt]) -> Result<Stmt> {
        let mut guarded = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            let stmt = with_stack(|| self.stmt(stmt))?;
            let parts = match &stmt.kind {
                StmtKind::Seq(parts) => parts.as_slice(),
                _ => std::slice::from_ref(&stmt),
            };
            for part in parts {
                if let StmtKind::Assert { condition, .. } = &part.kind {
                    self.assume(condition);
                }
            }
            guarded.push(stmt);
        }
        Ok(Stmt::seq(guarded))
    }

    fn check(&mut self, access: &Access, guards: &mut Vec<Stmt>) -> Result<()> {
        let scope = self.analyzer.enter();
        for condition in &access.path {
            self.assume(condition);
        }
        self.refuse_calls(access)?;
        let mut needed = Vec::new();
        for (dim, (index, extent)) in access.indices.iter().zip(&access.buffer.shape).enumerate() {
            let unconditional = access.path.is_empty() && self.conditional == 0;
            self.report_certain_faults(&access.buffer, dim, index, extent, unconditional);
            if !self.proven(index, extent)? {
                needed.push((dim, index, extent));
            }
        }
        let outside = self.outside_of_owner(access)?;
        self.analyzer.leave(scope);
        for (dim, index, extent) in needed {
            let inside = match &index.kind {
                ExprKind::Ramp { base, stride } => {
                    let last = base + &(stride * (i64::from(index.dtype.lanes) - 1));
                    typed(Expr::binary(BinOp::And, &inside(base, extent)?, &inside(&last, extent)?))?
                }
                _ if index.dtype.is_vector() => {
                    let message =
                        format!("a vector index of buffer `{}` cannot be proven to be in range", access.buffer.name);
                    return Err(error("TW0563", self.origins, message));
                }
                _ => inside(index, extent)?,
            };
            self.guard(access, inside, format!("dimension {dim} of buffer `{}`", access.buffer.name), guards)?;
        }
        for inside in outside {
            let what = format!("buffer `{}` in the memory that it views", access.buffer.name);
            self.guard(access, inside, what, guards)?;
        }
        Ok(())
    }

    /// A check that calls a function again may see another result than the access does.
    fn refuse_calls(&self, access: &Access) -> Result<()> {
        if !access.indices.iter().chain(&access.path).any(is_foreign) {
            return Ok(());
        }
        let message = format!("an access to buffer `{}` depends on a call inside of its statement", access.buffer.name);
        let mut found = error("TW0563", self.origins, message);
        for diagnostic in &mut found.0 {
            diagnostic.help = Some("give the call's result a name in a statement before, and use that".into());
        }
        Err(found)
    }

    /// Adds the assert that the condition holds where the access is evaluated.
    fn guard(&mut self, access: &Access, inside: Expr, what: String, guards: &mut Vec<Stmt>) -> Result<()> {
        let condition = access.path.iter().rev().try_fold(inside, |check, condition| {
            typed(Expr::call(Intrinsic::IfThenElse, &[condition.clone(), check, Expr::bool(true)]))
        })?;
        self.assume(&condition);
        guards.push(StmtKind::Assert { condition, message: format!("{INDEX_GUARD}{what}").into() }.into());
        Ok(())
    }

    /// What has to hold, and is not proven, for an access through a view to stay in the memory of the view's owner.
    fn outside_of_owner(&self, access: &Access) -> Result<Vec<Expr>> {
        let view = &access.buffer;
        let Some(owner) = self.owners.get(&view.data.id()).filter(|owner| *owner != view) else {
            return Ok(Vec::new());
        };
        let lanes = access.indices.iter().map(|index| usize::from(index.dtype.lanes)).max().unwrap_or(1);
        let linear = |e: &Expr| e.dtype.is_scalar() || matches!(e.kind, ExprKind::Ramp { .. } | ExprKind::Broadcast(_));
        // The place is linear in the lane where all indices are, so that the first and the last lane bound the others.
        let checked: Vec<usize> = match lanes {
            1 => vec![0],
            _ if access.indices.iter().all(linear) => vec![0, lanes - 1],
            _ => (0..lanes).collect(),
        };
        let elements = elements(owner)?;
        let mut open = Vec::new();
        for number in checked {
            let indices = access.indices.iter().map(|index| lane(index, number)).collect::<Option<Vec<_>>>();
            let Some(indices) = indices else {
                let message = format!("a vector index of buffer `{}` cannot be checked", view.name);
                return Err(error("TW0563", self.origins, message));
            };
            let condition = inside(&place(view, &indices)?, &elements)?;
            if !self.analyzer.prove(&condition) {
                open.push(condition);
            }
        }
        Ok(open)
    }

    fn proven(&self, index: &Expr, extent: &Expr) -> Result<bool> {
        if index.dtype.is_vector() {
            let bounds = self.analyzer.bounds(index);
            return Ok(extent.as_int().is_some_and(|extent| bounds.at_least(0) && bounds.at_most(extent - 1)));
        }
        Ok(self.analyzer.prove(&inside(index, extent)?))
    }

    /// An index that is outside wherever it is evaluated, or at the end of a loop that certainly runs there.
    fn report_certain_faults(&mut self, buffer: &Buffer, dim: usize, index: &Expr, extent: &Expr, certain: bool) {
        if !certain || buffer.shape.is_empty() {
            return;
        }
        let Some(extent) = self.analyzer.simplify(extent).as_int() else { return };
        let bounds = self.analyzer.bounds(index);
        let (Some(min), Some(max)) = (bounds.min, bounds.max) else { return };
        let never_inside = max < 0 || min >= extent;
        let reached = index.dtype.is_scalar()
            && (min < 0 || max >= extent)
            && self.analyzer.linear_in(index, &self.loops).is_some_and(|sum| sum.rest.as_int().is_some());
        if never_inside || reached {
            let reached = if max >= extent { max } else { min };
            let message = format!(
                "index {reached} is out of range for dimension {dim} of buffer `{}`, whose extent is {extent}",
                buffer.name
            );
            self.found.0.extend(error("TW0562", self.origins, message).0);
        }
    }
}

/// How many elements the memory of a buffer has, counted from its first one.
fn elements(buffer: &Buffer) -> Result<Expr> {
    if buffer.strides.is_empty() {
        return buffer
            .shape
            .iter()
            .try_fold(Expr::i64(1), |all, dim| typed(Expr::binary(BinOp::Mul, &all, &wide(dim)?)));
    }
    buffer.shape.iter().zip(&buffer.strides).try_fold(Expr::i64(1), |all, (dim, stride)| {
        let last = typed(Expr::binary(BinOp::Sub, &wide(dim)?, &Expr::i64(1)))?;
        typed(Expr::binary(BinOp::Add, &all, &typed(Expr::binary(BinOp::Mul, &last, &wide(stride)?))?))
    })
}

/// The number of the element that a view's scalar indices name, in the memory that it views.
fn place(view: &Buffer, indices: &[Expr]) -> Result<Expr> {
    let first = view.elem_offset.as_ref().map_or_else(|| Ok(Expr::i64(0)), wide)?;
    indices.iter().zip(strides(view)?).try_fold(first, |sum, (index, stride)| {
        typed(Expr::binary(BinOp::Add, &sum, &typed(Expr::binary(BinOp::Mul, &wide(index)?, &wide(&stride)?))?))
    })
}

fn wide(expr: &Expr) -> Result<Expr> {
    typed(expr.cast(DataType::I64))
}

fn inside(index: &Expr, extent: &Expr) -> Result<Expr> {
    let from = typed(Expr::compare(CmpOp::Le, &Expr::int(0, index.dtype), index))?;
    let below = typed(Expr::compare(CmpOp::Lt, index, extent))?;
    typed(Expr::binary(BinOp::And, &from, &below))
}
