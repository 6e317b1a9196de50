//! The plan of windows that each read an image of their own: pools and depthwise convolutions.
//!
//! A tile has as many rows as leave registers for what its rows have in common, and columns for a vector. A task copies
//! as many rows of its images as L1 holds together with the results.

use tilewright_target::Target;

use super::sizes::{bands, bands_at_least, bands_to_share, images_of_task, lanes};
use super::{DirectConvPlan, MAX_UNROLLED};
use crate::families::window::Windows;
use crate::plan::Declined;

/// Elements of a window at most: longer reductions are those of GEMMs.
pub(crate) const MAX_WINDOW: i64 = 1024;
/// Columns of an image at least: fewer are no vector.
const MIN_WIDTH: i64 = 3;
/// Columns between neighbouring windows at most: vectors are loaded with so many elements left out.
const MAX_STRIDE: i64 = 2;
/// Rows of a tile at most where the run alone knows how many there are: the last ones of the last tile are computed for
/// nothing.
const MAX_ROWS_OF_UNKNOWN: i64 = 4;

/// The plan of the windows.
///
/// # Errors
///
/// The windows are large, few, or far apart.
pub(crate) fn choose(w: &Windows, target: &Target) -> Result<DirectConvPlan, Declined> {
    let stride = w.reads.iter().flat_map(|read| &read.along).map(|along| along.x).max().unwrap_or(0);
    if w.window() > MAX_WINDOW || w.width < MIN_WIDTH || stride > MAX_STRIDE {
        return Err(Declined::because("the windows are large, few, or far apart"));
    }
    let bits = u32::from(w.part.buffer.dtype.bits);
    let most = (i64::from(target.limits.vector_registers) / 4).max(1);
    let vector = lanes(w.width, target, bits);
    let in_parts = w.symbolic_height.is_some() || w.symbolic_width.is_some();
    let images = w.outer.size.as_int();
    let cycles = w.height * w.width * (w.window() + 4) / vector;
    let most = most.min(MAX_UNROLLED / w.window()).max(1);
    let most = if w.symbolic_height.is_some() { most.min(MAX_ROWS_OF_UNKNOWN) } else { most };
    // An unknown number of images of unknown size may be one.
    let shared = bands_to_share(w, if in_parts { images.or(Some(1)) } else { images }, cycles, target);
    let at_least = bands_at_least(w, target.plan.l1_image_bytes, |read| read.stage.is_some()).max(shared);
    let (band, rows) = bands(w.height, most, at_least);
    // How much work images are of which parts are gone through is not known.
    let images = if in_parts { 1 } else { images_of_task(images, cycles, target) };
    // Where rows are few, columns take their place.
    let fits = |count: &i64| rows * count <= most && vector * count <= w.width.min(64);
    let lanes = vector * [4, 2, 1].into_iter().find(fits).unwrap_or(1);
    Ok(DirectConvPlan { rows, lanes, band, images, channels: 1 })
}
