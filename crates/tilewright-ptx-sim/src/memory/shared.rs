//! The shared memory of a block, with a record of who touched each word.

use super::clocks::Clocks;
use super::{Checked, POISON, Touch, load, store, trouble_at};
use crate::decode::SHARED_BASE;
use crate::fault::FaultKind;

/// A thread of the block, or an asynchronous unit with lane 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Who {
    pub(crate) agent: usize,
    pub(crate) lane: usize,
}

/// Several lanes.
const MANY: u8 = 32;

/// A write: stamp (0: nobody wrote) above agent above lane, and whether it is the destination of a copy that is not
/// finished. Records are integers, so that memory for them costs nothing before it is touched.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Write(u64);

impl Write {
    const NONE: Write = Write(0);
    const PENDING: u64 = 1 << 63;

    fn new(stamp: u32, who: Who) -> Write {
        Write(u64::from(stamp & 0x7fff_ffff) << 16 | (who.agent as u64) << 8 | who.lane as u64)
    }

    fn stamp(self) -> u32 {
        (self.0 >> 16) as u32 & 0x7fff_ffff
    }

    fn agent(self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    fn lane(self) -> u8 {
        self.0 as u8
    }

    fn is_pending(self) -> bool {
        self.0 & Write::PENDING != 0
    }
}

/// Reads of one agent: the stamp (0: none) and the lane.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Read(u32);

impl Read {
    const MAX_STAMP: u32 = (1 << 26) - 1;

    fn new(stamp: u32, lane: u8) -> Read {
        Read(stamp.min(Read::MAX_STAMP) << 6 | u32::from(lane))
    }

    fn stamp(self) -> u32 {
        self.0 >> 6
    }

    fn lane(self) -> u8 {
        (self.0 & 63) as u8
    }
}

#[derive(Debug)]
pub(crate) struct Shared {
    bytes: Vec<u8>,
    /// Bytes of one cell of the records: 4, and 1 after an access to a part of a word.
    granule: usize,
    writes: Vec<u64>,
    /// The last atomic, relaxed or volatile writes since the ordinary ones.
    strong: Vec<u64>,
    /// For each cell, one record of each agent.
    reads: Vec<u32>,
    agents: usize,
    checks: bool,
}

impl Shared {
    pub(crate) fn new(bytes: usize, agents: usize, checks: bool) -> Shared {
        let cells = if checks { bytes.div_ceil(4) } else { 0 };
        Shared {
            bytes: vec![POISON; bytes],
            granule: 4,
            writes: vec![0; cells],
            strong: vec![0; cells],
            reads: vec![0; cells * agents],
            agents,
            checks,
        }
    }

    /// The place of an access among the bytes.
    pub(crate) fn locate(&self, address: u64, bytes: u32, align: u32) -> Checked<usize> {
        let at = address.wrapping_sub(SHARED_BASE);
        if at.checked_add(bytes.into()).is_none_or(|end| end > self.bytes.len() as u64) {
            let size = self.bytes.len();
            let message = format!(
                "an access of {bytes} bytes outside the {size} bytes of shared memory, which begin at {SHARED_BASE:#x}"
            );
            return trouble_at(FaultKind::OutOfBounds, address, message);
        }
        if !address.is_multiple_of(align.into()) {
            let message = format!("an access to shared memory needs a multiple of {align} as address");
            return trouble_at(FaultKind::Misaligned, address, message);
        }
        Ok(at as usize)
    }

    pub(crate) fn load(&self, at: usize, bytes: u32) -> u64 {
        load(&self.bytes, at, bytes)
    }

    pub(crate) fn store(&mut self, at: usize, bytes: u32, value: u64) {
        store(&mut self.bytes, at, bytes, value);
    }

    /// Bytes that `locate` has found.
    pub(crate) fn slice(&self, at: usize, bytes: usize) -> &[u8] {
        &self.bytes[at..at + bytes]
    }

    pub(crate) fn slice_mut(&mut self, at: usize, bytes: usize) -> &mut [u8] {
        &mut self.bytes[at..at + bytes]
    }

    fn split(&mut self) {
        self.granule = 1;
        self.writes = self.writes.iter().flat_map(|write| [*write; 4]).collect();
        self.strong = self.strong.iter().flat_map(|write| [*write; 4]).collect();
        self.reads = self.reads.chunks(self.agents).flat_map(|cell| cell.repeat(4)).collect();
    }

