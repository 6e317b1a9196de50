//! `tile_windows(block, rows, lanes, band, images, channels)`: a reduction over windows of images keeps its results in
//! registers, and what follows it is computed on them.
//!
//! A block `out[…, y, x] = out[…, y, x] ⊕ value` reduces over windows where the elements that `value` reads move with
//! `x`, and with axes of the reduction: pools, convolutions of each channel by itself. The loops are these, from
//! outside inwards:
//!
//! ```text
//! for task in parallel(images and, where they divide the rows evenly, bands of rows)
//!   for image of the `images` of a task
//!     what of the padded image the band needs is copied
//!     for `channels` channels of those that read the same elements of the image
//!       for `rows` rows of the band, for a piece of `lanes` columns
//!         the tile: channels * rows vectors of results; all windows, the inner axes of them written out
//!         what follows is computed on the tile
//! ```
//!
//! With `channels` above one an image is that of all channels that have it in common, as those of a group of a
//! convolution do, and its columns are copied so that those that neighbouring windows read at one of their places are
//! neighbours.
//!
//! An element that windows of several rows of the tile have in common is loaded once: the windows' elements come in the
//! order of the rows that they are in, and within a row in the order of the reduction. Where the reduction goes through
//! rows in another order, floats are summed in another one than in the function as it was. The last rows and columns
//! are computed with some of those before them, so that all tiles are whole; where the results are written over what
//! they are computed from, the last columns are masked, and the rows are parts of all. Of images whose size is not known
//! parts are copied that have as many rows and columns as those of a large one, and those of the last tiles that are
//! outside of the image are not stored. Tasks depend on shapes alone.

mod emit;
mod parts;
mod recognise;

use tilewright_ir::tir::{PrimFunc, Stmt};

use super::{Call, Default, Fault, Outcome, Primitive, Results};
use crate::epilogue::{self, Outputs, Produced};
use crate::exprs::loaded_buffers;
use crate::rewrite::{way, with_block};
use crate::stages::{may_write, nests_behind, own_nest, statements, touches};
use crate::tree::Site;

pub(crate) use recognise::{Channels, Read, Windows};

