//! From a module to an executable.

use std::fmt;
use std::sync::Arc;

use tilewright_build::{BuildOptions, build_with};
use tilewright_ir::IRModule;
use tilewright_ir::pass::{PassCx, PassError, Sequential};
use tilewright_ir::verify::{Form, Verified};
use tilewright_runtime::Executable;
use tilewright_runtime::session::ModelInfo;
use tilewright_support::Diagnostics;
use tilewright_target::Target;
use tilewright_vm_program::ExecutableBytes;

use crate::evaluator::LinkedEvaluator;
use crate::pipelines;
use crate::profile::Unscheduled;

/// How a module is compiled.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// The machine to compile for; by default this one.
    pub target: Target,
    /// The passes that bring the module into the machine-ready form; by default [`pipelines::default_build`].
    pub pipeline: Sequential,
    /// Called with the progress of the kernels; by default nothing.
    pub watch: Option<Watch>,
    /// How the model names its inputs and outputs, and its metadata, which the executable keeps for sessions. By
    /// default inputs have the names of parameters.
    pub model: Option<ModelInfo>,
}

/// A function that is told, from any thread, how many kernels are machine code, and of how many.
#[derive(Clone)]
pub struct Watch(Arc<dyn Fn(usize, usize) + Send + Sync>);

impl Watch {
    pub fn new(told: impl Fn(usize, usize) + Send + Sync + 'static) -> Self {
        Self(Arc::new(told))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

impl CompileOptions {
    /// The default pipeline, for the target.
    pub fn for_target(target: Target) -> Self {
        Self { pipeline: pipelines::default_build(&target), target, watch: None, model: None }
    }
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self::for_target(Target::host())
    }
}

/// Why a module could not be compiled.
#[derive(Debug)]
pub enum CompileError {
    /// The module is not well-formed, or says something that cannot be compiled.
    Module(Diagnostics),
    Pass(PassError),
    /// The finished executable does not load on this machine.
    Load(tilewright_runtime::Error),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Module(diagnostics) => diagnostics.fmt(f),
            Self::Pass(error) => error.fmt(f),
            Self::Load(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CompileError {}

/// Compiles a module into the bytes of an executable, for any target. Its metadata say of each kernel where it came
/// from and what a call costs: [`crate::profile`].
pub fn build_executable(
    cx: &mut PassCx<'_>,
    module: &IRModule,
    options: &CompileOptions,
) -> Result<ExecutableBytes, CompileError> {
    let unscheduled = Unscheduled::new(&options.target);
    cx.instruments.push(Box::new(unscheduled.clone()));
    let module = run_pipeline(cx, module, options);
    cx.instruments.pop();
    let module = Verified::new(module?, Form::MachineReady).map_err(CompileError::Module)?;
    build_kernels(&module, &unscheduled, options)
}

/// The executable of a module that is ready for the machine.
pub(crate) fn build_kernels(
    module: &Verified,
    unscheduled: &Unscheduled,
    options: &CompileOptions,
) -> Result<ExecutableBytes, CompileError> {
    let mut metadata = unscheduled.metadata(module.module());
    metadata.extend(options.model.iter().flat_map(ModelInfo::entries));
    let watch = |done: usize, of: usize| {
        if let Some(Watch(told)) = &options.watch {
            told(done, of);
        }
    };
    let build_options = BuildOptions { metadata };
    build_with(module, &options.target, build_options, &watch).map_err(CompileError::Module)
}

/// The module after the pipeline, which runs for the target of the options.
pub(crate) fn run_pipeline(
    cx: &mut PassCx<'_>,
    module: &IRModule,
    options: &CompileOptions,
) -> Result<IRModule, CompileError> {
    let around = cx.target.replace(options.target.clone());
    let module = cx.run(&options.pipeline, module.clone());
    cx.target = around;
    module.map_err(CompileError::Pass)
}

/// Compiles a module and loads the result: the bytes that run are those that would be saved. Constants are folded by
/// compiled code.
pub fn compile(module: &IRModule, options: &CompileOptions) -> Result<Arc<Executable>, CompileError> {
    let evaluator = LinkedEvaluator::default();
    let mut cx = PassCx { evaluator: Some(&evaluator), ..PassCx::default() };
    let bytes = build_executable(&mut cx, module, options)?;
    Executable::load(bytes).map(Arc::new).map_err(CompileError::Load)
}