    fn cells(&mut self, at: usize, bytes: u32) -> std::ops::Range<usize> {
        if self.granule == 4 && !(at.is_multiple_of(4) && bytes.is_multiple_of(4)) {
            self.split();
        }
        at / self.granule..(at + bytes as usize).div_ceil(self.granule)
    }

    /// Records an access; an error where nothing orders it with an earlier one.
    pub(crate) fn touch(&mut self, clocks: &Clocks, who: Who, at: usize, bytes: u32, touch: Touch) -> Checked<()> {
        if !self.checks {
            return Ok(());
        }
        for cell in self.cells(at, bytes) {
            if let Some((kind, message)) = self.conflict(clocks, who, cell, touch) {
                return trouble_at(kind, (cell * self.granule) as u64 + SHARED_BASE, message);
            }
            self.record(clocks, who, cell, touch);
        }
        Ok(())
    }

    fn conflict(&self, clocks: &Clocks, who: Who, cell: usize, touch: Touch) -> Option<(FaultKind, String)> {
        let lane = who.lane as u8;
        let write = Write(self.writes[cell]);
        if write.is_pending() {
            return Some((
                FaultKind::UnfinishedCopy,
                "an access to the destination of an asynchronous copy that has not been waited for".to_owned(),
            ));
        }
        let strong = if touch.is_strong() { Write::NONE } else { Write(self.strong[cell]) };
        for write in [write, strong] {
            if write.stamp() != 0 && !clocks.ordered(write.agent(), write.lane(), write.stamp(), who.agent, lane) {
                let verb = if touch.writes() { "writes" } else { "reads" };
                let writer = name(write.agent(), write.lane());
                return Some((
                    FaultKind::Race,
                    format!("race on shared memory: {verb} bytes that {writer} wrote, with nothing to order them"),
                ));
            }
        }
        if !touch.writes() {
            return None;
        }
        let reads = &self.reads[cell * self.agents..(cell + 1) * self.agents];
        let reader = reads.iter().map(|read| Read(*read)).enumerate().find(|(agent, read)| {
            read.stamp() != 0 && !clocks.ordered(*agent, read.lane(), read.stamp(), who.agent, lane)
        });
        reader.map(|(agent, read)| {
            let reader = name(agent, read.lane());
            let message = format!("race on shared memory: writes bytes that {reader} read, with nothing to order them");
            (FaultKind::Race, message)
        })
    }

    fn record(&mut self, clocks: &Clocks, who: Who, cell: usize, touch: Touch) {
        let stamp = clocks.now(who.agent);
        let reads = &mut self.reads[cell * self.agents..(cell + 1) * self.agents];
        match touch {
            Touch::Rewrite => {}
            Touch::Write | Touch::StrongWrite => {
                reads.fill(0);
                let write = Write::new(stamp, who).0;
                if touch.is_strong() {
                    self.strong[cell] = write;
                } else {
                    (self.writes[cell], self.strong[cell]) = (write, 0);
                }
            }
            Touch::Read => {
                let (read, lane) = (&mut reads[who.agent], who.lane as u8);
                let old = Read(*read);
                // A read of another lane that nothing has ordered yet stays on record.
                let several = old.stamp() != 0
                    && old.lane() != lane
                    && !clocks.ordered(who.agent, old.lane(), old.stamp(), who.agent, lane);
                *read = Read::new(stamp, if several { MANY } else { lane }).0;
            }
            Touch::StrongRead => {}
        }
    }

    /// The destination of a copy that begins: nobody may touch it before `finish`.
    pub(crate) fn begin(&mut self, clocks: &Clocks, who: Who, at: usize, bytes: u32) -> Checked<()> {
        self.touch(clocks, who, at, bytes, Touch::Write)?;
        if self.checks {
            for cell in self.cells(at, bytes) {
                self.writes[cell] |= Write::PENDING;
            }
        }
        Ok(())
    }

    /// The copy into these bytes is done, by `who` at its present stamp.
    pub(crate) fn finish(&mut self, clocks: &Clocks, who: Who, at: usize, bytes: u32) {
        if !self.checks {
            return;
        }
        for cell in self.cells(at, bytes) {
            self.record(clocks, who, cell, Touch::Write);
        }
    }

