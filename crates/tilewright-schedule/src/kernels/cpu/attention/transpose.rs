//! Queries and results are rows in memory, and lanes of vectors in a task: tiles of them are turned in registers. Queries that
//! are worked out, or converted, become rows in memory before.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::Attrs;
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, ForKind, Range, Stmt, Var};

use super::task::{Maker, is_load};
use crate::facts::exprs::{binary, mentions, reads_memory, substituted};
use crate::facts::fault::Fault;
use crate::families::attention::weights::is_divisor;
use crate::primitive::vectorize_transpose::{Copy, is_along};

/// Numbers in a divisor are zero or at least this, so that no reciprocal is infinite but that of zero.
const LEAST: f64 = 1e-30;

/// Queries of a task, the first of them, and the end of those that there are, where the task's go beyond it.
pub(super) struct Rows<'a> {
    pub(super) count: i64,
    pub(super) first: &'a Expr,
    pub(super) end: Option<&'a Expr>,
}

impl Maker<'_> {
    pub(super) fn lanes_turned(&self) -> Option<usize> {
        let lanes = self.tiling.lanes;
        [2, 4, 8, 16].contains(&lanes).then(|| usize::try_from(lanes).ok()).flatten()
    }

    /// The loops that copy the queries to `to[depth, query]`, with zeros for those behind the end; `None` where neighbours in
    /// memory are not along the depth, or the queries are no elements as they are.
    pub(super) fn turned_queries(
        &self,
        rows: &Rows<'_>,
        batch: &[(Var, Expr)],
        to: &Buffer,
    ) -> Result<Option<Stmt>, Fault> {
        let a = self.a;
        let (d, i) = (self.var("d"), self.var("i"));
        let query = rows.first + &Expr::var(&i);
        let of_query = self.at(&a.of_query, &[(&a.query.var, &query), (&a.depth.var, &Expr::var(&d))], batch);
        let ExprKind::Load { buffer, indices, predicate: None } = &of_query.kind else { return Ok(None) };
        let Some(lanes) = self.lanes_turned() else { return Ok(None) };
        let mut known = Analyzer::default();
        known.bind(&d, &Range::up_to(a.depth.extent.clone()));
        let crosses = is_along(&known, indices, &d) && !is_along(&known, indices, &i);
        if !crosses || buffer.dtype != to.dtype || indices.iter().any(reads_memory) {
            return Ok(None);
        }
        let copy = Copy {
            lanes,
            from: buffer.clone(),
            from_indices: indices.clone(),
            to: to.clone(),
            to_indices: vec![Expr::var(&d), Expr::var(&i)],
            read_bounds: self.unless_whole(&d, &a.depth.extent),
            write_bounds: Vec::new(),
            read: side(&d, &a.depth.extent),
            write: side(&i, &self.int(rows.count)),
            zeros_behind: rows.end.iter().map(|end| (query.clone(), Expr::clone(end))).collect(),
            conditions: Vec::new(),
        };
        copy.along_read().map(Some)
    }

    /// Whether queries are worked out, or converted, from what lies together in memory along their depth: vectors of that are
    /// turned afterwards, where lanes of several queries would be worked out one by one.
    pub(super) fn are_rows_worked_out(&self) -> bool {
        let (a, mut along, mut found) = (self.a, true, false);
        let mut known = Analyzer::default();
        known.bind(&a.depth.var, &Range::up_to(a.depth.extent.clone()));
        walk(&a.of_query, |e: &Expr| {
            if let ExprKind::Load { indices, .. } = &e.kind
                && mentions(e, std::slice::from_ref(&a.depth.var))
            {
                found = true;
                along &= is_along(&known, indices, &a.depth.var) && !indices.iter().any(reads_memory);
            }
        });
        !is_load(&a.of_query) && found && along && self.lanes_turned().is_some()
    }

    /// The loops that copy a vector of queries, whose first one is given, from `from[query, depth]`, in which there is place for
    /// whole vectors, to `to[depth, query]`; `None` where vectors have other numbers of lanes than are turned.
    pub(super) fn turned_rows(&self, from: &Buffer, first: &Expr, to: &Buffer) -> Result<Option<Stmt>, Fault> {
        let Some(lanes) = self.lanes_turned() else { return Ok(None) };
        let (d, i) = (self.var("d"), self.var("i"));
        let copy = Copy {
            lanes,
            from: from.clone(),
            from_indices: vec![Expr::var(&i), Expr::var(&d)],
            to: to.clone(),
            to_indices: vec![Expr::var(&d), first + &Expr::var(&i)],
            read_bounds: self.unless_whole(&d, &self.a.depth.extent),
            write_bounds: Vec::new(),
            read: side(&d, &self.a.depth.extent),
            write: side(&i, &self.int(self.tiling.lanes)),
            zeros_behind: Vec::new(),
            conditions: Vec::new(),
        };
        copy.along_read().map(Some)
    }

    /// The same of a mask's rows, as many columns of them as are worked out.
    pub(super) fn turned_mask(&self, from: &Buffer, columns: &Expr, first: &Expr, to: &Buffer) -> Result<Stmt, Fault> {
        let lanes = self.lanes_turned().ok_or_else(|| Fault::of_call("vectors of these lanes are not turned"))?;
        let (j, i) = (self.var("j"), self.var("i"));
        // There is place for whole vectors.
        let whole = self.known.simplify(&(&self.ceil_div(columns, self.tiling.lanes)? * self.tiling.lanes));
        let copy = Copy {
            lanes,
            from: from.clone(),
            from_indices: vec![Expr::var(&i), Expr::var(&j)],
            to: to.clone(),
            to_indices: vec![Expr::var(&j), first + &Expr::var(&i)],
            read_bounds: Vec::new(),
            write_bounds: Vec::new(),
            read: side(&j, &whole),
            write: side(&i, &self.int(self.tiling.lanes)),
            zeros_behind: Vec::new(),
            conditions: Vec::new(),
        };
        copy.along_read()
    }

    /// The loops that copy the results of a vector of queries, whose first one is given, from `from[width, query]` to
    /// `to[query, width]`, in which there is place for whole vectors; `None` where vectors have other numbers of lanes than
    /// are turned.
    pub(super) fn turned_results(&self, first: &Expr, from: &Buffer, to: &Buffer) -> Result<Option<Stmt>, Fault> {
        let Some(lanes) = self.lanes_turned() else { return Ok(None) };
        let (w, i) = (self.var("w"), self.var("i"));
        let width = &self.a.width.extent;
        let copy = Copy {
            lanes,
            from: from.clone(),
            from_indices: vec![Expr::var(&w), first + &Expr::var(&i)],
            to: to.clone(),
            to_indices: vec![Expr::var(&i), Expr::var(&w)],
            read_bounds: Vec::new(),
            write_bounds: Vec::new(),
            read: side(&i, &self.int(self.tiling.lanes)),
            write: side(&w, width),
            zeros_behind: self.unless_whole(&w, width),
            conditions: Vec::new(),
        };
        copy.along_read().map(Some)
    }

    /// The end of a loop, where vectors may go beyond it.
    fn unless_whole(&self, var: &Var, extent: &Expr) -> Vec<(Expr, Expr)> {
        match extent.as_int() {
            Some(extent) if extent % self.tiling.lanes == 0 => Vec::new(),
            _ => vec![(Expr::var(var), extent.clone())],
        }
    }

    /// The result with a product in the place of the quotient by a formula of the sum of weights: that formula, and what stands
    /// for its reciprocal, which is worked out once for a query. That sum is zero or about one at least, for the greatest
    /// score has the weight one. So a reciprocal is infinite only where the quotient of the zeros is NaN.
    pub(super) fn by_reciprocal(&self) -> Result<Option<(Expr, Var, Expr)>, Fault> {
        let (a, mut divisor) = (self.a, None);
        walk(&a.result, |e: &Expr| {
            if let ExprKind::Binary(BinOp::Div, of, by) = &e.kind
                && mentions(of, std::slice::from_ref(&a.mixed))
                && self.is_of_total(by)
            {
                divisor = Some(by.clone());
            }
        });
        let Some(divisor) = divisor else { return Ok(None) };
        let reciprocal = Var::new("reciprocal", a.dtype);
        let placed = rewrite(&a.result, |e: &Expr| match &e.kind {
            ExprKind::Binary(BinOp::Div, of, by) if by.equal(&divisor) => {
                binary(BinOp::Mul, of, &Expr::var(&reciprocal)).ok()
            }
            _ => None,
        });
        let Some(placed) = placed else { return Ok(None) };
        Ok(Some((placed, reciprocal, binary(BinOp::Div, &self.float(1.0), &divisor)?)))
    }

    /// Whether a formula divides by the sum of weights in a way that a reciprocal of it is a number: none of its numbers is tiny.
    fn is_of_total(&self, formula: &Expr) -> bool {
        let mut fits = is_divisor(formula, &self.a.total) && formula.dtype == self.a.dtype;
        walk(formula, |e: &Expr| {
            if let ExprKind::Float(bits) = &e.kind {
                fits &= bits.0 == 0.0 || bits.0.abs() >= LEAST;
            }
        });
        fits
    }

    /// A formula with a value in the place of a variable.
    pub(super) fn with(&self, formula: &Expr, var: &Var, value: &Expr) -> Expr {
        substituted(formula, &[(var.clone(), value.clone())])
    }
}

/// A loop of a copy.
fn side(var: &Var, extent: &Expr) -> Loop {
    let zero = Expr::int(0, var.dtype);
    Loop { var: var.clone(), min: zero, extent: extent.clone(), kind: ForKind::Serial, annotations: Attrs::new() }
}
