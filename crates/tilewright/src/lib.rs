//! The Rust API of Tilewright: text to module, module to module, module to something that runs.
//!
//! ```
//! use tilewright::{CompileOptions, SourceFile, Tensor, Value, VirtualMachine};
//!
//! let file = SourceFile::new(
//!     "double.py",
//!     r#"
//! @I.ir_module
//! class Module:
//!     @R.function
//!     def main(x: R.Tensor((2,), "float32")):
//!         with R.dataflow():
//!             y = R.add(x, x)
//!             R.output(y)
//!         return y
//! "#,
//! );
//! let module = tilewright::parse_module(&file)?;
//! let executable = tilewright::compile(&module, &CompileOptions::default())?;
//! let machine = VirtualMachine::new(executable, &[])?;
//! let x = Tensor::from_vec(&[2], vec![1.5f32, -2.0])?;
//! let Value::Tensor(y) = machine.function("main")?.call(&[x.into()])? else { panic!("expected a tensor") };
//! assert_eq!(y.as_slice::<f32>()?, [3.0, -4.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`parse_module`] and [`print_module`], [`pipelines`], [`compile`], then the crates below them, which
//! are re-exported under their own names.
//!
//! Invariants: nothing here but [`session`] reads files, and nothing prints; this crate adds no mechanism of its own,
//! it only joins those of others.

pub mod codes;
pub mod compare;
mod compile;
mod emit;
mod evaluator;
pub mod explain;
pub mod page;
pub mod passes;
pub mod pipelines;
pub mod profile;
pub mod session;
pub mod tuning;

pub use compile::{CompileError, CompileOptions, Watch, build_executable, compile};
pub use emit::{Emitted, Stage, emit};
pub use evaluator::LinkedEvaluator;
pub use tilewright_ir::pass::{Pass, PassCx, PassError, Sequential};
pub use tilewright_ir::{GlobalFunc, IRModule};
pub use tilewright_runtime::{Executable, Value, VirtualMachine};
pub use tilewright_support::{Diagnostic, Diagnostics, SourceFile};
pub use tilewright_target::Target;
pub use tilewright_tensor::{DataType, Tensor};

pub use tilewright_arith as arith;
pub use tilewright_build as build;
pub use tilewright_expr as expr;
pub use tilewright_import as import;
pub use tilewright_ir as ir;
pub use tilewright_llvm as llvm;
pub use tilewright_nn as nn;
pub use tilewright_ops as ops;
pub use tilewright_relax_passes as relax_passes;
pub use tilewright_runtime as runtime;
pub use tilewright_schedule as schedule;
pub use tilewright_script as script;
pub use tilewright_support as support;
pub use tilewright_target as target;
pub use tilewright_te as te;
pub use tilewright_tensor as tensor;
pub use tilewright_tir_passes as tir_passes;
pub use tilewright_tune as tune;
pub use tilewright_vm_program as vm_program;

use std::sync::Arc;

/// Reads the one module of a TVMScript file; functions outside of modules are one where there is no other. Python
/// values that the script refers to are not available here.
pub fn parse_module(file: &Arc<SourceFile>) -> Result<IRModule, Diagnostics> {
    script::parse::parse_module(file, &script::parse::NoHost)
        .or_else(|refused| functions_as_module(file).ok_or(refused))
}

/// The functions of a file as a module, under their names; `None` where there is something else, or nothing.
fn functions_as_module(file: &Arc<SourceFile>) -> Option<IRModule> {
    let items = script::parse::parse_file(file, &script::parse::NoHost).ok()?.items;
    let mut module = IRModule::new();
    for item in &items {
        match &item.definition {
            script::parse::Definition::Prim(function) => {
                module.insert(item.name.as_str(), ir::tir::PrimFunc::clone(function))
            }
            script::parse::Definition::Relax(function) => {
                module.insert(item.name.as_str(), ir::relax::Function::clone(function))
            }
            script::parse::Definition::Module(_) => return None,
        };
    }
    (!items.is_empty()).then_some(module)
}

/// The module as TVMScript, without the bytes of its constants.
pub fn print_module(module: &IRModule) -> String {
    script::print::print_module(module, &script::print::PrintOptions::default())
}
