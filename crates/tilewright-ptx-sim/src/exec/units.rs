//! What a block has besides its warps: mbarriers, and operations that are under way.

use std::collections::BTreeMap;

use super::bulk::{Inbound, Outbound};
use super::copy::{self, Copy};
use super::wgmma::Group;
use super::{Block, Env};
use crate::fault::FaultKind;
use crate::memory::clocks::View;
use crate::memory::shared::Who;
use crate::memory::{Checked, trouble_at};

/// Failed waits for mbarriers in a row, after which nothing can be expected any more.
const MAX_POLLS: u64 = 1_000_000;

/// An mbarrier.
#[derive(Debug)]
pub(crate) struct Mbarrier {
    /// Arrivals of each phase.
    pub(crate) expected: u32,
    pub(crate) pending: u32,
    /// Bytes of copies that are expected and not there.
    pub(crate) bytes: i64,
    /// Phases that are complete.
    pub(crate) phase: u64,
    /// What those know that have arrived.
    view: View,
    /// The same of the phases that are complete.
    pub(crate) complete: View,
}

impl Mbarrier {
    pub(crate) fn new(expected: u32) -> Mbarrier {
        let (view, complete) = (View::default(), View::default());
        Mbarrier { expected, pending: expected, bytes: 0, phase: 0, view, complete }
    }

    fn settle(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.phase += 1;
            self.pending = self.expected;
            self.complete.join(&self.view);
        }
    }

    /// `count` arrivals of one that knows `view`.
    pub(crate) fn arrive(&mut self, at: u64, count: u32, view: &View) -> Checked<()> {
        if count > self.pending {
            let message = format!("{count} arrivals at an mbarrier that waits for {} more", self.pending);
            return trouble_at(FaultKind::Undefined, at, message);
        }
        self.view.join(view);
        self.pending -= count;
        self.settle();
        Ok(())
    }

    /// Bytes that have come, by one that knows `view`.
    pub(crate) fn complete_bytes(&mut self, bytes: u64, view: &View) {
        self.view.join(view);
        self.bytes -= bytes as i64;
        self.settle();
    }
}

/// An operation that ends at a time of its own.
#[derive(Debug)]
pub(crate) enum Deferred {
    Inbound(Inbound),
    /// `cp.async.mbarrier.arrive`: copies of a thread, then an arrival.
    Arrive {
        copies: Vec<Copy>,
        barrier: u64,
    },
}

#[derive(Debug, Default)]
pub(crate) struct Units {
    /// By address.
    pub(crate) barriers: BTreeMap<u64, Mbarrier>,
    pub(crate) deferred: Vec<Deferred>,
    /// Copies to global memory of each warp.
    pub(crate) outbound: Vec<Outbound>,
    /// Products of each warpgroup.
    pub(crate) groups: Vec<Group>,
    polls: u64,
}

impl Units {
    pub(crate) fn new(warps: usize) -> Units {
        Units { groups: (0..warps.div_ceil(4)).map(|_| Group::default()).collect(), ..Units::default() }
    }

    pub(crate) fn barrier(&mut self, address: u64) -> Checked<&mut Mbarrier> {
        self.polls = 0;
        match self.barriers.get_mut(&address) {
            Some(barrier) => Ok(barrier),
            None => trouble_at(FaultKind::Undefined, address, "there is no mbarrier here: it was not initialised"),
        }
    }
}

/// An operation that is under way ends, chosen by chance. False when there is none.
pub(super) fn complete_one(cx: &super::Context<'_>, env: &mut Env<'_>, block: &mut Block) -> Checked<bool> {
    if block.units.deferred.is_empty() {
        return Ok(false);
    }
    let chosen = env.rng.below(block.units.deferred.len());
    match block.units.deferred.swap_remove(chosen) {
        Deferred::Inbound(copy) => super::bulk::arrive(cx, env, block, copy)?,
        Deferred::Arrive { mut copies, barrier } => {
            let unit = Who { agent: cx.warps, lane: 0 };
            for copy in &mut copies {
                copy::finish(env, block, unit, copy)?;
            }
            let view = block.clocks.release(unit.agent);
            block.units.barrier(barrier)?.arrive(barrier, 1, &view)?;
        }
    }
    Ok(true)
}

/// A wait has failed: something under way may end now.
pub(super) fn waited(cx: &super::Context<'_>, env: &mut Env<'_>, block: &mut Block, address: u64) -> Checked<()> {
    if env.rng.one_in(2) && complete_one(cx, env, block)? {
        return Ok(());
    }
    block.units.polls += 1;
    if block.units.polls > MAX_POLLS && block.units.deferred.is_empty() {
        let state = match block.units.barriers.get(&address) {
            Some(barrier) => format!(
                "phase {}, {} of {} arrivals and {} bytes missing",
                barrier.phase, barrier.pending, barrier.expected, barrier.bytes
            ),
            None => "not initialised".to_owned(),
        };
        let message = format!("threads wait for an mbarrier for ever: {state}");
        return trouble_at(FaultKind::Deadlock, address, message);
    }
    Ok(())
}
