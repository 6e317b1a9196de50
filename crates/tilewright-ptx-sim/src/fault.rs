//! Errors: of reading PTX text, of requests of the host, and of running a kernel.

use std::fmt;

/// PTX text that cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub struct ParseError {
    /// The line in the text, from 1.
    pub line: u32,
    /// Expected and found.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// The place in a program at which a fault was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The kernel.
    pub kernel: String,
    /// The line in the PTX text, from 1.
    pub line: u32,
    /// The block: `%ctaid`.
    pub block: [u32; 3],
    /// The thread in its block: `%tid`; of a fault of a whole warp its first thread.
    pub thread: [u32; 3],
}

/// The kinds of faults of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An access outside live memory.
    OutOfBounds,
    /// An access whose address is no multiple of its size.
    Misaligned,
    /// A store to memory that can only be read.
    ReadOnly,
    /// Two threads touch the same bytes, one of them writes, and nothing orders them.
    Race,
    /// An access to the destination of an asynchronous copy that has not been waited for.
    UnfinishedCopy,
    /// Data of ordinary stores reach an asynchronous unit without `fence.proxy.async`.
    MissingProxyFence,
    /// A barrier that some of its threads never reach, or that a part of a warp reaches.
    Divergence,
    /// All threads wait.
    Deadlock,
    /// The limit of instructions is reached.
    InstructionLimit,
    /// The program executed `trap`.
    Trap,
    /// An instruction with operands that PTX forbids.
    Undefined,
    /// An instruction or a form of one that the simulator does not know.
    Unsupported,
    /// The launch itself is wrong: no such kernel, too many threads, parameters of another size.
    Launch,
}

/// A failed launch, or a failed access of the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The kind, for programs that match on it.
    pub kind: FaultKind,
    /// The place; `None` for faults of the host's own requests.
    pub place: Option<Place>,
    /// The address in its space, where the fault has one.
    pub address: Option<u64>,
    /// The reason, in words.
    pub message: String,
}

impl Fault {
    /// A fault without a place.
    pub(crate) fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, place: None, address: None, message: message.into() }
    }

    pub(crate) fn at(mut self, address: u64) -> Fault {
        self.address = Some(address);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            let [bx, by, bz] = place.block;
            let [tx, ty, tz] = place.thread;
            write!(
                f,
                "kernel {}, PTX line {}, block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz}): ",
                place.kernel, place.line
            )?;
        }
        f.write_str(&self.message)?;
        match self.address {
            Some(address) => write!(f, " (address {address:#x})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}
