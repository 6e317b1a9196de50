//! Decoded instructions: registers are slots, labels are places in the code, nothing is text.

use crate::exec::asynchronous::AsyncOp;
use crate::exec::tensor::TensorOp;
use crate::lanes::{Map1, Map2, Map3, Map4, Relation};
use crate::module::Space;
use crate::scalar::approx::Approx;
use crate::scalar::convert::Convert;
use crate::scalar::float::FloatOp;

/// A register in a frame; constants and special registers have slots of their own.
pub(crate) type Slot = u32;

/// A predicate register in a frame. Slot 0 is always true.
pub(crate) type Pred = u32;

/// A predicate that is read, perhaps negated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Guard {
    pub(crate) pred: Pred,
    pub(crate) negated: bool,
}

impl Guard {
    pub(crate) const TRUE: Guard = Guard { pred: 0, negated: false };
}

#[derive(Debug)]
pub(crate) struct Inst {
    pub(crate) guard: Option<Guard>,
    pub(crate) line: u32,
    pub(crate) op: Op,
}

/// `[base + offset]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Address {
    pub(crate) base: Slot,
    pub(crate) offset: u64,
}

/// The memory order of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// An ordinary access.
    Weak,
    /// Relaxed or volatile: no race, no order.
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
}

impl Order {
    pub(crate) fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcquireRelease)
    }

    pub(crate) fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcquireRelease)
    }
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Space(Space),
    /// The parameters of a called function, or those that a call is given: bytes of the frame.
    Frame,
}

/// A memory access without its registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) place: Place,
    pub(crate) order: Order,
    /// Bytes of one element: 1, 2, 4 or 8.
    pub(crate) bytes: u32,
    /// The alignment that the whole access needs.
    pub(crate) align: u32,
    pub(crate) address: Address,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    Popc,
    And,
    Or,
}

/// The result of a barrier with a reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sink {
    None,
    Reg(Slot),
    Pred(Pred),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum VoteMode {
    All,
    Any,
    Uni,
    Ballot,
}

/// How `setp` and `set` join a relation with a predicate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Join {
    And,
    Or,
    Xor,
}

/// A function that a call enters, and the bytes that it hands over: from, to, count.
#[derive(Clone, Debug)]
pub(crate) struct CallOp {
    pub(crate) function: usize,
    pub(crate) arguments: Vec<u32>,
    pub(crate) results: Vec<u32>,
}

#[derive(Debug)]
pub(crate) enum Op {
    Map1 {
        f: Map1,
        d: Slot,
        a: Slot,
    },
    Map2 {
        f: Map2,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Map3 {
        f: Map3,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    /// Four operands: `bfi` and `lop3`.
    Map4 {
        f: Map4,
        d: Slot,
        abcd: [Slot; 4],
    },
    Move {
        d: Slot,
        a: Slot,
    },
    Float {
        op: Box<FloatOp>,
        d: Slot,
        abc: [Slot; 3],
    },
    Approx {
        op: Approx,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Convert {
        op: Box<Convert>,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// Sums with carry: `bits` wide, with and without carry in and out.
    Carry {
        bits: u32,
        subtract: bool,
        carry_in: bool,
        carry_out: bool,
        product: Option<Product>,
        d: Slot,
        abc: [Slot; 3],
    },
    Compare {
        f: Relation,
        d: Pred,
        e: Option<Pred>,
        a: Slot,
        b: Slot,
        join: Option<(Join, Guard)>,
    },
    /// `set`: all ones or `1.0` where the relation holds.
    Set {
        f: Relation,
        d: Slot,
        a: Slot,
        b: Slot,
        join: Option<(Join, Guard)>,
        one: u64,
    },
    /// `set.f16x2`: the relation of each half.
    SetHalves {
        f: [Relation; 2],
        d: Slot,
        a: Slot,
        b: Slot,
        one: [u64; 2],
    },
    Select {
        d: Slot,
        a: Slot,
        b: Slot,
        p: Guard,
    },
    /// `slct`: `a` where `c` is not below zero.
    SelectSign {
        f: fn(u64) -> bool,
        d: Slot,
        abc: [Slot; 3],
    },
    PredMap {
        f: fn(u32, u32) -> u32,
        d: Pred,
        a: Guard,
        b: Guard,
    },
    PredSelect {
        d: Pred,
        a: Guard,
        b: Guard,
        p: Guard,
    },
    /// `{a, b} → d`: slots with the bits of each.
    Pack {
        d: Slot,
        parts: Box<[Slot]>,
        bits: u32,
    },
    /// Registers into the two of a `.b128`, and the other way.
    Join {
        d: Slot,
        parts: Box<[Slot]>,
    },
    Split {
        parts: Box<[Slot]>,
        a: Slot,
    },
    /// `a → {d, e}`.
    Unpack {
        parts: Box<[Slot]>,
        bits: u32,
        a: Slot,
    },
    Clock {
        d: Slot,
        bits: u32,
    },
    Load {
        access: Access,
        d: Box<[Slot]>,
        sign: Option<(u32, u32)>,
    },
    Store {
        access: Access,
        a: Box<[Slot]>,
    },
    Atomic {
        access: Access,
        f: fn(u64, u64, u64) -> u64,
        d: Slot,
        b: Slot,
        c: Slot,
    },
    /// `cvta`, `cvta.to` and `isspacep`.
    ToGeneric {
        space: Space,
        d: Slot,
        a: Slot,
    },
    FromGeneric {
        space: Space,
        d: Slot,
        a: Slot,
    },
    IsSpace {
        space: Space,
        d: Pred,
        a: Slot,
    },
    Fence,
    ProxyFence,
    Branch {
        target: u32,
        reconverge: u32,
    },
    BranchTable {
        index: Slot,
        targets: Box<[u32]>,
        reconverge: u32,
    },
    Call(Box<CallOp>),
    Return,
    Exit,
    Trap,
    Barrier {
        kind: BarrierKind,
        id: Slot,
        count: Option<Slot>,
        input: Guard,
        result: Sink,
    },
    WarpBarrier {
        members: Slot,
    },
    /// `barrier.cluster` of a cluster of one block.
    ClusterArrive,
    ClusterWait,
    Shuffle {
        mode: ShuffleMode,
        d: Slot,
        p: Option<Pred>,
        a: Slot,
        b: Slot,
        c: Slot,
        members: Slot,
    },
    Vote {
        mode: VoteMode,
        d: Sink,
        a: Guard,
        members: Slot,
    },
    Match {
        all: bool,
        bits: u32,
        d: Slot,
        p: Option<Pred>,
        a: Slot,
        members: Slot,
    },
    Redux {
        f: fn(u32, u32) -> u32,
        d: Slot,
        a: Slot,
        members: Slot,
    },
    Elect {
        d: Slot,
        p: Pred,
        members: Slot,
    },
    ActiveMask {
        d: Slot,
    },
    Tensor(Box<TensorOp>),
    Async(Box<AsyncOp>),
    Nop,
    Unsupported,
}

/// The product of `mad.cc` and `madc`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Product {
    Low,
    High { signed: bool },
}
