//! `RenormalizeSplitPattern`: `x % (a * b) // b` becomes `x // b % a`, the digit of a split loop as others are written.

use tilewright_expr::node::rewrite;
use tilewright_ir::tir::{BinOp, Expr, ExprKind, PrimFunc, Stmt};

use super::{Options, below, with};
use crate::stmt::{Result, map_own};

pub(super) fn renormalize_split_pattern(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    fn renormalized(stmt: &Stmt) -> Result<Stmt> {
        let own = map_own(stmt, &mut |expr| rewrite(expr, digit).unwrap_or_else(|| expr.clone()));
        below(&own, &mut renormalized)
    }
    Ok(with(function, renormalized(&function.body)?))
}

fn digit(expr: &Expr) -> Option<Expr> {
    let ExprKind::Binary(BinOp::FloorDiv, rest, lower) = &expr.kind else { return None };
    let ExprKind::Binary(BinOp::FloorMod, x, whole) = &rest.kind else { return None };
    let (lower, whole) = (lower.as_int().filter(|lower| *lower > 0)?, whole.as_int().filter(|whole| *whole > 0)?);
    if whole % lower != 0 {
        return None;
    }
    let upper = Expr::binary(BinOp::FloorDiv, x, &Expr::int(lower, x.dtype)).ok()?;
    Expr::binary(BinOp::FloorMod, &upper, &Expr::int(whole / lower, x.dtype)).ok()
}
