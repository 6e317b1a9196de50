//! Subexpressions that occur several times in an expression.

use tilewright_expr::node::{AnyHandle, HashCx, walk_some};
use tilewright_expr::{Expr, ExprKind};
use tilewright_support::{Map, with_stack};

/// Expressions in the order in which they were met first, with how often; equal is what is written alike.
#[derive(Default, Debug)]
pub struct Repetitions {
    pub all: Vec<(Expr, usize)>,
    by_hash: Map<u64, Vec<usize>>,
}

impl Repetitions {
    /// Counts an occurrence.
    pub fn note(&mut self, expr: &Expr) {
        let group = self.by_hash.entry(HashCx::hash(expr)).or_default();
        let known = group.iter().copied().find(|&at| self.all.get(at).is_some_and(|(known, _)| known.equal(expr)));
        match known.and_then(|at| self.all.get_mut(at)) {
            Some((_, count)) => *count += 1,
            None => {
                group.push(self.all.len());
                self.all.push((expr.clone(), 1));
            }
        }
    }
}

/// Operations of an expression that are counted; those of a larger one are counted as far as this.
const COUNTED: usize = 20_000;

/// The operations that occur at least `least` times, with how often, each in the first place where it stands. One that
/// only occurs inside of a larger one that occurs as often is left out.
pub fn common_subexpressions(expr: &Expr, least: usize) -> Vec<(Expr, usize)> {
    let mut found = Repetitions::default();
    let mut counted = 0;
    collect(expr, &mut |inside| {
        counted += 1;
        if counted > COUNTED {
            return false;
        }
        found.note(inside);
        true
    });
    let mut all = found.all;
    all.retain(|(_, count)| *count >= least.max(1));
    let covered = |small: &Expr, count: usize| {
        all.iter().any(|(large, times)| *times == count && !large.equal(small) && contains(large, small))
    };
    all.iter().filter(|(expr, count)| !covered(expr, *count)).cloned().collect()
}

fn is_operation(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Binary(..)
            | ExprKind::Compare(..)
            | ExprKind::Not(_)
            | ExprKind::Select { .. }
            | ExprKind::Cast(_)
            | ExprKind::Call { .. }
            | ExprKind::Load { .. }
    )
}

/// Every occurrence, outermost first; `f` says whether to go on.
fn collect(expr: &Expr, f: &mut dyn FnMut(&Expr) -> bool) {
    if is_operation(expr) && !f(expr) {
        return;
    }
    let mut parts: Vec<Expr> = Vec::new();
    // Each occurrence counts, that of a shared node too.
    struct Direct<'a>(&'a mut Vec<Expr>);
    impl tilewright_expr::node::Visitor for Direct<'_> {
        fn visit(&mut self, node: &dyn AnyHandle) {
            if let Some(part) = node.downcast::<Expr>() {
                self.0.push(part.clone());
            }
        }
    }
    tilewright_expr::node::IrNode::visit_children(&expr.kind, &mut Direct(&mut parts));
    parts.iter().for_each(|part| with_stack(|| collect(part, f)));
}

fn contains(large: &Expr, small: &Expr) -> bool {
    let mut found = false;
    walk_some(&large.kind, |node| {
        found |= node.downcast::<Expr>().is_some_and(|part| part.equal(small));
        !found
    });
    found
}

#[cfg(test)]
mod tests {
    use tilewright_expr::Var;
    use tilewright_tensor::DataType;

    use super::*;

    #[test]
    fn repeated_operations_are_counted_without_their_parts() {
        let [x, y, z] = ["x", "y", "z"].map(|name| Expr::var(&Var::new(name, DataType::I32)));
        let sum = || &x + &y;
        let whole = &(&(&sum() * 2) + &(&sum() * 2)) + &(&x + &z);
        let found = common_subexpressions(&whole, 2);
        assert_eq!(found.len(), 1);
        assert!(found[0].0.equal(&(&sum() * 2)) && found[0].1 == 2);
        // The sum occurs once more by itself.
        let found = common_subexpressions(&(&whole + &sum()), 2);
        assert_eq!(found.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [2, 3]);
    }
}
