//! What the files of a direct convolution share: the windows with their plan, blocks of an image, and copies of its
//! elements.

use std::ops::Deref;

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, Expr, Scope, Stmt, Var};

use crate::analysis::axes::Group;
use crate::analysis::epilogue::Outputs;
use crate::build::exprs::binary;
use crate::build::loops::{memory, serial, with_names};
use crate::families::window::{Along, Channels, Read, Windows};
use crate::fault::Fault;
use crate::kernels::cx::IndexCx;
use crate::plan::cpu::direct_conv::DirectConvPlan;
use crate::units::ceil_div;

pub(super) struct DirectConv<'a> {
    pub(super) w: &'a Windows,
    pub(super) plan: &'a DirectConvPlan,
    pub(super) outputs: &'a Outputs,
    pub(super) cx: IndexCx,
    /// Whether the tail of the columns is masked.
    pub(super) masked: bool,
    /// The row and the column of a tile's element in its block.
    pub(super) row: Var,
    pub(super) column: Var,
    /// The first row and column of a block.
    pub(super) row_start: Var,
    pub(super) column_start: Var,
    /// Tiles of a block along its rows and along its columns.
    pub(super) row_tiles: Expr,
    pub(super) column_tiles: Expr,
    /// The tile's first channel, from that of its group on.
    pub(super) channel: Var,
    /// The padded copy of what each read needs, where there is one.
    pub(super) copies: Vec<Option<Buffer>>,
}

impl Deref for DirectConv<'_> {
    type Target = IndexCx;

    fn deref(&self) -> &IndexCx {
        &self.cx
    }
}

/// The blocks of an image: `band` rows each, and where the width is symbolic, columns.
pub(super) struct Blocks {
    /// Those that are tasks of their own.
    pub(super) tasks: Expr,
    /// Blocks of rows and of columns within a task.
    rows: i64,
    columns: Expr,
}

impl<'a> DirectConv<'a> {
    pub(super) fn new(w: &'a Windows, plan: &'a DirectConvPlan, outputs: &'a Outputs, known: Analyzer) -> Self {
        let own_is_read = outputs.reads_own() && w.width % plan.lanes != 0;
        let masked = w.symbolic_width.is_some() || w.width < plan.lanes || own_is_read;
        let cx = IndexCx { index: w.index, known };
        let [row, column, row_start, column_start, channel] =
            ["row", "column", "row_start", "column_start", "channel_start"].map(|name| cx.var(name));
        let tiles = |name: &str, symbolic: &Option<Expr>, count: i64| match symbolic {
            Some(_) => Expr::var(&cx.var(name)),
            None => cx.int(count),
        };
        let row_tiles = tiles("row_tiles", &w.symbolic_height, ceil_div(plan.band, plan.rows));
        let column_tiles = tiles("column_tiles", &w.symbolic_width, ceil_div(w.width, plan.lanes));
        let copies = Vec::new();
        let mut all = Self {
            w,
            plan,
            outputs,
            cx,
            masked,
            row,
            column,
            row_start,
            column_start,
            row_tiles,
            column_tiles,
            channel,
            copies,
        };
        all.copies = w.reads.iter().map(|read| all.copy_of(read)).collect();
        all
    }

    /// Columns of a block that are computed.
    pub(super) fn columns(&self) -> i64 {
        let lanes = self.plan.lanes;
        if self.masked { ceil_div(self.w.width, lanes) * lanes } else { self.w.width }
    }

    /// The elements of a read that a block needs along each dimension, its halo included.
    fn needed(&self, read: &Read) -> Vec<i64> {
        read.along.iter().map(|along| along.extent(self.w, self.plan.band, self.w.width)).collect()
    }

    /// The extents of a copy: along the last dimension whole vectors of each phase.
    pub(super) fn extents(&self, read: &Read) -> Vec<i64> {
        let (mut extents, phases) = (self.needed(read), self.phases(read));
        if let Some(last) = extents.last_mut() {
            *last = phases * ceil_div(ceil_div(*last, phases), self.plan.lanes) * self.plan.lanes;
        }
        extents
    }

    /// The phases of a copied row: its columns modulo the stride, so that the elements that neighbouring windows read
    /// at one of their taps are contiguous.
    pub(super) fn phases(&self, read: &Read) -> i64 {
        let stride = || read.along.last().map_or(1, |along| along.x);
        if self.plan.channels > 1 { stride().max(1) } else { 1 }
    }

    /// The copy of elements that are computed, or that would be read beyond the end of a row or of an image. What
    /// masked columns read is in the next row, or in some space after the last one.
    fn copy_of(&self, read: &Read) -> Option<Buffer> {
        let inside = !self.masked && self.w.symbolic_height.is_none();
        if read.stage.is_none() && inside && self.phases(read) == 1 {
            return None;
        }
        let size = self.extents(read).iter().product::<i64>() + self.masked_tail(read);
        Some(memory(&read.buffer.name, vec![self.int(size)], read.buffer.dtype, Scope::Global))
    }

