//! Branches, calls and barriers.

use super::context::Context;
use super::warp::{END, Split, Warp};
use super::{Arrival, Block, Env, Flow};
use crate::decode::{BarrierKind, Op, Sink};
use crate::fault::FaultKind;
use crate::lanes::{WARP, lanes_of};
use crate::memory::{Checked, in_lane, trouble};

/// Calls may be nested this deep.
const MAX_FRAMES: usize = 64;

/// Once in so many jumps back, other lanes of the warp get their turn.
const TURN: usize = 32;

/// Once in so many turns, lanes go on that wait where others will come to.
const OVERTAKE: usize = 4;

/// Barriers of a block, and the one of a cluster.
pub(super) const BARRIERS: usize = 17;
const CLUSTER: usize = 16;

/// `taken` of the `active` lanes go to `target`; both ways meet at `reconverge`. Which goes first is a matter of
/// chance.
pub(super) fn branch(env: &mut Env<'_>, warp: &mut Warp, active: u32, taken: u32, target: u32, reconverge: u32) {
    let Some(split) = warp.stack.last_mut() else { return };
    let rest = active & !taken;
    let backward = target < split.pc;
    if rest == 0 {
        split.pc = target;
        if backward {
            turn(env, warp);
        }
        return;
    }
    if taken == 0 {
        return;
    }
    let mut ways = vec![(target, taken), (split.pc, rest)];
    if env.rng.one_in(2) {
        ways.reverse();
    }
    diverge(warp, &ways, reconverge);
    if backward {
        turn(env, warp);
    }
}

/// A jump back: lanes of the warp may wait for others of it.
fn turn(env: &mut Env<'_>, warp: &mut Warp) {
    if warp.stack.len() > 1 && env.rng.one_in(TURN) {
        warp.take_turns();
        if env.rng.one_in(OVERTAKE) {
            warp.overtake();
        }
    }
}

fn diverge(warp: &mut Warp, ways: &[(u32, u32)], reconverge: u32) {
    let Some(split) = warp.stack.last_mut() else { return };
    let frame = split.frame;
    split.pc = reconverge;
    for &(pc, mask) in ways {
        if pc != reconverge {
            warp.stack.push(Split { pc, reconverge, mask, frame, parked: false });
        }
    }
}

pub(super) fn jump(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &Block,
    warp: &mut Warp,
    mask: u32,
    op: &Op,
) -> Checked<Flow> {
    match op {
        Op::BranchTable { index, targets, reconverge } => {
            let index = *warp.get(*index);
            let Some(split) = warp.stack.last().copied() else { return Ok(Flow::Code) };
            let mut ways: Vec<(u32, u32)> = Vec::new();
            let rest = split.mask & warp.live & !mask;
            if rest != 0 {
                ways.push((split.pc, rest));
            }
            for lane in lanes_of(mask) {
                let Some(&target) = targets.get(index[lane] as u32 as usize) else {
                    let message = format!("label {} of a list of {}", index[lane] as u32, targets.len());
                    return in_lane(trouble(FaultKind::Undefined, message), lane);
                };
                match ways.iter_mut().find(|(pc, _)| *pc == target) {
                    Some((_, lanes)) => *lanes |= 1 << lane,
                    None => ways.push((target, 1 << lane)),
                }
            }
            if let &[(pc, _)] = ways.as_slice() {
                if let Some(split) = warp.stack.last_mut() {
                    split.pc = pc;
                }
                return Ok(Flow::Code);
            }
            let first = env.rng.below(ways.len());
            ways.rotate_left(first);
            diverge(warp, &ways, *reconverge);
        }
        Op::Call(_) => return call(cx, block, warp, mask, op),
        Op::Return => leave(warp, mask),
        Op::Exit => warp.exit(mask),
        _ => return trouble(FaultKind::Trap, "the program executed `trap`"),
    }
    Ok(Flow::Code)
}

/// Lanes return from the present function; from the kernel, they end.
pub(super) fn leave(warp: &mut Warp, mask: u32) {
    if warp.frames.len() == 1 {
        warp.exit(mask);
    } else {
        warp.leave_function(mask);
    }
}

