//! `decompose_padding(block, loop)`: a block that gives what lies inside of a range, and a constant elsewhere, becomes
//! a block that writes the constant everywhere, in front of a loop, and one that writes what lies inside.

use tilewright_ir::nest::Loop;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{BinOp, Block, Expr, ExprKind, Intrinsic, PrimFunc, Stmt, StmtKind};

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::decompose_reduction::with_own_loops;
use crate::analysis::dependence::{check_affine, has_effects};
use crate::analysis::stages::touches;
use crate::build::exprs::{binary, reads_memory, substituted};
use crate::build::rewrite::{Formula, path_of};
use crate::build::unique::renewed_axes;
use crate::fault::Fault;
use crate::site::{Key, axis_values, loop_of};

pub(crate) const DECOMPOSE_PADDING: Primitive = Primitive {
    name: "DecomposePadding",
    method: "decompose_padding",
    doc: "Writes the constant of a padding first, in front of a loop, and then what is not padding.",
    params: &[("block", Default::Required), ("loop", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, at) = (call.block(0)?, call.loop_at(1)?);
    let formula = Formula::of(&site)?;
    let (block, (values, predicate)) = (site.expect_block()?, site.expect_binding()?);
    let depth = at.above.len();
    let between: Option<Vec<Loop>> = site.above.iter().skip(depth).map(|(stmt, _)| loop_of(stmt)).collect();
    let inside = between.filter(|loops| !loops.is_empty() && path_of(&site).starts_with(&path_of(&at)));
    let inside =
        inside.ok_or_else(|| Fault::at(&at, format!("the loop is not directly around block `{}`", block.name)))?;
    check_affine(call.function, &site)?;
    let (condition, value, constant) = padding(&formula.value).ok_or_else(|| {
        let message = format!("block `{}` does not give a value under a condition, and a constant else", block.name);
        Fault::at(&site, message)
    })?;
    let stores = |value: &Expr| {
        Stmt::store(&formula.buffer, formula.indices.clone(), value)
            .map_err(|mismatch| Fault::at(&site, mismatch.to_string()))
    };
    let evaluated: Stmt = StmtKind::Evaluate(value.clone()).into();
    if has_effects(block) || reads_memory(&condition) || touches(&evaluated, &formula.buffer) {
        let message = format!("whether block `{}` gives the constant depends on memory", block.name);
        return Err(Fault::at(&site, message));
    }
    let with_body = |name: String, body: Stmt| {
        let made = Block { name: name.into(), body, ..block.clone() };
        let found = block_regions(&made);
        Block { reads: found.reads, writes: found.writes, ..made }
    };
    let fill = renewed_axes(&with_body(format!("{}_pad_const", block.name), stores(&constant)?));
    let key = fill.iters.first().map_or_else(|| Key::Bare(fill.name.clone(), 0), |iter| Key::Block(iter.var.id()));
    let fill: Stmt = StmtKind::Block { values: values.to_vec(), predicate: predicate.clone(), block: fill }.into();
    let fill = with_own_loops(&inside, fill);
    let axes = axis_values(block, values);
    let condition = substituted(&condition, &axes);
    let predicate = match predicate.as_int() {
        Some(1) => condition,
        _ => binary(BinOp::And, predicate, &condition)?,
    };
    let inner = with_body(block.name.to_string(), stores(&value)?);
    let inner: Stmt = StmtKind::Block { values: values.to_vec(), predicate, block: inner }.into();
    let function = PrimFunc { body: site.replaced(inner), ..call.function.clone() };
    let at = at.again_in(&function.body)?;
    let body = at.replaced(Stmt::seq([fill, at.stmt.clone()]));
    Ok(Outcome::changed(PrimFunc { body, ..function }, Results::One(key)))
}

/// The condition, the value where it holds, and the constant where it does not.
fn padding(value: &Expr) -> Option<(Expr, Expr, Expr)> {
    let (condition, then, otherwise) = match &value.kind {
        ExprKind::Select { condition, then, otherwise } => (condition, then, otherwise),
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
            [condition, then, otherwise] => (condition, then, otherwise),
            _ => return None,
        },
        _ => return None,
    };
    let is_number = |e: &Expr| matches!(e.kind, ExprKind::Int(_) | ExprKind::Float(_));
    if is_number(otherwise) {
        return Some((condition.clone(), then.clone(), otherwise.clone()));
    }
    is_number(then).then(|| Some((condition.not().ok()?, otherwise.clone(), then.clone())))?
}
