//! Loop passes by the names and with the effects that the field's programs know.
//!
//! The lowering of this crate is a list of steps of its own (`lower`). Programs also ask for single passes by name and
//! look at what they leave: which loops stay, where an empty statement is written as `T.evaluate(0)`, which buffer is
//! declared where. These passes do that. Each is a function of options and one PrimFunc; [`NAMED`] lists them.
//!
//! A pass never leaves an empty sequence: where a statement has to stand and nothing is to be done, it is
//! `Evaluate(0)`.

mod allreduce;
mod async_copy;
mod blocks;
mod bound_checkers;
mod carried;
mod compact;
mod cross_thread;
mod cse;
mod device;
mod double_buffer;
mod flatten;
mod float_compute;
mod float_storage;
mod hoist;
mod host_device;
mod inequalities;
mod knowns;
mod layout_rewrite;
mod lift;
mod lift_attr;
mod match_buffer;
mod merge_shared;
mod narrow;
mod no_op;
mod opaque;
mod packed_api;
mod pipeline;
mod plan;
mod predicated;
mod reducer;
mod select;
mod shared_access;
mod simplify;
mod split_pattern;
mod ssa;
mod storage;
mod sync;
mod threads;
mod undef;
mod unroll;
mod varying;
mod vectorize;
mod virtual_thread;

use tilewright_ir::tir::{Buffer, Expr, ExprKind, PrimFunc, Scope, Stmt, StmtKind};
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_support::{Diagnostic, Diagnostics};

use crate::stmt::{Result, map_below, with_body};

/// The option under which a pass looks only at what the threads of a block share.
const SHARED_ONLY: &str = "shared_only";

/// Whether a pass looks at the buffer.
fn is_meant(options: &Options, buffer: &Buffer) -> bool {
    !options.get(SHARED_ONLY).is_some_and(Attr::is_true) || buffer.scope.plain() == Scope::Shared
}

/// Passes that are steps of the lowering for GPUs, with the options that are set for them.
macro_rules! steps {
    ($($name:ident: $pass:path $(, $option:expr)?;)*) => {$(
        pub(crate) fn $name(function: &PrimFunc) -> Result<PrimFunc> {
            let set: &[&str] = &[$($option)?];
            $pass(&set.iter().map(|option| ((*option).into(), Attr::Bool(true))).collect(), function)
        }
    )*};
}

// Of temporaries, these passes see what the threads of a block share: others have their place and size by steps that
// know which iterations read what earlier ones wrote.
steps! {
    plan_allocations: plan::plan_and_update_buffer_allocation_location, SHARED_ONLY;
    compact_allocations: compact::compact_buffer_allocation, SHARED_ONLY;
    lower_cross_thread_reduction: cross_thread::lower_cross_thread_reduction;
    convert_blocks_to_opaque: blocks::convert_blocks_to_opaque;
    lift_threads: lift::lift_thread_binding;
    inject_software_pipeline: pipeline::inject_software_pipeline;
    unify_threads: threads::unify_thread_binding;
    inject_virtual_threads: virtual_thread::inject_virtual_thread;
    synchronise_threads: sync::thread_sync;
    lower_thread_allreduce: allreduce::lower_thread_allreduce, allreduce::NAMED_LANES;
}

/// What a program says to one pass, by the names of its options.
pub type Options = Attrs;

/// A pass over one PrimFunc.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The name after `tir.`.
    pub name: &'static str,
    pub run: fn(&Options, &PrimFunc) -> Result<PrimFunc>,
}

const fn pass(name: &'static str, run: fn(&Options, &PrimFunc) -> Result<PrimFunc>) -> Named {
    Named { name, run }
}

