//! Operands as keys of a table: equal ones have one key, and few others do.

use tilewright_expr::node::{HashCx, VarId};
use tilewright_ir::relax::{Constant, Expr, ExprKind};

/// The hash key of an operand.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    Var(VarId),
    /// A constant's dimensions and first bytes: to read all of a weight costs more than to compare those that begin
    /// alike.
    Constant(Vec<i64>, Vec<u8>),
    /// The structural hash.
    Other(u64),
}

/// The leading bytes of a constant that enter its key.
const HASHED_BYTES: usize = 64;

impl Operand {
    pub(crate) fn of(expr: &Expr) -> Self {
        match &expr.kind {
            ExprKind::Var(var) => Self::Var(var.id()),
            ExprKind::Constant(Constant(tensor)) => {
                let bytes = tensor.as_bytes().unwrap_or_default();
                Self::Constant(tensor.shape().to_vec(), bytes.iter().take(HASHED_BYTES).copied().collect())
            }
            _ => Self::Other(HashCx::hash(expr)),
        }
    }
}
