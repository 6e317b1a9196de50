//! Queries and results are rows in memory, and lanes of vectors in a task: tiles of them are transposed in registers.
//! Queries that are computed, or converted, become rows in memory first.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Range, Stmt, Var};

use super::cx::{Flash, is_load};
use crate::build::exprs::{mentions_var, reads_memory};
use crate::build::loops::serial_loop;
use crate::fault::Fault;
use crate::primitive::vectorize_transpose::{Edges, Transpose, is_along};

/// Queries of a task, the first of them, and the end of those that exist, where the task's go beyond it.
pub(super) struct QueryRange<'a> {
    pub(super) count: i64,
    pub(super) first: &'a Expr,
    pub(super) end: Option<&'a Expr>,
}

impl Flash<'_> {
    /// The lanes of vectors, if there is a transposition of so many.
    pub(super) fn transposed_lanes(&self) -> Option<usize> {
        let lanes = self.tiling.lanes;
        [2, 4, 8, 16].contains(&lanes).then(|| usize::try_from(lanes).ok()).flatten()
    }

    /// The loops that copy the queries to `to[head dimension, query]`, with zeros beyond the end; `None` where queries
    /// are not contiguous along the head dimension, or no elements as they are.
    pub(super) fn transposed_queries(
        &self,
        queries: &QueryRange<'_>,
        batch: &[(Var, Expr)],
        to: &Buffer,
    ) -> Result<Option<Stmt>, Fault> {
        let a = self.a;
        let (d, i) = (self.var("d"), self.var("i"));
        let query = queries.first + &Expr::var(&i);
        let q = self.at(&a.q, &[(&a.query.var, &query), (&a.head_dim.var, &Expr::var(&d))], batch);
        let ExprKind::Load { buffer, indices, predicate: None } = &q.kind else { return Ok(None) };
        let Some(lanes) = self.transposed_lanes() else { return Ok(None) };
        let mut known = Analyzer::default();
        known.bind(&d, &Range::up_to(a.head_dim.extent.clone()));
        let crosses = is_along(&known, indices, &d) && !is_along(&known, indices, &i);
        if !crosses || buffer.dtype != to.dtype || indices.iter().any(reads_memory) {
            return Ok(None);
        }
        let zeros = queries.end.iter().map(|end| (query.clone(), Expr::clone(end))).collect();
        let transpose = Transpose {
            lanes,
            from: buffer.clone(),
            from_indices: indices.clone(),
            word: 1,
            to: to.clone(),
            to_indices: vec![Expr::var(&d), Expr::var(&i)],
            read: serial_loop(&d, &a.head_dim.extent),
            write: serial_loop(&i, &self.int(queries.count)),
            edges: Edges {
                read: self.unless_divided(self.tiling.lanes, &d, &a.head_dim.extent)?,
                zeros,
                ..Edges::default()
            },
        };
        transpose.along_read().map(Some)
    }

    /// Whether queries are computed, or converted, from what is contiguous along the head dimension: vectors of that
    /// are transposed afterwards, where lanes of several queries would be computed one by one.
    pub(super) fn computes_queries(&self) -> bool {
        let (a, mut along, mut found) = (self.a, true, false);
        let mut known = Analyzer::default();
        known.bind(&a.head_dim.var, &Range::up_to(a.head_dim.extent.clone()));
        walk(&a.q, |e: &Expr| {
            if let ExprKind::Load { indices, .. } = &e.kind
                && mentions_var(e, &a.head_dim.var)
            {
                found = true;
                along &= is_along(&known, indices, &a.head_dim.var) && !indices.iter().any(reads_memory);
            }
        });
        !is_load(&a.q) && found && along && self.transposed_lanes().is_some()
    }

    /// The loops that copy a vector of queries, whose first one is given, from `from[query, x]`, which has room for
    /// whole vectors, to `to[x, query]`; `None` where there is no transposition of so many lanes.
    pub(super) fn transposed_rows(
        &self,
        from: &Buffer,
        x_count: &Expr,
        first: &Expr,
        to: &Buffer,
    ) -> Result<Option<Stmt>, Fault> {
        let Some(lanes) = self.transposed_lanes() else { return Ok(None) };
        let (x, i) = (self.var("x"), self.var("i"));
        let transpose = Transpose {
            lanes,
            from: from.clone(),
            from_indices: vec![Expr::var(&i), Expr::var(&x)],
            word: 1,
            to: to.clone(),
            to_indices: vec![Expr::var(&x), first + &Expr::var(&i)],
            read: serial_loop(&x, x_count),
            write: serial_loop(&i, &self.int(self.tiling.lanes)),
            edges: Edges { read: self.unless_divided(self.tiling.lanes, &x, x_count)?, ..Edges::default() },
        };
        transpose.along_read().map(Some)
    }

    /// The loops that copy the weighted values of a vector of queries, whose first one is given, from `from[w, query]`
    /// to `to[query, w]`, which has room for whole vectors; `None` where there is no transposition of so many lanes.
    pub(super) fn transposed_results(&self, first: &Expr, from: &Buffer, to: &Buffer) -> Result<Option<Stmt>, Fault> {
        let Some(lanes) = self.transposed_lanes() else { return Ok(None) };
        let (w, i) = (self.var("w"), self.var("i"));
        let value_dim = &self.a.value_dim.extent;
        let transpose = Transpose {
            lanes,
            from: from.clone(),
            from_indices: vec![Expr::var(&w), first + &Expr::var(&i)],
            word: 1,
            to: to.clone(),
            to_indices: vec![Expr::var(&i), Expr::var(&w)],
            read: serial_loop(&i, &self.int(self.tiling.lanes)),
            write: serial_loop(&w, value_dim),
            edges: Edges { zeros: self.unless_divided(self.tiling.lanes, &w, value_dim)?, ..Edges::default() },
        };
        transpose.along_read().map(Some)
    }
}
