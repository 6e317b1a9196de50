//! Panels whose elements are widened before tiles of rows read them.
//!
//! A copy of the columns has elements as they lie in memory, of bfloat16 for example, which take a half of the memory that
//! the factor's numbers would take. To widen a vector of them costs about as much as one or two multiplications of it, in
//! each register tile anew. Where a panel has many tiles, the task widens it once, into memory that stays near.

use tilewright_ir::tir::{Expr, ExprKind, ForKind, Scope};

use super::contraction::Contraction;
use super::emit::Micro;
use super::nest::{Product, Step};
use super::pack::Packed;
use super::{PackColumns, Tiling};
use crate::exprs::stored;
use crate::loops::{looped, memory, serial};
use crate::primitive::Fault;
use crate::size::ceil_div;

/// Tiles of rows of a panel from which on it is widened once: a copy costs as much as to widen a panel twice.
const TILES: i64 = 3;

impl Tiling {
    /// Whether panels have tiles enough.
    pub(crate) fn widening_pays(&self) -> bool {
        self.pack_columns != PackColumns::InPlace && ceil_div(self.row_block, self.rows) >= TILES
    }
}

/// What a factor widens, of whole bytes; the factor where it is something else.
pub(super) fn unwidened(factor: &Expr) -> &Expr {
    match &factor.kind {
        ExprKind::Cast(value) if value.dtype.bits % 8 == 0 && value.dtype.bits < factor.dtype.bits => value,
        _ => factor,
    }
}

impl Contraction {
    /// Whether copies of the columns have shorter elements than the factor's numbers.
    pub(crate) fn columns_are_narrow(&self) -> bool {
        !std::ptr::eq(unwidened(&self.of_columns), &self.of_columns)
    }
}

/// The panel that is copied, widened.
pub(super) fn panel(p: &Product<'_>, micro: &Micro<'_>, step: &Step) -> Result<Packed, Fault> {
    let t = p.tiling;
    let longest = p.c.depth.size.as_int().unwrap_or(t.depth).clamp(1, t.depth);
    let shape = vec![p.int(longest), p.int(t.panel())];
    let buffer = memory("widened_columns", shape, p.c.of_columns.dtype, Scope::Global);
    let (k, v, j) = (p.var("k"), p.var("v"), p.var("j"));
    let lane = &(&Expr::var(&v) * t.lanes) + &Expr::var(&j);
    let value = micro.of_columns(lane.clone(), &Expr::var(&k))?;
    let body = stored(&buffer, vec![Expr::var(&k), lane], &value)?;
    let lanes = looped(&j, &p.int(t.lanes), ForKind::Vectorized, body);
    let vectors = looped(&v, &p.int(t.vectors), ForKind::Unrolled, lanes);
    Ok(Packed { buffer, stmt: serial(&k, &step.depth, vectors) })
}