fn call(cx: &Context<'_>, block: &Block, warp: &mut Warp, mask: u32, op: &Op) -> Checked<Flow> {
    let Op::Call(call) = op else { return Ok(Flow::Next) };
    if warp.frames.len() >= MAX_FRAMES {
        return trouble(FaultKind::Undefined, format!("calls are nested deeper than {MAX_FRAMES}"));
    }
    let caller = warp.frame();
    let caller_bytes = cx.code(caller.function).frame_bytes as usize;
    let site = warp.stack.last().map_or(0, |split| split.pc as usize).saturating_sub(1);
    warp.enter(cx, block.id, call.function);
    let code = cx.code(call.function);
    let callee = warp.frame();
    for (&from, &(to, bytes)) in call.arguments.iter().zip(&code.parameters) {
        let (from, to, bytes) = (from as usize, to as usize, bytes as usize);
        for lane in lanes_of(mask) {
            let from = caller.memory + lane * caller_bytes + from;
            let to = callee.memory + lane * code.frame_bytes as usize + to;
            if from + bytes <= callee.memory {
                warp.memory.copy_within(from..from + bytes, to);
            }
        }
    }
    if let Some(frame) = warp.frames.last_mut() {
        (frame.mask, frame.site) = (mask, site);
    }
    let frame = warp.frames.len() as u32 - 1;
    warp.stack.push(Split { pc: 0, reconverge: END, mask, frame, parked: false });
    Ok(Flow::Code)
}

/// The last lanes have left the present function: its results go to the caller.
pub(super) fn end_call(cx: &Context<'_>, warp: &mut Warp) {
    let callee = warp.frame();
    let code = cx.code(callee.function);
    let Some(&caller) = warp.frames.len().checked_sub(2).and_then(|index| warp.frames.get(index)) else { return };
    let caller_code = cx.code(caller.function);
    let bytes_of = [caller_code.frame_bytes as usize, code.frame_bytes as usize];
    if let Some(Op::Call(call)) = caller_code.insts.get(callee.site).map(|inst| &inst.op) {
        for (&to, &(from, bytes)) in call.results.iter().zip(&code.results) {
            let (from, to, bytes) = (from as usize, to as usize, bytes as usize);
            for lane in (0..WARP).filter(|lane| callee.mask >> lane & 1 == 1) {
                let from = callee.memory + lane * bytes_of[1] + from;
                let to = caller.memory + lane * bytes_of[0] + to;
                if to + bytes <= callee.memory {
                    warp.memory.copy_within(from..from + bytes, to);
                }
            }
        }
    }
    warp.leave();
}

pub(super) fn barrier(warp: &mut Warp, mask: u32, op: &Op) -> Checked<Flow> {
    let (kind, id, count, input, result) = match *op {
        Op::Barrier { kind, id, count, input, result } => {
            let count = count.map(|count| warp.uniform(count, mask) as u32);
            (kind, warp.uniform(id, mask), count, warp.predicate(input), result)
        }
        Op::ClusterWait => (BarrierKind::Sync, CLUSTER as u64, None, 0, Sink::None),
        _ => return Ok(Flow::Next),
    };
    if mask != warp.live {
        if warp.can_park() {
            return Ok(Flow::Again);
        }
        let missing = (warp.live & !mask).count_ones();
        let message = format!("a barrier that {missing} threads of the same warp do not reach with the others");
        return trouble(FaultKind::Divergence, message);
    }
    if id >= BARRIERS as u64 {
        return trouble(FaultKind::Undefined, format!("barrier {id}: there are 16"));
    }
    if let Some(count) = count
        && (count == 0 || !count.is_multiple_of(WARP as u32))
    {
        return trouble(FaultKind::Undefined, format!("a barrier for {count} threads: they come in warps of 32"));
    }
    Ok(Flow::Barrier(Arrival { kind, id: id as usize, count, input, mask, result }))
}
