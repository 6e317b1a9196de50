//! A module: its variables, kernels and functions.

use crate::decode::Code;
use crate::fault::ParseError;

/// A parsed and decoded module.
#[derive(Debug)]
pub struct Module {
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
    target: String,
}

impl Module {
    /// Reads PTX text. Instructions that the simulator does not know are no errors: launching a kernel that has
    /// one is.
    pub fn parse(text: &str) -> Result<Module, ParseError> {
        crate::parse::parse(text)
    }

    pub(crate) fn new(variables: Vec<Variable>, functions: Vec<Function>, target: String) -> Module {
        Module { variables, functions, target }
    }

    /// The kernels, in the text's order.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.functions.iter().filter(|function| function.is_kernel).map(|function| &function.kernel)
    }

    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels().find(|kernel| kernel.name == name)
    }

    /// The word after `.target`: `sm_80`.
    pub fn target(&self) -> &str {
        &self.target
    }
}

/// A kernel, as its launch sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its parameters in order.
    pub params: Vec<Parameter>,
    /// The bytes that all parameters take.
    pub param_bytes: u32,
    /// The bytes of the shared variables of constant size that it and its functions use.
    pub static_shared: u32,
    /// `.maxntid`: the largest extents of a block.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`: the extents that a block must have.
    pub required_threads: Option<[u32; 3]>,
    /// The first instruction that the simulator does not know, with its line: a launch is refused.
    pub unsupported: Option<(u32, String)>,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its size.
    pub bytes: u32,
    /// Its alignment in bytes.
    pub align: u32,
    /// Its place among the bytes of all parameters.
    pub offset: u32,
}

/// A kernel or a function that kernels call.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) kernel: Kernel,
    pub(crate) is_kernel: bool,
    /// `None` for a declaration without a body.
    pub(crate) code: Option<Code>,
}

/// The spaces of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Global,
    Const,
    Shared,
    Local,
    Param,
    /// An address of any space.
    Generic,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) align: u64,
    pub(crate) bytes: u64,
    /// `name[]`: its size is that of the launch's dynamic shared memory.
    pub(crate) dynamic: bool,
    /// Offset, value and bytes.
    pub(crate) initial: Vec<(u64, Initial, u32)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Initial {
    Bits(u64),
    Address { name: String, offset: u64, generic: bool },
}
