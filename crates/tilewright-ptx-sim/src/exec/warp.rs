//! The state of a warp: registers, frames of functions, and the stack of divergence.

use crate::decode::{Constant, Guard, PARAM_WINDOW, Pred, Slot};
use crate::lanes::{Lanes, WARP, lanes_of};

use super::context::Context;
use super::copy::Copies;
use super::wgmma::Products;
use crate::memory::global::Published;

/// Lanes that go on together, from `pc` to `reconverge`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub(crate) pc: u32,
    pub(crate) reconverge: u32,
    pub(crate) mask: u32,
    /// The frame in which it runs.
    pub(crate) frame: u32,
    /// Waits for lanes below it on the stack.
    pub(crate) parked: bool,
}

/// Reconvergence that no place of the code is: the end of the function.
pub(crate) const END: u32 = u32::MAX;

/// A called function, or the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) function: usize,
    pub(crate) registers: usize,
    pub(crate) predicates: usize,
    /// Where its local variables begin.
    pub(crate) local: u32,
    /// Where its parameters begin.
    pub(crate) memory: usize,
    /// The lanes that called it, and the place of the call in the calling function.
    pub(crate) mask: u32,
    pub(crate) site: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum State {
    Ready,
    /// At the barrier of that number.
    Barrier(usize),
    Done,
}

#[derive(Debug)]
pub(crate) struct Warp {
    pub(crate) index: usize,
    pub(crate) state: State,
    /// Lanes that have not ended.
    pub(crate) live: u32,
    pub(crate) stack: Vec<Split>,
    pub(crate) frames: Vec<Frame>,
    registers: Vec<Lanes>,
    predicates: Vec<u32>,
    /// Of the present frame.
    first_register: usize,
    first_predicate: usize,
    /// The carry flags.
    pub(crate) carry: u32,
    /// Local memory of all lanes, one lane after the other; `local_bytes` of each.
    pub(crate) local: Vec<u8>,
    pub(crate) local_bytes: usize,
    /// Parameters of calls, of all frames; one lane after the other within each frame.
    pub(crate) memory: Vec<u8>,
    /// The line of the present instruction.
    pub(crate) line: u32,
    /// The allocation of the last access to global memory.
    pub(crate) hint: usize,
    /// What the last fence published, for relaxed stores after it.
    pub(crate) fenced: Option<Box<Published>>,
    /// What relaxed loads have seen, for the next fence.
    pub(crate) pending: Option<Box<Published>>,
    pub(crate) copies: Copies,
    /// Groups of bulk copies that each lane has committed.
    pub(crate) bulk_groups: [u32; WARP],
    pub(crate) products: Products,
}

impl Warp {
    pub(crate) fn new(cx: &Context<'_>, block: [u32; 3], index: usize) -> Warp {
        let lanes = cx.threads.saturating_sub(index * WARP).min(WARP);
        let live = if lanes == WARP { u32::MAX } else { (1 << lanes) - 1 };
        let mut warp = Warp {
            index,
            state: State::Ready,
            live,
            stack: vec![Split { pc: 0, reconverge: END, mask: live, frame: 0, parked: false }],
            frames: Vec::new(),
            registers: Vec::new(),
            predicates: Vec::new(),
            first_register: 0,
            first_predicate: 0,
            carry: 0,
            local: Vec::new(),
            local_bytes: 0,
            memory: Vec::new(),
            line: 0,
            hint: 0,
            fenced: None,
            pending: None,
            copies: Copies::default(),
            bulk_groups: [0; WARP],
            products: Products::default(),
        };
        warp.enter(cx, block, cx.function);
        warp
    }

    /// Makes the frame of a function, with its constants.
    pub(crate) fn enter(&mut self, cx: &Context<'_>, block: [u32; 3], function: usize) {
        let code = cx.code(function);
        let (local, memory) = (self.local_bytes as u32, self.memory.len());
        let frame = Frame {
            function,
            registers: self.registers.len(),
            predicates: self.predicates.len(),
            local,
            memory,
            mask: 0,
            site: 0,
        };
        self.registers.resize(frame.registers + code.registers as usize, [0; WARP]);
        self.predicates.resize(frame.predicates + code.predicates as usize, 0);
        self.predicates[frame.predicates] = u32::MAX;
        self.memory.resize(memory + code.frame_bytes as usize * WARP, crate::memory::POISON);
        self.grow_local(self.local_bytes + code.local_bytes as usize);
        for &(slot, constant) in &code.constants {
            let value = &mut self.registers[frame.registers + slot as usize];
            match constant {
                Constant::Bits(bits) => value.fill(bits),
                Constant::Variable(index, offset) => value.fill(cx.addresses[index].wrapping_add(offset)),
                Constant::Local(offset) => value.fill(offset.wrapping_add(local.into())),
                Constant::Param(offset) => value.fill(offset.wrapping_add(PARAM_WINDOW)),
                Constant::Frame(offset) => value.fill(offset),
                Constant::Special(special) => cx.special(special, block, self.index, value),
            }
        }
        self.frames.push(frame);
        (self.first_register, self.first_predicate) = (frame.registers, frame.predicates);
    }

