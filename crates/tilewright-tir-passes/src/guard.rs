//! `guard_indices`: bounds checks. User data never reads or writes out of bounds.
//!
//! Every index is proven to be in its dimension or checked by an `Assert` in front of its statement, under the
//! conditions under which the access is evaluated. Checks remain for values that the caller decides: loaded data,
//! scalar arguments, and sizes of different arguments that nothing relates. A masked access is checked lane by lane
//! where its predicate holds, and one through a view also against the memory that it views. An index that is certainly
//! outside, or that a loop certainly drives outside, is an error at compile time. Arguments that dimensions are
//! computed from are checked to be of a size with which arithmetic on them does not overflow.
//!
//! The work is linear in the size of a statement's expressions: a shared node is visited once (`access`), conditions
//! around accesses are handled one by one, and values that many checks share have a name (`front`).

use tilewright_arith::Scope;
use tilewright_expr::node::VarId;
use tilewright_ir::low::INDEX_GUARD;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Diagnostics, Map, Origins, with_stack};
use tilewright_tensor::DataType;

use crate::access::{Access, Accesses, lane};
use crate::blocks::strides;
use crate::facts::Facts;
use crate::front::Front;
use crate::magnitude::{SIZE_LIMIT, sizes_of_dimensions};
use crate::reach::Reach;
use crate::stmt::{Result, error, error_with_help, is_foreign, map_below, map_own, typed, with_body};

pub fn guard_indices(function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Guard {
        facts: Facts::of(function),
        origins: &function.origins,
        found: Diagnostics::default(),
        conditional: 0,
        loops: Vec::new(),
        owners: function.params.iter().filter_map(|p| p.buffer.clone()).map(|b| (b.data.id(), b)).collect(),
    };
    cx.assume_dimensions(function);
    let body = cx.stmt(&function.body)?;
    if cx.found.has_errors() {
        return Err(cx.found);
    }
    let sizes = sizes_of_dimensions(function).iter().map(size_check).collect::<Result<Vec<_>>>()?;
    Ok(if sizes.is_empty() {
        with_body(function, body)
    } else {
        with_body(function, Stmt::seq([Stmt::seq(sizes), body]))
    })
}

/// The assert that an argument that dimensions are computed from is as small as [`Facts`] take it to be.
fn size_check(size: &Var) -> Result<Stmt> {
    let compare = |a: &Expr, b: &Expr| typed(Expr::compare(CmpOp::Lt, a, b));
    let (value, limit) = (Expr::var(size), Expr::i64(SIZE_LIMIT));
    let condition =
        typed(Expr::binary(BinOp::And, &compare(&Expr::i64(-SIZE_LIMIT), &value)?, &compare(&value, &limit)?))?;
    let message = format!("the size `{}`, from which dimensions are computed, is out of range", size.name);
    Ok(StmtKind::Assert { condition, message: message.into() }.into())
}

/// Lanes of a vector of indices up to which each one is checked.
const CHECKED_LANES: u16 = 64;

struct Guard<'a> {
    facts: Facts,
    origins: &'a Origins,
    found: Diagnostics,
    /// Conditions around the statement.
    conditional: usize,
    /// Loops around the statement with constant bounds, which run at least once.
    loops: Vec<Var>,
    /// For each data variable the buffer that owns its memory; other buffers on it are views.
    owners: Map<VarId, Buffer>,
}

/// The expressions of a statement whose accesses need bounds checks: prefetches do not.
fn evaluated(stmt: &Stmt) -> Vec<Expr> {
    if let StmtKind::Evaluate(value) = &stmt.kind
        && let Some((_, indices, hints)) = value.prefetched()
    {
        return indices.iter().chain(hints).cloned().collect();
    }
    stmt.own_exprs()
}

/// The conditions that hold around an access, each in a scope of the analyser.
type Around = Vec<(Reach, Scope)>;

