//! Sizes of formulas: how long they are, and what they cost.

use tilewright_expr::node::{AnyHandle, Visitor};
use tilewright_ir::tir::{Expr, ExprKind, Intrinsic};
use tilewright_support::{Map, with_stack};

/// Nodes of a formula up to which it is inlined.
pub(crate) const MAX_INLINED_NODES: usize = 400;

/// Operations that most functions take.
const FUNCTION: u64 = 20;

/// About how many operations a function of float32 takes. One of float64 takes twice as many, on half the lanes.
pub(crate) fn operations(intrinsic: Intrinsic) -> u64 {
    match intrinsic {
        Intrinsic::Pow => 120,
        Intrinsic::Sin | Intrinsic::Cos | Intrinsic::Tan => 50,
        Intrinsic::Asinh | Intrinsic::Acosh | Intrinsic::Atanh | Intrinsic::Log1p | Intrinsic::Atan2 => 40,
        _ if intrinsic.is_exact() => 4,
        _ => FUNCTION,
    }
}

/// Nodes of an expression as its text would have them, and what they cost. All functions cost the same: the question
/// is whether they may be computed again, and none is worth it.
pub(crate) fn size(value: &Expr) -> (usize, usize) {
    let mut sizes = Sizes::default();
    sizes.visit(value);
    (sizes.nodes, sizes.cost)
}

/// Sums over the nodes that were visited.
#[derive(Default)]
struct Sizes {
    nodes: usize,
    cost: usize,
    /// Of the expressions at these addresses, which live as long as what is visited.
    known: Map<usize, (usize, usize)>,
}

impl Visitor for Sizes {
    fn visit(&mut self, node: &dyn AnyHandle) {
        let Some(e) = node.downcast::<Expr>() else { return };
        let (nodes, cost) = match self.known.get(&e.address()) {
            Some(known) => *known,
            None => {
                let before = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.cost));
                with_stack(|| e.visit_inside(self));
                let own = match &e.kind {
                    ExprKind::Call { intrinsic: Intrinsic::IfThenElse, .. } => 1,
                    ExprKind::Call { .. } => FUNCTION as usize,
                    ExprKind::Binary(..) if !e.dtype.is_int() => 1,
                    _ => 0,
                };
                let whole = (self.nodes.saturating_add(1), self.cost.saturating_add(own));
                (self.nodes, self.cost) = before;
                self.known.insert(e.address(), whole);
                whole
            }
        };
        self.nodes = self.nodes.saturating_add(nodes);
        self.cost = self.cost.saturating_add(cost);
    }
}
