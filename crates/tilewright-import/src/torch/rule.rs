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
    pub precision: Precision,
}

/// The type in which a rule computes with floats that are narrower than float32. PyTorch rounds to such a type once,
/// at the end of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// That of the operands: the rule is one graph operator, or moves elements.
    Own,
    /// Float32: the rule combines several graph operators.
    Float32,
    /// Float32 if one of these parameters is a number, or a tensor without dimensions, that the narrow type does not
    /// hold.
    Float32ForNumbers(&'static str),
    /// Float32 if a factor, `alpha` or `beta`, is not 1.
    Float32ForFactors,
    /// The same, the factor rounded to the narrow type.
    Float32ForRoundedFactors,
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
    Rule {
        names,
        parameters,
        apply: Apply::Function(function),
        memory: Memory::Own,
        changes: false,
        precision: Precision::Own,
    }
}

pub const fn view(names: &'static str, parameters: &'static str, function: fn(&mut Cx<'_>, &Args) -> Res) -> Rule {
    Rule { memory: Memory::Shared, ..rule(names, parameters, function) }
}

pub const fn change(names: &'static str, parameters: &'static str, function: fn(&mut Cx<'_>, &Args) -> Res) -> Rule {
    Rule { changes: true, ..rule(names, parameters, function) }
}

pub const fn unary(names: &'static str, op: Op) -> Rule {
    Rule {
        names,
        parameters: "input, inplace=False",
        apply: Apply::Unary(op),
        memory: Memory::Own,
        changes: false,
        precision: Precision::Own,
    }
}

pub const fn real(names: &'static str, op: Op) -> Rule {
    Rule {
        names,
        parameters: "input, inplace=False",
        apply: Apply::Real(op),
        memory: Memory::Own,
        changes: false,
        precision: Precision::Own,
    }
}

pub const fn binary(names: &'static str, op: Op) -> Rule {
    Rule {
        names,
        parameters: "input, other",
        apply: Apply::Binary(op),
        memory: Memory::Own,
        changes: false,
        precision: Precision::Own,
    }
}

/// The rule in float32.
pub const fn in_float32(rule: Rule) -> Rule {
    Rule { precision: Precision::Float32, ..rule }
}

/// The rule with another precision.
pub const fn with(precision: Precision, rule: Rule) -> Rule {
    Rule { precision, ..rule }
}

pub const fn same(names: &'static str, parameters: &'static str) -> Rule {
    Rule { names, parameters, apply: Apply::Same, memory: Memory::Shared, changes: false, precision: Precision::Own }
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
