//! From a checked module to an executable: PrimFuncs are lowered, compiled and linked into an image, Relax functions
//! become functions of the virtual machine, and both go into one file.
//!
//! Reading order: [`build`], then `kernels` (PrimFuncs), [`backends`] (code generators), `emit` (Relax functions, and
//! in its `device` the copies between devices), `call` (calls of kernels), `objects`, `kernel_metadata` and [`cache`]
//! (kernels through lowering and a backend, once), [`link`] (objects of processors into images).
//!
//! Invariants: what [`build`] returns are the bytes that are saved and the bytes that are run; nothing here runs them.
//! Modules come in the machine-ready form; graph passes are others' work. No operator is known by name.

pub mod backends;
pub mod cache;
pub mod cache_folder;
mod call;
mod emit;
mod kernel_metadata;
mod kernels;
mod launch;
pub mod link;
mod objects;

pub use backends::code_error;
pub use kernels::{link_error, lower_kernels};
pub use objects::Watch;

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_ir::verify::Verified;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Diagnostics};
use tilewright_target::Target;
use tilewright_vm_program::{ExecutableBytes, Package, ProgramBuilder, TargetInfo};

/// Builds the executable of a module in the form [`tilewright_ir::verify::Form::MachineReady`].
///
/// Every Relax function becomes a function of the machine, and so does every PrimFunc that is visible outside the
/// module or used as a value: it runs on the caller's own tensors.
pub fn build(module: &Verified, target: &Target) -> Result<ExecutableBytes, Diagnostics> {
    build_with(module, target, BuildOptions::default(), &|_, _| ())
}

/// How an executable is built.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Texts for tools, in the file.
    pub metadata: BTreeMap<String, String>,
}

/// As [`build`], with options, and with a callback for progress.
pub fn build_with(
    module: &Verified,
    target: &Target,
    options: BuildOptions,
    watch: Watch<'_>,
) -> Result<ExecutableBytes, Diagnostics> {
    let BuildOptions { metadata } = options;
    target.check_supported().map_err(|error| Diagnostic::error("TW0602", error.to_string()))?;
    let (module, device) = (module.module(), target.device_kind());
    let mut program = ProgramBuilder::for_device(device);
    let kernels = kernels::build_kernels(&mut program, module, target, watch)?;
    let mut problems = Diagnostics::default();
    let mut tables = emit::Tables::new(&mut program, device, &kernels);
    relax_functions(module).for_each(|(name, _)| tables.declare(name));
    for (name, function) in module.iter() {
        if let GlobalFunc::Prim(function) = function
            && function.global_symbol().is_some()
        {
            tables.entry(name);
        }
    }
    for (name, function) in relax_functions(module) {
        if let Err(problem) = tables.write(name, function) {
            problems.push(problem);
        }
    }
    while let Some(name) = tables.next_wanted() {
        if let Some(function) = module.prim(&name)
            && let Err(problem) = tables.write_entry(&name, function)
        {
            problems.push(problem);
        }
    }
    if problems.has_errors() {
        return Err(problems);
    }
    let program = program.finish().map_err(|error| defect(&error))?;
    let features = kernels::required_features(module, target)?;
    let info = TargetInfo { triple: target.triple.clone(), features };
    Package { metadata, ..Package::new(info, program) }.encode().map_err(|error| defect(&error))
}

/// What only a mistake of ours can bring about, such as a program that the machine's own verifier refuses; the user
/// hears of it as an error all the same.
pub fn defect(error: &dyn std::fmt::Display) -> Diagnostics {
    Diagnostic::error("TW0604", format!("the compiler made a mistake: {error}"))
        .note("this is a defect of Tilewright: please report it with the module")
        .into()
}

fn relax_functions(module: &IRModule) -> impl Iterator<Item = (&Arc<str>, &tilewright_ir::relax::Function)> {
    module.iter().filter_map(|(name, _)| Some((name, &**module.relax(name)?)))
}
