//! `merge(loops…)`: loops of equal bounds, one after the other, become one that does in each iteration what they did.

use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{Buffer, Expr, PrimFunc, Stmt, StmtKind, Var};

use super::call::{Call, Default, Outcome, Primitive, Results, site_of};
use super::split::plain_loop;
use crate::analysis::dependence::check_independent;
use crate::analysis::guard::known_around;
use crate::analysis::stages::{reads, writes};
use crate::build::exprs::substituted;
use crate::build::rewrite::path_of;
use crate::fault::Fault;
use crate::site::{Key, Site, around, blocks_below, loop_of};

pub(crate) const MERGE: Primitive = Primitive {
    name: "Merge",
    method: "merge",
    doc: "Makes one loop of several one after the other.",
    params: &[("*loops", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (function, key) = merge(call.function, &call.loops(0)?)?;
    Ok(Outcome { function: Some(function), results: Results::One(key), moved: Vec::new() })
}

fn merge(function: &PrimFunc, keys: &[Key]) -> Result<(PrimFunc, Key), Fault> {
    let mut sites = Vec::new();
    for key in keys {
        sites.push(site_of(function, key)?);
    }
    let [first, others @ ..] = sites.as_slice() else { return Err(Fault::of_call("expected loops to merge")) };
    let (l, _) = plain_loop(first)?;
    if others.is_empty() {
        return Ok((function.clone(), Key::Loop(l.var.id())));
    }
    if let Some(around) = sites.iter().map(only_inside).collect::<Option<Vec<Key>>>()
        && around.iter().any(|key| Some(key) != around.first())
    {
        let (outer, _) = merge(function, &around)?;
        return merge(&outer, keys);
    }
    let (l, body) = plain_loop(first)?;
    let bodies = bodies(function, first, others, &l)?;
    let var = Var::new(format!("{}_m", l.var.name), l.var.dtype);
    let of = |body: &Stmt| substituted(body, &[(l.var.clone(), Expr::var(&var))]);
    let body = Stmt::seq(std::iter::once(&body).chain(&bodies).map(of));
    let merged = around(Loop { var: var.clone(), ..l.clone() }, body);
    let function = with_merged(function, first, sites.len(), merged)?;
    let key = Key::Loop(var.id());
    if share_memory(&sites) {
        check_independent(&function, &site_of(&function, &key)?, "merged")
            .map_err(|fault| Fault::at(first, fault.message))?;
    }
    Ok((function, key))
}

/// The loop in which there is nothing but this one.
fn only_inside(site: &Site) -> Option<Key> {
    let (stmt, _) = site.above.last()?;
    loop_of(stmt).map(|l| Key::Loop(l.var.id()))
}

/// The bodies of the loops after the first one, over its variable.
fn bodies(function: &PrimFunc, first: &Site, others: &[Site], l: &Loop) -> Result<Vec<Stmt>, Fault> {
    let known = known_around(function, first);
    let here = path_of(first);
    let mut bodies = Vec::with_capacity(others.len());
    for (number, site) in others.iter().enumerate() {
        let (other, body) = plain_loop(site)?;
        let is_sibling = path_of(site)
            .split_last()
            .zip(here.split_last())
            .is_some_and(|((at, around), (first, outside))| around == outside && *at == first + number + 1);
        let in_sequence = matches!(first.above.last(), Some((stmt, _)) if matches!(stmt.kind, StmtKind::Seq(_)));
        if !is_sibling || !in_sequence {
            let message = format!("loop `{}` is not directly after the one before it", other.var.name);
            return Err(Fault::at(site, message));
        }
        if !known.prove_equal(&other.extent, &l.extent) || !known.prove_equal(&other.min, &l.min) {
            let message =
                format!("the bounds of loop `{}` are not known to be those of loop `{}`", other.var.name, l.var.name);
            return Err(Fault::at(site, message));
        }
        let value = crate::build::exprs::typed(Expr::var(&l.var).cast(other.var.dtype))?;
        bodies.push(substituted(&body, &[(other.var.clone(), value)]));
    }
    Ok(bodies)
}

/// The function with a statement in the place of so many of a sequence.
fn with_merged(function: &PrimFunc, first: &Site, count: usize, merged: Stmt) -> Result<PrimFunc, Fault> {
    let gone = || Fault::at(first, "the loops are gone");
    let (around, at) = first.above.last().ok_or_else(gone)?;
    let StmtKind::Seq(stmts) = &around.kind else { return Err(gone()) };
    let rest = stmts.iter().skip(at + count).cloned();
    let new = Stmt::seq(stmts.iter().take(*at).cloned().chain([merged]).chain(rest));
    let outer = Site { above: first.above[..first.above.len() - 1].to_vec(), stmt: around.clone() };
    Ok(PrimFunc { body: outer.replaced(new), ..function.clone() })
}

/// Whether a block in one of the loops writes what one in another uses.
fn share_memory(sites: &[Site]) -> bool {
    let blocks: Vec<Vec<Site>> = sites.iter().map(blocks_below).collect();
    let written = |blocks: &[Site]| -> Vec<Buffer> {
        let writes = blocks.iter().filter_map(Site::block).flat_map(|block| &block.writes);
        writes.map(|region| region.buffer.clone()).collect()
    };
    blocks.iter().enumerate().any(|(at, of_one)| {
        let buffers = written(of_one);
        let others = blocks.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, blocks)| blocks);
        others.into_iter().any(|other| buffers.iter().any(|b| reads(other, b) || writes(other, b)))
    })
}
