//! Planted faults: ways in which a pass could be wrong. The textual tests of the pass must catch each.

use tilewright::expr::{BinOp, Expr, ExprKind};
use tilewright::ir::node::{AnyHandle, rewrite};
use tilewright::ir::relax::{self, BindingValue, Constant};
use tilewright::ir::tir::{Buffer, PrimFunc, Stmt, StmtKind, attr_names};
use tilewright::ir::{Attr, IRModule};
use tilewright::{GlobalFunc, Tensor};

/// A way to break what a pass leaves.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The pass's name.
    pub pass: &'static str,
    /// What goes wrong.
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
    fault("RewriteDataflowReshape", "swapped_arguments", swapped_arguments),
    fault("RewriteDataflowReshape", "shifted_view", shifted_view),
    fault("RemoveRedundantReshape", "another_dimension", another_dimension),
    fault("RemoveRedundantReshape", "dropped_binding", dropped_binding),
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
    fault("ExpandMatmulOfSum", "swapped_arguments", swapped_arguments),
    fault("ExpandMatmulOfSum", "dropped_binding", dropped_binding),
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
    fault("lower_builtins", "shifted_index", shifted_index),
    fault("lower_builtins", "dropped_store", dropped_store),
    fault("lower_init", "shifted_index", shifted_index),
    fault("lower_blocks", "short_loop", short_loop),
    fault("lower_blocks", "lost_noalias", lost_noalias),
    fault("normalize_parallel", "short_loop", short_loop),
    fault("simplify", "shifted_index", shifted_index),
    fault("place_allocations", "shifted_index", shifted_index),
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

/// The names of all passes that must have a fault: those that users can run, and the steps of the lowering.
pub fn passes() -> Vec<&'static str> {
    let mut names: Vec<_> = tilewright::relax_passes::all_passes().iter().map(|pass| pass.info().name).collect();
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

fn dropped_init(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Block { values, predicate, block } if block.init.is_some() => {
            let mut block = block.clone();
            block.init = None;
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block })
        }
        _ => None,
    })
}

/// A reduction that begins with something else.
fn changed_init(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Block { values, predicate, block } => {
            let StmtKind::Store { buffer, indices, value, .. } = &block.init.as_ref()?.kind else { return None };
            let other = Expr::binary(BinOp::Add, value, &Expr::number(1, value.dtype)).ok()?;
            let init = Some(Stmt::store(buffer, indices.clone(), &other).ok()?);
            let block = tilewright::ir::tir::Block { init, ..block.clone() };
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block })
        }
        _ => None,
    })
}

/// A matched buffer that stands for the row behind its own.
fn shifted_tile(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Block { values, predicate, block } if !block.match_buffers.is_empty() => {
            let mut block = block.clone();
            let range = block.match_buffers.first_mut()?.source.region.last_mut()?;
            range.min = Expr::binary(BinOp::Sub, &range.extent, &range.min).ok()?;
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block })
        }
        _ => None,
    })
}

fn short_loop(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::For { var, min, extent, kind, annotations, body } if extent.as_int().is_some_and(|n| n > 1) => {
            Some(StmtKind::For {
                var: var.clone(),
                min: min.clone(),
                extent: Expr::int(extent.as_int()? - 1, extent.dtype),
                kind: kind.clone(),
                annotations: annotations.clone(),
                body: body.clone(),
            })
        }
        _ => None,
    })
}

fn shifted_region(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Block { values, predicate, block } if block.reads.iter().any(|read| !read.region.is_empty()) => {
            let mut block = block.clone();
            let range = block.reads.iter_mut().find_map(|read| read.region.first_mut())?;
            range.min = &range.min + 1;
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block })
        }
        _ => None,
    })
}

/// A block runs where it should not.
fn lost_condition(module: &IRModule) -> IRModule {
    statement(module, |stmt| match stmt {
        StmtKind::Block { values, predicate, block } if predicate.as_int() != Some(1) => {
            Some(StmtKind::Block { values: values.clone(), predicate: Expr::bool(true), block: block.clone() })
        }
        _ => None,
    })
}

