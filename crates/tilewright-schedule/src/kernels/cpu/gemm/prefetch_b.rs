//! Columns that lie in memory far away come near before they are multiplied.
//!
//! The first tile of a panel reads columns faster than the last level of cache gives them, and a processor that follows runs
//! of memory by itself does so too late for a panel. So all tiles of a panel together ask for the next one: with some places
//! of the depth, as many of its lines as make up the panel when the last tile is done, a few at a time. Behind the last panel
//! of a step comes the first one of the next step. Where a panel has a single tile, copies made ahead are asked for
//! [`DISTANCE`] before they are read, since many more of a core's reads are under way then than it has begun by itself; not
//! so what the second level of cache may hold, which is read once each time. With `ask_near` they come into the first level of
//! cache, [`NEAR_DISTANCE`] before.

use tilewright_ir::tir::{CmpOp, Expr, ExprKind, Stmt, Var};
use tilewright_target::NEAR_BYTES;

use super::cx::{Gemm, KBlock, Task};
use super::micro_kernel::Micro;
use crate::facts::exprs::{Level, compare, prefetch_into, reads_memory, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::named;
use crate::facts::size::{LINE, ceil_div};
use crate::plan::cpu::gemm::PackB;
use crate::primitive::vectorize_transpose::is_along;

/// Places of the depth behind each of which some lines of the next panel are asked for, the most first.
const PLACES: [i64; 3] = [16, 8, 4];
/// The most lines that are asked for at a time where there is a choice: with more, reads of the panel itself have to wait for
/// a place among those that are under way.
const AT_ONCE: i64 = 8;
/// Bytes from what is read to what is asked for of the same panel.
const DISTANCE: i64 = 1 << 15;
/// The same where they come into the first level of cache, of which they take half.
const NEAR_DISTANCE: i64 = 1 << 14;
/// Bytes of columns that are near by themselves, where other tiles of a panel read it again.
const NEAR: i64 = 1 << 18;
/// Bytes of columns that no cache near by holds.
const FAR: i64 = NEAR_BYTES.cast_signed();
/// Tiles of rows that are planned for where the rows are known only when the function runs.
const UNKNOWN_TILES: i64 = 8;

/// What of the columns is asked for while a panel is multiplied.
pub(super) struct NextPanel {
    /// The number of the panel, and the first place of the depth.
    panel: Expr,
    start: Expr,
    /// Places of the depth of a tile behind which some lines are asked for, and how many.
    pub(super) places: i64,
    lines: i64,
    /// The elements of a line.
    length: i64,
    /// Where they come to.
    level: Level,
}

/// What comes behind a panel of the task, its place under names; `None` where nothing is gained.
pub(super) fn next_b_panel(
    p: &Gemm<'_>,
    task: &Task,
    step: &KBlock,
    panel: &Expr,
    lets: &mut Vec<(Var, Expr)>,
) -> Result<Option<NextPanel>, Fault> {
    let bytes = i64::from(p.columns.dtype.bits) / 8;
    let width = p.plan.panel() * bytes;
    let [depth, columns] = [&p.c.k.size, &p.c.n.size].map(Expr::as_int);
    let tiles = task.rows.as_int().map_or(UNKNOWN_TILES, |count| ceil_div(count, p.plan.mr));
    let limit = if tiles <= 1 { FAR } else { NEAR };
    let near = depth.zip(columns).is_some_and(|(k, n)| k.saturating_mul(n).saturating_mul(bytes) <= limit);
    let known = p.plan.pack_b == PackB::Ahead || is_plain_load(p.columns);
    let others = p.c.needs_im2col() || p.grouping.is_some() || p.plan.kc < PLACES[0];
    // Most of what a window's next panel reads has been read, and to find the rest of it takes longer than to wait for it.
    let meet = p.plan.pack_b != PackB::Ahead && p.columns_meet();
    if near || !known || others || meet || bytes <= 0 || width % LINE != 0 {
        return Ok(None);
    }
    let length = LINE / bytes;
    if tiles <= 1 {
        let (level, distance) =
            if p.plan.prefetch_b_to_l1 { (Level::First, NEAR_DISTANCE) } else { (Level::Second, DISTANCE) };
        let (panel, start) = (&task.panel + panel, &step.start + ceil_div(distance, width));
        let further = NextPanel { panel, start, places: 1, lines: width / LINE, length, level };
        return Ok((p.plan.pack_b == PackB::Ahead).then_some(further));
    }
    // With steps outside of tasks the next task's panels follow, and the first task's of the next step.
    let (first, all) =
        if p.plan.k_outermost { (p.int(0), p.panels()?) } else { (task.panel.clone(), task.panels.clone()) };
    let behind = if p.plan.k_outermost { &(&task.panel + panel) + 1 } else { panel + 1 };
    let (mut number, mut start) = (behind.clone(), step.start.clone());
    if step.number.as_int().is_none() {
        let is_there = compare(CmpOp::Lt, &behind, &all)?;
        let next = &step.start + p.plan.kc;
        number = p.simple(&typed(Expr::select(&is_there, &behind, &p.int(0)))?);
        start = p.simple(&typed(Expr::select(&is_there, &start, &next))?);
    }
    let panel = named("next_panel", &p.simple(&(&first + &number)), lets);
    let lines = |places: i64| ceil_div(width * places / LINE, tiles);
    let few = PLACES.into_iter().find(|&places| lines(places) <= AT_ONCE);
    let places = p.places_in_window().or(few).unwrap_or(PLACES[2]);
    let start = named("next_start", &start, lets);
    Ok(Some(NextPanel { panel, start, places, lines: lines(places), length, level: Level::Second }))
}

/// Whether the factor is an element whose place is known without reading anything.
fn is_plain_load(factor: &Expr) -> bool {
    matches!(&factor.kind, ExprKind::Load { indices, .. } if !indices.iter().any(reads_memory))
}

impl Micro<'_> {
    /// Asks for the lines that belong to the places behind the one with this number in the depth of the tile with that one.
    pub(super) fn asked(&self, next: &NextPanel, tile: &Expr, number: &Expr) -> Result<Vec<Stmt>, Fault> {
        let (p, depth) = (self.p, self.p.plan.kc);
        let first = &(&(tile * (depth / next.places)) + number) * next.lines;
        let along_columns = p.plan.panel() / next.length;
        let ask = |at: i64| {
            let number = &first + at;
            let (lane, k) = if p.plan.pack_b == PackB::Ahead {
                // All lines of a panel follow each other: no place is divided.
                (&number * next.length, p.int(0))
            } else if p.columns_run_along()? {
                (&p.floor_mod(&number, along_columns)? * next.length, p.floor_div(&number, along_columns)?)
            } else {
                let along_depth = (depth / next.length).max(1);
                (p.floor_div(&number, along_depth)?, &p.floor_mod(&number, along_depth)? * next.length)
            };
            let element = self.next_column(next, &p.simple(&lane), &p.simple(&k))?;
            let ExprKind::Load { buffer, indices, .. } = &element.kind else { return Ok(Stmt::nothing()) };
            prefetch_into(next.level, buffer, indices.clone(), false)
        };
        (0..next.lines).map(ask).collect()
    }

    /// The element of what comes next as it lies in memory.
    fn next_column(&self, next: &NextPanel, lane: &Expr, k: &Expr) -> Result<Expr, Fault> {
        let (p, place) = (self.p, self.p.simple(&(&next.start + k)));
        if let (Some(packed), PackB::Ahead) = (&self.columns, p.plan.pack_b) {
            let indices = self.batch_of_packed().chain([next.panel.clone(), place, lane.clone()]).collect();
            return typed(Expr::load(packed, indices));
        }
        let column = &(&next.panel * p.plan.panel()) + lane;
        let mut values = p.c.n.values(&p.known, &column)?;
        values.extend(p.c.k.values(&p.known, &place)?);
        values.extend(self.task.batch.iter().cloned());
        Ok(substituted(p.columns, &values))
    }
}

impl Gemm<'_> {
    /// Whether neighbours in memory are neighbouring columns.
    pub(super) fn columns_run_along(&self) -> Result<bool, Fault> {
        let ExprKind::Load { indices, .. } = &self.columns.kind else { return Ok(true) };
        let column = self.var("column");
        let values = self.c.n.values(&self.known, &Expr::var(&column))?;
        let indices: Vec<Expr> = indices.iter().map(|index| substituted(index, &values)).collect();
        Ok(is_along(&self.known, &indices, &column))
    }
}
