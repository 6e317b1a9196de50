//! `set_scope(block, buffer_index, storage_scope)`: the memory of a temporary that a block writes is of another sort.

use tilewright_ir::tir::{PrimFunc, Scope};

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::compute_inline::check_temporary;
use crate::build::rewrite::with_buffer;
use crate::fault::Fault;

pub(crate) const SET_SCOPE: Primitive = Primitive {
    name: "SetScope",
    method: "set_scope",
    doc: "Puts a temporary into another sort of memory.",
    params: &[("block", Default::Required), ("buffer_index", Default::Required), ("storage_scope", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let buffer = call.written(&site, 1)?;
    let name = call.text(2)?;
    let scope = Scope::named(name).ok_or_else(|| Fault::at(&site, format!("there is no memory `{name}`")))?;
    let around = site.expect_scope()?;
    if let Some(block) = around.block() {
        check_temporary(&site, block, &buffer)?;
    }
    if buffer.scope == scope {
        return Ok(Outcome::changed(call.function.clone(), Results::Nothing));
    }
    let name = format!("{}_{name}", buffer.name);
    let other = buffer.derive(|node| (node.scope, node.name) = (scope, name.into()));
    let body = with_buffer(&call.function.body, &buffer, &other);
    Ok(Outcome::changed(PrimFunc { body, ..call.function.clone() }, Results::Nothing))
}
