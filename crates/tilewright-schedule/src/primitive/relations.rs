//! `get_child_blocks`, `get_producers`, `get_consumers`, `get_output_blocks`: the blocks around a block, by what they
//! read and write.

use tilewright_ir::tir::{BufferRegion, PrimFunc};

use super::call::{Call, Default, Outcome, Primitive, Results};
use crate::analysis::stages::stages;
use crate::fault::Fault;
use crate::site::{Key, Site, below, blocks_below, key_at};

pub(crate) const GET_CHILD_BLOCKS: Primitive = Primitive {
    name: "GetChildBlocks",
    method: "get_child_blocks",
    doc: "The blocks directly inside of a block or a loop.",
    params: &[("block_or_loop", Default::Required)],
    plan: None,
    gives_list: true,
    run: children,
};

pub(crate) const GET_PRODUCERS: Primitive = Primitive {
    name: "GetProducers",
    method: "get_producers",
    doc: "The blocks that write what a block reads.",
    params: &[("block", Default::Required)],
    plan: None,
    gives_list: true,
    run: producers,
};

pub(crate) const GET_CONSUMERS: Primitive = Primitive {
    name: "GetConsumers",
    method: "get_consumers",
    doc: "The blocks that read what a block writes.",
    params: &[("block", Default::Required)],
    plan: None,
    gives_list: true,
    run: consumers,
};

pub(crate) const GET_OUTPUT_BLOCKS: Primitive = Primitive {
    name: "GetOutputBlocks",
    method: "get_output_blocks",
    doc: "The blocks inside of a block that write what is needed after it.",
    params: &[("scope_block", Default::Required)],
    plan: None,
    gives_list: true,
    run: outputs,
};

fn keys(function: &PrimFunc, sites: impl IntoIterator<Item = Site>) -> Outcome {
    let keys: Vec<Key> = sites.into_iter().filter_map(|site| key_at(&function.body, &site)).collect();
    Outcome::found(Results::List(keys))
}

/// The blocks directly inside of a site, which is not one of them.
pub(super) fn inside(site: &Site) -> Vec<Site> {
    (0..below(&site.stmt).len()).filter_map(|at| site.child(at)).flat_map(|child| blocks_below(&child)).collect()
}

fn children(call: &Call<'_>) -> Result<Outcome, Fault> {
    Ok(keys(call.function, inside(&call.block_or_loop(0)?)))
}

fn shares(a: &[BufferRegion], b: &[BufferRegion]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.buffer.data == b.buffer.data))
}

fn producers(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (before, block, _) = stages(&call.block(0)?)?;
    let reads = |site: &Site| {
        site.block()
            .zip(block.block())
            .is_some_and(|(other, block)| shares(&other.writes, &block.reads) || shares(&other.writes, &block.writes))
    };
    Ok(keys(call.function, before.into_iter().filter(reads)))
}

fn consumers(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (_, block, after) = stages(&call.block(0)?)?;
    let reads = |site: &Site| {
        site.block()
            .zip(block.block())
            .is_some_and(|(other, block)| shares(&block.writes, &other.reads) || shares(&block.writes, &other.writes))
    };
    Ok(keys(call.function, after.into_iter().filter(reads)))
}

fn outputs(call: &Call<'_>) -> Result<Outcome, Fault> {
    let scope = call.block(0)?;
    let own = scope.block().map(|block| block.alloc_buffers.clone()).unwrap_or_default();
    let leaves = |site: &Site| {
        site.block()
            .is_some_and(|block| block.writes.iter().any(|write| own.iter().all(|own| own.data != write.buffer.data)))
    };
    Ok(keys(call.function, inside(&scope).into_iter().filter(leaves)))
}
