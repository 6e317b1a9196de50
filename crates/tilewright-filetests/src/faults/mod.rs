//! Planted faults: ways in which a pass could be wrong. The textual tests of the pass must catch each.

mod graphs;
mod loops;

use tilewright::GlobalFunc;
use tilewright::ir::IRModule;
use tilewright::ir::node::{AnyHandle, rewrite};
use tilewright::ir::relax;
use tilewright::ir::tir::{PrimFunc, Stmt, StmtKind};

use self::graphs::{
    another_dimension, another_field, another_slot, changed_constant, dropped_binding, dropped_cast, dropped_match,
    early_kill, lost_alias, lost_symbol, no_fusion_mark, overlapping_tensors, shifted_view, still_dataflow,
    still_plain, still_pure, swapped_arguments, swapped_bindings, swapped_fields, swapped_inside,
};
use self::loops::{
    another_parameter, another_pattern, another_size, changed_init, dropped_assert, dropped_init, dropped_store,
    lost_condition, lost_dimension, lost_noalias, reversed_lanes, shared_temporary, shifted_index, shifted_region,
    shifted_tile, short_loop, swapped_operands,
};

/// A way to break what a pass leaves.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The pass's name.
    pub pass: &'static str,
    /// The description of the fault.
    pub name: &'static str,
    /// The pass's result, broken; unchanged where there is nothing of the kind to break.
    pub corrupt: fn(&IRModule) -> IRModule,
}

const fn fault(pass: &'static str, name: &'static str, corrupt: fn(&IRModule) -> IRModule) -> Fault {
    Fault { pass, name, corrupt }
}

