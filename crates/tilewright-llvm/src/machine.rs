//! LLVM itself: from its text form to an object, assembly or optimised text.

use std::ffi::{CStr, c_void};
use std::sync::Once;
use std::{ptr, thread};

use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target as LlvmTarget, TargetMachine, TargetMachineOptions,
    TargetTriple,
};
use tilewright_target::Target;

use crate::{CodegenError, OptLevel, Options};

/// Stack for LLVM, whose passes recurse over what they find. Only what is used costs memory.
const STACK_BYTES: usize = 256 << 20;

/// What is wanted of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    Object,
    Assembly,
    LlvmIr,
}

/// Compiles a module in LLVM's text form, on a thread of its own.
pub(crate) fn run(text: String, target: &Target, options: &Options, output: Output) -> Result<Vec<u8>, CodegenError> {
    static INITIALIZE: Once = Once::new();
    INITIALIZE.call_once(|| {
        let config = InitializationConfig { asm_parser: false, disassembler: false, ..InitializationConfig::default() };
        LlvmTarget::initialize_x86(&config);
        LlvmTarget::initialize_aarch64(&config);
    });
    let failed = |what: &str| CodegenError::Llvm(what.to_owned());
    thread::scope(|scope| {
        let job = thread::Builder::new().name("tilewright-llvm".into()).stack_size(STACK_BYTES);
        let job = job.spawn_scoped(scope, || compile(&text, target, options, output));
        let job = job.map_err(|error| failed(&format!("no thread to compile on: {error}")))?;
        job.join().unwrap_or_else(|_| Err(failed("the compiling thread panicked")))
    })
}

fn compile(text: &str, target: &Target, options: &Options, output: Output) -> Result<Vec<u8>, CodegenError> {
    let context = Context::create();
    let mut problems: Vec<String> = Vec::new();
    // SAFETY: `context` lives to the end of this function, and so does `problems`, to which nothing else refers while
    // LLVM runs; the handler takes exactly this type. It is removed before `problems` is looked at again.
    unsafe {
        LLVMContextSetDiagnosticHandler(context.raw(), Some(note_problem), (&raw mut problems).cast());
    }
    let result = compile_in(&context, text, target, options, output);
    // SAFETY: as above; no handler is the state in which the context began.
    unsafe { LLVMContextSetDiagnosticHandler(context.raw(), None, ptr::null_mut()) };
    match problems.is_empty() {
        true => result,
        false => Err(CodegenError::Llvm(problems.join("; "))),
    }
}

/// Collects errors that LLVM would print before it stops the process.
extern "C" fn note_problem(info: LLVMDiagnosticInfoRef, problems: *mut c_void) {
    // SAFETY: LLVM calls this with a diagnostic that lives through the call and the pointer that `compile` gave it, a
    // vector that outlives the context's work. The description is a C string that is ours to free.
    unsafe {
        if LLVMGetDiagInfoSeverity(info) != LLVMDiagnosticSeverity::LLVMDSError {
            return;
        }
        let description = LLVMGetDiagInfoDescription(info);
        let text = CStr::from_ptr(description).to_string_lossy().into_owned();
        LLVMDisposeMessage(description);
        (*problems.cast::<Vec<String>>()).push(text);
    }
}

fn compile_in(
    context: &Context,
    text: &str,
    target: &Target,
    options: &Options,
    output: Output,
) -> Result<Vec<u8>, CodegenError> {
    let refused = |what: &dyn ToString| CodegenError::Llvm(what.to_string());
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "kernels");
    let module = context.create_module_from_ir(buffer).map_err(|error| refused(&error))?;
    let machine = target_machine(target, options)?;
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    module.verify().map_err(|error| refused(&error))?;
    optimise(&module, &machine, options)?;
    let file = match output {
        Output::Object => FileType::Object,
        Output::Assembly => FileType::Assembly,
        Output::LlvmIr => return Ok(module.print_to_string().to_bytes().to_vec()),
    };
    let bytes = machine.write_to_memory_buffer(&module, file).map_err(|error| refused(&error))?;
    Ok(bytes.as_slice().to_vec())
}

fn target_machine(target: &Target, options: &Options) -> Result<TargetMachine, CodegenError> {
    let triple = TargetTriple::create(&target.triple);
    let llvm = LlvmTarget::from_triple(&triple).map_err(|error| CodegenError::Target(error.to_string()))?;
    let level = match options.level {
        OptLevel::None => OptimizationLevel::None,
        OptLevel::Full => OptimizationLevel::Default,
    };
    let settings = TargetMachineOptions::new()
        .set_cpu(target.baseline_cpu())
        .set_features(&target.llvm_features())
        .set_level(level)
        .set_reloc_mode(RelocMode::PIC)
        .set_code_model(CodeModel::Small);
    llvm.create_target_machine_from_options(&triple, settings)
        .ok_or_else(|| CodegenError::Target(format!("LLVM makes no code for {target}")))
}

/// The usual pipeline without LLVM's own vectorisers and unroller: schedules decide on vectors and tiles.
fn optimise(module: &Module<'_>, machine: &TargetMachine, options: &Options) -> Result<(), CodegenError> {
    if options.level == OptLevel::None {
        return Ok(());
    }
    let settings = PassBuilderOptions::create();
    settings.set_loop_vectorization(false);
    settings.set_loop_slp_vectorization(false);
    settings.set_loop_unrolling(false);
    settings.set_loop_interleaving(false);
    module.run_passes("default<O2>", machine, settings).map_err(|error| CodegenError::Llvm(error.to_string()))
}
