//! The plan of a convolution of several channels: windows of one image, read once for several output channels.

use tilewright_target::Target;

use super::sizes::{bands, bands_at_least, bands_to_share, images_of_task, lanes};
use super::{DirectConvPlan, MAX_UNROLLED};
use crate::families::window::{Channels, Read, Windows};
use crate::plan::cpu::gemm::register_tile::tile_cycles;
use crate::plan::{Cost, Declined};
use crate::units::ceil_div;

/// Part of the modelled rate that the kernel reaches, next to a GEMM's.
const EFFICIENCY: f64 = 0.9;
/// Output channels of a tile at most.
const MAX_CHANNELS: i64 = 16;
/// Columns between neighbouring windows at most.
const MAX_STRIDE: i64 = 8;
/// Cycles to copy an element of an image whose columns stay neighbours, and of one whose columns are put apart.
const COPY_CYCLES: f64 = 0.3;
const COPY_STRIDED_CYCLES: f64 = 1.0;
/// Cycles to write an element of a padded image to memory, from where strided windows take each element few times.
const PAD_CYCLES: f64 = 1.5;

/// The plan that costs least, and the cycles of a step of the reduction for one image.
///
/// # Errors
///
/// Windows are of several images or far apart, or no tile fits.
pub(crate) fn choose(w: &Windows, target: &Target) -> Result<(DirectConvPlan, Cost), Declined> {
    let channels = w.channels.as_ref().ok_or_else(|| Declined::because("each channel has an image of its own"))?;
    let stride = w.reads.iter().filter_map(|read| read.along.last()).map(|along| along.x).max().unwrap_or(1);
    let [read] = w.reads.as_slice() else { return Err(Declined::because("windows are of several images")) };
    if stride > MAX_STRIDE {
        return Err(Declined::because("windows are far apart"));
    }
    let bits = u32::from(w.part.buffer.dtype.bits);
    let of = |width: u32| i64::from((width / bits.max(1)).clamp(1, 64));
    let (wide, full) = (of(target.vector_bits), of(target.full_rate_bits()));
    let vector = lanes(w.width, target, bits);
    let images = w.outer.size.as_int().map(|all| all / channels.group.max(1));
    let of_image = (w.height * w.width).saturating_mul(w.window() + 4);
    let cycles = of_image.saturating_mul(channels.group) / vector.max(1);
    // An unknown number of images may be one.
    let shared = bands_to_share(w, images.or(Some(1)), cycles, target);
    let at_least = bands_at_least(w, target.plan.l2_image_bytes, |_| true).max(shared);
    let mut found: Option<(DirectConvPlan, Cost)> = None;
    for tile in tiles(channels, i64::from(target.limits.vector_registers)) {
        let lanes = vector * tile.vectors;
        if lanes > 64 || lanes > ceil_div(w.width, vector) * vector || tile.channels * tile.max_rows > MAX_UNROLLED {
            continue;
        }
        let (band, rows) = bands(w.height, tile.max_rows, at_least);
        // Bands that have rows in common are those of one task.
        if shared > 1 && w.height % band != 0 {
            continue;
        }
        let tiles = ceil_div(w.height, band) * ceil_div(band, rows) * ceil_div(w.width, lanes);
        let tiles = tiles.saturating_mul(channels.group / tile.channels);
        let copied: i64 = read.along.iter().map(|along| along.extent(w, band, w.width)).product();
        let copy = if stride > 1 { COPY_STRIDED_CYCLES } else { COPY_CYCLES };
        let copies = copied as f64 * ceil_div(w.height, band) as f64 * copy / w.window().max(1) as f64;
        let rate = vector.max(full) as f64 / wide as f64;
        let multiply = tiles as f64 * tile_cycles(target, tile.channels, rows * tile.vectors) * rate;
        let cost = Cost::default().with("multiply-add", multiply).with("copy image", copies);
        if found.as_ref().is_none_or(|(_, least)| cost.total() < least.total()) {
            let images = images_of_task(images, cycles, target);
            found = Some((DirectConvPlan { rows, lanes, band, images, channels: tile.channels }, cost));
        }
    }
    let none = || Declined::because("no tile fits into the registers, or no even bands share the work");
    found.map(|(plan, cost)| (plan, cost.times(1.0 / EFFICIENCY))).ok_or_else(none)
}

/// What a GEMM's padded image costs in memory, in cycles of a step of the reduction for one image.
pub(crate) fn padding(w: &Windows) -> f64 {
    let is_costly = |read: &&Read| read.stage.is_some() && read.along.last().is_some_and(|along| along.x > 1);
    let elements = |read: &Read| read.along.iter().map(|along| along.extent(w, w.height, w.width)).product::<i64>();
    w.reads.iter().filter(is_costly).map(elements).sum::<i64>() as f64 * PAD_CYCLES / w.window().max(1) as f64
}

/// A register tile: output channels, output rows at most, and vectors of a row.
struct Tile {
    channels: i64,
    max_rows: i64,
    vectors: i64,
}

/// The tiles whose accumulators fit into the registers with a vector of each row, or a weight of each channel, and one
/// of the others.
fn tiles(channels: &Channels, registers: i64) -> impl Iterator<Item = Tile> {
    let group = channels.group;
    let fits = move |own: i64, vectors: i64| own * vectors + own.min(vectors) + 1 < registers;
    let of_tile = (2..=MAX_CHANNELS.min(group)).filter(move |own| group % own == 0);
    let with_rows = of_tile.flat_map(move |channels| {
        let most = (1..registers).take_while(move |&vectors| fits(channels, vectors)).last();
        let tile = move |vectors| Some(Tile { channels, max_rows: most? / vectors, vectors });
        [1, 2, 4].into_iter().filter_map(tile)
    });
    with_rows.filter(|tile| tile.max_rows > 0)
}