    /// Gives up the last frame.
    pub(crate) fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.registers.truncate(frame.registers);
            self.predicates.truncate(frame.predicates);
            self.memory.truncate(frame.memory);
            self.grow_local(frame.local as usize);
        }
        if let Some(frame) = self.frames.last() {
            (self.first_register, self.first_predicate) = (frame.registers, frame.predicates);
        }
    }

    /// Local memory of another size per lane.
    fn grow_local(&mut self, bytes: usize) {
        if bytes == self.local_bytes {
            return;
        }
        let mut local = vec![crate::memory::POISON; bytes * WARP];
        let kept = bytes.min(self.local_bytes);
        for lane in 0..WARP {
            let old = &self.local[lane * self.local_bytes..][..kept];
            local[lane * bytes..][..kept].copy_from_slice(old);
        }
        (self.local, self.local_bytes) = (local, bytes);
    }

    pub(crate) fn frame(&self) -> Frame {
        self.frames[self.frames.len() - 1]
    }

    pub(crate) fn get(&self, slot: Slot) -> &Lanes {
        &self.registers[self.first_register + slot as usize]
    }

    pub(crate) fn get_mut(&mut self, slot: Slot) -> &mut Lanes {
        &mut self.registers[self.first_register + slot as usize]
    }

    /// The value in the first of some lanes, for operands that are the same in all lanes.
    pub(crate) fn uniform(&self, slot: Slot, mask: u32) -> u64 {
        self.get(slot)[mask.trailing_zeros().min(31) as usize]
    }

    /// Writes the lanes of `mask`.
    pub(crate) fn set(&mut self, slot: Slot, mask: u32, value: &Lanes) {
        let to = self.get_mut(slot);
        if mask == u32::MAX {
            *to = *value;
            return;
        }
        for lane in lanes_of(mask) {
            to[lane] = value[lane];
        }
    }

    pub(crate) fn predicate(&self, guard: Guard) -> u32 {
        let value = self.predicates[self.first_predicate + guard.pred as usize];
        if guard.negated { !value } else { value }
    }

    pub(crate) fn set_predicate(&mut self, pred: Pred, mask: u32, value: u32) {
        let to = &mut self.predicates[self.first_predicate + pred as usize];
        *to = (*to & !mask) | (value & mask);
    }

    /// Lanes end.
    pub(crate) fn exit(&mut self, mask: u32) {
        self.live &= !mask;
    }

    /// Lanes leave the present function.
    pub(crate) fn leave_function(&mut self, mask: u32) {
        let frame = self.frames.len() as u32 - 1;
        for split in self.stack.iter_mut().rev() {
            if split.frame != frame {
                break;
            }
            split.mask &= !mask;
        }
    }

    /// Another way of the same branch, or a branch around it, that can run while the present lanes wait.
    fn sibling(&self, with_parked: bool) -> Option<usize> {
        let (present, below) = self.stack.split_last()?;
        let lanes = present.mask & self.live;
        below.iter().rposition(|split| {
            // The lanes of an enclosing branch contain the present ones.
            let apart = split.mask & lanes == 0;
            let can_run = split.mask & self.live != 0 && split.pc != split.reconverge;
            split.frame == present.frame && apart && can_run && (with_parked || !split.parked)
        })
    }

    /// Other lanes that wait at the same place: since [`Warp::take_turns`] they need not have come together.
    fn companion(&self) -> Option<usize> {
        let (present, below) = self.stack.split_last()?;
        let place = |split: &Split| (split.pc, split.reconverge, split.frame);
        below.iter().rposition(|split| {
            let apart = split.mask & present.mask & self.live == 0;
            apart && split.mask & self.live != 0 && place(split) == place(present)
        })
    }

    /// Whether lanes that the present ones wait for may still come. The place of the present ones is that of the
    /// instruction that waits, or the next one.
    pub(crate) fn can_park(&self) -> bool {
        self.sibling(false).is_some() || {
            let Some((present, below)) = self.stack.split_last() else { return false };
            below.iter().any(|split| {
                let apart = split.mask & present.mask & self.live == 0;
                let here = split.pc + 1 == present.pc || split.pc == present.pc;
                apart && here && split.mask & self.live != 0 && split.frame == present.frame
            })
        }
    }

    /// Lets other lanes run before the present ones, or joins those that wait at the same place.
    pub(crate) fn park(&mut self) -> bool {
        if let Some(companion) = self.companion() {
            let split = self.stack.remove(companion);
            if let Some(top) = self.stack.last_mut() {
                top.mask |= split.mask;
            }
            return true;
        }
        let Some(sibling) = self.sibling(false) else { return false };
        if let Some(top) = self.stack.last_mut() {
            top.parked = true;
        }
        let split = self.stack.remove(sibling);
        self.stack.push(split);
        true
    }

    /// Lets other lanes run for a while: lanes of a warp may wait for each other in loops.
    pub(crate) fn take_turns(&mut self) {
        if let Some(sibling) = self.sibling(true) {
            let split = self.stack.remove(sibling);
            self.stack.push(split);
        }
    }

    /// Lets lanes go on that wait where the present ones will come to, as independent threads may.
    pub(crate) fn overtake(&mut self) {
        let Some(present) = self.stack.last().copied() else { return };
        let mut covered = present.mask;
        for at in (0..self.stack.len() - 1).rev() {
            let split = &mut self.stack[at];
            if split.frame != present.frame {
                return;
            }
            if split.pc == split.reconverge {
                // Its lanes wait further out.
                continue;
            }
            let encloses = split.mask & present.mask & self.live != 0;
            let waiting = split.mask & self.live & !covered;
            covered |= split.mask;
            if encloses && waiting != 0 {
                split.mask &= !waiting;
                let free = Split { mask: waiting, parked: false, ..*split };
                self.stack.push(free);
                return;
            }
        }
    }
}
