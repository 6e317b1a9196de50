//! `split(loop, factors, preserve_unit_iters, disable_predication)`: one loop becomes several, one inside the other.
//!
//! `for i in range(n)` becomes `for i_0, i_1 in T.grid(a, b)` with `i = i_0 * b + i_1`, under the condition `i < n`
//! where `a * b` is not proven to be `n`. One factor may be left open: it is then as small as it can be.

use tilewright_arith::Analyzer;
use tilewright_ir::Attrs;
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{BinOp, CmpOp, Expr, ForKind, PrimFunc, Stmt, Var};

use super::call::{Call, Default, Outcome, Primitive, Results, site_of};
use crate::analysis::guard::{guarded, known_around, known_but_units, known_inside, simplified};
use crate::build::exprs::{binary, compare, substituted, typed};
use crate::fault::Fault;
use crate::site::{Key, Site, around, below, loop_of};

pub(crate) const SPLIT: Primitive = Primitive {
    name: "Split",
    method: "split",
    doc: "Makes several loops, one inside the other, of one; a factor that is `None` follows from the others.",
    params: &[
        ("loop", Default::Required),
        ("factors", Default::Required),
        ("preserve_unit_iters", Default::Bool(true)),
        ("disable_predication", Default::Bool(false)),
    ],
    plan: None,
    gives_list: true,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.loop_at(0)?;
    let options = Options { keep_units: call.flag(2)?, no_condition: call.flag(3)? };
    let (function, loops) = split_at(call.function, &site, &call.sizes(1)?, options)?;
    Ok(Outcome::changed(function, Results::List(loops)))
}

#[derive(Clone, Copy)]
struct Options {
    /// Loops of one iteration stay in the values of axes.
    keep_units: bool,
    /// The user promises that the factors make up the extent.
    no_condition: bool,
}

/// Splits a loop; gives the new loops from outside inwards.
pub(crate) fn split(function: &PrimFunc, key: &Key, factors: &[Option<Expr>]) -> Result<(PrimFunc, Vec<Key>), Fault> {
    let site = site_of(function, key)?;
    split_at(function, &site, factors, Options { keep_units: true, no_condition: false })
}

fn split_at(
    function: &PrimFunc,
    site: &Site,
    factors: &[Option<Expr>],
    options: Options,
) -> Result<(PrimFunc, Vec<Key>), Fault> {
    let (l, body) = plain_loop(site)?;
    let around_it = known_around(function, site);
    let factors = all_factors(&around_it, site, &l, factors)?;
    let vars: Vec<Var> = (0..factors.len()).map(|at| Var::new(format!("{}_{at}", l.var.name), l.var.dtype)).collect();
    let position = position(&vars, &factors)?;
    let value = if l.min.as_int() == Some(0) { position.clone() } else { binary(BinOp::Add, &l.min, &position)? };
    let mut body = substituted(&body, &[(l.var.clone(), value)]);
    let inside = compare(CmpOp::Lt, &position, &l.extent)?;
    let nest = |body: Stmt| {
        let loops = vars.iter().zip(&factors).rev();
        loops.fold(body, |body, (var, extent)| {
            let min = Expr::int(0, var.dtype);
            let l = Loop {
                var: var.clone(),
                min,
                extent: extent.clone(),
                kind: ForKind::Serial,
                annotations: Attrs::new(),
            };
            around(l, body)
        })
    };
    if !options.no_condition && !proven(function, site, nest(body.clone()), factors.len(), &inside) {
        body = guarded(&body, &inside, &vars)?;
    }
    let mut known = match options.keep_units {
        true => known_but_units(function, site),
        false => known_around(function, site),
    };
    let split = simplified(&mut known, &nest(body), options.keep_units);
    let keys = vars.iter().map(|var| Key::Loop(var.id())).collect();
    Ok((PrimFunc { body: site.replaced(split), ..function.clone() }, keys))
}

/// Whether the condition holds inside of the nest in the place of the site.
fn proven(function: &PrimFunc, site: &Site, nest: Stmt, depth: usize, condition: &Expr) -> bool {
    let mut inner = Site { above: site.above.clone(), stmt: nest };
    for _ in 1..depth {
        match inner.child(0) {
            Some(child) => inner = child,
            None => return false,
        }
    }
    known_inside(function, &inner).prove(condition)
}

/// A loop that runs one iteration after the other and says nothing more, and its body.
pub(crate) fn plain_loop(site: &Site) -> Result<(Loop, Stmt), Fault> {
    let (Some(l), Some(body)) = (loop_of(&site.stmt), below(&site.stmt).first().map(|body| (*body).clone())) else {
        return Err(Fault::at(site, "expected a loop"));
    };
    if let ForKind::ThreadBinding(tag) = &l.kind {
        return Err(Fault::at(site, format!("loop `{}` is bound to `{tag}`", l.var.name)));
    }
    if !l.annotations.is_empty() {
        return Err(Fault::at(site, format!("loop `{}` has annotations, which would be lost", l.var.name)));
    }
    Ok((l, body))
}

/// The factors in the loop's type, the open one filled in.
fn all_factors(known: &Analyzer, site: &Site, l: &Loop, factors: &[Option<Expr>]) -> Result<Vec<Expr>, Fault> {
    let dtype = l.var.dtype;
    let one = Expr::int(1, dtype);
    let open = factors.iter().filter(|factor| factor.is_none()).count();
    if factors.is_empty() || open > 1 {
        let message =
            format!("expected factors of which at most one is open, found {} with {open} open", factors.len());
        return Err(Fault::at(site, message));
    }
    let given = factors.iter().map(|factor| factor.as_ref().map(|factor| typed(factor.cast(dtype))).transpose());
    let given = given.collect::<Result<Vec<_>, _>>()?;
    for factor in given.iter().flatten() {
        if known.decide(CmpOp::Ge, factor, &one) != Some(true) {
            let found =
                factor.as_int().map_or_else(|| "one that is not proven to be".to_owned(), |value| value.to_string());
            return Err(Fault::at(site, format!("a factor must be at least 1, found {found}")));
        }
    }
    let product =
        given.iter().flatten().try_fold(one.clone(), |product, factor| binary(BinOp::Mul, &product, factor))?;
    let product = known.simplify(&product);
    if open == 0 && known.decide(CmpOp::Ge, &product, &l.extent) != Some(true) {
        return Err(Fault::at(site, "the product of the factors is not proven to reach the extent of the loop"));
    }
    // as few as cover the extent
    let last = binary(BinOp::Sub, &binary(BinOp::Add, &l.extent, &product)?, &one)?;
    let rest = known.simplify(&binary(BinOp::FloorDiv, &last, &product)?);
    Ok(given.into_iter().map(|factor| factor.unwrap_or_else(|| rest.clone())).collect())
}

/// `((i_0 · f_1) + i_1) · f_2 + i_2 …`
fn position(vars: &[Var], factors: &[Expr]) -> Result<Expr, Fault> {
    let mut sum: Option<Expr> = None;
    for (var, factor) in vars.iter().zip(factors) {
        let var = Expr::var(var);
        sum = Some(match sum {
            None => var,
            Some(sum) if factor.as_int() == Some(1) => binary(BinOp::Add, &sum, &var)?,
            Some(sum) => binary(BinOp::Add, &binary(BinOp::Mul, &sum, factor)?, &var)?,
        });
    }
    sum.ok_or_else(|| Fault::of_call("expected at least one factor"))
}
