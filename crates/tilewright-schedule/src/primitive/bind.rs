//! `bind(loop, thread)`: the iterations of a loop run on the threads of a GPU that the tag names.

use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{ForKind, PrimFunc, is_thread};

use super::call::{Call, Default, Outcome, Primitive, Results, site_of};
use super::split::plain_loop;
use crate::analysis::dependence::{check_threads, driven_axes};
use crate::fault::Fault;
use crate::site::{Key, Site, around, blocks_below};

pub(crate) const BIND: Primitive = Primitive {
    name: "Bind",
    method: "bind",
    doc: "Gives the iterations of a loop to the threads of a GPU that the tag names.",
    params: &[("loop", Default::Required), ("thread_axis", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, tag) = (call.loop_at(0)?, call.text(1)?);
    let function = bound(call.function, &site, tag)?;
    check_threads(call.function, &site, tag)?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// Binds a loop whose iterations are known to be independent to the threads of a tag such as `threadIdx.x`.
pub(crate) fn bind_independent(function: &PrimFunc, key: &Key, tag: &str) -> Result<PrimFunc, Fault> {
    let site = site_of(function, key)?;
    bound(function, &site, tag)
}

fn bound(function: &PrimFunc, site: &Site, tag: &str) -> Result<PrimFunc, Fault> {
    if !is_thread(tag) {
        return Err(Fault::at(
            site,
            format!("`{tag}` names no threads: expected a tag such as blockIdx.x or threadIdx.y"),
        ));
    }
    let (l, body) = plain_loop(site)?;
    if !tag.starts_with("vthread") {
        check_same_threads(site, &l, tag)?;
    }
    let bound = around(Loop { kind: ForKind::ThreadBinding(tag.into()), ..l }, body);
    Ok(PrimFunc { body: site.replaced(bound), ..function.clone() })
}

/// Loops inside of each other that share their threads have the same number of iterations, of which each thread takes
/// one of each: no block may go by both.
fn check_same_threads(site: &Site, l: &Loop, tag: &str) -> Result<(), Fault> {
    for inner in &blocks_below(site) {
        let around: Vec<Loop> = inner.loops().into_iter().filter(|other| is_bound_to(other, tag)).collect();
        if let Some(other) = around.iter().find(|other| !other.extent.equal(&l.extent)) {
            let message = format!(
                "loop `{}` has `{tag}` already, and another number of iterations than loop `{}`",
                other.var.name, l.var.name
            );
            return Err(Fault::at(site, message));
        }
        let (Some(block), Some((values, _))) = (inner.block(), inner.binding()) else { continue };
        let drives = |l: &Loop| !driven_axes(block, values, std::slice::from_ref(&l.var)).is_empty();
        if let Some(other) = around.iter().find(|other| drives(other) && drives(l)) {
            let message = format!(
                "loop `{}` has `{tag}` already, and block `{}` goes by both loops: a thread would skip instances",
                other.var.name, block.name
            );
            return Err(Fault::at(site, message));
        }
    }
    Ok(())
}

fn is_bound_to(l: &Loop, tag: &str) -> bool {
    matches!(&l.kind, ForKind::ThreadBinding(bound) if **bound == *tag)
}
