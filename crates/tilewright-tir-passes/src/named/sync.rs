//! `ThreadSync`: barriers between accesses of threads to the memory that they share.
//!
//! A barrier stands in front of a statement that reads what another thread may have written since the last barrier,
//! or that writes what another one may read or write; in a loop also in front of its first access, where that meets
//! the accesses of an iteration before. A barrier that is there already counts. Which accesses meet is the matter of
//! [`super::shared_access`].
//!
//! All threads of a block come to each barrier. An `if` whose condition differs between threads (see
//! [`super::varying`]) is taken apart where a barrier is needed inside of it: `if c: S; T` becomes `if c: S`, the
//! barrier, `if c: T`. A loop that runs differently often in different threads is refused if it needs a barrier.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Builtin, Expr, ExprKind, ForKind, PrimFunc, Range, Stmt, StmtKind, Var};
use tilewright_support::{Map, Set, with_stack};

use super::shared_access::{Access, Binder, Pairs};
use super::varying::Varying;
use super::{Options, below, predicated, refuse, seq, with};
use crate::stmt::{Result, conjuncts, is_foreign, reads};
use crate::substitute::Substitute;

pub(super) fn thread_sync(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let scope = options.get("storage_scope").and_then(tilewright_ir::Attr::as_str).unwrap_or("shared").to_owned();
    let tags: &[&str] = if scope.starts_with("global") { &["threadIdx", "blockIdx"] } else { &["threadIdx"] };
    let varying = Varying::of(&function.body, tags);
    let mut shared = Set::default();
    walk(&function.body, |buffer: &Buffer| {
        if buffer.scope.name() == scope {
            shared.insert(buffer.data.id());
        }
    });
    let mut cx = Sync {
        scope,
        tags,
        varying,
        shared,
        threads: Vec::new(),
        here: Place::default(),
        open: Vec::new(),
        lane: None,
    };
    let body = cx.stmt(&function.body)?;
    Ok(with(function, body))
}

/// What stands around a statement.
#[derive(Default)]
struct Place {
    /// The threads that are bound here, by their tag.
    threads: Vec<(Var, Range)>,
    /// Loops and values of lets.
    binders: Vec<Binder>,
    conditions: Vec<Expr>,
    /// Axes of blocks, and lets that are functions of other variables.
    values: Map<tilewright_expr::node::VarId, Expr>,
}

/// A thread axis of the kernel; loops that bind it again count as the same one.
struct Thread {
    tag: std::sync::Arc<str>,
    var: Var,
    range: Range,
}

struct Sync {
    scope: String,
    /// Beginnings of the tags of loops whose iterations share the memory.
    tags: &'static [&'static str],
    varying: Varying,
    /// The memory of this scope.
    shared: Set<tilewright_expr::node::VarId>,
    threads: Vec<Thread>,
    here: Place,
    /// Accesses since the last barrier.
    open: Vec<Access>,
    /// The lane of a vector of indices.
    lane: Option<Var>,
}

fn barriers(stmt: &Stmt, scope: &str) -> usize {
    let mut count = 0;
    walk(stmt, |s: &Stmt| count += usize::from(is_barrier(s, scope)));
    count
}

/// Whether the statement is a barrier for memory of the scope.
pub(super) fn is_barrier(stmt: &Stmt, own: &str) -> bool {
    let StmtKind::Evaluate(value) = &stmt.kind else { return false };
    let ExprKind::Foreign { callee, args } = &value.kind else { return false };
    let scope = match args.first().map(|scope| &scope.kind) {
        Some(ExprKind::Str(scope)) => &**scope,
        _ => return false,
    };
    // A barrier of all memory is one of shared memory too; one of a group of threads is none of a block.
    callee.is(Builtin::STORAGE_SYNC) && (scope == own || (scope == "global" && own != "global"))
}

impl Sync {
    fn barrier(&self) -> Stmt {
        StmtKind::Evaluate(Expr::builtin(Builtin::STORAGE_SYNC, vec![Expr::str(self.scope.clone())])).into()
    }

    fn written_out(&self, expr: &Expr) -> Expr {
        if self.here.values.is_empty() {
            return expr.clone();
        }
        let mut values = Substitute::default();
        values.values.clone_from(&self.here.values);
        values.apply(expr)
    }

    fn range(&self, min: &Expr, extent: &Expr) -> Range {
        Range::new(self.written_out(min), self.written_out(extent))
    }

