//! Accesses in expressions: their contexts, and their lanes.

use tilewright_expr::node::{AnyHandle, Visitor};
use tilewright_expr::{Buffer, Expr, ExprKind};
use tilewright_support::{Map, Set, with_stack};

/// Accesses of an expression that are not admitted in every context, by their addresses.
pub(super) struct Open {
    pub accesses: Set<usize>,
    /// Whether one of them is a node or occurs below it.
    below: Map<usize, bool>,
    /// The nodes that were looked at, each with the conditions on the way to it.
    pub seen: Set<(usize, u64)>,
    pub way: u64,
}

impl Open {
    pub(super) fn new(accesses: Set<usize>) -> Self {
        Self { accesses, below: Map::default(), seen: Set::default(), way: 0 }
    }

    pub(super) fn is_above_some(&mut self, expr: &Expr) -> bool {
        if let Some(&known) = self.below.get(&expr.address()) {
            return known;
        }
        let is = self.accesses.contains(&expr.address())
            || parts(expr).iter().any(|part| with_stack(|| self.is_above_some(part)));
        self.below.insert(expr.address(), is);
        is
    }
}

/// Buffer, indices and mask of an expression that is an access.
pub(super) fn access(expr: &Expr) -> Option<(&Buffer, &[Expr], Option<&Expr>)> {
    match &expr.kind {
        ExprKind::Load { buffer, indices, predicate } => Some((buffer, indices, predicate.as_ref())),
        ExprKind::AddressOf { buffer, indices } => Some((buffer, indices, None)),
        _ => None,
    }
}

/// A lane of a vector as scalars say it; a scalar is every lane.
pub(super) fn lane(expr: &Expr, number: i64) -> Option<Expr> {
    if expr.dtype.is_scalar() {
        return Some(expr.clone());
    }
    let own = |expr: &Expr| with_stack(|| lane(expr, number));
    match &expr.kind {
        ExprKind::Broadcast(scalar) => Some(scalar.clone()),
        ExprKind::Ramp { base, stride } => Some(base.clone() + stride.clone() * number),
        ExprKind::Binary(op, a, b) => Expr::binary(*op, &own(a)?, &own(b)?).ok(),
        ExprKind::Compare(op, a, b) => Expr::compare(*op, &own(a)?, &own(b)?).ok(),
        ExprKind::Cast(value) => own(value)?.cast(expr.dtype.element()).ok(),
        ExprKind::Select { condition, then, otherwise } => {
            Expr::select(&own(condition)?, &own(then)?, &own(otherwise)?).ok()
        }
        ExprKind::Call { intrinsic, args } => {
            Expr::call(*intrinsic, &args.iter().map(own).collect::<Option<Vec<_>>>()?).ok()
        }
        // A loaded value is unknown, whether it is masked or not.
        ExprKind::Load { buffer, indices, .. } => {
            Expr::load(buffer, indices.iter().map(own).collect::<Option<Vec<_>>>()?).ok()
        }
        _ => None,
    }
}

/// The expressions directly below one.
pub(super) fn parts(expr: &Expr) -> Vec<Expr> {
    struct Parts(Vec<Expr>);
    impl Visitor for Parts {
        fn visit(&mut self, node: &dyn AnyHandle) {
            self.0.extend(node.downcast::<Expr>().cloned());
        }
    }
    let mut parts = Parts(Vec::new());
    expr.visit_inside(&mut parts);
    parts.0
}
