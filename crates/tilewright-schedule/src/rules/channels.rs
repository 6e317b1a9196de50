//! `channels`: convolutions of small images, turned around.
//!
//! Where the pixels of an image are the columns, as its results lie in memory, the last vectors of a small image are mostly
//! empty, and each element of a window is copied beside its neighbours for the few channels of its group. Where channels
//! are, vectors are full, weights lie ready in panels, and pixels are read where they are. So the sums become a temporary
//! whose channels are neighbours in memory; `product` does the rest, and a stage behind it turns the results. This is for
//! groups of about a vector of channels, and for windows of images whose channels are no groups.

use tilewright_ir::tir::{Expr, PrimFunc, Var};
use tilewright_ir::{Attr, IndexMap};
use tilewright_target::Target;
use tilewright_tensor::DataType;

use super::accesses::gone;
use super::calls::{int, text};
use super::fallback::{self, attempt};
use super::product::{PRODUCT, heavy_stage, is_same};
use super::registers::{even_part, lane_counts};
use super::tasks::tile_cost;
use super::tiling::copy_cost;
use super::{Declined, Rule};
use crate::Schedule;
use crate::facts::exprs::mentions;
use crate::facts::size::ceil_div;
use crate::families::contraction::{Contraction, is_constant};
use crate::primitive::{CACHE_WRITE, COMPUTE_INLINE, TRANSFORM_LAYOUT};
use crate::trace::{Arg, Rv};

pub(super) const CHANNELS: Rule = Rule {
    name: "channels",
    doc: "A convolution of small images with constant weights: channels take the place of pixels in vectors.",
    apply,
};

/// What the turned product costs at most, to what it costs as it is: each tile divides to find its pixels.
const LESS: f64 = 0.72;
/// The same where no tile divides: then it is faster wherever it costs no more.
const LESS_OF_MANY: f64 = 0.97;
/// Multiplications of vectors in whose time an element of a window is copied, and a vector of results is turned.
const COPY: f64 = 0.5;
const TURN: f64 = 12.0;
/// The same for a vector of results of groups, which may be neighbours of each other, and for a weight that tasks of groups copy.
const TURN_GROUPS: f64 = 48.0;
const COPY_WEIGHT: f64 = 0.4;
/// The most vectors of a register tile that are compared.
const VECTORS: i64 = 8;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let heavy = heavy_stage(schedule)?;
    let (function, site) = schedule.site(heavy).ok_or_else(gone)?;
    let c = Contraction::of(function, &site).map_err(|fault| Declined::because(fault.message))?;
    if !is_constant(function, &c.a) || !c.out.dtype.is_float() {
        return Err(Declined::because("it is no convolution with constant weights"));
    }
    if !costs(&c, target).is_some_and(|costs| costs.pays()) {
        return Err(Declined::because("the product is as fast the way its results lie in memory"));
    }
    let map = channels_innermost(&c).ok_or_else(|| Declined::because("channels have no dimension of their own"))?;
    let root = function.root_block().ok_or_else(gone)?;
    if !root.alloc_buffers.contains(&c.out) {
        schedule.call(&CACHE_WRITE, vec![Arg::Rv(heavy), int(0), text("global")])?;
    }
    let none = Arg::Attr(Attr::None);
    let args = vec![Arg::Rv(heavy), int(0), Arg::Attr(Attr::IndexMap(map)), none, Arg::Attr(Attr::Bool(false))];
    schedule.call(&TRANSFORM_LAYOUT, args)?;
    turn_behind(schedule, target, heavy)?;
    (PRODUCT.apply)(schedule, target)
}

/// The stages behind the product become one, which turns its results.
fn turn_behind(schedule: &mut Schedule, target: &Target, heavy: Rv) -> Result<(), Declined> {
    let mut stages = schedule.stages()?;
    let at = stages.iter().position(|&stage| is_same(schedule, stage, heavy)).ok_or_else(gone)?;
    for stage in stages.split_off(at).into_iter().skip(1) {
        if !attempt(schedule, |schedule| Ok(schedule.on_block(&COMPUTE_INLINE, stage)?)) {
            fallback::stage(schedule, target, stage)?;
        }
    }
    Ok(())
}

/// The result's dimensions in another order: that of channels is the innermost one.
fn channels_innermost(c: &Contraction) -> Option<IndexMap> {
    let channels: Vec<Var> = c.m.axes.iter().map(|axis| axis.var.clone()).collect();
    let places: Vec<Var> = (0..c.indices.len()).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect();
    let of_channels = |at: &usize| c.indices.get(*at).is_some_and(|index| mentions(index, &channels));
    let (inner, outer): (Vec<usize>, Vec<usize>) = (0..places.len()).partition(of_channels);
    let order = outer.iter().chain(&inner).filter_map(|&at| places.get(at)).map(Expr::var).collect();
    if inner.is_empty() || outer.is_empty() { None } else { IndexMap::new(places, order).ok() }
}

/// What the product costs as it is, and turned around where that may pay: multiplications of vectors for each place of the
/// depth, and the part of the first that the second has at most.
struct Costs {
    as_it_is: f64,
    turned: f64,
    less: f64,
}

impl Costs {
    fn pays(&self) -> bool {
        self.turned <= self.as_it_is * self.less
    }
}