    /// Runs `f` for what is inside of the statement.
    fn within<T>(&mut self, stmt: &Stmt, f: impl FnOnce(&mut Self) -> T) -> T {
        let (threads, binders) = (self.here.threads.len(), self.here.binders.len());
        let conditions = self.here.conditions.len();
        match &stmt.kind {
            StmtKind::For { var, min, extent, kind: ForKind::ThreadBinding(tag), .. }
                if self.tags.iter().any(|own| tag.starts_with(own)) =>
            {
                self.thread(var, tag, &self.range(min, extent));
            }
            StmtKind::For { var, min, extent, .. } => {
                let range = self.range(min, extent);
                self.here.binders.push(Binder { var: var.clone(), range: Some(range) });
            }
            StmtKind::Let { var, value, .. } if reads(value) || is_foreign(value) => {
                self.here.binders.push(Binder { var: var.clone(), range: None });
            }
            StmtKind::Let { var, value, .. } => {
                let value = self.written_out(value);
                self.here.values.insert(var.id(), value);
            }
            StmtKind::Block { values, predicate, block } => {
                for (iter, value) in block.iters.iter().zip(values) {
                    let value = self.written_out(value);
                    self.here.values.insert(iter.var.id(), value);
                }
                self.holds(predicate);
            }
            _ => {}
        }
        let result = with_stack(|| f(self));
        self.here.threads.truncate(threads);
        self.here.binders.truncate(binders);
        self.here.conditions.truncate(conditions);
        result
    }

    fn thread(&mut self, var: &Var, tag: &std::sync::Arc<str>, range: &Range) {
        if range.extent.as_int() == Some(1) && !reads(&range.min) {
            self.here.values.insert(var.id(), range.min.clone());
            return;
        }
        let known = self.threads.iter().find(|thread| thread.tag == *tag);
        let own = match known {
            Some(thread)
                if thread.range.extent.equal(&range.extent)
                    && thread.range.min.equal(&range.min)
                    && thread.var.dtype == var.dtype =>
            {
                thread.var.clone()
            }
            _ => var.clone(),
        };
        if known.is_none() {
            self.threads.push(Thread { tag: tag.clone(), var: var.clone(), range: range.clone() });
        }
        if own != *var {
            self.here.values.insert(var.id(), Expr::var(&own));
        }
        self.here.threads.push((own, range.clone()));
    }

    fn holds(&mut self, condition: &Expr) {
        let parts = conjuncts(&self.written_out(condition));
        self.here.conditions.extend(parts.into_iter().filter(|part| !reads(part) && part.as_int().is_none()));
    }

    fn under<T>(&mut self, condition: &Expr, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.here.conditions.len();
        self.holds(condition);
        let result = with_stack(|| f(self));
        self.here.conditions.truncate(before);
        result
    }

    fn otherwise<T>(&mut self, condition: &Expr, f: impl FnOnce(&mut Self) -> T) -> T {
        match condition.not() {
            Ok(opposite) => self.under(&opposite, f),
            Err(_) => with_stack(|| f(self)),
        }
    }

    /// An index as a scalar: that of any lane.
    fn scalar(&mut self, index: &Expr) -> Expr {
        match &index.kind {
            ExprKind::Ramp { base, stride } => {
                let lane = self.lane.get_or_insert_with(|| Var::new("lane", base.dtype));
                if lane.dtype != base.dtype {
                    return index.clone();
                }
                base + &(stride * &Expr::var(lane))
            }
            ExprKind::Broadcast(value) => value.clone(),
            _ => index.clone(),
        }
    }

    fn touch(&mut self, buffer: &Buffer, indices: &[Expr], writes: bool) -> Option<Access> {
        let memory = buffer.data.id();
        if !self.shared.contains(&memory) {
            return None;
        }
        let lanes = indices.iter().map(|index| i64::from(index.dtype.lanes)).max().unwrap_or(1);
        let indices = indices.iter().map(|index| self.written_out(index)).collect::<Vec<_>>();
        let indices = indices.iter().map(|index| self.scalar(index)).collect();
        let mut access = self.whole(memory, writes);
        if let (true, Some(lane)) = (lanes > 1, &self.lane) {
            let range = Range::new(Expr::int(0, lane.dtype), Expr::int(lanes, lane.dtype));
            access.binders.push(Binder { var: lane.clone(), range: Some(range) });
        }
        access.element = Some((buffer.clone(), indices));
        Some(access)
    }

    /// An access to any elements of the memory.
    fn whole(&self, memory: tilewright_expr::node::VarId, writes: bool) -> Access {
        let Place { threads, binders, conditions, .. } = &self.here;
        let (threads, binders, conditions) = (threads.clone(), binders.clone(), conditions.clone());
        Access { memory, element: None, writes, threads, binders, conditions }
    }

