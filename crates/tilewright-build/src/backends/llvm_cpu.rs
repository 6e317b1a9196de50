//! `llvm-cpu`: machine code of processors, through LLVM and the project's own linker.

use tilewright_ir::low::LowTir;
use tilewright_ir::tir::PrimFunc;
use tilewright_llvm::{CodegenError, Options};
use tilewright_support::Diagnostics;
use tilewright_target::{Kind, Target};
use tilewright_tir_passes::lower_for;

use super::{Backend, CodeError, KernelCode, Linked, Source};
use crate::link::{KernelObject, LinkError, link_kernels};

/// The symbol under which every kernel is compiled, after the prefix [`tilewright_llvm::SYMBOL_PREFIX`]. In an image it
/// has the names of its functions.
const SYMBOL: &str = "kernel";

/// The backend with LLVM's usual passes.
pub const LLVM_CPU: LlvmCpu = LlvmCpu { options: Options { level: tilewright_llvm::OptLevel::Full } };

/// LLVM for processors.
#[derive(Clone, Copy, Debug)]
pub struct LlvmCpu {
    pub options: Options,
}

impl LlvmCpu {
    /// With as little of LLVM's work as possible.
    #[cfg(test)]
    pub(crate) fn unoptimised() -> Self {
        Self { options: Options { level: tilewright_llvm::OptLevel::None } }
    }
}

impl Backend for LlvmCpu {
    fn name(&self) -> &'static str {
        "llvm-cpu"
    }

    fn serves(&self, target: &Target) -> bool {
        target.kind() == Kind::Cpu
    }

    fn version(&self) -> String {
        let sources = env!("TILEWRIGHT_CODEGEN_SOURCES");
        format!("LLVM {} {sources} {:?}", tilewright_llvm::version(), self.options)
    }

    /// The processor alone: the test device runs the processor's machine code.
    fn code_target(&self, target: &Target) -> Target {
        target.of_code()
    }

    fn lower(&self, target: &Target, name: &str, function: &PrimFunc) -> Result<LowTir, Diagnostics> {
        lower_for(target, name, function)
    }

    fn write(&self, target: &Target, kernel: &LowTir) -> Result<Box<dyn Source>, CodeError> {
        let source = tilewright_llvm::Source::new(&[kernel.with_symbol(SYMBOL)], target);
        let source = source.map_err(|error| reported(&error.of(kernel.symbol())))?;
        Ok(Box::new(Text { source, options: self.options }))
    }

    fn link(&self, kernels: &[KernelCode<'_>]) -> Result<Linked, LinkError> {
        let symbol = format!("{}{SYMBOL}", tilewright_llvm::SYMBOL_PREFIX);
        let objects =
            kernels.iter().map(|kernel| KernelObject { elf: kernel.code, symbol: &symbol, names: kernel.names });
        link_kernels(objects).map(Linked::Native)
    }
}

/// A kernel as LLVM's text.
struct Text {
    source: tilewright_llvm::Source,
    options: Options,
}

impl Source for Text {
    fn text(&self) -> &str {
        &self.source.text
    }

    fn scratch_bytes(&self) -> u64 {
        self.source.kernels.first().map_or(0, |kernel| kernel.scratch_bytes)
    }

    fn compile(&self, target: &Target) -> Result<Vec<u8>, CodeError> {
        self.source.clone().compile(target, &self.options).map_err(|error| reported(&error))
    }
}

pub(super) fn reported(error: &CodegenError) -> CodeError {
    let message = error.to_string();
    match error {
        CodegenError::Unsupported { symbol, .. } => CodeError::Unsupported { symbol: Some(symbol.clone()), message },
        CodegenError::Name(_) | CodegenError::Target(_) => CodeError::Unsupported { symbol: None, message },
        CodegenError::Malformed { .. } | CodegenError::Llvm(_) => CodeError::Defect(message),
    }
}

/// LLVM's refusal, as the user sees it.
pub fn code_error(error: &CodegenError) -> Diagnostics {
    reported(error).into()
}
