//! `enter_postproc()`: a mark in the trace. What follows it finishes what was drawn before, and can be left out.

use super::call::{Call, Outcome, Primitive, Results};
use crate::fault::Fault;

pub(crate) const ENTER_POSTPROC: Primitive = Primitive {
    name: "EnterPostproc",
    method: "enter_postproc",
    doc: "Marks the trace: what follows finishes what was drawn before.",
    params: &[],
    plan: None,
    gives_list: false,
    run,
};

fn run(_: &Call<'_>) -> Result<Outcome, Fault> {
    Ok(Outcome::found(Results::Nothing))
}
