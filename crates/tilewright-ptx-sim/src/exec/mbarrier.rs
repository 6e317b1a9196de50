//! `mbarrier`.

use super::context::Context;
use super::scalar::resolve;
use super::units::{self, Deferred, Mbarrier};
use super::warp::Warp;
use super::{Block, Env, Flow, copy};
use crate::decode::{Address, Pred, Slot};
use crate::fault::FaultKind;
use crate::lanes::{WARP, lanes_of};
use crate::memory::clocks::View;
use crate::memory::shared::Who;
use crate::memory::{Checked, Touch, in_lane, trouble_at};

#[derive(Clone, Copy, Debug)]
pub(crate) enum BarrierOp {
    Init {
        count: Slot,
    },
    Invalidate,
    /// Arrivals (one without a number), with bytes that are expected before.
    Arrive {
        state: Slot,
        count: Option<Slot>,
        expect: Option<Slot>,
        drop: bool,
    },
    Expect {
        bytes: Slot,
    },
    Complete {
        bytes: Slot,
    },
    /// `try_wait` may fail although the phase is complete.
    Wait {
        done: Pred,
        phase: Slot,
        parity: bool,
        may_fail: bool,
        acquires: bool,
    },
    /// `cp.async.mbarrier.arrive`.
    CopiesArrive {
        counted: bool,
    },
}

/// Arrivals of a phase at most.
const MAX_COUNT: u64 = (1 << 20) - 1;

/// A state is the number of the phase above the pending count.
fn state_of(barrier: &Mbarrier) -> u64 {
    barrier.phase << 20 | u64::from(barrier.pending)
}

pub(super) fn run(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    mask: u32,
    address: Address,
    op: BarrierOp,
) -> Checked<Flow> {
    let mut holds = 0;
    let mut out = [0; WARP];
    for lane in lanes_of(mask) {
        let address = resolve(warp.get(address.base)[lane].wrapping_add(address.offset)).1;
        match in_lane(one(cx, env, block, warp, lane, address, op), lane)? {
            Outcome::State(state) => out[lane] = state,
            Outcome::Done(done) => holds |= u32::from(done) << lane,
            Outcome::None => {}
        }
    }
    match op {
        BarrierOp::Arrive { state, .. } => warp.set(state, mask, &out),
        BarrierOp::Wait { done, .. } => {
            warp.set_predicate(done, mask, holds);
            return Ok(if holds & mask == mask { Flow::Next } else { Flow::Yield });
        }
        _ => {}
    }
    Ok(Flow::Next)
}

enum Outcome {
    None,
    State(u64),
    Done(bool),
}

fn one(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    lane: usize,
    address: u64,
    op: BarrierOp,
) -> Checked<Outcome> {
    let at = block.shared.locate(address, 8, 8)?;
    let who = Who { agent: warp.index, lane };
    let touch =
        if matches!(op, BarrierOp::Init { .. } | BarrierOp::Invalidate) { Touch::Write } else { Touch::StrongWrite };
    block.shared.touch(&block.clocks, who, at, 8, touch)?;
    match op {
        BarrierOp::Init { count } => {
            let count = warp.get(count)[lane];
            if !(1..=MAX_COUNT).contains(&count) {
                return trouble_at(FaultKind::Undefined, address, format!("an mbarrier for {count} arrivals"));
            }
            block.units.barriers.insert(address, Mbarrier::new(count as u32));
        }
        BarrierOp::Invalidate => {
            block.units.barrier(address)?;
            block.units.barriers.remove(&address);
        }
        BarrierOp::Arrive { count, expect, drop, .. } => {
            let value = |slot: Option<Slot>, without: u32| slot.map_or(without, |slot| warp.get(slot)[lane] as u32);
            let (count, expect) = (value(count, 1), value(expect, 0));
            let view = block.clocks.release(warp.index);
            let barrier = block.units.barrier(address)?;
            return arrive(barrier, address, count, expect, drop, &view).map(Outcome::State);
        }
        BarrierOp::Expect { bytes } => {
            block.units.barrier(address)?.bytes += i64::from(warp.get(bytes)[lane] as u32);
        }
        BarrierOp::Complete { bytes } => {
            let bytes = warp.get(bytes)[lane] & 0xffff_ffff;
            let view = block.clocks.release(warp.index);
            block.units.barrier(address)?.complete_bytes(bytes, &view);
        }
        BarrierOp::Wait { phase, parity, may_fail, acquires, .. } => {
            let phase = warp.get(phase)[lane];
            return wait(cx, env, block, warp, address, [phase, parity.into()], may_fail, acquires).map(Outcome::Done);
        }
        BarrierOp::CopiesArrive { counted } => {
            let barrier = block.units.barrier(address)?;
            if !counted {
                barrier.pending += 1;
            }
            let copies = copy::take(warp, 1 << lane, None);
            block.units.deferred.push(Deferred::Arrive { copies, barrier: address });
        }
    }
    Ok(Outcome::None)
}

/// Arrivals, after the bytes that they expect; the state before them.
fn arrive(barrier: &mut Mbarrier, address: u64, count: u32, expect: u32, drop: bool, view: &View) -> Checked<u64> {
    let state = state_of(barrier);
    barrier.bytes += i64::from(expect);
    if drop {
        barrier.expected = barrier.expected.saturating_sub(count);
    }
    barrier.arrive(address, count, view)?;
    Ok(state)
}

fn wait(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &Warp,
    address: u64,
    [phase, by_parity]: [u64; 2],
    may_fail: bool,
    acquires: bool,
) -> Checked<bool> {
    let Some(barrier) = block.units.barriers.get(&address) else {
        return trouble_at(FaultKind::Undefined, address, "there is no mbarrier here: it was not initialised");
    };
    let done = if by_parity == 1 { barrier.phase & 1 != phase & 1 } else { barrier.phase > phase >> 20 };
    if !done {
        units::waited(cx, env, block, address)?;
        return Ok(false);
    }
    if may_fail && env.rng.one_in(8) {
        return Ok(false);
    }
    if acquires {
        block.clocks.acquire(warp.index, &barrier.complete);
    }
    block.units.barrier(address)?;
    Ok(true)
}
