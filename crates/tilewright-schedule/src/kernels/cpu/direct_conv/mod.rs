//! `direct_conv(block, …)`, with the fields of [`DirectConvPlan`] as arguments: a reduction over windows of images keeps its results in
//! registers, and what follows it is computed on them.
//!
//! A block `out[…, y, x] = out[…, y, x] ⊕ value` reduces over windows where the elements that `value` reads move with
//! `x`, and with axes of the reduction: pools, convolutions of each channel by itself. The loops are these, from
//! outside inwards:
//!
//! ```text
//! for task in parallel(images and, where they divide the rows evenly, bands of rows)
//!   for image of the `images` of a task
//!     what of the padded image the band needs is copied
//!     for `channels` channels of those that read the same elements of the image
//!       for `rows` rows of the band, for a piece of `lanes` columns
//!         the tile: channels * rows vectors of results; all windows, the inner axes of them written out
//!         what follows is computed on the tile
//! ```
//!
//! With `channels` above one an image is that of all channels that have it in common, as those of a group of a
//! convolution do, and its columns are copied so that those that neighbouring windows read at one of their places are
//! neighbours.
//!
//! An element that windows of several rows of the tile have in common is loaded once: the windows' elements come in the
//! order of the rows that they are in, and within a row in the order of the reduction. Where the reduction goes through
//! rows in another order, floats are summed in another one than in the function as it was. The last rows and columns
//! are computed with some of those before them, so that all tiles are whole; where the results are written over what
//! they are computed from, the last columns are masked, and the rows are parts of all. Of images whose size is not known
//! parts are copied that have as many rows and columns as those of a large one, and those of the last tiles that are
//! outside of the image are not stored. Tasks depend on shapes alone.

mod emit;
mod parts;

use tilewright_ir::tir::{PrimFunc, Stmt};

use crate::facts::epilogue::{self, Outputs, Produced};
use crate::facts::exprs::loaded_buffers;
use crate::facts::fault::Fault;
use crate::facts::rewrite::{way, with_block};
use crate::facts::stages::{may_write, nests_behind, own_nest, statements, touches};
use crate::facts::tree::Site;
use crate::primitive::call::{Call, Outcome, Primitive, Results};

use crate::families::window::Windows;
use crate::plan::cpu::direct_conv::DirectConvPlan;
use crate::plan::{Plan, check_range};

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
    if windows.all_columns.is_some() && windows.width % plan.lanes != 0 {
        let (width, lanes) = (windows.width, plan.lanes);
        return Err(Fault::of_call(format!("`lanes` must divide the {width} columns of a strip, found {lanes}")));
    }
    Ok(plan)
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let scope = site.scope().ok_or_else(|| Fault::at(&site, "the root block is in no other"))?;
    let windows = Windows::of(call.function, &site)?;
    let plan = plan_of(call, &windows)?;
    let part = &windows.part;
    let (outputs, behind) = outputs_of(call.function, &site, &scope, &windows)?;
    let kept = kept_in_front(&windows, &site, &scope)?;
    let plan = fitting(plan, &windows, &outputs);
    let name = site.block().map(|block| block.name.clone()).unwrap_or_default();
    let body = emit::windows(call.function, &windows, &plan, &outputs, &name)?;
    let body = Stmt::seq(kept.into_iter().chain([body]).chain(behind));
    let gone = |buffer: &_| {
        *buffer == part.buffer || windows.reads.iter().any(|read| read.stage.is_some() && read.buffer == *buffer)
    };
    let function = with_block(call.function, &way(&scope), |block| {
        block.alloc_buffers.retain(|buffer| !gone(buffer) || touches(&body, buffer));
        block.body = body;
    })?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// What is written of the results of windows of several channels, and what stays behind them as it is: all of it, if something
/// there does not read each result once, at its own axes.
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
        always: true,
        stays,
    };
    let on_tiles =
        nests_behind(site).and_then(|after| epilogue::outputs(function, site, scope, &produced(false), &after));
    let behind: Vec<Stmt> = statements(scope).into_iter().skip(own_nest(site)? + 1).map(|site| site.stmt).collect();
    match on_tiles {
        Ok(outputs) => Ok((outputs, Vec::new())),
        Err(_) if windows.channels.is_some() && !behind.is_empty() => {
            Ok((epilogue::outputs(function, site, scope, &produced(true), &[])?, behind))
        }
        Err(fault) => Err(fault),
    }
}

/// What stands in front of the windows, without the stages that make padded images. Tasks make these when they need
/// them: nothing else may use such an image, and nothing may change what it is made from before the windows are gone
/// through.
fn kept_in_front(windows: &Windows, site: &Site, scope: &Site) -> Result<Vec<Stmt>, Fault> {
    let place = own_nest(site)?;
    let (all, mut gone) = (statements(scope), Vec::new());
    for read in &windows.reads {
        let Some(stage) = &read.stage else { continue };
        let own = own_nest(stage)?;
        gone.push(own);
        for (at, other) in all.iter().enumerate().filter(|(at, _)| ![own, place].contains(at)) {
            if touches(&other.stmt, &read.buffer) {
                return Err(Fault::at(other, format!("`{}` is used here, too", read.buffer.name)));
            }
            let changed = loaded_buffers(&read.formula.value).into_iter().find(|from| may_write(&other.stmt, from));
            if let Some(changed) = changed.filter(|_| (own..place).contains(&at)) {
                let message = format!("`{}`, from which `{}` is made, is written here", changed.name, read.buffer.name);
                return Err(Fault::at(other, message));
            }
        }
    }
    let kept = all.into_iter().enumerate().take(place).filter(|(at, _)| !gone.contains(at));
    Ok(kept.map(|(_, site)| site.stmt).collect())
}

/// The sizes where results may be computed twice, and where they may not. Where it is not known how many rows there are, no
/// tile goes into the next band.
fn fitting(plan: DirectConvPlan, windows: &Windows, outputs: &Outputs) -> DirectConvPlan {
    let of_image = if plan.channels > 1 { windows.channels.as_ref().map_or(1, |channels| channels.group) } else { 1 };
    let images = match windows.outer.size.as_int() {
        Some(count) if count / of_image % plan.images == 0 => plan.images,
        _ => 1,
    };
    if windows.all_rows.is_some() {
        let band = plan.band / plan.rows * plan.rows;
        return DirectConvPlan { images, band, ..plan };
    }
    if !outputs.reads_own() {
        return DirectConvPlan { images, ..plan };
    }
    let rows = (1..=plan.rows).rev().find(|rows| windows.height % rows == 0).unwrap_or(1);
    DirectConvPlan { rows, band: windows.height, images, ..plan }
}
