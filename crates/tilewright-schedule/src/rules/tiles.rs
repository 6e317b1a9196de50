//! The sizes of tiles of windows.
//!
//! A tile has as many rows as leave registers for what its rows have in common, and columns for a vector. Of the images a task
//! copies as many rows as the first-level cache holds beside the results.

use tilewright_ir::tir::IterKind;
use tilewright_ir::tir::StmtKind;
use tilewright_target::Target;

use super::accesses::gone;
use super::windows::LARGEST;
use super::{Declined, elementwise};
use crate::Schedule;
use crate::facts::size::{TASKS, ceil_div};
use crate::families::window::{Read, Windows};
use crate::kernels::cpu::direct_conv::DIRECT_CONV;
use crate::plan::cpu::direct_conv::{DirectConvPlan, MAX_UNROLLED};
use crate::trace::Rv;

/// Columns of an image at least: fewer are no vector.
const NARROWEST: i64 = 3;
/// The most columns between neighbouring windows that vectors are loaded with.
const FURTHEST: i64 = 2;
/// Bytes of a copy that stays in the first-level cache.
const NEAR: i64 = 24 << 10;
/// Rows of a tile at most where it is not known how many there are: the last ones of the last tile are computed for nothing.
const ROWS: i64 = 4;
/// What an instruction costs beside its lanes, to a whole vector.
const INSTRUCTION: f64 = 0.2;
/// Cycles of a task; under how many the work is not shared.
const TASK: i64 = elementwise::TASK.cast_signed();
const ALONE: i64 = elementwise::ALONE.cast_signed();
/// Numbers of bands that are compared.
const COMPARED: i64 = 64;

/// Builds a direct convolution of the only stage that reduces.
pub(super) fn in_tiles(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let mut reductions = Vec::new();
    for stage in schedule.stages()? {
        if reduces(schedule, stage) {
            reductions.push(stage);
        }
    }
    let [block] = reductions.as_slice() else { return Err(Declined::because("there is not one reduction")) };
    let (function, site) = schedule.site(*block).ok_or_else(gone)?;
    let windows = Windows::of(function, &site).map_err(|fault| Declined::because(fault.message))?;
    let plan = tiling(&windows, target)?;
    schedule.build(&DIRECT_CONV, *block, &plan)?;
    Ok(())
}

fn reduces(schedule: &Schedule, stage: Rv) -> bool {
    let Some(stmt) = schedule.stmt(stage) else { return false };
    match &stmt.kind {
        StmtKind::Block { block, .. } => block.iters.iter().any(|iter| iter.kind != IterKind::Spatial),
        _ => false,
    }
}

fn tiling(w: &Windows, target: &Target) -> Result<DirectConvPlan, Declined> {
    let furthest = w.reads.iter().flat_map(|read| &read.along).map(|along| along.x).max().unwrap_or(0);
    if w.window() > LARGEST || w.width < NARROWEST || furthest > FURTHEST {
        return Err(Declined::because("the windows are large, few, or far apart"));
    }
    let bits = u32::from(w.part.buffer.dtype.bits);
    let most = (i64::from(target.limits.vector_registers) / 4).max(1);
    let vector = lanes(w.width, target, bits);
    let in_parts = w.all_rows.is_some() || w.all_columns.is_some();
    let images = w.outer.size.as_int();
    let work = w.height * w.width * (w.window() + 4) / vector;
    let most = most.min(MAX_UNROLLED / w.window()).max(1);
    let most = if w.all_rows.is_some() { most.min(ROWS) } else { most };
    // An unknown number of images of unknown size may be one.
    let shared = bands_to_share(w, if in_parts { images.or(Some(1)) } else { images }, work);
    let at_least = bands_at_least(w, NEAR, |read| read.stage.is_some()).max(shared);
    let (band, rows) = bands(w.height, most, at_least);
    // How much work images are of which parts are gone through is not known.
    let images = if in_parts { 1 } else { images_of_task(images, work) };
    // Where rows are few, columns take their place.
    let fits = |count: &i64| rows * count <= most && vector * count <= w.width.min(64);
    let lanes = vector * [4, 2, 1].into_iter().find(fits).unwrap_or(1);
    Ok(DirectConvPlan { rows, lanes, band, images, channels: 1 })
}

/// The lanes of the vectors that cover the columns at the least cost.
pub(super) fn lanes(width: i64, target: &Target, bits: u32) -> i64 {
    let of = |width: u32| i64::from((width / bits.max(1)).clamp(1, 64));
    let (wide, full) = (of(target.vector_bits), of(target.full_rate_bits()));
    let cost = |lanes: i64| {
        let pieces = ceil_div(width, lanes);
        pieces as f64 * (lanes.max(full) as f64 / wide as f64 + INSTRUCTION)
    };
    let all = std::iter::successors(Some(wide), |&lanes| (lanes > 4).then_some(lanes / 2));
    all.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(wide)
}

/// Rows of a tile, at most so many, with which the fewest are computed twice.
fn rows(height: i64, most: i64) -> i64 {
    let most = most.min(height).max(1);
    let computed = |rows: &i64| ceil_div(height, *rows) * rows;
    ((most + 1) / 2..=most).rev().min_by_key(computed).unwrap_or(most)
}

/// Rows of a band, and of a tile, of so many bands or some more: with which the fewest are computed twice.
pub(super) fn bands(height: i64, most: i64, at_least: i64) -> (i64, i64) {
    let even = |count: i64| {
        let band = ceil_div(height, count);
        let rows = rows(band, most);
        ((ceil_div(band, rows) * rows).min(height), rows)
    };
    let counts = at_least..=(2 * at_least).min(at_least + COMPARED).min(height);
    let computed = |&(band, _): &(i64, i64)| ceil_div(height, band) * band;
    counts.map(even).min_by_key(computed).unwrap_or((height, rows(height, most)))
}

/// How many bands of an image there are at least where the work of so many images is shared.
pub(super) fn bands_to_share(w: &Windows, images: Option<i64>, work: i64) -> i64 {
    let shared = images.map_or(1, |images| (TASKS / images.max(1)).min(images.saturating_mul(work) / TASK));
    shared.clamp(1, w.height.max(1))
}

/// How many bands there have to be so that what is copied for one has so many bytes at most.
pub(super) fn bands_at_least(w: &Windows, most: i64, is_copied: impl Fn(&Read) -> bool) -> i64 {
    let copied = |band: i64| -> i64 {
        let bytes = w.reads.iter().filter(|read| is_copied(read)).map(|read| {
            let elements: i64 = read.along.iter().map(|along| along.extent(w, band, w.width)).product();
            elements.saturating_mul(read.buffer.dtype.element_bytes() as i64)
        });
        bytes.sum()
    };
    // The most rows that stay near: more of them never are less to copy.
    let (mut near, mut far) = (1, w.height + 1);
    while near + 1 < far {
        let band = near + (far - near) / 2;
        if copied(band) <= most { near = band } else { far = band }
    }
    ceil_div(w.height, near).clamp(1, w.height.max(1))
}

/// Images of a task: all of them where they are little work.
pub(super) fn images_of_task(images: Option<i64>, work: i64) -> i64 {
    let Some(count) = images.filter(|&count| count > 0) else { return 1 };
    if count.saturating_mul(work) < ALONE {
        return count.min(1 << 16);
    }
    let several = (TASK / work.max(1)).clamp(1, (count / 2).max(1));
    (1..=several).rev().find(|several| count % several == 0).unwrap_or(1)
}
