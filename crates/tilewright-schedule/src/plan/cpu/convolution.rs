//! What a convolution costs by each kernel that can compute it, in cycles of one core.
//!
//! | kernel | lanes | per multiply-add it saves or pays |
//! |---|---|---|
//! | GEMM | pixels | im2col: each element of a window is packed for the few channels of its group |
//! | GEMM with channels as N | channels | pixels are read in place, results are transposed back |
//! | direct convolution | pixels | windows are read from a padded image, each element once for several channels |
//!
//! A cycle is that of a vector multiply-add. Each kernel reaches a measured part of the modelled rate, its
//! *efficiency*, by which the candidates are comparable.

use tilewright_ir::tir::{Expr, Var};
use tilewright_target::Target;
use tilewright_tensor::DataType;

use super::gemm::extents::pack_b_cycles;
use super::gemm::register_tile::{MAX_NR_VECTORS, even_part, lane_counts, tile_cycles};
use crate::build::exprs::mentions;
use crate::families::contraction::Contraction;
use crate::plan::{Cost, Declined};
use crate::units::ceil_div;

/// Part of the modelled rate that a GEMM with channels as N reaches for groups of about a vector of channels: each
/// register tile divides to find its pixels.
const GROUPED_CHANNELS_EFFICIENCY: f64 = 0.72;
/// The same where tiles are parts of lines of pixels: no tile divides.
const CHANNELS_EFFICIENCY: f64 = 0.97;
/// Cycles to transpose a vector of results; of groups, whose results may be neighbours of each other.
const TRANSPOSE_CYCLES: f64 = 12.0;
const TRANSPOSE_GROUPED_CYCLES: f64 = 48.0;
/// Cycles to pack a weight of a group, which each task does.
const PACK_WEIGHT_CYCLES: f64 = 0.4;

/// A convolution as a contraction, of known sizes: M are channels, N are pixels.
pub(crate) struct Convolution<'a> {
    c: &'a Contraction,
    target: &'a Target,
    /// Channels of a group, pixels, and K.
    channels: i64,
    pixels: i64,
    k: i64,
    is_grouped: bool,
}

impl<'a> Convolution<'a> {
    /// The contraction as a convolution; `None` if it is none, or its sizes are not known. Windows of single pixels are
    /// a product of matrices, unless an image is no larger than a vector.
    pub(crate) fn of(c: &'a Contraction, target: &'a Target) -> Option<Self> {
        let known = |size: &Expr| size.as_int().filter(|&size| size > 0);
        let groups: Vec<Var> = c.batch.axes.iter().map(|axis| axis.var.clone()).collect();
        let (channels, pixels, k) = (known(&c.m.size)?, known(&c.n.size)?, known(&c.k.size)?);
        let found = Self { c, target, channels, pixels, k, is_grouped: mentions(&c.a, &groups) };
        let is_image = c.n.axes.len() > 1 && c.indices.len() > 2;
        (c.needs_im2col() || (is_image && pixels <= found.lanes())).then_some(found)
    }

    /// Steps of K of all images and groups.
    pub(crate) fn steps(&self) -> f64 {
        (self.c.batch.size.as_int().unwrap_or(1).max(1) as f64) * self.k as f64
    }

    /// Pixels of a result that one GEMM has: of a volume those of several images.
    pub(crate) fn pixels(&self) -> i64 {
        self.pixels
    }

    fn registers(&self) -> i64 {
        i64::from(self.target.limits.vector_registers)
    }

    /// Lanes of the widest vector.
    fn lanes(&self) -> i64 {
        i64::from(self.target.vector_bits / u32::from(self.c.out.dtype.bits.max(1))).max(1)
    }

    /// Whether a group has about a vector of channels: more than half of one.
    fn has_vector_groups(&self) -> bool {
        self.is_grouped && (self.lanes() / 2 + 1..=self.lanes()).contains(&self.channels) && self.pixels >= 2
    }

