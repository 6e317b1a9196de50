//! Places of the depth, gone through axis by axis: no place is divided to find where it is in a window.

use tilewright_ir::tir::{BinOp, Expr, ExprKind, ForKind, Stmt, Var};

use super::cx::Gemm;
use super::micro_kernel::Micro;

use crate::facts::axes::Group;
use crate::facts::exprs::{binary, mentions, substituted};
use crate::facts::fault::Fault;
use crate::facts::loops::{looped, serial};
use crate::families::contraction::is_one;
use crate::plan::cpu::gemm::{PackA, PackB};

/// Places of the inner axes at most: with each place of the outermost one something may be asked for. A volume's windows of
/// three by seven by seven are among them.
const MOST: i64 = 160;
/// Iterations of the innermost axis that are written out.
const WRITTEN_OUT: i64 = 3;

/// A place of a part of the depth.
pub(super) struct Place {
    /// Its number in the part.
    pub(super) number: Expr,
    /// The values of the depth's axes, where these have loops of their own.
    axes: Option<Vec<(Var, Expr)>>,
}

impl Place {
    pub(super) const fn numbered(number: Expr) -> Self {
        Self { number, axes: None }
    }
}

/// Loops over the axes of the depth.
pub(super) struct Places {
    /// The loop over the outermost axis, and how many places of it the part has.
    pub(super) first: Var,
    pub(super) count: Expr,
    /// The others, from outside inwards, and their extents.
    inner: Vec<(Var, Expr)>,
    /// The place in the part.
    pub(super) number: Expr,
    /// The values of the depth's axes.
    pub(super) axes: Vec<(Var, Expr)>,
}

impl Places {
    /// The statement for all places that have the first axis in common.
    pub(super) fn inside(&self, stmt: Stmt, innermost: impl Fn(&Expr) -> ForKind) -> Stmt {
        let loops = self.inner.iter().rev().enumerate();
        loops.fold(stmt, |body, (at, (var, extent))| {
            let kind = if at == 0 { innermost(extent) } else { ForKind::Serial };
            looped(var, extent, kind, body)
        })
    }
}

impl Gemm<'_> {
    /// Loops over the places of a part of the depth, from `start` on, axis by axis. It has whole places of the outermost axis,
    /// each of which is so many places.
    pub(super) fn axis_by_axis(&self, start: &Expr, count: &Expr, inner: i64) -> Result<Places, Fault> {
        let mut loops: Vec<(Var, Expr)> =
            self.c.k.axes.iter().map(|axis| (axis.var.renewed(), axis.extent.clone())).collect();
        let (mut number, mut axes) = (self.int(0), Vec::new());
        for (at, (axis, (var, extent))) in self.c.k.axes.iter().zip(&loops).enumerate() {
            let own = if at > 0 && is_one(extent) { self.int(0) } else { Expr::var(var) };
            number = self.simple(&(&binary(BinOp::Mul, &number, extent)? + &own));
            let start = if at == 0 { self.floor_div(start, inner)? } else { self.int(0) };
            axes.push((axis.var.clone(), &start + &own));
        }
        if loops.is_empty() {
            return Err(Fault::of_call("the depth has an axis"));
        }
        let (first, _) = loops.remove(0);
        loops.retain(|(_, extent)| !is_one(extent));
        Ok(Places { first, count: self.floor_div(count, inner)?, inner: loops, number, axes })
    }

    /// Places of the depth for each place of its outermost axis, where register tiles go through it axis by axis: rows, or
    /// columns that windows go along, are read where they lie, and steps have whole places of the outermost axis.
    pub(super) fn places_in_window(&self) -> Option<i64> {
        let t = self.plan;
        let in_windows = match t.pack_b {
            PackB::InPlace => self.columns_meet(),
            PackB::Ahead | PackB::PerTask => t.pack_a == PackA::InPlace,
        };
        let inner: i64 = self.c.k.axes.iter().skip(1).map(|axis| axis.extent.as_int()).product::<Option<i64>>()?;
        let single = self.c.k.size.as_int().is_some_and(|depth| depth <= t.kc);
        let whole = (2..=MOST).contains(&inner) && (t.kc % inner == 0 || single);
        (in_windows && self.grouping.is_none() && whole).then_some(inner)
    }

    /// Whether windows go along the columns: what a panel reads is in part what the one before it has read.
    pub(super) fn columns_meet(&self) -> bool {
        let vars = |group: &Group| group.axes.iter().map(|axis| axis.var.clone()).collect::<Vec<_>>();
        let (columns, depth) = (vars(&self.c.n), vars(&self.c.k));
        let ExprKind::Load { indices, .. } = &self.columns.kind else { return false };
        indices.iter().any(|index| mentions(index, &columns) && mentions(index, &depth))
    }
}

impl Micro<'_> {
    /// The statement for each place of the step's depth, axis by axis, and what is asked for with each place of the outermost one.
    pub(super) fn along_windows(
        &self,
        inner: i64,
        asked: impl Fn(&Expr) -> Result<Vec<Stmt>, Fault>,
        update: impl Fn(&Place) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let places = self.p.axis_by_axis(&self.step.start, &self.step.depth, inner)?;
        let place = Place { number: places.number.clone(), axes: Some(places.axes.clone()) };
        let is_short = |extent: &Expr| extent.as_int().is_some_and(|extent| extent <= WRITTEN_OUT);
        let kind = |extent: &Expr| if is_short(extent) { ForKind::Unrolled } else { ForKind::Serial };
        let window = places.inside(update(&place)?, kind);
        let asked = asked(&Expr::var(&places.first))?;
        Ok(serial(&places.first, &places.count, Stmt::seq(asked.into_iter().chain([window]))))
    }

    /// The factor of the rows at a row of the task and a place of the step.
    pub(super) fn a_at_place(&self, row: &Expr, place: &Place) -> Result<Expr, Fault> {
        let (None, Some(axes)) = (&self.rows, &place.axes) else { return self.a_at(row, &place.number) };
        let mut values = self.p.c.m.values(&self.p.known, &(&self.task.row + row))?;
        values.extend(axes.iter().chain(&self.task.batch).cloned());
        Ok(substituted(&self.p.c.a, &values))
    }

    /// The factor of the columns at a column of the panel and a place of the step.
    pub(super) fn b_at_place(&self, lane: Expr, place: &Place) -> Result<Expr, Fault> {
        let in_place = self.p.plan.pack_b == PackB::InPlace && self.wide.is_none();
        match &place.axes {
            Some(axes) if in_place => self.p.b_at_place(&self.task.batch, &self.column_at(&lane), axes.clone()),
            _ => self.b_at(lane, &place.number),
        }
    }
}
