//! `windows`: reductions over windows of images, such as pooling and depthwise convolution.
//!
//! The images, one for each index outside of the windows, are shared among threads. Padding is added to a
//! copy of the image in the cache, so that windows need no bounds conditions. Where columns of an image are contiguous
//! in memory, tiles of a few rows of vectors stay in registers until what follows is computed (`direct_conv`);
//! elsewhere the results of a piece of a line do, while the loops of the window run around them.
//!
//! | candidate | for |
//! |---|---|
//! | `windows_in_tiles` | images whose columns are neighbours in memory |
//! | `windows_by_images` | all others |

use tilewright_expr::node::{walk, walk_some};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, IterKind, IterVar, StmtKind, Var};
use tilewright_target::Target;

use super::candidate::{Candidate, Offer};
use super::nests::{PlainNest, gone, heavy_stage};
use super::{Declined, MAIN, Offers, Rule, contiguous_reduction, inline};
use crate::Schedule;
use crate::build::exprs::{mentions, reads_memory};
use crate::families::window::Windows;
use crate::kernels::cpu::direct_conv::DIRECT_CONV;
use crate::plan::Cost;
use crate::plan::cpu::direct_conv::depthwise::{self, MAX_WINDOW};
use crate::plan::cpu::work;

pub(super) const WINDOWS: Rule = Rule {
    name: "windows",
    doc: "One reduction over windows with what pads its images and what is computed from its results: image by image.",
    kernels: &[TILES, IMAGES],
    offers: Offers::Several(offer),
};

/// The candidates: tiles of results in registers, and images in the forms of rows and columns.
const TILES: &str = "windows_in_tiles";
const IMAGES: &str = "windows_by_images";

fn offer<'a>(start: &'a Schedule, target: &'a Target) -> Result<Offer<'a>, Declined> {
    let mut schedule = start.clone();
    inline::cheap_temporaries(&mut schedule)?;
    let function = schedule.module().prim(MAIN).ok_or_else(gone)?;
    let (work, partial_results) = (work::cost(function, target), work::partial_results(function, target));
    let mut offer = Offer::default();
    offer.add(TILES, in_tiles(schedule.clone(), target, work.clone()));
    let cost = work.with("partial results", partial_results);
    let images = Candidate::new(IMAGES, Some(cost), move || {
        image_by_image(&mut schedule, target)?;
        Ok(schedule)
    });
    offer.add(IMAGES, Ok(images));
    Ok(offer)
}

/// A direct convolution of the only stage that reduces.
fn in_tiles<'a>(mut schedule: Schedule, target: &Target, work: Cost) -> Result<Candidate<'a>, Declined> {
    let block = heavy_stage(&mut schedule)?;
    let (function, site) = schedule.site(block).ok_or_else(gone)?;
    let windows = Windows::of(function, &site)?;
    let plan = depthwise::choose(&windows, target)?;
    let build = move || {
        schedule.build(&DIRECT_CONV, block, &plan)?;
        Ok(schedule)
    };
    Ok(Candidate::new(TILES, Some(work), build))
}

/// What has no tiles: stages of images, in the forms of rows and columns.
fn image_by_image(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let stages = schedule.stages()?;
    let nests = stages.iter().map(|&block| PlainNest::of(schedule, block)).collect::<Result<Vec<_>, _>>()?;
    let reductions: Vec<&PlainNest> = nests.iter().filter(|nest| !nest.is_spatial()).collect();
    let ([reduction], Some(last)) = (reductions.as_slice(), nests.last()) else {
        return Err(Declined::because("there is not one reduction"));
    };
    let windows = window_dims(reduction).ok_or_else(|| Declined::because("the reduction is not over windows"))?;
    let result = reduction.writes.first().map(|write| write.buffer.clone());
    let result = result.ok_or_else(|| Declined::because("the reduction writes nothing"))?;
    let rows = outside_of(last, &result, &windows);
    if rows.is_empty() {
        return Err(Declined::because("there is one image"));
    }
    contiguous_reduction::row_by_row(schedule, target, &nests, last, &rows)
}

/// The dimensions of the result along which windows lie: their axes stand in an index together with axes of the
/// reduction.
fn window_dims(nest: &PlainNest) -> Option<Vec<usize>> {
    let axes = |kind: IterKind| -> Vec<Var> {
        let wide = |iter: &&IterVar| iter.kind == kind && iter.domain.extent.as_int() != Some(1);
        nest.nest.block.iters.iter().filter(wide).map(|iter| iter.var.clone()).collect()
    };
    let (spatial, reduced) = (axes(IterKind::Spatial), axes(IterKind::Reduce));
    let mut sliding: Vec<Var> = Vec::new();
    walk_some(&nest.nest.block.body, |node| {
        let Some(ExprKind::Load { indices, .. }) = node.downcast::<Expr>().map(|e| &e.kind) else { return true };
        // Places that are found in memory are in no line.
        for index in indices.iter().filter(|index| !reads_memory(index) && mentions(*index, &reduced)) {
            sliding.extend(spatial.iter().filter(|axis| mentions(index, std::slice::from_ref(axis))).cloned());
        }
        false
    });
    let indices = stored_indices(nest)?;
    let dims: Vec<usize> =
        (0..indices.len()).filter(|&at| indices.get(at).is_some_and(|i| mentions(i, &sliding))).collect();
    let own: Vec<usize> = (0..nest.loops.len()).filter(|&at| nest.kinds.get(at) == Some(&IterKind::Reduce)).collect();
    let small = nest.iterations(&own).is_some_and(|count| count <= MAX_WINDOW);
    (!dims.is_empty() && small).then_some(dims)
}

fn stored_indices(nest: &PlainNest) -> Option<Vec<Expr>> {
    match &nest.nest.block.body.kind {
        StmtKind::Store { indices, .. } => Some(indices.clone()),
        _ => None,
    }
}

/// The loops of the last stage that do not go along windows.
fn outside_of(last: &PlainNest, result: &Buffer, windows: &[usize]) -> Vec<usize> {
    let mut along: Vec<Var> = Vec::new();
    let mut see = |indices: &[Expr]| {
        for index in windows.iter().filter_map(|&dim| indices.get(dim)) {
            walk(index, |var: &Var| along.push(var.clone()));
        }
    };
    walk(&last.nest.block.body, |e: &Expr| match &e.kind {
        ExprKind::Load { buffer, indices, .. } if buffer == result => see(indices),
        _ => {}
    });
    let axes = last.nest.block.iters.iter().zip(&last.nest.values);
    let inside: Vec<&Expr> = axes.filter(|(iter, _)| along.contains(&iter.var)).map(|(_, value)| value).collect();
    let outside = |at: &usize| {
        let Some(l) = last.loops.get(*at) else { return false };
        let names = inside.iter().any(|value| mentions(*value, std::slice::from_ref(&l.var)));
        !names && l.extent.as_int() != Some(1) && last.kinds.get(*at) == Some(&IterKind::Spatial)
    };
    (0..last.loops.len()).filter(outside).collect()
}
