//! Dimensions as short text, for messages.

use tilewright_ir::tir::{BinOp, Expr, ExprKind};

/// The expression as a user would write it; what is not arithmetic is an ellipsis.
pub(super) fn text(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Var(var) => var.name.to_string(),
        ExprKind::Binary(op, a, b) => {
            let symbol = match op {
                BinOp::Add => "+",
                BinOp::Sub => "-",
                BinOp::Mul => "*",
                BinOp::FloorDiv => "//",
                BinOp::FloorMod => "%",
                _ => return "…".into(),
            };
            format!("{} {symbol} {}", operand(a), operand(b))
        }
        _ => "…".into(),
    }
}

fn operand(expr: &Expr) -> String {
    match expr.kind {
        ExprKind::Binary(..) => "…".into(),
        _ => text(expr),
    }
}