/// Every planted fault, pass by pass.
pub const ALL: &[Fault] = &[
    fault("Normalize", "swapped_arguments", swapped_arguments),
    fault("CanonicalizeBindings", "swapped_arguments", swapped_arguments),
    fault("CanonicalizeBindings", "dropped_cast", dropped_cast),
    fault("EliminateCommonSubexpr", "swapped_arguments", swapped_arguments),
    fault("EliminateCommonSubexpr", "dropped_binding", dropped_binding),
    fault("InlinePrivateFunctions", "swapped_arguments", swapped_arguments),
    fault("InlinePrivateFunctions", "dropped_cast", dropped_cast),
    fault("NormalizeGlobalVar", "lost_symbol", lost_symbol),
    fault("AttachGlobalSymbol", "lost_symbol", lost_symbol),
    fault("MergeCompositeFunctions", "swapped_arguments", swapped_arguments),
    fault("LegalizeOps", "dropped_init", dropped_init),
    fault("LegalizeOps", "short_loop", short_loop),
    fault("LegalizeOps", "shifted_region", shifted_region),
    fault("LegalizeOps", "swapped_arguments", swapped_arguments),
    fault("BindParams", "changed_constant", changed_constant),
    fault("BindSymbolicVars", "another_size", another_size),
    fault("FoldConstant", "changed_constant", changed_constant),
    fault("FoldConstant", "dropped_binding", dropped_binding),
    fault("AnnotateTIROpPattern", "another_pattern", another_pattern),
    fault("FuseOps", "swapped_arguments", swapped_arguments),
    fault("FuseOps", "swapped_inside", swapped_inside),
    fault("FuseOps", "dropped_binding", dropped_binding),
    fault("FuseOps", "no_fusion_mark", no_fusion_mark),
    fault("FuseTIR", "swapped_arguments", swapped_arguments),
    fault("FuseTIR", "swapped_operands", swapped_operands),
    fault("FuseTIR", "dropped_init", dropped_init),
    fault("FuseTIR", "dropped_store", dropped_store),
    fault("FuseTIR", "short_loop", short_loop),
    fault("FuseTIR", "shifted_index", shifted_index),
    fault("FuseTIR", "shifted_region", shifted_region),
    fault("FuseTIR", "shared_temporary", shared_temporary),
    fault("FuseTIR", "lost_alias", lost_alias),
    fault("FuseTIR", "lost_noalias", lost_noalias),
    fault("DeadCodeElimination", "dropped_binding", dropped_binding),
    fault("DataflowUseInplaceCalls", "swapped_arguments", swapped_arguments),
    fault("DataflowUseInplaceCalls", "shifted_index", shifted_index),
    fault("ToNonDataflow", "still_dataflow", still_dataflow),
    fault("RemovePurityChecking", "still_pure", still_pure),
    fault("CallTIRRewrite", "swapped_arguments", swapped_arguments),
    fault("CallTIRRewrite", "dropped_binding", dropped_binding),
    fault("StaticPlanBlockMemory", "overlapping_tensors", overlapping_tensors),
    fault("DefaultGPUSchedule", "dropped_init", dropped_init),
    fault("DefaultGPUSchedule", "short_loop", short_loop),
    fault("DefaultGPUSchedule", "lost_condition", lost_condition),
    fault("Schedule", "dropped_init", dropped_init),
    fault("Schedule", "lost_condition", lost_condition),
    fault("Schedule", "shifted_index", shifted_index),
    fault("Schedule", "short_loop", short_loop),
    fault("Schedule", "dropped_store", dropped_store),
    fault("Schedule", "changed_init", changed_init),
    fault("Schedule", "shifted_tile", shifted_tile),
    fault("KillAfterLastUse", "early_kill", early_kill),
    fault("CombineParallelMatmul", "swapped_arguments", swapped_arguments),
    fault("CombineParallelMatmul", "swapped_fields", swapped_fields),
    fault("CombineParallelMatmul", "another_field", another_field),
    fault("FoldScaleAxis", "swapped_arguments", swapped_arguments),
    fault("FoldScaleAxis", "changed_constant", changed_constant),
    fault("InlineScalarConstants", "swapped_operands", swapped_operands),
    fault("InlineScalarConstants", "dropped_store", dropped_store),
    fault("AttachAttrLayoutFreeBuffers", "another_parameter", another_parameter),
    fault("FuseAttention", "swapped_arguments", swapped_arguments),
    fault("FuseAttention", "swapped_inside", swapped_inside),
    fault("FuseAttention", "dropped_binding", dropped_binding),
    fault("SplitLayoutRewritePreproc", "swapped_arguments", swapped_arguments),
    fault("SplitLayoutRewritePreproc", "shifted_index", shifted_index),
    fault("SplitLayoutRewritePreproc", "dropped_store", dropped_store),
    fault("RemoveUnusedParameters", "swapped_arguments", swapped_arguments),
    fault("RemoveUnusedParameters", "another_dimension", another_dimension),
    fault("RemoveUnusedOutputs", "another_field", another_field),
    fault("RemoveUnusedOutputs", "swapped_arguments", swapped_arguments),
    fault("LambdaLift", "swapped_arguments", swapped_arguments),
    fault("LambdaLift", "dropped_binding", dropped_binding),
    fault("LiftTransformParams", "swapped_fields", swapped_fields),
    fault("LiftTransformParams", "another_field", another_field),
    fault("BundleModelParams", "another_field", another_field),
    fault("BundleModelParams", "swapped_arguments", swapped_arguments),
    fault("RealizeVDevice", "swapped_arguments", swapped_arguments),
    fault("RealizeVDevice", "dropped_binding", dropped_binding),
    fault("RewriteDataflowReshape", "swapped_arguments", swapped_arguments),
    fault("RewriteDataflowReshape", "shifted_view", shifted_view),
    fault("RemoveRedundantReshape", "another_dimension", another_dimension),
    fault("RemoveRedundantReshape", "dropped_binding", dropped_binding),
    fault("DecomposeOps", "swapped_arguments", swapped_arguments),
    fault("DecomposeOps", "changed_constant", changed_constant),
    fault("DecomposeOpsForInference", "swapped_arguments", swapped_arguments),
    fault("DecomposeOpsForInference", "changed_constant", changed_constant),
    fault("DecomposeOpsForTraining", "swapped_arguments", swapped_arguments),
    fault("DecomposeOpsForTraining", "changed_constant", changed_constant),
    fault("ToMixedPrecision", "swapped_arguments", swapped_arguments),
    fault("ToMixedPrecision", "dropped_binding", dropped_binding),
    fault("ConvertLayout", "swapped_arguments", swapped_arguments),
    fault("ConvertLayout", "dropped_binding", dropped_binding),
    fault("ExpandTupleArguments", "swapped_arguments", swapped_arguments),
    fault("ExpandTupleArguments", "dropped_binding", dropped_binding),
    fault("OptimizeLayoutTransform", "swapped_arguments", swapped_arguments),
    fault("OptimizeLayoutTransform", "dropped_binding", dropped_binding),
    fault("ReorderTakeAfterMatmul", "swapped_arguments", swapped_arguments),
    fault("ReorderTakeAfterMatmul", "dropped_binding", dropped_binding),
    fault("LazyTransformParams", "swapped_arguments", swapped_arguments),
    fault("LazyTransformParams", "dropped_binding", dropped_binding),
    fault("ReorderPermuteDimsAfterConcat", "swapped_fields", swapped_fields),
    fault("ReorderPermuteDimsAfterConcat", "dropped_binding", dropped_binding),
    fault("FastMathTransform", "short_loop", short_loop),
    fault("FastMathTransform", "dropped_binding", dropped_binding),
    fault("RunCodegen", "swapped_arguments", swapped_arguments),
    fault("RunCodegen", "dropped_binding", dropped_binding),
    fault("ExpandMatmulOfSum", "swapped_arguments", swapped_arguments),
    fault("ExpandMatmulOfSum", "dropped_binding", dropped_binding),
    fault("FakeQuantizationToInteger", "swapped_arguments", swapped_arguments),
    fault("FakeQuantizationToInteger", "dropped_binding", dropped_binding),
    fault("AdjustMatmulOrder", "swapped_arguments", swapped_arguments),
    fault("AdjustMatmulOrder", "dropped_binding", dropped_binding),
    fault("ConvertToDataflow", "still_plain", still_plain),
    fault("ConvertToDataflow", "dropped_binding", dropped_binding),
    fault("TopologicalSort", "swapped_bindings", swapped_bindings),
    fault("TopologicalSort", "dropped_binding", dropped_binding),
    fault("FuseTransposeMatmul", "swapped_arguments", swapped_arguments),
    fault("FuseTransposeMatmul", "dropped_init", dropped_init),
    fault("LowerAllocTensor", "swapped_arguments", swapped_arguments),
    fault("LowerAllocTensor", "dropped_binding", dropped_binding),
    fault("LowerRuntimeBuiltin", "swapped_arguments", swapped_arguments),
    fault("LowerRuntimeBuiltin", "dropped_binding", dropped_binding),
    fault("ComputePrimValue", "swapped_operands", swapped_operands),
    fault("ComputePrimValue", "swapped_arguments", swapped_arguments),
    fault("VMShapeLower", "another_slot", another_slot),
    fault("VMShapeLower", "dropped_match", dropped_match),
    fault("VMShapeLower", "shifted_index", shifted_index),
    fault("collect_imports", "dropped_store", dropped_store),
    fault("lower_builtins", "shifted_index", shifted_index),
    fault("lower_builtins", "dropped_store", dropped_store),
    fault("lower_init", "shifted_index", shifted_index),
    fault("lower_blocks", "short_loop", short_loop),
    fault("lower_blocks", "lost_noalias", lost_noalias),
    fault("join_threads", "short_loop", short_loop),
    fault("join_threads", "dropped_store", dropped_store),
    fault("serialise_threads", "short_loop", short_loop),
    fault("serialise_threads", "dropped_store", dropped_store),
    fault("normalize_parallel", "short_loop", short_loop),
    fault("simplify", "shifted_index", shifted_index),
    fault("place_allocations", "shifted_index", shifted_index),
    fault("structure_returns", "dropped_store", dropped_store),
    fault("guard_selects", "shifted_index", shifted_index),
    fault("guard_indices", "dropped_assert", dropped_assert),
    fault("compact_parameters", "shifted_index", shifted_index),
    fault("short_circuit", "dropped_store", dropped_store),
    fault("hoist_guards", "dropped_assert", dropped_assert),
    fault("partition_loops", "dropped_store", dropped_store),
    fault("remove_no_op", "dropped_store", dropped_store),
    fault("widen_indices", "shifted_index", shifted_index),
    fault("flatten_buffers", "shifted_index", shifted_index),
    fault("vectorize", "reversed_lanes", reversed_lanes),
    fault("unroll", "dropped_store", dropped_store),
    fault("truncate_divisions", "swapped_operands", swapped_operands),
    fault("legalize_foreign", "lost_dimension", lost_dimension),
    fault("expand_math", "swapped_operands", swapped_operands),
    fault("legalize_floats", "swapped_operands", swapped_operands),
];

