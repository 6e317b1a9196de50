//! `bind(loop, thread)`: the iterations of a loop run on the threads of a GPU that the tag names.

use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{ForKind, PrimFunc, is_thread};

use super::call::{Call, Default, Outcome, Primitive, Results, site_of};
use super::split::plain_loop;
use crate::analysis::dependence::check_independent;
use crate::fault::Fault;
use crate::site::{Key, Site, around, loop_of, search};

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
    check_independent(call.function, &site, "bound to threads")?;
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
    let outer = site.above.iter().any(|(stmt, _)| is_bound_to(loop_of(stmt), tag));
    let inner = search(&body, |stmt, _| is_bound_to(loop_of(stmt), tag).then_some(())).is_some();
    if (outer || inner) && !tag.starts_with("vthread") {
        let side = if outer { "around" } else { "inside of" };
        return Err(Fault::at(site, format!("a loop {side} loop `{}` is bound to `{tag}` already", l.var.name)));
    }
    let bound = around(Loop { kind: ForKind::ThreadBinding(tag.into()), ..l }, body);
    Ok(PrimFunc { body: site.replaced(bound), ..function.clone() })
}

fn is_bound_to(l: Option<Loop>, tag: &str) -> bool {
    l.is_some_and(|l| matches!(l.kind, ForKind::ThreadBinding(bound) if *bound == *tag))
}
