//! `LowTir` as LLVM's text form.
//!
//! A kernel becomes several functions: the exported entry, the internal function with the body, and two of the same
//! sort for each parallel loop. Reading order: [`text`] (how instructions are written), [`unit`] (what the functions of
//! one kernel share), [`function`] (variables and memory of a function being written), then statements, expressions
//! and memory accesses.

mod binary;
mod bits;
mod convert;
mod entry;
mod expr;
mod function;
mod memory;
mod narrow;
mod parallel;
mod stmt;
mod text;
mod unit;

use std::fmt::Write;

use tilewright_ir::low::LowTir;
use tilewright_target::Target;
use tilewright_tensor::abi::EXTERNAL_SYMBOLS;

use crate::{CodegenError, Kernel, SYMBOL_PREFIX};

/// All functions as one module, and what callers have to know of each.
pub(crate) fn module(functions: &[LowTir], target: &Target) -> Result<(String, Vec<Kernel>), CodegenError> {
    check_names(functions)?;
    let mut text = format!("target triple = {}\n\n", text::quoted(target.triple.as_bytes()));
    let mut kernels = Vec::with_capacity(functions.len());
    for (number, function) in functions.iter().enumerate() {
        let (kernel_text, kernel) = entry::kernel(function, number, target)?;
        text.push_str(&kernel_text);
        kernels.push(kernel);
    }
    // The processor's name decides on timings only; instructions come from the baseline and the features.
    let (tune, features) = (text::quoted(target.cpu.as_bytes()), text::quoted(target.llvm_features().as_bytes()));
    let _ = writeln!(
        text,
        "attributes #0 = {{ nounwind \"target-cpu\"=\"{}\" \"tune-cpu\"={tune} \"target-features\"={features} \
         \"prefer-vector-width\"=\"{}\" \"no-trapping-math\"=\"true\" }}",
        target.baseline_cpu(),
        target.vector_bits
    );
    Ok((text, kernels))
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