    /// An error where ordinary stores to these bytes have not been passed on to asynchronous units for `agent`.
    pub(crate) fn check_proxy(
        &mut self,
        clocks: &Clocks,
        agent: usize,
        warps: usize,
        at: usize,
        bytes: u32,
    ) -> Checked<()> {
        if !self.checks {
            return Ok(());
        }
        for cell in self.cells(at, bytes) {
            let write = Write(self.writes[cell]);
            let by = write.agent();
            if write.stamp() != 0 && by < warps && !clocks.passed_on(by, write.stamp(), agent) {
                let writer = name(by, write.lane());
                let message = format!(
                    "an asynchronous unit reads bytes that {writer} stored, without `fence.proxy.async` between"
                );
                let address = (cell * self.granule) as u64 + SHARED_BASE;
                return trouble_at(FaultKind::MissingProxyFence, address, message);
            }
        }
        Ok(())
    }
}

fn name(agent: usize, lane: u8) -> String {
    if lane == MANY { format!("warp {agent}") } else { format!("lane {lane} of warp {agent}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(agent: usize, lane: usize) -> Who {
        Who { agent, lane }
    }

    #[test]
    fn a_write_and_a_read_race_until_a_barrier() {
        let mut clocks = Clocks::new(2);
        let mut shared = Shared::new(64, 2, true);
        shared.touch(&clocks, who(0, 1), 8, 4, Touch::Write).expect("first");
        shared.touch(&clocks, who(0, 1), 8, 4, Touch::Read).expect("its own");
        let fault = shared.touch(&clocks, who(1, 0), 8, 4, Touch::Read).expect_err("race");
        assert_eq!((fault.kind, fault.address), (FaultKind::Race, Some(SHARED_BASE + 8)));
        clocks.barrier(&[0, 1]);
        shared.touch(&clocks, who(1, 0), 8, 4, Touch::Read).expect("ordered");
        shared.touch(&clocks, who(0, 1), 8, 4, Touch::Write).expect_err("a read is not over");
    }

    #[test]
    fn neighbouring_bytes_do_not_race() {
        let clocks = Clocks::new(2);
        let mut shared = Shared::new(64, 2, true);
        shared.touch(&clocks, who(0, 0), 0, 4, Touch::Read).expect("word");
        for byte in 4..8 {
            shared.touch(&clocks, who(byte % 2, 0), byte, 1, Touch::Write).expect("bytes");
        }
        shared.touch(&clocks, who(1, 0), 1, 1, Touch::Write).expect_err("a byte of the word that was read");
    }

    #[test]
    fn lanes_of_one_warp_race_too() {
        let clocks = Clocks::new(1);
        let mut shared = Shared::new(64, 1, true);
        shared.touch(&clocks, who(0, 0), 0, 4, Touch::Read).expect("read");
        shared.touch(&clocks, who(0, 1), 0, 4, Touch::Read).expect("read");
        shared.touch(&clocks, who(0, 1), 0, 4, Touch::Write).expect_err("lane 0 read it");
    }

    #[test]
    fn atomic_accesses_race_only_with_ordinary_ones() {
        let clocks = Clocks::new(2);
        let mut shared = Shared::new(64, 2, true);
        shared.touch(&clocks, who(0, 0), 0, 4, Touch::StrongWrite).expect("atomic");
        shared.touch(&clocks, who(1, 0), 0, 4, Touch::StrongWrite).expect("atomic");
        shared.touch(&clocks, who(0, 0), 0, 4, Touch::Read).expect_err("ordinary");
    }

    #[test]
    fn unfinished_copies_are_not_touched() {
        let clocks = Clocks::new(1);
        let mut shared = Shared::new(64, 1, true);
        shared.begin(&clocks, who(0, 0), 16, 16).expect("begin");
        let fault = shared.touch(&clocks, who(0, 0), 20, 4, Touch::Read).expect_err("unfinished");
        assert_eq!(fault.kind, FaultKind::UnfinishedCopy);
        shared.finish(&clocks, who(0, 0), 16, 16);
        shared.touch(&clocks, who(0, 0), 20, 4, Touch::Read).expect("finished");
    }

    #[test]
    fn bounds_and_alignment() {
        let shared = Shared::new(64, 1, true);
        assert_eq!(shared.locate(SHARED_BASE + 60, 4, 4).ok(), Some(60));
        assert_eq!(shared.locate(SHARED_BASE + 61, 4, 4).expect_err("end").kind, FaultKind::OutOfBounds);
        assert_eq!(shared.locate(SHARED_BASE + 2, 4, 4).expect_err("align").kind, FaultKind::Misaligned);
        assert_eq!(shared.locate(0, 4, 4).expect_err("null").kind, FaultKind::OutOfBounds);
        assert_eq!(shared.locate(u64::MAX, 4, 4).expect_err("wrap").kind, FaultKind::OutOfBounds);
    }
}
