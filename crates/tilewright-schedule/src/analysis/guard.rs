//! What is known at a site, and conditions under which the statements inside of a loop run.

use tilewright_arith::Analyzer;
use tilewright_expr::node::rewrite;
use tilewright_ir::tir::{BinOp, Expr, ExprKind, PrimFunc, Range, Stmt, StmtKind, Var};
use tilewright_support::with_stack;
use tilewright_tir_passes::analyzer_of;

use crate::build::exprs::{binary, mentions, reads_memory, substituted};
use crate::fault::Fault;
use crate::site::{Site, loop_of};

/// An analyser that knows the loops, axes and conditions around a site, the site included.
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

/// An analyser that knows the loops, axes and conditions around a site.
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

/// The statement, run only where the condition holds. The condition becomes part of the predicates of the blocks
/// inside; where something else is inside, or where bounds of loops on the way depend on the variables, it becomes a
/// branch.
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
            !mentions(min, vars) && !mentions(extent, vars) && with_stack(|| takes_predicate(body, vars))
        }
        StmtKind::Seq(stmts) => stmts.iter().all(|stmt| takes_predicate(stmt, vars)),
        StmtKind::Block { values, predicate, .. } => !values.iter().chain([predicate]).any(reads_memory),
        _ => false,
    }
}

/// An index with `x // a % b` as `x % (a * b) // a`, which is how pieces of fused loops are written.
pub(crate) fn remainder_first(index: &Expr) -> Expr {
    let piece = |e: &Expr| {
        let ExprKind::Binary(BinOp::FloorMod, quotient, b) = &e.kind else { return None };
        let ExprKind::Binary(BinOp::FloorDiv, x, a) = &quotient.kind else { return None };
        let whole = a.as_int()?.checked_mul(b.as_int()?).filter(|_| a.as_int() > Some(0) && b.as_int() > Some(0))?;
        let fits = e.dtype.bits > 32 || i32::try_from(whole).is_ok();
        let rest = Expr::binary(BinOp::FloorMod, x, &Expr::int(whole, e.dtype)).ok().filter(|_| fits)?;
        Expr::binary(BinOp::FloorDiv, &rest, a).ok()
    };
    let all = rewrite(&vec![index.clone()], |e: &Expr| piece(e)).and_then(|all| all.into_iter().next());
    all.unwrap_or_else(|| piece(index).unwrap_or_else(|| index.clone()))
}

/// An index simplified, in which sums that are divided stay whole: `(i_0 * 1024 + i_1) // 128` does not become
/// `i_0 * 8 + i_1 // 128`, so that pieces of one fused loop are seen to be that.
fn simplified_index(analyzer: &mut Analyzer, index: &Expr) -> Expr {
    let scope = analyzer.enter();
    let mut sums = Vec::new();
    let named = with_sums_named(analyzer, index, &mut sums);
    let simple = remainder_first(&analyzer.simplify(&named));
    analyzer.leave(scope);
    sums.into_iter().rev().fold(simple, |index, sum| substituted(&index, &[sum]))
}

/// The index with a variable for each sum that is divided, and these sums, of which later ones may be in terms of
/// earlier ones.
fn with_sums_named(analyzer: &mut Analyzer, index: &Expr, sums: &mut Vec<(Var, Expr)>) -> Expr {
    let ExprKind::Binary(op, a, b) = &index.kind else { return index.clone() };
    let mut again = |e: &Expr| with_stack(|| with_sums_named(analyzer, e, sums));
    let (a, b) = (again(a), again(b));
    let is_division = matches!(op, BinOp::FloorDiv | BinOp::FloorMod) && b.as_int().is_some_and(|b| b > 0);
    let a = if is_division { analyzer.simplify(&a) } else { a };
    let is_sum = matches!(&a.kind, ExprKind::Binary(BinOp::Add | BinOp::Sub, ..)) && !reads_memory(&a);
    let a = match sums.iter().find(|(_, sum)| sum.equal(&a)) {
        Some((var, _)) if is_division && is_sum => Expr::var(var),
        None if is_division && is_sum => {
            let var = Var::new("sum", a.dtype);
            // Of a sum that is not known to be small and positive, such as one with loops of one iteration, nothing is
            // said.
            let bounds = analyzer.bounds(&a);
            let last = bounds.max.filter(|max| bounds.min.is_some_and(|min| min >= 0) && *max < i64::from(i32::MAX));
            if let Some(last) = last {
                analyzer.bind(&var, &Range::new(Expr::int(0, a.dtype), Expr::int(last + 1, a.dtype)));
            }
            sums.push((var.clone(), a));
            Expr::var(&var)
        }
        _ => a,
    };
    Expr::binary(*op, &a, &b).unwrap_or_else(|_| index.clone())
}

/// The statement with the values of its outermost blocks simplified, and those of their predicates that always hold.
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
            *body = with_stack(|| simplified(analyzer, body, keep_units));
        }
        StmtKind::Seq(stmts) => stmts.iter_mut().for_each(|stmt| *stmt = simplified(analyzer, stmt, keep_units)),
        StmtKind::If { condition, then, otherwise } => {
            *condition = analyzer.simplify(condition);
            if let Some(otherwise) = otherwise {
                *otherwise = with_stack(|| simplified(analyzer, otherwise, keep_units));
            }
            if !reads_memory(condition) {
                analyzer.assume(condition);
            }
            *then = with_stack(|| simplified(analyzer, then, keep_units));
        }
        StmtKind::Block { values, predicate, .. } => {
            let simple = analyzer.simplify(predicate);
            if simple.as_int().is_some() {
                *predicate = simple;
            }
            if !reads_memory(predicate) {
                analyzer.assume(predicate);
            }
            values.iter_mut().for_each(|value| *value = simplified_index(analyzer, value));
        }
        _ => {}
    }
    analyzer.leave(scope);
    kind.into()
}
