//! `annotate(block_or_loop, ann_key, ann_val)` and `unannotate(block_or_loop, ann_key)`: plain data on a block or a
//! loop.

use std::sync::Arc;

use tilewright_ir::tir::{PrimFunc, StmtKind};
use tilewright_ir::{Attr, Attrs};

use super::call::{Call, Default, Outcome, Primitive, Results, Value};
use crate::fault::Fault;
use crate::site::Site;

pub(crate) const ANNOTATE: Primitive = Primitive {
    name: "Annotate",
    method: "annotate",
    doc: "Writes plain data on a block or a loop.",
    params: &[("block_or_loop", Default::Required), ("ann_key", Default::Required), ("ann_val", Default::Required)],
    plan: None,
    gives_list: false,
    run: annotate,
};

pub(crate) const UNANNOTATE: Primitive = Primitive {
    name: "Unannotate",
    method: "unannotate",
    doc: "Removes plain data from a block or a loop.",
    params: &[("block_or_loop", Default::Required), ("ann_key", Default::Required)],
    plan: None,
    gives_list: false,
    run: unannotate,
};

fn annotate(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, name) = (call.block_or_loop(0)?, Arc::from(call.text(1)?));
    let value = attr(call.value(2)?)?;
    // The first value of a name stays.
    let function = with_annotations(call.function, &site, |all| {
        all.entry(name).or_insert(value);
    });
    Ok(Outcome::changed(function, Results::Nothing))
}

fn unannotate(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, name) = (call.block_or_loop(0)?, call.text(1)?);
    let mut found = false;
    let function = with_annotations(call.function, &site, |all| found = all.remove(name).is_some());
    if !found {
        return Err(Fault::at(&site, format!("there is no annotation \"{name}\"")));
    }
    Ok(Outcome::changed(function, Results::Nothing))
}

/// The function with other annotations of a block or loop.
pub(super) fn with_annotations(function: &PrimFunc, site: &Site, change: impl FnOnce(&mut Attrs)) -> PrimFunc {
    let mut kind = site.stmt.kind.clone();
    match &mut kind {
        StmtKind::For { annotations, .. } => change(annotations),
        StmtKind::Block { block, .. } => change(&mut block.annotations),
        _ => {}
    }
    PrimFunc { body: site.replaced(kind.into()), ..function.clone() }
}

fn attr(value: &Value) -> Result<Attr, Fault> {
    Ok(match value {
        Value::Attr(attr) => attr.clone(),
        Value::Expr(expr) => Attr::Expr(expr.clone()),
        Value::List(items) => Attr::Array(items.iter().map(attr).collect::<Result<_, _>>()?),
        Value::Site(_) => return Err(Fault::of_call("argument 3: expected plain data, found a handle")),
    })
}
