//! LLVM itself: from its text form to an object, assembly or optimised text.
//!
//! Where LLVM cannot go on (there is no instruction for what it is asked), it calls a handler and then ends the
//! process. Every job therefore has a thread of its own, and the handler never returns: it reports the reason to
//! whoever waits for the job and stops its thread for good. What such a job held is lost, which is a few megabytes; the
//! number of jobs that may end so is bounded.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::{ptr, thread};

use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;
use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target as LlvmTarget, TargetMachine, TargetMachineOptions,
    TargetTriple,
};
use tilewright_target::Target;

use crate::import;
use crate::single_lanes::store_single_lanes;
use crate::{CodegenError, OptLevel, Options};

/// Stack for LLVM, whose passes recurse over what they find. Only what is used costs memory.
const STACK_BYTES: usize = 256 << 20;

/// The output wanted of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    Object,
    Assembly,
    LlvmIr,
}

/// Jobs of a process that LLVM may give up. Each keeps the memory that it had.
const MAX_LOST_JOBS: usize = 256;

/// Turns off LLVM's recognition of checksum loops, which takes exponential time on loops whose values share operands.
const NO_CHECKSUMS: &CStr = c"-disable-loop-idiom-hashrecognize";

/// The result of a job: the bytes of its output.
type Outcome = Result<Vec<u8>, CodegenError>;

/// How a job ended.
enum End {
    Done(Outcome),
    /// LLVM gave up, and the thread is parked for good.
    Lost(CodegenError),
}

thread_local! {
    /// The channel to the waiter for this thread's job.
    static WAITING: RefCell<Option<Sender<End>>> = const { RefCell::new(None) };
}

static LOST_JOBS: AtomicUsize = AtomicUsize::new(0);

/// Initialises LLVM: targets, printers, parsers, disassemblers, options, the handler of fatal errors.
fn initialize() {
    static INITIALIZE: Once = Once::new();
    INITIALIZE.call_once(|| {
        let config = InitializationConfig { asm_parser: false, ..InitializationConfig::default() };
        LlvmTarget::initialize_x86(&config);
        LlvmTarget::initialize_aarch64(&config);
        LlvmTarget::initialize_nvptx(&config);
        let arguments = [c"tilewright", NO_CHECKSUMS].map(CStr::as_ptr);
        // SAFETY: the arguments are strings that end in zero, as many as are said, and nothing keeps them. An option
        // that LLVM does not know is passed over.
        unsafe { LLVMParseCommandLineOptions(arguments.len() as i32, arguments.as_ptr(), ptr::null()) };
        // SAFETY: the handler has the type that LLVM asks for and lives as long as the process; this runs once.
        unsafe { LLVMInstallFatalErrorHandler(Some(give_up)) };
    });
}

/// Compiles a module in LLVM's text form.
pub(crate) fn run(text: String, target: &Target, options: &Options, output: Output) -> Outcome {
    let (target, options) = (target.clone(), *options);
    job(move || compile(&text, &target, &options, output))
}

/// Does something with LLVM, on a thread of its own.
pub(crate) fn job(work: impl FnOnce() -> Outcome + Send + 'static) -> Outcome {
    initialize();
    let failed = |what: String| CodegenError::Llvm(what);
    if LOST_JOBS.load(Ordering::Relaxed) >= MAX_LOST_JOBS {
        return Err(failed(format!("{MAX_LOST_JOBS} jobs of this process ended in LLVM's own errors")));
    }
    let (sender, receiver) = channel();
    let job = thread::Builder::new().name("tilewright-llvm".into()).stack_size(STACK_BYTES).spawn(move || {
        WAITING.with(|waiting| *waiting.borrow_mut() = Some(sender.clone()));
        let outcome = work();
        WAITING.with(|waiting| *waiting.borrow_mut() = None);
        // The receiver waits until a result is sent.
        let _ = sender.send(End::Done(outcome));
    });
    let job = job.map_err(|error| failed(format!("no thread for LLVM: {error}")))?;
    let end = receiver.recv();
    if !matches!(end, Ok(End::Lost(_))) {
        // It has nothing left to do; a panic of it is reported below.
        let _ = job.join();
    }
    match end {
        Ok(End::Done(outcome)) => outcome,
        Ok(End::Lost(error)) => Err(error),
        Err(_) => Err(failed("the thread of LLVM panicked".into())),
    }
}

/// Called by LLVM in place of going on. Does not return on a thread of ours, because LLVM would end the process.
extern "C" fn give_up(reason: *const c_char) {
    let Some(waiting) = WAITING.try_with(|waiting| waiting.borrow_mut().take()).ok().flatten() else {
        return;
    };
    // SAFETY: LLVM passes a C string that lives through the call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy().into_owned();
    LOST_JOBS.fetch_add(1, Ordering::Relaxed);
    let _ = waiting.send(End::Lost(CodegenError::Llvm(reason)));
    drop(waiting);
    loop {
        thread::park();
    }
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
    let (own, imports) = import::split(text);
    let buffer = MemoryBuffer::create_from_memory_range_copy(own.as_bytes(), "kernels");
    let module = context.create_module_from_ir(buffer).map_err(|error| refused(&error))?;
    let machine = target_machine(target, options)?;
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    module.verify().map_err(|error| refused(&error))?;
    for text in imports {
        import::link(context, &module, text)?;
        module.verify().map_err(|error| refused(&error))?;
    }
    optimise(&module, &machine, options)?;
    store_single_lanes(context, &module)?;
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
