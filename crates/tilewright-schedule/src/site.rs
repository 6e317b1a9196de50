//! Places in a function: how a statement is found by its key, replaced, and named by a path.
//!
//! A statement is addressed by a [`Key`]: a loop by its variable, a block by its first axis. These are identities that
//! primitives keep wherever they keep the loop or the block, so that a key outlives the tree that it was found in. A
//! block without axes has its name and its number among such blocks of that name.

use std::sync::Arc;

use tilewright_expr::node::{Path, Step, VarId};
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{Block, Expr, Stmt, StmtKind, Var};
use tilewright_support::Map;

/// What a handle stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// The loop over this variable.
    Loop(VarId),
    /// The block whose first axis this is.
    Block(VarId),
    /// The n-th block of this name among those without axes.
    Bare(Arc<str>, usize),
}

/// A statement with the path to it.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The statements around, from the outermost on, and which of the statements below each is on the path.
    pub(crate) above: Vec<(Stmt, usize)>,
    pub(crate) stmt: Stmt,
}

/// The statements directly below; of a block its body and its init.
pub(crate) fn below(stmt: &Stmt) -> Vec<&Stmt> {
    match &stmt.kind {
        StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => Vec::new(),
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::Let { body, .. }
        | StmtKind::Attr { body, .. }
        | StmtKind::AllocateConst { body, .. }
        | StmtKind::Allocate { body, .. } => vec![body],
        StmtKind::If { then, otherwise, .. } => std::iter::once(then).chain(otherwise).collect(),
        StmtKind::Seq(stmts) => stmts.iter().collect(),
        StmtKind::Block { block, .. } => std::iter::once(&block.body).chain(&block.init).collect(),
    }
}

/// The statement with another one for the `at`-th below it.
pub(crate) fn with_below(stmt: &Stmt, at: usize, new: Stmt) -> Stmt {
    let mut kind = stmt.kind.clone();
    match &mut kind {
        StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => {}
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::Let { body, .. }
        | StmtKind::Attr { body, .. }
        | StmtKind::AllocateConst { body, .. }
        | StmtKind::Allocate { body, .. } => *body = new,
        StmtKind::If { then, otherwise, .. } => match at {
            0 => *then = new,
            _ => *otherwise = Some(new),
        },
        StmtKind::Seq(stmts) => {
            let all = stmts.iter().enumerate().map(|(i, s)| if i == at { new.clone() } else { s.clone() });
            return Stmt::seq(all);
        }
        StmtKind::Block { block, .. } => match at {
            0 => block.body = new,
            _ => block.init = Some(new),
        },
    }
    kind.into()
}

/// The steps of a path from the statement to the `at`-th below it.
fn steps(stmt: &Stmt, at: usize) -> Vec<Step> {
    match (&stmt.kind, at) {
        (StmtKind::If { .. }, 0) => vec![Step::field("then_case")],
        (StmtKind::If { .. }, _) => vec![Step::field("else_case")],
        (StmtKind::Seq(_), at) => vec![Step::field("seq"), Step::Item(at)],
        (StmtKind::Block { .. }, 0) => vec![Step::field("block"), Step::field("body")],
        (StmtKind::Block { .. }, _) => vec![Step::field("block"), Step::field("init")],
        _ => vec![Step::field("body")],
    }
}

impl Site {
    /// The outermost statement.
    pub(crate) fn root(stmt: &Stmt) -> Self {
        Self { above: Vec::new(), stmt: stmt.clone() }
    }

    /// The `at`-th statement below.
    pub(crate) fn child(&self, at: usize) -> Option<Self> {
        let stmt = (*below(&self.stmt).get(at)?).clone();
        let above = self.above.iter().cloned().chain([(self.stmt.clone(), at)]).collect();
        Some(Self { above, stmt })
    }

    /// The outermost statement, with another one at this site.
    pub(crate) fn replaced(&self, new: Stmt) -> Stmt {
        self.above.iter().rev().fold(new, |inner, (stmt, at)| with_below(stmt, *at, inner))
    }

    /// The path from the function to this site.
    pub(crate) fn path(&self) -> Path {
        let inner = self.above.iter().flat_map(|(stmt, at)| steps(stmt, *at));
        Path(std::iter::once(Step::field("body")).chain(inner).collect())
    }

    /// How many of the statements around are outside of the innermost block around, that block included.
    fn scope_depth(&self) -> usize {
        self.above.iter().rposition(|(stmt, _)| is_block(stmt)).map_or(0, |at| at + 1)
    }

    /// The innermost block around.
    pub(crate) fn scope(&self) -> Option<Self> {
        let at = self.scope_depth().checked_sub(1)?;
        let (above, rest) = self.above.split_at(at);
        Some(Self { above: above.to_vec(), stmt: rest.first()?.0.clone() })
    }

