//! Sizes that all plans of direct convolutions choose alike: lanes, bands of output rows, images of a task.

use tilewright_target::{Machine, Target};

use crate::families::window::{Read, Windows};
use crate::units::{TASKS, ceil_div, signed};

/// Numbers of bands that are compared.
const COMPARED_BANDS: i64 = 64;
/// Images of a task, at most.
const MAX_IMAGES: i64 = 1 << 16;

/// The lanes of the vectors that cover the columns at the least cost.
pub(crate) fn lanes(width: i64, machine: &Machine, bits: u32) -> i64 {
    let of = |width: u32| i64::from((width / bits.max(1)).clamp(1, 64));
    let (wide, full) = (of(machine.vector_bits), of(machine.full_rate_bits()));
    let cost = |lanes: i64| {
        let pieces = ceil_div(width, lanes);
        pieces as f64 * (lanes.max(full) as f64 / wide as f64 + machine.plan.instruction_cost)
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
pub(crate) fn bands(height: i64, most: i64, at_least: i64) -> (i64, i64) {
    let even = |count: i64| {
        let band = ceil_div(height, count);
        let rows = rows(band, most);
        ((ceil_div(band, rows) * rows).min(height), rows)
    };
    let counts = at_least..=(2 * at_least).min(at_least + COMPARED_BANDS).min(height);
    let computed = |&(band, _): &(i64, i64)| ceil_div(height, band) * band;
    counts.map(even).min_by_key(computed).unwrap_or((height, rows(height, most)))
}

/// How many bands of an image there are at least where the work of so many images, of so many cycles each, is shared.
pub(crate) fn bands_to_share(w: &Windows, images: Option<i64>, cycles: i64, target: &Target) -> i64 {
    let task = signed(target.tasks.task_cycles).max(1);
    let shared = images.map_or(1, |images| (TASKS / images.max(1)).min(images.saturating_mul(cycles) / task));
    shared.clamp(1, w.height.max(1))
}

/// How many bands there have to be so that the padded copy for one has so many bytes at most.
pub(crate) fn bands_at_least(w: &Windows, most_bytes: u64, is_copied: impl Fn(&Read) -> bool) -> i64 {
    let copied = |band: i64| -> i64 {
        let bytes = w.reads.iter().filter(|read| is_copied(read)).map(|read| {
            let elements: i64 = read.along.iter().map(|along| along.extent(w, band, w.width)).product();
            elements.saturating_mul(read.buffer.dtype.element_bytes() as i64)
        });
        bytes.sum()
    };
    // Bisection for the largest band that fits: a larger one is never a smaller copy.
    let (mut fits, mut exceeds) = (1, w.height + 1);
    while fits + 1 < exceeds {
        let band = fits + (exceeds - fits) / 2;
        if copied(band) <= signed(most_bytes) { fits = band } else { exceeds = band }
    }
    ceil_div(w.height, fits).clamp(1, w.height.max(1))
}

/// Images of a task, each of so many cycles: all of them where they are little work.
pub(crate) fn images_of_task(images: Option<i64>, cycles: i64, target: &Target) -> i64 {
    let Some(count) = images.filter(|&count| count > 0) else { return 1 };
    if count.saturating_mul(cycles) < signed(target.tasks.serial_cycles) {
        return count.min(MAX_IMAGES);
    }
    let several = (signed(target.tasks.task_cycles) / cycles.max(1)).clamp(1, (count / 2).max(1));
    (1..=several).rev().find(|several| count % several == 0).unwrap_or(1)
}
