//! Expressions and statements that are checked as they are made, what they read, what is known at a place, and conditions
//! under which the statements inside of a loop run.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{IrNode, walk};
use tilewright_ir::tir::{
    BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, PrimFunc, Range, Stmt, StmtKind, TypeMismatch, Var,
};
use tilewright_tir_passes::{Substitute, analyzer_of};

use crate::primitive::Fault;
use crate::tree::{Site, loop_of};

/// An expression whose operands have the types that they must have.
pub(crate) fn typed(result: Result<Expr, TypeMismatch>) -> Result<Expr, Fault> {
    result.map_err(|mismatch| Fault::of_call(mismatch.to_string()))
}

/// A statement whose parts have the types that they must have.
pub(crate) fn typed_stmt(result: Result<Stmt, TypeMismatch>) -> Result<Stmt, Fault> {
    result.map_err(|mismatch| Fault::of_call(mismatch.to_string()))
}

/// The value goes to an element.
pub(crate) fn stored(buffer: &Buffer, indices: Vec<Expr>, value: &Expr) -> Result<Stmt, Fault> {
    typed_stmt(Stmt::store(buffer, indices, value))
}

pub(crate) fn compare(op: CmpOp, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
    typed(Expr::compare(op, a, b))
}

pub(crate) fn binary(op: BinOp, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
    typed(Expr::binary(op, a, b))
}

/// The greater of two floats, `best` where `other` is NaN: the weight of a score of NaN, and with it the sum of weights, is NaN
/// whatever it is taken from.
pub(crate) fn greater(best: &Expr, other: &Expr) -> Result<Expr, Fault> {
    typed(Expr::select(&compare(CmpOp::Gt, other, best)?, other, best))
}

/// Whether one of the variables stands in the node.
pub(crate) fn mentions<N: IrNode>(node: &N, vars: &[Var]) -> bool {
    let mut found = false;
    walk(node, |var: &Var| found |= vars.contains(var));
    found
}

/// The buffers that the node loads from, each once.
pub(crate) fn loaded_buffers<N: IrNode>(node: &N) -> Vec<Buffer> {
    let mut found: Vec<Buffer> = Vec::new();
    walk(node, |e: &Expr| match &e.kind {
        ExprKind::Load { buffer, .. } if !found.contains(buffer) => found.push(buffer.clone()),
        _ => {}
    });
    found
}

/// Whether the expression's value depends on memory or on a foreign function.
pub(crate) fn reads_memory(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, |e: &Expr| found |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Foreign { .. }));
    found
}

/// Whether the expression has no value where one of its divisors is zero, which may be.
fn may_divide_by_zero(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, |e: &Expr| {
        if let ExprKind::Binary(BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod, _, by) = &e.kind {
            found |= matches!(by.as_int(), None | Some(0 | -1));
        }
    });
    found
}

/// An element, which need not be there, is on its way to the second level of cache. Nothing is asked for where its place may
/// be one only under a condition, or is read from memory: what says the place would have to be there.
pub(crate) fn prefetch(buffer: &Buffer, indices: Vec<Expr>, write: bool) -> Result<Stmt, Fault> {
    if indices.iter().any(|index| may_divide_by_zero(index) || reads_memory(index)) {
        return Ok(Stmt::nothing());
    }
    typed_stmt(Stmt::prefetch(buffer, indices, write, 2))
}

/// Whether memory of which `which` says so is read only under a condition within the expression: in a branch of a choice, or
/// in the right operand of a scalar `and` or `or`. Without the condition it may lie nowhere.
pub(crate) fn reads_under_condition(expr: &Expr, which: impl Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    let mut see = |part: &Expr| walk(part, |e: &Expr| found |= matches!(e.kind, ExprKind::Load { .. }) && which(e));
    walk(expr, |e: &Expr| match &e.kind {
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => args.iter().skip(1).for_each(&mut see),
        ExprKind::Binary(BinOp::And | BinOp::Or, _, right) if e.dtype.is_scalar() => see(right),
        _ => {}
    });
    found
}

/// An analyser that knows the loops, axes and conditions around a place, that place included.
pub(crate) fn known_inside(function: &PrimFunc, site: &Site) -> Analyzer {
    let mut analyzer = analyzer_of(function);
    for (stmt, at) in site.above.iter().map(|(stmt, at)| (stmt, *at)).chain([(&site.stmt, 0)]) {
        learn(&mut analyzer, stmt, at);
    }
    analyzer
}

/// As [`known_around`], but of loops of one iteration it knows nothing: their variables stay where they stand.
pub(crate) fn known_but_units(function: &PrimFunc, site: &Site) -> Analyzer {
    let mut analyzer = analyzer_of(function);
    let is_unit = |stmt: &Stmt| loop_of(stmt).is_some_and(|l| l.extent.as_int() == Some(1));
    site.above.iter().filter(|(stmt, _)| !is_unit(stmt)).for_each(|(stmt, at)| learn(&mut analyzer, stmt, *at));
    analyzer
}

/// An analyser that knows the loops, axes and conditions around a place.
pub(crate) fn known_around(function: &PrimFunc, site: &Site) -> Analyzer {
    let mut analyzer = analyzer_of(function);
    site.above.iter().for_each(|(stmt, at)| learn(&mut analyzer, stmt, *at));
    analyzer
}

