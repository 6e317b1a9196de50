//! Substitution of variables and buffers, and copies with fresh binders.

use tilewright_arith::worked_out;
use tilewright_expr::node::{AnyHandle, IrNode, Mapper, Memo, VarId, walk};
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Map, Set, with_stack};

use crate::stmt::{Result, typed};

/// Replaces variables where they are used, variables where they are bound, and buffers.
#[derive(Default, Debug)]
pub struct Substitute {
    pub values: Map<VarId, Expr>,
    pub binders: Map<VarId, Var>,
    pub buffers: Map<VarId, Buffer>,
    memo: Memo,
}

impl Substitute {
    /// A value for one variable.
    pub fn value(var: &Var, value: Expr) -> Self {
        let mut all = Self::default();
        all.values.insert(var.id(), value);
        all
    }

    /// The node, everything in it replaced.
    pub fn apply<N: IrNode + Clone>(&mut self, node: &N) -> N {
        node.map_children(self).unwrap_or_else(|| node.clone())
    }

    fn replace(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(expr) = node.downcast::<Expr>()
            && let ExprKind::Var(var) = &expr.kind
            && let Some(value) = self.values.get(&var.id())
        {
            return Some(value.boxed());
        }
        if let Some(var) = node.downcast::<Var>() {
            return self.binders.get(&var.id()).map(|v| v.boxed());
        }
        if let Some(buffer) = node.downcast::<Buffer>() {
            if let Some(known) = self.buffers.get(&buffer.id()) {
                return Some(known.boxed());
            }
            let derived = node.map_inside(self)?;
            if let Some(derived) = derived.as_ref().downcast::<Buffer>() {
                self.buffers.insert(buffer.id(), derived.clone());
            }
            return Some(derived);
        }
        with_stack(|| node.map_inside(self))
    }
}

impl Mapper for Substitute {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(known) = self.memo.get(node) {
            return known;
        }
        let result = self.replace(node);
        self.memo.put(node, &result);
        result
    }
}

/// A copy of the statement in which the variables have these values, and whatever it binds itself has fresh variables.
/// It declares no views of memory from outside: see [`Owners`].
pub(crate) fn copy_with(stmt: &Stmt, values: impl IntoIterator<Item = (Var, Expr)>) -> Stmt {
    Owners::default().copy_with(stmt, values)
}

/// Whose declaration the memory of a function belongs to: other declarations are views.
#[derive(Default, Debug)]
pub(crate) struct Owners(Map<VarId, VarId>);

impl Owners {
    pub(crate) fn of(function: &PrimFunc) -> Self {
        let mut owners: Map<VarId, VarId> = Map::default();
        for buffer in function.params.iter().filter_map(|param| param.buffer.as_ref()) {
            owners.insert(buffer.data.id(), buffer.id());
        }
        for param in &function.params {
            owners.insert(param.var.id(), param.var.id());
        }
        walk(&function.body, |stmt: &Stmt| match &stmt.kind {
            StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. } => {
                owners.entry(buffer.data.id()).or_insert(buffer.id());
            }
            StmtKind::Let { var, .. } if var.dtype.is_handle() => {
                owners.entry(var.id()).or_insert(var.id());
            }
            StmtKind::Block { block, .. } => {
                for buffer in &block.alloc_buffers {
                    owners.entry(buffer.data.id()).or_insert(buffer.id());
                }
            }
            _ => {}
        });
        Self(owners)
    }

    /// A copy of a statement of the function, as [`copy_with`] makes it; views of memory from outside stay such.
    pub(crate) fn copy_with(&self, stmt: &Stmt, values: impl IntoIterator<Item = (Var, Expr)>) -> Stmt {
        let mut declared: Set<VarId> = Set::default();
        walk(stmt, |s: &Stmt| {
            if let StmtKind::Allocate { buffer, .. } = &s.kind {
                declared.insert(buffer.id());
            }
        });
        let from_outside =
            |buffer: &Buffer| self.0.get(&buffer.data.id()).is_some_and(|owner| !declared.contains(owner));
        fresh_copy(stmt, values, &from_outside)
    }
}

fn fresh_copy(
    stmt: &Stmt,
    values: impl IntoIterator<Item = (Var, Expr)>,
    from_outside: &dyn Fn(&Buffer) -> bool,
) -> Stmt {
    let mut all = Substitute::default();
    all.values.extend(values.into_iter().map(|(var, value)| (var.id(), value)));
    let mut renew = |var: &Var| {
        all.binders.insert(var.id(), var.renewed());
    };
    walk(stmt, |s: &Stmt| match &s.kind {
        StmtKind::For { var, .. } | StmtKind::Let { var, .. } => renew(var),
        StmtKind::Allocate { buffer, .. } if !from_outside(buffer) => renew(&buffer.data),
        _ => {}
    });
    walk(stmt, |e: &Expr| {
        if let ExprKind::Let { var, .. } = &e.kind {
            renew(var);
        }
    });
    all.apply(stmt)
}

