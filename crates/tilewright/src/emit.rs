//! Intermediate results of a compilation, for inspection: the module, the lowered kernels, their code.

use tilewright_ir::IRModule;
use tilewright_ir::low::LowTir;
use tilewright_ir::pass::PassCx;
use tilewright_ir::verify::{Form, Verified};
use tilewright_llvm::CodegenError;
use tilewright_script::print::{PrintOptions, print_module};
use tilewright_target::Target;
use tilewright_vm_program::ExecutableBytes;

use crate::compile::{CompileError, CompileOptions, run_pipeline};

/// The stages at which a compilation can stop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// The module after the pipeline, as TVMScript with its constants: it reads back.
    Script,
    /// Every PrimFunc as the code generator takes it ([`tilewright_ir::low`]), as TVMScript that reads back.
    Low,
    /// The kernels as LLVM IR, optimised.
    Llvm,
    /// The kernels as assembly.
    Asm,
    /// The kernels as a relocatable ELF object.
    Obj,
    /// The executable.
    Exe,
}

/// The result.
#[derive(Clone, Debug)]
pub enum Emitted {
    Text(String),
    Object(Vec<u8>),
    Executable(ExecutableBytes),
}

impl Emitted {
    /// The bytes to write to a file.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Object(bytes) => bytes,
            Self::Executable(bytes) => bytes.as_slice(),
        }
    }
}

/// Compiles a module as far as the stage, for any target.
///
/// # Errors
/// Those of [`crate::build_executable`]; [`Stage::Script`] asks no form of what the pipeline leaves.
pub fn emit(
    cx: &mut PassCx<'_>,
    module: &IRModule,
    options: &CompileOptions,
    stage: Stage,
) -> Result<Emitted, CompileError> {
    match stage {
        Stage::Script => {
            let module = run_pipeline(cx, module, options)?;
            Ok(Emitted::Text(script(&module)))
        }
        Stage::Low => {
            let mut low = IRModule::new();
            for function in lower(cx, module, options)? {
                low.insert(function.symbol(), function.function().clone());
            }
            Ok(Emitted::Text(script(&low)))
        }
        Stage::Llvm => generate(cx, module, options, tilewright_llvm::emit_llvm_ir).map(Emitted::Text),
        Stage::Asm => generate(cx, module, options, tilewright_llvm::emit_asm).map(Emitted::Text),
        Stage::Obj => generate(cx, module, options, tilewright_llvm::compile).map(|object| Emitted::Object(object.elf)),
        Stage::Exe => crate::build_executable(cx, module, options).map(Emitted::Executable),
    }
}

fn lower(cx: &mut PassCx<'_>, module: &IRModule, options: &CompileOptions) -> Result<Vec<LowTir>, CompileError> {
    let module = run_pipeline(cx, module, options)?;
    let module = Verified::new(module, Form::MachineReady).map_err(CompileError::Module)?;
    tilewright_build::lower_kernels(&module, &options.target).map_err(CompileError::Module)
}

/// One of the code generator's functions.
type Generate<T> = fn(&[LowTir], &Target, &tilewright_llvm::Options) -> Result<T, CodegenError>;

fn generate<T>(
    cx: &mut PassCx<'_>,
    module: &IRModule,
    options: &CompileOptions,
    generate: Generate<T>,
) -> Result<T, CompileError> {
    let low = lower(cx, module, options)?;
    generate(&low, &options.target, &tilewright_llvm::Options::default())
        .map_err(|error| CompileError::Module(tilewright_build::code_error(&error)))
}

fn script(module: &IRModule) -> String {
    print_module(module, &PrintOptions { show_meta: true, ..PrintOptions::default() })
}