    /// As a GEMM with pixels as N, packed by im2col.
    pub(crate) fn gemm(&self) -> Cost {
        let pack = pack_b_cycles(self.c, self.target) * self.pixels as f64;
        let multiply = if self.has_vector_groups() {
            self.tiles_or_loads(self.channels, ceil_div(self.pixels, self.lanes()))
        } else {
            let counts = lane_counts(self.target, u32::from(self.c.out.dtype.bits), false);
            let widest = counts.first().copied().unwrap_or(1);
            let of = |&lanes: &i64| self.tiles(self.channels, self.pixels, lanes, None) * lanes as f64 / widest as f64;
            counts.iter().map(of).fold(f64::INFINITY, f64::min)
        };
        let cost = Cost::default().with("multiply-add", multiply).with("im2col", pack);
        let weights = self.is_grouped && !self.has_vector_groups();
        let weights = if weights { self.channels as f64 * PACK_WEIGHT_CYCLES } else { 0.0 };
        cost.with("pack weights", weights).times(self.steps())
    }

    /// As a GEMM with channels as N.
    ///
    /// # Errors
    ///
    /// The kernel is not for such a convolution.
    pub(crate) fn gemm_channels(&self) -> Result<Cost, Declined> {
        let steps = self.steps();
        let cost = |multiply: f64, transpose: f64, efficiency: f64| {
            let cost = Cost::default().with("multiply-add", multiply).with("transpose results", transpose);
            cost.times(steps / efficiency).with("results through L3", self.results_through_l3())
        };
        if self.has_vector_groups() {
            let transpose = self.pixels as f64 * TRANSPOSE_CYCLES / self.k as f64;
            return Ok(cost(self.tiles_or_loads(self.pixels, 1), transpose, GROUPED_CHANNELS_EFFICIENCY));
        }
        // Pixels that no border surrounds are neighbours, read as fast as they lie.
        let slides = self.c.k.axes.iter().skip(1).any(|axis| axis.extent.as_int() != Some(1));
        if !self.is_grouped && !slides && self.pixels > self.lanes() {
            return Err(Declined::because("windows are single pixels, which a GEMM reads as they lie"));
        }
        let line = self.c.n.axes.last().and_then(|axis| axis.extent.as_int()).unwrap_or(0);
        let counts = lane_counts(self.target, u32::from(self.c.out.dtype.bits), false);
        let lanes = counts.first().copied().unwrap_or(1);
        if self.c.out.dtype != DataType::F32 || self.channels < 2 * lanes || line < 1 {
            return Err(Declined::because("it has few channels, or is not of float32"));
        }
        let transpose = if self.is_grouped { TRANSPOSE_GROUPED_CYCLES } else { TRANSPOSE_CYCLES };
        let transpose = (self.pixels * ceil_div(self.channels, lanes)) as f64 * transpose / self.k as f64;
        let multiply = self.tiles(self.pixels, self.channels, lanes, Some(line));
        Ok(cost(multiply, transpose, CHANNELS_EFFICIENCY))
    }

    /// Cycles to move results that L2 does not hold out of it, and back to be transposed.
    fn results_through_l3(&self) -> f64 {
        let images = self.c.batch.size.as_int().unwrap_or(1).max(1) as f64;
        let bytes = (self.channels * self.pixels) as f64 * self.c.out.dtype.bytes() as f64;
        if bytes <= self.target.limits.l2_bytes as f64 {
            return 0.0;
        }
        2.0 * images * bytes / self.target.core.l3_bytes_per_cycle
    }

    /// Cycles of a step of K in the register tiles that take the least time for so much M and N; of pixels in lines
    /// these have even parts of one.
    fn tiles(&self, m: i64, n: i64, lanes: i64, line: Option<i64>) -> f64 {
        let cost = |vectors: i64| {
            let most = ((self.registers() - 1 - vectors) / vectors).max(1);
            let mr = match line {
                Some(line) => even_part(line, most),
                None => ceil_div(m, ceil_div(m, most)),
            };
            (ceil_div(n, vectors * lanes) * ceil_div(m, mr)) as f64 * tile_cycles(self.target, mr, vectors)
        };
        (1..=MAX_NR_VECTORS).map(cost).fold(f64::INFINITY, f64::min)
    }

    /// Vector multiply-adds of a step of K, or loads where there are more of them, in the register tiles that have the
    /// fewest.
    fn tiles_or_loads(&self, m: i64, n_vectors: i64) -> f64 {
        let cost = |vectors: i64| {
            let most = ((self.registers() - 1 - vectors) / vectors).clamp(1, m.max(1));
            let loads = (most + vectors) as f64 / (most * vectors) as f64;
            (ceil_div(n_vectors, vectors) * vectors * m) as f64 * loads.max(1.0)
        };
        (1..=MAX_NR_VECTORS.min(n_vectors.max(1))).map(cost).fold(f64::INFINITY, f64::min)
    }
}