/// What a convolution costs as a product, the way that it is computed by rules of products: multiplications of vectors for
/// each place of the depth of a group.
pub(super) fn least_cost(c: &Contraction, function: &PrimFunc, target: &Target) -> Option<f64> {
    let turned = costs(c, target).filter(|costs| is_constant(function, &c.a) && costs.pays());
    turned.map(|costs| costs.turned).or_else(|| as_it_is(c, target, copy_cost(c)))
}

/// The product as it is, by the register tiles that take the least time, where to copy an element of a window costs so much.
fn as_it_is(c: &Contraction, target: &Target, copy: f64) -> Option<f64> {
    let [channels, pixels, _] = sizes(c)?;
    let counts = lane_counts(target, u32::from(c.out.dtype.bits), false);
    let &lanes = counts.first()?;
    let registers = i64::from(target.limits.vector_registers);
    let of_lanes = |&own: &i64| in_tiles((channels, pixels), own, registers, None) * own as f64 / lanes as f64;
    Some(counts.iter().map(of_lanes).fold(f64::INFINITY, f64::min) + pixels as f64 * copy)
}

/// What both ways cost where turning may pay.
fn costs(c: &Contraction, target: &Target) -> Option<Costs> {
    let groups: Vec<Var> = c.batch.axes.iter().map(|axis| axis.var.clone()).collect();
    if !c.needs_im2col() {
        return None;
    }
    if mentions(&c.a, &groups) {
        return costs_in_groups(c, target).or_else(|| costs_of_many_in_groups(c, target));
    }
    // Pixels that no border surrounds are neighbours, read as fast as they lie.
    let slides = c.k.axes.iter().skip(1).any(|axis| axis.extent.as_int() != Some(1));
    if slides { costs_of_many(c, target, TURN) } else { None }
}

/// Of groups of about a vector of channels.
fn costs_in_groups(c: &Contraction, target: &Target) -> Option<Costs> {
    let [channels, pixels, depth] = sizes(c)?;
    let lanes = i64::from(target.vector_bits / u32::from(c.out.dtype.bits.max(1))).max(1);
    // Copies of pixels pay where several vectors of channels use them.
    if channels > lanes || 2 * channels <= lanes || pixels < 2 {
        return None;
    }
    let registers = i64::from(target.limits.vector_registers);
    let as_it_is = tiles(channels, ceil_div(pixels, lanes), registers) + pixels as f64 * COPY;
    let turned = tiles(pixels, 1, registers) + pixels as f64 * TURN / depth as f64;
    Some(Costs { as_it_is, turned, less: LESS })
}

/// Of groups of many channels, as the phases of a transposed convolution are.
fn costs_of_many_in_groups(c: &Contraction, target: &Target) -> Option<Costs> {
    let [channels, ..] = sizes(c)?;
    let costs = costs_of_many(c, target, TURN_GROUPS)?;
    Some(Costs { as_it_is: costs.as_it_is + channels as f64 * COPY_WEIGHT, ..costs })
}

/// Of many channels, where to turn a vector of results costs so much.
fn costs_of_many(c: &Contraction, target: &Target, turn: f64) -> Option<Costs> {
    let [channels, pixels, depth] = sizes(c)?;
    let line = c.n.axes.last().and_then(|axis| axis.extent.as_int()).unwrap_or(0);
    let counts = lane_counts(target, u32::from(c.out.dtype.bits), false);
    let &lanes = counts.first()?;
    if c.out.dtype != DataType::F32 || channels < 2 * lanes || pixels < lanes || line < 1 {
        return None;
    }
    let registers = i64::from(target.limits.vector_registers);
    let turning = (pixels * ceil_div(channels, lanes)) as f64 * turn / depth as f64;
    let turned = in_tiles((pixels, channels), lanes, registers, Some(line)) + turning;
    Some(Costs { as_it_is: as_it_is(c, target, COPY)?, turned, less: LESS_OF_MANY })
}

/// Channels of a group, pixels, and places of the depth.
fn sizes(c: &Contraction) -> Option<[i64; 3]> {
    let there = |size: &Expr| size.as_int().filter(|&size| size > 0);
    Some([there(&c.m.size)?, there(&c.n.size)?, there(&c.k.size)?])
}

/// Multiplications of vectors in the register tiles that take the least time for so many rows and columns; of pixels in lines
/// these have even parts of one.
fn in_tiles((rows, columns): (i64, i64), lanes: i64, registers: i64, line: Option<i64>) -> f64 {
    let cost = |vectors: i64| {
        let most = ((registers - 1 - vectors) / vectors).max(1);
        let tile = match line {
            Some(line) => even_part(line, most),
            None => ceil_div(rows, ceil_div(rows, most)),
        };
        (ceil_div(columns, vectors * lanes) * ceil_div(rows, tile)) as f64 * tile_cost(tile, vectors)
    };
    (1..=VECTORS).map(cost).fold(f64::INFINITY, f64::min)
}

/// Multiplications of vectors, or where there are more of them loads, in the register tiles that have the fewest.
fn tiles(rows: i64, all_vectors: i64, registers: i64) -> f64 {
    let cost = |vectors: i64| {
        let most = ((registers - 1 - vectors) / vectors).clamp(1, rows.max(1));
        let loads = (most + vectors) as f64 / (most * vectors) as f64;
        (ceil_div(all_vectors, vectors) * vectors * rows) as f64 * loads.max(1.0)
    };
    (1..=VECTORS.min(all_vectors.max(1))).map(cost).fold(f64::INFINITY, f64::min)
}
