//! `widen_indices`: loops, indices and the conditions on them in int64.
//!
//! Index arithmetic is over the mathematical integers, so that `int64(a + b)` is `int64(a) + int64(b)`. Integers that
//! come from memory keep their type and its wrap-around, and are converted as a whole. Where a widened variable is used
//! as data, it is converted back, which is exact.

use tilewright_expr::node::{AnyHandle, Mapper, VarId};
use tilewright_ir::tir::{Expr, ExprKind, Intrinsic, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Map, Set, with_stack};
use tilewright_tensor::DataType;

use crate::stmt::{Result, map_below, typed, with_body};

pub fn widen_indices(function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Widen::default();
    let body = cx.stmt(&function.body)?;
    Ok(with_body(function, body))
}

/// A result by the address of its origin, which is kept alive.
type Known = Map<usize, (Expr, Expr)>;

#[derive(Default)]
struct Widen {
    /// int64 variables in place of int32 ones.
    wide: Map<VarId, Var>,
    /// Variables whose value comes from memory.
    data: Set<VarId>,
    widened: Known,
    rewritten: Known,
    pure: Map<usize, (Expr, bool)>,
}

impl Widen {
    fn widen_var(&mut self, var: &Var) -> Var {
        if var.dtype != DataType::I32 {
            return var.clone();
        }
        // A variable may be bound again after its scope.
        self.wide.entry(var.id()).or_insert_with(|| Var::new(var.name.clone(), DataType::I64)).clone()
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let mut kind = stmt.kind.clone();
        match &mut kind {
            StmtKind::Store { indices, value, predicate, .. } => {
                for index in indices.iter_mut() {
                    *index = self.widen(index)?;
                }
                *value = self.rewrite(value)?;
                if let Some(predicate) = predicate {
                    *predicate = self.rewrite(predicate)?;
                }
            }
            StmtKind::For { var, min, extent, .. } => {
                (*min, *extent) = (self.widen(min)?, self.widen(extent)?);
                *var = self.widen_var(var);
            }
            StmtKind::While { condition, .. } | StmtKind::Assert { condition, .. } | StmtKind::If { condition, .. } => {
                *condition = self.rewrite(condition)?;
            }
            StmtKind::Let { var, value, .. } => {
                if self.is_index(value) && var.dtype == DataType::I32 {
                    *value = self.widen(value)?;
                    *var = self.widen_var(var);
                } else {
                    *value = self.rewrite(value)?;
                    self.data.insert(var.id());
                }
            }
            StmtKind::Evaluate(e) => *e = self.rewrite(e)?,
            StmtKind::Attr { node, value, .. } => (*node, *value) = (self.rewrite(node)?, self.rewrite(value)?),
            StmtKind::Seq(_) | StmtKind::Block { .. } | StmtKind::Allocate { .. } | StmtKind::AllocateConst { .. } => {}
        }
        map_below(&kind.into(), &mut |s| self.stmt(s))
    }

    /// Whether the integer is made of variables and constants only.
    fn is_index(&mut self, expr: &Expr) -> bool {
        if let Some((_, known)) = self.pure.get(&expr.address()) {
            return *known;
        }
        let is = with_stack(|| match &expr.kind {
            ExprKind::Int(_) => true,
            ExprKind::Var(var) => is_index_type(var.dtype) && !self.data.contains(&var.id()),
            ExprKind::Binary(_, a, b) => (is_index_type(expr.dtype.element())) && self.is_index(a) && self.is_index(b),
            ExprKind::Cast(a) | ExprKind::Broadcast(a) => is_index_type(expr.dtype.element()) && self.is_index(a),
            ExprKind::Ramp { base, stride } => self.is_index(base) && self.is_index(stride),
            _ => false,
        });
        self.pure.insert(expr.address(), (expr.clone(), is));
        is
    }

    /// The integer in int64.
    fn widen(&mut self, expr: &Expr) -> Result<Expr> {
        if let Some((_, known)) = self.widened.get(&expr.address()) {
            return Ok(known.clone());
        }
        let wide = with_stack(|| self.widen_node(expr))?;
        if expr.is_shared() {
            self.widened.insert(expr.address(), (expr.clone(), wide.clone()));
        }
        Ok(wide)
    }