fn dropped_assert(module: &IRModule) -> IRModule {
    statement(module, |kind| matches!(kind, StmtKind::Assert { .. }).then(|| StmtKind::Seq(Vec::new())))
}

fn dropped_store(module: &IRModule) -> IRModule {
    statement(module, |kind| matches!(kind, StmtKind::Store { .. }).then(|| StmtKind::Seq(Vec::new())))
}

fn shifted_index(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Store { buffer, indices, value, predicate } if !indices.is_empty() => {
            let mut indices = indices.clone();
            indices[0] = Expr::binary(BinOp::Add, &indices[0], &Expr::int(1, indices[0].dtype.element())).ok()?;
            Some(StmtKind::Store {
                buffer: buffer.clone(),
                indices,
                value: value.clone(),
                predicate: predicate.clone(),
            })
        }
        _ => None,
    })
}

fn reversed_lanes(module: &IRModule) -> IRModule {
    first(module, |expr: &Expr| match &expr.kind {
        ExprKind::Ramp { base, stride } => {
            let stride = &Expr::int(0, stride.dtype) - stride;
            Some(Expr::raw(expr.dtype, ExprKind::Ramp { base: base.clone(), stride }))
        }
        _ => None,
    })
}

/// Of an operator for which it matters.
fn swapped_operands(module: &IRModule) -> IRModule {
    first(module, |expr: &Expr| match &expr.kind {
        ExprKind::Binary(op @ (BinOp::Sub | BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod), a, b) => {
            Some(Expr::raw(expr.dtype, ExprKind::Binary(*op, b.clone(), a.clone())))
        }
        _ => None,
    })
}

/// A tensor of a packed call without its last dimension.
fn lost_dimension(module: &IRModule) -> IRModule {
    first(module, |expr: &Expr| {
        let ExprKind::Foreign { callee, args } = &expr.kind else { return None };
        let (_, kept) = args.split_last()?;
        let is_tensor = callee.name() == tilewright::ir::low::PACKED_TENSOR;
        is_tensor.then(|| Expr::foreign(expr.dtype, callee.clone(), kept.to_vec()))
    })
}

/// Of the first call with two that differ.
fn swapped_arguments(module: &IRModule) -> IRModule {
    first(module, swapped_call)
}

fn swapped_call(expr: &relax::Expr) -> Option<relax::Expr> {
    match &expr.kind {
        relax::ExprKind::Call { callee, args, attrs, sinfo_args }
            if args.len() > 1 && args[0].as_var() != args[1].as_var() =>
        {
            let mut args = args.clone();
            args.swap(0, 1);
            let (callee, attrs, sinfo_args) = (callee.clone(), attrs.clone(), sinfo_args.clone());
            Some(relax::Expr::raw(expr.struct_info.clone(), relax::ExprKind::Call { callee, args, attrs, sinfo_args }))
        }
        _ => None,
    }
}

/// Of a call inside of a function that fusion has made.
fn swapped_inside(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        if function.attrs.contains_key("Primitive") {
            function.body = rewrite(&function.body, swapped_call).unwrap_or_else(|| function.body.clone());
        }
    })
}

/// The pattern of each function is another one.
fn another_pattern(module: &IRModule) -> IRModule {
    prim_funcs(module, |function| {
        if let Some(Attr::Int(number)) = function.attrs.get_mut("op_pattern") {
            *number = (*number + 1) % 3;
        }
    })
}

fn another_parameter(module: &IRModule) -> IRModule {
    prim_funcs(module, |function| {
        if let Some(Attr::Array(numbers)) = function.attrs.get_mut("layout_free_buffers") {
            *numbers = numbers.iter().filter_map(Attr::as_int).map(|at| Attr::Int(at + 1)).collect();
        }
    })
}

fn no_fusion_mark(module: &IRModule) -> IRModule {
    graphs(module, |function| drop(function.attrs.remove("Primitive")))
}

/// The first two temporaries of a function that are alike are one.
fn shared_temporary(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Block { values, predicate, block } => {
            let shape = |buffer: &Buffer| buffer.constant_shape();
            let two = block
                .alloc_buffers
                .windows(2)
                .find(|two| shape(&two[0]).is_some() && shape(&two[0]) == shape(&two[1]))?;
            let mut block = rewrite(block, |buffer: &Buffer| (*buffer == two[1]).then(|| two[0].clone()))?;
            block.alloc_buffers.retain(|buffer| *buffer != two[0]);
            block.alloc_buffers.push(two[0].clone());
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block })
        }
        _ => None,
    })
}