pub(in crate::primitive) const TILE_WINDOWS: Primitive = Primitive {
    name: "TileWindows",
    method: "tile_windows",
    doc: "Reduces over windows of images tile by tile, each in registers.",
    params: &[
        ("block", Default::Required),
        ("rows", Default::Required),
        ("lanes", Default::Required),
        ("band", Default::Required),
        ("images", Default::Int(1)),
        ("channels", Default::Int(1)),
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
    /// Channels of a tile.
    pub(crate) channels: i64,
}

/// The most images of a task.
const MOST: i64 = 1 << 16;
/// The most rows of a tile, and statements of a tile that are written out.
pub(crate) const UNROLLED: i64 = 320;

fn tiling(call: &Call<'_>, windows: &Windows) -> Result<Tiling, Fault> {
    let band = call.size(3, "band", 1..=windows.height)?;
    let group = windows.channels.as_ref().map_or(1, |channels| channels.group);
    let channels = call.size(5, "channels", 1..=group.min(UNROLLED))?;
    if group % channels != 0 {
        let message = format!("`channels` must divide the {group} that read the same images, found {channels}");
        return Err(Fault::of_call(message));
    }
    let lanes = call.size(2, "lanes", 1..=64)?;
    if windows.all_columns.is_some() && windows.width % lanes != 0 {
        let message = format!("`lanes` must divide the {} columns of a strip, found {lanes}", windows.width);
        return Err(Fault::of_call(message));
    }
    Ok(Tiling {
        rows: call.size(1, "rows", 1..=band.min(UNROLLED))?,
        lanes,
        band,
        images: call.size(4, "images", 1..=MOST)?,
        channels,
    })
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let scope = site.scope().ok_or_else(|| Fault::at(&site, "the root block is in no other"))?;
    let windows = Windows::of(call.function, &site)?;
    let tiling = tiling(call, &windows)?;
    let part = &windows.part;
    let (outputs, behind) = outputs_of(call.function, &site, &scope, &windows)?;
    let kept = kept_in_front(&windows, &site, &scope)?;
    let tiling = fitting(tiling, &windows, &outputs);
    let name = site.block().map(|block| block.name.clone()).unwrap_or_default();
    let body = emit::windows(call.function, &windows, &tiling, &outputs, &name)?;
    let body = Stmt::seq(kept.into_iter().chain([body]).chain(behind));
    let gone = |buffer: &_| {
        *buffer == part.buffer || windows.reads.iter().any(|read| read.stage.is_some() && read.buffer == *buffer)
    };
    let function = with_block(call.function, &way(&scope), |block| {
        block.alloc_buffers.retain(|buffer| !gone(buffer) || touches(&body, buffer));
        block.body = body;
    })?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// What is written of the results of windows of several channels, and what stays behind them as it is: all of it, if something
/// there does not read each result once, at its own axes.
fn outputs_of(
    function: &PrimFunc,
    site: &Site,
    scope: &Site,
    windows: &Windows,
) -> Result<(Outputs, Vec<Stmt>), Fault> {
    let part = &windows.part;
    let produced = |stays: bool| Produced {
        out: &part.buffer,
        indices: &part.indices,
        read: windows.reads.iter().map(|read| &read.formula.value).chain([&part.value]).collect(),
        always: true,
        stays,
    };
    let on_tiles =
        nests_behind(site).and_then(|after| epilogue::outputs(function, site, scope, &produced(false), &after));
    let behind: Vec<Stmt> = statements(scope).into_iter().skip(own_nest(site)? + 1).map(|site| site.stmt).collect();
    match on_tiles {
        Ok(outputs) => Ok((outputs, Vec::new())),
        Err(_) if windows.channels.is_some() && !behind.is_empty() => {
            Ok((epilogue::outputs(function, site, scope, &produced(true), &[])?, behind))
        }
        Err(fault) => Err(fault),
    }
}

/// What stands in front of the windows, without the stages that make padded images. Tasks make these when they need
/// them: nothing else may use such an image, and nothing may change what it is made from before the windows are gone
/// through.
fn kept_in_front(windows: &Windows, site: &Site, scope: &Site) -> Result<Vec<Stmt>, Fault> {
    let place = own_nest(site)?;
    let (all, mut gone) = (statements(scope), Vec::new());
    for read in &windows.reads {
        let Some(stage) = &read.stage else { continue };
        let own = own_nest(stage)?;
        gone.push(own);
        for (at, other) in all.iter().enumerate().filter(|(at, _)| ![own, place].contains(at)) {
            if touches(&other.stmt, &read.buffer) {
                return Err(Fault::at(other, format!("`{}` is used here, too", read.buffer.name)));
            }
            let changed = loaded_buffers(&read.formula.value).into_iter().find(|from| may_write(&other.stmt, from));
            if let Some(changed) = changed.filter(|_| (own..place).contains(&at)) {
                let message = format!("`{}`, from which `{}` is made, is written here", changed.name, read.buffer.name);
                return Err(Fault::at(other, message));
            }
        }
    }
    let kept = all.into_iter().enumerate().take(place).filter(|(at, _)| !gone.contains(at));
    Ok(kept.map(|(_, site)| site.stmt).collect())
}

/// The sizes where results may be computed twice, and where they may not. Where it is not known how many rows there are, no
/// tile goes into the next band.
fn fitting(tiling: Tiling, windows: &Windows, outputs: &Outputs) -> Tiling {
    let of_image = if tiling.channels > 1 { windows.channels.as_ref().map_or(1, |channels| channels.group) } else { 1 };
    let images = match windows.outer.size.as_int() {
        Some(count) if count / of_image % tiling.images == 0 => tiling.images,
        _ => 1,
    };
    if windows.all_rows.is_some() {
        let band = tiling.band / tiling.rows * tiling.rows;
        return Tiling { images, band, ..tiling };
    }
    if !outputs.reads_own() {
        return Tiling { images, ..tiling };
    }
    let rows = (1..=tiling.rows).rev().find(|rows| windows.height % rows == 0).unwrap_or(1);
    Tiling { rows, band: windows.height, images, ..tiling }
}
