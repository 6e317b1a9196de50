//! PrimFuncs → kernels: lowered, compiled and linked, each by the backend of its target.

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::walk;
use tilewright_ir::IRModule;
use tilewright_ir::interface::{KernelInterface, declared_by_argument};
use tilewright_ir::low::LowTir;
use tilewright_ir::op::InferCx;
use tilewright_ir::tir::{Param, PrimFunc};
use tilewright_ir::verify::Verified;
use tilewright_support::{Diagnostic, Diagnostics, Map, Set};
use tilewright_target::Target;
use tilewright_tensor::DataType;
use tilewright_tir_passes::{Returned, inline_calls, store_returned};
use tilewright_vm_program::{Access, DeviceIndex, DeviceKind, Image, Kernel, ProgramBuilder};

use crate::backends::{BACKENDS, Backend, CodeError, KernelCode, Linked, backend_of};
use crate::cache::KernelCache;
use crate::link::LinkError;
use crate::objects::{CodeCx, Failure, Job, Objects, Watch, compile, each};

/// A kernel of the program, with the facts that calls need.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) kernel: u32,
    /// Where it runs, and its tensors lie.
    pub(crate) device: DeviceIndex,
    /// Of the function with parameters for what it returns.
    pub(crate) interface: KernelInterface,
    /// The number of the function's own parameters.
    pub(crate) params: usize,
    pub(crate) returned: Option<Returned>,
}

impl Entry {
    /// Whether the shape of a tensor argument mentions the variable.
    pub(crate) fn in_shapes(&self, var: &scalar::Var) -> bool {
        let mut found = false;
        for tensor in &self.interface.tensors {
            walk(&tensor.buffer.shape, |v: &scalar::Var| found |= v == var);
        }
        found
    }
}

/// The kernels of a module by the names of their PrimFuncs.
pub(crate) type KernelTable = Map<Arc<str>, Entry>;

/// The module's PrimFuncs as the code generator takes them for a target, in the module's order.
///
/// # Errors
/// All that is wrong with any of them.
pub fn lower_kernels(module: &Verified, target: &Target) -> Result<Vec<LowTir>, Diagnostics> {
    let functions: Vec<_> = prim_funcs(module.module()).collect();
    let lowered = each(&functions, |(name, function)| {
        check_strides(name, function)?;
        let own = target_of(function, target)?;
        let (function, _) = stored(module.module(), function)?;
        backend_of(&own)?.lower(&own, name, &function)
    });
    lowered.map_err(joined)
}

/// The function as a kernel, which calls no other one and stores what it returns.
fn stored(module: &IRModule, function: &PrimFunc) -> Result<(PrimFunc, Option<Returned>), Diagnostics> {
    let alone = inline_calls(module, function)?;
    Ok(match store_returned(&alone)? {
        Some((stored, returned)) => (stored, Some(returned)),
        None => (alone, None),
    })
}

/// The target of a function: the one that it declares, else that of its module. All kernels of an executable are for
/// one architecture.
///
/// # Errors
/// `TW0602`: the declared target is invalid, or the module's kernels cannot run together with it.
pub(crate) fn target_of(function: &PrimFunc, target: &Target) -> Result<Target, Diagnostic> {
    let own = function.declared_target(target)?.unwrap_or_else(|| target.clone());
    if own.arch == target.arch && own.kind() == target.kind() {
        return Ok(own);
    }
    let name = function.global_symbol().unwrap_or("a private function");
    let message = format!("`{name}` declares the target \"{own}\", and the module is compiled for \"{target}\"");
    let note = match own.kind() == target.kind() {
        true => "all kernels of an executable are for one architecture",
        false => "all kernels of an executable run on the device that it is compiled for",
    };
    let error = Diagnostic::error("TW0602", message).note(note);
    Err(match function.origins.headline().first() {
        Some(span) => error.at(span.clone()),
        None => error,
    })
}

/// The functions that become kernels: all but private ones that take addresses, which only other functions call.
fn prim_funcs(module: &IRModule) -> impl Iterator<Item = (&Arc<str>, &PrimFunc)> {
    let is_kernel = |function: &PrimFunc| {
        let address = |param: &Param| param.buffer.is_none() && param.var.dtype.is_handle();
        function.global_symbol().is_some() || !function.params.iter().any(address)
    };
    let all = module.iter().filter_map(|(name, _)| Some((name, &**module.prim(name)?)));
    all.filter(move |(_, function)| is_kernel(function))
}

