//! The device's memory: allocations with gaps between them, and a record of who touched each word in this launch.

use std::collections::HashMap;

use super::clocks::{Clocks, View};
use super::shared::Who;
use super::{Checked, POISON, Touch, trouble_at};
use crate::decode::GLOBAL_BASE;
use crate::fault::{Fault, FaultKind};

/// Bytes between two allocations at least.
const GAP: u64 = 4096;

/// Every allocation begins at a multiple of this, as `cuMemAlloc` gives it.
const ALIGN: u64 = 256;

/// Words of one page of records.
const PAGE: usize = 1024;

/// One allocation.
#[derive(Debug)]
struct Region {
    base: u64,
    bytes: Vec<u8>,
    read_only: bool,
    records: Records,
}

#[derive(Debug, Default)]
pub(crate) struct Global {
    /// Sorted by base.
    regions: Vec<Region>,
    next: u64,
    used: u64,
    limit: u64,
}

/// An access that was found: the allocation and the place in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) region: usize,
    pub(crate) at: usize,
}

impl Global {
    pub(crate) fn new(limit: u64) -> Global {
        Global { regions: Vec::new(), next: GLOBAL_BASE, used: 0, limit }
    }

    pub(crate) fn alloc(&mut self, bytes: u64, read_only: bool) -> Result<u64, Fault> {
        if bytes > self.limit - self.used {
            let message = format!("{bytes} bytes of memory are not free: {} of {} are used", self.used, self.limit);
            return Err(Fault::new(FaultKind::OutOfBounds, message));
        }
        let base = self.next;
        // Addresses are not used again, so that one that was freed is never another allocation's.
        self.next = (base + bytes + GAP).next_multiple_of(ALIGN);
        self.used += bytes;
        self.regions.push(Region { base, bytes: vec![POISON; bytes as usize], read_only, records: Records::default() });
        Ok(base)
    }

    pub(crate) fn free(&mut self, address: u64) -> Result<(), Fault> {
        match self.regions.binary_search_by_key(&address, |region| region.base) {
            Ok(index) => {
                self.used -= self.regions[index].bytes.len() as u64;
                self.regions.remove(index);
                Ok(())
            }
            Err(_) => Err(Fault::new(FaultKind::OutOfBounds, "no allocation begins here").at(address)),
        }
    }

    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// The allocation that holds `bytes` bytes at `address`. `hint` is the allocation of the last access.
    pub(crate) fn find(&self, address: u64, bytes: u64, hint: &mut usize) -> Checked<Found> {
        let inside = |region: &Region| {
            let at = address.wrapping_sub(region.base);
            at.checked_add(bytes).is_some_and(|end| end <= region.bytes.len() as u64).then_some(at as usize)
        };
        if let Some(at) = self.regions.get(*hint).and_then(inside) {
            return Ok(Found { region: *hint, at });
        }
        let after = self.regions.partition_point(|region| region.base <= address);
        if let Some(index) = after.checked_sub(1)
            && let Some(at) = inside(&self.regions[index])
        {
            *hint = index;
            return Ok(Found { region: index, at });
        }
        trouble_at(FaultKind::OutOfBounds, address, self.describe(address, bytes, after))
    }

    fn describe(&self, address: u64, bytes: u64, after: usize) -> String {
        let access = format!("an access of {bytes} bytes outside every allocation");
        let Some(region) = after.checked_sub(1).map(|index| &self.regions[index]) else { return access };
        let size = region.bytes.len() as u64;
        let at = address - region.base;
        if at < size + (1 << 20) {
            return format!("{access}: at byte {at} of one of {size} bytes");
        }
        access
    }

    /// Like `find`, with the alignment that the access needs, and for writes the right to write.
    pub(crate) fn locate(&self, address: u64, bytes: u32, align: u32, write: bool, hint: &mut usize) -> Checked<Found> {
        let found = self.find(address, bytes.into(), hint)?;
        if !address.is_multiple_of(align.into()) {
            let message = format!("an access to global memory needs a multiple of {align} as address");
            return trouble_at(FaultKind::Misaligned, address, message);
        }
        if write && self.regions[found.region].read_only {
            return trouble_at(FaultKind::ReadOnly, address, "a store to a constant");
        }
        Ok(found)
    }

    pub(crate) fn bytes(&self, found: Found) -> &[u8] {
        &self.regions[found.region].bytes[found.at..]
    }

    pub(crate) fn bytes_mut(&mut self, found: Found) -> &mut [u8] {
        &mut self.regions[found.region].bytes[found.at..]
    }

    /// Forgets all records: another launch begins.
    pub(crate) fn forget(&mut self) {
        for region in &mut self.regions {
            region.records = Records::default();
        }
    }

