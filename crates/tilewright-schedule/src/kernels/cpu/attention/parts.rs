//! Vectors of few queries: several lanes of a vector are of one query.
//!
//! A vector of 16 lanes has 8 queries of two lanes each, 4 of four, and so on. The lanes of a query share the depth of a
//! product, and the width of a result, among each other: neighbours of a key are repeated for every query, which a load does
//! on its way, and so are those of a value. A sum of products is folded at the end, in a way that leaves it in every
//! lane of its query; maxima, sums of weights and the weights are in all of these lanes, too.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Range, Stmt};

use super::Tiling;
use super::task::Maker;
use crate::facts::axes::Axis;
use crate::facts::exprs::{binary, reads_memory, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::{load, store};
use crate::primitive::vectorize_transpose::is_along;

impl Maker<'_> {
    /// How many lanes each of so few queries has: a power of two that divides the depth and the width.
    pub(super) fn lanes_of_each(&self, queries: i64) -> i64 {
        let divides = |parts: i64| {
            let constant = |axis: &Axis| axis.extent.as_int().is_some_and(|extent| extent % parts == 0);
            constant(&self.a.depth) && constant(&self.a.width)
        };
        let mut parts = 1;
        while queries * parts * 2 <= self.tiling.lanes && divides(parts * 2) {
            parts *= 2;
        }
        parts
    }

    /// Whether neighbours along an axis lie together in memory, as they are.
    pub(super) fn is_row(&self, of: &Expr, along: &Axis) -> bool {
        let ExprKind::Load { indices, predicate: None, .. } = &of.kind else { return false };
        let mut known = Analyzer::default();
        known.bind(&along.var, &Range::up_to(along.extent.clone()));
        is_along(&known, indices, &along.var) && !indices.iter().any(reads_memory)
    }
}

impl Tiling {
    /// Neighbours from an element on, those of one query, repeated for all queries of a vector.
    pub(super) fn for_each_query(&self, first: &Expr) -> Result<Expr, Fault> {
        let ExprKind::Load { buffer, indices, predicate: None } = &first.kind else {
            return Err(Fault::of_call("what is repeated for each query is no element"));
        };
        let mut indices = indices.clone();
        if let Some(last) = indices.last_mut() {
            *last = ramp(last, self.parts)?;
        }
        let neighbours = typed(Expr::load(buffer, indices))?;
        let parts = usize::try_from(self.parts).unwrap_or(1);
        self.taken(neighbours, |lane| lane % parts)
    }

    /// Sets a line, a vector, to such neighbours.
    pub(super) fn set_for_each_query(&self, (line, at): (&Buffer, &Expr), first: &Expr) -> Result<Stmt, Fault> {
        let lanes = ramp(&Expr::int(0, at.dtype), self.lanes)?;
        store(line, &[at, &lanes], &self.for_each_query(first)?)
    }

    /// Adds products of such neighbours and a line's elements to a line of sums, each a vector.
    pub(super) fn add_products(
        &self,
        (sums, row): (&Buffer, &Expr),
        first: &Expr,
        (line, at): (&Buffer, &Expr),
    ) -> Result<Stmt, Fault> {
        let lanes = ramp(&Expr::int(0, row.dtype), self.lanes)?;
        let term = binary(BinOp::Mul, &self.for_each_query(first)?, &load(line, &[at, &lanes])?)?;
        store(sums, &[row, &lanes], &binary(BinOp::Add, &load(sums, &[row, &lanes])?, &term)?)
    }

    /// The lanes of each query are added up; all of them have the sum then.
    pub(super) fn fold_parts(&self, sums: &Buffer, row: &Expr) -> Result<Stmt, Fault> {
        let lanes = ramp(&Expr::int(0, row.dtype), self.lanes)?;
        let mut stmts = Vec::new();
        let mut distance = usize::try_from(self.parts / 2).unwrap_or(0);
        while distance > 0 {
            let all = load(sums, &[row, &lanes])?;
            let others = self.taken(all.clone(), |lane| lane ^ distance)?;
            stmts.push(store(sums, &[row, &lanes], &binary(BinOp::Add, &all, &others)?)?);
            distance /= 2;
        }
        Ok(Stmt::seq(stmts))
    }

    /// A vector of lanes of another one.
    fn taken(&self, from: Expr, which: impl Fn(usize) -> usize) -> Result<Expr, Fault> {
        let count = usize::try_from(self.lanes).unwrap_or(1);
        typed(Expr::shuffle(vec![from], (0..count).map(which).collect()))
    }
}

/// So many numbers from one on.
fn ramp(first: &Expr, count: i64) -> Result<Expr, Fault> {
    let count = u16::try_from(count).map_err(|_| Fault::of_call("a vector has too many lanes"))?;
    typed(Expr::ramp(first, &Expr::int(1, first.dtype), count))
}