/// A result in the place of an argument takes that of another one.
fn lost_alias(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Call { callee: relax::Callee::TirInplace { function, results }, args, attrs, sinfo_args } => {
            let results = results.iter().map(|place| place.map(|place| (place + 1) % args.len())).collect();
            let callee = relax::Callee::TirInplace { function: function.clone(), results };
            let (args, attrs, sinfo_args) = (args.clone(), attrs.clone(), sinfo_args.clone());
            Some(relax::Expr::raw(expr.struct_info.clone(), relax::ExprKind::Call { callee, args, attrs, sinfo_args }))
        }
        _ => None,
    })
}

fn changed_constant(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Constant(Constant(tensor)) => {
            let mut bytes = tensor.as_bytes().ok()?.to_vec();
            // The byte with the sign and most of the exponent of the first element.
            *bytes.get_mut(tensor.dtype().element_bytes() - 1)? ^= 0x80;
            Tensor::from_bytes(tensor.dtype(), tensor.shape(), &bytes).ok().map(relax::Expr::constant)
        }
        _ => None,
    })
}

/// The offsets of planned tensors are all 0.
fn overlapping_tensors(module: &IRModule) -> IRModule {
    let changed = rewrite(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Call { callee, args, attrs, sinfo_args } => {
            let mut moved = attrs.clone();
            let offset = moved.get_mut("offset").filter(|offset| offset.as_int() != Some(0))?;
            *offset = Attr::Int(0);
            let (callee, args, sinfo_args) = (callee.clone(), args.clone(), sinfo_args.clone());
            let kind = relax::ExprKind::Call { callee, args, attrs: moved, sinfo_args };
            Some(relax::Expr::raw(expr.struct_info.clone(), kind))
        }
        _ => None,
    });
    changed.unwrap_or_else(|| module.clone())
}

/// Of the first tuple of two fields or more.
fn swapped_fields(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Tuple(fields) if fields.len() > 1 => {
            let mut fields = fields.clone();
            fields.swap(0, 1);
            Some(relax::Expr::raw(expr.struct_info.clone(), relax::ExprKind::Tuple(fields)))
        }
        _ => None,
    })
}

/// The first field that is taken of a tuple of several is the one behind it.
fn another_field(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match (&expr.kind, &expr.struct_info) {
        (relax::ExprKind::TupleGet { tuple, index }, info) => match &tuple.struct_info {
            relax::StructInfo::Tuple(fields) if fields.len() > 1 => {
                let index = (index + 1) % fields.len();
                let kind = relax::ExprKind::TupleGet { tuple: tuple.clone(), index };
                Some(relax::Expr::raw(info.clone(), kind))
            }
            _ => None,
        },
        _ => None,
    })
}

/// The first shape that is a value and has two dimensions or more begins with its second.
fn another_dimension(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Shape(dims) if dims.len() > 1 => {
            let mut dims = dims.clone();
            dims[0] = dims[1].clone();
            Some(relax::Expr::raw(expr.struct_info.clone(), relax::ExprKind::Shape(dims)))
        }
        _ => None,
    })
}

/// The first view begins four bytes late.
fn shifted_view(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Call { callee, args, attrs, sinfo_args } => {
            let mut shifted = attrs.clone();
            *shifted.get_mut("relative_byte_offset")? = Attr::Int(4);
            let (callee, args, sinfo_args) = (callee.clone(), args.clone(), sinfo_args.clone());
            let kind = relax::ExprKind::Call { callee, args, attrs: shifted, sinfo_args };
            Some(relax::Expr::raw(expr.struct_info.clone(), kind))
        }
        _ => None,
    })
}