    /// Records an access; an error where nothing orders it with an earlier one.
    pub(crate) fn touch(&mut self, actor: &Actor<'_>, found: Found, bytes: u32, touch: Touch) -> Checked<()> {
        let region = &mut self.regions[found.region];
        if region.read_only {
            return Ok(());
        }
        match region.records.touch(actor, region.bytes.len(), found.at, bytes, touch) {
            None => Ok(()),
            Some((at, message)) => trouble_at(FaultKind::Race, region.base + at as u64, message),
        }
    }

    pub(crate) fn host(&self, address: u64, bytes: usize) -> Result<Found, Fault> {
        self.find(address, bytes as u64, &mut 0)
            .map_err(|trouble| Fault::new(trouble.kind, trouble.message).at(address))
    }
}

/// The thread that accesses global memory, and what it and its block know.
#[derive(Debug)]
pub(crate) struct Actor<'a> {
    /// The number of the block, from 1.
    pub(crate) block: u32,
    pub(crate) who: Who,
    pub(crate) clocks: &'a Clocks,
    /// The last ticks of other blocks whose work is ordered before what this one does.
    pub(crate) blocks: &'a HashMap<u32, u32>,
}

/// Several threads of a block, and several blocks.
const MANY: u64 = (1 << 12) - 1;
pub(crate) const MANY_BLOCKS: u32 = (1 << 24) - 1;
const MAX_STAMP: u32 = (1 << 24) - 1;

/// An access: the block (0: there was none) above the stamp above warp and lane, so that records stay small.
#[derive(Clone, Copy, Debug, Default)]
struct Event(u64);

impl Event {
    fn new(block: u32, stamp: u32, who: u64) -> Event {
        Event(u64::from(block) << 36 | u64::from(stamp.min(MAX_STAMP)) << 12 | who)
    }

    fn block(self) -> u32 {
        (self.0 >> 36) as u32
    }

    fn stamp(self) -> u32 {
        (self.0 >> 12) as u32 & MAX_STAMP
    }

    fn who(self) -> u64 {
        self.0 & MANY
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    write: Event,
    /// The last atomic, relaxed or volatile write since the ordinary one.
    strong: Event,
    read: Event,
}

/// Who touched the words of an allocation in this launch.
#[derive(Debug, Default)]
struct Records {
    /// Pages of cells, made when they are touched.
    pages: Vec<Option<Box<[Cell]>>>,
    /// Whether a cell is a byte; else it is a word.
    bytewise: bool,
}

impl Records {
    fn touch(
        &mut self,
        actor: &Actor<'_>,
        size: usize,
        at: usize,
        bytes: u32,
        touch: Touch,
    ) -> Option<(usize, String)> {
        let words = at.is_multiple_of(4) && bytes.is_multiple_of(4);
        if !(self.bytewise || words) {
            self.split(size);
        }
        let granule = if self.bytewise { 1 } else { 4 };
        let (mut cell, last) = (at / granule, (at + bytes as usize).div_ceil(granule));
        while cell < last {
            let page = page(&mut self.pages, cell / PAGE);
            let end = last.min((cell / PAGE + 1) * PAGE);
            for index in cell..end {
                let record = &mut page[index % PAGE];
                if let Some(message) = conflict(actor, record, touch) {
                    return Some((index * granule, message));
                }
                note(actor, record, touch);
            }
            cell = end;
        }
        None
    }