/// All passes, by name.
pub const NAMED: &[Named] = &[
    pass("AnnotateDeviceRegions", device::annotate_device_regions),
    pass("BF16ComputeLegalize", float_compute::bf16_compute_legalize),
    pass("BF16StorageLegalize", float_storage::bf16_storage_legalize),
    pass("CommonSubexprElimTIR", cse::common_subexpr_elim),
    pass("CompactBufferAllocation", compact::compact_buffer_allocation),
    pass("ConvertBlocksToOpaque", blocks::convert_blocks_to_opaque),
    pass("ConvertForLoopsToSerial", blocks::convert_for_loops_to_serial),
    pass("ConvertSSA", ssa::convert_ssa),
    pass("DecorateDeviceScope", device::decorate_device_scope),
    pass("FP8ComputeLegalize", float_compute::fp8_compute_legalize),
    pass("FP8StorageLegalize", float_storage::fp8_storage_legalize),
    pass("FlattenBuffer", flatten::flatten_buffer),
    pass("ForceNarrowIndexToInt32", narrow::force_narrow_index_to_int32),
    pass("HoistExpression", hoist::hoist_expression),
    pass("HoistIfThenElse", hoist::hoist_if_then_else),
    pass("InjectDoubleBuffer", double_buffer::inject_double_buffer),
    pass("InjectPTXAsyncCopy", async_copy::inject_ptx_async_copy),
    pass("InjectSoftwarePipeline", pipeline::inject_software_pipeline),
    pass("InjectVirtualThread", virtual_thread::inject_virtual_thread),
    pass("InstrumentBoundCheckers", bound_checkers::instrument_bound_checkers),
    pass("LiftAttrScope", lift_attr::lift_attr_scope),
    pass("LiftThreadBinding", lift::lift_thread_binding),
    pass("LowerCrossThreadReduction", cross_thread::lower_cross_thread_reduction),
    pass("LowerInitBlock", blocks::lower_init_block),
    pass("LowerMatchBuffer", match_buffer::lower_match_buffer),
    pass("LowerOpaqueBlock", opaque::lower_opaque_block),
    pass("LowerThreadAllreduce", allreduce::lower_thread_allreduce),
    pass("MergeSharedMemoryAllocations", merge_shared::merge_shared_memory_allocations),
    pass("NarrowDataType", narrow::narrow_data_type),
    pass("PlanAndUpdateBufferAllocationLocation", plan::plan_and_update_buffer_allocation_location),
    pass("RemoveAssume", undef::remove_assume),
    pass("RemoveNoOp", no_op::remove_no_op),
    pass("RemoveStoreUndef", undef::remove_store_undef),
    pass("RemoveWeightLayoutRewriteBlock", layout_rewrite::remove_weight_layout_rewrite_block),
    pass("RenormalizeSplitPattern", split_pattern::renormalize_split_pattern),
    pass("RewriteUnsafeSelect", select::rewrite_unsafe_select),
    pass("Simplify", simplify::simplify),
    pass("SkipAssert", blocks::skip_assert),
    pass("StorageRewrite", storage::storage_rewrite),
    pass("ThreadSync", sync::thread_sync),
    pass("UnifyThreadBinding", threads::unify_thread_binding),
    pass("UnrollLoop", unroll::unroll_loop),
    pass("VectorizeLoop", vectorize::vectorize_loop),
];

/// A pass over a module.
#[derive(Clone, Copy, Debug)]
pub struct NamedOnModule {
    /// The name after `tir.`.
    pub name: &'static str,
    pub run: fn(&Options, &IRModule) -> Result<IRModule>,
}

/// All passes that add functions to a module or look at several, by name.
pub const ON_MODULES: &[NamedOnModule] = &[
    NamedOnModule { name: "InlinePrivateFunctions", run: host_device::inline_private_functions },
    NamedOnModule { name: "LowerDeviceKernelLaunch", run: host_device::lower_device_kernel_launch },
    NamedOnModule { name: "MakePackedAPI", run: packed_api::make_packed_api },
    NamedOnModule { name: "MakeUnpackedAPI", run: packed_api::make_unpacked_api },
    NamedOnModule { name: "SplitHostDevice", run: host_device::split_host_device },
];

/// The pass over modules of this name.
pub fn named_module_pass(name: &str) -> Option<&'static NamedOnModule> {
    ON_MODULES.iter().find(|pass| pass.name == name)
}

/// The pass of this name.
pub fn named_pass(name: &str) -> Option<&'static Named> {
    NAMED.iter().find(|pass| pass.name == name)
}

/// The statement that does nothing, where one has to stand.
fn no_op() -> Stmt {
    StmtKind::Evaluate(Expr::i32(0)).into()
}

fn is_no_op(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Evaluate(value) => matches!(value.kind, ExprKind::Int(_)),
        StmtKind::Seq(stmts) => stmts.iter().all(is_no_op),
        _ => false,
    }
}

/// The statements in order without those that do nothing.
fn seq(stmts: impl IntoIterator<Item = Stmt>) -> Stmt {
    let mut kept: Vec<Stmt> = Vec::new();
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Seq(inner) => kept.extend(inner.iter().filter(|stmt| !is_no_op(stmt)).cloned()),
            _ if is_no_op(&stmt) => {}
            _ => kept.push(stmt),
        }
    }
    if kept.is_empty() { no_op() } else { Stmt::seq(kept) }
}

/// The statement with `f` applied to each direct sub-statement; sequences lose what does nothing.
fn below(stmt: &Stmt, f: &mut dyn FnMut(&Stmt) -> Result<Stmt>) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::Seq(stmts) => {
            let mapped = stmts.iter().map(|s| tilewright_support::with_stack(|| f(s))).collect::<Result<Vec<_>>>()?;
            Ok(seq(mapped))
        }
        _ => map_below(stmt, f),
    }
}

/// The function with another body.
fn with(function: &PrimFunc, body: Stmt) -> PrimFunc {
    with_body(function, body)
}

/// An error of a pass about what it was given.
fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(Diagnostics::from(Diagnostic::error("TW0563", message)))
}

fn is_on(options: &Options, name: &str) -> bool {
    options.get(name).is_some_and(tilewright_ir::Attr::is_true)
}
