//! Struct infos from the rules, for expressions whose parts have changed.

use crate::calls::{TirCall, tir_vars};
use crate::op::{InferCx, InferError, is_said_pure};
use crate::relax::{Callee, Expr, ExprKind, StructInfo};

/// The expression of this kind with the struct info that its rule gives. `said` is what is known where there is no
/// rule: of functions of the runtime, texts and data types as values.
pub fn typed(cx: &InferCx, kind: ExprKind, said: &StructInfo) -> Result<Expr, InferError> {
    let info = match &kind {
        ExprKind::Var(var) => var.struct_info.clone(),
        ExprKind::GlobalVar(global) => global.signature.clone(),
        ExprKind::Constant(constant) => StructInfo::of_tensor(&constant.0),
        ExprKind::Tuple(fields) => StructInfo::Tuple(fields.iter().map(|field| field.struct_info.clone()).collect()),
        ExprKind::TupleGet { tuple, index } => return Expr::tuple_get(tuple.clone(), *index),
        ExprKind::Shape(dims) => return Ok(Expr::shape(dims.clone())),
        ExprKind::Prim(value) => return Ok(Expr::prim(value.clone())),
        ExprKind::If { condition, then, otherwise } => {
            return Expr::conditional(condition.clone(), then.clone(), otherwise.clone());
        }
        ExprKind::Function(function) => function.signature(),
        ExprKind::Call { .. } => return call(cx, kind),
        _ => said.clone(),
    };
    Ok(Expr::raw(info, kind))
}

fn call(cx: &InferCx, kind: ExprKind) -> Result<Expr, InferError> {
    let ExprKind::Call { callee, args, attrs, sinfo_args } = kind else {
        return Err(InferError::new("expected a call"));
    };
    let (given, out) = (args.clone(), sinfo_args.clone());
    let ruled = match &callee {
        Callee::Op(op) => return Expr::call_op(cx, *op, args, attrs),
        Callee::Tir(function) => Expr::call_tir_with(cx, function.clone(), given, out, TirCall::of(&attrs))?,
        Callee::TirInplace { function, results } => {
            Expr::call_tir_inplace_with(cx, function.clone(), given, results.clone(), out, tir_vars(&attrs))?
        }
        Callee::DpsPacked(name) => Expr::call_dps_packed(name.clone(), given, out)?,
        Callee::Packed(name) => Expr::call_packed(name.clone(), given, out),
        Callee::Value(function) if out.is_empty() => Expr::call_value(cx, function.clone(), given)?,
        Callee::Value(function) => Expr::invoke_closure(cx, function.clone(), given, out, is_said_pure(&attrs))?,
    };
    Ok(Expr::raw(ruled.struct_info.clone(), ExprKind::Call { callee, args, attrs, sinfo_args }))
}