/// Compiles all PrimFuncs of the module, those of each backend into one image of the program for the target's device,
/// its first one. Those that call functions of the process run on the host: where that is another device, they are an
/// image of their own.
pub(crate) fn build_kernels(
    program: &mut ProgramBuilder,
    module: &IRModule,
    target: &Target,
    watch: Watch<'_>,
) -> Result<KernelTable, Diagnostics> {
    let functions: Vec<_> = prim_funcs(module).collect();
    let check = |(name, function): &(&Arc<str>, &PrimFunc)| {
        check_strides(name, function)?;
        let own = target_of(function, target)?;
        backend_of(&own).map(|_| own).map_err(Diagnostics::from)
    };
    let targets = each(&functions, check).map_err(joined)?;
    let kernels = functions.iter().map(|(_, function)| stored(module, function)).collect::<Result<Vec<_>, _>>()?;
    let mut distinct: Vec<&Target> = Vec::new();
    for target in &targets {
        if !distinct.contains(&target) {
            distinct.push(target);
        }
    }
    let mut table = KernelTable::default();
    for backend in BACKENDS {
        let served: Vec<CodeCx<'_>> = distinct
            .iter()
            .filter(|target| backend_of(target).is_ok_and(|first| first.name() == backend.name()))
            .map(|target| CodeCx::new(*backend, target, KernelCache::process()))
            .collect();
        let mut jobs: Vec<(&Arc<str>, Option<Returned>, Job<'_>)> = Vec::new();
        for (((name, _), (function, returned)), target) in functions.iter().zip(&kernels).zip(&targets) {
            let cx = served.iter().find(|cx| cx.target == target);
            jobs.extend(cx.map(|cx| (*name, *returned, Job { name, function, cx })));
        }
        if jobs.is_empty() {
            continue;
        }
        let plain: Vec<Job<'_>> = jobs.iter().map(|(.., job)| *job).collect();
        let failed = |failures: Vec<Failure>| joined(failures.into_iter().map(|f| reported(module, f)).collect());
        let compiled = compile(&plain, watch).map_err(failed)?;
        add_kernels(*backend, program, target.device_kind(), &jobs, compiled, &mut table)?;
    }
    Ok(table)
}

/// Links what a backend compiled into images of the program, and adds its kernels to the table.
fn add_kernels(
    backend: &dyn Backend,
    program: &mut ProgramBuilder,
    device: DeviceKind,
    functions: &[(&Arc<str>, Option<Returned>, Job<'_>)],
    compiled: Objects,
    table: &mut KernelTable,
) -> Result<(), Diagnostics> {
    let host = program.host();
    let calls_out: Set<&str> = match host == DeviceIndex::FIRST {
        true => Set::default(),
        false => {
            let calling = functions.iter().zip(&compiled.metadata).filter(|(_, metadata)| !metadata.packed.is_empty());
            calling.map(|((name, ..), _)| &***name).collect()
        }
    };
    let images = [(DeviceIndex::FIRST, device, false), (host, DeviceKind::Cpu, true)];
    let mut exports = Map::default();
    for (place, kind, outside) in images {
        let is_in = |name: &str| calls_out.contains(name) == outside;
        link(backend, program, &compiled, kind, is_in, &mut |name, image, export| {
            exports.insert(name, (place, image, export));
        })?;
    }
    for ((name, returned, job), metadata) in functions.iter().zip(compiled.metadata) {
        let interface = KernelInterface::of(job.function);
        let Some(&(device, image, export)) = exports.get(&***name) else {
            return Err(Diagnostic::error("TW0603", format!("the linked image has no kernel `{name}`")).into());
        };
        let packed = metadata.packed.iter().map(|name| program.packed(name)).collect();
        let access = |written| if written { Access::Write } else { Access::Read };
        let kernel = program.kernel(Kernel {
            image,
            export,
            tensors: interface.tensors.iter().map(|t| access(t.written)).collect(),
            scalars: interface
                .scalars
                .iter()
                .map(|s| if s.param.is_some() { s.var.dtype } else { DataType::I64 })
                .collect(),
            scratch_bytes: metadata.scratch_bytes,
            device,
            packed,
        });
        let added = match returned {
            None => 0,
            Some(Returned { maybe, .. }) => 1 + usize::from(*maybe),
        };
        let params = job.function.params.len() - added;
        table.insert((*name).clone(), Entry { kernel, device, interface, params, returned: *returned });
    }
    Ok(())
}

/// What a processor must have to run the module's kernels: the features of the target, and those of the targets that
/// functions declare, and the matrix units that kernels use.
pub(crate) fn required_features(module: &IRModule, target: &Target) -> Result<Vec<String>, Diagnostic> {
    let mut features = target.features.clone();
    for (_, function) in prim_funcs(module) {
        let own = target_of(function, target)?;
        features.extend(tilewright_llvm::units_of(function, &own));
        features.extend(own.features.iter().cloned());
    }
    Ok(features.into_iter().collect())
}

/// Links the objects of some functions into an image of the program, if there are any, and reports each export.
fn link(
    backend: &dyn Backend,
    program: &mut ProgramBuilder,
    compiled: &Objects,
    kind: DeviceKind,
    is_in: impl Fn(&str) -> bool,
    report: &mut dyn FnMut(String, u32, u32),
) -> Result<(), Diagnostics> {
    let objects = compiled.objects.iter().filter(|object| object.names.iter().any(|name| is_in(name)));
    let kernels: Vec<KernelCode<'_>> =
        objects.map(|object| KernelCode { code: &object.code, names: &object.names }).collect();
    if kernels.is_empty() {
        return Ok(());
    }
    let image = match backend.link(&kernels).map_err(|error| link_error(&error))? {
        Linked::Native(image) => Image { kind, ..image },
        Linked::Launched(image) => image,
    };
    let names: Vec<String> = image.exports.iter().map(|export| export.name.clone()).collect();
    let image = program.image(image);
    for (export, name) in names.into_iter().enumerate() {
        report(name, image, export as u32);
    }
    Ok(())
}

/// All that was found, in one list.
fn joined(found: Vec<Diagnostics>) -> Diagnostics {
    Diagnostics(found.into_iter().flat_map(|found| found.0).collect())
}

/// Why a function of the module is no kernel, as the user sees it.
fn reported(module: &IRModule, failure: Failure) -> Diagnostics {
    match failure {
        Failure::Lowering(found) => found,
        Failure::Code(error) => located(module, error),
    }
}

/// A backend's refusal, at the function that it is about.
fn located(module: &IRModule, error: CodeError) -> Diagnostics {
    let symbol = match &error {
        CodeError::Unsupported { symbol, .. } => symbol.clone(),
        CodeError::Defect(_) => None,
    };
    let mut found = Diagnostics::from(error);
    let prim = symbol.and_then(|symbol| module.prim(&symbol));
    if let Some(place) = prim.and_then(|function| function.origins.headline().first().cloned()) {
        found.0.iter_mut().for_each(|diagnostic| diagnostic.span = Some(place.clone()));
    }
    found
}

/// The linker's refusal, as the user sees it.
pub fn link_error(error: &LinkError) -> Diagnostics {
    Diagnostic::error("TW0603", error.to_string()).into()
}

/// What the machine passes are compact tensors: strides that say otherwise would let the kernel run outside of them.
fn check_strides(name: &str, function: &PrimFunc) -> Result<(), Diagnostic> {
    let own = declared_by_argument(function);
    let analyzer = InferCx::default().analyzer;
    for buffer in function.params.iter().filter_map(|p| p.buffer.as_ref()).filter(|b| !b.strides.is_empty()) {
        let wide = |e: &scalar::Expr| e.cast(DataType::I64).ok();
        let mut compact = Some(scalar::Expr::i64(1));
        for (dim, stride) in buffer.shape.iter().zip(&buffer.strides).rev() {
            let single = dim.as_int() == Some(1) || stride.as_var().is_some_and(|var| own.contains(&var.id()));
            let equal = compact.as_ref().is_some_and(|compact| analyzer.prove_equal(compact, stride));
            if !single && !equal {
                let message =
                    format!("parameter `{}` of `{name}` has strides that a compact tensor does not have", buffer.name);
                let error = Diagnostic::error("TW0601", message).note("the machine passes compact row-major tensors");
                return Err(match function.origins.headline().first() {
                    Some(span) => error.at(span.clone()),
                    None => error,
                });
            }
            let product = |a: scalar::Expr| scalar::Expr::binary(scalar::BinOp::Mul, &a, &wide(dim)?).ok();
            compact = compact.and_then(product);
        }
    }
    Ok(())
}