    fn widen_node(&mut self, expr: &Expr) -> Result<Expr> {
        let dtype = DataType::I64.with_lanes(expr.dtype.lanes);
        if !self.is_index(expr) {
            // A choice between indices stays a choice.
            if let ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } = &expr.kind
                && is_index_type(expr.dtype)
                && let [condition, then, otherwise] = args.as_slice()
            {
                let args = [self.rewrite(condition)?, self.widen(then)?, self.widen(otherwise)?];
                return typed(Expr::call(Intrinsic::IfThenElse, &args));
            }
            return typed(self.rewrite(expr)?.cast(dtype));
        }
        Ok(match &expr.kind {
            ExprKind::Int(value) => Expr::int(*value, dtype),
            ExprKind::Var(var) => match self.wide.get(&var.id()) {
                Some(wide) => Expr::var(wide),
                None => typed(expr.cast(dtype))?,
            },
            ExprKind::Binary(op, a, b) => Expr::raw(dtype, ExprKind::Binary(*op, self.widen(a)?, self.widen(b)?)),
            ExprKind::Broadcast(a) => Expr::raw(dtype, ExprKind::Broadcast(self.widen(a)?)),
            ExprKind::Ramp { base, stride } => {
                let (base, stride) = (self.widen(base)?, self.widen(stride)?);
                Expr::raw(dtype, ExprKind::Ramp { base, stride })
            }
            // Conversions between index types change no value.
            ExprKind::Cast(a) => self.widen(a)?,
            _ => typed(self.rewrite(expr)?.cast(dtype))?,
        })
    }

    /// The expression in its own type, with widened variables, indices and comparisons inside.
    fn rewrite(&mut self, expr: &Expr) -> Result<Expr> {
        if let Some((_, known)) = self.rewritten.get(&expr.address()) {
            return Ok(known.clone());
        }
        let rewritten = with_stack(|| self.rewrite_node(expr))?;
        if expr.is_shared() {
            self.rewritten.insert(expr.address(), (expr.clone(), rewritten.clone()));
        }
        Ok(rewritten)
    }

    fn rewrite_node(&mut self, expr: &Expr) -> Result<Expr> {
        match &expr.kind {
            ExprKind::Var(var) => match self.wide.get(&var.id()) {
                Some(wide) => typed(Expr::var(wide).cast(var.dtype)),
                None => Ok(expr.clone()),
            },
            ExprKind::Compare(op, a, b) if self.is_index(a) && self.is_index(b) => {
                Ok(Expr::raw(expr.dtype, ExprKind::Compare(*op, self.widen(a)?, self.widen(b)?)))
            }
            ExprKind::Load { buffer, indices, predicate } => {
                let indices = indices.iter().map(|index| self.widen(index)).collect::<Result<Vec<_>>>()?;
                let predicate = predicate.as_ref().map(|p| self.rewrite(p)).transpose()?;
                Ok(Expr::raw(expr.dtype, ExprKind::Load { buffer: buffer.clone(), indices, predicate }))
            }
            ExprKind::AddressOf { buffer, indices } => {
                let indices = indices.iter().map(|index| self.widen(index)).collect::<Result<Vec<_>>>()?;
                Ok(Expr::raw(expr.dtype, ExprKind::AddressOf { buffer: buffer.clone(), indices }))
            }
            ExprKind::Let { var, value, body } => {
                self.data.insert(var.id());
                let (value, body) = (self.rewrite(value)?, self.rewrite(body)?);
                Ok(Expr::raw(expr.dtype, ExprKind::Let { var: var.clone(), value, body }))
            }
            // Data made of indices alone is computed wide and converted once.
            ExprKind::Binary(..) if expr.dtype == DataType::I32 && self.is_index(expr) && self.has_wide(expr) => {
                let wide = self.widen(expr)?;
                typed(wide.cast(expr.dtype))
            }
            _ => self.rewrite_children(expr),
        }
    }

    fn has_wide(&self, expr: &Expr) -> bool {
        let mut found = false;
        tilewright_expr::node::walk(expr, |var: &Var| found |= self.wide.contains_key(&var.id()));
        found
    }

    fn rewrite_children(&mut self, expr: &Expr) -> Result<Expr> {
        struct Children<'a>(&'a mut Widen, Result<()>);
        impl Mapper for Children<'_> {
            fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
                let expr = node.downcast::<Expr>()?;
                match self.0.rewrite(expr) {
                    Ok(new) if new.same(expr) => None,
                    Ok(new) => Some(Box::new(new)),
                    Err(found) => {
                        self.1 = Err(found);
                        None
                    }
                }
            }
        }
        let mut children = Children(self, Ok(()));
        let mapped = expr.map_inside(&mut children);
        children.1?;
        let mapped = mapped.and_then(|m| m.into_any().downcast::<Expr>().ok());
        Ok(mapped.map_or_else(|| expr.clone(), |m| *m))
    }
}

fn is_index_type(dtype: DataType) -> bool {
    dtype == DataType::I32 || dtype == DataType::I64
}
