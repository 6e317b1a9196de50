//! `normalize_parallel`: one level of parallel loops.
//!
//! A parallel loop inside another becomes serial. Two perfectly nested parallel loops of constant extents, the outer
//! one short, are fused, so that there are enough tasks for all threads.

use tilewright_ir::tir::{BinOp, Expr, ForKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::Origins;

use crate::stmt::{Result, error_with_help, map_below, mentions, typed, with_body};
use crate::substitute::Substitute;

/// Iterations of an outer parallel loop below which it is fused with the one inside.
const ENOUGH_TASKS: i64 = 256;

pub fn normalize_parallel(function: &PrimFunc) -> Result<PrimFunc> {
    Ok(with_body(function, normalize(&function.origins, &function.body, false)?))
}

fn normalize(origins: &Origins, stmt: &Stmt, inside: bool) -> Result<Stmt> {
    let StmtKind::For { var, kind, .. } = &stmt.kind else {
        return map_below(stmt, &mut |s| normalize(origins, s, inside));
    };
    match kind {
        ForKind::ThreadBinding(tag) => {
            let message = format!("loop `{}` is bound to `{tag}`: this function is bound to GPU threads", var.name);
            Err(error_with_help("TW0561", origins, message, "a CPU runs parallel loops: use `T.parallel`"))
        }
        ForKind::Parallel if inside => {
            let below = map_below(stmt, &mut |s| normalize(origins, s, true))?;
            Ok(with_kind(&below, ForKind::Serial))
        }
        ForKind::Parallel => {
            let fused = fuse(stmt)?;
            map_below(&fused, &mut |s| normalize(origins, s, true))
        }
        _ => map_below(stmt, &mut |s| normalize(origins, s, inside)),
    }
}

fn with_kind(stmt: &Stmt, to: ForKind) -> Stmt {
    let mut kind = stmt.kind.clone();
    if let StmtKind::For { kind, .. } = &mut kind {
        *kind = to;
    }
    kind.into()
}

/// `for i in parallel(m): for j in parallel(n): body` as `for f in parallel(m * n)`, if the outer one is short.
fn fuse(stmt: &Stmt) -> Result<Stmt> {
    let StmtKind::For { var: i, min: i_min, extent: m, kind: ForKind::Parallel, body, annotations } = &stmt.kind else {
        return Ok(stmt.clone());
    };
    let StmtKind::For { var: j, min: j_min, extent: n, kind: ForKind::Parallel, body: inner, .. } = &body.kind else {
        return Ok(stmt.clone());
    };
    let (Some(outer), Some(count)) = (m.as_int(), n.as_int()) else { return Ok(stmt.clone()) };
    let Some(total) = outer.checked_mul(count).filter(|&t| t > 0 && t <= i64::from(i32::MAX)) else {
        return Ok(stmt.clone());
    };
    let dependent = mentions(j_min, std::slice::from_ref(i));
    if outer >= ENOUGH_TASKS || i.dtype != j.dtype || dependent {
        return Ok(stmt.clone());
    }
    let fused = Var::new(format!("{}_{}_fused", i.name, j.name), i.dtype);
    let index = Expr::var(&fused);
    let divisor = Expr::int(count, i.dtype);
    let mut values = Substitute::value(i, i_min + &typed(Expr::binary(BinOp::FloorDiv, &index, &divisor))?);
    values.values.insert(j.id(), j_min + &typed(Expr::binary(BinOp::FloorMod, &index, &divisor))?);
    let fused = StmtKind::For {
        var: fused,
        min: Expr::int(0, i.dtype),
        extent: Expr::int(total, i.dtype),
        kind: ForKind::Parallel,
        annotations: annotations.clone(),
        body: values.apply(inner),
    };
    fuse(&fused.into())
}
