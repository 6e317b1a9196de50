//! Transposed matrices in an adjoint function: those that cancel, and those of products.
//!
//! ```text
//! transpose(transpose(a))  ⇒  a
//! transpose(matmul(a, b))  ⇒  matmul(transpose(b), transpose(a))
//! ```
//!
//! A transpose exchanges the last two dimensions. Products with a transposed weight have gradients full of them.

use tilewright_expr::node::{VarId, rewrite};
use tilewright_ir::Attr;
use tilewright_ir::op::{InferCx, OpDef, OpRef};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, SeqExpr};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::permute_dims;
use tilewright_support::Map;

use crate::sequence::{Emitter, bound_value};

/// The body with fewer transposes.
pub(super) fn simplified(body: &SeqExpr) -> SeqExpr {
    let mut own = Transposes::default();
    let blocks = body.blocks.iter().map(|block| own.block(block)).collect();
    SeqExpr { blocks, result: own.named(&body.result) }
}

#[derive(Default)]
struct Transposes {
    cx: InferCx,
    values: Map<VarId, Expr>,
    renamed: Map<VarId, Expr>,
}

impl Transposes {
    fn block(&mut self, block: &BindingBlock) -> BindingBlock {
        let mut bindings = Vec::new();
        for binding in &block.bindings {
            let Some(value) = bound_value(binding).map(|value| self.named(value)) else {
                let binding = rewrite(binding, |expr: &Expr| self.name_of(expr)).unwrap_or_else(|| binding.clone());
                bindings.push(binding);
                continue;
            };
            let mut emit = Emitter { dataflow: block.dataflow, origins: &binding.origins, out: &mut bindings };
            let value = self.value(&value, &mut emit).unwrap_or(value);
            if value.as_var().is_some() && binding.var.dataflow && !is_name(binding) {
                self.renamed.insert(binding.var.id(), value);
                continue;
            }
            self.values.insert(binding.var.id(), value.clone());
            bindings.push(Binding { value: BindingValue::Expr(value), ..binding.clone() });
        }
        BindingBlock { dataflow: block.dataflow, bindings }
    }

    fn name_of(&self, expr: &Expr) -> Option<Expr> {
        self.renamed.get(&expr.as_var()?.id()).cloned()
    }

    fn named(&self, expr: &Expr) -> Expr {
        rewrite(expr, |expr: &Expr| self.name_of(expr)).unwrap_or_else(|| expr.clone())
    }

    /// The simpler value of a transpose.
    fn value(&self, value: &Expr, emit: &mut Emitter<'_>) -> Option<Expr> {
        let of = self.values.get(&transposed(value)?.as_var()?.id())?;
        if let Some(inner) = transposed(of) {
            return Some(inner.clone());
        }
        let (args, attrs) = call_of(of, &matmul::OP)?;
        let [a, b] = args else { return None };
        let (Some(2..), Some(2..), Some(Attr::DType(dtype))) =
            (a.struct_info.rank(), b.struct_info.rank(), attrs.get(OpDef::OUT_DTYPE))
        else {
            return None;
        };
        let (b, a) = (self.transpose(b, emit)?, self.transpose(a, emit)?);
        matmul::call(&self.cx, b, a, *dtype).ok()
    }

    fn transpose(&self, operand: &Expr, emit: &mut Emitter<'_>) -> Option<Expr> {
        let bound = operand.as_var().and_then(|var| self.values.get(&var.id()));
        if let Some(inner) = bound.and_then(transposed) {
            return Some(inner.clone());
        }
        let mut axes: Vec<i64> = (0..operand.struct_info.rank()? as i64).collect();
        let last = axes.len().checked_sub(2)?;
        axes.swap(last, last + 1);
        Some(emit.bind(permute_dims::call(&self.cx, operand.clone(), Some(&axes)).ok()?))
    }
}

fn is_name(binding: &Binding) -> bool {
    bound_value(binding).is_some_and(|value| value.as_var().is_some())
}

fn call_of<'e>(value: &'e Expr, op: &'static OpDef) -> Option<(&'e [Expr], &'e tilewright_ir::Attrs)> {
    match &value.kind {
        ExprKind::Call { callee: Callee::Op(own), args, attrs, .. } if *own == OpRef(op) => Some((args, attrs)),
        _ => None,
    }
}

/// What this value is the transpose of.
fn transposed(value: &Expr) -> Option<&Expr> {
    let (args, attrs) = call_of(value, &permute_dims::OP)?;
    let operand = args.first()?;
    let rank = operand.struct_info.rank()? as i64;
    let exchanged = |axes: Vec<i64>| {
        let axis = |axis: i64| if axis < 0 { axis + rank } else { axis };
        let expected = (0..rank).map(|at| {
            if at == rank - 1 {
                rank - 2
            } else if at == rank - 2 {
                rank - 1
            } else {
                at
            }
        });
        axes.into_iter().map(axis).eq(expected)
    };
    let is = match attrs.get("axes").and_then(Attr::as_ints) {
        Some(axes) => rank >= 2 && exchanged(axes),
        None => rank == 2,
    };
    is.then_some(operand)
}
