//! The loops around tiles of windows, and the tiles.

use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, PrimFunc, Scope, Stmt, StmtKind, Var};
use tilewright_tir_passes::analyzer_of;

use crate::facts::axes::Group;
use crate::facts::epilogue::Output;
use crate::facts::epilogue::Outputs;
use crate::facts::exprs::{binary, compare, stored, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::{looped, memory, named, only_if, serial, task_block, with_names};
use crate::facts::rewrite::with_loads_replaced;
use crate::facts::size::ceil_div;
use crate::families::window::{Along, Channels, Read, Windows};
use crate::plan::cpu::direct_conv::{DirectConvPlan, MAX_UNROLLED};

/// The most pieces of a row whose copies are written out.
const PIECES: i64 = 8;

/// What the loops are made from.
pub(super) struct Emitter<'a> {
    pub(super) w: &'a Windows,
    pub(super) plan: &'a DirectConvPlan,
    outputs: &'a Outputs,
    known: Analyzer,
    /// Whether the last columns are masked.
    masked: bool,
    /// The row of a band that a tile's element is in.
    row: Var,
    /// The column of a strip that a tile's element is in.
    column: Var,
    /// The band's first row, and the strip's first column.
    pub(super) band: Var,
    pub(super) strip: Var,
    /// Tiles of a band below each other, and tiles of a strip beside each other.
    pub(super) down: Expr,
    pub(super) across: Expr,
    /// The tile's first channel, from that of its group on.
    channel: Var,
    /// The copy of what each read needs, where there is one.
    copies: Vec<Option<Buffer>>,
}

/// The reduction as loops.
pub(super) fn windows(
    function: &PrimFunc,
    w: &Windows,
    plan: &DirectConvPlan,
    outputs: &Outputs,
    name: &Arc<str>,
) -> Result<Stmt, Fault> {
    let own_is_read = outputs.reads_own() && w.width % plan.lanes != 0;
    let masked = w.all_columns.is_some() || w.width < plan.lanes || own_is_read;
    let var = |name: &str| Var::new(name, w.index);
    let known = analyzer_of(function);
    let [row, column, band, strip, channel] = ["row", "column", "first_row", "first_column", "first_channel"].map(var);
    let tiles = |name: &str, all: &Option<Expr>, count: i64| match all {
        Some(_) => Expr::var(&var(name)),
        None => Expr::int(count, w.index),
    };
    let down = tiles("tiles_down", &w.all_rows, ceil_div(plan.band, plan.rows));
    let across = tiles("tiles_across", &w.all_columns, ceil_div(w.width, plan.lanes));
    let copies = Vec::new();
    let mut e = Emitter { w, plan, outputs, known, masked, row, column, band, strip, down, across, channel, copies };
    e.copies = w.reads.iter().map(|read| e.copy_of(read)).collect();
    e.tasks(name)
}

