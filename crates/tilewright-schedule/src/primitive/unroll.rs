//! `unroll(loop)`: the iterations of a loop are written out one after the other. The extent is a constant.

use tilewright_ir::tir::ForKind;

use super::parallel::with_kind;
use super::{Call, Default, Fault, Outcome, Primitive, Results};
use crate::tree::loop_of;

pub(super) const UNROLL: Primitive = Primitive {
    name: "Unroll",
    method: "unroll",
    doc: "Writes out the iterations of a loop.",
    params: &[("loop", Default::Required)],
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
