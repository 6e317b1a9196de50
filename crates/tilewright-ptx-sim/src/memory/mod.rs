//! Memory: allocations of the device, shared memory of a block, and the records by which races are found.

pub(crate) mod clocks;
pub(crate) mod global;
pub(crate) mod shared;

use crate::fault::FaultKind;

/// The byte of memory that nobody has written: floats of it are NaN, integers -1.
pub(crate) const POISON: u8 = 0xff;

/// A fault that does not yet know where the program was.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) kind: FaultKind,
    pub(crate) message: String,
    pub(crate) address: Option<u64>,
    /// The lane; that of a fault of the whole warp is its first.
    pub(crate) lane: Option<usize>,
}

pub(crate) type Checked<T> = Result<T, Box<Trouble>>;

pub(crate) fn trouble<T>(kind: FaultKind, message: impl Into<String>) -> Checked<T> {
    Err(Box::new(Trouble { kind, message: message.into(), address: None, lane: None }))
}

pub(crate) fn trouble_at<T>(kind: FaultKind, address: u64, message: impl Into<String>) -> Checked<T> {
    Err(Box::new(Trouble { kind, message: message.into(), address: Some(address), lane: None }))
}

/// The lane of a trouble.
pub(crate) fn in_lane<T>(result: Checked<T>, lane: usize) -> Checked<T> {
    result.map_err(|mut trouble| {
        trouble.lane = Some(lane);
        trouble
    })
}

/// How an access counts for races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
    /// A write of what is there already: whoever wrote it first, memory is the same.
    Rewrite,
    /// Atomic, relaxed or volatile: no race with others of its kind.
    StrongRead,
    StrongWrite,
}

impl Touch {
    pub(crate) fn writes(self) -> bool {
        matches!(self, Touch::Write | Touch::Rewrite | Touch::StrongWrite)
    }

    pub(crate) fn is_strong(self) -> bool {
        matches!(self, Touch::StrongRead | Touch::StrongWrite)
    }
}

/// `bytes` (1, 2, 4 or 8) at `at`, which are there.
pub(crate) fn load(memory: &[u8], at: usize, bytes: u32) -> u64 {
    let slice = &memory[at..at + bytes as usize];
    match slice.len() {
        4 => u64::from(u32::from_le_bytes(slice.try_into().unwrap_or_default())),
        8 => u64::from_le_bytes(slice.try_into().unwrap_or_default()),
        2 => u64::from(u16::from_le_bytes(slice.try_into().unwrap_or_default())),
        _ => u64::from(slice[0]),
    }
}

pub(crate) fn store(memory: &mut [u8], at: usize, bytes: u32, value: u64) {
    let bytes = bytes as usize;
    memory[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
}
