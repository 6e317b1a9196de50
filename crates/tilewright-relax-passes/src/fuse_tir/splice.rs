//! The body of a PrimFunc as a part of another one: its parameters replaced, its variables its own, its blocks renamed.

use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_expr::node::{AnyHandle, IrNode, Mapper, Memo, VarId};
use tilewright_ir::analysis::tir::renew_defs;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Param, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Map, Set, with_stack};

/// What stands for the parameters of a function.
#[derive(Default)]
pub(super) struct Replacements {
    buffers: Map<VarId, Buffer>,
    /// The data variables of those.
    data: Map<VarId, Var>,
    /// Scalars and symbolic dimensions.
    scalars: Map<VarId, Expr>,
    /// The handles of buffer parameters, for which nothing stands.
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

    /// The scalar expression of the function as it is in its place.
    pub(super) fn expr(&self, expr: &Expr) -> Expr {
        let mut mapper =
            Splice { replacements: self, names: &mut Names::default(), memo: Memo::default(), stuck: false };
        expr.map_children(&mut mapper).unwrap_or_else(|| expr.clone())
    }

    /// `place` stands for the buffer of a parameter. Where that names its strides or offset, they are those of a compact
    /// tensor; nothing where they can be no such.
    pub(super) fn buffer(&mut self, param: &Param, place: &Buffer) -> Option<()> {
        let buffer = param.buffer.as_ref()?;
        if buffer.dtype != place.dtype || buffer.broadcasts || !buffer.axis_separators.is_empty() {
            return None;
        }
        let mut step = Expr::i64(1);
        for (axis, dim) in place.shape.iter().enumerate().rev() {
            if let Some(stride) = buffer.strides.get(axis) {
                self.layout(stride, &step)?;
            }
            step = &step * &dim.cast(tilewright_tensor::DataType::I64).ok()?;
        }
        if let Some(offset) = &buffer.elem_offset {
            self.layout(offset, &Expr::i64(0))?;
        }
        self.handles.insert(param.var.id());
        self.buffers.insert(buffer.id(), place.clone());
        self.data.insert(buffer.data.id(), place.data.clone());
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

/// The body in its place: its temporaries, and its statement. Nothing where it uses a handle as such. `names` are those of
/// the blocks that there are already.
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

/// The names of the blocks that there are.
#[derive(Default)]
pub(super) struct Names {
    taken: Set<Arc<str>>,
    /// Of a name that was asked for again, a number below which none is free.
    next: Map<Arc<str>, usize>,
}

impl Names {
    /// Takes the name; where it is taken, another one like it, which is given.
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
    /// Something is used that nothing stands for.
    stuck: bool,
}

impl Splice<'_> {
    fn replaced(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(buffer) = node.downcast::<Buffer>()
            && let Some(place) = self.replacements.buffers.get(&buffer.id())
        {
            return Some(Box::new(place.clone()));
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

    /// A block whose name is taken, under another one.
    fn renamed(&mut self, stmt: &Stmt) -> Option<Stmt> {
        let StmtKind::Block { values, predicate, block } = &stmt.kind else { return None };
        let name = self.names.another(&block.name)?;
        let mut block = block.clone();
        block.name = name;
        Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
    }
}

/// A constant that stands for a scalar, in the type that it is converted to: scripts have no other form of it.
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
