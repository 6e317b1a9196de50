//! Linear equations over the integers.
//!
//! With the Smith normal form `S = U·A·V`, the system `A·x = b` becomes `S·y = U·b` in `y = V⁻¹·x`: each entry of the
//! diagonal gives one `y` and the condition that it divides its side, each row of zeros the condition that its side is
//! zero, and the `y` that no row concerns stay free.

use tilewright_expr::{BinOp, CmpOp, Expr, Range, Var};

use super::{
    IntConstraints, IntConstraintsTransform, against_zero, comparison, deduce_bound, operation, smith_normal_form,
};
use crate::{Analyzer, IntSet};

/// The system's equations solved for its variables, in new variables that are free. Conditions under which there is a
/// solution, the ranges of the old variables and the relations that are no linear equation are relations of the new
/// system; a system without solution has the relation `False`. New variables have the ranges that the relations give.
pub fn solve_linear_equations(cx: &Analyzer, system: &IntConstraints) -> IntConstraintsTransform {
    solve(cx, system).unwrap_or_else(|| unchanged(system))
}

/// The system itself, with its own variables.
fn unchanged(system: &IntConstraints) -> IntConstraintsTransform {
    let itself: Vec<(Var, Expr)> = system.variables.iter().map(|var| (var.clone(), Expr::var(var))).collect();
    let (src, dst) = (system.clone(), system.clone());
    IntConstraintsTransform { src, dst, src_to_dst: itself.clone(), dst_to_src: itself }
}

/// `None` where there is nothing to solve, or a number does not fit.
fn solve(cx: &Analyzer, system: &IntConstraints) -> Option<IntConstraintsTransform> {
    let variables = &system.variables;
    let dtype = variables.first()?.dtype;
    let (mut matrix, mut sides, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for relation in &system.relations {
        let equation = match against_zero(relation) {
            Some((CmpOp::Eq, sum)) => cx.linear_in(&sum, variables),
            _ => None,
        };
        match equation {
            Some(equation) => {
                matrix.push(equation.coefficients);
                sides.push(cx.simplify(&operation(BinOp::Sub, &Expr::int(0, dtype), &equation.rest)));
            }
            None => others.push(relation.clone()),
        }
    }
    if matrix.is_empty() {
        return None;
    }
    let form = smith_normal_form(&matrix, variables.len())?;
    let combination = |row: &[i64], of: &[Expr]| {
        let terms = row.iter().zip(of).map(|(&c, e)| operation(BinOp::Mul, e, &Expr::int(c, dtype)));
        cx.simplify(&terms.fold(Expr::int(0, dtype), |sum, term| operation(BinOp::Add, &sum, &term)))
    };
    let own: Vec<Expr> = variables.iter().map(Expr::var).collect();
    let (mut relations, mut solution) = (Vec::new(), Vec::new());
    let mut dst = IntConstraints::default();
    let mut dst_to_src = Vec::new();
    for (row, left) in form.left.iter().enumerate() {
        let (side, entry) = (combination(left, &sides), form.diagonal.get(row).copied().unwrap_or(0));
        let zero = Expr::int(0, dtype);
        relations.push(match entry {
            0 => comparison(CmpOp::Eq, &side, &zero),
            d => comparison(CmpOp::Eq, &operation(BinOp::FloorMod, &side, &Expr::int(d, dtype)), &zero),
        });
        if entry != 0 {
            solution.push(cx.simplify(&operation(BinOp::FloorDiv, &side, &Expr::int(entry, dtype))));
        }
    }
    for row in &form.right_inverse[solution.len()..] {
        let var = Var::new(format!("n{}", dst.variables.len()), dtype);
        solution.push(Expr::var(&var));
        dst_to_src.push((var.clone(), combination(row, &own)));
        dst.variables.push(var);
    }
    let src_to_dst: Vec<(Var, Expr)> =
        variables.iter().zip(&form.right).map(|(var, row)| (var.clone(), combination(row, &solution))).collect();
    relations.extend(range_relations(system, &src_to_dst));
    relations.extend(others.iter().map(|other| substituted(other, &src_to_dst)));
    dst.ranges = system.ranges.iter().filter(|(var, _)| !variables.contains(var)).cloned().collect();
    finish(cx, &mut dst, &relations);
    Some(IntConstraintsTransform { src: system.clone(), dst, src_to_dst, dst_to_src })
}

/// Ranges of the new variables from those of the old ones.
fn range_relations(system: &IntConstraints, src_to_dst: &[(Var, Expr)]) -> Vec<Expr> {
    let mut relations = Vec::new();
    for (var, value) in src_to_dst {
        let Some((_, range)) = system.ranges.iter().find(|(of, _)| of == var) else { continue };
        let end = operation(BinOp::Add, &range.min, &range.extent);
        relations.push(substituted(&comparison(CmpOp::Le, &range.min, value), src_to_dst));
        relations.push(substituted(&comparison(CmpOp::Lt, value, &end), src_to_dst));
    }
    relations
}

/// Keeps the relations that do not hold anyway, and reads ranges of the new variables off them.
fn finish(cx: &Analyzer, dst: &mut IntConstraints, relations: &[Expr]) {
    let simple: Vec<Expr> = relations.iter().map(|relation| cx.simplify(relation)).collect();
    if simple.iter().any(|relation| relation.as_int() == Some(0)) {
        dst.relations = vec![Expr::bool(false)];
        return;
    }
    dst.relations = simple.into_iter().filter(|relation| relation.as_int() != Some(1)).collect();
    for var in &dst.variables {
        let alone = |relation: &&Expr| {
            let others: Vec<Var> = dst.variables.iter().filter(|other| *other != var).cloned().collect();
            !tilewright_expr::node::mentions(*relation, &others)
        };
        let sets = dst.relations.iter().filter(alone).filter_map(|relation| deduce_bound(cx, var, relation, &[]));
        let set = IntSet::intersect(cx, &sets.collect::<Vec<_>>());
        if let (Some(min), Some(max)) = (set.min_value(), set.max_value()) {
            let extent = operation(BinOp::Add, &operation(BinOp::Sub, max, min), &Expr::int(1, var.dtype));
            dst.ranges.push((var.clone(), Range::new(min.clone(), cx.simplify(&extent))));
        }
    }
}

/// The expression with variables replaced by values.
pub(super) fn substituted(expr: &Expr, values: &[(Var, Expr)]) -> Expr {
    let value = |e: &Expr| e.as_var().and_then(|var| values.iter().find(|(of, _)| of == var)).map(|(_, v)| v.clone());
    tilewright_expr::node::rewrite(expr, value).unwrap_or_else(|| expr.clone())
}