/// What holds in the `at`-th statement below this one.
pub(crate) fn learn(analyzer: &mut Analyzer, stmt: &Stmt, at: usize) {
    match &stmt.kind {
        StmtKind::For { var, min, extent, .. } => {
            analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
        }
        StmtKind::Let { var, value, .. } => analyzer.bind_value(var, value),
        StmtKind::Block { block, predicate, .. } => {
            block.iters.iter().for_each(|iter| analyzer.bind(&iter.var, &iter.domain));
            if !reads_memory(predicate) {
                analyzer.assume(predicate);
            }
        }
        StmtKind::If { condition, .. } if at == 0 && !reads_memory(condition) => analyzer.assume(condition),
        _ => {}
    }
}

/// The statement with a value in the place of a variable.
pub(crate) fn substituted<N: IrNode + Clone>(node: &N, values: &[(Var, Expr)]) -> N {
    let mut all = Substitute::default();
    all.values.extend(values.iter().map(|(var, value)| (var.id(), value.clone())));
    all.apply(node)
}

/// The statement, run only where the condition holds. The condition becomes part of the predicates of the blocks inside;
/// where something else is inside, or where bounds of loops on the way depend on the variables, it becomes a branch.
pub(crate) fn guarded(stmt: &Stmt, condition: &Expr, vars: &[Var]) -> Result<Stmt, Fault> {
    if !takes_predicate(stmt, vars) {
        return Ok(StmtKind::If { condition: condition.clone(), then: stmt.clone(), otherwise: None }.into());
    }
    let mut kind = stmt.kind.clone();
    match &mut kind {
        StmtKind::For { body, .. } => *body = guarded(body, condition, vars)?,
        StmtKind::Seq(stmts) => {
            for inner in stmts.iter_mut() {
                *inner = guarded(inner, condition, vars)?;
            }
        }
        StmtKind::Block { predicate, .. } => {
            *predicate = if predicate.as_int() == Some(1) {
                condition.clone()
            } else {
                binary(BinOp::And, predicate, condition)?
            };
        }
        _ => {}
    }
    Ok(kind.into())
}

/// Whether every statement inside is a block whose values can be computed whether or not it runs.
fn takes_predicate(stmt: &Stmt, vars: &[Var]) -> bool {
    match &stmt.kind {
        StmtKind::For { min, extent, body, .. } => {
            !mentions(min, vars)
                && !mentions(extent, vars)
                && tilewright_support::with_stack(|| takes_predicate(body, vars))
        }
        StmtKind::Seq(stmts) => stmts.iter().all(|stmt| takes_predicate(stmt, vars)),
        StmtKind::Block { values, predicate, .. } => !values.iter().chain([predicate]).any(reads_memory),
        _ => false,
    }
}

/// The statement with the values and predicates of its outermost blocks simplified.
pub(crate) fn simplified(analyzer: &mut Analyzer, stmt: &Stmt, keep_units: bool) -> Stmt {
    let mut kind = stmt.kind.clone();
    let scope = analyzer.enter();
    match &mut kind {
        StmtKind::For { var, min, extent, body, .. } => {
            *min = analyzer.simplify(min);
            *extent = analyzer.simplify(extent);
            if !keep_units || extent.as_int() != Some(1) {
                analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
            }
            *body = tilewright_support::with_stack(|| simplified(analyzer, body, keep_units));
        }
        StmtKind::Seq(stmts) => stmts.iter_mut().for_each(|stmt| *stmt = simplified(analyzer, stmt, keep_units)),
        StmtKind::If { condition, then, otherwise } => {
            *condition = analyzer.simplify(condition);
            if let Some(otherwise) = otherwise {
                *otherwise = tilewright_support::with_stack(|| simplified(analyzer, otherwise, keep_units));
            }
            if !reads_memory(condition) {
                analyzer.assume(condition);
            }
            *then = tilewright_support::with_stack(|| simplified(analyzer, then, keep_units));
        }
        StmtKind::Block { values, predicate, .. } => {
            *predicate = analyzer.simplify(predicate);
            if !reads_memory(predicate) {
                analyzer.assume(predicate);
            }
            values.iter_mut().for_each(|value| *value = analyzer.simplify(value));
        }
        _ => {}
    }
    analyzer.leave(scope);
    kind.into()
}

#[cfg(test)]
mod tests {
    use tilewright_tensor::DataType;

    use super::*;

    #[test]
    fn branches_and_right_operands_are_read_under_a_condition() {
        let x = Var::new("x", DataType::I64);
        let load = |name: &str| {
            let buffer = Buffer::new(name, vec![Expr::i64(4)], DataType::BOOL);
            Expr::load(&buffer, vec![Expr::var(&x)]).expect("one index for one dimension")
        };
        let named =
            |e: &Expr, wanted: &str| matches!(&e.kind, ExprKind::Load { buffer, .. } if &*buffer.name == wanted);
        let (a, b, c) = (load("a"), load("b"), load("c"));
        let of = |op| Expr::binary(op, &a, &b).expect("both are bool");
        let choice = Expr::call(Intrinsic::IfThenElse, &[a.clone(), b.clone(), c]).expect("all are bool");
        let both = Expr::select(&a, &b, &b).expect("all are bool");
        for (expr, conditional) in [
            (of(BinOp::And), vec!["b"]),
            (of(BinOp::Or), vec!["b"]),
            (of(BinOp::BitAnd), vec![]),
            (choice, vec!["b", "c"]),
            (both, vec![]),
        ] {
            let expr = expr.not().expect("it is bool");
            let found: Vec<&str> =
                ["a", "b", "c"].into_iter().filter(|name| reads_under_condition(&expr, |e| named(e, name))).collect();
            assert_eq!(found, conditional, "{expr:?}");
        }
    }
}