/// The statement with other accesses, in the statements inside of it that `interesting` says; see [`reindex`].
pub(crate) fn reindex_where<F>(stmt: &Stmt, interesting: impl FnMut(&Stmt) -> bool, f: F) -> Stmt
where
    F: FnMut(&Buffer, &[Expr]) -> Option<(Buffer, Vec<Expr>)>,
{
    stmt.map_children(&mut Reindex { f, interesting, memo: Memo::default() }).unwrap_or_else(|| stmt.clone())
}

/// The statement with other accesses: `f` gives the buffer and the indices in place of those that it is interested in.
pub(crate) fn reindex<F>(stmt: &Stmt, f: F) -> Stmt
where
    F: FnMut(&Buffer, &[Expr]) -> Option<(Buffer, Vec<Expr>)>,
{
    reindex_where(stmt, |_| true, f)
}

struct Reindex<F, I> {
    f: F,
    interesting: I,
    memo: Memo,
}

impl<F, I> Reindex<F, I>
where
    F: FnMut(&Buffer, &[Expr]) -> Option<(Buffer, Vec<Expr>)>,
    I: FnMut(&Stmt) -> bool,
{
    fn replace(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if node.downcast::<Buffer>().is_some() || node.downcast::<Stmt>().is_some_and(|stmt| !(self.interesting)(stmt))
        {
            return None;
        }
        let inside = with_stack(|| node.map_inside(self));
        let current = inside.as_deref().unwrap_or(node);
        if let Some(expr) = current.downcast::<Expr>()
            && let ExprKind::Load { buffer, indices, predicate } = &expr.kind
            && let Some((buffer, indices)) = (self.f)(buffer, indices)
        {
            let load = ExprKind::Load { buffer, indices, predicate: predicate.clone() };
            return Some(Box::new(Expr::raw(expr.dtype, load)));
        }
        if let Some(expr) = current.downcast::<Expr>()
            && let ExprKind::AddressOf { buffer, indices } = &expr.kind
            && let Some((buffer, indices)) = (self.f)(buffer, indices)
        {
            return Some(Box::new(Expr::raw(expr.dtype, ExprKind::AddressOf { buffer, indices })));
        }
        if let Some(stmt) = current.downcast::<Stmt>()
            && let StmtKind::Store { buffer, indices, value, predicate } = &stmt.kind
            && let Some((buffer, indices)) = (self.f)(buffer, indices)
        {
            let (value, predicate) = (value.clone(), predicate.clone());
            return Some(Box::new(Stmt::from(StmtKind::Store { buffer, indices, value, predicate })));
        }
        inside
    }
}

impl<F, I> Mapper for Reindex<F, I>
where
    F: FnMut(&Buffer, &[Expr]) -> Option<(Buffer, Vec<Expr>)>,
    I: FnMut(&Stmt) -> bool,
{
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(known) = self.memo.get(node) {
            return known;
        }
        let result = self.replace(node);
        self.memo.put(node, &result);
        result
    }
}

/// The statement with accesses to another buffer in the place of those to `from`, `start` elements further in the first
/// dimension.
pub(crate) fn moved_by(stmt: &Stmt, from: &Buffer, to: &Buffer, start: &Expr) -> Result<Stmt> {
    let mut failed = None;
    let moved = reindex(stmt, |used, indices| {
        if used != from {
            return None;
        }
        let (index, rest) = match indices.split_first() {
            Some((index, rest)) => (index.clone(), rest),
            None => (Expr::int(0, start.dtype), &[][..]),
        };
        let place = || -> Result<Expr> {
            let start = typed(typed(start.cast(index.dtype.element()))?.broadcast(index.dtype.lanes))?;
            match start.kind {
                ExprKind::Int(_) => typed(worked_out(BinOp::Add, &index, &start)),
                _ => typed(Expr::binary(BinOp::Add, &start, &index)),
            }
        };
        match place() {
            Ok(index) => Some((to.clone(), std::iter::once(index).chain(rest.iter().cloned()).collect())),
            Err(problem) => {
                failed.get_or_insert(problem);
                None
            }
        }
    });
    match failed {
        Some(problem) => Err(problem),
        None => Ok(moved),
    }
}
