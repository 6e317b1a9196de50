//! The body of a PrimFunc as a part of another one: its parameters replaced, its variables its own, its blocks renamed.

use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_expr::node::{AnyHandle, IrNode, Mapper, Memo, VarId};
use tilewright_ir::analysis::tir::renew_defs;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Param, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Map, Set, with_stack};

/// The replacements of a function's parameters.
#[derive(Default)]
pub(super) struct Replacements {
    buffers: Map<VarId, Buffer>,
    /// The data variables of those.
    data: Map<VarId, Var>,
    /// Scalars and symbolic dimensions.
    scalars: Map<VarId, Expr>,
    /// The handles of buffer parameters, which have no replacement.
    handles: Set<VarId>,
}

impl Replacements {
    /// The dimensions of a parameter are those of its argument. Nothing where both can never fit.
    pub(super) fn dims(&mut self, param: &Buffer, dims: &[Expr]) -> Option<()> {
        if param.rank() != dims.len() {
            return None;
        }
        for (expected, found) in param.shape.iter().zip(dims) {
            if let Some(var) = expected.as_var() {
                let found = found.cast(var.dtype).ok()?;
                self.scalars.entry(var.id()).or_insert(found);
            }
        }
        Some(())
    }

    pub(super) fn scalar(&mut self, param: &Var, value: &Expr) -> Option<()> {
        let value = value.cast(param.dtype).ok()?;
        self.scalars.insert(param.id(), value);
        Some(())
    }

    /// The scalar expression of the function with its parameters replaced.
    pub(super) fn expr(&self, expr: &Expr) -> Expr {
        let mut mapper =
            Splice { replacements: self, names: &mut Names::default(), memo: Memo::default(), stuck: false };
        expr.map_children(&mut mapper).unwrap_or_else(|| expr.clone())
    }

    /// Replaces the buffer of a parameter by `argument`. If the parameter names strides or an offset, they get those of
    /// a compact tensor; `None` if they cannot be such.
    pub(super) fn buffer(&mut self, param: &Param, argument: &Buffer) -> Option<()> {
        let buffer = param.buffer.as_ref()?;
        if buffer.dtype != argument.dtype || buffer.broadcasts || !buffer.axis_separators.is_empty() {
            return None;
        }
        let mut step = Expr::i64(1);
        for (axis, dim) in argument.shape.iter().enumerate().rev() {
            if let Some(stride) = buffer.strides.get(axis) {
                self.layout(stride, &step)?;
            }
            step = &step * &dim.cast(tilewright_tensor::DataType::I64).ok()?;
        }
        if let Some(offset) = &buffer.elem_offset {
            self.layout(offset, &Expr::i64(0))?;
        }
        self.handles.insert(param.var.id());
        self.buffers.insert(buffer.id(), argument.clone());
        self.data.insert(buffer.data.id(), argument.data.clone());
        Some(())
    }

    fn layout(&mut self, said: &Expr, is: &Expr) -> Option<()> {
        match said.as_var() {
            Some(var) => {
                let is = is.cast(var.dtype).ok()?;
                self.scalars.entry(var.id()).or_insert(is);
                Some(())
            }
            None => {
                let said = self.expr(said).cast(is.dtype).ok()?;
                Analyzer::new().prove_equal(&said, is).then_some(())
            }
        }
    }
}

/// A function whose variables are its own and no other's.
pub(super) fn own(function: &PrimFunc) -> PrimFunc {
    renew_defs(function)
}

/// The body with its parameters replaced: its temporaries, and its statement. `None` if it uses a handle as such.
/// `names` are those of existing blocks.
pub(super) fn spliced(
    function: &PrimFunc,
    replacements: &Replacements,
    names: &mut Names,
) -> Option<(Vec<Buffer>, Stmt)> {
    let mut mapper = Splice { replacements, names, memo: Memo::default(), stuck: false };
    let plain = match &function.body.kind {
        StmtKind::Block { predicate, block, .. } => {
            let quiet = block.match_buffers.is_empty() && block.annotations.is_empty() && block.init.is_none();
            block.iters.is_empty() && predicate.as_int() == Some(1) && quiet
        }
        _ => false,
    };
    let (temporaries, body) = match &function.body.kind {
        StmtKind::Block { block, .. } if plain => (block.alloc_buffers.clone(), block.body.clone()),
        _ => (Vec::new(), function.body.clone()),
    };
    let temporaries = temporaries.map_children(&mut mapper).unwrap_or(temporaries);
    let body = body.map_children(&mut mapper).unwrap_or(body);
    (!mapper.stuck).then_some((temporaries, body))
}

/// The names of existing blocks.
#[derive(Default)]
pub(super) struct Names {
    taken: Set<Arc<str>>,
    /// For each duplicate name, a number below which none is free.
    next: Map<Arc<str>, usize>,
}

impl Names {
    /// Takes the name, or a similar one if it is taken; returns the name.
    fn another(&mut self, wish: &Arc<str>) -> Option<Arc<str>> {
        if self.taken.insert(wish.clone()) {
            return None;
        }
        let next = self.next.entry(wish.clone()).or_insert(1);
        loop {
            let name: Arc<str> = format!("{wish}_{next}").into();
            *next += 1;
            if self.taken.insert(name.clone()) {
                return Some(name);
            }
        }
    }
}

struct Splice<'r> {
    replacements: &'r Replacements,
    names: &'r mut Names,
    memo: Memo,
    /// Whether something without a replacement is used.
    stuck: bool,
}

impl Splice<'_> {
    fn replaced(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(buffer) = node.downcast::<Buffer>()
            && let Some(argument) = self.replacements.buffers.get(&buffer.id())
        {
            return Some(Box::new(argument.clone()));
        }
        if let Some(var) = node.downcast::<Var>() {
            self.stuck |= self.replacements.handles.contains(&var.id());
            return self.replacements.data.get(&var.id()).map(|data| Box::new(data.clone()) as Box<dyn AnyHandle>);
        }
        if let Some(expr) = node.downcast::<Expr>()
            && let ExprKind::Var(var) = &expr.kind
            && let Some(value) = self.replacements.scalars.get(&var.id())
        {
            return Some(Box::new(value.clone()));
        }
        let inside = with_stack(|| node.map_inside(self));
        let current = inside.as_deref().unwrap_or(node);
        if let Some(constant) = current.downcast::<Expr>().filter(|_| inside.is_some()).and_then(converted) {
            return Some(Box::new(constant));
        }
        let renamed = current.downcast::<Stmt>().and_then(|stmt| self.renamed(stmt));
        renamed.map(|stmt| Box::new(stmt) as Box<dyn AnyHandle>).or(inside)
    }

    /// Renames a block whose name is taken.
    fn renamed(&mut self, stmt: &Stmt) -> Option<Stmt> {
        let StmtKind::Block { values, predicate, block } = &stmt.kind else { return None };
        let name = self.names.another(&block.name)?;
        let mut block = block.clone();
        block.name = name;
        Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
    }
}

/// A constant for a scalar, in the type that it is converted to: scripts have no other form of it.
fn converted(expr: &Expr) -> Option<Expr> {
    match &expr.kind {
        ExprKind::Cast(value) if matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_)) => {
            value.cast(expr.dtype).ok()
        }
        _ => None,
    }
}

impl Mapper for Splice<'_> {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(known) = self.memo.get(node) {
            return known;
        }
        let result = self.replaced(node);
        self.memo.put(node, &result);
        result
    }
}
