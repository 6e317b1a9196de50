//! `add_unit_loop(block_or_loop)`: a loop of one iteration around a block or a loop.

use tilewright_ir::Attrs;
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{Expr, ForKind, PrimFunc, Var};
use tilewright_tensor::DataType;

use super::call::{Call, Default, Outcome, Primitive, Results};
use crate::fault::Fault;
use crate::site::{Key, around, loop_of};

pub(crate) const ADD_UNIT_LOOP: Primitive = Primitive {
    name: "AddUnitLoop",
    method: "add_unit_loop",
    doc: "Puts a loop of one iteration around a block or a loop.",
    params: &[("block_or_loop", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block_or_loop(0)?;
    if site.above.is_empty() {
        return Err(Fault::at(&site, "no loop can be around the root block"));
    }
    let of_loop = loop_of(&site.stmt).map(|l| l.var.dtype);
    let of_block = site.block().and_then(|block| block.iters.first()).map(|iter| iter.var.dtype);
    let dtype = of_loop.or(of_block).unwrap_or(DataType::I64);
    let var = Var::new("u", dtype);
    let key = Key::Loop(var.id());
    let (min, extent) = (Expr::int(0, dtype), Expr::int(1, dtype));
    let unit = around(Loop { var, min, extent, kind: ForKind::Serial, annotations: Attrs::new() }, site.stmt.clone());
    let function = PrimFunc { body: site.replaced(unit), ..call.function.clone() };
    Ok(Outcome::changed(function, Results::One(key)))
}
