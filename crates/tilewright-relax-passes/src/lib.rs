//! Graph passes: binding of parameters and sizes, folding, legalisation, explicit destinations, memory planning,
//! cleaning. Each pass is a folder with its textual tests, and a line in the list below, which [`all_passes`] and
//! [`PASSES`] are made of; one that takes arguments declares them there as data, for everything that makes passes by
//! name. Reading order: [`Normalize`] (the shape that the others work on), [`BindParams`], [`LegalizeOps`],
//! [`FoldConstant`], [`ToNonDataflow`], [`CallTIRRewrite`], then `lifetimes` (when values are needed) with the passes
//! that ask it: [`DataflowUseInplaceCalls`] and [`StaticPlanBlockMemory`]. [`estimate_memory_usage`] tells what came of
//! it. Others clean: [`CanonicalizeBindings`], [`EliminateCommonSubexpr`], [`InlinePrivateFunctions`],
//! [`RemoveUnusedParameters`], [`RemoveUnusedOutputs`], [`ExpandTupleArguments`], [`DeadCodeElimination`]; change which
//! functions there are: [`LambdaLift`], [`LiftTransformParams`], [`BundleModelParams`], [`LazyTransformParams`],
//! [`LazyGetInput`], [`LazySetOutput`], [`AttachAttrLayoutFreeBuffers`] with [`SplitLayoutRewritePreproc`]; or which
//! operators: [`FoldScaleAxis`], [`CombineParallelMatmul`], [`AdjustMatmulOrder`], [`ReorderTakeAfterMatmul`],
//! [`DecomposeOps`], [`DecomposeOpsForInference`], [`InlineScalarConstants`], [`ToMixedPrecision`], [`ConvertLayout`],
//! [`OptimizeLayoutTransform`], [`RewriteDataflowReshape`]. [`FuseAttention`], [`AnnotateTIROpPattern`], [`FuseOps`]
//! and [`FuseTIR`] make one PrimFunc of calls that may be computed together. [`FuseTransposeMatmul`] multiplies by a
//! transposed matrix in place; [`AlterOpImpl`] and [`RunCodegen`] use the user's code for PrimFuncs and functions, and
//! [`FastMathTransform`] calls exponentials as named functions. [`FakeQuantizationToInteger`] multiplies the integers
//! of quantised tensors. [`Gradient`] adds the function that computes gradients.
//! [`pattern`] is the language in which users say what to look for in graphs; [`FuseOpsByPattern`] and
//! [`MergeCompositeFunctions`] make functions of what it finds.
//!
//! [`ComputePrimValue`], [`VMShapeLower`], [`LowerAllocTensor`] and [`LowerRuntimeBuiltin`] write out what the machine
//! does in instructions of its own: computed scalars, sizes, storages, the runtime's functions. No build needs them;
//! each says why.
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
//! | `R.memory.alloc_tensor(storage, shape, offset=, dtype=, bytes=)` | a tensor in it, of at most `bytes` bytes, that does not leave the function |
//! | `R.builtin.alloc_tensor(shape, dtype=)`, `R.alloc_tensor(…)` | a tensor in memory of its own, of any shape |
//! | a call of a PrimFunc as a value (`cls.f(…)`) | arguments in the order of its parameters, results last; binds an empty tuple |
//! | a call of a Relax function, or of a variable that holds a function | gives its result |
//! | a function | a closure, whose body is such a list and has no storage |
//! | `R.call_packed(name, …)` | what was `call_dps_packed` has its results among the arguments and its own result is dropped |
//! | `tuple[i]`, `R.match_cast`, `if` | the branches of an `if` are such lists themselves |
//!
//! Scalar arguments of a PrimFunc (symbolic dimensions that no buffer tells) are operands of the kind scalar. No
//! operator with a PrimFunc, no `call_tir`, no `call_dps_packed` and no dataflow block is left; an operator that the
//! machine runs itself may be.
//!
//! Invariants: a pass makes a new module and leaves its input as it was; a binding that replaces others carries all
//! their origins; passes ask operators for properties. Nothing here knows a target or machine code; loops are looked at
//! only to prove that a PrimFunc may overwrite an argument, and are put in sequence, never changed.

/// Declares passes, a line each in the order of the table: the pass's folder and its type. A pass that takes arguments
/// is followed by `(..)` and declares them as its `DEF`.
macro_rules! passes {
    (@def $folder:ident $pass:ident) => {
        PassDef { name: stringify!($pass), doc: "", params: &[], make: |_| Ok(Arc::new($pass)) }
    };
    (@def $folder:ident $pass:ident (..)) => {
        $pass::DEF
    };
    ($($folder:ident::$pass:ident $(($($takes:tt)*))?;)*) => {
        $(mod $folder; pub use $folder::*;)*

        /// Every pass that users make by name.
        pub const PASSES: &[PassDef] = &[$(passes!(@def $folder $pass $(($($takes)*))?)),*];
    };
}

