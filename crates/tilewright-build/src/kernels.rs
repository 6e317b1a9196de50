//! PrimFuncs → kernels: lowered, compiled, linked into one image.

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::walk;
use tilewright_ir::IRModule;
use tilewright_ir::interface::{KernelInterface, declared_by_argument};
use tilewright_ir::low::LowTir;
use tilewright_ir::op::InferCx;
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::verify::Verified;
use tilewright_llvm::{CodegenError, Options};
use tilewright_support::{Diagnostic, Diagnostics, Map, Set};
use tilewright_target::Target;
use tilewright_tensor::DataType;
use tilewright_vm_program::{Access, DeviceIndex, DeviceKind, Kernel, ProgramBuilder};

use crate::cache::KernelCache;
use crate::defect;
use crate::link::{KernelObject, LinkError, link_kernels};
use crate::objects::{Failure, Objects, SYMBOL, Watch, compile, each};

/// A kernel of the program and how it is called.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) kernel: u32,
    /// Where it runs, and its tensors lie.
    pub(crate) device: DeviceIndex,
    pub(crate) interface: KernelInterface,
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
        tilewright_tir_passes::lower_for(target, name, function)
    });
    lowered.map_err(joined)
}

fn prim_funcs(module: &IRModule) -> impl Iterator<Item = (&Arc<str>, &PrimFunc)> {
    module.iter().filter_map(|(name, _)| Some((name, &**module.prim(name)?)))
}

/// Compiles all PrimFuncs of the module into an image of the program for `device`, its first one. Those that call
/// functions of the process run on the host: where that is another device, they are an image of their own.
pub(crate) fn build_kernels(
    program: &mut ProgramBuilder,
    module: &IRModule,
    target: &Target,
    device: DeviceKind,
    watch: Watch<'_>,
) -> Result<KernelTable, Diagnostics> {
    let functions: Vec<_> = prim_funcs(module).map(|(name, function)| (&**name, function)).collect();
    if functions.is_empty() {
        return Ok(KernelTable::default());
    }
    each(&functions, |(name, function)| check_strides(name, function).map_err(Diagnostics::from)).map_err(joined)?;
    let compiled = compile(&functions, target, &Options::default(), KernelCache::process(), watch)
        .map_err(|failures| joined(failures.into_iter().map(|failure| reported(module, failure)).collect()))?;
    let host = program.host();
    let calls_out: Set<&str> = match host == DeviceIndex::FIRST {
        true => Set::default(),
        false => {
            functions.iter().zip(&compiled.facts).filter(|(_, f)| !f.packed.is_empty()).map(|((n, _), _)| *n).collect()
        }
    };
    let images = [(DeviceIndex::FIRST, device, false), (host, DeviceKind::Cpu, true)];
    let mut exports = Map::default();
    for (place, kind, outside) in images {
        link(program, &compiled, kind, |name| calls_out.contains(name) == outside, &mut |name, image, export| {
            exports.insert(name, (place, image, export));
        })?;
    }
    let mut table = KernelTable::default();
    for ((name, function), facts) in prim_funcs(module).zip(compiled.facts) {
        let interface = KernelInterface::of(function);
        let Some(&(device, image, export)) = exports.get(&**name) else {
            return Err(Diagnostic::error("TW0603", format!("the linked image has no kernel `{name}`")).into());
        };
        let packed = facts.packed.iter().map(|name| program.packed(name)).collect();
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
            scratch_bytes: facts.scratch_bytes,
            device,
            packed,
        });
        table.insert(name.clone(), Entry { kernel, device, interface });
    }
    Ok(table)
}

/// Links the objects of some functions into an image of the program, if there are any, and tells of each export.
fn link(
    program: &mut ProgramBuilder,
    compiled: &Objects,
    kind: DeviceKind,
    is_in: impl Fn(&str) -> bool,
    tell: &mut dyn FnMut(String, u32, u32),
) -> Result<(), Diagnostics> {
    let symbol = format!("{}{SYMBOL}", tilewright_llvm::SYMBOL_PREFIX);
    let objects = compiled.objects.iter().filter(|object| object.names.iter().any(|name| is_in(name)));
    let objects: Vec<_> =
        objects.map(|object| KernelObject { elf: &object.elf, symbol: &symbol, names: &object.names }).collect();
    if objects.is_empty() {
        return Ok(());
    }
    let mut image = link_kernels(objects.into_iter()).map_err(|error| link_error(&error))?;
    image.kind = kind;
    let names: Vec<String> = image.exports.iter().map(|export| export.name.clone()).collect();
    let image = program.image(image);
    for (export, name) in names.into_iter().enumerate() {
        tell(name, image, export as u32);
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
        Failure::Code(error) => located(module, &error),
    }
}

/// The code generator's refusal, as the user sees it.
pub fn code_error(error: &CodegenError) -> Diagnostics {
    match error {
        CodegenError::Unsupported { .. } | CodegenError::Name(_) | CodegenError::Target(_) => {
            Diagnostic::error("TW0602", error.to_string()).into()
        }
        CodegenError::Malformed { .. } | CodegenError::Llvm(_) => defect(error),
    }
}

/// As [`code_error`], at the function that it is about.
fn located(module: &IRModule, error: &CodegenError) -> Diagnostics {
    let mut found = code_error(error);
    if let CodegenError::Unsupported { symbol, .. } = error
        && let Some(place) = module.prim(symbol).and_then(|function| function.origins.headline().first().cloned())
    {
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
