//! `cache_read(block, read_buffer_index, storage_scope, consumer_blocks)`: what a block reads is copied to other memory
//! first, and read from there.
//!
//! The copy has the box of what is read, and is as far outside as the elements exist: at the begin of the block around
//! where nothing inside of it writes them. Without a list of consumers, all blocks after the copy read from it.

use tilewright_ir::tir::{Buffer, PrimFunc, Scope, Stmt, StmtKind};

use super::call::{Call, Default, Outcome, Primitive, Results, site_of};
use crate::analysis::guard::known_around;
use crate::analysis::required::{cache_of, copy_block, outermost_free, read_box, written_box};
use crate::analysis::stages::{reads, scope_stages};
use crate::build::rewrite::{path_of, with_block, with_buffer};
use crate::fault::Fault;
use crate::site::{Key, Site, find, key_at};

pub(crate) const CACHE_READ: Primitive = Primitive {
    name: "CacheRead",
    method: "cache_read",
    doc: "Copies what a block reads to other memory first; the block reads it there.",
    params: &[
        ("block", Default::Required),
        ("read_buffer_index", Default::Required),
        ("storage_scope", Default::Required),
        ("consumer_blocks", Default::None),
    ],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let buffer = call.read(&site, 1)?;
    let memory = call.text(2)?;
    let memory = Scope::named(memory).ok_or_else(|| Fault::at(&site, format!("there is no memory `{memory}`")))?;
    let scope = site.expect_scope()?;
    let begin = match first_statement(&scope, &site, &buffer) {
        Some(first) => first,
        None => outermost_free(&site, |stmt| written_box(stmt, &buffer).is_some()),
    };
    let (rest, from) = from_here(&begin);
    if written_box(&rest, &buffer).is_some() {
        return Err(Fault::at(
            &site,
            format!("`{}` is written after the statement where it would be copied", buffer.name),
        ));
    }
    let wanted = call.blocks(3)?;
    let given: Vec<Key> = wanted.iter().filter_map(|site| key_at(&call.function.body, site)).collect();
    let mut consumers = Vec::new();
    for stage in scope_stages(&site)?.into_iter().filter(|stage| reads(stage, &buffer)) {
        let key = key_at(&call.function.body, &stage).ok_or_else(|| Fault::at(&stage, "the block is gone"))?;
        let after = is_after(&stage, &from);
        if (given.is_empty() && after) || given.contains(&key) || path_of(&stage) == path_of(&site) {
            if !after {
                return Err(Fault::at(&stage, "the block is before the statement where the buffer would be copied"));
            }
            consumers.push(key);
        }
    }
    let region = read_box(&rest, &buffer).ok_or_else(|| Fault::at(&site, format!("`{}` is not read", buffer.name)))?;
    let cache = cache_of(&buffer, &memory);
    let mut known = known_around(call.function, &begin);
    let (copy, key) = copy_block(&mut known, &buffer, &cache, &cache.name, &region.region)?;
    let mut function = call.function.clone();
    for consumer in &consumers {
        let stage = find(&function.body, consumer).ok_or_else(|| Fault::at(&site, "the block is gone"))?;
        let stmt = with_buffer(&stage.stmt, &buffer, &cache);
        function = PrimFunc { body: stage.replaced(stmt), ..function };
    }
    let begin = begin.again_in(&function.body)?;
    let body = begin.replaced(Stmt::seq([copy, begin.stmt.clone()]));
    let function =
        with_block(&PrimFunc { body, ..function }, &path_of(&scope), |block| block.alloc_buffers.push(cache))?;
    site_of(&function, &key)?;
    Ok(Outcome::changed(function, Results::One(key)))
}

/// The first statement of the scope, where nothing inside writes the buffer and the block runs under no condition.
fn first_statement(scope: &Site, site: &Site, buffer: &Buffer) -> Option<Site> {
    let mut here = scope.child(0)?;
    let branch = site.above.iter().skip(scope.above.len()).any(|(stmt, _)| matches!(stmt.kind, StmtKind::If { .. }));
    if branch || written_box(&here.stmt, buffer).is_some() {
        return None;
    }
    while matches!(here.stmt.kind, StmtKind::Seq(_)) {
        here = here.child(0)?;
    }
    Some(here)
}

/// The statement at a site with those that follow it, and the path to the site.
fn from_here(begin: &Site) -> (Stmt, Vec<usize>) {
    let rest = match begin.above.last() {
        Some((stmt, at)) => match &stmt.kind {
            StmtKind::Seq(stmts) => Stmt::seq(stmts.iter().skip(*at).cloned()),
            _ => begin.stmt.clone(),
        },
        None => begin.stmt.clone(),
    };
    (rest, path_of(begin))
}

/// Whether a stage is inside of the statements from a path on, in its sequence.
fn is_after(stage: &Site, from: &[usize]) -> bool {
    let Some((first, around)) = from.split_last() else { return true };
    let stage = path_of(stage);
    stage.starts_with(around) && stage.get(around.len()).is_some_and(|at| at >= first)
}
