//! `remove_no_op`: removes statements without effect.
//!
//! Effects are: a store to memory that is read later or belongs to the caller, an assert, a foreign call. A temporary
//! that is read only to compute its own next value counts as unread; a loop, a choice or a `Let` with an empty body has
//! no effect; neither has a store of the value that the element already has. An operand whose value is not needed is
//! removed together with the fault that it might report, as in simplification.
//!
//! A `While` stays as long as its body does anything that its condition may read: whether it ends is up to the user.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind};
use tilewright_support::{Map, Set, with_stack};

use crate::stmt::{Result, is_foreign, is_nothing, map_below, with_body};

pub fn remove_no_op(function: &PrimFunc) -> Result<PrimFunc> {
    let mut dead = Dead::default();
    dead.note(&function.body, None);
    dead.keep_all();
    Ok(with_body(function, dead.without(&function.body)?))
}

/// A statement with its dependences on other ones.
struct Node {
    stmt: Stmt,
    /// The number of the enclosing statement.
    around: Option<usize>,
    kept: bool,
}

#[derive(Default)]
struct Dead {
    /// Data variables of temporaries that no statement with an effect is known to read.
    unread: Set<VarId>,
    nodes: Vec<Node>,
    /// By data variable, the numbers of the stores that change the memory.
    stores: Map<VarId, Vec<usize>>,
    /// The worklist: statements found to have an effect and not yet visited.
    open: Vec<usize>,
}

impl Dead {
    /// Numbers the statement and those inside; opens those that have an effect whatever else has.
    fn note(&mut self, stmt: &Stmt, around: Option<usize>) {
        let number = self.nodes.len();
        self.nodes.push(Node { stmt: stmt.clone(), around, kept: false });
        let effect = match &stmt.kind {
            StmtKind::Store { .. } if stores_own_value(stmt) => false,
            StmtKind::Store { buffer, .. } => {
                self.stores.entry(buffer.data.id()).or_default().push(number);
                !self.unread.contains(&buffer.data.id())
            }
            StmtKind::Allocate { buffer, .. } => {
                self.unread.insert(buffer.data.id());
                false
            }
            // The end of a `While` depends on what the body does to what the condition reads.
            StmtKind::While { .. } | StmtKind::Assert { .. } | StmtKind::Block { .. } => true,
            StmtKind::Attr { .. } | StmtKind::AllocateConst { .. } => true,
            StmtKind::For { .. } | StmtKind::If { .. } | StmtKind::Let { .. } | StmtKind::Seq(_) => false,
            StmtKind::Evaluate(_) => false,
        };
        if effect || stmt.own_exprs().iter().any(is_foreign) {
            self.open.push(number);
        }
        for inner in below(stmt) {
            with_stack(|| self.note(inner, Some(number)));
        }
    }

    /// Propagates: a statement with an effect keeps its enclosing statements and the stores to memory that it reads.
    fn keep_all(&mut self) {
        while let Some(number) = self.open.pop() {
            let Some(node) = self.nodes.get_mut(number).filter(|node| !node.kept) else { continue };
            node.kept = true;
            self.open.extend(node.around);
            let stmt = node.stmt.clone();
            let own = stmt.own_exprs();
            own.iter().for_each(|e| walk(e, |buffer: &Buffer| self.release(buffer)));
            match &stmt.kind {
                StmtKind::Block { block, .. } => walk(block, |buffer: &Buffer| self.release(buffer)),
                // A store whose operands call functions stays.
                StmtKind::Store { buffer, .. } if own.iter().any(is_foreign) => self.release(buffer),
                _ => {}
            }
        }
    }

    /// Marks the contents of the buffer as needed.
    fn release(&mut self, buffer: &Buffer) {
        if self.unread.remove(&buffer.data.id()) {
            self.open.extend(self.stores.get(&buffer.data.id()).into_iter().flatten());
        }
    }

    fn without(&self, stmt: &Stmt) -> Result<Stmt> {
        let calls = stmt.own_exprs().iter().any(is_foreign);
        match &stmt.kind {
            StmtKind::Store { buffer, .. } => {
                let is_removed = self.unread.contains(&buffer.data.id()) || (stores_own_value(stmt) && !calls);
                Ok(if is_removed { Stmt::nothing() } else { stmt.clone() })
            }
            StmtKind::Evaluate(_) => Ok(if calls { stmt.clone() } else { Stmt::nothing() }),
            StmtKind::While { .. } | StmtKind::Attr { .. } | StmtKind::AllocateConst { .. } => {
                map_below(stmt, &mut |s| self.without(s))
            }
            StmtKind::Seq(stmts) => {
                let kept = stmts.iter().map(|s| with_stack(|| self.without(s))).collect::<Result<Vec<_>>>()?;
                Ok(Stmt::seq(kept))
            }
            StmtKind::Assert { .. } | StmtKind::Block { .. } => Ok(stmt.clone()),
            StmtKind::For { .. } | StmtKind::If { .. } | StmtKind::Let { .. } | StmtKind::Allocate { .. } => {
                let below = map_below(stmt, &mut |s| self.without(s))?;
                Ok(if is_empty(&below) && !calls { Stmt::nothing() } else { below })
            }
        }
    }
}

/// The statements directly inside.
fn below(stmt: &Stmt) -> Vec<&Stmt> {
    match &stmt.kind {
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::Let { body, .. }
        | StmtKind::Allocate { body, .. }
        | StmtKind::AllocateConst { body, .. }
        | StmtKind::Attr { body, .. } => vec![body],
        StmtKind::If { then, otherwise, .. } => [then].into_iter().chain(otherwise).collect(),
        StmtKind::Seq(stmts) => stmts.iter().collect(),
        StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) | StmtKind::Block { .. } => Vec::new(),
    }
}

/// Whether nothing is left inside.
fn is_empty(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::For { body, .. } | StmtKind::Let { body, .. } | StmtKind::Allocate { body, .. } => is_nothing(body),
        StmtKind::If { then, otherwise, .. } => is_nothing(then) && otherwise.as_ref().is_none_or(is_nothing),
        _ => false,
    }
}

/// `A[i] = A[i]`.
pub(crate) fn stores_own_value(stmt: &Stmt) -> bool {
    let StmtKind::Store { buffer, indices, value, predicate } = &stmt.kind else { return false };
    let ExprKind::Load { buffer: from, indices: at, predicate: read } = &value.kind else { return false };
    let same = |a: &Expr, b: &Expr| a.equal(b);
    // Nothing is stored where the predicate is false; where it holds, the load must have read.
    let covered = match (predicate, read) {
        (_, None) => true,
        (Some(stored), Some(read)) => same(stored, read),
        (None, Some(_)) => false,
    };
    buffer == from && covered && indices.len() == at.len() && indices.iter().zip(at).all(|(a, b)| same(a, b))
}
