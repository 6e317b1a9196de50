//! Execution: a warp's next instruction.

pub(crate) mod asynchronous;
pub(crate) mod bulk;
pub(crate) mod context;
mod control;
pub(crate) mod copy;
pub(crate) mod mbarrier;
mod memory;
mod scalar;
mod schedule;
mod sync;
pub(crate) mod tensor;
mod together;
pub(crate) mod traffic;
pub(crate) mod units;
mod warp;
pub(crate) mod wgmma;

pub(crate) use schedule::run;

use std::collections::HashMap;

use crate::decode::{BarrierKind, Op, Sink};
use crate::fault::FaultKind;
use crate::lanes::lanes_of;
use crate::memory::clocks::Clocks;
use crate::memory::global::{Actor, Global, Published};
use crate::memory::shared::{Shared, Who};
use crate::memory::{Checked, trouble};
use crate::timing::Rng;
use context::Context;
use traffic::Count;
use units::Units;
use warp::Warp;

/// What a launch changes.
#[derive(Debug)]
pub(crate) struct Env<'a> {
    pub(crate) memory: &'a mut Global,
    pub(crate) rng: Rng,
    /// Published at addresses of atomic accesses; shared memory has the block's number above its address.
    pub(crate) published: HashMap<(u32, u64), Published>,
    /// Instructions so far.
    pub(crate) executed: u64,
    /// Counted on request.
    pub(crate) sectors: Count,
    pub(crate) passes: Count,
}

/// What the warps of a block share.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) id: [u32; 3],
    /// Its number in the grid, from 1.
    pub(crate) number: u32,
    pub(crate) shared: Shared,
    pub(crate) clocks: Clocks,
    /// The ticks of other blocks that are ordered before what it does.
    pub(crate) known: HashMap<u32, u32>,
    pub(crate) units: Units,
}

impl Block {
    pub(crate) fn actor(&self, agent: usize, lane: usize) -> Actor<'_> {
        Actor { block: self.number, who: Who { agent, lane }, clocks: &self.clocks, blocks: &self.known }
    }
}

/// A warp at a barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) kind: BarrierKind,
    pub(crate) id: usize,
    /// Threads that it is for; all of the block without a number.
    pub(crate) count: Option<u32>,
    /// Lanes whose predicate holds.
    pub(crate) input: u32,
    pub(crate) mask: u32,
    pub(crate) result: Sink,
}

/// How a warp goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flow {
    Next,
    /// It waits for others: another warp is next, and the same instruction again later.
    Again,
    /// Another warp may be next.
    Yield,
    Barrier(Arrival),
    /// A call, a return or an end: the code is another one.
    Code,
    Done,
}

/// Takes splits off the stack that have reached their end; false when the warp is done.
fn settle(cx: &Context<'_>, warp: &mut Warp) -> bool {
    loop {
        let Some(top) = warp.stack.last_mut() else { return false };
        top.parked = false;
        if top.mask & warp.live != 0 && top.pc != top.reconverge {
            return true;
        }
        let frame = top.frame;
        warp.stack.pop();
        let below = warp.stack.last().map(|split| split.frame);
        if below.is_some_and(|below| below < frame) {
            control::end_call(cx, warp);
        }
    }
}

/// Runs up to `count` instructions of a warp.
pub(crate) fn slice(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    count: u64,
) -> Checked<Flow> {
    let mut left = count;
    while left > 0 {
        if !settle(cx, warp) {
            return Ok(Flow::Done);
        }
        let code = cx.code(warp.frame().function);
        while left > 0 {
            left -= 1;
            env.executed += 1;
            let top = warp.stack.len() - 1;
            let split = &mut warp.stack[top];
            let pc = split.pc as usize;
            let active = split.mask & warp.live;
            split.pc += 1;
            let Some(inst) = code.insts.get(pc) else {
                // The end of the text is a return.
                control::leave(warp, active);
                break;
            };
            warp.line = inst.line;
            let mask = inst.guard.map_or(active, |guard| active & warp.predicate(guard));
            if let Op::Branch { target, reconverge } = inst.op {
                control::branch(env, warp, active, mask, target, reconverge);
                break;
            }
            if mask == 0 {
                if warp.stack[top].pc == warp.stack[top].reconverge {
                    break;
                }
                continue;
            }
            match step(cx, env, block, warp, mask, &inst.op)? {
                Flow::Next => {}
                Flow::Code => break,
                Flow::Again => {
                    if let Some(split) = warp.stack.last_mut() {
                        split.pc = pc as u32;
                    }
                    if warp.park() {
                        break;
                    }
                    return Ok(Flow::Again);
                }
                flow => return Ok(flow),
            }
            if warp.stack[top].pc == warp.stack[top].reconverge {
                break;
            }
        }
    }
    Ok(Flow::Yield)
}

/// An instruction for the lanes of `mask`, which are not none.
fn step(cx: &Context<'_>, env: &mut Env<'_>, block: &mut Block, warp: &mut Warp, mask: u32, op: &Op) -> Checked<Flow> {
    if scalar::run(cx, env, warp, mask, op) {
        return Ok(Flow::Next);
    }
    match op {
        Op::Load { access, d, sign } => memory::load(cx, env, block, warp, mask, access, d, *sign),
        Op::Store { access, a } => memory::store(cx, env, block, warp, mask, access, a),
        Op::Atomic { access, f, d, b, c } => memory::atomic(cx, env, block, warp, mask, access, *f, [*d, *b, *c]),
        Op::Fence => {
            sync::fence(block, warp);
            Ok(Flow::Next)
        }
        Op::ProxyFence => {
            block.clocks.proxy_fence(warp.index);
            Ok(Flow::Next)
        }
        Op::BranchTable { .. } | Op::Call(_) | Op::Return | Op::Exit | Op::Trap => {
            control::jump(cx, env, block, warp, mask, op)
        }
        Op::Barrier { .. } | Op::ClusterArrive | Op::ClusterWait => control::barrier(warp, mask, op),
        Op::Tensor(op) => tensor::run(cx, env, block, warp, mask, op),
        Op::Async(op) => asynchronous::run(cx, env, block, warp, mask, op),
        Op::Unsupported => trouble(FaultKind::Unsupported, "an instruction that the simulator does not know"),
        _ => together::run(block, warp, mask, op),
    }
}

/// The first lane of a mask, for messages.
pub(crate) fn first(mask: u32) -> usize {
    lanes_of(mask).next().unwrap_or(0)
}
