//! Visiting and rewriting statements and expressions.
//!
//! The mutator of this level is [`tilewright_expr::node::rewrite`]: it gives a function each node whose parts are
//! rewritten already, a shared one once, and a variable or buffer that changes is replaced everywhere alike. The
//! functions here are its forms that scripts know.
//!
//! ```
//! use tilewright_expr::node::rewrite;
//! use tilewright_ir::tir::{BinOp, Expr, ExprKind, Var};
//! use tilewright_tensor::DataType;
//!
//! /// Doubles every constant.
//! fn doubled(expr: &Expr) -> Expr {
//!     let double = |e: &Expr| e.as_int().map(|value| Expr::int(2 * value, e.dtype));
//!     rewrite(expr, double).unwrap_or_else(|| expr.clone())
//! }
//!
//! let x = Expr::var(&Var::new("x", DataType::I32));
//! let sum = Expr::binary(BinOp::Add, &x, &Expr::i32(3))?;
//! assert!(doubled(&sum).equal(&Expr::binary(BinOp::Add, &x, &Expr::i32(6))?));
//! # Ok::<(), tilewright_ir::tir::TypeMismatch>(())
//! ```

use tilewright_expr::node::{AnyHandle, IrNode, Mapper, Memo, VarId, Visitor, rewrite, walk_some};
use tilewright_support::{Map, Set, with_stack};

use crate::tir::{Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};

/// A statement or an expression.
#[derive(Clone, Debug)]
pub enum Node {
    Stmt(Stmt),
    Expr(Expr),
}

impl Node {
    fn of(handle: &dyn AnyHandle) -> Option<Self> {
        let stmt = handle.downcast::<Stmt>().map(|stmt| Self::Stmt(stmt.clone()));
        stmt.or_else(|| handle.downcast::<Expr>().map(|expr| Self::Expr(expr.clone())))
    }
}

/// Calls `f` on every statement and expression at or below `root`, parts first, each shared node once.
pub fn post_order_visit<N: IrNode>(root: &N, f: &mut dyn FnMut(&Node)) {
    struct Walk<'f> {
        f: &'f mut dyn FnMut(&Node),
        seen: Set<usize>,
    }
    impl Visitor for Walk<'_> {
        fn visit(&mut self, handle: &dyn AnyHandle) {
            if handle.is_shared() && !self.seen.insert(handle.address()) {
                return;
            }
            with_stack(|| handle.visit_inside(self));
            if let Some(node) = Node::of(handle) {
                (self.f)(&node);
            }
        }
    }
    root.visit_children(&mut Walk { f, seen: Set::default() });
}

/// Calls `f` on every statement and expression at or below `root`, parents first, each shared node once. Where `f` says
/// false, what is inside is left out.
pub fn pre_order_visit<N: IrNode>(root: &N, f: &mut dyn FnMut(&Node) -> bool) {
    walk_some(root, |handle| Node::of(handle).is_none_or(|node| f(&node)));
}

/// The node with variables replaced by expressions.
pub fn substitute<N: IrNode + Clone>(root: &N, values: &[(Var, Expr)]) -> N {
    let values: Map<VarId, &Expr> = values.iter().map(|(var, value)| (var.id(), value)).collect();
    let value = |expr: &Expr| expr.as_var().and_then(|var| values.get(&var.id())).map(|value| (*value).clone());
    rewrite(root, value).unwrap_or_else(|| root.clone())
}

/// Whether both are of the same structure, variables by identity.
pub fn expr_deep_equal(a: &Expr, b: &Expr) -> bool {
    a.equal(b)
}

/// The replacement of a node; `None` if it stays.
pub type Replace<'f> = dyn FnMut(&Node) -> Option<Node> + 'f;

/// The callbacks of [`ir_transform`].
pub struct Transform<'f> {
    /// Gets a node before its parts; its result replaces the node, and is not visited.
    pub before: Option<&'f mut Replace<'f>>,
    /// Gets a node whose parts are transformed, unless `before` returned a replacement; its result replaces the node.
    pub after: Option<&'f mut Replace<'f>>,
    /// The nodes that the two get; the others are only traversed.
    pub only: &'f dyn Fn(&Node) -> bool,
}

impl std::fmt::Debug for Transform<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Transform(before: {}, after: {})", self.before.is_some(), self.after.is_some())
    }
}

