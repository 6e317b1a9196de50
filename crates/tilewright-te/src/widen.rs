//! Indices in one integer type.
//!
//! Formulas refer to axes in the types of their extents, which may differ. [`Widening`] gives every axis and symbolic
//! dimension one type: each variable becomes the narrowed value of a wide one, and the narrowing is moved outwards
//! through index arithmetic until it meets an operation that requires the narrow type, or one that takes the wide one.

use tilewright_expr::node::{AnyHandle, VarId, rewrite};
use tilewright_expr::{Expr, ExprKind, Intrinsic, Var};
use tilewright_support::{Map, Set};
use tilewright_tensor::DataType;

use crate::TeError;

#[derive(Debug)]
pub(crate) struct Widening {
    dtype: DataType,
    /// Wide variables by the narrow ones that they replace.
    vars: Map<VarId, Var>,
    /// Narrowed values that were made here, kept so that no other node gets their address, with the wide ones.
    narrowed: Map<usize, (Expr, Expr)>,
}

impl Widening {
    pub(crate) fn new(dtype: DataType) -> Self {
        Self { dtype, vars: Map::default(), narrowed: Map::default() }
    }

    /// The variable in the wide type.
    pub(crate) fn var(&mut self, var: &Var) -> Var {
        if !self.is_narrow(var.dtype) {
            return var.clone();
        }
        let dtype = self.dtype;
        let wide = || if var.size { Var::size(var.name.clone(), dtype) } else { Var::new(var.name.clone(), dtype) };
        self.vars.entry(var.id()).or_insert_with(wide).clone()
    }

    fn is_narrow(&self, dtype: DataType) -> bool {
        dtype.is_int() && dtype.is_scalar() && dtype.bits < self.dtype.bits
    }

    /// An index, or an extent, in the wide type.
    pub(crate) fn index(&mut self, expr: &Expr, local: &Set<VarId>) -> Result<Expr, TeError> {
        let expr = self.value(expr, local)?;
        Ok(self.widened(&expr)?)
    }

    /// A formula of the same type as before, over wide variables; those in `local` stay as they are.
    pub(crate) fn value(&mut self, expr: &Expr, local: &Set<VarId>) -> Result<Expr, TeError> {
        let mut wrong = None;
        let whole = vec![expr.clone()];
        let result = rewrite(&whole, |expr: &Expr| {
            self.rewritten(expr, local).unwrap_or_else(|error| {
                wrong = Some(error);
                None
            })
        });
        match wrong {
            Some(error) => Err(error),
            None => Ok(result.and_then(|mut exprs| exprs.pop()).unwrap_or_else(|| expr.clone())),
        }
    }

    fn rewritten(&mut self, expr: &Expr, local: &Set<VarId>) -> Result<Option<Expr>, TeError> {
        Ok(match &expr.kind {
            ExprKind::Var(var) if self.is_narrow(var.dtype) && !local.contains(&var.id()) => {
                let wide = Expr::var(&self.var(var));
                Some(self.narrow(expr.dtype, wide))
            }
            ExprKind::Binary(op, a, b) if self.is_index(a, b) => {
                let wide = Expr::binary(*op, &self.widened(a)?, &self.widened(b)?)?;
                Some(self.narrow(expr.dtype, wide))
            }
            ExprKind::Compare(op, a, b) if self.is_index(a, b) => {
                Some(Expr::compare(*op, &self.widened(a)?, &self.widened(b)?)?)
            }
            ExprKind::Select { condition, then, otherwise } if self.is_index(then, otherwise) => {
                let wide = Expr::select(condition, &self.widened(then)?, &self.widened(otherwise)?)?;
                Some(self.narrow(expr.dtype, wide))
            }
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
                [condition, a, b] if self.is_index(a, b) => {
                    let chosen = [condition.clone(), self.widened(a)?, self.widened(b)?];
                    let wide = Expr::call(Intrinsic::IfThenElse, &chosen)?;
                    Some(self.narrow(expr.dtype, wide))
                }
                _ => None,
            },
            ExprKind::Cast(value) => match self.wide(value) {
                Some(wide) => Some(wide.cast(expr.dtype)?),
                None => None,
            },
            ExprKind::Load { buffer, indices, predicate } => {
                let indices = indices.iter().map(|index| self.widened(index)).collect::<Result<Vec<_>, _>>()?;
                Some(Expr::load_where(buffer, indices, predicate.clone())?)
            }
            _ => None,
        })
    }

    /// Whether one of both is an index that has been widened, and the other is one too or a constant.
    fn is_index(&self, a: &Expr, b: &Expr) -> bool {
        let wide = |e: &Expr| self.wide(e).is_some();
        let takes = |e: &Expr| wide(e) || e.as_int().is_some();
        takes(a) && takes(b) && (wide(a) || wide(b))
    }

    fn wide(&self, expr: &Expr) -> Option<&Expr> {
        self.narrowed.get(&expr.address()).map(|(_, wide)| wide)
    }

    fn widened(&self, expr: &Expr) -> Result<Expr, tilewright_expr::TypeMismatch> {
        match self.wide(expr) {
            Some(wide) => Ok(wide.clone()),
            None if self.is_narrow(expr.dtype) => expr.cast(self.dtype),
            None => Ok(expr.clone()),
        }
    }

    fn narrow(&mut self, dtype: DataType, wide: Expr) -> Expr {
        let narrow = Expr::raw(dtype, ExprKind::Cast(wide.clone()));
        self.narrowed.insert(narrow.address(), (narrow.clone(), wide));
        narrow
    }
}
