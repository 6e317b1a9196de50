//! `unroll(loop)`: the iterations of a loop are written out one after the other. The extent is a constant.

use tilewright_ir::tir::ForKind;

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::parallel::with_kind;
use crate::fault::Fault;
use crate::site::loop_of;

pub(crate) const UNROLL: Primitive = Primitive {
    name: "Unroll",
    method: "unroll",
    doc: "Writes out the iterations of a loop.",
    params: &[("loop", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.loop_at(0)?;
    if loop_of(&site.stmt).is_none_or(|l| l.extent.as_int().is_none()) {
        return Err(Fault::at(&site, "a loop that is unrolled has a constant extent"));
    }
    Ok(Outcome::changed(with_kind(call.function, &site, ForKind::Unrolled)?, Results::Nothing))
}
