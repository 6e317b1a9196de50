//! `get_loops(block)`: the loops around a block as far as the next block around it, from outside inwards.

use super::call::{Call, Default, Outcome, Primitive, Results};
use crate::fault::Fault;
use crate::site::Key;

pub(crate) const GET_LOOPS: Primitive = Primitive {
    name: "GetLoops",
    method: "get_loops",
    doc: "The loops around a block, from outside inwards.",
    params: &[("block", Default::Required)],
    plan: None,
    gives_list: true,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let loops = call.block(0)?.loops();
    Ok(Outcome::found(Results::List(loops.iter().map(|l| Key::Loop(l.var.id())).collect())))
}
