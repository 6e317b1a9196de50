//! Order through memory: fences, and atomic accesses that publish or observe.

use super::warp::Warp;
use super::{Block, Env};
use crate::decode::Order;
use crate::memory::global::Published;

/// All that the warp knows and did, for those who will observe it.
fn publish(block: &mut Block, warp: &Warp) -> Published {
    let mut published = Published { blocks: block.known.clone(), ..Published::default() };
    let tick = block.clocks.tick();
    published.blocks.insert(block.number, tick);
    published.views.insert(block.number, block.clocks.release(warp.index));
    published
}

fn observe(block: &mut Block, warp: &Warp, published: &Published) {
    for (&number, &tick) in &published.blocks {
        if number != block.number {
            let known = block.known.entry(number).or_default();
            *known = (*known).max(tick);
        }
    }
    if let Some(view) = published.views.get(&block.number) {
        block.clocks.acquire(warp.index, view);
    }
}

/// A fence passes on what came before it, and orders what relaxed loads have seen before what follows.
pub(super) fn fence(block: &mut Block, warp: &mut Warp) {
    if let Some(pending) = warp.pending.take() {
        observe(block, warp, &pending);
    }
    warp.fenced = Some(Box::new(publish(block, warp)));
}

/// An atomic, relaxed or volatile access at `key`.
pub(super) fn strong(
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    key: (u32, u64),
    order: Order,
    reads: bool,
    writes: bool,
) {
    if reads && let Some(published) = env.published.get(&key) {
        if order.acquires() {
            observe(block, warp, published);
        } else {
            warp.pending.get_or_insert_default().join(published);
        }
    }
    if writes {
        if order.releases() {
            let published = publish(block, warp);
            env.published.entry(key).or_default().join(&published);
        } else if let Some(fenced) = &warp.fenced {
            env.published.entry(key).or_default().join(fenced);
        }
    }
}
