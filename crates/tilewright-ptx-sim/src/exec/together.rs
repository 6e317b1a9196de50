//! Instructions that lanes of a warp execute together: shuffles, votes, matches, reductions.

use super::warp::Warp;
use super::{Block, Flow, first};
use crate::decode::{Op, ShuffleMode, Sink, Slot, VoteMode};
use crate::fault::FaultKind;
use crate::lanes::{Lanes, WARP, lanes_of};
use crate::memory::{Checked, in_lane, trouble};

/// A value of a lane that took no part.
const NOBODY: u64 = 0xffff_ffff;

/// The lanes by the members that they name; none while some of these are not here yet. An error where they can never
/// be.
///
/// Lanes that name different members are groups of their own: PTX asks all members of a lane's mask to execute the
/// instruction with the same mask, and says nothing of the others.
fn groups(warp: &Warp, mask: u32, members: Slot) -> Checked<Option<Vec<u32>>> {
    let members = warp.get(members);
    let (mut open, mut groups) = (mask, Vec::new());
    while open != 0 {
        let lane = first(open);
        let named = members[lane] as u32;
        if named >> lane & 1 == 0 {
            return in_lane(trouble(FaultKind::Undefined, format!("the mask {named:#x} leaves out the lane")), lane);
        }
        let group = lanes_of(open).filter(|other| members[*other] as u32 == named).fold(0, |set, lane| set | 1 << lane);
        if let Some(other) = lanes_of(mask & named & !group).next() {
            let message = format!("lanes name different members: {:#x} and {named:#x}", members[other] as u32);
            return in_lane(trouble(FaultKind::Undefined, message), other);
        }
        let missing = named & warp.live & !group;
        if missing != 0 && warp.can_park() {
            return Ok(None);
        }
        if missing != 0 {
            let message = format!("lanes {missing:#x} of the mask {named:#x} do not reach the instruction");
            return trouble(FaultKind::Divergence, message);
        }
        groups.push(group);
        open &= !group;
    }
    Ok(Some(groups))
}

pub(super) fn run(block: &mut Block, warp: &mut Warp, mask: u32, op: &Op) -> Checked<Flow> {
    let members = match *op {
        Op::WarpBarrier { members }
        | Op::Shuffle { members, .. }
        | Op::Vote { members, .. }
        | Op::Match { members, .. }
        | Op::Redux { members, .. }
        | Op::Elect { members, .. } => members,
        Op::ActiveMask { d } => {
            warp.set(d, mask, &[mask.into(); WARP]);
            return Ok(Flow::Next);
        }
        _ => return trouble(FaultKind::Unsupported, "an instruction without a meaning"),
    };
    let Some(groups) = groups(warp, mask, members)? else { return Ok(Flow::Again) };
    groups.into_iter().try_for_each(|group| together(block, warp, group, op))?;
    Ok(Flow::Next)
}

/// The instruction for lanes that name each other.
fn together(block: &mut Block, warp: &mut Warp, mask: u32, op: &Op) -> Checked<()> {
    match *op {
        Op::WarpBarrier { .. } => block.clocks.barrier(&[warp.index]),
        Op::Shuffle { mode, d, p, a, b, c, .. } => {
            let (value, valid) = shuffle(mode, mask, warp.get(a), warp.get(b), warp.get(c));
            warp.set(d, mask, &value);
            if let Some(p) = p {
                warp.set_predicate(p, mask, valid);
            }
        }
        Op::Vote { mode, d, a, .. } => {
            let votes = warp.predicate(a) & mask;
            let holds = match mode {
                VoteMode::All => votes == mask,
                VoteMode::Any => votes != 0,
                VoteMode::Uni => votes == mask || votes == 0,
                VoteMode::Ballot => false,
            };
            sink(warp, d, mask, votes.into(), holds);
        }
        Op::Match { all, bits, d, p, a, .. } => {
            let (out, same) = equals(mask, &warp.get(a).map(|a| a & crate::types::mask(bits)));
            let out = if all && !same { [0; WARP] } else { out };
            warp.set(d, mask, &out);
            if let Some(p) = p {
                warp.set_predicate(p, mask, if same { u32::MAX } else { 0 });
            }
        }
        Op::Redux { f, d, a, .. } => {
            let a = *warp.get(a);
            let all = lanes_of(mask).map(|lane| a[lane] as u32).reduce(f).unwrap_or(0);
            warp.set(d, mask, &[all.into(); WARP]);
        }
        Op::Elect { d, p, .. } => {
            let leader = first(mask);
            warp.set(d, mask, &[leader as u64; WARP]);
            warp.set_predicate(p, mask, 1 << leader);
        }
        _ => {}
    }
    Ok(())
}