    /// The accesses of the statement's own expressions and of its store.
    fn own(&mut self, stmt: &Stmt, found: &mut Vec<Access>) {
        if let StmtKind::Store { buffer, indices, .. } = &stmt.kind {
            found.extend(self.touch(buffer, indices, true));
        }
        for expr in stmt.own_exprs() {
            walk(&expr, |expr: &Expr| match &expr.kind {
                ExprKind::Load { buffer, indices, .. } => found.extend(self.touch(buffer, indices, false)),
                ExprKind::AddressOf { buffer, .. } if self.shared.contains(&buffer.data.id()) => {
                    found.push(self.whole(buffer.data.id(), true));
                }
                ExprKind::Foreign { args, .. } => {
                    let mask = expr.builtin_args(Builtin::ACCESS_PTR).and_then(|args| args.get(4)?.as_int());
                    let memory = args.iter().filter_map(Expr::as_var).map(Var::id);
                    let memory = memory.filter(|memory| self.shared.contains(memory));
                    found.extend(memory.map(|memory| self.whole(memory, mask.is_none_or(|mask| mask & 2 != 0))));
                }
                _ => {}
            });
        }
    }

    /// The accesses of the statement that may happen before a barrier inside of it. Returns whether it certainly meets
    /// one.
    fn leading(&mut self, stmt: &Stmt, found: &mut Vec<Access>) -> bool {
        if is_barrier(stmt, &self.scope) {
            return true;
        }
        self.own(stmt, found);
        match &stmt.kind {
            StmtKind::Seq(stmts) => stmts.iter().any(|stmt| with_stack(|| self.leading(stmt, found))),
            StmtKind::For { extent, body, .. } => {
                self.within(stmt, |cx| cx.leading(body, found)) && extent.as_int().is_some_and(|extent| extent > 0)
            }
            StmtKind::If { condition, then, otherwise, .. } => {
                let first = self.under(condition, |cx| cx.leading(then, found));
                let Some(otherwise) = otherwise else { return false };
                self.otherwise(condition, |cx| cx.leading(otherwise, found)) && first
            }
            StmtKind::While { condition, body } => {
                self.under(condition, |cx| cx.leading(body, found));
                false
            }
            StmtKind::Let { body, .. }
            | StmtKind::Attr { body, .. }
            | StmtKind::Allocate { body, .. }
            | StmtKind::AllocateConst { body, .. } => self.within(stmt, |cx| cx.leading(body, found)),
            StmtKind::Block { block, .. } => self.within(stmt, |cx| {
                block.init.as_ref().is_some_and(|init| cx.leading(init, found)) || cx.leading(&block.body, found)
            }),
            StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => false,
        }
    }

    fn before_a_barrier(&mut self, stmt: &Stmt) -> (Vec<Access>, bool) {
        let mut found = Vec::new();
        let certain = self.leading(stmt, &mut found);
        (found, certain)
    }

    /// Whether an access meets one that is open, where all variables that are bound here have one value.
    fn conflict(&self, next: &[Access], shift: Option<&Var>) -> bool {
        let pairs = Pairs { varying: &self.varying, common: &self.here.binders, shift };
        pairs.conflict(&self.open, next)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        if is_barrier(stmt, &self.scope) {
            self.open.clear();
            return Ok(stmt.clone());
        }
        let mut own = Vec::new();
        self.own(stmt, &mut own);
        self.open.extend(own);
        let done = match &stmt.kind {
            // Blocks have shared memory of their own.
            StmtKind::For { kind: ForKind::ThreadBinding(tag), body, .. }
                if tag.starts_with("blockIdx") || self.tags.iter().any(|own| tag.starts_with(own)) =>
            {
                let body = self.within(stmt, |cx| cx.body(body))?;
                return replaced(stmt, body);
            }
            StmtKind::Seq(stmts) => {
                let mut done = Vec::with_capacity(stmts.len());
                for stmt in stmts {
                    done.extend(self.step(stmt)?);
                }
                return Ok(seq(done));
            }
            StmtKind::For { .. } => self.serial(stmt)?,
            StmtKind::While { .. } => self.repeated(stmt)?,
            StmtKind::If { condition, .. } => return self.choice(stmt, condition),
            StmtKind::Let { body, .. }
            | StmtKind::Attr { body, .. }
            | StmtKind::Allocate { body, .. }
            | StmtKind::AllocateConst { body, .. } => {
                let body = self.within(stmt, |cx| cx.body(body))?;
                return replaced(stmt, body);
            }
            StmtKind::Block { .. } => return self.within(stmt, |cx| below(stmt, &mut |s| cx.body(s))),
            StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => return Ok(stmt.clone()),
        };
        let repeats = match &stmt.kind {
            StmtKind::For { min, extent, .. } => [min, extent].into_iter().any(|e| self.varying.expr(e)),
            StmtKind::While { condition, .. } => self.varying.expr(condition),
            _ => false,
        };
        if repeats && barriers(&done, &self.scope) > barriers(stmt, &self.scope) {
            return refuse(format!(
                "{} needs a barrier, and may run differently often in different threads, which would never meet \
                 there: give it the same number of iterations in all threads, and a condition inside",
                match &stmt.kind {
                    StmtKind::For { var, .. } => format!("the loop over `{}`", var.name),
                    _ => "a `while` loop".to_owned(),
                }
            ));
        }
        Ok(done)
    }

