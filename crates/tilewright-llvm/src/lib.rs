//! Machine code through LLVM: `LowTir` in, an ELF object out; for GPUs kernels in, PTX out ([`DeviceSource`]).
//!
//! Reading order: [`compile`] and what it gives ([`Object`]), then the modules in the order of the work: `emit` writes
//! a kernel as LLVM's text form, `machine` parses it, checks it, optimises it and makes the object.
//!
//! Every kernel is exported under [`SYMBOL_PREFIX`] and its name, so that no name of a user's meets one that LLVM knows
//! or calls. The entry has the kernel ABI ([`tilewright_tensor::abi`]), loads the pointers and calls an internal
//! function whose parameters are `noalias`; parallel loops are functions of their own.
//!
//! Why text: LLVM's parser checks types as it reads, so that a mistake of ours, or an ill-typed function of a user's,
//! is an error with a message; through the builder it would be undefined behaviour before the verifier could see it.
//!
//! Invariants: every call has a context of its own, and no LLVM value leaves it. Nothing is loaded or run here. The
//! same functions, target and options give the same bytes. A function that cannot be compiled is an error, and so it is
//! where LLVM itself gives up: that ends the job's thread and not the process. Of LLVM's intrinsics a program may name
//! those that `foreign` lists; code refers to no symbol but its own, those of [`tilewright_tensor::abi`], and the C
//! functions that the program names ([`IMPORT_PREFIX`]).

mod disassemble;
mod emit;
mod error;
mod foreign;
mod import;
mod machine;
mod resident;
mod single_lanes;
#[cfg(test)]
mod tests;

use tilewright_ir::low::{DeviceKernel, LowTir};
use tilewright_target::Target;
use tilewright_tensor::DataType;

pub use disassemble::disassemble;
pub use error::CodegenError;
pub use foreign::units_of;
pub use resident::release_pages;
pub use tilewright_tensor::abi::IMPORT_PREFIX;

/// The prefix of kernels' symbols in objects.
pub const SYMBOL_PREFIX: &str = "tilewright.kernel.";

/// How much LLVM optimises.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum OptLevel {
    /// As little as possible: for looking at the code.
    None,
    #[default]
    Full,
}

/// How to compile.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    pub level: OptLevel,
}

/// Compiled kernels.
#[derive(Clone, Debug)]
pub struct Object {
    /// A relocatable ELF object.
    pub elf: Vec<u8>,
    /// One for each function, in their order.
    pub kernels: Vec<Kernel>,
}

/// The interface of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// The name as `LowTir` has it, without the prefix.
    pub symbol: String,
    /// Whether the kernel writes its `i`-th tensor argument.
    pub writes: Vec<bool>,
    /// Types of its scalar arguments.
    pub scalars: Vec<DataType>,
    /// Bytes of scratch memory that each worker needs.
    pub scratch_bytes: u64,
}

/// Kernels written as LLVM's text form, which LLVM has not seen yet.
///
/// The text, the target, the options, LLVM's [`version`] and this crate decide every byte of the object: a cache of
/// objects needs no more to know that it has the right one.
#[derive(Clone, Debug)]
pub struct Source {
    pub text: String,
    /// One for each function, in their order.
    pub kernels: Vec<Kernel>,
    intrinsics: Vec<emit::IntrinsicCall>,
}

impl Source {
    /// Writes the functions.
    pub fn new(functions: &[LowTir], target: &Target) -> Result<Self, CodegenError> {
        target.check_supported().map_err(|error| CodegenError::Target(error.to_string()))?;
        let emit::Module { text, kernels, intrinsics } = emit::module(functions, target)?;
        Ok(Self { text, kernels, intrinsics })
    }

    /// The bytes of a relocatable ELF object.
    pub fn compile(self, target: &Target, options: &Options) -> Result<Vec<u8>, CodegenError> {
        self.run(target, options, machine::Output::Object)
    }

    fn run(self, target: &Target, options: &Options, output: machine::Output) -> Result<Vec<u8>, CodegenError> {
        let refused = |error| foreign::blame(&self.intrinsics, target).unwrap_or(error);
        machine::run(self.text, target, options, output).map_err(refused)
    }
}

/// Kernels of one function for a GPU, written as LLVM's text form.
#[derive(Clone, Debug)]
pub struct DeviceSource {
    pub text: String,
    /// Bytes of dynamic shared memory of each kernel, in their order.
    pub shared_bytes: Vec<u64>,
}

impl DeviceSource {
    /// Writes the kernels, each under the symbol that [`device_symbol`] gives to its number.
    ///
    /// # Errors
    /// What has no code on the device; `name` is the function's.
    pub fn new(name: &str, kernels: &[DeviceKernel], target: &Target) -> Result<Self, CodegenError> {
        let (text, shared_bytes) = emit::device_module(name, kernels, target)?;
        Ok(Self { text, shared_bytes })
    }

    /// The kernels in PTX.
    pub fn compile(self, target: &Target, options: &Options) -> Result<String, CodegenError> {
        text_output(machine::run(self.text, target, options, machine::Output::Assembly)?)
    }
}

/// The symbol of the kernel of this number.
pub fn device_symbol(number: usize) -> String {
    format!("kernel_{number}")
}

/// Compiles the functions into one object.
pub fn compile(functions: &[LowTir], target: &Target, options: &Options) -> Result<Object, CodegenError> {
    let source = Source::new(functions, target)?;
    let kernels = source.kernels.clone();
    Ok(Object { elf: source.compile(target, options)?, kernels })
}

/// The functions as LLVM IR, after the passes that the options ask for.
pub fn emit_llvm_ir(functions: &[LowTir], target: &Target, options: &Options) -> Result<String, CodegenError> {
    text_output(Source::new(functions, target)?.run(target, options, machine::Output::LlvmIr)?)
}

/// The functions as assembly.
pub fn emit_asm(functions: &[LowTir], target: &Target, options: &Options) -> Result<String, CodegenError> {
    text_output(Source::new(functions, target)?.run(target, options, machine::Output::Assembly)?)
}

fn text_output(bytes: Vec<u8>) -> Result<String, CodegenError> {
    String::from_utf8(bytes).map_err(|_| CodegenError::Llvm("the output is not text".into()))
}

/// The version of LLVM that this program is linked with.
pub fn version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}
