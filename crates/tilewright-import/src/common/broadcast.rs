//! Shapes of several values that have to agree, where dimensions are symbolic.

use tilewright_expr as scalar;
use tilewright_expr::node::walk;
use tilewright_expr::{BinOp, CmpOp, ExprKind};
use tilewright_ir::relax::{Expr, StructInfo, TensorShape};

use super::cx::Cx;
use super::shapes::facts_of_sizes;
use super::value::{Res, Value};

/// Shapes that are asserted to agree.
impl Cx<'_> {
    /// The value with the sizes that the recorder of the graph knows, where they say more than its own: constants, and
    /// those without the least or the greatest of two numbers.
    pub fn with_recorded_sizes(&mut self, value: Value, sizes: &[Option<scalar::Expr>]) -> Res {
        let Value::Tensor(x) = &value else { return Ok(value) };
        let StructInfo::Tensor { shape, .. } = &x.struct_info else { return Ok(value) };
        let dims = match shape {
            TensorShape::Known(own) if own.len() == sizes.len() => {
                let recorded = own.iter().zip(sizes).map(|(own, recorded)| match recorded {
                    Some(recorded) if own.as_int().is_none() && (recorded.as_int().is_some() || chooses(own)) => {
                        recorded.clone()
                    }
                    _ => own.clone(),
                });
                Some(recorded.collect::<Vec<_>>())
                    .filter(|recorded| !recorded.iter().zip(own).all(|(recorded, own)| recorded.equal(own)))
            }
            TensorShape::Rank(rank) if *rank == sizes.len() => sizes.iter().cloned().collect::<Option<Vec<_>>>(),
            _ => None,
        };
        match dims {
            Some(dims) => self.match_cast(&x.clone(), dims).map(Value::Tensor),
            None => Ok(value),
        }
    }

    /// Operands whose shapes are known to broadcast. Where a symbolic dimension meets a constant other than 1 or
    /// another symbolic dimension, the run checks that both are the same; one that is 1 at most is checked to be 1.
    pub fn broadcastable(&mut self, operands: [Expr; 2]) -> Res<[Expr; 2]> {
        let [Some(a), Some(b)] = operands.each_ref().map(|one| one.struct_info.dims().map(<[_]>::to_vec)) else {
            return Ok(operands);
        };
        let (mut dims, mut changed) = ([a, b], [false, false]);
        let [a, b] = &mut dims;
        for (x, y) in a.iter_mut().rev().zip(b.iter_mut().rev()) {
            let is_one = x.as_int() == Some(1) || y.as_int() == Some(1);
            if is_one || self.bb.infer_cx().analyzer.prove_equal(x, y) {
                continue;
            }
            match (x.as_int(), y.as_int()) {
                (Some(_), Some(_)) => {}
                _ if is_one_at_most(x) => (*x, changed[0]) = (scalar::Expr::i64(1), true),
                _ if is_one_at_most(y) => (*y, changed[1]) = (scalar::Expr::i64(1), true),
                (None, Some(_)) => (*x, changed[0]) = (y.clone(), true),
                _ => (*y, changed[1]) = (x.clone(), true),
            }
        }
        let [x, y] = operands;
        let [a, b] = dims;
        Ok([if changed[0] { self.match_cast(&x, a)? } else { x }, if changed[1] { self.match_cast(&y, b)? } else { y }])
    }
}

/// Whether there is a choice between two numbers in a size, as of a part that may be cut off.
fn chooses(size: &scalar::Expr) -> bool {
    let mut found = false;
    walk(size, |part: &scalar::Expr| {
        found |= matches!(part.kind, ExprKind::Binary(BinOp::Min | BinOp::Max, ..) | ExprKind::Select { .. });
    });
    found
}

/// Whether a size that is no constant is 0 or 1.
pub fn is_one_at_most(size: &scalar::Expr) -> bool {
    let one = scalar::Expr::i64(1);
    size.as_int().is_none() && facts_of_sizes([size]).analyzer.decide(CmpOp::Le, size, &one) == Some(true)
}