/// Passes that give functions a parameter that is a function, which no run line can pass: Python's tests run them.
pub const OF_FUNCTIONS: [&str; 2] = ["LazyGetInput", "LazySetOutput"];

/// The names of all passes that must have a fault: those that users can run, and the steps of the lowering.
pub fn passes() -> Vec<&'static str> {
    let all = tilewright::relax_passes::all_passes();
    let names = all.iter().map(|pass| pass.info().name).filter(|name| !OF_FUNCTIONS.contains(name));
    let mut names: Vec<_> = names.collect();
    names.extend([crate::action::BIND_PARAMS, crate::action::BIND_SYMBOLIC_VARS]);
    for (name, _) in tilewright::tir_passes::lowering_passes() {
        if !names.contains(name) {
            names.push(name);
        }
    }
    names
}

/// Changes the first handle of sort `H` that `change` wants to change.
fn first<H: AnyHandle>(module: &IRModule, change: impl Fn(&H) -> Option<H>) -> IRModule {
    let mut done = false;
    let changed = rewrite(module, |handle: &H| {
        if done {
            return None;
        }
        let changed = change(handle);
        done = changed.is_some();
        changed
    });
    changed.unwrap_or_else(|| module.clone())
}

fn statement(module: &IRModule, change: impl Fn(&StmtKind) -> Option<StmtKind>) -> IRModule {
    first(module, |stmt: &Stmt| change(&stmt.kind).map(Stmt::from))
}

/// Changes the graph functions.
fn graphs(module: &IRModule, change: impl Fn(&mut relax::Function)) -> IRModule {
    let mut changed = module.clone();
    for (name, function) in module.iter() {
        if let GlobalFunc::Relax(function) = function {
            let mut function = relax::Function::clone(function);
            change(&mut function);
            changed.insert(name.clone(), function);
        }
    }
    changed
}

/// Changes the PrimFuncs.
fn prim_funcs(module: &IRModule, change: impl Fn(&mut PrimFunc)) -> IRModule {
    let mut changed = module.clone();
    for (name, function) in module.iter() {
        if let GlobalFunc::Prim(function) = function {
            let mut function = PrimFunc::clone(function);
            change(&mut function);
            changed.insert(name.clone(), function);
        }
    }
    changed
}
