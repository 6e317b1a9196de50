//! `direct_conv(block, …)`, with the fields of [`DirectConvPlan`] as arguments: a reduction
//! over sliding windows of images has its accumulators in registers, and its epilogue is computed on them.
//!
//! A block `out[…, y, x] = out[…, y, x] ⊕ value` reduces over windows where the indices of the elements that `value`
//! reads depend on `x`, and on axes of the reduction, the taps: pools, depthwise convolutions, direct convolutions. The
//! loops, from outside inwards:
//!
//! ```text
//! for task in parallel(images * blocks of `band` rows, where these divide the rows)
//!   for image of the `images` of a task
//!     the part of the padded image that the block needs is copied, its halo included      image_copy
//!     for `channels` channels of those that read the same elements of the image
//!       for tile of `rows` rows and `lanes` columns of the block
//!         the register tile: channels * rows vectors of accumulators; all taps, the inner axes of them unrolled
//!         the epilogue is computed on the tile
//! ```
//!
//! With `channels` above one an image is that of all channels that share it, as those of a group of a convolution do,
//! and its columns are copied by their phase, modulo the stride, so that the elements that neighbouring windows read at
//! one of their taps are contiguous.
//!
//! An element that windows of several rows of the tile share is loaded once: taps come in the order of the rows that
//! they read, and within a row in the order of the reduction. Where the reduction goes through rows in another order,
//! floats are summed in another one than in the function as it was. The last tiles recompute some rows and columns
//! before them, so that all tiles are whole; where the results are written over what they are computed from, the tail
//! of the columns is masked, and tiles divide the rows. Blocks of images of symbolic size have as many rows and columns
//! as those of a large one, and what the last tiles compute outside of the image is not stored. Tasks depend on shapes
//! alone.
//!
//! Reading order: `cx` (what all files share: blocks, copies), `loops`, `image_copy`, `tile`.

mod cx;
mod image_copy;
mod loops;
mod tile;

use tilewright_ir::tir::{PrimFunc, Stmt};
use tilewright_tir_passes::analyzer_of;

use crate::analysis::epilogue::{self, Outputs, Produced};
use crate::analysis::stages::{may_write, nests_after, own_nest, statements, touches};
use crate::build::exprs::loaded_buffers;
use crate::build::rewrite::{path_of, with_block};
use crate::fault::Fault;
use crate::primitive::call::{Call, Outcome, Primitive, Results};
use crate::site::Site;

use crate::families::window::Windows;
use crate::plan::cpu::direct_conv::DirectConvPlan;
use crate::plan::{Plan, check_range};
use cx::DirectConv;

pub(crate) const DIRECT_CONV: Primitive = Primitive {
    name: "DirectConv",
    method: "direct_conv",
    doc: "Reduces over sliding windows of images tile by tile, each in registers.",
    params: DirectConvPlan::PARAMS,
    plan: Some(DirectConvPlan::DEF),
    gives_list: false,
    run,
};

