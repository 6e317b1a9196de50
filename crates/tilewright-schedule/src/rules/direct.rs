//! `direct`: convolutions whose windows would be copied for few multiplications.
//!
//! As a product of matrices a convolution copies each element of its windows beside its neighbours, and what is copied is
//! multiplied with as many numbers as a group has channels. Where these are few, or columns of windows lie apart, the copies
//! take as long as the multiplications or longer. Then windows are read where they lie in a padded image (`direct_conv`),
//! each element once for several channels.

use tilewright_target::Target;

use super::accesses::gone;
use super::channels;
use super::fallback::{self, attempt};
use super::inline::cheap_temporaries;
use super::product::{heavy_stage, is_same};
use super::tasks::tile_cost;
use super::tiles::{bands, bands_at_least, bands_to_share, images_of_task, lanes};
use super::{Declined, Rule};
use crate::Schedule;
use crate::facts::size::ceil_div;
use crate::families::contraction::Contraction;
use crate::families::window::{Channels, Read, Windows};
use crate::kernels::cpu::direct_conv::DIRECT_CONV;
use crate::plan::cpu::direct_conv::{DirectConvPlan, MAX_UNROLLED};

pub(super) const DIRECT: Rule = Rule {
    name: "direct",
    doc: "A convolution of few channels, or of windows far apart: several channels of a padded image at once.",
    apply,
};

/// What it costs at most, to what it costs as a product.
const LESS: f64 = 0.9;
/// Channels of a tile at most.
const MOST: i64 = 16;
/// Columns between neighbouring windows at most.
const FURTHEST: i64 = 8;
/// Multiplications of vectors in whose time an element of an image is copied: where its columns stay neighbours, and where
/// they do not.
const COPY: f64 = 0.3;
const COPY_APART: f64 = 1.0;
/// The same for a product that has a padded image in memory, from where windows that lie apart take each element few times.
const PAD: f64 = 1.5;
/// Bytes of a copy: the second-level cache holds it beside other things.
const NEAR: i64 = 128 << 10;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let heavy = heavy_stage(schedule)?;
    let (function, site) = schedule.site(heavy).ok_or_else(gone)?;
    let c = Contraction::of(function, &site).map_err(|fault| Declined::because(fault.message))?;
    if !c.out.dtype.is_float() || c.out.dtype.bits < 32 || c.b_is_narrow() || !c.needs_im2col() {
        return Err(Declined::because("it is no convolution of wide floats"));
    }
    let as_product = channels::least_cost(&c, function, target)
        .ok_or_else(|| Declined::because("the sizes of the product are not known"))?;
    cheap_temporaries(schedule)?;
    let slides = c.k.axes.iter().skip(1).any(|axis| axis.extent.as_int() != Some(1));
    let (function, site) = schedule.site(heavy).ok_or_else(gone)?;
    let windows = Windows::of(function, &site).map_err(|fault| Declined::because(fault.message))?;
    let (tiling, cost) = tiling(&windows, target)?;
    // Images that are columns of one product, as those of a volume are, are images of their own here.
    let pixels = windows.height.saturating_mul(windows.width).max(1);
    let images = c.n.size.as_int().map_or(1, |all| ceil_div(all, pixels)).max(1);
    let as_product = as_product / images as f64 + padding(&windows);
    if cost > as_product * LESS {
        return Err(Declined::because("the product is as fast"));
    }
    let mut behind = schedule.stages()?;
    let at = behind.iter().position(|&stage| is_same(schedule, stage, heavy)).ok_or_else(gone)?;
    behind.drain(..=at);
    schedule.build(&DIRECT_CONV, heavy, &tiling)?;
    // What is not computed on finished tiles is still there.
    behind.retain(|stage| schedule.stmt(*stage).is_some());
    if !slides && !behind.is_empty() {
        return Err(Declined::because(
            "windows of one pixel whose results are put elsewhere are a product as they lie",
        ));
    }
    for stage in behind {
        attempt(schedule, |schedule| fallback::stage(schedule, target, stage));
    }
    Ok(())
}