/// For each lane the lanes with the same value, and whether all are the same.
fn equals(mask: u32, a: &Lanes) -> (Lanes, bool) {
    let mut out = [0; WARP];
    for lane in lanes_of(mask) {
        out[lane] = lanes_of(mask).filter(|other| a[*other] == a[lane]).fold(0, |set, other| set | 1 << other);
    }
    let same = lanes_of(mask).all(|lane| out[lane] == u64::from(mask));
    (out, same)
}

pub(super) fn sink(warp: &mut Warp, d: Sink, mask: u32, value: u64, holds: bool) {
    match d {
        Sink::None => {}
        Sink::Reg(slot) => warp.set(slot, mask, &[value; WARP]),
        Sink::Pred(pred) => warp.set_predicate(pred, mask, if holds { u32::MAX } else { 0 }),
    }
}

/// The values, and the lanes whose source is in their segment.
fn shuffle(mode: ShuffleMode, mask: u32, a: &Lanes, b: &Lanes, c: &Lanes) -> (Lanes, u32) {
    let mut out = [0; WARP];
    let mut valid = 0;
    for lane in lanes_of(mask) {
        let segment = (c[lane] >> 8 & 31) as i32;
        let clamp = (c[lane] & 31) as i32;
        let (by, own) = ((b[lane] & 31) as i32, lane as i32);
        let last = (own & segment) | (clamp & !segment);
        let (source, inside) = match mode {
            ShuffleMode::Up => (own - by, own - by >= last),
            ShuffleMode::Down => (own + by, own + by <= last),
            ShuffleMode::Butterfly => (own ^ by, own ^ by <= last),
            ShuffleMode::Index => {
                let source = (own & segment) | (by & !segment);
                (source, source <= last)
            }
        };
        let source = if inside { source as usize } else { lane };
        valid |= u32::from(inside) << lane;
        out[lane] = if mask >> source & 1 == 1 { a[source] } else { NOBODY };
    }
    (out, valid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shuffled(mode: ShuffleMode, by: u64, c: u64) -> (Vec<u64>, u32) {
        let values: Lanes = std::array::from_fn(|lane| lane as u64);
        let (out, valid) = shuffle(mode, u32::MAX, &values, &[by; WARP], &[c; WARP]);
        (out.to_vec(), valid)
    }

    #[test]
    fn shuffles_stay_in_their_segments() {
        // Segments of 8 lanes: the mask of segments is 0b11000, clamped at 7 (0 for `up`).
        let (out, valid) = shuffled(ShuffleMode::Down, 1, 0x1807);
        assert_eq!(out[..9], [1, 2, 3, 4, 5, 6, 7, 7, 9]);
        assert_eq!(valid, 0x7f7f_7f7f);
        let (out, _) = shuffled(ShuffleMode::Up, 2, 0x1800);
        assert_eq!(out[8..12], [8, 9, 8, 9]);
        let (out, _) = shuffled(ShuffleMode::Butterfly, 3, 0x1f);
        assert_eq!(out[..4], [3, 2, 1, 0]);
        let (out, _) = shuffled(ShuffleMode::Index, 5, 0x181f);
        assert_eq!((out[0], out[9], out[31]), (5, 13, 29));
    }

    #[test]
    fn lanes_that_are_not_there_give_no_value() {
        let values = [7; WARP];
        let (out, _) = shuffle(ShuffleMode::Butterfly, 0xffff, &values, &[16; WARP], &[0x1f; WARP]);
        assert_eq!(out[0], NOBODY);
    }
}