/// The plan that a call gives, which has to fit the windows.
fn plan_of(call: &Call<'_>, windows: &Windows) -> Result<DirectConvPlan, Fault> {
    let plan = DirectConvPlan::of_call(call)?;
    let group = windows.channels.as_ref().map_or(1, |channels| channels.group);
    check_range("band", plan.band, 1..=windows.height)?;
    check_range("rows", plan.rows, 1..=plan.band)?;
    check_range("channels", plan.channels, 1..=group)?;
    if group % plan.channels != 0 {
        let message = format!("`channels` must divide the {group} that read the same images, found {}", plan.channels);
        return Err(Fault::of_call(message));
    }
    if windows.symbolic_width.is_some() && windows.width % plan.lanes != 0 {
        let (width, lanes) = (windows.width, plan.lanes);
        return Err(Fault::of_call(format!("`lanes` must divide the {width} columns of a block, found {lanes}")));
    }
    Ok(plan)
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let scope = site.expect_scope()?;
    let windows = Windows::of(call.function, &site)?;
    let plan = plan_of(call, &windows)?;
    let part = &windows.part;
    let (outputs, after) = outputs_of(call.function, &site, &scope, &windows)?;
    let before = kept_before(&windows, &site, &scope)?;
    let plan = fitting(plan, &windows, &outputs);
    let name = site.block().map(|block| block.name.clone()).unwrap_or_default();
    let body = DirectConv::new(&windows, &plan, &outputs, analyzer_of(call.function)).tasks(&name)?;
    let body = Stmt::seq(before.into_iter().chain([body]).chain(after));
    let gone = |buffer: &_| {
        *buffer == part.buffer || windows.reads.iter().any(|read| read.stage.is_some() && read.buffer == *buffer)
    };
    let function = with_block(call.function, &path_of(&scope), |block| {
        block.alloc_buffers.retain(|buffer| !gone(buffer) || touches(&body, buffer));
        block.body = body;
    })?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// The outputs, and the statements that stay after the kernel: all that follow windows of several channels, if one of
/// them does not read each result once, at its own axes.
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
        stays,
    };
    let on_tiles =
        nests_after(site).and_then(|nests| epilogue::outputs(function, site, scope, &produced(false), &nests));
    let after: Vec<Stmt> = statements(scope).into_iter().skip(own_nest(site)? + 1).map(|site| site.stmt).collect();
    match on_tiles {
        Ok(outputs) => Ok((outputs, Vec::new())),
        Err(_) if windows.channels.is_some() && !after.is_empty() => {
            Ok((epilogue::outputs(function, site, scope, &produced(true), &[])?, after))
        }
        Err(fault) => Err(fault),
    }
}

/// The statements before the reduction, without the stages that make padded images. Tasks make these when they need
/// them: nothing else may use such an image, and nothing may change what it is made from before the reduction.
fn kept_before(windows: &Windows, site: &Site, scope: &Site) -> Result<Vec<Stmt>, Fault> {
    let windows_at = own_nest(site)?;
    let (all, mut gone) = (statements(scope), Vec::new());
    for read in &windows.reads {
        let Some(stage) = &read.stage else { continue };
        let own = own_nest(stage)?;
        gone.push(own);
        for (at, other) in all.iter().enumerate().filter(|(at, _)| ![own, windows_at].contains(at)) {
            if touches(&other.stmt, &read.buffer) {
                return Err(Fault::at(other, format!("`{}` is used here, too", read.buffer.name)));
            }
            let changed = loaded_buffers(&read.formula.value).into_iter().find(|from| may_write(&other.stmt, from));
            if let Some(changed) = changed.filter(|_| (own..windows_at).contains(&at)) {
                let message = format!("`{}`, from which `{}` is made, is written here", changed.name, read.buffer.name);
                return Err(Fault::at(other, message));
            }
        }
    }
    let kept = all.into_iter().enumerate().take(windows_at).filter(|(at, _)| !gone.contains(at));
    Ok(kept.map(|(_, site)| site.stmt).collect())
}

/// The plan, fitted to whether results may be computed twice. Where the height is symbolic, no tile reaches into the
/// next block.
fn fitting(plan: DirectConvPlan, windows: &Windows, outputs: &Outputs) -> DirectConvPlan {
    let of_image = if plan.channels > 1 { windows.channels.as_ref().map_or(1, |channels| channels.group) } else { 1 };
    let images = match windows.outer.size.as_int() {
        Some(count) if count / of_image % plan.images == 0 => plan.images,
        _ => 1,
    };
    if windows.symbolic_height.is_some() {
        let band = plan.band / plan.rows * plan.rows;
        return DirectConvPlan { images, band, ..plan };
    }
    if !outputs.reads_own() {
        return DirectConvPlan { images, ..plan };
    }
    let rows = (1..=plan.rows).rev().find(|rows| windows.height % rows == 0).unwrap_or(1);
    DirectConvPlan { rows, band: windows.height, images, ..plan }
}
