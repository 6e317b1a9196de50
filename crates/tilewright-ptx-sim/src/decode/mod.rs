//! Statements → [`Op`]s.

mod arith;
mod asynchronous;
mod builder;
mod constant;
mod control;
mod convert;
mod flow;
mod memory;
mod op;
mod opcode;
mod symbols;
mod tensor;
mod warp;

pub(crate) use builder::Builder;
pub(crate) use constant::{
    Constant, GLOBAL_BASE, LOCAL_WINDOW, MaskKind, PARAM_WINDOW, SHARED_BASE, SHARED_WINDOW, Special, WINDOW_BYTES,
    window,
};
pub(crate) use op::{
    Access, Address, BarrierKind, Guard, Inst, Join, Op, Order, Place, Pred, Product, ShuffleMode, Sink, Slot, VoteMode,
};
pub(crate) use symbols::Symbols;

use crate::parse::Statement;
use opcode::Opcode;

/// The code of a function.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) insts: Vec<Inst>,
    /// Registers, with those of constants.
    pub(crate) registers: u32,
    /// Predicates, with the one that is true.
    pub(crate) predicates: u32,
    pub(crate) constants: Vec<(Slot, Constant)>,
    /// Bytes of local memory of each thread.
    pub(crate) local_bytes: u32,
    /// Bytes of the frame: parameters, results, and those of calls.
    pub(crate) frame_bytes: u32,
    /// The parameters of a function that is called: place and bytes.
    pub(crate) parameters: Vec<(u32, u32)>,
    pub(crate) results: Vec<(u32, u32)>,
    /// Functions that it calls.
    pub(crate) callees: Vec<usize>,
    /// Shared variables that it names.
    pub(crate) shared: Vec<usize>,
}

/// Why a statement has no instruction.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The text is wrong.
    Wrong(String),
    /// The simulator does not know it.
    Unsupported(String),
}

pub(crate) type Decoded<T> = Result<T, Problem>;

pub(crate) fn wrong<T>(message: impl Into<String>) -> Decoded<T> {
    Err(Problem::Wrong(message.into()))
}

pub(crate) fn unsupported<T>(message: impl Into<String>) -> Decoded<T> {
    Err(Problem::Unsupported(message.into()))
}

/// A family of instructions: its decoder returns `None` for opcodes that are not its own.
type Family = for<'a> fn(&mut Builder<'a, '_>, &Opcode<'a>, &Statement<'a>) -> Decoded<Option<Op>>;

const FAMILIES: [Family; 7] = [
    arith::decode,
    convert::decode,
    memory::decode,
    control::decode,
    warp::decode,
    tensor::decode,
    asynchronous::decode,
];

fn decode<'a>(cx: &mut Builder<'a, '_>, statement: &Statement<'a>) -> Decoded<Op> {
    let opcode = Opcode::new(statement.opcode);
    for family in FAMILIES {
        if let Some(op) = family(cx, &opcode, statement)? {
            return Ok(op);
        }
    }
    unsupported(format!("`{}`", statement.opcode))
}
