//! Vectors of few queries: several lanes of a vector belong to one query.
//!
//! A vector of 16 lanes has 8 queries of two lanes each, 4 of four, and so on. The lanes of a query share the head
//! dimensions of a product, and those of a result: neighbours of a key are repeated for every query, which a load does
//! by itself, and so are those of a value. A sum of products is reduced at the end by exchanging lanes, which leaves it
//! in every lane of its query; maxima, weights and their sums are in all of these lanes, too.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Range, Stmt};

use super::cx::{Flash, Tiling};
use crate::analysis::axes::Axis;
use crate::build::exprs::{binary, reads_memory, typed};
use crate::build::loops::{load, store};
use crate::fault::Fault;
use crate::primitive::vectorize_transpose::is_along;

/// A vector in memory: a row of a buffer.
pub(super) struct Row<'a> {
    pub(super) of: &'a Buffer,
    pub(super) at: &'a Expr,
}

impl Row<'_> {
    fn load(&self, lanes: &Expr) -> Result<Expr, Fault> {
        load(self.of, &[self.at, lanes])
    }

    fn store(&self, lanes: &Expr, value: &Expr) -> Result<Stmt, Fault> {
        store(self.of, &[self.at, lanes], value)
    }
}

impl Flash<'_> {
    /// How many lanes each of so few queries has: a power of two that divides the head dimensions.
    pub(super) fn lanes_per_query(&self, queries: i64) -> i64 {
        let mut lanes = 1;
        let divides = |lanes: i64| self.head_dim % lanes == 0 && self.value_dim % lanes == 0;
        while queries * lanes * 2 <= self.tiling.lanes && divides(lanes * 2) {
            lanes *= 2;
        }
        lanes
    }

    /// Whether an operand is read in place, contiguous along an axis.
    pub(super) fn is_contiguous(&self, operand: &Expr, along: &Axis) -> bool {
        let ExprKind::Load { indices, predicate: None, .. } = &operand.kind else { return false };
        let mut known = Analyzer::default();
        known.bind(&along.var, &Range::up_to(along.extent.clone()));
        is_along(&known, indices, &along.var) && !indices.iter().any(reads_memory)
    }
}

impl Tiling {
    /// The neighbours from an element on that the lanes of a query have, repeated for all queries of a vector.
    fn repeated(&self, first: &Expr) -> Result<Expr, Fault> {
        let ExprKind::Load { buffer, indices, predicate: None } = &first.kind else {
            return Err(Fault::of_call("only an element of memory is repeated for each query"));
        };
        let mut indices = indices.clone();
        if let Some(last) = indices.last_mut() {
            *last = ramp(last, self.lanes_per_query)?;
        }
        let neighbours = typed(Expr::load(buffer, indices))?;
        let lanes = usize::try_from(self.lanes_per_query).unwrap_or(1);
        self.shuffled(neighbours, |lane| lane % lanes)
    }

    /// Sets a row to the neighbours from an element on.
    pub(super) fn set_repeated(&self, row: &Row<'_>, first: &Expr) -> Result<Stmt, Fault> {
        row.store(&ramp(&Expr::int(0, row.at.dtype), self.lanes)?, &self.repeated(first)?)
    }

    /// Adds products of the neighbours from an element on and the elements of a row to a row of sums.
    pub(super) fn add_products(&self, sums: &Row<'_>, first: &Expr, row: &Row<'_>) -> Result<Stmt, Fault> {
        let lanes = ramp(&Expr::int(0, sums.at.dtype), self.lanes)?;
        let term = binary(BinOp::Mul, &self.repeated(first)?, &row.load(&lanes)?)?;
        sums.store(&lanes, &binary(BinOp::Add, &sums.load(&lanes)?, &term)?)
    }

    /// Reduces the lanes of each query; all of them have the sum then.
    pub(super) fn reduce_lanes(&self, sums: &Row<'_>) -> Result<Stmt, Fault> {
        let lanes = ramp(&Expr::int(0, sums.at.dtype), self.lanes)?;
        let mut stmts = Vec::new();
        let mut distance = usize::try_from(self.lanes_per_query / 2).unwrap_or(0);
        while distance > 0 {
            let all = sums.load(&lanes)?;
            let others = self.shuffled(all.clone(), |lane| lane ^ distance)?;
            stmts.push(sums.store(&lanes, &binary(BinOp::Add, &all, &others)?)?);
            distance /= 2;
        }
        Ok(Stmt::seq(stmts))
    }

    fn shuffled(&self, from: Expr, which: impl Fn(usize) -> usize) -> Result<Expr, Fault> {
        let count = usize::try_from(self.lanes).unwrap_or(1);
        typed(Expr::shuffle(vec![from], (0..count).map(which).collect()))
    }
}

/// Neighbouring indices from one on.
fn ramp(first: &Expr, count: i64) -> Result<Expr, Fault> {
    let count = u16::try_from(count).map_err(|_| Fault::of_call("a vector has too many lanes"))?;
    typed(Expr::ramp(first, &Expr::int(1, first.dtype), count))
}
