//! `loop_partition(loop, factors, preserve_unit_iters)`: a loop becomes several, one after the other, each over a part
//! of its iterations. One part may be left open: it has what the others leave.

use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{BinOp, Block, BufferRegion, CmpOp, Expr, IterKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::with_stack;

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::split::plain_loop;
use crate::analysis::dependence::driven_axes;
use crate::analysis::guard::known_around;
use crate::build::exprs::{binary, substituted, typed};
use crate::build::unique::with_unique_keys;
use crate::fault::Fault;
use crate::site::{Key, Site, around, below, blocks_below, with_below};

pub(crate) const LOOP_PARTITION: Primitive = Primitive {
    name: "LoopPartition",
    method: "loop_partition",
    doc: "Makes several loops, one after the other, of one; a size that is `None` is what is left.",
    params: &[
        ("loop", Default::Required),
        ("factors", Default::Required),
        ("preserve_unit_iters", Default::Bool(true)),
    ],
    plan: None,
    gives_list: true,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, sizes) = (call.loop_at(0)?, call.sizes(1)?);
    let (l, body) = plain_loop(&site)?;
    let known = known_around(call.function, &site);
    let dtype = l.var.dtype;
    if sizes.iter().filter(|size| size.is_none()).count() > 1 {
        return Err(Fault::at(&site, "of the sizes at most one is open"));
    }
    let mut given = Vec::with_capacity(sizes.len());
    for size in &sizes {
        given.push(size.as_ref().map(|size| typed(size.cast(dtype))).transpose()?);
    }
    let zero = Expr::int(0, dtype);
    if given.iter().flatten().any(|size| known.decide(CmpOp::Ge, size, &zero) != Some(true)) {
        return Err(Fault::at(&site, "a part is not known to have 0 iterations or more"));
    }
    let sum = given.iter().flatten().try_fold(zero, |sum, size| binary(BinOp::Add, &sum, size))?;
    let rest = known.simplify(&binary(BinOp::Sub, &l.extent, &sum)?);
    let open = given.iter().any(Option::is_none);
    let fits = if open { CmpOp::Ge } else { CmpOp::Eq };
    if known.decide(fits, &rest, &Expr::int(0, dtype)) != Some(true) {
        let message = format!("the parts are not known to be all iterations of loop `{}`", l.var.name);
        return Err(Fault::at(&site, message));
    }
    let is_begun = |site: &Site| {
        site.block().zip(site.binding()).is_some_and(|(block, (values, _))| begins(block, values, &l.var))
    };
    for block in blocks_below(&site).into_iter().filter(is_begun) {
        if let (Some(of), Some((values, _))) = (block.block(), block.binding()) {
            let driven = driven_axes(of, values, std::slice::from_ref(&l.var));
            if driven.iter().any(|&at| of.iters.get(at).is_some_and(|iter| iter.kind == IterKind::Spatial)) {
                let message = format!("loop `{}` drives the reduction and a spatial axis", l.var.name);
                return Err(Fault::at(&block, message));
            }
        }
    }
    let (mut start, mut loops, mut keys) = (l.min.clone(), Vec::new(), Vec::new());
    for (at, size) in given.into_iter().enumerate() {
        let extent = size.unwrap_or_else(|| rest.clone());
        let var = Var::new(format!("{}_{at}", l.var.name), dtype);
        let body = if at == 0 { body.clone() } else { part_of(&body, at, &l.var) };
        let body = substituted(&body, &[(l.var.clone(), Expr::var(&var))]);
        keys.push(Key::Loop(var.id()));
        let next = known.simplify(&binary(BinOp::Add, &start, &extent)?);
        loops.push(around(Loop { var, min: start, extent, ..l.clone() }, body));
        start = next;
    }
    let function = PrimFunc { body: site.replaced(Stmt::seq(loops)), ..call.function.clone() };
    Ok(Outcome::changed(with_unique_keys(&function), Results::List(keys)))
}

/// Whether the loop drives the reduction of a block, which has an init.
fn begins(block: &Block, values: &[Expr], var: &Var) -> bool {
    let driven = driven_axes(block, values, std::slice::from_ref(var));
    block.init.is_some()
        && driven.iter().any(|&at| block.iters.get(at).is_some_and(|iter| iter.kind != IterKind::Spatial))
}

/// The body with names of its own for its blocks. A reduction begins in the first part: in others it has no init.
fn part_of(body: &Stmt, part: usize, var: &Var) -> Stmt {
    if let StmtKind::Block { values, predicate, block } = &body.kind {
        let mut made = Block { name: format!("{}_{part}", block.name).into(), ..block.clone() };
        if begins(block, values, var) {
            let missing = |write: &&BufferRegion| block.reads.iter().all(|read| read.buffer != write.buffer);
            made.reads = block.writes.iter().filter(missing).chain(&block.reads).cloned().collect();
            made.init = None;
        }
        made.body = part_of(&block.body, part, var);
        return StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block: made }.into();
    }
    (0..below(body).len()).fold(body.clone(), |changed, at| {
        let inner = below(&changed).get(at).map(|inner| (*inner).clone());
        inner.map_or(changed.clone(), |inner| with_below(&changed, at, with_stack(|| part_of(&inner, part, var))))
    })
}
