//! `RemoveStoreUndef`: stores of undefined values are left out. `RemoveAssume`: so are assumptions.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{Builtin, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::Set;

use super::{Options, below, no_op, refuse, with};
use crate::stmt::Result;

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

fn without(undefined: &mut Set<VarId>, stmt: &Stmt) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::Store { value, indices, .. } if is_undefined(undefined, value) => {
            if indices.iter().any(crate::stmt::is_foreign) {
                return refuse("the indices of a store of `T.undef()` call a function with effects");
            }
            Ok(no_op())
        }
        StmtKind::Let { var, value, body } if is_undefined(undefined, value) => {
            undefined.insert(var.id());
            without(undefined, body)
        }
        _ => below(stmt, &mut |s| without(undefined, s)),
    }
}
