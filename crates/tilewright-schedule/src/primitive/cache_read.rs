//! `cache_read(block, read_buffer_index, storage_scope, consumer_blocks)`: what a block reads is copied to other memory
//! first, and read from there.
//!
//! The copy has the box of what is read, and stands as far outside as the elements are there. Without a list of consumers,
//! all blocks behind the copy read from it.

use tilewright_ir::tir::{PrimFunc, Scope, Stmt, StmtKind};

use super::call::{Call, Default, Outcome, Primitive, Results, place};
use crate::facts::fault::Fault;
use crate::facts::guard::known_around;
use crate::facts::required::{cache_of, copy_block, outermost_free, read_box, written_box};
use crate::facts::rewrite::{way, with_block, with_buffer};
use crate::facts::stages::{reads, scope_stages};
use crate::facts::tree::{Key, Site, find, follow, key_at};

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
    let scope = site.scope().ok_or_else(|| Fault::at(&site, "the root block is in no other"))?;
    let begin = outermost_free(&site, |stmt| written_box(stmt, &buffer).is_some());
    let (rest, from) = from_here(&begin);
    if written_box(&rest, &buffer).is_some() {
        return Err(Fault::at(
            &site,
            format!("`{}` is written behind the place where it would be copied", buffer.name),
        ));
    }
    let wanted = call.blocks(3)?;
    let given: Vec<Key> = wanted.iter().filter_map(|site| key_at(&call.function.body, site)).collect();
    let mut consumers = Vec::new();
    for stage in scope_stages(&site)?.into_iter().filter(|stage| reads(stage, &buffer)) {
        let key = key_at(&call.function.body, &stage).ok_or_else(|| Fault::at(&stage, "the block is gone"))?;
        let behind = is_behind(&stage, &from);
        if (given.is_empty() && behind) || given.contains(&key) || way(&stage) == way(&site) {
            if !behind {
                return Err(Fault::at(
                    &stage,
                    "the block stands in front of the place where the buffer would be copied",
                ));
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
    let begin = follow(&function.body, &way(&begin)).ok_or_else(|| Fault::at(&site, "the place is gone"))?;
    let body = begin.replaced(Stmt::seq([copy, begin.stmt.clone()]));
    let function = with_block(&PrimFunc { body, ..function }, &way(&scope), |block| block.alloc_buffers.push(cache))?;
    place(&function, &key)?;
    Ok(Outcome::changed(function, Results::One(key)))
}

/// The statement at a place with those that follow it, and the way to the place.
fn from_here(begin: &Site) -> (Stmt, Vec<usize>) {
    let rest = match begin.above.last() {
        Some((stmt, at)) => match &stmt.kind {
            StmtKind::Seq(stmts) => Stmt::seq(stmts.iter().skip(*at).cloned()),
            _ => begin.stmt.clone(),
        },
        None => begin.stmt.clone(),
    };
    (rest, way(begin))
}

/// Whether a place is inside of what stands from a place on, in its sequence.
fn is_behind(stage: &Site, from: &[usize]) -> bool {
    let Some((first, around)) = from.split_last() else { return true };
    let stage = way(stage);
    stage.starts_with(around) && stage.get(around.len()).is_some_and(|at| at >= first)
}
