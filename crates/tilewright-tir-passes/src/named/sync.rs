//! `ThreadSync`: barriers between accesses of threads to the memory that they share.
//!
//! A barrier stands in front of a statement that reads what another thread may have written since the last barrier, or
//! that writes what another one may read or write; in a loop also in front of its first access, where that meets the
//! accesses of the iteration before. Accesses at the same indices, which tell threads apart, are those of one thread.

use tilewright_expr::node::{VarId, walk, walk_some};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, ForKind, ForeignCallee, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;

use super::{Options, below, seq, with};
use crate::stmt::Result;

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
        let callee = ForeignCallee::Builtin("tvm_storage_sync".into());
        StmtKind::Evaluate(Expr::foreign(DataType::VOID, callee, vec![Expr::str(self.scope.clone())])).into()
    }

    /// The accesses of the statement and of those inside.
    fn accesses(&self, stmt: &Stmt) -> Vec<Access> {
        let mut found = Vec::new();
        let mut touch = |buffer: &Buffer, indices: &[Expr], writes: bool| {
            if self.is_shared(buffer) {
                found.push(Access { memory: buffer.data.id(), indices: indices.to_vec(), writes });
            }
        };
        walk_some(&StmtKind::Seq(vec![stmt.clone()]), |node| {
            if let Some(stmt) = node.downcast::<Stmt>()
                && let StmtKind::Store { buffer, indices, .. } = &stmt.kind
            {
                touch(buffer, indices, true);
            }
            if let Some(expr) = node.downcast::<Expr>() {
                match &expr.kind {
                    ExprKind::Load { buffer, indices, .. } => touch(buffer, indices, false),
                    ExprKind::AddressOf { buffer, .. } => touch(buffer, &[], true),
                    _ => {}
                }
            }
            true
        });
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
            walk(&StmtKind::Evaluate(index.clone()), |var: &Var| apart |= self.threads.contains(var));
        }
        !(same && apart)
    }

    fn conflict(&self, open: &[Access], next: &[Access]) -> bool {
        next.iter().any(|b| open.iter().any(|a| self.meets(a, b)))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
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
                let body = with_stack(|| self.stmt(body))?;
                // The next iteration meets what is open at the end of this one.
                let inside = self.accesses(&body);
                let meets = !self.threads.is_empty() && self.conflict(&self.open, &inside);
                let body = if meets { seq([self.barrier(), body]) } else { body };
                let (min, extent) = (min.clone(), extent.clone());
                let (kind, annotations) = (kind.clone(), annotations.clone());
                Ok(StmtKind::For { var: var.clone(), min, extent, kind, annotations, body }.into())
            }
            StmtKind::Store { .. } | StmtKind::Evaluate(_) => {
                self.open.extend(self.accesses(stmt));
                Ok(stmt.clone())
            }
            _ => below(stmt, &mut |s| self.stmt(s)),
        }
    }

    /// A statement of a sequence, with the barrier in front that it needs.
    fn step(&mut self, stmt: &Stmt) -> Result<Vec<Stmt>> {
        let next = self.accesses(stmt);
        let barrier = !self.threads.is_empty() && self.conflict(&self.open, &next);
        let front = barrier.then(|| self.barrier());
        if barrier {
            self.open.clear();
        }
        let stmt = with_stack(|| self.stmt(stmt))?;
        Ok(front.into_iter().chain([stmt]).collect())
    }
}
