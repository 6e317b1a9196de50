//! `cache_write(block, write_buffer_index, storage_scope)`: what a block writes goes to other memory, and is copied
//! from there when the outermost loop around the block has ended.

use tilewright_ir::tir::{Buffer, PrimFunc, Range, Scope, Stmt};

use super::call::{Call, Default, Outcome, Primitive, Results, site_of};
use crate::analysis::guard::known_around;
use crate::analysis::required::{cache_of, copy_block, outermost_free};
use crate::analysis::stages::{reads, scope_stages, touches, writes};
use crate::analysis::written::written_exactly;
use crate::build::rewrite::{path_of, with_block, with_buffer};
use crate::fault::Fault;
use crate::site::Site;

pub(crate) const CACHE_WRITE: Primitive = Primitive {
    name: "CacheWrite",
    method: "cache_write",
    doc: "Lets a block write to other memory, from where it is copied.",
    params: &[
        ("block", Default::Required),
        ("write_buffer_index", Default::Required),
        ("storage_scope", Default::Required),
    ],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let buffer = call.written(&site, 1)?;
    let memory = call.text(2)?;
    let memory = Scope::named(memory).ok_or_else(|| Fault::at(&site, format!("there is no memory `{memory}`")))?;
    let scope = site.expect_scope()?;
    let outer = outermost_free(&site, |_| false);
    check_alone(&site, &outer, &buffer)?;
    let region = written_exactly(call.function, &site, &outer, &buffer)?;
    check_same_region(call.function, &site, &outer, &buffer, &region)?;
    let cache = cache_of(&buffer, &memory);
    let mut known = known_around(call.function, &outer);
    let (copy, key) = copy_block(&mut known, &cache, &buffer, &cache.name, &region)?;
    let cached = with_buffer(&outer.stmt, &buffer, &cache);
    let body = outer.replaced(Stmt::seq([cached, copy]));
    let function = PrimFunc { body, ..call.function.clone() };
    let function = with_block(&function, &path_of(&scope), |block| block.alloc_buffers.push(cache))?;
    site_of(&function, &key)?;
    Ok(Outcome::changed(function, Results::One(key)))
}

/// Only statements inside of the outermost loop write the buffer, and none of them reads what was there before.
fn check_alone(site: &Site, outer: &Site, buffer: &Buffer) -> Result<(), Fault> {
    let here = path_of(outer);
    let (inside, others): (Vec<Site>, Vec<Site>) =
        scope_stages(site)?.into_iter().partition(|stage| path_of(stage).starts_with(&here));
    if let Some(other) = others.iter().find(|stage| writes(stage, buffer)) {
        return Err(Fault::at(other, format!("`{}` is written by this block, too", buffer.name)));
    }
    let first = inside.iter().find(|stage| touches(&stage.stmt, buffer));
    match first {
        Some(first) if reads(first, buffer) => {
            Err(Fault::at(first, format!("the block reads elements of `{}` that were there before", buffer.name)))
        }
        _ => Ok(()),
    }
}

/// What else inside of the outermost loop writes the buffer, such as an init, writes the same box.
fn check_same_region(
    function: &PrimFunc,
    site: &Site,
    outer: &Site,
    buffer: &Buffer,
    region: &[Range],
) -> Result<(), Fault> {
    let known = known_around(function, outer);
    let same = |a: &Range, b: &Range| known.prove_equal(&a.min, &b.min) && known.prove_equal(&a.extent, &b.extent);
    for other in scope_stages(site)? {
        let is_inside = path_of(&other).starts_with(&path_of(outer)) && path_of(&other) != path_of(site);
        if !is_inside || !writes(&other, buffer) {
            continue;
        }
        let written = written_exactly(function, &other, outer, buffer)?;
        if !written.iter().zip(region).all(|(a, b)| same(a, b)) {
            return Err(Fault::at(&other, format!("the block writes other elements of `{}`", buffer.name)));
        }
    }
    Ok(())
}
