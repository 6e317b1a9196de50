//! `tile_windows(block, rows, lanes, band, images)`: a reduction over windows of images keeps its results in registers, and
//! what follows it is computed on them.
//!
//! A block `out[…, y, x] = out[…, y, x] ⊕ value` reduces over windows where the elements that `value` reads move with `x`,
//! and with axes of the reduction: pools, convolutions of each channel by itself. The loops are these, from outside inwards:
//!
//! ```text
//! for task in parallel(images and, where they divide the rows evenly, bands of rows)
//!   for image of the `images` of a task
//!     what of the padded image the band needs is copied
//!     for `rows` rows of the band, for a piece of `lanes` columns
//!       the tile: rows vectors of results; all windows, written out
//!       what follows is computed on the tile
//! ```
//!
//! An element that windows of several rows of the tile have in common is loaded once: the windows' elements come in the
//! order of the rows that they are in, which for each result is the order of the reduction. The last rows and columns are
//! computed with some of those before them, so that all tiles are whole; where the results are written over what they are
//! computed from, the last columns are masked, and the rows are parts of all. Tasks depend on shapes alone.

mod emit;
mod recognise;

use tilewright_ir::tir::{Stmt, StmtKind};

use super::tile_product::epilogue::{self, Outputs, Produced};
use super::{Call, Default, Fault, Outcome, Primitive, Results};
use crate::rewrite::{way, with_block};
use crate::stages::{stages, touches};
use crate::tree::Site;

pub(crate) use recognise::Windows;

pub(in crate::primitive) const TILE_WINDOWS: Primitive = Primitive {
    name: "TileWindows",
    method: "tile_windows",
    params: &[
        ("block", Default::Required),
        ("rows", Default::Required),
        ("lanes", Default::Required),
        ("band", Default::Required),
        ("images", Default::Int(1)),
    ],
    gives_list: false,
    run,
};

/// The sizes of tiles and tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tiling {
    /// Rows of a tile.
    pub(crate) rows: i64,
    /// Columns of a tile.
    pub(crate) lanes: i64,
    /// Rows of a task.
    pub(crate) band: i64,
    /// Images of a task.
    pub(crate) images: i64,
}

/// The most of each.
const MOST: i64 = 1 << 16;

fn tiling(call: &Call<'_>, windows: &Windows) -> Result<Tiling, Fault> {
    let size = |at: usize, name: &str, most: i64| match call.int(at)? {
        size if (1..=most).contains(&size) => Ok(size),
        size => Err(Fault::of_call(format!("`{name}` must be between 1 and {most}, found {size}"))),
    };
    let band = size(3, "band", windows.height)?;
    Ok(Tiling { rows: size(1, "rows", band)?, lanes: size(2, "lanes", 64)?, band, images: size(4, "images", MOST)? })
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let scope = site.scope().ok_or_else(|| Fault::at(&site, "the root block is in no other"))?;
    let windows = Windows::of(call.function, &site)?;
    let tiling = tiling(call, &windows)?;
    let (before, _, after) = stages(&site)?;
    let produced = Produced {
        out: &windows.part.buffer,
        indices: &windows.part.indices,
        read: windows.reads.iter().map(|read| &read.formula.value).chain([&windows.part.value]).collect(),
        always: true,
        stays: false,
    };
    let outputs = epilogue::outputs(call.function, &site, &scope, &produced, &after)?;
    let padding: Vec<&Site> = windows.reads.iter().filter_map(|read| read.stage.as_ref()).collect();
    check_padding(&windows, &before, &after, &padding)?;
    let tiling = fitting(tiling, &windows, &outputs);
    let name = site.block().map(|block| block.name.clone()).unwrap_or_default();
    let body = emit::windows(call.function, &windows, &tiling, &outputs, &name)?;
    let kept = before.iter().filter(|stage| padding.iter().all(|other| way(other) != way(stage)));
    let body = Stmt::seq(kept.filter_map(|stage| outermost(stage, &scope)).chain([body]));
    let gone = |buffer: &_| {
        *buffer == windows.part.buffer
            || windows.reads.iter().any(|read| read.stage.is_some() && read.buffer == *buffer)
    };
    let function = with_block(call.function, &way(&scope), |block| {
        block.body = body;
        block.alloc_buffers.retain(|buffer| !gone(buffer));
    })?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// A padded image is used by nothing but the windows: the stage that made it goes away.
fn check_padding(windows: &Windows, before: &[Site], after: &[Site], padding: &[&Site]) -> Result<(), Fault> {
    for read in windows.reads.iter().filter(|read| read.stage.is_some()) {
        let others = before.iter().chain(after).filter(|stage| padding.iter().all(|own| way(own) != way(stage)));
        for other in others {
            if touches(&other.stmt, &read.buffer) {
                return Err(Fault::at(other, format!("`{}` is used here, too", read.buffer.name)));
            }
        }
    }
    Ok(())
}

/// The sizes where results may be computed twice, and where they may not.
fn fitting(tiling: Tiling, windows: &Windows, outputs: &Outputs) -> Tiling {
    let images = match windows.outer.size.as_int() {
        Some(count) if count % tiling.images == 0 => tiling.images,
        _ => 1,
    };
    if !outputs.reads_own() {
        return Tiling { images, ..tiling };
    }
    let rows = (1..=tiling.rows).rev().find(|rows| windows.height % rows == 0).unwrap_or(1);
    Tiling { rows, band: windows.height, images, ..tiling }
}

/// The statement of the scope that a stage is.
fn outermost(stage: &Site, scope: &Site) -> Option<Stmt> {
    let depth = scope.above.len() + 1;
    match stage.above.get(depth) {
        Some((stmt, at)) => match &stmt.kind {
            StmtKind::Seq(stmts) => stmts.get(*at).cloned(),
            _ => Some(stmt.clone()),
        },
        None => Some(stage.stmt.clone()),
    }
}