passes! {
    normalize::Normalize;
    canonicalize_bindings::CanonicalizeBindings;
    eliminate_common_subexpr::EliminateCommonSubexpr(..);
    inline_private_functions::InlinePrivateFunctions;
    normalize_global_var::NormalizeGlobalVar;
    attach_global_symbol::AttachGlobalSymbol;
    merge_composite_functions::MergeCompositeFunctions;
    legalize_ops::LegalizeOps(..);
    fold_constant::FoldConstant;
    annotate_tir_op_pattern::AnnotateTIROpPattern;
    fuse_ops::FuseOps(..);
    fuse_tir::FuseTIR;
    dead_code_elimination::DeadCodeElimination(..);
    dataflow_use_inplace_calls::DataflowUseInplaceCalls;
    to_non_dataflow::ToNonDataflow;
    remove_purity_checking::RemovePurityChecking;
    call_tir_rewrite::CallTIRRewrite;
    static_plan_block_memory::StaticPlanBlockMemory;
    kill_after_last_use::KillAfterLastUse;
    combine_parallel_matmul::CombineParallelMatmul(..);
    fold_scale_axis::FoldScaleAxis;
    inline_scalar_constants::InlineScalarConstants;
    fake_quantization_to_integer::FakeQuantizationToInteger(..);
    fuse_attention::FuseAttention;
    attach_attr_layout_free_buffers::AttachAttrLayoutFreeBuffers;
    split_layout_rewrite_preproc::SplitLayoutRewritePreproc;
    remove_unused_parameters::RemoveUnusedParameters;
    expand_tuple_arguments::ExpandTupleArguments;
    remove_unused_outputs::RemoveUnusedOutputs;
    lambda_lift::LambdaLift;
    reorder_permute_dims_after_concat::ReorderPermuteDimsAfterConcat;
    reorder_take_after_matmul::ReorderTakeAfterMatmul;
    expand_matmul_of_sum::ExpandMatmulOfSum;
    adjust_matmul_order::AdjustMatmulOrder;
    update_param_struct_info::UpdateParamStructInfo(..);
    update_vdevice::UpdateVDevice(..);
    realize_vdevice::RealizeVDevice;
    to_mixed_precision::ToMixedPrecision(..);
    convert_layout::ConvertLayout(..);
    optimize_layout_transform::OptimizeLayoutTransform;
    decompose_ops::DecomposeOps;
    decompose_ops_for_inference::DecomposeOpsForInference(..);
    decompose_ops_for_training::DecomposeOpsForTraining(..);
    rewrite_dataflow_reshape::RewriteDataflowReshape;
    remove_redundant_reshape::RemoveRedundantReshape;
    lift_transform_params::LiftTransformParams(..);
    bundle_model_params::BundleModelParams(..);
    lazy_transform_params::LazyTransformParams(..);
    lazy_get_input::LazyGetInput;
    lazy_set_output::LazySetOutput;
    convert_to_dataflow::ConvertToDataflow(..);
    gradient::Gradient(..);
    topological_sort::TopologicalSort(..);
    fuse_transpose_matmul::FuseTransposeMatmul;
    fast_math_transform::FastMathTransform;
    run_codegen::RunCodegen(..);
    lower_alloc_tensor::LowerAllocTensor;
    lower_runtime_builtin::LowerRuntimeBuiltin;
    compute_prim_value::ComputePrimValue;
    vm_shape_lower::VMShapeLower;
}

mod alter_op_impl;
mod bind_params;
mod bind_symbolic_vars;
mod calls_in_dataflow;
mod decompose;
mod equal_calls;
mod fuse_ops_by_pattern;
mod hiding;
mod lifetimes;
mod memory_usage;
mod needs;
mod number_heap;
mod operand;
mod outline;
pub mod pattern;
mod private_calls;
mod purity;
mod sequence;

use std::sync::Arc;

use tilewright_ir::pass::{Pass, PassDef};

pub use alter_op_impl::{AlterOpImpl, Replacement};
pub use bind_params::{BindParams, ParamKey};
pub use bind_symbolic_vars::{BindSymbolicVars, DimKey};
pub use fuse_ops_by_pattern::{Check, FuseOpsByPattern, FusionPattern, PatternMatch};
pub use memory_usage::{FunctionMemory, MemoryUsage, estimate_memory_usage};

/// The names of the passes whose arguments are no data: functions, tensors, sizes of variables, patterns.
pub const OTHER_PASSES: &[&str] =
    &[alter_op_impl::NAME, bind_params::NAME, bind_symbolic_vars::NAME, fuse_ops_by_pattern::NAME];

/// Every pass that needs no arguments, with the defaults of those that it may have. Users know it by the name that it
/// says of itself.
pub fn all_passes() -> Vec<Arc<dyn Pass>> {
    PASSES.iter().filter_map(|def| def.with([]).ok()).collect()
}
