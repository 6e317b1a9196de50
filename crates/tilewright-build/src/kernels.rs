//! PrimFuncs → kernels: lowered, compiled in one LLVM job, linked into one image.

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_ir::IRModule;
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::tir::PrimFunc;
use tilewright_support::{Diagnostic, Diagnostics, Map};
use tilewright_target::Target;
use tilewright_tensor::DataType;
use tilewright_vm_program::{Access, Dim, DimPattern, FunctionBuilder, Kernel, Kind, Param, ProgramBuilder, Scalar};

/// A kernel of the program and how it is called.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) kernel: u32,
    pub(crate) interface: KernelInterface,
}

/// The kernels of a module by the names of their PrimFuncs.
pub(crate) type KernelTable = Map<Arc<str>, Entry>;

/// Compiles all PrimFuncs of the module into one image of the program.
pub(crate) fn build_kernels(
    program: &mut ProgramBuilder,
    module: &IRModule,
    target: &Target,
) -> Result<KernelTable, Diagnostics> {
    let functions: Vec<_> = module.iter().filter_map(|(name, _)| Some((name, module.prim(name)?))).collect();
    if functions.is_empty() {
        return Ok(KernelTable::default());
    }
    let mut problems = Diagnostics::default();
    let mut low = Vec::new();
    for (name, function) in &functions {
        match tilewright_tir_passes::lower(name, function) {
            Ok(function) => low.push(function),
            Err(found) => problems.0.extend(found.0),
        }
    }
    if problems.has_errors() {
        return Err(problems);
    }
    let compiled = tilewright_llvm::compile(&low, target, &tilewright_llvm::Options::default())
        .map_err(|error| Diagnostics::from(Diagnostic::error("TW0602", error.to_string())))?;
    let mut image = crate::link::link(&[&compiled.elf])
        .map_err(|error| Diagnostics::from(Diagnostic::error("TW0603", error.to_string())))?;
    for export in &mut image.exports {
        if let Some(name) = export.name.strip_prefix(tilewright_llvm::SYMBOL_PREFIX) {
            export.name = name.to_owned();
        }
    }
    let exports: Map<String, u32> = image.exports.iter().enumerate().map(|(i, e)| (e.name.clone(), i as u32)).collect();
    let image = program.image(image);
    let mut table = KernelTable::default();
    for (name, function) in functions {
        let interface = KernelInterface::of(function);
        let scratch = compiled.kernels.iter().find(|k| k.symbol == **name).map_or(0, |k| k.scratch_bytes);
        let Some(&export) = exports.get(&**name) else {
            return Err(Diagnostic::error("TW0603", format!("the linked image has no kernel `{name}`")).into());
        };
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
            scratch_bytes: scratch,
        });
        table.insert(name.clone(), Entry { kernel, interface });
    }
    Ok(table)
}

/// The machine's function that calls a PrimFunc on the caller's own tensors.
pub(crate) fn emit_entry(name: &str, function: &PrimFunc, entry: &Entry) -> Result<FunctionBuilder, Diagnostic> {
    let mut slots: Vec<scalar::Var> = Vec::new();
    let mut params = Vec::new();
    for param in &function.params {
        let kind = match &param.buffer {
            None => Kind::Prim(param.var.dtype),
            Some(buffer) => Kind::Tensor {
                dtype: Some(buffer.dtype),
                dims: Some(buffer.shape.iter().map(|dim| pattern(&mut slots, dim)).collect::<Result<_, _>>()?),
            },
        };
        params.push(Param { name: param.var.name.to_string(), kind });
    }
    let scalars = entry.interface.scalars.iter().map(|s| match s.param {
        Some(param) => Ok(Scalar::Reg(tilewright_vm_program::Reg(param as u32))),
        None => match slots.iter().position(|v| *v == s.var) {
            Some(slot) => Ok(Scalar::Dim(Dim::Slot(slot as u32))),
            None => Err(Diagnostic::error("TW0601", format!("no argument tells the value of `{}`", s.var.name))),
        },
    });
    let scalars = scalars.collect::<Result<Vec<_>, _>>()?;
    let names = slots.iter().map(|v| v.name.to_string()).collect();
    Ok(FunctionBuilder::over_kernel(name, params, names, entry.kernel, &scalars))
}

fn pattern(slots: &mut Vec<scalar::Var>, dim: &scalar::Expr) -> Result<DimPattern, Diagnostic> {
    if let Some(size) = dim.as_int() {
        return Ok(DimPattern::Const(size));
    }
    let Some(var) = dim.as_var() else {
        let message =
            "a buffer whose size is computed from symbolic dimensions cannot be an argument of an entry point yet";
        return Err(Diagnostic::error("TW0601", message));
    };
    let slot = slots.iter().position(|v| v == var).unwrap_or_else(|| {
        slots.push(var.clone());
        slots.len() - 1
    });
    Ok(DimPattern::Slot(slot as u32))
}
