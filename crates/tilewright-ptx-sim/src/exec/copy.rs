//! `cp.async`: copies of a thread from global to shared memory that end late.
//!
//! A copy moves its bytes at the last moment, when a wait demands it, or earlier by chance. Until the wait its
//! destination may not be touched.

use super::context::Context;
use super::scalar::resolve;
use super::traffic;
use super::warp::Warp;
use super::{Block, Env, Flow};
use crate::decode::{Address, Guard, Slot};
use crate::fault::FaultKind;
use crate::lanes::{WARP, lanes_of};
use crate::memory::shared::Who;
use crate::memory::{Checked, Touch, in_lane, trouble_at};
use crate::module::Space;

#[derive(Debug)]
pub(crate) struct CopyOp {
    pub(crate) to: Address,
    pub(crate) from: Address,
    pub(crate) bytes: u32,
    /// Bytes that are read; zeros follow them.
    pub(crate) source_bytes: Option<Slot>,
    /// Where it holds, nothing is read and all are zeros.
    pub(crate) ignore: Option<Guard>,
}

/// A copy that is not waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    pub(crate) lane: usize,
    group: u32,
    to: usize,
    from: u64,
    bytes: u32,
    source_bytes: u32,
    moved: bool,
}

/// The copies of a warp.
#[derive(Debug)]
pub(crate) struct Copies {
    copies: Vec<Copy>,
    /// Groups that each lane has committed.
    committed: [u32; WARP],
}

impl Default for Copies {
    fn default() -> Copies {
        Copies { copies: Vec::new(), committed: [0; WARP] }
    }
}

pub(super) fn issue(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    mask: u32,
    op: &CopyOp,
) -> Checked<Flow> {
    let ignored = op.ignore.map_or(0, |guard| warp.predicate(guard));
    for lane in lanes_of(mask) {
        let source_bytes = match op.source_bytes {
            _ if ignored >> lane & 1 == 1 => 0,
            Some(slot) => (warp.get(slot)[lane] as u32).min(op.bytes),
            None => op.bytes,
        };
        let copy = begin(cx, env, block, warp, lane, op, source_bytes);
        let mut copy = in_lane(copy, lane)?;
        if env.rng.one_in(8) {
            in_lane(perform(env, block, &mut copy), lane)?;
        }
        warp.copies.copies.push(copy);
    }
    if cx.options.count_traffic {
        let addresses = |of: Address| -> Vec<u64> {
            lanes_of(mask).map(|lane| resolve(warp.get(of.base)[lane].wrapping_add(of.offset)).1).collect()
        };
        env.sectors += traffic::sectors(&addresses(op.from), op.bytes);
        env.passes += traffic::passes(&addresses(op.to), op.bytes);
    }
    Ok(Flow::Next)
}

fn begin(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    lane: usize,
    op: &CopyOp,
    source_bytes: u32,
) -> Checked<Copy> {
    let to = resolve(warp.get(op.to.base)[lane].wrapping_add(op.to.offset)).1;
    let (space, from) = resolve(warp.get(op.from.base)[lane].wrapping_add(op.from.offset));
    if space != Space::Global {
        return trouble_at(FaultKind::OutOfBounds, from, "`cp.async` reads global memory");
    }
    if !from.is_multiple_of(op.bytes.into()) {
        let message = format!("`cp.async` needs a multiple of {} as address of its source", op.bytes);
        return trouble_at(FaultKind::Misaligned, from, message);
    }
    if source_bytes > 0 {
        let found = env.memory.locate(from, source_bytes, 1, false, &mut warp.hint)?;
        if cx.options.check_races {
            env.memory.touch(&block.actor(warp.index, lane), found, source_bytes, Touch::Read)?;
        }
    }
    let to = block.shared.locate(to, op.bytes, op.bytes)?;
    block.shared.begin(&block.clocks, Who { agent: warp.index, lane }, to, op.bytes)?;
    let group = warp.copies.committed[lane];
    Ok(Copy { lane, group, to, from, bytes: op.bytes, source_bytes, moved: false })
}

fn perform(env: &mut Env<'_>, block: &mut Block, copy: &mut Copy) -> Checked<()> {
    if std::mem::replace(&mut copy.moved, true) {
        return Ok(());
    }
    let (bytes, read) = (copy.bytes as usize, copy.source_bytes as usize);
    let to = block.shared.slice_mut(copy.to, bytes);
    to.fill(0);
    if read > 0 {
        let found = env.memory.find(copy.from, read as u64, &mut 0)?;
        to[..read].copy_from_slice(&env.memory.bytes(found)[..read]);
    }
    Ok(())
}

pub(super) fn commit(warp: &mut Warp, mask: u32) {
    for lane in lanes_of(mask) {
        warp.copies.committed[lane] += 1;
    }
}

/// Copies that are waited for are done: all but those of the last `pending` groups; without a number, all.
pub(super) fn wait(
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    mask: u32,
    pending: Option<u32>,
) -> Checked<Flow> {
    for mut copy in take(warp, mask, pending) {
        let who = Who { agent: warp.index, lane: copy.lane };
        in_lane(finish(env, block, who, &mut copy), copy.lane)?;
    }
    Ok(Flow::Next)
}

/// Removes the copies of a wait from those of the warp.
pub(super) fn take(warp: &mut Warp, mask: u32, pending: Option<u32>) -> Vec<Copy> {
    let Copies { copies, committed } = &mut warp.copies;
    let done = |copy: &Copy| {
        let waited = pending.is_none_or(|pending| copy.group.saturating_add(pending) < committed[copy.lane]);
        mask >> copy.lane & 1 == 1 && waited
    };
    let (taken, left) = copies.drain(..).partition(done);
    *copies = left;
    taken
}

/// The bytes are there, as the work of `who`.
pub(super) fn finish(env: &mut Env<'_>, block: &mut Block, who: Who, copy: &mut Copy) -> Checked<()> {
    perform(env, block, copy)?;
    block.shared.finish(&block.clocks, who, copy.to, copy.bytes);
    Ok(())
}
