//! Images in parts: bands of rows, and where it is not known how many columns there are, strips of columns.
//!
//! Where the size of an image is not known, its parts are as large as those of a large one. Those at its end have as many
//! tiles as reach into the image, and what these compute outside of it is not stored.

use tilewright_ir::tir::{BinOp, Expr, Stmt, Var};

use super::emit::Emitter;
use crate::facts::exprs::binary;
use crate::facts::fault::Fault;
use crate::facts::loops::{serial, with_names};
use crate::facts::size::ceil_div;
use crate::families::window::{Along, Read};

/// How many parts an image has.
pub(super) struct Parts {
    /// Those of which each has a task of its own.
    pub(super) shared: Expr,
    /// Bands and strips of one task.
    bands: i64,
    strips: Expr,
}

impl Emitter<'_> {
    /// Bands are shared where none has rows in common with another one, and strips where there are no rows.
    pub(super) fn parts(&self) -> Result<Parts, Fault> {
        let (w, band) = (self.w, self.plan.band);
        let strips = match &w.all_columns {
            Some(all) => self.simple(&self.parts_of(all, w.width)?),
            None => self.int(1),
        };
        let one = self.int(1);
        Ok(match &w.all_rows {
            Some(all) => Parts { shared: self.simple(&self.parts_of(all, band)?), bands: 1, strips },
            None if w.y.is_none() => Parts { shared: strips, bands: 1, strips: one },
            None if w.height % band == 0 => Parts { shared: self.int(w.height / band), bands: 1, strips },
            None => Parts { shared: one, bands: ceil_div(w.height, band), strips },
        })
    }

    /// What is done for each part that belongs to the shared one of that number.
    pub(super) fn in_parts(&self, parts: &Parts, number: &Expr, body: Stmt) -> Result<Stmt, Fault> {
        let (w, t) = (self.w, self.plan);
        let [own_band, own_strip] = ["band", "strip"].map(|name| self.var(name));
        let band = match parts.bands {
            1 if w.y.is_none() => self.int(0),
            1 => number.clone(),
            _ => Expr::var(&own_band),
        };
        let strip = if w.y.is_none() { number.clone() } else { Expr::var(&own_strip) };
        let start = match &w.all_rows {
            Some(_) => &band * t.band,
            None => binary(BinOp::Min, &(&band * t.band), &self.int(w.height - t.band))?,
        };
        let mut rows = vec![(self.band.clone(), self.simple(&start))];
        rows.extend(self.tiles(&self.down, &self.band, &w.all_rows, (t.band, t.rows))?);
        let mut columns = Vec::new();
        if w.all_columns.is_some() {
            columns.push((self.strip.clone(), self.simple(&(&strip * w.width))));
        }
        columns.extend(self.tiles(&self.across, &self.strip, &w.all_columns, (w.width, t.lanes))?);
        let body = with_names(columns, body);
        let body = if w.all_columns.is_some() { serial(&own_strip, &parts.strips, body) } else { body };
        Ok(serial(&own_band, &self.int(parts.bands), with_names(rows, body)))
    }

    /// The name of a number of tiles, and the number: those of a part that begin inside of the image.
    fn tiles(
        &self,
        count: &Expr,
        first: &Var,
        all: &Option<Expr>,
        (part, tile): (i64, i64),
    ) -> Result<Option<(Var, Expr)>, Fault> {
        let (Some(name), Some(all)) = (count.as_var(), all) else { return Ok(None) };
        let left = binary(BinOp::Min, &self.int(part), &(all - &Expr::var(first)))?;
        Ok(Some((name.clone(), self.parts_of(&left, tile)?)))
    }

    /// How many places the tiles of a band need along a dimension, from the first one on.
    pub(super) fn places_down(&self, along: &Along) -> Expr {
        let step = along.y * self.plan.rows;
        &(&self.down * step) + (along.extent(self.w, 1, 1) - along.y)
    }

    /// How many the tiles of a strip need.
    pub(super) fn places_across(&self, along: &Along) -> Expr {
        let step = along.x * self.plan.lanes;
        &(&self.across * step) + (along.extent(self.w, self.plan.band, 1) - along.x)
    }

    /// Whether what is copied may lie behind the end, along each dimension.
    pub(super) fn may_be_behind(&self, read: &Read, extents: &[i64]) -> Vec<bool> {
        let needed = self.needed(read);
        let w = self.w;
        let of = |(along, (needed, extent)): (&Along, (&i64, &i64))| {
            needed != extent || (along.y > 0 && w.all_rows.is_some()) || (along.x > 0 && w.all_columns.is_some())
        };
        read.along.iter().zip(needed.iter().zip(extents)).map(of).collect()
    }

    /// How many parts of a size make up all.
    pub(super) fn parts_of(&self, all: &Expr, size: i64) -> Result<Expr, Fault> {
        binary(BinOp::FloorDiv, &(all + (size - 1)), &self.int(size))
    }
}
