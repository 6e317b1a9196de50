//! Expressions of interned nodes.

use tilewright_expr::{BinOp, Expr, ExprKind};
use tilewright_tensor::DataType;

use crate::session::{Id, Session, Tag};

impl Session<'_> {
    pub(crate) fn build(&self, dtype: DataType, tag: &Tag, ids: &[Id]) -> Expr {
        let at = |i: usize| self.expr(ids[i]);
        let all = || ids.iter().map(|&id| self.expr(id)).collect::<Vec<_>>();
        let kind = match tag {
            Tag::Int(value) => ExprKind::Int(*value),
            Tag::Float(bits) => ExprKind::Float(tilewright_expr::node::FloatBits(f64::from_bits(*bits))),
            Tag::Str(text) => ExprKind::Str(text.clone()),
            Tag::Binary(op) => ExprKind::Binary(*op, at(0), at(1)),
            Tag::Compare(op) => ExprKind::Compare(*op, at(0), at(1)),
            Tag::Not => ExprKind::Not(at(0)),
            Tag::Select => ExprKind::Select { condition: at(0), then: at(1), otherwise: at(2) },
            Tag::Cast => ExprKind::Cast(at(0)),
            Tag::Load(buffer, masked) => {
                let mut indices = all();
                let predicate = if *masked { indices.pop() } else { None };
                ExprKind::Load { buffer: buffer.clone(), indices, predicate }
            }
            Tag::Ramp => ExprKind::Ramp { base: at(0), stride: at(1) },
            Tag::Broadcast => ExprKind::Broadcast(at(0)),
            Tag::Shuffle(lanes) => ExprKind::Shuffle { vectors: all(), lanes: lanes.clone() },
            Tag::Let(var) => ExprKind::Let { var: var.clone(), value: at(0), body: at(1) },
            Tag::Call(intrinsic) => ExprKind::Call { intrinsic: *intrinsic, args: all() },
            Tag::Reinterpret => ExprKind::Reinterpret(at(0)),
            Tag::AddressOf(buffer) => ExprKind::AddressOf { buffer: buffer.clone(), indices: all() },
            Tag::Foreign(callee, _) => ExprKind::Foreign { callee: callee.clone(), args: all() },
            Tag::Linear(coefficients, constant) => return self.build_sum(dtype, ids, coefficients, *constant),
            // Interned with its expression in `leaf`.
            Tag::Var(_) => ExprKind::Int(0),
        };
        Expr::raw(dtype, kind)
    }

    /// Positive terms first, so that no negation is needed.
    fn build_sum(&self, dtype: DataType, ids: &[Id], coefficients: &[i64], constant: i64) -> Expr {
        let binary = |op, a: Expr, b: Expr| Expr::raw(dtype, ExprKind::Binary(op, a, b));
        let number = |value: i64| Expr::int(value, dtype);
        let times = |id: Id, c: i64| match c {
            1 => self.expr(id),
            _ => binary(BinOp::Mul, self.expr(id), number(c)),
        };
        let mut terms: Vec<(Id, i64)> = ids.iter().copied().zip(coefficients.iter().copied()).collect();
        let (mut sum, mut constant) = (None, constant);
        match terms.iter().position(|&(_, c)| c > 0) {
            Some(first) => terms[..=first].rotate_right(1),
            None => {
                sum = Some(constant).filter(|&c| c != 0).map(number);
                constant = 0;
            }
        }
        for (id, c) in terms {
            sum = Some(match sum {
                None if c == -1 => binary(BinOp::Sub, number(0), self.expr(id)),
                None => times(id, c),
                Some(sum) if c < 0 && c != i64::MIN => binary(BinOp::Sub, sum, times(id, -c)),
                Some(sum) => binary(BinOp::Add, sum, times(id, c)),
            });
        }
        let sum = sum.unwrap_or_else(|| number(0));
        match constant {
            0 => sum,
            c if c < 0 && c != i64::MIN => binary(BinOp::Sub, sum, number(-c)),
            c => binary(BinOp::Add, sum, number(c)),
        }
    }
}
