//! `ThreadSync`: barriers between accesses of threads to the memory that they share.
//!
//! A barrier stands in front of a statement that reads what another thread may have written since the last barrier,
//! or that writes what another one may read or write; in a loop also in front of its first access, where that meets
//! the accesses of the iteration before. A barrier that is there already counts. Accesses at the same indices, which
//! tell threads apart, are those of one thread.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{Buffer, Builtin, Expr, ExprKind, ForKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::with_stack;

use super::{Options, below, seq, with};
use crate::stmt::{Result, mentions};

pub(super) fn thread_sync(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let scope = options.get("storage_scope").and_then(tilewright_ir::Attr::as_str).unwrap_or("shared").to_owned();
    let mut cx = Sync { scope, threads: Vec::new(), open: Vec::new() };
    let body = cx.stmt(&function.body)?;
    Ok(with(function, body))
}

#[derive(Clone)]
struct Access {
    memory: VarId,
    indices: Vec<Expr>,
    writes: bool,
}

struct Sync {
    scope: String,
    threads: Vec<Var>,
    /// Accesses since the last barrier.
    open: Vec<Access>,
}

impl Sync {
    fn is_shared(&self, buffer: &Buffer) -> bool {
        buffer.scope.name() == self.scope
    }

    fn barrier(&self) -> Stmt {
        StmtKind::Evaluate(Expr::builtin(Builtin::STORAGE_SYNC, vec![Expr::str(self.scope.clone())])).into()
    }

    /// Whether the statement is a barrier for this memory.
    fn is_barrier(&self, stmt: &Stmt) -> bool {
        let StmtKind::Evaluate(value) = &stmt.kind else { return false };
        let ExprKind::Foreign { callee, args } = &value.kind else { return false };
        let scope = match args.first().map(|scope| &scope.kind) {
            Some(ExprKind::Str(scope)) => &**scope,
            _ => return false,
        };
        // A barrier of all memory is one of shared memory too; one of a group of threads is none of a block.
        callee.is(Builtin::STORAGE_SYNC) && (scope == self.scope || (scope == "global" && self.scope != "global"))
    }

    /// The accesses of the statement's own expressions and of its store.
    fn own(&self, stmt: &Stmt, found: &mut Vec<Access>) {
        let mut touch = |buffer: &Buffer, indices: &[Expr], writes: bool| {
            if self.is_shared(buffer) {
                found.push(Access { memory: buffer.data.id(), indices: indices.to_vec(), writes });
            }
        };
        if let StmtKind::Store { buffer, indices, .. } = &stmt.kind {
            touch(buffer, indices, true);
        }
        for expr in stmt.own_exprs() {
            walk(&expr, |expr: &Expr| match &expr.kind {
                ExprKind::Load { buffer, indices, .. } => touch(buffer, indices, false),
                ExprKind::AddressOf { buffer, .. } => touch(buffer, &[], true),
                _ => {}
            });
        }
    }

    /// The accesses of the statement that may happen before a barrier inside of it. Returns whether it certainly meets
    /// one.
    fn leading(&self, stmt: &Stmt, found: &mut Vec<Access>) -> bool {
        if self.is_barrier(stmt) {
            return true;
        }
        self.own(stmt, found);
        with_stack(|| match &stmt.kind {
            StmtKind::Seq(stmts) => stmts.iter().any(|stmt| self.leading(stmt, found)),
            StmtKind::For { extent, body, .. } => {
                self.leading(body, found) && extent.as_int().is_some_and(|extent| extent > 0)
            }
            StmtKind::If { then, otherwise, .. } => {
                let first = self.leading(then, found);
                otherwise.as_ref().is_some_and(|stmt| self.leading(stmt, found)) && first
            }
            StmtKind::While { body, .. } => {
                self.leading(body, found);
                false
            }
            StmtKind::Let { body, .. }
            | StmtKind::Attr { body, .. }
            | StmtKind::Allocate { body, .. }
            | StmtKind::AllocateConst { body, .. } => self.leading(body, found),
            StmtKind::Block { block, .. } => {
                block.init.as_ref().is_some_and(|init| self.leading(init, found)) || self.leading(&block.body, found)
            }
            StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => false,
        })
    }

    fn before_a_barrier(&self, stmt: &Stmt) -> Vec<Access> {
        let mut found = Vec::new();
        self.leading(stmt, &mut found);
        found
    }

    fn meets(&self, a: &Access, b: &Access) -> bool {
        if a.memory != b.memory || !(a.writes || b.writes) {
            return false;
        }
        let same = !a.indices.is_empty()
            && a.indices.len() == b.indices.len()
            && a.indices.iter().zip(&b.indices).all(|(x, y)| x.equal(y));
        let mut apart = false;
        for index in &a.indices {
            apart |= mentions(index, &self.threads);
        }
        !(same && apart)
    }

    fn conflict(&self, open: &[Access], next: &[Access]) -> bool {
        next.iter().any(|b| open.iter().any(|a| self.meets(a, b)))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        if self.is_barrier(stmt) {
            self.open.clear();
            return Ok(stmt.clone());
        }
        let mut own = Vec::new();
        self.own(stmt, &mut own);
        self.open.extend(own);
        match &stmt.kind {
            StmtKind::For { var, kind: ForKind::ThreadBinding(_), .. } => {
                self.threads.push(var.clone());
                let inside = below(stmt, &mut |s| self.stmt(s));
                self.threads.pop();
                inside
            }
            StmtKind::Seq(stmts) => {
                let mut done = Vec::with_capacity(stmts.len());
                for stmt in stmts {
                    done.extend(self.step(stmt)?);
                }
                Ok(seq(done))
            }
            StmtKind::For { var, min, extent, kind, annotations, body } => {
                let before = self.open.clone();
                let body = with_stack(|| self.stmt(body))?;
                // The next iteration meets what is open at the end of this one.
                let meets = !self.threads.is_empty() && self.conflict(&self.open, &self.before_a_barrier(&body));
                let body = if meets { seq([self.barrier(), body]) } else { body };
                if extent.as_int().is_none_or(|extent| extent <= 0) {
                    self.open.extend(before);
                }
                let (min, extent) = (min.clone(), extent.clone());
                let (kind, annotations) = (kind.clone(), annotations.clone());
                Ok(StmtKind::For { var: var.clone(), min, extent, kind, annotations, body }.into())
            }
            StmtKind::While { .. } => {
                let before = self.open.clone();
                let inside = below(stmt, &mut |s| self.stmt(s));
                self.open.extend(before);
                inside
            }
            StmtKind::If { condition, then, otherwise } => {
                let before = self.open.clone();
                let then = with_stack(|| self.stmt(then))?;
                let after = std::mem::replace(&mut self.open, before);
                let otherwise = otherwise.as_ref().map(|stmt| with_stack(|| self.stmt(stmt))).transpose()?;
                self.open.extend(after);
                Ok(StmtKind::If { condition: condition.clone(), then, otherwise }.into())
            }
            _ => below(stmt, &mut |s| self.stmt(s)),
        }
    }

    /// A statement of a sequence, with the barrier in front that it needs.
    fn step(&mut self, stmt: &Stmt) -> Result<Vec<Stmt>> {
        let next = self.before_a_barrier(stmt);
        let barrier = !self.threads.is_empty() && self.conflict(&self.open, &next);
        let front = barrier.then(|| self.barrier());
        if barrier {
            self.open.clear();
        }
        let stmt = with_stack(|| self.stmt(stmt))?;
        Ok(front.into_iter().chain([stmt]).collect())
    }
}
