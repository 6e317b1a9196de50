//! im2col: packing of a B whose N is several axes, such as the pixels of an image (implicit GEMM).
//!
//! An *image row* is a run of N along the last of these axes. Within it B is as regular as along that axis, across its
//! end it is not: so a panel is copied as the pieces of image rows that it has. K is looped over axis by axis in the
//! same way. No index is divided for each element.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Stmt, Var};

use super::cx::Gemm;
use crate::analysis::axes::Group;
use crate::build::exprs::{compare, stored, substituted};
use crate::build::loops::{looped, named, only_if, serial, with_names};
use crate::fault::Fault;

/// A panel of B, or part of one, that is packed.
pub(super) struct PanelCopy<'a> {
    pub(super) batch: &'a [(Var, Expr)],
    /// The panel's first index along N.
    pub(super) n_start: Expr,
    /// The part of K.
    pub(super) k_start: Expr,
    pub(super) k_count: Expr,
    pub(super) to: &'a Buffer,
    /// The indices of `to` in front of those of K and of the lane.
    pub(super) outer: Vec<Expr>,
}

impl PanelCopy<'_> {
    fn store(&self, k: &Expr, lane: &Expr, value: &Expr) -> Result<Stmt, Fault> {
        stored(self.to, self.outer.iter().chain([k, lane]).cloned().collect(), value)
    }
}

impl Gemm<'_> {
    /// The image rows of a panel, piece by piece.
    pub(super) fn im2col(&self, copy: &PanelCopy<'_>) -> Result<Stmt, Fault> {
        let c = self.c;
        let Some((last, outer)) = c.n.axes.split_last() else {
            return Err(Fault::of_call("N has no axis"));
        };
        let length = &last.extent;
        let rows = Group::new(&self.known, outer.to_vec(), c.index)?;
        let mut lets = Vec::new();
        let first = named("first_row", &self.binary(BinOp::FloorDiv, &copy.n_start, length)?, &mut lets);
        let n_end = self.min(&(&copy.n_start + self.plan.panel()), &c.n.size)?;
        let count = &(&self.binary(BinOp::FloorDiv, &(&n_end - 1), length)? + 1) - &first;
        let body = self.serial("number", &count, |number| {
            let mut inner = Vec::new();
            let row = named("image_row", &(&first + number), &mut inner);
            let row_start = &row * length;
            let from = named("from", &self.max(&(&copy.n_start - &row_start), &self.int(0))?, &mut inner);
            let to = self.min(&(&n_end - &row_start), length)?;
            let piece = named("piece", &(&to - &from), &mut inner);
            let is_row = compare(CmpOp::Lt, &row, &rows.size)?;
            let x = self.var("x");
            let along = &from + &Expr::var(&x);
            let mut values = rows.values(&self.known, &row)?;
            values.push((last.var.clone(), along.clone()));
            values.extend(copy.batch.iter().cloned());
            let value = substituted(self.narrow_b, &values);
            let lane = &(&row_start + &along) - &copy.n_start;
            let body = self.over_k(copy, &value, &|k, value| {
                let body = copy.store(k, &lane, value)?;
                Ok(looped(&x, &piece, ForKind::Vectorized, body))
            })?;
            Ok(with_names(inner, only_if(is_row, body)))
        })?;
        let zeros = self.zeros_in_tail(copy, &n_end)?;
        Ok(with_names(lets, Stmt::seq([body].into_iter().chain(zeros))))
    }

    /// Zeros in the tail of N, in the panel that has it.
    fn zeros_in_tail(&self, copy: &PanelCopy<'_>, n_end: &Expr) -> Result<Option<Stmt>, Fault> {
        if !self.has_n_tail()? {
            return Ok(None);
        }
        let used = n_end - &copy.n_start;
        let count = self.simple(&(&self.int(self.plan.panel()) - &used));
        let zero = Expr::number(0, copy.to.dtype);
        let zeros = self.serial("k", &self.groups_in(&copy.k_count)?, |k| {
            self.vectorized("x", &count, |x| copy.store(k, &(&used + x), &zero))
        })?;
        Ok(Some(only_if(compare(CmpOp::Gt, &count, &self.int(0))?, zeros)))
    }

    /// The statement for each index of the part of K: the index in the part, and the value there. With dot products it
    /// is one of groups, and their words.
    fn over_k(
        &self,
        copy: &PanelCopy<'_>,
        value: &Expr,
        body: &dyn Fn(&Expr, &Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let k_axes = &self.c.k;
        let Some((_, others)) = k_axes.axes.split_first() else {
            return Err(Fault::of_call("K has no axis"));
        };
        let inner: Option<i64> = others.iter().map(|axis| axis.extent.as_int()).product();
        let is_whole = |inner: &i64| *inner > 1 && (self.plan.kc % inner == 0 || copy.k_start.as_int() == Some(0));
        let inner = inner.filter(is_whole);
        if self.grouping.is_some() {
            return self.over_words(copy, value, inner, body);
        }
        let Some(inner) = inner else {
            return self.serial("k", &copy.k_count, |k| {
                let values = k_axes.values(&self.known, &(&copy.k_start + k))?;
                body(k, &substituted(value, &values))
            });
        };
        let nest = self.k_nest(&k_axes.axes, &copy.k_start, &copy.k_count, inner)?;
        let stmt = body(&nest.k, &substituted(value, &nest.axes))?;
        Ok(serial(&nest.outer, &nest.outer_count, nest.inner_loops(stmt, |_| ForKind::Serial)))
    }

    /// The statement for each group of the part of K, whose word it gets. Where groups are neighbours along the last
    /// axis of K, as they are where channels are, K is looped over axis by axis.
    fn over_words(
        &self,
        copy: &PanelCopy<'_>,
        value: &Expr,
        inner: Option<i64>,
        body: &dyn Fn(&Expr, &Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let (k_axes, size) = (&self.c.k, self.group());
        let groups = |extent: &Expr| extent.as_int().filter(|extent| extent % size == 0).map(|extent| extent / size);
        let last = k_axes.axes.last().and_then(|axis| Some((axis, groups(&axis.extent)?)));
        let (Some(inner), Some((last, in_last))) = (inner, last) else {
            let first = self.floor_div(&copy.k_start, size)?;
            return self.serial("k", &self.groups_in(&copy.k_count)?, |group| {
                let element = |k: &Expr| Ok(substituted(value, &k_axes.values(&self.known, k)?));
                body(group, &self.word(&(&first + group), element)?)
            });
        };
        let mut axes = k_axes.axes.clone();
        if let Some(last) = axes.last_mut() {
            last.extent = self.int(in_last);
        }
        let [start, count] = [&copy.k_start, &copy.k_count].map(|k| self.floor_div(k, size));
        let nest = self.k_nest(&axes, &start?, &count?, inner / size)?;
        let value =
            substituted(value, &nest.axes.iter().filter(|(var, _)| *var != last.var).cloned().collect::<Vec<_>>());
        let group = nest.axes.iter().find(|(var, _)| *var == last.var).map_or(self.int(0), |(_, group)| group.clone());
        let word =
            self.word_of_parts(|part| Ok(substituted(&value, &[(last.var.clone(), &(&group * size) + part)])))?;
        let stmt = body(&nest.k, &word)?;
        Ok(serial(&nest.outer, &nest.outer_count, nest.inner_loops(stmt, |_| ForKind::Serial)))
    }
}
