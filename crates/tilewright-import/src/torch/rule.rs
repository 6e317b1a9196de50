//! The entries of the tables of rules.

use crate::common::{Args, Cx, Op, Res, Signature};

/// How one operator becomes IR.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its names, with blanks between them.
    pub names: &'static str,
    /// Its parameters, of which the tensor that a change in place changes is `input`.
    pub parameters: &'static str,
    pub apply: Apply,
    pub memory: Memory,
    /// Whether `input` is changed in place, though its name has no trailing underscore.
    pub changes: bool,
}

/// The memory of the tensors of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    Own,
    /// Over the memory of the first argument; where the result is the first argument, it is that tensor.
    Shared,
    /// Over the memory of the first argument or not, as its layout has it: a result that is equal may be another
    /// tensor.
    Either,
}

/// The computation of the result.
#[derive(Clone, Copy, Debug)]
pub enum Apply {
    Function(fn(&mut Cx<'_>, &Args) -> Res),
    /// A graph operator on `input`.
    Unary(Op),
    /// A graph operator on `input` as floats.
    Real(Op),
    /// A graph operator on `input` and `other` in their common data type.
    Binary(Op),
    /// `input` itself.
    Same,
}

pub const fn rule(names: &'static str, parameters: &'static str, function: fn(&mut Cx<'_>, &Args) -> Res) -> Rule {
    Rule { names, parameters, apply: Apply::Function(function), memory: Memory::Own, changes: false }
}

pub const fn view(names: &'static str, parameters: &'static str, function: fn(&mut Cx<'_>, &Args) -> Res) -> Rule {
    Rule { memory: Memory::Shared, ..rule(names, parameters, function) }
}

pub const fn change(names: &'static str, parameters: &'static str, function: fn(&mut Cx<'_>, &Args) -> Res) -> Rule {
    Rule { changes: true, ..rule(names, parameters, function) }
}

pub const fn unary(names: &'static str, op: Op) -> Rule {
    Rule { names, parameters: "input, inplace=False", apply: Apply::Unary(op), memory: Memory::Own, changes: false }
}

pub const fn real(names: &'static str, op: Op) -> Rule {
    Rule { names, parameters: "input, inplace=False", apply: Apply::Real(op), memory: Memory::Own, changes: false }
}

pub const fn binary(names: &'static str, op: Op) -> Rule {
    Rule { names, parameters: "input, other", apply: Apply::Binary(op), memory: Memory::Own, changes: false }
}

pub const fn same(names: &'static str, parameters: &'static str) -> Rule {
    Rule { names, parameters, apply: Apply::Same, memory: Memory::Shared, changes: false }
}

impl Rule {
    /// The parameters, without those of memory.
    pub fn signature(&self) -> Signature {
        Signature { parameters: self.parameters, ignored: OF_MEMORY }
    }
}

/// Arguments about the device and memory format of a result, which do not change its value.
const OF_MEMORY: &[&str] = &[
    "memory_format",
    "device",
    "layout",
    "pin_memory",
    "requires_grad",
    "non_blocking",
    "copy",
    "inplace",
    "generator",
    "cudnn_enabled",
    "benchmark",
    "deterministic",
    "allow_tf32",
    "implicit",
    "sparse",
    "scale_grad_by_freq",
];
