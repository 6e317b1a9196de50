//! A register tile: rows of output columns, of one or several channels, over all taps of their windows.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Stmt, StmtKind, Var};

use super::cx::DirectConv;
use crate::analysis::epilogue::Output;
use crate::build::exprs::{binary, compare, stored, substituted, typed};
use crate::build::loops::{only_if, serial};
use crate::build::rewrite::with_loads_replaced;
use crate::families::window::Along;
use crate::fault::Fault;
use crate::plan::cpu::direct_conv::MAX_UNROLLED;

/// A tile: its accumulators, and its first row and column in the block.
pub(super) struct Tile<'a> {
    pub(super) accumulators: &'a Buffer,
    pub(super) row: &'a Expr,
    pub(super) column: &'a Expr,
}

/// A row of accumulators in a tile.
#[derive(Clone, Copy)]
struct TileRow {
    channel: i64,
    row: i64,
}

impl DirectConv<'_> {
    /// One tile: accumulators begin, all taps are added, the epilogue is computed.
    pub(super) fn tile(&self, tile: &Tile<'_>) -> Result<Stmt, Fault> {
        let t = self.plan;
        let mut stmts = Vec::new();
        for number in 0..t.channels * t.rows {
            stmts
                .push(self.lanes(|l| stored(tile.accumulators, vec![self.int(number), l.clone()], &self.w.part.init))?);
        }
        let value = self.value()?;
        let (outer, inner) = self.w.taps.split_at(self.outer_taps());
        let own: Vec<Var> = outer.iter().map(|(var, _)| var.renewed()).collect();
        let of_loops = outer.iter().zip(&own).map(|((var, _), own)| (var.clone(), Expr::var(own)));
        let of_loops: Vec<(Var, Expr)> = of_loops.collect();
        let mut all = Vec::new();
        for (row, tap) in self.unrolled_taps(inner) {
            let taps = inner.iter().zip(&tap).map(|((var, _), &value)| (var.clone(), self.int(value)));
            let taps: Vec<(Var, Expr)> = of_loops.iter().cloned().chain(taps).collect();
            for channel in 0..t.channels {
                all.push(self.update(tile, TileRow { channel, row }, &value, &taps)?);
            }
        }
        let loops = own.iter().zip(outer).rev();
        stmts.push(loops.fold(Stmt::seq(all), |body, (var, (_, extent))| serial(var, &self.int(*extent), body)));
        for channel in 0..t.channels {
            for row in 0..t.rows {
                stmts.push(self.epilogue(tile, TileRow { channel, row })?);
            }
        }
        Ok(Stmt::seq(stmts))
    }

    /// The outer axes of windows that are loops around what is unrolled.
    fn outer_taps(&self) -> usize {
        let t = self.plan;
        let mut count = t.rows * t.channels;
        let inner = self.w.taps.iter().rev().take_while(|(_, extent)| {
            count = count.saturating_mul(*extent);
            count <= MAX_UNROLLED
        });
        self.w.taps.len() - inner.count()
    }

    /// The rows of the tile and the taps along the inner axes, in the order of the rows of the image that they read:
    /// what is loaded of a row is used for all that need it. Where a row has several channels, they are enough.
    fn unrolled_taps(&self, inner: &[(Var, i64)]) -> Vec<(i64, Vec<i64>)> {
        let mut taps: Vec<Vec<i64>> = vec![Vec::new()];
        for (_, extent) in inner {
            let longer = |tap: &Vec<i64>| {
                let tap = tap.clone();
                (0..*extent).map(move |at| tap.iter().copied().chain([at]).collect::<Vec<i64>>()).collect::<Vec<_>>()
            };
            taps = taps.iter().flat_map(longer).collect();
        }
        let rows = 0..self.plan.rows;
        if self.plan.channels > 1 {
            return taps.iter().flat_map(|tap| rows.clone().map(|r| (r, tap.clone()))).collect();
        }
        let outer = self.w.taps.len() - inner.len();
        let image_row = |r: i64, tap: &[i64]| -> i64 {
            let moving = self.w.reads.iter().take(1).flat_map(|read| &read.along).filter(|along| along.y > 0);
            let of_tap = |steps: &[i64]| steps.iter().skip(outer).zip(tap).map(|(step, at)| step * at).sum::<i64>();
            moving.map(|along| along.y * r + of_tap(&along.taps)).sum()
        };
        let mut all: Vec<(i64, Vec<i64>)> = rows.flat_map(|r| taps.iter().map(move |tap| (r, tap.clone()))).collect();
        // Within a row the taps stay in their order.
        all.sort_by_key(|(r, tap)| image_row(*r, tap));
        all
    }

    /// The term of a tap, read from copies where there are some.
    fn value(&self) -> Result<Expr, Fault> {
        let mut stmt: Stmt = StmtKind::Evaluate(self.w.part.value.clone()).into();
        for (read, copy) in self.w.reads.iter().zip(&self.copies) {
            let Some(copy) = copy else { continue };
            let (x, phases) = (Expr::var(&self.column), self.phases(read));
            let of_taps = |along: &Along, sum: Expr| {
                self.w.taps.iter().zip(&along.taps).fold(sum, |sum, ((var, _), &step)| &sum + &(&Expr::var(var) * step))
            };
            let of_row = |along: &Along| &Expr::var(&self.row) * along.y;
            let index = |along: &Along| of_taps(along, &of_row(along) + &(&x * along.x));
            let mut indices: Vec<Expr> = read.along.iter().map(index).collect();
            if let (Some(last), Some(along), true) = (indices.last_mut(), read.along.last(), phases > 1) {
                let from = of_taps(along, of_row(along));
                let length = self.extents(read).last().map_or(0, |all| all / phases);
                let [phase, first] = [BinOp::FloorMod, BinOp::FloorDiv].map(|op| binary(op, &from, &self.int(phases)));
                *last = &(&(&phase? * length) + &first?) + &x;
            }
            let loaded = typed(Expr::load(copy, vec![self.flat(read, &indices)]))?;
            stmt = with_loads_replaced(&stmt, &read.buffer, &|_| Some(loaded.clone()));
        }
        match &stmt.kind {
            StmtKind::Evaluate(value) => Ok(value.clone()),
            _ => Err(Fault::of_call("a value is no expression")),
        }
    }

    /// The values of the image's axes at a column of the block and a row of a tile.
    fn axes_at(&self, tile: &Tile<'_>, at: TileRow, column: &Expr) -> Vec<(Var, Expr)> {
        let row = tile.row + at.row;
        let of_image = match &self.w.symbolic_width {
            Some(_) => &Expr::var(&self.column_start) + column,
            None => column.clone(),
        };
        let mut values = vec![(self.w.x.var.clone(), of_image), (self.column.clone(), column.clone())];
        if let Some(y) = &self.w.y {
            values.push((y.var.clone(), &Expr::var(&self.row_start) + &row));
        }
        values.push((self.row.clone(), row));
        values.extend(self.channels().map(|all| (all.var.clone(), &Expr::var(&self.channel) + at.channel)));
        values
    }

    /// The indices of an accumulator.
    fn accumulator(&self, at: TileRow, lane: &Expr) -> Vec<Expr> {
        vec![self.int(at.channel * self.plan.rows + at.row), lane.clone()]
    }

    fn update(&self, tile: &Tile<'_>, at: TileRow, value: &Expr, taps: &[(Var, Expr)]) -> Result<Stmt, Fault> {
        self.lanes(|l| {
            let values = self.axes_at(tile, at, &(tile.column + l));
            let values: Vec<(Var, Expr)> = values.into_iter().chain(taps.iter().cloned()).collect();
            let accumulator = self.accumulator(at, l);
            let before = typed(Expr::load(tile.accumulators, accumulator.clone()))?;
            stored(tile.accumulators, accumulator, &binary(self.w.op, &before, &substituted(value, &values))?)
        })
    }

    /// The epilogue on the results of a row.
    fn epilogue(&self, tile: &Tile<'_>, at: TileRow) -> Result<Stmt, Fault> {
        let stores = self.lanes(|l| {
            let column = tile.column + l;
            let mut values = self.axes_at(tile, at, &column);
            let result = typed(Expr::load(tile.accumulators, self.accumulator(at, l)))?;
            values.push((self.outputs.sum.clone(), result));
            let store = |output: &Output| {
                let indices = output.indices.iter().map(|index| substituted(index, &values)).collect();
                stored(&output.buffer, indices, &substituted(&output.value, &values))
            };
            let all = Stmt::seq(self.outputs.all.iter().map(store).collect::<Result<Vec<_>, _>>()?);
            if !self.masked {
                return Ok(all);
            }
            let inside = match &self.w.symbolic_width {
                Some(width) => compare(CmpOp::Lt, &(&Expr::var(&self.column_start) + &column), width)?,
                None => compare(CmpOp::Lt, &column, &self.int(self.w.width))?,
            };
            Ok(only_if(inside, all))
        })?;
        let Some(height) = &self.w.symbolic_height else { return Ok(stores) };
        let row = &Expr::var(&self.row_start) + &(tile.row + at.row);
        Ok(only_if(compare(CmpOp::Lt, &row, height)?, stores))
    }

    /// The statement for each lane.
    fn lanes(&self, body: impl Fn(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        self.vector("l", self.plan.lanes, body)
    }
}