/// What a product's padded image costs, in the same measure.
fn padding(w: &Windows) -> f64 {
    let is_costly = |read: &&Read| read.stage.is_some() && read.along.last().is_some_and(|along| along.x > 1);
    let elements = |read: &Read| read.along.iter().map(|along| along.extent(w, w.height, w.width)).product::<i64>();
    w.reads.iter().filter(is_costly).map(elements).sum::<i64>() as f64 * PAD / w.window().max(1) as f64
}

/// The sizes that cost least, and what they cost: multiplications of vectors for each place of a window.
fn tiling(w: &Windows, target: &Target) -> Result<(DirectConvPlan, f64), Declined> {
    let channels = w.channels.as_ref().ok_or_else(|| Declined::because("each channel has an image of its own"))?;
    let apart = w.reads.iter().filter_map(|read| read.along.last()).map(|along| along.x).max().unwrap_or(1);
    let [read] = w.reads.as_slice() else { return Err(Declined::because("windows are of several images")) };
    if apart > FURTHEST {
        return Err(Declined::because("windows are far apart"));
    }
    let bits = u32::from(w.part.buffer.dtype.bits);
    let of = |width: u32| i64::from((width / bits.max(1)).clamp(1, 64));
    let (wide, full) = (of(target.vector_bits), of(target.full_rate_bits()));
    let vector = lanes(w.width, target, bits);
    let images = w.outer.size.as_int().map(|all| all / channels.group.max(1));
    let of_image = (w.height * w.width).saturating_mul(w.window() + 4);
    let work = of_image.saturating_mul(channels.group) / vector.max(1);
    // An unknown number of images may be one.
    let shared = bands_to_share(w, images.or(Some(1)), work);
    let at_least = bands_at_least(w, NEAR, |_| true).max(shared);
    let mut found: Option<(DirectConvPlan, f64)> = None;
    for (channels_of_tile, most, count) in tiles(channels, i64::from(target.limits.vector_registers)) {
        let lanes = vector * count;
        if lanes > 64 || lanes > ceil_div(w.width, vector) * vector || channels_of_tile * most > MAX_UNROLLED {
            continue;
        }
        let (band, rows) = bands(w.height, most, at_least);
        // Bands that have rows in common are those of one task.
        if shared > 1 && w.height % band != 0 {
            continue;
        }
        let tiles = ceil_div(w.height, band) * ceil_div(band, rows) * ceil_div(w.width, lanes);
        let tiles = tiles.saturating_mul(channels.group / channels_of_tile);
        let copied: i64 = read.along.iter().map(|along| along.extent(w, band, w.width)).product();
        let copy = if apart > 1 { COPY_APART } else { COPY };
        let copies = copied as f64 * ceil_div(w.height, band) as f64 * copy / w.window().max(1) as f64;
        let rate = vector.max(full) as f64 / wide as f64;
        let cost = tiles as f64 * tile_cost(channels_of_tile, rows * count) * rate + copies;
        if found.as_ref().is_none_or(|(_, least)| cost < *least) {
            let images = images_of_task(images, work);
            found = Some((DirectConvPlan { rows, lanes, band, images, channels: channels_of_tile }, cost));
        }
    }
    found.ok_or_else(|| Declined::because("no tile fits into the registers, or no even bands share the work"))
}

/// Channels of a tile, its most rows, and vectors of a row: sums, a vector of each row or a weight of each channel, and one
/// of the others fit into the registers.
fn tiles(channels: &Channels, registers: i64) -> impl Iterator<Item = (i64, i64, i64)> {
    let group = channels.group;
    let fits = move |own: i64, vectors: i64| own * vectors + own.min(vectors) + 1 < registers;
    let of_tile = (2..=MOST.min(group)).filter(move |own| group % own == 0);
    let with_rows = of_tile.flat_map(move |own| {
        let most = (1..registers).take_while(move |&vectors| fits(own, vectors)).last();
        [1, 2, 4].into_iter().filter_map(move |count| Some((own, most? / count, count)))
    });
    with_rows.filter(|(_, rows, _)| *rows > 0)
}
