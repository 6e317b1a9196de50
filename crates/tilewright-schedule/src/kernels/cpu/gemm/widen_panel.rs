//! Panels whose elements are widened before tiles of rows read them.
//!
//! A copy of the columns has elements as they lie in memory, of bfloat16 for example, which take a half of the memory that
//! the factor's numbers would take. To widen a vector of them costs about as much as one or two multiplications of it, in
//! each register tile anew. Where a panel has many tiles, the task widens it once, into memory that stays near.

use tilewright_ir::tir::{Expr, ForKind, Scope};

use super::cx::{Gemm, KBlock};
use super::micro_kernel::Micro;
use super::pack::Packed;

use crate::facts::exprs::stored;
use crate::facts::fault::Fault;
use crate::facts::loops::{looped, memory, serial};

/// The panel that is copied, widened.
pub(super) fn panel(p: &Gemm<'_>, micro: &Micro<'_>, step: &KBlock) -> Result<Packed, Fault> {
    let t = p.plan;
    let longest = p.c.k.size.as_int().unwrap_or(t.kc).clamp(1, t.kc);
    let shape = vec![p.int(longest), p.int(t.panel())];
    let buffer = memory("widened_columns", shape, p.c.b.dtype, Scope::Global);
    let (k, v, j) = (p.var("k"), p.var("v"), p.var("j"));
    let lane = &(&Expr::var(&v) * t.lanes) + &Expr::var(&j);
    let value = micro.b_at(lane.clone(), &Expr::var(&k))?;
    let body = stored(&buffer, vec![Expr::var(&k), lane], &value)?;
    let lanes = looped(&j, &p.int(t.lanes), ForKind::Vectorized, body);
    let vectors = looped(&v, &p.int(t.nr_vectors), ForKind::Unrolled, lanes);
    Ok(Packed { buffer, stmt: serial(&k, &step.depth, vectors) })
}
