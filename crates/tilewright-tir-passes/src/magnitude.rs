//! How large index arithmetic gets.
//!
//! A bound that is computed in place of many values says what the mathematical integers say, and so do 64 bits where
//! nothing overflows. A scalar argument or an element of 64 bits may be anything: bounds of it are not to be trusted.

use tilewright_expr::node::{AnyHandle, VarId, walk};
use tilewright_ir::tir::{BinOp, Expr, ExprKind, Intrinsic, PrimFunc, Var};
use tilewright_support::{Map, with_stack};

/// No dimension of a tensor is larger: more bytes have no addresses.
const DIMENSION: u128 = 1 << 47;

/// The largest magnitudes of variables, as far as they are known.
pub(crate) struct Magnitudes {
    vars: Map<VarId, Option<u128>>,
}

impl Magnitudes {
    pub(crate) fn of(function: &PrimFunc) -> Self {
        let buffers = function.params.iter().filter_map(|param| param.buffer.as_ref());
        let dims = buffers.flat_map(|buffer| &buffer.shape).filter_map(Expr::as_var);
        Self { vars: dims.map(|dim| (dim.id(), Some(DIMENSION))).collect() }
    }

    /// A loop's variable.
    pub(crate) fn bind(&mut self, var: &Var, min: &Expr, extent: &Expr) {
        let size = self.largest(min).zip(self.largest(extent)).map(|(min, extent)| min.saturating_add(extent));
        self.vars.insert(var.id(), size);
    }

    pub(crate) fn bind_value(&mut self, var: &Var, value: &Expr) {
        let size = self.largest(value);
        self.vars.insert(var.id(), size);
    }

    /// Whether the value, and all that it is computed from, certainly fits into 64 bits.
    pub(crate) fn fits(&self, expr: &Expr) -> bool {
        self.largest(expr).is_some_and(|size| size < 1 << 62)
    }

    /// Whether the condition says of the mathematical integers what it says of 64 bits.
    pub(crate) fn trusts(&self, condition: &Expr) -> bool {
        let computes = |e: &Expr| matches!(e.kind, ExprKind::Binary(..) | ExprKind::Call { .. } | ExprKind::Let { .. });
        let mut all = true;
        walk(condition, |e: &Expr| {
            if let ExprKind::Compare(_, a, b) = &e.kind
                && a.dtype.is_int()
            {
                all &= [a, b].into_iter().all(|side| !computes(side) || self.fits(side));
            }
        });
        all
    }

    fn largest(&self, expr: &Expr) -> Option<u128> {
        self.size(expr, &mut Map::default())
    }

    /// `known` are results by address; the expression keeps its nodes alive.
    fn size(&self, expr: &Expr, known: &mut Map<usize, Option<u128>>) -> Option<u128> {
        if let Some(&size) = known.get(&expr.address()) {
            return size;
        }
        let size = with_stack(|| self.size_of_node(expr, known));
        if expr.is_shared() {
            known.insert(expr.address(), size);
        }
        size
    }

    fn size_of_node(&self, expr: &Expr, known: &mut Map<usize, Option<u128>>) -> Option<u128> {
        let by_type = || (expr.dtype.is_int() && expr.dtype.bits <= 32).then_some(1 << 32);
        match &expr.kind {
            ExprKind::Int(value) => Some(u128::from(value.unsigned_abs())),
            ExprKind::Var(var) => self.vars.get(&var.id()).copied().flatten().or_else(by_type),
            ExprKind::Binary(op, a, b) => {
                let divisor = b.as_int().map_or(1, |b| u128::from(b.unsigned_abs().max(1)));
                let (a, b) = (self.size(a, known)?, self.size(b, known)?);
                match op {
                    BinOp::Add | BinOp::Sub => Some(a.saturating_add(b)),
                    BinOp::Mul => Some(a.saturating_mul(b)),
                    BinOp::Min | BinOp::Max | BinOp::Mod | BinOp::FloorMod => Some(a.max(b)),
                    BinOp::Div | BinOp::FloorDiv => Some((a / divisor).saturating_add(1)),
                    _ => by_type(),
                }
            }
            ExprKind::Cast(a) if expr.dtype.is_int() => match self.size(a, known) {
                Some(size) => Some(size),
                None => by_type(),
            },
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
                [_, a, b] => Some(self.size(a, known)?.max(self.size(b, known)?)),
                _ => None,
            },
            _ => by_type(),
        }
    }
}