impl Guard<'_> {
    /// Learns that no dimension is negative, as [`size_check`] lets none be one that has overflowed. That is not known
    /// where the checks themselves are simplified.
    fn assume_dimensions(&mut self, function: &PrimFunc) {
        let buffers = function.params.iter().filter_map(|param| param.buffer.as_ref());
        for dim in buffers.flat_map(|buffer| &buffer.shape).filter(|dim| dim.as_var().is_none()) {
            if let Ok(natural) = Expr::compare(CmpOp::Le, &Expr::int(0, dim.dtype), dim) {
                self.facts.assume(&natural);
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let own = evaluated(stmt);
        let Some(mut accesses) = Accesses::of(&own) else {
            return Err(self.refused(
                "the conditions around the accesses of a statement depend on each other in too many ways".into(),
                "give parts of the statement names in statements before",
            ));
        };
        if let StmtKind::Store { buffer, indices, predicate, .. } = &stmt.kind {
            accesses.add_store(buffer, indices, predicate.as_ref());
        }
        if accesses.all.is_empty() {
            return self.below(stmt, &[]);
        }
        let calls = own.iter().any(is_foreign);
        // Memory that a call writes changes after the call; a `While` evaluates its condition in every iteration.
        let names = !calls && !matches!(stmt.kind, StmtKind::While { .. } | StmtKind::Allocate { .. });
        let mut front = Front::new(&mut accesses, names);
        let scope = self.facts.enter();
        let mut around = Around::new();
        for access in &accesses.all {
            if calls {
                self.refuse_calls(access, &mut front)?;
            }
            let indices = self.indices_of(access, &accesses, &mut around, &mut front)?;
            self.check(access, &indices, &mut around, &mut front)?;
        }
        self.leave_all(&mut around);
        let guards = front.asserts();
        let mut inside = front.outside.inside();
        let stmt = if inside.has_names() { map_own(stmt, &mut |e| inside.expr(e)) } else { stmt.clone() };
        let below = self.below(&stmt, &guards);
        self.facts.leave(scope);
        Ok(front.before(below?))
    }

    /// Learns the conditions under which an access is evaluated, and forgets those of the one before.
    fn enter(&mut self, reach: Reach, around: &mut Around, front: &mut Front) -> Result<()> {
        let conditions = front.reaches.conditions(reach);
        let same = around.iter().zip(&conditions).take_while(|((known, _), new)| known == *new).count();
        if let Some(&(_, scope)) = around.get(same) {
            self.facts.leave(scope);
            around.truncate(same);
        }
        for &reach in &conditions[same..] {
            let scope = self.facts.enter();
            if let Some(condition) = front.condition_of(reach)? {
                self.facts.assume(&condition);
            }
            around.push((reach, scope));
        }
        Ok(())
    }

    fn leave_all(&mut self, around: &mut Around) {
        if let Some(&(_, scope)) = around.first() {
            self.facts.leave(scope);
            around.clear();
        }
    }

    fn below(&mut self, stmt: &Stmt, guards: &[Stmt]) -> Result<Stmt> {
        let (known, running) = (self.loops.len(), self.facts.running.len());
        let scope = self.facts.enter();
        let mut conditional = 0;
        match &stmt.kind {
            StmtKind::For { var, min, extent, .. } => {
                self.facts.bind(var, min, extent);
                let constant = |e: &Expr| self.facts.analyzer.simplify(e).as_int();
                match (constant(min), constant(extent)) {
                    (Some(_), Some(1..)) => self.loops.push(var.clone()),
                    _ => conditional = usize::from(!self.facts.analyzer.bounds(extent).at_least(1)),
                }
                if extent.as_int().is_none() {
                    self.facts.runs(extent);
                }
            }
            StmtKind::Let { var, value, .. } => {
                self.facts.bind_value(var, value);
            }
            StmtKind::If { .. } => conditional = 1,
            StmtKind::While { .. } => conditional = 1,
            StmtKind::Allocate { buffer, .. } => drop(self.owners.insert(buffer.data.id(), buffer.clone())),
            _ => {}
        }
        self.conditional += conditional;
        let below = match &stmt.kind {
            StmtKind::Seq(stmts) => self.seq(stmts),
            // The condition is evaluated again after each iteration.
            StmtKind::While { condition, body } if !guards.is_empty() => with_stack(|| self.stmt(body)).map(|body| {
                let body = Stmt::seq([body].into_iter().chain(guards.iter().cloned()));
                StmtKind::While { condition: condition.clone(), body }.into()
            }),
            StmtKind::If { condition, then, otherwise } => self.choice(condition, then, otherwise.as_ref()),
            _ => map_below(stmt, &mut |s| self.stmt(s)),
        };
        self.conditional -= conditional;
        self.loops.truncate(known);
        self.facts.running.truncate(running);
        self.facts.leave(scope);
        below
    }

    fn choice(&mut self, condition: &Expr, then: &Stmt, otherwise: Option<&Stmt>) -> Result<Stmt> {
        let then = self.under(condition, then)?;
        let otherwise = match otherwise {
            Some(otherwise) => {
                let opposite = typed(condition.not())?;
                Some(self.under(&opposite, otherwise)?)
            }
            None => None,
        };
        Ok(StmtKind::If { condition: condition.clone(), then, otherwise }.into())
    }

    /// The statement where the condition holds.
    fn under(&mut self, condition: &Expr, stmt: &Stmt) -> Result<Stmt> {
        let scope = self.facts.enter();
        self.facts.assume(condition);
        let stmt = with_stack(|| self.stmt(stmt));
        self.facts.leave(scope);
        stmt
    }

    /// Learns the condition of an assert for the rest of the sequence.
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
                    self.facts.assume(condition);
                }
            }
            guarded.push(stmt);
        }
        Ok(Stmt::seq(guarded))
    }

    /// The indices as they are evaluated in front of the statement. Expensive ones get names.
    fn indices_of(
        &mut self,
        access: &Access,
        accesses: &Accesses,
        around: &mut Around,
        front: &mut Front,
    ) -> Result<Vec<Expr>> {
        let mut indices = Vec::with_capacity(access.indices.len());
        for index in &access.indices {
            let reach = accesses.reach_of(index).filter(|_| !access.is_lane);
            let named = reach.map_or(Ok(None), |reach| front.name_index(index, reach))?;
            indices.push(match named {
                Some((var, value)) => {
                    self.leave_all(around);
                    self.facts.bind_value(&var, &value);
                    Expr::var(&var)
                }
                None => front.outside.expr(index),
            });
        }
        Ok(indices)
    }

    fn check(&mut self, access: &Access, indices: &[Expr], around: &mut Around, front: &mut Front) -> Result<()> {
        self.enter(access.under, around, front)?;
        let unconditional = access.under == Reach::ALWAYS && self.conditional == 0;
        let mut needed = Vec::new();
        for (dim, (index, extent)) in indices.iter().zip(&access.buffer.shape).enumerate() {
            self.report_certain_faults(&access.buffer, dim, index, extent, unconditional);
            if !self.proven(index, extent)? {
                needed.push((dim, index, extent));
            }
        }
        let outside = self.outside_of_owner(&access.buffer, indices)?;
        for (dim, index, extent) in needed {
            let inside = match ends(index) {
                Some([first, last]) => {
                    typed(Expr::binary(BinOp::And, &inside(&first, extent)?, &inside(&last, extent)?))?
                }
                _ if index.dtype.is_vector() => self.all_inside(&access.buffer, index, extent)?,
                _ => inside(index, extent)?,
            };
            self.guard(access.under, inside, &format!("dimension {dim} of buffer `{}`", access.buffer.name), front)?;
        }
        for inside in outside {
            let what = format!("buffer `{}` in the memory that it views", access.buffer.name);
            self.guard(access.under, inside, &what, front)?;
        }
        Ok(())
    }

    /// Whether each lane of a vector of indices is inside.
    fn all_inside(&self, buffer: &Buffer, index: &Expr, extent: &Expr) -> Result<Expr> {
        let lanes = (0..usize::from(index.dtype.lanes)).map(|number| lane(index, number));
        let all = lanes.filter(|_| index.dtype.lanes <= CHECKED_LANES).try_fold(Expr::bool(true), |all, lane| {
            let inside = inside(&lane?, extent).ok()?;
            Expr::binary(BinOp::And, &all, &inside).ok()
        });
        let checked = all.filter(|_| index.dtype.lanes <= CHECKED_LANES);
        checked.ok_or_else(|| {
            let message = format!("a vector index of buffer `{}` cannot be proven to be in range", buffer.name);
            self.refused(message, "access one element after the other, or make it a ramp")
        })
    }

    fn refused(&self, message: String, help: &str) -> Diagnostics {
        error_with_help("TW0563", self.origins, message, help)
    }

    /// A check that calls a function again may see another result than the access does.
    fn refuse_calls(&self, access: &Access, front: &mut Front) -> Result<()> {
        let mut depends = access.indices.iter().any(|index| is_foreign(&front.outside.expr(index)));
        for reach in front.reaches.conditions(access.under) {
            depends |= front.condition_of(reach)?.is_some_and(|condition| is_foreign(&condition));
        }
        if !depends {
            return Ok(());
        }
        let message = format!("an access to buffer `{}` depends on a call inside of its statement", access.buffer.name);
        Err(self.refused(message, "give the call's result a name in a statement before, and use that"))
    }

    /// Adds the assert that the condition holds where the access is evaluated. From here on it does there, as long as
    /// the scopes of these conditions are open; several ways to an access have no scope.
    fn guard(&mut self, under: Reach, inside: Expr, what: &str, front: &mut Front) -> Result<()> {
        if front.reaches.is_plain(under) {
            self.facts.assume(&inside);
        }
        let condition = front.under(under, inside)?;
        front.assert(condition, &format!("{INDEX_GUARD}{what}"));
        Ok(())
    }

    /// The condition, unless it is proven, that an access through a view stays in the memory of the view's owner.
    fn outside_of_owner(&self, view: &Buffer, indices: &[Expr]) -> Result<Vec<Expr>> {
        let Some(owner) = self.owners.get(&view.data.id()).filter(|owner| *owner != view) else {
            return Ok(Vec::new());
        };
        let lanes = indices.iter().map(|index| usize::from(index.dtype.lanes)).max().unwrap_or(1);
        let linear = |e: &Expr| e.dtype.is_scalar() || matches!(e.kind, ExprKind::Ramp { .. } | ExprKind::Broadcast(_));
        // The flat index is linear in the lane if all indices are, so that the first and the last lane bound the
        // others.
        let checked: Vec<usize> = match lanes {
            1 => vec![0],
            _ if indices.iter().all(linear) => vec![0, lanes - 1],
            _ => (0..lanes).collect(),
        };
        let elements = elements(owner)?;
        if self.has_no_more(view, &elements)? {
            return Ok(Vec::new());
        }
        let mut open = Vec::new();
        for number in checked {
            let indices = indices.iter().map(|index| lane(index, number)).collect::<Option<Vec<_>>>();
            let Some(indices) = indices else {
                let message = format!("a vector index of buffer `{}` cannot be checked", view.name);
                return Err(self.refused(message, "access one element after the other, or make it a ramp"));
            };
            let condition = inside(&place(view, &indices)?, &elements)?;
            if !self.facts.analyzer.prove(&condition) {
                open.push(condition);
            }
        }
        Ok(open)
    }

    /// Whether a compact view has at most that many elements: an index in its dimensions is then inside the memory. For
    /// the flat index, a sum of products of sizes, that could not be proven.
    fn has_no_more(&self, view: &Buffer, elements_of_owner: &Expr) -> Result<bool> {
        let is_compact = view.strides.is_empty() && view.elem_offset.is_none();
        let fits = typed(Expr::compare(CmpOp::Le, &elements(view)?, elements_of_owner))?;
        Ok(is_compact && self.facts.analyzer.prove(&fits))
    }

    fn proven(&mut self, index: &Expr, extent: &Expr) -> Result<bool> {
        if let Some([first, last]) = ends(index) {
            return Ok(self.proven(&first, extent)? && self.proven(&last, extent)?);
        }
        if index.dtype.is_vector() {
            let bounds = self.facts.analyzer.bounds(index);
            return Ok(extent.as_int().is_some_and(|extent| bounds.at_least(0) && bounds.at_most(extent - 1)));
        }
        let condition = inside(index, extent)?;
        // The divisor may have overflowed, so reasoning in unbounded integers is invalid.
        let holds = |facts: &Facts| {
            facts.analyzer.prove(&condition) && facts.magnitudes.divides_exactly(&facts.analyzer, index)
        };
        // An index of loaded data is bounded by a condition or by constants, which code generation sees, too.
        let may_run = |cx: &Self| !cx.facts.running.is_empty() && cx.facts.analyzer.is_index(index);
        Ok(holds(&self.facts) || (may_run(self) && self.facts.where_it_runs(holds)))
    }

    /// An index that is outside wherever it is evaluated, or at the end of a loop that certainly runs there.
    fn report_certain_faults(&mut self, buffer: &Buffer, dim: usize, index: &Expr, extent: &Expr, certain: bool) {
        if !certain || buffer.shape.is_empty() {
            return;
        }
        let Some(extent) = self.facts.analyzer.simplify(extent).as_int() else { return };
        let bounds = self.facts.analyzer.bounds(index);
        let (Some(min), Some(max)) = (bounds.min, bounds.max) else { return };
        let never_inside = max < 0 || min >= extent;
        let reached = index.dtype.is_scalar()
            && (min < 0 || max >= extent)
            && self.facts.analyzer.linear_in(index, &self.loops).is_some_and(|sum| sum.rest.as_int().is_some());
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

/// The first and the last lane of a ramp: the others lie between them.
fn ends(index: &Expr) -> Option<[Expr; 2]> {
    let ExprKind::Ramp { base, stride } = &index.kind else { return None };
    Some([base.clone(), base + &(stride * (i64::from(index.dtype.lanes) - 1))])
}

/// The number of elements of the memory of a buffer, counted from its first one.
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