    fn split(&mut self, size: usize) {
        self.bytewise = true;
        let old = std::mem::take(&mut self.pages);
        for (number, cells) in old.iter().enumerate() {
            for (index, cell) in cells.iter().flatten().enumerate() {
                let first = (number * PAGE + index) * 4;
                for byte in first..(first + 4).min(size) {
                    page(&mut self.pages, byte / PAGE)[byte % PAGE] = *cell;
                }
            }
        }
    }
}

fn page(pages: &mut Vec<Option<Box<[Cell]>>>, number: usize) -> &mut [Cell] {
    if pages.len() <= number {
        pages.resize(number + 1, None);
    }
    pages[number].get_or_insert_with(|| vec![Cell::default(); PAGE].into())
}

fn ordered(actor: &Actor<'_>, event: Event) -> bool {
    let (block, stamp, who) = (event.block(), event.stamp(), event.who());
    if block == MANY_BLOCKS {
        // Whether all of those reads are ordered before this is not on record; without any order they are not.
        return !actor.blocks.is_empty();
    }
    if block != actor.block {
        return actor.blocks.get(&block).is_some_and(|tick| *tick >= stamp);
    }
    let (agent, lane) = (actor.who.agent, actor.who.lane as u8);
    if who == MANY {
        // The first of those reads: without any later tick of another warp, they are not ordered.
        return actor.clocks.knows_of_others(agent, stamp);
    }
    actor.clocks.ordered((who >> 6) as usize, (who & 63) as u8, stamp, agent, lane)
}

fn conflict(actor: &Actor<'_>, cell: &Cell, touch: Touch) -> Option<String> {
    let verb = if touch.writes() { "writes" } else { "reads" };
    let strong = if touch.is_strong() { Event::default() } else { cell.strong };
    if let Some(write) = [cell.write, strong].iter().find(|write| write.block() != 0 && !ordered(actor, **write)) {
        let writer = describe(actor, *write);
        return Some(format!("race on global memory: {verb} bytes that {writer} wrote, with nothing to order them"));
    }
    if touch.writes() && cell.read.block() != 0 && !ordered(actor, cell.read) {
        let reader = describe(actor, cell.read);
        return Some(format!("race on global memory: writes bytes that {reader} read, with nothing to order them"));
    }
    None
}

fn describe(actor: &Actor<'_>, event: Event) -> String {
    let thread = match event.who() {
        MANY => "several threads".to_owned(),
        who => format!("lane {} of warp {}", who & 63, who >> 6),
    };
    match event.block() {
        MANY_BLOCKS => "several blocks".to_owned(),
        block if block == actor.block => thread,
        block => format!("block number {} ({thread})", block - 1),
    }
}

fn note(actor: &Actor<'_>, cell: &mut Cell, touch: Touch) {
    let who = (actor.who.agent as u64) << 6 | actor.who.lane as u64;
    let stamp = actor.clocks.now(actor.who.agent);
    let event = Event::new(actor.block, stamp, who);
    match touch {
        Touch::Rewrite => {}
        Touch::Write => *cell = Cell { write: event, ..Cell::default() },
        Touch::StrongWrite => (cell.strong, cell.read) = (event, Event::default()),
        Touch::StrongRead => {}
        Touch::Read => {
            let old = cell.read;
            cell.read = event;
            let same = old.block() == actor.block;
            if old.block() == 0 || same && old.who() == who || ordered(actor, old) {
                return;
            }
            cell.read = if same {
                Event::new(actor.block, stamp.min(old.stamp()), MANY)
            } else {
                Event::new(MANY_BLOCKS, stamp, MANY)
            };
        }
    }
}

/// What is published at an address of atomic accesses.
#[derive(Debug, Default)]
pub(crate) struct Published {
    /// The last tick of each block.
    pub(crate) blocks: HashMap<u32, u32>,
    /// For threads of the same block: what its warps knew.
    pub(crate) views: HashMap<u32, View>,
}

impl Published {
    pub(crate) fn join(&mut self, other: &Published) {
        for (&block, &tick) in &other.blocks {
            let entry = self.blocks.entry(block).or_default();
            *entry = (*entry).max(tick);
        }
        for (&block, view) in &other.views {
            self.views.entry(block).or_default().join(view);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actor<'a>(clocks: &'a Clocks, blocks: &'a HashMap<u32, u32>, block: u32, lane: usize) -> Actor<'a> {
        Actor { block, who: Who { agent: 0, lane }, clocks, blocks }
    }

    #[test]
    fn allocations_have_gaps_and_bounds() {
        let mut memory = Global::new(1 << 20);
        let (a, b) = (memory.alloc(100, false).expect("a"), memory.alloc(100, false).expect("b"));
        assert!(b >= a + 100 + GAP);
        let mut hint = 0;
        assert_eq!(memory.find(a + 96, 4, &mut hint).expect("inside").at, 96);
        let fault = memory.find(a + 97, 4, &mut hint).expect_err("past the end");
        assert!(fault.message.contains("at byte 97 of one of 100"), "{}", fault.message);
        memory.find(u64::MAX, 4, &mut hint).expect_err("wraps");
        memory.find(0, 4, &mut hint).expect_err("null");
        memory.free(a).expect("free");
        memory.find(a, 1, &mut hint).expect_err("freed");
        memory.free(a).expect_err("twice");
        memory.alloc(1 << 20, false).expect_err("too much");
    }

    #[test]
    fn blocks_race_on_writes_and_not_on_reads() {
        let mut memory = Global::new(1 << 20);
        let base = memory.alloc(64, false).expect("memory");
        let clocks = Clocks::new(1);
        let none = HashMap::new();
        let found = memory.find(base, 4, &mut 0).expect("found");
        memory.touch(&actor(&clocks, &none, 1, 0), found, 4, Touch::Read).expect("read");
        memory.touch(&actor(&clocks, &none, 2, 0), found, 4, Touch::Read).expect("read");
        memory.touch(&actor(&clocks, &none, 2, 0), found, 4, Touch::Write).expect_err("block 1 read it");
        let next = Found { at: 4, ..found };
        memory.touch(&actor(&clocks, &none, 1, 0), next, 4, Touch::Write).expect("write");
        memory.touch(&actor(&clocks, &none, 1, 0), next, 4, Touch::Read).expect("its own");
        memory.touch(&actor(&clocks, &none, 1, 1), next, 4, Touch::Read).expect_err("another lane");
        let known = HashMap::from([(1, 1)]);
        memory.touch(&actor(&clocks, &known, 2, 0), next, 4, Touch::Read).expect("ordered by an atomic");
        memory.forget();
        memory.touch(&actor(&clocks, &none, 3, 0), next, 4, Touch::Write).expect("another launch");
    }
}
