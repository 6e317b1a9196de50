//! Maps of indices applied: to the indices of an access, to the axes of a block.

use tilewright_arith::Analyzer;
use tilewright_expr::node::rewrite;
use tilewright_ir::IndexMap;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Stmt, StmtKind, Var};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;
use tilewright_tir_passes::map_own;

use crate::analysis::guard::learn;
use crate::site::{below, with_below};

/// An index expression with values substituted for its variables, in the types of the values. `None` where it is more
/// than sums, products, quotients, remainders, extremes and choices of variables and numbers.
pub(crate) fn at_values(expr: &Expr, values: &[(Var, Expr)]) -> Option<Expr> {
    let again = |e: &Expr| with_stack(|| at_values(e, values));
    match &expr.kind {
        ExprKind::Int(_) => Some(expr.clone()),
        ExprKind::Var(var) => {
            let known = values.iter().find(|(known, _)| known == var);
            Some(known.map_or_else(|| expr.clone(), |(_, value)| value.clone()))
        }
        ExprKind::Cast(value) if expr.dtype.is_int() => again(value),
        ExprKind::Binary(op, a, b) => Expr::binary(*op, &again(a)?, &again(b)?).ok(),
        ExprKind::Compare(op, a, b) => Expr::compare(*op, &again(a)?, &again(b)?).ok(),
        ExprKind::Select { condition, then, otherwise } => {
            Expr::select(&again(condition)?, &again(then)?, &again(otherwise)?).ok()
        }
        _ => None,
    }
}

/// The expression with its numbers in another index type, so that variables of that type do not become wider.
pub(crate) fn retyped(expr: &Expr, dtype: DataType) -> Expr {
    let number = |e: &Expr| match e.kind {
        ExprKind::Int(value) if e.dtype.is_int() && e.dtype != dtype => Some(Expr::int(value, dtype)),
        _ => None,
    };
    let numbers = rewrite(&vec![expr.clone()], number).and_then(|all| all.into_iter().next());
    numbers.unwrap_or_else(|| number(expr).unwrap_or_else(|| expr.clone()))
}

/// The results of a map at these indices, in their type.
pub(crate) fn mapped(map: &IndexMap, indices: &[Expr]) -> Option<Vec<Expr>> {
    let dtype = indices.first()?.dtype;
    let values: Vec<(Var, Expr)> = map.initial().iter().cloned().zip(indices.iter().cloned()).collect();
    map.results().iter().map(|result| at_values(&retyped(result, dtype), &values)).collect()
}

/// An expression of variables as one of others, which have their types; where it is more than an index, through casts.
pub(crate) fn renamed(expr: &Expr, vars: &[(Var, Var)]) -> Option<Expr> {
    let dtype = vars.first().map_or(expr.dtype, |(_, to)| to.dtype);
    let values: Vec<(Var, Expr)> = vars.iter().map(|(from, to)| (from.clone(), Expr::var(to))).collect();
    let again = at_values(&retyped(expr, dtype), &values);
    again.or_else(|| {
        let cast = |(from, to): &(Var, Var)| Some((from.clone(), Expr::var(to).cast(from.dtype).ok()?));
        let values = vars.iter().map(cast).collect::<Option<Vec<_>>>()?;
        Some(crate::build::exprs::substituted(expr, &values))
    })
}

/// The statement with other accesses to a buffer: to another one, at the indices that `remap` makes of theirs,
/// simplified by what is known there.
pub(crate) fn with_accesses_moved(
    known: &mut Analyzer,
    stmt: &Stmt,
    from: &Buffer,
    to: &Buffer,
    remap: &dyn Fn(&[Expr]) -> Option<Vec<Expr>>,
) -> Stmt {
    let of_load = |known: &Analyzer, e: &Expr| match &e.kind {
        ExprKind::Load { buffer, indices, predicate } if buffer == from => {
            let indices = remap(indices)?.iter().map(|index| known.simplify(index)).collect();
            let load = ExprKind::Load { buffer: to.clone(), indices, predicate: predicate.clone() };
            Some(Expr::raw(e.dtype, load))
        }
        _ => None,
    };
    let own = |known: &Analyzer, stmt: &Stmt| {
        let moved = map_own(stmt, &mut |e| {
            let inside = rewrite(e, |e: &Expr| of_load(known, e)).unwrap_or_else(|| e.clone());
            of_load(known, &inside).unwrap_or(inside)
        });
        match &moved.kind {
            StmtKind::Store { buffer, indices, value, predicate } if buffer == from => match remap(indices) {
                Some(indices) => {
                    let indices = indices.iter().map(|index| known.simplify(index)).collect();
                    let (value, predicate) = (value.clone(), predicate.clone());
                    StmtKind::Store { buffer: to.clone(), indices, value, predicate }.into()
                }
                None => moved.clone(),
            },
            _ => moved,
        }
    };
    let mut changed = own(known, stmt);
    for at in 0..below(stmt).len() {
        let Some(inner) = below(&changed).get(at).map(|inner| (*inner).clone()) else { continue };
        let scope = known.enter();
        learn(known, &changed, at);
        let moved = with_stack(|| with_accesses_moved(known, &inner, from, to, remap));
        known.leave(scope);
        changed = match &changed.kind {
            // A sequence keeps its length, whatever its statements become.
            StmtKind::Seq(stmts) => {
                let mut stmts = stmts.clone();
                stmts.splice(at..=at, [moved]);
                StmtKind::Seq(stmts).into()
            }
            _ => with_below(&changed, at, moved),
        };
    }
    changed
}
