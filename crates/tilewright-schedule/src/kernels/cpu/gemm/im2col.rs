//! Copies of panels whose columns are several axes, such as the pixels of an image.
//!
//! A *line* is a run of columns along the last of these axes. Within a line the factor's elements lie as regularly as along
//! that axis, across its end they do not: so a panel is copied as the pieces of the lines that it has. In the same way
//! places of the depth are gone through axis by axis. No index is divided for each element.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Stmt, Var};

use super::cx::Gemm;
use crate::facts::axes::Group;
use crate::facts::exprs::{binary, compare, stored, substituted};
use crate::facts::fault::Fault;
use crate::facts::loops::{looped, named, only_if, serial, with_names};

/// What is copied where.
pub(super) struct Copied<'a> {
    pub(super) batch: &'a [(Var, Expr)],
    /// The panel's first column.
    pub(super) column: Expr,
    /// The part of the depth.
    pub(super) start: Expr,
    pub(super) depth: Expr,
    pub(super) to: &'a Buffer,
    /// The indices in front of those of the depth and of the column in the panel.
    pub(super) at: Vec<Expr>,
}

impl Gemm<'_> {
    /// The lines of a panel, piece by piece.
    pub(super) fn copy_lines(&self, copied: &Copied<'_>) -> Result<Stmt, Fault> {
        let c = self.c;
        let Some((last, outer)) = c.n.axes.split_last() else {
            return Err(Fault::of_call("columns have an axis"));
        };
        let length = &last.extent;
        let lines = Group::new(&self.known, outer.to_vec(), c.index)?;
        let mut lets = Vec::new();
        let first = named("first_line", &self.lines_of(&copied.column, length)?, &mut lets);
        let past = self.least(&(&copied.column + self.plan.panel()), &c.n.size)?;
        let count = &(&self.lines_of(&(&past - 1), length)? + 1) - &first;
        let (number, x) = (self.var("number"), self.var("x"));
        let mut inner = Vec::new();
        let line = named("line", &(&first + &Expr::var(&number)), &mut inner);
        let begin = &line * length;
        let from = self.simple(&binary(BinOp::Max, &(&copied.column - &begin), &self.int(0))?);
        let from = named("from", &from, &mut inner);
        let to = self.least(&(&past - &begin), length)?;
        let piece = named("piece", &(&to - &from), &mut inner);
        let along = &from + &Expr::var(&x);
        let mut values = lines.values(&self.known, &line)?;
        values.push((last.var.clone(), along.clone()));
        values.extend(copied.batch.iter().cloned());
        let value = substituted(self.columns, &values);
        let lane = &(&begin + &along) - &copied.column;
        let in_lines = compare(CmpOp::Lt, &line, &lines.size)?;
        let body = self.along_depth(copied, &value, &|k, value| {
            let indices = copied.at.iter().cloned().chain([k.clone(), lane.clone()]).collect();
            Ok(looped(&x, &piece, ForKind::Vectorized, stored(copied.to, indices, value)?))
        })?;
        let body = with_names(inner, only_if(in_lines, body));
        let rest = self.cleared_rest(copied, &past)?;
        Ok(with_names(lets, Stmt::seq([serial(&number, &count, body)].into_iter().chain(rest))))
    }

    /// In how many lines of a length so many columns are, the last line not counted where it is not whole.
    fn lines_of(&self, columns: &Expr, length: &Expr) -> Result<Expr, Fault> {
        Ok(self.simple(&binary(BinOp::FloorDiv, columns, length)?))
    }

    /// Zeros behind the last column, in the panel that has it.
    fn cleared_rest(&self, copied: &Copied<'_>, past: &Expr) -> Result<Option<Stmt>, Fault> {
        if !self.is_ragged()? {
            return Ok(None);
        }
        let (k, x) = (self.var("k"), self.var("x"));
        let used = past - &copied.column;
        let count = self.simple(&(&self.int(self.plan.panel()) - &used));
        let place = [Expr::var(&k), &used + &Expr::var(&x)];
        let zero = Expr::number(0, copied.to.dtype);
        let body = stored(copied.to, copied.at.iter().cloned().chain(place).collect(), &zero)?;
        let cleared = serial(&k, &copied.depth, looped(&x, &count, ForKind::Vectorized, body));
        let some = compare(CmpOp::Gt, &count, &self.int(0))?;
        Ok(Some(only_if(some, cleared)))
    }

    /// The statement for each place of a part of the depth: its place in the part, and the value there.
    fn along_depth(
        &self,
        copied: &Copied<'_>,
        value: &Expr,
        body: &dyn Fn(&Expr, &Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let depth = &self.c.k;
        let Some((_, others)) = depth.axes.split_first() else {
            return Err(Fault::of_call("the depth has an axis"));
        };
        let inner: Option<i64> = others.iter().map(|axis| axis.extent.as_int()).product();
        let cut = |inner: &i64| *inner > 0 && (self.plan.kc % inner == 0 || copied.start.as_int() == Some(0));
        let whole = inner.filter(cut);
        let Some(inner) = whole.filter(|inner| *inner > 1) else {
            let k = self.var("k");
            let values = depth.values(&self.known, &(&copied.start + &Expr::var(&k)))?;
            let stmt = body(&Expr::var(&k), &substituted(value, &values))?;
            return Ok(serial(&k, &copied.depth, stmt));
        };
        let places = self.axis_by_axis(&copied.start, &copied.depth, inner)?;
        let stmt = body(&places.number, &substituted(value, &places.axes))?;
        Ok(serial(&places.first, &places.count, places.inside(stmt, |_| ForKind::Serial)))
    }
}
