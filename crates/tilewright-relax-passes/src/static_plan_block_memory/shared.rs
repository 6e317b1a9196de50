//! Memory for tensors whose size is known at run time only: that of an earlier one of the same size.

use tilewright_expr::node::VarId;
use tilewright_ir::op::InferCx;
use tilewright_ir::relax::{StructInfo, Var};
use tilewright_support::Map;

use crate::lifetimes::Lifetime;

/// For each tensor that needs no memory of its own the one whose memory it takes.
///
/// In the order in which the tensors begin, each takes that of the first owner that has begun on every path before it,
/// is of the same type and shape, and whose memory is dead while it lives.
pub(super) fn takes(tensors: Vec<Lifetime>) -> Map<VarId, Var> {
    let cx = InferCx::default();
    let mut owners: Vec<Lifetime> = Vec::new();
    let mut takes = Map::default();
    for tensor in tensors {
        let free = |owner: &&mut Lifetime| {
            owner.precedes(&tensor)
                && !owner.meets(&tensor)
                && same_size(&cx, &owner.var.struct_info, &tensor.var.struct_info)
        };
        match owners.iter_mut().find(free) {
            Some(owner) => {
                owner.extend(&tensor);
                takes.insert(tensor.var.id(), owner.var.clone());
            }
            None => owners.push(tensor),
        }
    }
    takes
}

fn same_size(cx: &InferCx, a: &StructInfo, b: &StructInfo) -> bool {
    let (Some(x), Some(y)) = (a.dims(), b.dims()) else { return false };
    a.dtype() == b.dtype() && x.len() == y.len() && x.iter().zip(y).all(|(x, y)| cx.analyzer.prove_equal(x, y))
}
