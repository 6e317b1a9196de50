//! Systems of linear equations and inequalities over the integers, and what a condition says of one variable.

mod deduce;
mod detect;
mod equations;
mod inequalities;
mod smith;

#[cfg(test)]
mod tests;

use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Range, Var};
use tilewright_tensor::DataType;

pub use deduce::deduce_bound;
pub use detect::{ClipBound, LinearEquation, detect_clip_bound, detect_linear_equation};
pub use equations::solve_linear_equations;
pub use inequalities::{IntGroupBounds, PartialSolution, solve_inequalities_to_range, solve_linear_inequalities};
pub use smith::{SmithForm, smith_normal_form};

/// Integer variables, what values they take, and what holds between them.
#[derive(Clone, Debug, Default)]
pub struct IntConstraints {
    pub variables: Vec<Var>,
    /// Ranges of variables, of these and of others that the relations name.
    pub ranges: Vec<(Var, Range)>,
    pub relations: Vec<Expr>,
}

/// A system in other variables.
#[derive(Clone, Debug)]
pub struct IntConstraintsTransform {
    pub src: IntConstraints,
    pub dst: IntConstraints,
    /// Each variable of `src` in variables of `dst`.
    pub src_to_dst: Vec<(Var, Expr)>,
    /// Each variable of `dst` in variables of `src`.
    pub dst_to_src: Vec<(Var, Expr)>,
}

fn operation(op: BinOp, a: &Expr, b: &Expr) -> Expr {
    Expr::raw(a.dtype, ExprKind::Binary(op, a.clone(), b.clone()))
}

fn comparison(op: CmpOp, a: &Expr, b: &Expr) -> Expr {
    Expr::raw(DataType::BOOL, ExprKind::Compare(op, a.clone(), b.clone()))
}

/// The conditions that are joined by `and`, in order.
pub(crate) fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    let (mut all, mut pending) = (Vec::new(), vec![condition]);
    while let Some(condition) = pending.pop() {
        match &condition.kind {
            ExprKind::Binary(BinOp::And, a, b) => pending.extend([b, a]),
            _ => all.push(condition),
        }
    }
    all
}

/// The condition as `sum op 0`; `None` where it is no comparison of index expressions.
fn against_zero(condition: &Expr) -> Option<(CmpOp, Expr)> {
    match &condition.kind {
        ExprKind::Compare(op, a, b) if crate::session::is_index_type(a.dtype) => {
            Some((*op, operation(BinOp::Sub, a, b)))
        }
        _ => None,
    }
}
