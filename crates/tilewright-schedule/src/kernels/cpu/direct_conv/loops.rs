//! The loops of a direct convolution around its register tiles: tasks, images, blocks, channels.

use std::sync::Arc;

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Scope, Stmt, StmtKind, Var};

use super::cx::DirectConv;
use super::tile::Tile;
use crate::build::exprs::{binary, compare, substituted};
use crate::build::loops::{looped, memory, named, only_if, serial, task_block, with_names};
use crate::families::window::Windows;
use crate::fault::Fault;

impl DirectConv<'_> {
    pub(super) fn tasks(&self, name: &Arc<str>) -> Result<Stmt, Fault> {
        let (w, t) = (self.w, self.plan);
        let images = self.images()?;
        let groups = self.binary(BinOp::FloorDiv, &images.size, &self.int(t.images))?;
        let blocks = self.blocks()?;
        let count = self.simple(&(&groups * &blocks.tasks));
        let (task, image) = (self.var("task"), self.var("image"));
        let number = Expr::var(&task);
        let group = self.binary(BinOp::FloorDiv, &number, &blocks.tasks)?;
        let block = self.binary(BinOp::FloorMod, &number, &blocks.tasks)?;
        let mut inner = Vec::new();
        let at = self.simple(&(&(&group * t.images) + &Expr::var(&image)));
        let at = match t.images {
            1 => substituted(&at, &[(image.clone(), self.int(0))]),
            _ => at,
        };
        let first = |(var, number): (Var, Expr)| match self.channels() {
            Some(channels) if channels.var == var => (var, self.simple(&(&number * channels.group))),
            _ => (var, number),
        };
        let values = images.values(&self.known, &at)?.into_iter().map(first);
        let values: Vec<(Var, Expr)> =
            values.map(|(var, value)| (var.clone(), named(&var.name, &value, &mut inner))).collect();
        let shape = vec![self.int(t.channels * t.rows), self.int(t.lanes)];
        let accumulators = memory("tile", shape, w.part.buffer.dtype, Scope::Local);
        let copied = w.reads.iter().zip(&self.copies).filter_map(|(read, copy)| Some((read, copy.as_ref()?)));
        let zeros = copied.clone().map(|(read, copy)| self.masked_zeros(read, copy)).collect::<Result<Vec<_>, _>>()?;
        let copies = copied.map(|(read, copy)| self.image_copy(read, copy)).collect::<Result<Vec<_>, _>>()?;
        let body = Stmt::seq(copies.into_iter().chain([self.channel_blocks(&accumulators)?]));
        let body = substituted(&with_names(inner, body), &values);
        let body = self.in_blocks(&blocks, &block, serial(&image, &self.int(t.images), body))?;
        let body = Stmt::seq(zeros.into_iter().chain([body]));
        let block = self.task(name, accumulators, body);
        let kind = if count.as_int() == Some(1) { ForKind::Serial } else { ForKind::Parallel };
        let tasks = looped(&task, &count, kind, block);
        let (Some(width), None) = (&w.symbolic_width, images.size.as_int()) else { return Ok(tasks) };
        // Of images without columns there may be any number, more of them and of their blocks than integers count.
        Ok(only_if(compare(CmpOp::Gt, width, &self.int(0))?, tasks))
    }

    /// The block of a task, with what it reads and writes.
    fn task(&self, name: &str, accumulators: Buffer, body: Stmt) -> Stmt {
        let (w, all) = (self.w, &self.outputs.all);
        let own = self.copies.iter().flatten().cloned().chain([accumulators]).collect();
        let written = all.iter().map(|output| output.buffer.clone()).collect();
        let read = w.reads.iter().map(|read| &read.formula.value).chain([&w.part.value]);
        let read: Vec<&Expr> = read.chain(all.iter().map(|output| &output.value)).collect();
        without_reads_of(task_block(name, &read, written, own, body), w)
    }

    /// All tiles of a block, for some channels after the others.
    fn channel_blocks(&self, accumulators: &Buffer) -> Result<Stmt, Fault> {
        let tiles = self.tiles_of_block(accumulators)?;
        let Some(channels) = self.channels() else { return Ok(tiles) };
        let (block, count) = (self.var("block"), channels.group / self.plan.channels);
        let first = if count == 1 { self.int(0) } else { &Expr::var(&block) * self.plan.channels };
        let first = self.simple(&(&Expr::var(&channels.var) + &first));
        Ok(serial(&block, &self.int(count), with_names(vec![(self.channel.clone(), first)], tiles)))
    }

    /// All tiles of a block. The last ones recompute some of the rows and columns before them, so that all are whole.
    fn tiles_of_block(&self, accumulators: &Buffer) -> Result<Stmt, Fault> {
        let t = self.plan;
        let start = |tile: &Expr, size: i64, all: i64| match all % size {
            0 => Ok(tile * size),
            _ => binary(BinOp::Min, &(tile * size), &self.int(all - size)),
        };
        self.serial("row_tile", &self.row_tiles, |down| {
            let (mut rows, mut columns) = (Vec::new(), Vec::new());
            let row = named("y", &start(down, t.rows, t.band)?, &mut rows);
            let across = self.serial("column_tile", &self.column_tiles, |across| {
                let column = named("x", &start(across, t.lanes, self.columns())?, &mut columns);
                let tile = self.tile(&Tile { accumulators, row: &row, column: &column })?;
                Ok(with_names(columns, tile))
            })?;
            Ok(with_names(rows, across))
        })
    }
}

/// The task's block declares no reads of padded images that are made in it.
fn without_reads_of(stmt: Stmt, w: &Windows) -> Stmt {
    let mut kind = stmt.kind.clone();
    if let StmtKind::Block { block, .. } = &mut kind {
        let gone = |buffer: &Buffer| w.reads.iter().any(|read| read.stage.is_some() && read.buffer == *buffer);
        block.reads.retain(|region| !gone(&region.buffer));
    }
    kind.into()
}