    /// The loops around, as far as the innermost block around, from outside inwards.
    pub(crate) fn loops(&self) -> Vec<Loop> {
        self.above.iter().skip(self.scope_depth()).filter_map(|(stmt, _)| loop_of(stmt)).collect()
    }

    pub(crate) fn block(&self) -> Option<&Block> {
        match &self.stmt.kind {
            StmtKind::Block { block, .. } => Some(block),
            _ => None,
        }
    }

    /// The values of the block's axes and the condition under which it runs.
    pub(crate) fn binding(&self) -> Option<(&[Expr], &Expr)> {
        match &self.stmt.kind {
            StmtKind::Block { values, predicate, .. } => Some((values, predicate)),
            _ => None,
        }
    }
}

/// The axes of a block with the values that they have in an instance.
pub(crate) fn axis_values(block: &Block, values: &[Expr]) -> Vec<(Var, Expr)> {
    block.iters.iter().map(|iter| iter.var.clone()).zip(values.iter().cloned()).collect()
}

pub(crate) fn is_block(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Block { .. })
}

pub(crate) fn loop_of(stmt: &Stmt) -> Option<Loop> {
    match &stmt.kind {
        StmtKind::For { var, min, extent, kind, annotations, .. } => Some(Loop {
            var: var.clone(),
            min: min.clone(),
            extent: extent.clone(),
            kind: kind.clone(),
            annotations: annotations.clone(),
        }),
        _ => None,
    }
}

/// The loop as a statement around the body.
pub(crate) fn around(l: Loop, body: Stmt) -> Stmt {
    let Loop { var, min, extent, kind, annotations } = l;
    StmtKind::For { var, min, extent, kind, annotations, body }.into()
}

/// Calls `f` on every statement at or below the root with the path to it, parents first, until it gives something.
pub(crate) fn search<T>(root: &Stmt, mut f: impl FnMut(&Stmt, &[usize]) -> Option<T>) -> Option<T> {
    let mut pending: Vec<(&Stmt, Vec<usize>)> = vec![(root, Vec::new())];
    while let Some((stmt, path)) = pending.pop() {
        if let Some(found) = f(stmt, &path) {
            return Some(found);
        }
        let inner = below(stmt);
        for (at, inner) in inner.into_iter().enumerate().rev() {
            pending.push((inner, path.iter().copied().chain([at]).collect()));
        }
    }
    None
}

/// The site at the end of a path.
pub(crate) fn follow(root: &Stmt, path: &[usize]) -> Option<Site> {
    let (mut above, mut here) = (Vec::with_capacity(path.len()), root.clone());
    for &at in path {
        let next = (*below(&here).get(at)?).clone();
        above.push((here, at));
        here = next;
    }
    Some(Site { above, stmt: here })
}

/// The keys of the loops and blocks of a tree, visited in order: parents first.
#[derive(Default)]
struct Keys {
    /// How many blocks without axes there were, by name.
    bare: Map<Arc<str>, usize>,
}

impl Keys {
    fn next(&mut self, stmt: &Stmt) -> Option<Key> {
        match &stmt.kind {
            StmtKind::For { var, .. } => Some(Key::Loop(var.id())),
            StmtKind::Block { block, .. } => Some(match block.iters.first() {
                Some(iter) => Key::Block(iter.var.id()),
                None => {
                    let number = self.bare.entry(block.name.clone()).or_insert(0);
                    *number += 1;
                    Key::Bare(block.name.clone(), *number - 1)
                }
            }),
            _ => None,
        }
    }
}

/// Where the loop or block of this key is.
pub(crate) fn find(root: &Stmt, key: &Key) -> Option<Site> {
    let mut keys = Keys::default();
    let path = search(root, |stmt, path| (keys.next(stmt).as_ref() == Some(key)).then(|| path.to_vec()))?;
    follow(root, &path)
}

/// The key of the loop or block at a site.
pub(crate) fn key_at(root: &Stmt, site: &Site) -> Option<Key> {
    let wanted: Vec<usize> = site.above.iter().map(|(_, at)| *at).collect();
    let mut keys = Keys::default();
    search(root, |stmt, path| {
        let key = keys.next(stmt);
        (path == wanted).then_some(key)
    })?
}

/// The blocks at or below a site, as far as no other block is around them.
pub(crate) fn blocks_below(site: &Site) -> Vec<Site> {
    let (mut found, mut pending) = (Vec::new(), vec![site.clone()]);
    while let Some(site) = pending.pop() {
        if is_block(&site.stmt) {
            found.push(site);
            continue;
        }
        let count = below(&site.stmt).len();
        pending.extend((0..count).rev().filter_map(|at| site.child(at)));
    }
    found
}
