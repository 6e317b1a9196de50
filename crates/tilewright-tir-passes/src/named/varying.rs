//! Which variables, and which memory of a thread's own, may hold different values in different threads.
//!
//! A value differs if it is made of a thread's number, of an element at a place that differs, or of such a value in
//! memory of the thread's own; and so does what is stored under a condition or in a loop that differs. The result of a
//! foreign function may differ. Elements of shared and global memory at one place are the same for all threads.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, ForKind, Scope, Stmt, StmtKind, Var};
use tilewright_support::{Set, with_stack};

pub(super) struct Varying {
    vars: Set<VarId>,
    memory: Set<VarId>,
    tags: &'static [&'static str],
}

fn is_private(buffer: &Buffer) -> bool {
    let name = buffer.scope.name();
    !matches!(buffer.scope.plain(), Scope::Global | Scope::Shared) && !name.starts_with("shared")
}

impl Varying {
    /// Of a body whose threads are loops with these beginnings of tags.
    pub(super) fn of(body: &Stmt, tags: &'static [&'static str]) -> Self {
        let mut found = Self { vars: Set::default(), memory: Set::default(), tags };
        loop {
            let before = found.vars.len() + found.memory.len();
            found.stmt(body, false);
            if found.vars.len() + found.memory.len() == before {
                return found;
            }
        }
    }

    pub(super) fn has(&self, var: &Var) -> bool {
        self.vars.contains(&var.id())
    }

    /// Whether the expression may differ.
    pub(super) fn expr(&self, expr: &Expr) -> bool {
        let mut varies = false;
        walk(expr, |e: &Expr| match &e.kind {
            ExprKind::Var(var) => varies |= self.has(var),
            ExprKind::Load { buffer, .. } => varies |= self.memory.contains(&buffer.data.id()),
            ExprKind::Let { value, .. } => varies |= self.expr(value),
            ExprKind::Foreign { .. } => varies = true,
            _ => {}
        });
        varies
    }

    /// Private memory that is given away holds anything.
    fn given(&mut self, expr: &Expr) {
        walk(expr, |e: &Expr| match &e.kind {
            ExprKind::AddressOf { buffer, .. } if is_private(buffer) => {
                self.memory.insert(buffer.data.id());
            }
            ExprKind::Var(var) if var.dtype.is_handle() => {
                self.memory.insert(var.id());
            }
            _ => {}
        });
    }

    fn stmt(&mut self, stmt: &Stmt, control: bool) {
        for expr in stmt.own_exprs() {
            self.given(&expr);
        }
        with_stack(|| match &stmt.kind {
            StmtKind::For { var, min, extent, kind, body, .. } => {
                let thread = match kind {
                    ForKind::ThreadBinding(tag) => self.tags.iter().any(|own| tag.starts_with(own)),
                    _ => false,
                };
                let range = self.expr(min) || self.expr(extent);
                if range || (thread && extent.as_int() != Some(1)) {
                    self.vars.insert(var.id());
                }
                self.stmt(body, control || range);
            }
            StmtKind::While { condition, body } => {
                let control = control || self.expr(condition);
                self.stmt(body, control);
            }
            StmtKind::If { condition, then, otherwise } => {
                let control = control || self.expr(condition);
                self.stmt(then, control);
                otherwise.iter().for_each(|stmt| self.stmt(stmt, control));
            }
            StmtKind::Let { var, value, body } => {
                if self.expr(value) {
                    self.vars.insert(var.id());
                }
                self.stmt(body, control);
            }
            StmtKind::Store { buffer, indices, value, predicate } => {
                let all = indices.iter().chain([value]).chain(predicate);
                if is_private(buffer) && (control || all.into_iter().any(|e| self.expr(e))) {
                    self.memory.insert(buffer.data.id());
                }
            }
            StmtKind::Block { values, predicate, block } => {
                for (iter, value) in block.iters.iter().zip(values) {
                    if self.expr(value) {
                        self.vars.insert(iter.var.id());
                    }
                }
                let control = control || self.expr(predicate);
                block.init.iter().for_each(|init| self.stmt(init, control));
                self.stmt(&block.body, control);
            }
            StmtKind::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt, control)),
            StmtKind::Attr { body, .. } | StmtKind::Allocate { body, .. } | StmtKind::AllocateConst { body, .. } => {
                self.stmt(body, control);
            }
            StmtKind::Assert { .. } | StmtKind::Evaluate(_) => {}
        });
    }
}
