//! `RemoveStoreUndef`: stores of undefined values are left out. `RemoveAssume`: so are assumptions.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{Builtin, Expr, ExprKind, Intrinsic, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::Set;

use super::{Options, below, no_op, refuse, with};
use crate::stmt::{Result, typed};

pub(super) fn remove_assume(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    fn without(stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::Evaluate(value) if is_call(value, Builtin::ASSUME) => Ok(no_op()),
            _ => below(stmt, &mut without),
        }
    }
    Ok(with(function, without(&function.body)?))
}

pub(super) fn remove_store_undef(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut undefined = Set::default();
    let body = without(&mut undefined, &function.body)?;
    let mut left = false;
    walk(&body, |expr: &Expr| left |= is_call(expr, Builtin::UNDEF));
    walk(&body, |var: &Var| left |= undefined.contains(&var.id()));
    match left {
        true => refuse("`T.undef()` may only be the value of a store or of a let: it has another use"),
        false => Ok(with(function, body)),
    }
}

fn is_call(expr: &Expr, row: &'static Builtin) -> bool {
    matches!(&expr.kind, ExprKind::Foreign { callee, .. } if callee.is(row))
}

/// Whether the value depends on an undefined one.
fn is_undefined(undefined: &Set<VarId>, value: &Expr) -> bool {
    let mut found = false;
    walk(value, |inside: &Expr| found |= is_call(inside, Builtin::UNDEF));
    walk(value, |var: &Var| found |= undefined.contains(&var.id()));
    found
}

/// The branch of a choice that is defined, and when it is taken; `None` for a value that is undefined throughout.
fn defined_part(undefined: &Set<VarId>, value: &Expr) -> Result<Option<(Expr, Expr)>> {
    let branches = |expr: &Expr| match &expr.kind {
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
            [condition, a, b] => Some((condition.clone(), a.clone(), b.clone())),
            _ => None,
        },
        ExprKind::Select { condition, then, otherwise } => Some((condition.clone(), then.clone(), otherwise.clone())),
        _ => None,
    };
    let is_partly = |(_, a, b): &(Expr, Expr, Expr)| is_undefined(undefined, a) != is_undefined(undefined, b);
    if let Some((condition, a, b)) = branches(value).filter(is_partly)
        && !condition.dtype.is_vector()
        && !is_undefined(undefined, &condition)
    {
        return match is_undefined(undefined, &a) {
            false => Ok(Some((condition, a))),
            true => Ok(Some((typed(condition.not())?, b))),
        };
    }
    let mut partly = false;
    walk(value, |inside: &Expr| partly |= branches(inside).is_some_and(|found| is_partly(&found)));
    match partly {
        true => refuse("a part of a stored value is `T.undef()` in one branch of a choice alone"),
        false => Ok(None),
    }
}

fn without(undefined: &mut Set<VarId>, stmt: &Stmt) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::Store { buffer, value, indices, predicate } if is_undefined(undefined, value) => {
            if indices.iter().any(crate::stmt::is_foreign) {
                return refuse("the indices of a store of `T.undef()` call a function with effects");
            }
            let Some((condition, value)) = defined_part(undefined, value)? else { return Ok(no_op()) };
            let (buffer, indices, predicate) = (buffer.clone(), indices.clone(), predicate.clone());
            let then = StmtKind::Store { buffer, value, indices, predicate }.into();
            Ok(StmtKind::If { condition, then, otherwise: None }.into())
        }
        StmtKind::Let { var, value, body } if is_undefined(undefined, value) => {
            undefined.insert(var.id());
            without(undefined, body)
        }
        _ => below(stmt, &mut |s| without(undefined, s)),
    }
}
