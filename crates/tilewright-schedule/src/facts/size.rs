//! Sizes: how long formulas are, and how costly; how many parts there are of a whole; what a cache holds together.

use tilewright_expr::node::{AnyHandle, Visitor};
use tilewright_ir::tir::{Expr, ExprKind, Intrinsic};
use tilewright_support::{Map, with_stack};

/// Nodes of a formula up to which it is inlined.
pub(crate) const MAX_INLINED_NODES: usize = 400;

/// Tasks that are enough for every machine to have some of them: work is shared among so many where it is worth it.
/// Tasks never depend on the machine, so that sums keep their order.
pub(crate) const TASKS: i64 = 16;

/// Bytes of a cache line.
pub(crate) const LINE: i64 = 64;

/// Bytes of a page. Addresses that are equal within a page fall into the same set of L1, and a load waits now and then
/// for a store to such an address.
pub(crate) const PAGE: i64 = 1 << 12;

/// A number of the machine as kernels count.
pub(crate) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// How many parts of `size` make up all: of nothing none.
pub(crate) const fn ceil_div(all: i64, size: i64) -> i64 {
    all / size + (all % size > 0) as i64
}

/// At most so many iterations, a multiple of `unit`, that are an even part of all, if there is such a number that is
/// not much less: then no iteration has to look whether it is past the end.
pub(crate) fn even_part(all: Option<i64>, most: i64, unit: i64) -> i64 {
    let Some(all) = all.filter(|&all| all > most) else { return most };
    let parts = (most / 2 / unit + 1..=most / unit).rev().map(|units| units * unit);
    parts.into_iter().find(|part| all % part == 0).unwrap_or(most)
}

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