/// Transforms statements and expressions, each shared node once. A replacement of another sort than the node is
/// an error.
pub fn ir_transform(stmt: &Stmt, transform: Transform<'_>) -> Result<Stmt, String> {
    let mut walk = Transforming { transform, memo: Memo::default(), wrong: None };
    let changed = stmt.map_children(&mut walk);
    match walk.wrong {
        Some(wrong) => Err(wrong),
        None => Ok(changed.unwrap_or_else(|| stmt.clone())),
    }
}

struct Transforming<'f> {
    transform: Transform<'f>,
    memo: Memo,
    wrong: Option<String>,
}

impl Transforming<'_> {
    /// The replacement as a handle of the node's sort.
    fn handle(&mut self, old: &Node, new: Node) -> Option<Box<dyn AnyHandle>> {
        match (old, new) {
            (Node::Stmt(_), Node::Stmt(stmt)) => Some(Box::new(stmt)),
            (Node::Expr(old), Node::Expr(new)) if old.dtype == new.dtype => Some(Box::new(new)),
            (Node::Expr(old), Node::Expr(new)) => {
                self.wrong = Some(format!("an expression of type {} is to stand for one of {}", new.dtype, old.dtype));
                None
            }
            (Node::Stmt(_), Node::Expr(_)) => {
                self.wrong = Some("an expression is to stand for a statement".to_owned());
                None
            }
            (Node::Expr(_), Node::Stmt(_)) => {
                self.wrong = Some("a statement is to stand for an expression".to_owned());
                None
            }
        }
    }

    fn map_new(&mut self, handle: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        let node = Node::of(handle).filter(|node| (self.transform.only)(node));
        if let Some(node) = &node
            && let Some(new) = self.transform.before.as_mut().and_then(|before| before(node))
        {
            return self.handle(node, new);
        }
        let inside = with_stack(|| handle.map_inside(self));
        if node.is_some()
            && let Some(node) = Node::of(inside.as_deref().unwrap_or(handle))
            && let Some(new) = self.transform.after.as_mut().and_then(|after| after(&node))
        {
            return self.handle(&node, new);
        }
        inside
    }
}

impl Mapper for Transforming<'_> {
    fn map(&mut self, handle: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if self.wrong.is_some() {
            return None;
        }
        if let Some(known) = self.memo.get(handle) {
            return known;
        }
        let result = self.map_new(handle);
        self.memo.put(handle, &result);
        result
    }
}

/// The function with variables and buffers of its own: everything that it defines is defined anew.
pub fn renew_defs(function: &PrimFunc) -> PrimFunc {
    let mut vars: Map<VarId, Var> = Map::default();
    let mut renew = |var: &Var| {
        vars.entry(var.id()).or_insert_with(|| var.renewed());
    };
    for param in &function.params {
        renew(&param.var);
        let Some(buffer) = &param.buffer else { continue };
        renew(&buffer.data);
        let defined = buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset);
        defined.filter_map(Expr::as_var).for_each(&mut renew);
    }
    walk_some(&function.body, |handle| {
        if let Some(stmt) = handle.downcast::<Stmt>() {
            defined_by(stmt, &mut renew);
        } else if let Some(expr) = handle.downcast::<Expr>()
            && let ExprKind::Let { var, .. } = &expr.kind
        {
            renew(var);
        }
        true
    });
    rewrite(function, |var: &Var| vars.get(&var.id()).cloned()).unwrap_or_else(|| function.clone())
}

/// The variables that a statement defines itself, the data of its buffers among them.
pub(super) fn defined_by(stmt: &Stmt, found: &mut dyn FnMut(&Var)) {
    let buffer = |buffer: &Buffer, found: &mut dyn FnMut(&Var)| {
        found(&buffer.data);
        buffer.strides.iter().chain(&buffer.elem_offset).filter_map(Expr::as_var).for_each(found);
    };
    match &stmt.kind {
        StmtKind::For { var, .. } | StmtKind::Let { var, .. } => found(var),
        StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. } => found(&buffer.data),
        StmtKind::Block { block, .. } => {
            block.iters.iter().for_each(|iter| found(&iter.var));
            block.alloc_buffers.iter().for_each(|buffer| found(&buffer.data));
            block.match_buffers.iter().for_each(|matched| buffer(&matched.buffer, found));
        }
        StmtKind::Store { .. }
        | StmtKind::While { .. }
        | StmtKind::If { .. }
        | StmtKind::Assert { .. }
        | StmtKind::Seq(_)
        | StmtKind::Evaluate(_)
        | StmtKind::Attr { .. } => {}
    }
}
