//! `legalize_floats`: arithmetic on float16 and bfloat16 in float32, rounded after every operation.
//!
//! Data movement stays as it is: loads and stores, variables, choices, vectors, conversions, and the functions
//! that inspect bits (`abs`, `copysign`). Comparisons and tests need no rounding, because the conversion to
//! float32 is exact. Rounding the float32 result once is the meaning that the table of scalar semantics gives to every
//! operation, `fma` and the mathematical functions included.
//!
//! Conversions of floats of 8 bits become operations on the bits of float32, and so do constants of these types.

use tilewright_expr::node::rewrite;
use tilewright_expr::semantics::{Scalar, is_float8};
use tilewright_ir::tir::{BinOp, Expr, ExprKind, Intrinsic, PrimFunc};
use tilewright_tensor::DataType;

use crate::float8;
use crate::stmt::{Result, with_body};

pub fn legalize_floats(function: &PrimFunc) -> Result<PrimFunc> {
    let body = rewrite(&function.body, legalize);
    Ok(body.map_or_else(|| function.clone(), |body| with_body(function, body)))
}

/// The expression in float32, if it computes with narrower floats. Its operands are legal already.
fn legalize(expr: &Expr) -> Option<Expr> {
    match &expr.kind {
        ExprKind::Cast(value) if is_float8(value.dtype) || is_float8(expr.dtype) => {
            let single = if is_float8(value.dtype) { float8::from(value) } else { value.cast(DataType::F32) };
            let narrow = is_float8(expr.dtype);
            single.and_then(|x| if narrow { float8::to(&x, expr.dtype) } else { x.cast(expr.dtype) }).ok()
        }
        ExprKind::Float(value) if is_float8(expr.dtype) => {
            let bits = Scalar::from_float(value.0, expr.dtype).bits();
            Expr::int(bits as i64, DataType::U8).reinterpret(expr.dtype).ok()
        }
        ExprKind::Binary(op, a, b) if is_narrow(a.dtype) => {
            let wide = DataType::F32.with_lanes(expr.dtype.lanes);
            let result = Expr::raw(wide, ExprKind::Binary(*op, single(a), single(b)));
            Some(Expr::raw(expr.dtype, ExprKind::Cast(result)))
        }
        ExprKind::Compare(op, a, b) if is_narrow(a.dtype) => {
            Some(Expr::raw(expr.dtype, ExprKind::Compare(*op, single(a), single(b))))
        }
        ExprKind::Call { intrinsic, args } if computes(*intrinsic) && args.iter().any(|arg| is_narrow(arg.dtype)) => {
            let args = args.iter().map(single).collect();
            let wide = if is_narrow(expr.dtype) { DataType::F32.with_lanes(expr.dtype.lanes) } else { expr.dtype };
            let result = Expr::raw(wide, ExprKind::Call { intrinsic: *intrinsic, args });
            Some(if wide == expr.dtype { result } else { Expr::raw(expr.dtype, ExprKind::Cast(result)) })
        }
        _ => None,
    }
}

/// The operand in float32. Constants are converted; operands that need no intermediate rounding have none.
fn single(e: &Expr) -> Expr {
    let wide = DataType::F32.with_lanes(e.dtype.lanes);
    match &e.kind {
        ExprKind::Cast(inside) if is_narrow(e.dtype) && inside.dtype == wide && fits(inside, e.dtype) => inside.clone(),
        _ => e.cast(wide).unwrap_or_else(|_| Expr::raw(wide, ExprKind::Cast(e.clone()))),
    }
}

/// Whether the float32 is certainly a number of the narrow type, or NaN.
fn fits(wide: &Expr, narrow: DataType) -> bool {
    match &wide.kind {
        ExprKind::Cast(from) => from.dtype == narrow,
        ExprKind::Broadcast(one) => fits(one, narrow.element()),
        ExprKind::Float(value) => Scalar::from_float(value.0, narrow).as_float() == value.0,
        ExprKind::Binary(BinOp::Min | BinOp::Max, a, b) => fits(a, narrow) && fits(b, narrow),
        ExprKind::Call { intrinsic, args } => {
            use Intrinsic::{Ceil, Floor, Round, Trunc};
            matches!(intrinsic, Floor | Ceil | Round | Trunc) && args.iter().all(|arg| fits(arg, narrow))
        }
        _ => false,
    }
}

fn is_narrow(dtype: DataType) -> bool {
    dtype.is_float() && dtype.bits == 16
}

/// Whether the function depends on more than the bits of its operands.
fn computes(intrinsic: Intrinsic) -> bool {
    !matches!(intrinsic, Intrinsic::Abs | Intrinsic::Copysign | Intrinsic::IfThenElse)
}