/// The first number that is read of a heap stands in the next slot.
fn another_slot(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Call { callee, args, attrs, sinfo_args } => {
            let mut moved = attrs.clone();
            let slot = moved.get_mut("slot")?;
            *slot = Attr::Int(slot.as_int()? + 1);
            let (callee, args, sinfo_args) = (callee.clone(), args.clone(), sinfo_args.clone());
            let kind = relax::ExprKind::Call { callee, args, attrs: moved, sinfo_args };
            Some(relax::Expr::raw(expr.struct_info.clone(), kind))
        }
        _ => None,
    })
}

/// The last value whose sizes are matched is not.
fn dropped_match(module: &IRModule) -> IRModule {
    use tilewright::ir::op::{Builtin, Legalize, MachineOp};
    let matches = |value: &BindingValue| match value {
        BindingValue::Expr(value) => match &value.kind {
            relax::ExprKind::Call { callee: relax::Callee::Op(op), .. } => {
                matches!(op.legalize, Legalize::Machine(MachineOp::Builtin(Builtin::MatchShape)))
            }
            _ => false,
        },
        BindingValue::MatchCast { .. } => false,
    };
    graphs(module, |function| {
        for block in function.body.blocks.iter_mut().rev() {
            if let Some(at) = block.bindings.iter().rposition(|binding| matches(&binding.value)) {
                block.bindings.remove(at);
                return;
            }
        }
    })
}

/// No block is one of dataflow, and no variable is hidden in one.
fn still_plain(module: &IRModule) -> IRModule {
    let shown = |var: &relax::Var| var.dataflow.then(|| relax::Var::new(var.name.clone(), var.struct_info.clone()));
    let module = rewrite(module, shown).unwrap_or_else(|| module.clone());
    graphs(&module, |function| function.body.blocks.iter_mut().for_each(|block| block.dataflow = false))
}

/// The first two of the last block.
fn swapped_bindings(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        if let Some(block) = function.body.blocks.last_mut().filter(|block| block.bindings.len() > 1) {
            block.bindings.swap(0, 1);
        }
    })
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

/// The last call is not made any more.
fn dropped_binding(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        let bindings = function.body.blocks.iter_mut().rev().map(|block| &mut block.bindings);
        for bindings in bindings {
            let is_call = |value: &BindingValue| matches!(value, BindingValue::Expr(e) if matches!(e.kind, relax::ExprKind::Call { .. }));
            if let Some(at) = bindings.iter().rposition(|binding| is_call(&binding.value)) {
                bindings.remove(at);
                return;
            }
        }
    })
}

/// Every check is only another name.
fn dropped_cast(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        for binding in function.body.blocks.iter_mut().flat_map(|block| &mut block.bindings) {
            if let BindingValue::MatchCast { value, .. } = &binding.value {
                binding.value = BindingValue::Expr(value.clone());
            }
        }
    })
}

/// The first tensor that dies does so one binding earlier.
fn early_kill(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        for block in &mut function.body.blocks {
            let kills = |binding: &relax::Binding| matches!(&binding.value, BindingValue::Expr(e) if is_kill(e));
            if let Some(at) = block.bindings.iter().position(kills).filter(|at| *at > 0) {
                return block.bindings.swap(at - 1, at);
            }
        }
    })
}

fn is_kill(value: &relax::Expr) -> bool {
    use tilewright::ir::op::{Legalize, MachineOp};
    let relax::ExprKind::Call { callee: relax::Callee::Op(op), .. } = &value.kind else { return false };
    matches!(op.legalize, Legalize::Machine(MachineOp::Kill))
}

/// The first dimension that is a number is one larger.
fn another_size(module: &IRModule) -> IRModule {
    first(module, |expr: &Expr| Some(Expr::int(expr.as_int()?.checked_add(1)?, expr.dtype)))
}

fn still_pure(module: &IRModule) -> IRModule {
    graphs(module, |function| function.pure = true)
}

fn lost_symbol(module: &IRModule) -> IRModule {
    graphs(module, |function| drop(function.attrs.remove(attr_names::GLOBAL_SYMBOL)))
}

fn still_dataflow(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        if let Some(block) = function.body.blocks.first_mut() {
            block.dataflow = true;
        }
    })
}

fn lost_noalias(module: &IRModule) -> IRModule {
    prim_funcs(module, |function| drop(function.attrs.remove(attr_names::NOALIAS)))
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