impl Emitter<'_> {
    pub(super) fn int(&self, value: i64) -> Expr {
        Expr::int(value, self.w.index)
    }

    pub(super) fn var(&self, name: &str) -> Var {
        Var::new(name, self.w.index)
    }

    /// Pieces of the columns.
    fn pieces(&self) -> i64 {
        ceil_div(self.w.width, self.plan.lanes)
    }

    /// Columns of all pieces that are computed.
    fn columns(&self) -> i64 {
        if self.masked { self.pieces() * self.plan.lanes } else { self.w.width }
    }

    /// The places of a read that a band needs, along each dimension.
    pub(super) fn needed(&self, read: &Read) -> Vec<i64> {
        read.along.iter().map(|along| along.extent(self.w, self.plan.band, self.w.width)).collect()
    }

    /// As many as are copied: along the last dimension whole vectors, of each phase.
    fn extents(&self, read: &Read) -> Vec<i64> {
        let (mut extents, phases) = (self.needed(read), self.phases(read));
        if let Some(last) = extents.last_mut() {
            *last = phases * self.length(*last, phases);
        }
        extents
    }

    /// A copied row is so many parts, each of columns that are as far from each other: those that neighbouring windows read at
    /// one of their places are neighbours.
    fn phases(&self, read: &Read) -> i64 {
        let apart = || read.along.last().map_or(1, |along| along.x);
        if self.plan.channels > 1 { apart().max(1) } else { 1 }
    }

    /// Elements of a phase of a row that has so many: whole vectors.
    fn length(&self, needed: i64, phases: i64) -> i64 {
        ceil_div(ceil_div(needed, phases), self.plan.lanes) * self.plan.lanes
    }

    /// Elements that are computed, or that would be read behind the end of a row or of an image, are copied. What masked
    /// columns read lies in the row behind, or in some space behind the last one.
    fn copy_of(&self, read: &Read) -> Option<Buffer> {
        let inside = !self.masked && self.w.all_rows.is_none();
        if read.stage.is_none() && inside && self.phases(read) == 1 {
            return None;
        }
        let size = self.extents(read).iter().product::<i64>() + self.behind_last(read);
        Some(memory(&read.buffer.name, vec![self.int(size)], read.buffer.dtype, Scope::Global))
    }

    /// Elements behind the last row that masked columns read.
    fn behind_last(&self, read: &Read) -> i64 {
        read.along.last().map_or(0, |along| along.x * (self.columns() - self.w.width))
    }

    /// Zeros for those elements, once in a task.
    fn cleared(&self, read: &Read, copy: &Buffer) -> Result<Stmt, Fault> {
        let (count, from) = (self.behind_last(read), self.extents(read).iter().product::<i64>());
        if count == 0 {
            return Ok(Stmt::nothing());
        }
        let l = self.var("l");
        let body = stored(copy, vec![&Expr::var(&l) + from], &Expr::number(0, copy.dtype))?;
        Ok(looped(&l, &self.int(count), ForKind::Vectorized, body))
    }

    /// The place in a copy, of the places along each dimension.
    fn flat(&self, read: &Read, local: &[Expr]) -> Expr {
        let sum = self.extents(read).iter().zip(local).fold(self.int(0), |sum, (&extent, at)| &(&sum * extent) + at);
        self.simple(&sum)
    }

    /// The images, one for each group of channels that have it in common, and what is the first of these to the number of
    /// the group.
    fn images(&self) -> Result<Group, Fault> {
        let mut axes = self.w.outer.axes.clone();
        for axis in &mut axes {
            if let Some(channels) = self.channels().filter(|channels| channels.var == axis.var) {
                axis.extent = binary(BinOp::FloorDiv, &axis.extent, &self.int(channels.group))?;
            }
        }
        Group::new(&self.known, axes, self.w.index)
    }

    /// The channels of which a tile has several.
    fn channels(&self) -> Option<&Channels> {
        self.w.channels.as_ref().filter(|_| self.plan.channels > 1)
    }

    fn tasks(&self, name: &Arc<str>) -> Result<Stmt, Fault> {
        let (w, t) = (self.w, self.plan);
        let images = self.images()?;
        let groups = self.known.simplify(&binary(BinOp::FloorDiv, &images.size, &self.int(t.images))?);
        let parts = self.parts()?;
        let count = self.known.simplify(&(&groups * &parts.shared));
        let (task, image) = (self.var("task"), self.var("image"));
        let number = Expr::var(&task);
        let group = self.simple(&binary(BinOp::FloorDiv, &number, &parts.shared)?);
        let part = self.simple(&binary(BinOp::FloorMod, &number, &parts.shared)?);
        let mut inner = Vec::new();
        let place = self.simple(&(&(&group * t.images) + &Expr::var(&image)));
        let place = match t.images {
            1 => substituted(&place, &[(image.clone(), self.int(0))]),
            _ => place,
        };
        let first = |(var, number): (Var, Expr)| match self.channels() {
            Some(channels) if channels.var == var => (var, self.simple(&(&number * channels.group))),
            _ => (var, number),
        };
        let values = images.values(&self.known, &place)?.into_iter().map(first);
        let values: Vec<(Var, Expr)> =
            values.map(|(var, value)| (var.clone(), named(&var.name, &value, &mut inner))).collect();
        let own = self.copies.iter().flatten().cloned();
        let sums =
            memory("tile", vec![self.int(t.channels * t.rows), self.int(t.lanes)], w.part.buffer.dtype, Scope::Local);
        let copies = w.reads.iter().zip(&self.copies);
        let copies: Vec<_> = copies.filter_map(|(read, copy)| Some((read, copy.as_ref()?))).collect();
        let cleared = copies.iter().map(|(read, copy)| self.cleared(read, copy)).collect::<Result<Vec<_>, _>>()?;
        let copies = copies.into_iter().map(|(read, copy)| self.copy(read, copy)).collect::<Result<Vec<_>, _>>()?;
        let body = Stmt::seq(copies.into_iter().chain([self.blocks(&sums)?]));
        let body = substituted(&with_names(inner, body), &values);
        let body = self.in_parts(&parts, &part, serial(&image, &self.int(t.images), body))?;
        let body = Stmt::seq(cleared.into_iter().chain([body]));
        let written = self.outputs.all.iter().map(|output| output.buffer.clone()).collect();
        let read = w.reads.iter().map(|read| &read.formula.value).chain([&w.part.value]);
        let read: Vec<&Expr> = read.chain(self.outputs.all.iter().map(|output| &output.value)).collect();
        let block = task_block(name, &read, written, own.chain([sums]).collect(), body);
        let block = without_reads_of(block, w);
        let kind = if count.as_int() == Some(1) { ForKind::Serial } else { ForKind::Parallel };
        let tasks = looped(&task, &count, kind, block);
        let (Some(columns), None) = (&w.all_columns, images.size.as_int()) else { return Ok(tasks) };
        // Of images without columns there may be any number, more of them and of their bands than integers count.
        Ok(only_if(compare(CmpOp::Gt, columns, &self.int(0))?, tasks))
    }

    pub(super) fn simple(&self, expr: &Expr) -> Expr {
        self.known.simplify(expr)
    }

    /// Copies what the band needs of an image.
    fn copy(&self, read: &Read, copy: &Buffer) -> Result<Stmt, Fault> {
        let (extents, lanes, phases) = (self.extents(read), self.plan.lanes, self.phases(read));
        let vars: Vec<Var> = extents.iter().map(|_| self.var("i")).collect();
        let Some((&pitch, outer)) = extents.split_last() else { return Err(Fault::of_call("a buffer has dimensions")) };
        let length = pitch / phases;
        let (phase, piece, lane) = (self.var("phase"), self.var("piece"), self.var("lane"));
        let of_phase = self.phase_of(phases, &phase);
        let along_phase = &(&Expr::var(&piece) * lanes) + &Expr::var(&lane);
        let outer_places = || vars.iter().take(outer.len()).map(Expr::var);
        let to: Vec<Expr> = outer_places().chain([&(&of_phase * length) + &along_phase]).collect();
        let from = outer_places().chain([&(&along_phase * phases) + &of_phase]);
        let place = read.along.iter().zip(from).map(|(along, from)| {
            let first = &along.base + &(&Expr::var(&self.band) * along.y);
            let first =
                if self.w.all_columns.is_some() { &first + &(&Expr::var(&self.strip) * along.x) } else { first };
            self.simple(&(&first + &from))
        });
        let place: Vec<Expr> = place.collect();
        let value = read.element(&place, &self.may_be_behind(read, &extents))?;
        let body = stored(copy, vec![self.flat(read, &to)], &value)?;
        let body = looped(&lane, &self.int(lanes), ForKind::Vectorized, body);
        // Written out, pieces inside of the image have no masks, and those at its borders constant ones.
        let is_short = self.w.all_columns.is_none() && pitch / lanes <= PIECES;
        let kind = if is_short { ForKind::Unrolled } else { ForKind::Serial };
        let pieces = match (&self.w.all_columns, read.along.last()) {
            (Some(_), Some(along)) => self.parts_of(&self.parts_of(&self.places_across(along), phases)?, lanes)?,
            _ => self.int(length / lanes),
        };
        let body = looped(&piece, &self.simple(&pieces), kind.clone(), body);
        let body = if phases == 1 { body } else { looped(&phase, &self.int(phases), kind, body) };
        let counts = read.along.iter().zip(outer).map(|(along, &extent)| match &self.w.all_rows {
            Some(_) if along.y > 0 => self.simple(&self.places_down(along)),
            _ => self.int(extent),
        });
        let counts: Vec<Expr> = counts.collect();
        Ok(vars.iter().zip(&counts).rev().fold(body, |body, (var, count)| serial(var, count, body)))
    }

    fn phase_of(&self, phases: i64, phase: &Var) -> Expr {
        if phases == 1 { self.int(0) } else { Expr::var(phase) }
    }

    /// All tiles of a band, for some channels after the others.
    fn blocks(&self, sums: &Buffer) -> Result<Stmt, Fault> {
        let band = self.band(sums)?;
        let Some(channels) = self.channels() else { return Ok(band) };
        let (block, count) = (self.var("block"), channels.group / self.plan.channels);
        let first = if count == 1 { self.int(0) } else { &Expr::var(&block) * self.plan.channels };
        let first = self.simple(&(&Expr::var(&channels.var) + &first));
        Ok(serial(&block, &self.int(count), with_names(vec![(self.channel.clone(), first)], band)))
    }

    /// All tiles of a band.
    fn band(&self, sums: &Buffer) -> Result<Stmt, Fault> {
        let (w, t) = (self.w, self.plan);
        let (down, across) = (self.var("down"), self.var("across"));
        let first = binary(BinOp::Min, &(&Expr::var(&down) * t.rows), &self.int(t.band - t.rows))?;
        let columns = if self.masked { self.columns() } else { w.width };
        let left = binary(BinOp::Min, &(&Expr::var(&across) * t.lanes), &self.int(columns - t.lanes))?;
        let mut lets = Vec::new();
        let exact = |all: i64, part: i64| all % part == 0;
        let simple_first = if exact(t.band, t.rows) { &Expr::var(&down) * t.rows } else { first };
        let simple_left = if exact(columns, t.lanes) { &Expr::var(&across) * t.lanes } else { left };
        let first = named("y", &simple_first, &mut lets);
        let mut inner = Vec::new();
        let left = named("x", &simple_left, &mut inner);
        let tile = with_names(inner, self.tile(sums, &first, &left)?);
        let pieces = serial(&across, &self.across, tile);
        Ok(serial(&down, &self.down, with_names(lets, pieces)))
    }

    /// One tile: its results begin, all windows are gone through, what follows is computed.
    fn tile(&self, sums: &Buffer, first: &Expr, left: &Expr) -> Result<Stmt, Fault> {
        let t = self.plan;
        let mut stmts = Vec::new();
        for number in 0..t.channels * t.rows {
            stmts.push(self.lanes(|l| stored(sums, vec![self.int(number), l.clone()], &self.w.part.init))?);
        }
        let value = self.value()?;
        let (around, inside) = self.w.taps.split_at(self.around());
        let own: Vec<Var> = around.iter().map(|(var, _)| var.renewed()).collect();
        let of_loops = around.iter().zip(&own).map(|((var, _), own)| (var.clone(), Expr::var(own)));
        let of_loops: Vec<(Var, Expr)> = of_loops.collect();
        let mut all = Vec::new();
        for (r, tap) in self.written_out(inside) {
            let taps = inside.iter().zip(&tap).map(|((var, _), &value)| (var.clone(), self.int(value)));
            let taps: Vec<(Var, Expr)> = of_loops.iter().cloned().chain(taps).collect();
            for channel in 0..t.channels {
                all.push(self.update(sums, ((channel, r), first, left), &value, taps.clone())?);
            }
        }
        let loops = own.iter().zip(around).rev();
        stmts.push(loops.fold(Stmt::seq(all), |body, (var, (_, extent))| serial(var, &self.int(*extent), body)));
        for channel in 0..t.channels {
            for r in 0..t.rows {
                stmts.push(self.behind(sums, (channel, r), first, left)?);
            }
        }
        Ok(Stmt::seq(stmts))
    }

    /// The outer axes of windows that are loops around what is written out.
    fn around(&self) -> usize {
        let t = self.plan;
        let mut count = t.rows * t.channels;
        let inside = self.w.taps.iter().rev().take_while(|(_, extent)| {
            count = count.saturating_mul(*extent);
            count <= MAX_UNROLLED
        });
        self.w.taps.len() - inside.count()
    }

    /// The rows of the tile and the windows' elements along some axes, in the order of the rows of the image that these are in:
    /// what is loaded of a row is used for all that need it. Where a row has several channels, they are enough.
    fn written_out(&self, inside: &[(Var, i64)]) -> Vec<(i64, Vec<i64>)> {
        let mut taps: Vec<Vec<i64>> = vec![Vec::new()];
        for (_, extent) in inside {
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
        let around = self.w.taps.len() - inside.len();
        let row = |r: i64, tap: &[i64]| -> i64 {
            let moving = self.w.reads.iter().take(1).flat_map(|read| &read.along).filter(|along| along.y > 0);
            let of_tap = |steps: &[i64]| steps.iter().skip(around).zip(tap).map(|(step, at)| step * at).sum::<i64>();
            moving.map(|along| along.y * r + of_tap(&along.taps)).sum()
        };
        let mut all: Vec<(i64, Vec<i64>)> = rows.flat_map(|r| taps.iter().map(move |tap| (r, tap.clone()))).collect();
        // Within a row the windows' elements stay in their order.
        all.sort_by_key(|(r, tap)| row(*r, tap));
        all
    }

    /// What a window's element brings, with copies in the place of what is copied.
    fn value(&self) -> Result<Expr, Fault> {
        let mut stmt: Stmt = StmtKind::Evaluate(self.w.part.value.clone()).into();
        for (read, copy) in self.w.reads.iter().zip(&self.copies) {
            let Some(copy) = copy else { continue };
            let (x, phases) = (Expr::var(&self.column), self.phases(read));
            let of_taps = |along: &Along, sum: Expr| {
                self.w.taps.iter().zip(&along.taps).fold(sum, |sum, ((var, _), &step)| &sum + &(&Expr::var(var) * step))
            };
            let of_row = |along: &Along| &Expr::var(&self.row) * along.y;
            let place = |along: &Along| of_taps(along, &of_row(along) + &(&x * along.x));
            let mut place: Vec<Expr> = read.along.iter().map(place).collect();
            if let (Some(last), Some(along), true) = (place.last_mut(), read.along.last(), phases > 1) {
                let (from, length) =
                    (of_taps(along, of_row(along)), self.extents(read).last().map_or(0, |all| all / phases));
                let (phase, first) = (BinOp::FloorMod, BinOp::FloorDiv);
                let [phase, first] = [phase, first].map(|op| binary(op, &from, &self.int(phases)));
                *last = &(&(&phase? * length) + &first?) + &x;
            }
            let loaded = typed(Expr::load(copy, vec![self.flat(read, &place)]))?;
            stmt = with_loads_replaced(&stmt, &read.buffer, &|_| Some(loaded.clone()));
        }
        match &stmt.kind {
            StmtKind::Evaluate(value) => Ok(value.clone()),
            _ => Err(Fault::of_call("a value is no expression")),
        }
    }

    /// The values of the image's axes at a channel and a row of a tile.
    fn at(&self, (channel, r): (i64, i64), first: &Expr, column: &Expr) -> Vec<(Var, Expr)> {
        let row = first + r;
        let of_image = match &self.w.all_columns {
            Some(_) => &Expr::var(&self.strip) + column,
            None => column.clone(),
        };
        let mut values = vec![(self.w.x.var.clone(), of_image), (self.column.clone(), column.clone())];
        if let Some(y) = &self.w.y {
            values.push((y.var.clone(), &Expr::var(&self.band) + &row));
        }
        values.push((self.row.clone(), row));
        values.extend(self.channels().map(|all| (all.var.clone(), &Expr::var(&self.channel) + channel)));
        values
    }

    /// The number of a channel's row in a tile.
    fn number(&self, (channel, r): (i64, i64)) -> Expr {
        self.int(channel * self.plan.rows + r)
    }

    fn update(
        &self,
        sums: &Buffer,
        (place, first, left): ((i64, i64), &Expr, &Expr),
        value: &Expr,
        taps: Vec<(Var, Expr)>,
    ) -> Result<Stmt, Fault> {
        self.lanes(|l| {
            let values: Vec<(Var, Expr)> = self.at(place, first, &(left + l)).into_iter().chain(taps.clone()).collect();
            let sum = vec![self.number(place), l.clone()];
            let before = typed(Expr::load(sums, sum.clone()))?;
            stored(sums, sum, &binary(self.w.op, &before, &substituted(value, &values))?)
        })
    }

    /// What is computed of the finished results of a row.
    fn behind(&self, sums: &Buffer, place: (i64, i64), first: &Expr, left: &Expr) -> Result<Stmt, Fault> {
        let stores = self.lanes(|l| {
            let column = left + l;
            let mut values = self.at(place, first, &column);
            values.push((self.outputs.sum.clone(), typed(Expr::load(sums, vec![self.number(place), l.clone()]))?));
            let store = |output: &Output| {
                let indices = output.indices.iter().map(|index| substituted(index, &values)).collect();
                stored(&output.buffer, indices, &substituted(&output.value, &values))
            };
            let all = Stmt::seq(self.outputs.all.iter().map(store).collect::<Result<Vec<_>, _>>()?);
            if !self.masked {
                return Ok(all);
            }
            let inside = match &self.w.all_columns {
                Some(all) => compare(CmpOp::Lt, &(&Expr::var(&self.strip) + &column), all)?,
                None => compare(CmpOp::Lt, &column, &self.int(self.w.width))?,
            };
            Ok(only_if(inside, all))
        })?;
        let Some(rows) = &self.w.all_rows else { return Ok(stores) };
        let row = &Expr::var(&self.band) + &(first + place.1);
        Ok(only_if(compare(CmpOp::Lt, &row, rows)?, stores))
    }

    /// The statement for each lane.
    fn lanes(&self, body: impl Fn(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let l = self.var("l");
        Ok(looped(&l, &self.int(self.plan.lanes), ForKind::Vectorized, body(&Expr::var(&l))?))
    }
}

/// The task's block says nothing of padded images that are made in it.
fn without_reads_of(stmt: Stmt, w: &Windows) -> Stmt {
    let mut kind = stmt.kind.clone();
    if let StmtKind::Block { block, .. } = &mut kind {
        let gone = |buffer: &Buffer| w.reads.iter().any(|read| read.stage.is_some() && read.buffer == *buffer);
        block.reads.retain(|region| !gone(&region.buffer));
    }
    kind.into()
}
