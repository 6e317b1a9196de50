//! `unroll`: unrolls the loops that ask for it, so that indices of local buffers become constants.

use tilewright_ir::tir::{Expr, ForKind, PrimFunc, Stmt, StmtKind};

use crate::stmt::{Result, map_below, reads, with_body};
use crate::substitute::copy_with;

/// Statements of all copies of a body above which a loop is not unrolled.
pub(crate) const MAX_STATEMENTS: usize = 16 * 1024;

pub fn unroll(function: &PrimFunc) -> Result<PrimFunc> {
    Ok(with_body(function, write_out(&function.body)?.0))
}

/// The statement written out, and how many statements it holds.
fn write_out(stmt: &Stmt) -> Result<(Stmt, usize)> {
    let mut size = 1;
    let below = map_below(stmt, &mut |s| {
        let (stmt, inner) = write_out(s)?;
        size += inner;
        Ok(stmt)
    })?;
    let StmtKind::For { var, min, extent, kind: ForKind::Unrolled, body, annotations } = &below.kind else {
        return Ok((below, size));
    };
    match extent.as_int().map(|n| usize::try_from(n).unwrap_or(0)) {
        Some(count) if count.saturating_mul(size) <= MAX_STATEMENTS && !reads(min) => {
            let copy = |i: usize| copy_with(body, [(var.clone(), min + &Expr::int(i as i64, min.dtype))]);
            Ok((Stmt::seq((0..count).map(copy)), size * count + 1))
        }
        _ => {
            let (min, extent, annotations) = (min.clone(), extent.clone(), annotations.clone());
            let serial = ForKind::Serial;
            let var = var.clone();
            Ok((StmtKind::For { var, min, extent, kind: serial, annotations, body: body.clone() }.into(), size))
        }
    }
}
