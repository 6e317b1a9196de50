//! Graph passes: binding of parameters and sizes, folding, legalisation, explicit destinations, memory planning, cleaning.
//!
//! Each pass is a folder with its textual tests beside it, and a line in [`all_passes`]. Reading order: [`Normalize`]
//! (the shape that the others work on), [`BindParams`], [`LegalizeOps`], [`FoldConstant`], [`ToNonDataflow`],
//! [`CallTIRRewrite`], then `lifetimes` (when values are needed) with the passes that ask it:
//! [`DataflowUseInplaceCalls`] and [`StaticPlanBlockMemory`]. [`estimate_memory_usage`] tells what came of it. The others
//! clean: [`CanonicalizeBindings`], [`EliminateCommonSubexpr`], [`InlinePrivateFunctions`], [`DeadCodeElimination`].
//! [`pattern`] is the language in which users say what to look for in graphs; [`FuseOpsByPattern`] and
//! [`MergeCompositeFunctions`] make functions of what it finds.
//!
//! # What is left at the end
//!
//! After [`StaticPlanBlockMemory`] a module has [`Form::MachineReady`](tilewright_ir::verify::Form::MachineReady). Its
//! Relax functions are flat lists of bindings in plain blocks. An *operand* is a variable, a constant, a shape, a
//! scalar, a string, a data type, the name of a function, or a tuple of operands. The value of a binding is one of:
//!
//! | value | meaning |
//! |---|---|
//! | an operand | another name for it |
//! | `R.memory.alloc_storage(bytes=N)` | the function's planned memory: at most one, the first binding of the function |
//! | `R.memory.alloc_tensor(storage, shape, offset=, dtype=, bytes=)` | a tensor in it, of at most so many bytes, that does not leave the function |
//! | `R.builtin.alloc_tensor(shape, dtype=)`, `R.alloc_tensor(…)` | a tensor in memory of its own, of any shape |
//! | a call of a PrimFunc as a value (`cls.f(…)`) | arguments in the order of its parameters, results last; binds an empty tuple |
//! | a call of a Relax function, or of a variable that holds a function | gives its result |
//! | a function | a closure, whose body is such a list and has no storage |
//! | `R.call_packed(name, …)` | what was `call_dps_packed` has its results among the arguments and its own result is dropped |
//! | `tuple[i]`, `R.match_cast`, `if` | the branches of an `if` are such lists themselves |
//!
//! Scalar arguments of a PrimFunc (symbolic dimensions that no buffer tells) are operands of the kind scalar. No operator
//! with a PrimFunc, no `call_tir`, no `call_dps_packed` and no dataflow block is left; an operator that the machine runs
//! itself may be.
//!
//! Invariants: a pass makes a new module and leaves its input as it was; a binding that replaces others carries all their
//! origins; passes ask operators for properties. Nothing here knows a target or machine code; loops are looked at only to
//! prove that a PrimFunc may overwrite an argument.

mod attach_global_symbol;
mod bind_params;
mod bind_symbolic_vars;
mod call_tir_rewrite;
mod canonicalize_bindings;
mod dataflow_use_inplace_calls;
mod dead_code_elimination;
mod eliminate_common_subexpr;
mod fold_constant;
mod fuse_ops_by_pattern;
mod inline_private_functions;
mod kill_after_last_use;
mod legalize_ops;
mod lifetimes;
mod memory_usage;
mod merge_composite_functions;
mod normalize;
mod normalize_global_var;
mod outline;
pub mod pattern;
mod purity;
mod remove_purity_checking;
mod sequence;
mod static_plan_block_memory;
mod to_non_dataflow;

use std::sync::Arc;

use tilewright_ir::pass::Pass;

pub use attach_global_symbol::AttachGlobalSymbol;
pub use bind_params::{BindParams, ParamKey};
pub use bind_symbolic_vars::BindSymbolicVars;
pub use call_tir_rewrite::CallTIRRewrite;
pub use canonicalize_bindings::CanonicalizeBindings;
pub use dataflow_use_inplace_calls::DataflowUseInplaceCalls;
pub use dead_code_elimination::DeadCodeElimination;
pub use eliminate_common_subexpr::EliminateCommonSubexpr;
pub use fold_constant::{FREE_BYTES, FoldConstant, GROWTH};
pub use fuse_ops_by_pattern::{Check, FuseOpsByPattern, FusionPattern, PatternMatch};
pub use inline_private_functions::InlinePrivateFunctions;
pub use kill_after_last_use::KillAfterLastUse;
pub use legalize_ops::LegalizeOps;
pub use memory_usage::{FunctionMemory, MemoryUsage, estimate_memory_usage};
pub use merge_composite_functions::MergeCompositeFunctions;
pub use normalize::Normalize;
pub use normalize_global_var::NormalizeGlobalVar;
pub use remove_purity_checking::RemovePurityChecking;
pub use static_plan_block_memory::StaticPlanBlockMemory;
pub use to_non_dataflow::ToNonDataflow;

/// Every pass that needs no arguments. Users know it by the name that it says of itself.
pub fn all_passes() -> Vec<Arc<dyn Pass>> {
    vec![
        Arc::new(Normalize),
        Arc::new(CanonicalizeBindings),
        Arc::new(EliminateCommonSubexpr),
        Arc::new(InlinePrivateFunctions),
        Arc::new(NormalizeGlobalVar),
        Arc::new(AttachGlobalSymbol),
        Arc::new(MergeCompositeFunctions),
        Arc::new(LegalizeOps),
        Arc::new(FoldConstant),
        Arc::new(DeadCodeElimination),
        Arc::new(DataflowUseInplaceCalls),
        Arc::new(ToNonDataflow),
        Arc::new(RemovePurityChecking),
        Arc::new(CallTIRRewrite),
        Arc::new(StaticPlanBlockMemory),
        Arc::new(KillAfterLastUse),
    ]
}