    /// The body of a statement, with the barrier in front that it needs.
    fn body(&mut self, stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::Seq(_) => with_stack(|| self.stmt(stmt)),
            _ => Ok(seq(with_stack(|| self.step(stmt))?)),
        }
    }

    fn serial(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let StmtKind::For { var, extent, body, .. } = &stmt.kind else { return Ok(stmt.clone()) };
        let before = self.open.clone();
        let done: Result<_> = self.within(stmt, |cx| {
            let body = cx.body(body)?;
            let next = cx.before_a_barrier(&body);
            Ok((body, next))
        });
        let (body, (next, certain)) = done?;
        // What is open at the end of an iteration meets a later one: the next one, if each passes a barrier.
        let again = extent.as_int() != Some(1) && self.conflict(&next, certain.then_some(var));
        let body = if again { seq([self.barrier(), body]) } else { body };
        if extent.as_int().is_none_or(|extent| extent <= 0) {
            self.open.extend(before);
        }
        replaced(stmt, body)
    }

    fn repeated(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let StmtKind::While { condition, body } = &stmt.kind else { return Ok(stmt.clone()) };
        let before = self.open.clone();
        let done: Result<_> = self.under(condition, |cx| {
            let body = cx.body(body)?;
            let next = cx.before_a_barrier(&body);
            Ok((body, next))
        });
        let (body, (next, _)) = done?;
        // The condition is evaluated between the iterations.
        let mut again = Vec::new();
        self.own(stmt, &mut again);
        let of_condition = self.conflict(&again, None);
        self.open.extend(again.iter().cloned());
        let of_body = self.conflict(&next, None);
        let body = if of_body { seq([self.barrier(), body]) } else { body };
        let body = if of_condition { seq([body, self.barrier()]) } else { body };
        self.open.extend(before);
        Ok(StmtKind::While { condition: condition.clone(), body }.into())
    }

    fn choice(&mut self, stmt: &Stmt, condition: &Expr) -> Result<Stmt> {
        let StmtKind::If { then, otherwise, .. } = &stmt.kind else { return Ok(stmt.clone()) };
        let before = self.open.clone();
        let then = self.under(condition, |cx| cx.body(then))?;
        let after = std::mem::replace(&mut self.open, before.clone());
        let otherwise = match otherwise {
            Some(stmt) => Some(self.otherwise(condition, |cx| cx.body(stmt))?),
            None => None,
        };
        self.open.extend(after);
        let done: Stmt = StmtKind::If { condition: condition.clone(), then, otherwise }.into();
        if barriers(&done, &self.scope) == barriers(stmt, &self.scope) || !self.varying.expr(condition) {
            return Ok(done);
        }
        let apart = predicated::taken_apart(&done, &|s| is_barrier(s, &self.scope))?;
        self.open = before;
        with_stack(|| self.stmt(&apart))
    }

    /// A statement of a sequence, with the barrier in front that it needs.
    fn step(&mut self, stmt: &Stmt) -> Result<Vec<Stmt>> {
        let (next, _) = self.before_a_barrier(stmt);
        let barrier = self.conflict(&next, None);
        let front = barrier.then(|| self.barrier());
        if barrier {
            self.open.clear();
        }
        let stmt = with_stack(|| self.stmt(stmt))?;
        Ok(front.into_iter().chain([stmt]).collect())
    }
}

/// The statement with another body.
fn replaced(stmt: &Stmt, body: Stmt) -> Result<Stmt> {
    below(stmt, &mut |_| Ok(body.clone()))
}