    /// Elements after the last row that masked columns read.
    pub(super) fn masked_tail(&self, read: &Read) -> i64 {
        read.along.last().map_or(0, |along| along.x * (self.columns() - self.w.width))
    }

    /// The index in a copy, of the indices along each dimension.
    pub(super) fn flat(&self, read: &Read, local: &[Expr]) -> Expr {
        let sum = self.extents(read).iter().zip(local).fold(self.int(0), |sum, (&extent, at)| &(&sum * extent) + at);
        self.simple(&sum)
    }

    /// Whether what is copied may lie beyond the end, along each dimension.
    pub(super) fn may_be_outside(&self, read: &Read, extents: &[i64]) -> Vec<bool> {
        let needed = self.needed(read);
        let w = self.w;
        let of = |(along, (needed, extent)): (&Along, (&i64, &i64))| {
            needed != extent
                || (along.y > 0 && w.symbolic_height.is_some())
                || (along.x > 0 && w.symbolic_width.is_some())
        };
        read.along.iter().zip(needed.iter().zip(extents)).map(of).collect()
    }

    /// The images, one for each group of channels that share it.
    pub(super) fn images(&self) -> Result<Group, Fault> {
        let mut axes = self.w.outer.axes.clone();
        for axis in &mut axes {
            if let Some(channels) = self.channels().filter(|channels| channels.var == axis.var) {
                axis.extent = binary(BinOp::FloorDiv, &axis.extent, &self.int(channels.group))?;
            }
        }
        Group::new(&self.known, axes, self.w.index)
    }

    /// The channels of which a tile has several.
    pub(super) fn channels(&self) -> Option<&Channels> {
        self.w.channels.as_ref().filter(|_| self.plan.channels > 1)
    }

    /// Blocks of rows are tasks where none shares rows with another one, and blocks of columns where there are no rows.
    pub(super) fn blocks(&self) -> Result<Blocks, Fault> {
        let (w, band) = (self.w, self.plan.band);
        let columns = match &w.symbolic_width {
            Some(all) => self.simple(&self.blocks_of(all, w.width)?),
            None => self.int(1),
        };
        let one = self.int(1);
        Ok(match &w.symbolic_height {
            Some(all) => Blocks { tasks: self.simple(&self.blocks_of(all, band)?), rows: 1, columns },
            None if w.y.is_none() => Blocks { tasks: columns, rows: 1, columns: one },
            None if w.height % band == 0 => Blocks { tasks: self.int(w.height / band), rows: 1, columns },
            None => Blocks { tasks: one, rows: ceil_div(w.height, band), columns },
        })
    }

    /// The body for each block of the task of that number.
    pub(super) fn in_blocks(&self, blocks: &Blocks, number: &Expr, body: Stmt) -> Result<Stmt, Fault> {
        let (w, t) = (self.w, self.plan);
        let [row_block, column_block] = ["row_block", "column_block"].map(|name| self.var(name));
        let rows_at = match blocks.rows {
            1 if w.y.is_none() => self.int(0),
            1 => number.clone(),
            _ => Expr::var(&row_block),
        };
        let columns_at = if w.y.is_none() { number.clone() } else { Expr::var(&column_block) };
        let start = match &w.symbolic_height {
            Some(_) => &rows_at * t.band,
            None => binary(BinOp::Min, &(&rows_at * t.band), &self.int(w.height - t.band))?,
        };
        let mut rows = vec![(self.row_start.clone(), self.simple(&start))];
        if let (Some(name), Some(all)) = (self.row_tiles.as_var(), &w.symbolic_height) {
            let left = binary(BinOp::Min, &self.int(t.band), &(all - &Expr::var(&self.row_start)))?;
            rows.push((name.clone(), self.blocks_of(&left, t.rows)?));
        }
        let mut body = body;
        if let (Some(name), Some(all)) = (self.column_tiles.as_var(), &w.symbolic_width) {
            let left = binary(BinOp::Min, &self.int(w.width), &(all - &Expr::var(&self.column_start)))?;
            let start = (self.column_start.clone(), self.simple(&(&columns_at * w.width)));
            let columns = vec![start, (name.clone(), self.blocks_of(&left, t.lanes)?)];
            body = serial(&column_block, &blocks.columns, with_names(columns, body));
        }
        Ok(serial(&row_block, &self.int(blocks.rows), with_names(rows, body)))
    }

    /// Elements that the tiles of a block need along a dimension of rows, from the first one on.
    pub(super) fn elements_down(&self, along: &Along) -> Expr {
        let step = along.y * self.plan.rows;
        &(&self.row_tiles * step) + (along.extent(self.w, 1, 1) - along.y)
    }

    /// Elements that they need along the columns.
    pub(super) fn elements_across(&self, along: &Along) -> Expr {
        let step = along.x * self.plan.lanes;
        &(&self.column_tiles * step) + (along.extent(self.w, self.plan.band, 1) - along.x)
    }

    /// How many blocks of a size make up all.
    pub(super) fn blocks_of(&self, all: &Expr, size: i64) -> Result<Expr, Fault> {
        binary(BinOp::FloorDiv, &(all + (size - 1)), &self.int(size))
    }
}
