//! `fuse(loops, preserve_unit_iters)`: loops one directly inside the other become one over all of their iterations.
//!
//! `for i, j in T.grid(n, m)` becomes `for i_j_fused in range(n * m)` with `i = i_j_fused // m` and `j = i_j_fused %
//! m`.

use tilewright_arith::Analyzer;
use tilewright_ir::Attrs;
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{BinOp, Expr, ForKind, PrimFunc, Stmt, Var};
use tilewright_tensor::DataType;

use super::call::{Call, Default, Outcome, Primitive, Results, site_of};
use super::split::plain_loop;
use crate::analysis::guard::{known_around, known_but_units, simplified};
use crate::build::exprs::{binary, mentions, substituted, typed};
use crate::fault::Fault;
use crate::site::{Key, Site, around, loop_of};

pub(crate) const FUSE: Primitive = Primitive {
    name: "Fuse",
    method: "fuse",
    doc: "Makes one loop of several that stand one inside the other.",
    params: &[("*loops", Default::Required), ("preserve_unit_iters", Default::Bool(true))],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (function, fused) = fuse_loops(call.function, &call.loops(0)?, call.flag(1)?)?;
    Ok(Outcome::changed(function, Results::One(fused)))
}

/// Fuses loops, given from outside inwards.
pub(crate) fn fuse(function: &PrimFunc, loops: &[Key]) -> Result<(PrimFunc, Key), Fault> {
    fuse_loops(function, loops, true)
}

fn fuse_loops(function: &PrimFunc, keys: &[Key], keep_units: bool) -> Result<(PrimFunc, Key), Fault> {
    let Some(first) = keys.first() else { return Err(Fault::of_call("expected at least one loop to fuse")) };
    let site = site_of(function, first)?;
    let (loops, body) = nest_of(function, &site, keys)?;
    let known = known_around(function, &site);
    let dtype = index_type(&loops);
    let mut extents = Vec::with_capacity(loops.len());
    for l in &loops {
        extents.push(typed(l.extent.cast(dtype))?);
    }
    let name = loops.iter().map(|l| &*l.var.name).collect::<Vec<_>>().join("_");
    let fused = Var::new(format!("{name}_fused"), dtype);
    let values = positions(&known, &fused, &loops, &extents)?;
    let one = Expr::int(1, dtype);
    let extent = extents.iter().try_fold(one, |product, extent| binary(BinOp::Mul, &product, extent))?;
    let body = substituted(&body, &values);
    let extent = known.simplify(&extent);
    let l =
        Loop { var: fused.clone(), min: Expr::int(0, dtype), extent, kind: ForKind::Serial, annotations: Attrs::new() };
    let mut known = if keep_units { known_but_units(function, &site) } else { known };
    let nest = simplified(&mut known, &around(l, body), keep_units);
    Ok((PrimFunc { body: site.replaced(nest), ..function.clone() }, Key::Loop(fused.id())))
}

/// The loops, each the only statement in the one before, with bounds that do not depend on each other; and what is
/// inside.
fn nest_of(function: &PrimFunc, site: &Site, keys: &[Key]) -> Result<(Vec<Loop>, Stmt), Fault> {
    let mut loops: Vec<Loop> = Vec::with_capacity(keys.len());
    let (mut here, mut inside) = (site.clone(), None);
    for (at, key) in keys.iter().enumerate() {
        if at > 0 {
            here = here.child(0).ok_or_else(|| Fault::at(site, "the loops are not one inside the other"))?;
        }
        let (l, body) = match plain_loop(&here) {
            Ok(found) if Key::Loop(found.0.var.id()) == *key => found,
            Err(fault) if loop_of(&here.stmt).is_some_and(|l| Key::Loop(l.var.id()) == *key) => return Err(fault),
            _ => {
                let wanted = site_of(function, key)?;
                let message = "the loop is not the only statement directly inside of the one before it";
                return Err(Fault::at(&wanted, message));
            }
        };
        let vars: Vec<Var> = loops.iter().map(|l| l.var.clone()).collect();
        if mentions(&l.min, &vars) || mentions(&l.extent, &vars) {
            return Err(Fault::at(
                &here,
                format!("the bounds of loop `{}` depend on a loop that it is fused with", l.var.name),
            ));
        }
        loops.push(l);
        inside = Some(body);
    }
    inside.map(|body| (loops, body)).ok_or_else(|| Fault::at(site, "expected at least one loop to fuse"))
}

/// The widest type of the loops; 64 bits where their product does not fit into 32.
fn index_type(loops: &[Loop]) -> DataType {
    let wide = loops.iter().any(|l| l.var.dtype.bits > 32);
    let product = loops.iter().try_fold(1i64, |product, l| product.checked_mul(l.extent.as_int()?.max(1)));
    let large = product.is_none_or(|product| product > i64::from(i32::MAX));
    let constant = loops.iter().all(|l| l.extent.as_int().is_some());
    match loops.first() {
        Some(l) if !(wide || constant && large) => l.var.dtype,
        _ => DataType::I64,
    }
}

/// What the loops' variables are in terms of the fused one.
fn positions(known: &Analyzer, fused: &Var, loops: &[Loop], extents: &[Expr]) -> Result<Vec<(Var, Expr)>, Fault> {
    let mut values = Vec::with_capacity(loops.len());
    // Iterations of the loops inside.
    let mut step = Expr::int(1, fused.dtype);
    for (at, (l, extent)) in loops.iter().zip(extents).enumerate().rev() {
        let below = step.clone();
        step = known.simplify(&binary(BinOp::Mul, &step, extent)?);
        let mut value = Expr::var(fused);
        if at > 0 {
            value = binary(BinOp::FloorMod, &value, &step)?;
        }
        if below.as_int() != Some(1) {
            value = binary(BinOp::FloorDiv, &value, &below)?;
        }
        let value = typed(value.cast(l.var.dtype))?;
        values
            .push((l.var.clone(), if l.min.as_int() == Some(0) { value } else { binary(BinOp::Add, &l.min, &value)? }));
    }
    values.reverse();
    Ok(values)
}
