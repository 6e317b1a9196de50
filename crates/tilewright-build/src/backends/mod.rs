//! Backends: code generators, each from PrimFuncs to a piece of an executable.
//!
//! A backend is a value of this list that serves some targets. What happens to a PrimFunc is the same for all: it is
//! *lowered* by the steps for its kind of machine, *written* in the language of the backend (the key of the
//! kernel cache), *compiled*, and *linked* with the others of its backend.
//!
//! To add one: a file here, a line in [`BACKENDS`], and a variant of [`Linked`] if the executable holds its code in
//! another form.

mod llvm_cpu;
mod nvptx;

use std::fmt;

use tilewright_ir::low::LowTir;
use tilewright_ir::tir::PrimFunc;
use tilewright_support::{Diagnostic, Diagnostics};
use tilewright_target::Target;
use tilewright_vm_program::Image;

pub use llvm_cpu::{LLVM_CPU, LlvmCpu, code_error};
pub use nvptx::{NVPTX, Nvptx};

use crate::defect;
use crate::link::LinkError;

/// Every backend; the first that serves a target makes its code.
pub const BACKENDS: &[&dyn Backend] = &[&LLVM_CPU, &NVPTX];

/// A code generator.
pub trait Backend: Sync {
    /// For messages, and in keys of the cache; no two have the same.
    fn name(&self) -> &'static str;

    /// Whether it makes the kernels of such targets.
    fn serves(&self, target: &Target) -> bool;

    /// The inputs of its code besides the function and the target: versions and options.
    fn version(&self) -> String;

    /// The target as far as it decides code: the other methods are given this one, and the cache knows code by it.
    fn code_target(&self, target: &Target) -> Target {
        target.clone()
    }

    /// The PrimFunc in the form that the backend writes.
    ///
    /// # Errors
    /// What a kernel cannot do on this kind of machine.
    fn lower(&self, target: &Target, name: &str, function: &PrimFunc) -> Result<LowTir, Diagnostics>;

    /// The kernel in the language of the backend. Its name decides nothing.
    fn write(&self, target: &Target, kernel: &LowTir) -> Result<Box<dyn Source>, CodeError>;

    /// Puts the code of kernels together; each is exported under all of its names.
    fn link(&self, kernels: &[KernelCode<'_>]) -> Result<Linked, LinkError>;
}

/// A kernel in the language of a backend, which nobody has compiled yet.
///
/// The text, the target and the backend's [`Backend::version`] decide every byte of its code: a cache needs no more to
/// know that it has the right one.
pub trait Source: Send + Sync {
    fn text(&self) -> &str;

    /// Bytes of scratch memory that each worker needs.
    fn scratch_bytes(&self) -> u64;

    /// The kernel's code.
    fn compile(&self, target: &Target) -> Result<Vec<u8>, CodeError>;
}

/// The code of a kernel, and the names of the functions that it is the code of.
#[derive(Clone, Copy, Debug)]
pub struct KernelCode<'a> {
    pub code: &'a [u8],
    pub names: &'a [String],
}

/// Kernels as an executable holds them.
#[derive(Clone, Debug)]
pub enum Linked {
    /// Machine code of the processor.
    Native(Image),
    /// Code of a device whose kernels are launched.
    Launched(Image),
}

/// Why a backend makes no code of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CodeError {
    /// Not something that this target or version can do; of which function, if it is about one.
    Unsupported { symbol: Option<String>, message: String },
    /// A mistake of the compiler.
    Defect(String),
}

impl fmt::Display for CodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { message, .. } | Self::Defect(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for CodeError {}

impl From<CodeError> for Diagnostics {
    /// As the user sees it.
    fn from(error: CodeError) -> Self {
        match &error {
            CodeError::Unsupported { message, .. } => Diagnostic::error("TW0602", message).into(),
            CodeError::Defect(_) => defect(&error),
        }
    }
}

/// The backend of a target.
///
/// # Errors
/// `TW0602`: this version has none.
pub(crate) fn backend_of(target: &Target) -> Result<&'static dyn Backend, Diagnostic> {
    target.check_supported().map_err(|error| Diagnostic::error("TW0602", error.to_string()))?;
    let found = BACKENDS.iter().find(|backend| backend.serves(target)).copied();
    found.ok_or_else(|| Diagnostic::error("TW0602", format!("no backend makes code for the target \"{target}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sort_of_machine_has_its_backend() {
        let name = |text: &str| backend_of(&Target::parse(text).unwrap()).map(Backend::name).ok();
        for text in ["llvm", "haswell", "llvm -mcpu=neoverse-n1", "ext_dev"] {
            assert_eq!(name(text), Some("llvm-cpu"), "{text}");
        }
        assert_eq!([name("cuda"), name("cuda -arch=sm_90a")], [Some("nvptx"); 2]);
    }
}
