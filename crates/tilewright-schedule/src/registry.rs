//! Every primitive by name: the general ones, then the kernels.

use crate::kernels::KERNELS;
use crate::primitive::{GENERAL, Primitive};

/// Earlier names of kernels, which programs and traces may still use, each with the name of today.
pub const RENAMED: &[(&str, &str)] = &[
    ("tile_product", "gemm"),
    ("tile_windows", "direct_conv"),
    ("tile_attention", "flash_attention"),
    ("pipeline_softmax", "rows_resident"),
    ("pipeline_norm", "rows_resident"),
    ("softmax_by_pieces", "rows_by_pieces"),
    ("pipeline_moments", "rows_by_pieces"),
    ("seek_extreme", "rows_by_pieces"),
    ("softmax_side_by_side", "rows_side_by_side"),
];

/// Every primitive, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static Primitive> {
    GENERAL.iter().chain(KERNELS)
}

/// The primitive of this name, as traces or as users write it.
pub fn by_name(name: &str) -> Option<&'static Primitive> {
    let name = RENAMED.iter().find(|(earlier, _)| *earlier == name).map_or(name, |(_, now)| now);
    all().find(|primitive| primitive.name == name || primitive.method == name)
}
