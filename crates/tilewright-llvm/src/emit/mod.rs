//! `LowTir` as LLVM's text form.
//!
//! A kernel becomes several functions: the exported entry, the internal function with the body, and two more like them
//! for each parallel loop. Reading order: [`text`] (how instructions are written), [`unit`] (what the functions of
//! one kernel share), [`function`] (variables and memory of a function being written), then statements, expressions
//! and memory accesses.

mod binary;
mod bits;
mod convert;
pub(crate) mod device;
mod entry;
mod expr;
mod foreign;
mod function;
mod memory;
mod narrow;
mod parallel;
mod pieces;
mod remainder;
mod scratch;
mod stmt;
mod stream;
mod text;
mod unit;
mod work;

use std::collections::BTreeSet;

use tilewright_ir::low::{DeviceKernel, LowTir};
use tilewright_target::{Arch, Target};
use tilewright_tensor::abi::EXTERNAL_SYMBOLS;

pub(crate) use unit::IntrinsicCall;

use crate::{CodegenError, Kernel, SYMBOL_PREFIX};

/// Functions in LLVM's text form.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) text: String,
    /// The interface of each function.
    pub(crate) kernels: Vec<Kernel>,
    /// Calls of LLVM intrinsics by name: if LLVM refuses the text, one of these may be the reason.
    pub(crate) intrinsics: Vec<IntrinsicCall>,
}

/// All functions as one module.
pub(crate) fn module(functions: &[LowTir], target: &Target) -> Result<Module, CodegenError> {
    check_names(functions)?;
    let mut text = header(target);
    let (mut kernels, mut intrinsics) = (Vec::with_capacity(functions.len()), Vec::new());
    for (number, function) in functions.iter().enumerate() {
        let (kernel_text, kernel, called) = entry::kernel(function, number, target)?;
        text.push_str(&kernel_text);
        kernels.push(kernel);
        intrinsics.extend(called);
    }
    text.push_str(&attributes(target, &intrinsics));
    text.push_str(&crate::import::texts(functions));
    Ok(Module { text, kernels, intrinsics })
}

/// The kernels of a function for a GPU as one module, and the bytes of dynamic shared memory of each.
pub(crate) fn device_module(
    name: &str,
    kernels: &[DeviceKernel],
    target: &Target,
) -> Result<(String, Vec<u64>), CodegenError> {
    let mut text = header(target);
    text.push_str(device::prelude());
    let mut shared_bytes = Vec::with_capacity(kernels.len());
    for (number, kernel) in kernels.iter().enumerate() {
        let symbol = crate::device_symbol(number);
        let written = device::kernel(&symbol, kernel, number, target).map_err(|error| error.of(name))?;
        text.push_str(&written.text);
        shared_bytes.push(written.shared_bytes);
    }
    text.push_str(&attributes(target, &[]));
    Ok((text, shared_bytes))
}

/// A module of one function, which consists of one call of an intrinsic.
pub(crate) fn probe(call: &IntrinsicCall, target: &Target) -> String {
    let IntrinsicCall { name, parameters, result, operands, .. } = call;
    let parameters =
        [parameters.as_str(), "ptr %r"].into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", ");
    let body = match result.as_str() {
        "void" => format!("  call void @{name}({operands})\n"),
        result => format!("  %v = call {result} @{name}({operands})\n  store {result} %v, ptr %r, align 1\n"),
    };
    format!(
        "{}define void @probe({parameters}) #0 {{\n{body}  ret void\n}}\n{}",
        header(target),
        attributes(target, std::slice::from_ref(call))
    )
}

fn header(target: &Target) -> String {
    format!("target triple = {}\n\n", text::quoted(target.triple.as_bytes()))
}

fn attributes(target: &Target, intrinsics: &[IntrinsicCall]) -> String {
    let units: BTreeSet<&str> = intrinsics.iter().flat_map(|call| crate::foreign::units(&call.name, target)).collect();
    let features = units.iter().fold(target.llvm_features(), |all, unit| format!("{all},+{unit}"));
    // The processor's name decides on timings only; instructions come from the baseline and the features. Loops that
    // copy rows stay loops: rows are too short for the calls that LLVM would make of them.
    let (tune, features) = (text::quoted(target.cpu.as_bytes()), text::quoted(features.as_bytes()));
    if target.arch == Arch::Nvptx64 {
        let cpu = text::quoted(target.cpu.as_bytes());
        return format!(
            "attributes #0 = {{ nounwind \"target-cpu\"={cpu} \"target-features\"={features} \
             \"no-trapping-math\"=\"true\" }}\n!0 = !{{i32 1}}\n{}",
            text::LONG_LOOP
        );
    }
    format!(
        "attributes #0 = {{ nounwind \"target-cpu\"=\"{}\" \"tune-cpu\"={tune} \"target-features\"={features} \
         \"prefer-vector-width\"=\"{}\" \"no-trapping-math\"=\"true\" \"no-builtins\" }}\n!0 = !{{i32 1}}\n{}",
        target.baseline_cpu(),
        target.vector_bits,
        text::LONG_LOOP
    )
}

/// Names must be printable, distinct, and not those that code refers to from outside.
fn check_names(functions: &[LowTir]) -> Result<(), CodegenError> {
    debug_assert!(EXTERNAL_SYMBOLS.iter().all(|name| !name.starts_with(SYMBOL_PREFIX)));
    let mut seen = std::collections::BTreeSet::new();
    for function in functions {
        let name = function.symbol();
        if name.is_empty() || name.len() > 4096 || name.contains(char::is_control) {
            return Err(CodegenError::Name(format!("{name:?} cannot be the name of a kernel")));
        }
        if !seen.insert(name) {
            return Err(CodegenError::Name(format!("two kernels are named `{name}`")));
        }
    }
    Ok(())
}
