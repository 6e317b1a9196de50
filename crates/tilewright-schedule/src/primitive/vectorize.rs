//! `vectorize(loop)`: the iterations of a loop run as lanes of vector operations.

use tilewright_ir::tir::ForKind;

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::parallel::with_kind;
use crate::analysis::dependence::check_independent;
use crate::fault::Fault;

pub(crate) const VECTORIZE: Primitive = Primitive {
    name: "Vectorize",
    method: "vectorize",
    doc: "Makes the iterations of a loop the lanes of vector operations.",
    params: &[("loop", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.loop_at(0)?;
    check_independent(call.function, &site, "vectorised")?;
    Ok(Outcome::changed(with_kind(call.function, &site, ForKind::Vectorized)?, Results::Nothing))
}
