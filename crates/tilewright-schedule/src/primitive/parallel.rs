//! `parallel(loop)`: the iterations of a loop run on any thread, in any order.

use tilewright_ir::tir::{ForKind, PrimFunc};

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::split::plain_loop;
use crate::analysis::dependence::check_independent;
use crate::fault::Fault;
use crate::site::{Site, around};
use tilewright_ir::nest::Loop;

pub(crate) const PARALLEL: Primitive = Primitive {
    name: "Parallel",
    method: "parallel",
    doc: "Shares the iterations of a loop among the cores.",
    params: &[("loop", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.loop_at(0)?;
    check_independent(call.function, &site, "parallel")?;
    Ok(Outcome::changed(with_kind(call.function, &site, ForKind::Parallel)?, Results::Nothing))
}

/// The function with a loop that runs in another way.
pub(super) fn with_kind(function: &PrimFunc, site: &Site, kind: ForKind) -> Result<PrimFunc, Fault> {
    let (l, body) = plain_loop(site)?;
    Ok(PrimFunc { body: site.replaced(around(Loop { kind, ..l }, body)), ..function.clone() })
}
