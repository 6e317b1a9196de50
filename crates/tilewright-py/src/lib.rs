//! The Python extension `tilewright._core`: conversions between Python objects and the crates' own types.
//!
//! Reading order: `error` (the one mapping of errors), `kept` (what outlives a call), `device`, `dlpack`, `tensor` and
//! `indexing` (values without copies), `value` and `function` (calls), `view` (the IR as objects), `module` and
//! `script` (modules and text), `structure` (comparison, JSON), `pass`, `passes`, `target` and `compile`, then
//! `executable`, `machine` and `timing`; `checkpoint` and `onnx` (files).
//!
//! Invariants: nothing is decided here: one method, one call into the crates below. Classes are frozen. No Python
//! object is touched without the GIL, which is released while kernels run and code is compiled, and callbacks run on
//! the calling thread. The Python files decide nothing either: `python/tilewright` gives these classes their names.

mod argument;
mod checkpoint;
mod compile;
mod device;
mod dlpack;
mod engine;
mod error;
mod executable;
mod function;
mod fusion;
mod indexing;
mod kept;
mod machine;
mod module;
mod onnx;
mod pass;
mod passes;
mod program;
mod schedule;
mod script;
mod session;
mod structure;
mod target;
mod tensor;
#[cfg(feature = "text")]
mod text;
mod timing;
mod torch;
mod tune;
mod value;
mod view;

use std::ffi::OsString;

use pyo3::prelude::*;
use pyo3::wrap_pyfunction;

/// Runs the command line, the program's name first; the result is the exit status.
#[pyfunction]
fn command_line(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| tilewright_cli::main(arguments))
}

#[pymodule(gil_used = true)]
fn _core(core: &Bound<'_, PyModule>) -> PyResult<()> {
    core.add("__version__", env!("CARGO_PKG_VERSION"))?;
    kept::fill_cells(core.py())?;
    core.add_class::<device::Device>()?;
    core.add_class::<tensor::NdArray>()?;
    core.add_class::<checkpoint::PyCheckpoint>()?;
    core.add_class::<function::Function>()?;
    core.add_class::<value::Held>()?;
    core.add_class::<view::PyNode>()?;
    core.add_class::<view::arith::PyAnalyzer>()?;
    core.add_class::<view::builder::PyBuilder>()?;
    core.add_class::<view::pattern::PyPattern>()?;
    core.add_class::<view::pattern::PyContext>()?;
    core.add_class::<view::pattern::PyBlockRewrite>()?;
    core.add_class::<module::PyModule>()?;
    core.add_class::<structure::ObjectPath>()?;
    core.add_class::<pass::PyPass>()?;
    core.add_class::<pass::PySequential>()?;
    core.add_class::<target::PyTarget>()?;
    core.add_class::<schedule::BlockRv>()?;
    core.add_class::<schedule::LoopRv>()?;
    core.add_class::<schedule::ExprRv>()?;
    core.add_class::<schedule::PySchedule>()?;
    core.add_class::<schedule::PyStmtRef>()?;
    core.add_class::<tune::PyDatabase>()?;
    core.add_class::<tune::PySearch>()?;
    core.add_class::<executable::PyExecutable>()?;
    core.add_class::<executable::DeviceModule>()?;
    core.add_class::<engine::PyLanguageModel>()?;
    core.add_class::<engine::PySequence>()?;
    core.add_class::<engine::PyGuide>()?;
    core.add_class::<engine::PyGenerator>()?;
    #[cfg(feature = "text")]
    {
        core.add_class::<text::PyTokenizer>()?;
        core.add_class::<text::PyTextStream>()?;
    }
    core.add_class::<session::PySession>()?;
    core.add_class::<session::PyModelInfo>()?;
    core.add_class::<session::PySessionCache>()?;
    core.add_class::<session::PySessionKey>()?;
    core.add_class::<machine::PyMachine>()?;
    core.add_class::<timing::PyTimer>()?;
    core.add_class::<timing::PyTimes>()?;
    core.add_class::<timing::PyReport>()?;
    for function in [
        wrap_pyfunction!(tensor::data_type_parts, core)?,
        wrap_pyfunction!(device::num_threads, core)?,
        wrap_pyfunction!(device::set_num_threads, core)?,
        wrap_pyfunction!(device::set_affinity, core)?,
        wrap_pyfunction!(device::available_processors, core)?,
        wrap_pyfunction!(program::write_executable, core)?,
        wrap_pyfunction!(function::register_func, core)?,
        wrap_pyfunction!(function::get_global_func, core)?,
        wrap_pyfunction!(function::remove_global_func, core)?,
        wrap_pyfunction!(function::list_global_func_names, core)?,
        wrap_pyfunction!(structure::structural_equal, core)?,
        wrap_pyfunction!(structure::assert_structural_equal, core)?,
        wrap_pyfunction!(structure::get_first_structural_mismatch, core)?,
        wrap_pyfunction!(structure::structural_hash, core)?,
        wrap_pyfunction!(structure::save_json, core)?,
        wrap_pyfunction!(structure::load_json, core)?,
        wrap_pyfunction!(module::highlight, core)?,
        wrap_pyfunction!(module::highlight_html, core)?,
        wrap_pyfunction!(view::call_op, core)?,
        wrap_pyfunction!(view::op_signature, core)?,
        wrap_pyfunction!(view::graph_op_names, core)?,
        wrap_pyfunction!(view::op_reference, core)?,
        wrap_pyfunction!(view::get_op, core)?,
        wrap_pyfunction!(view::list_op_names, core)?,
        wrap_pyfunction!(view::nn::nn_op_names, core)?,
        wrap_pyfunction!(view::nn::nn_op_signature, core)?,
        wrap_pyfunction!(view::nn::nn_call, core)?,
        wrap_pyfunction!(view::nn::nn_module, core)?,
        wrap_pyfunction!(view::nn::nn_layer_names, core)?,
        wrap_pyfunction!(view::nn::nn_layer_call, core)?,
        wrap_pyfunction!(view::nn::nn_layer_module, core)?,
        wrap_pyfunction!(view::buffer_scope, core)?,
        wrap_pyfunction!(view::flattened_buffer, core)?,
        wrap_pyfunction!(view::buffer_offset, core)?,
        wrap_pyfunction!(view::buffer_indices_at, core)?,
        wrap_pyfunction!(view::unravelled, core)?,
        wrap_pyfunction!(view::with_attr, core)?,
        wrap_pyfunction!(view::without_attr, core)?,
        wrap_pyfunction!(view::operate, core)?,
        wrap_pyfunction!(view::negative, core)?,
        wrap_pyfunction!(view::bitwise_not, core)?,
        wrap_pyfunction!(view::of_one_type, core)?,
        wrap_pyfunction!(view::call_tir_op, core)?,
        wrap_pyfunction!(view::to_expr, core)?,
        wrap_pyfunction!(script::read_definition, core)?,
        wrap_pyfunction!(script::from_source, core)?,
        wrap_pyfunction!(compile::build, core)?,
        wrap_pyfunction!(compile::pipeline, core)?,
        wrap_pyfunction!(fusion::fuse_ops_by_pattern, core)?,
        wrap_pyfunction!(passes::alter_op_impl, core)?,
        wrap_pyfunction!(passes::bind_params, core)?,
        wrap_pyfunction!(passes::gradient, core)?,
        wrap_pyfunction!(passes::bind_symbolic_vars, core)?,
        wrap_pyfunction!(passes::graph_pass_names, core)?,
        wrap_pyfunction!(passes::estimate_memory_usage, core)?,
        wrap_pyfunction!(passes::option_names, core)?,
        wrap_pyfunction!(passes::pass_names, core)?,
        wrap_pyfunction!(passes::pass_signature, core)?,
        wrap_pyfunction!(passes::make_pass, core)?,
        wrap_pyfunction!(passes::pipeline_names, core)?,
        wrap_pyfunction!(schedule::default_gpu_schedule, core)?,
        wrap_pyfunction!(schedule::index_map_of_text, core)?,
        wrap_pyfunction!(schedule::index_map_text, core)?,
        wrap_pyfunction!(schedule::schedule_primitive_doc, core)?,
        wrap_pyfunction!(schedule::schedule_primitives, core)?,
        wrap_pyfunction!(schedule::schedule_renamed, core)?,
        wrap_pyfunction!(schedule::trace_line, core)?,
        wrap_pyfunction!(view::analysis::graph_vars, core)?,
        wrap_pyfunction!(view::analysis::all_global_vars, core)?,
        wrap_pyfunction!(view::analysis::get_var2val, core)?,
        wrap_pyfunction!(view::analysis::name_to_binding, core)?,
        wrap_pyfunction!(view::analysis::udchain, core)?,
        wrap_pyfunction!(view::analysis::remove_all_unused, core)?,
        wrap_pyfunction!(view::analysis::contains_impure_call, core)?,
        wrap_pyfunction!(view::analysis::has_reshape_pattern, core)?,
        wrap_pyfunction!(view::analysis::detect_recursion, core)?,
        wrap_pyfunction!(view::analysis::computable_at_compile_time, core)?,
        wrap_pyfunction!(view::analysis::dims_in_struct_info, core)?,
        wrap_pyfunction!(view::analysis::collect_non_negative_expressions, core)?,
        wrap_pyfunction!(view::analysis::struct_info_base_check, core)?,
        wrap_pyfunction!(view::analysis::struct_info_lca, core)?,
        wrap_pyfunction!(view::analysis::static_type, core)?,
        wrap_pyfunction!(view::analysis::erase_to_well_defined, core)?,
        wrap_pyfunction!(view::analysis::derive_call_ret_struct_info, core)?,
        wrap_pyfunction!(view::analysis::faults, core)?,
        wrap_pyfunction!(view::analysis::dataflow_liveness, core)?,
        wrap_pyfunction!(view::analysis::dataflow_alias, core)?,
        wrap_pyfunction!(view::analysis::dataflow_inplace, core)?,
        wrap_pyfunction!(view::analysis::post_order_visit, core)?,
        wrap_pyfunction!(view::analysis::pre_order_visit, core)?,
        wrap_pyfunction!(view::analysis::substitute, core)?,
        wrap_pyfunction!(view::analysis::ir_transform, core)?,
        wrap_pyfunction!(view::analysis::expr_deep_equal, core)?,
        wrap_pyfunction!(view::analysis::impurity, core)?,
        wrap_pyfunction!(view::analysis::estimate_tir_flops, core)?,
        wrap_pyfunction!(view::analysis::find_anchor_block, core)?,
        wrap_pyfunction!(view::analysis::undefined_vars, core)?,
        wrap_pyfunction!(view::analysis::get_block_access_region, core)?,
        wrap_pyfunction!(view::analysis::detect_buffer_access_lca, core)?,
        wrap_pyfunction!(view::analysis::calculate_workspace_bytes, core)?,
        wrap_pyfunction!(view::analysis::renew_defs, core)?,
        wrap_pyfunction!(view::analysis::specialize, core)?,
        wrap_pyfunction!(view::analysis::lowering_step, core)?,
        wrap_pyfunction!(view::analysis::tir_pass, core)?,
        wrap_pyfunction!(view::analysis::tir_module_pass, core)?,
        wrap_pyfunction!(view::layout::layout_letters, core)?,
        wrap_pyfunction!(view::layout::layout_shape, core)?,
        wrap_pyfunction!(view::layout::layout_index, core)?,
        wrap_pyfunction!(view::linear::detect_common_subexpr, core)?,
        wrap_pyfunction!(view::analysis::verify_ssa, core)?,
        wrap_pyfunction!(view::analysis::touched_by_host, core)?,
        wrap_pyfunction!(view::analysis::kernel_needs, core)?,
        wrap_pyfunction!(view::analysis::allocated_bytes, core)?,
        wrap_pyfunction!(view::analysis::constant_bytes, core)?,
        wrap_pyfunction!(view::analysis::out_of_bounds, core)?,
        wrap_pyfunction!(view::analysis::symbolic_vars, core)?,
        wrap_pyfunction!(view::pattern::rewrite_call, core)?,
        wrap_pyfunction!(view::pattern::rewrite_bindings, core)?,
        wrap_pyfunction!(view::pattern::make_fused_bias_activation_pattern, core)?,
        wrap_pyfunction!(view::iter_map::detect_iter_map, core)?,
        wrap_pyfunction!(view::iter_map::normalize_to_iter_sum, core)?,
        wrap_pyfunction!(view::iter_map::iter_map_simplify, core)?,
        wrap_pyfunction!(view::iter_map::normalize_iter_map_to_expr, core)?,
        wrap_pyfunction!(view::iter_map::subspace_divide, core)?,
        wrap_pyfunction!(view::iter_map::inverse_affine_iter_map, core)?,
        wrap_pyfunction!(view::linear::solve_linear_equations, core)?,
        wrap_pyfunction!(view::linear::solve_linear_inequalities, core)?,
        wrap_pyfunction!(view::linear::solve_inequalities_to_range, core)?,
        wrap_pyfunction!(view::linear::detect_linear_equation, core)?,
        wrap_pyfunction!(view::linear::detect_clip_bound, core)?,
        wrap_pyfunction!(view::arith::deduce_bound, core)?,
        wrap_pyfunction!(view::arith::estimate_region, core)?,
        wrap_pyfunction!(view::arith::combine_sets, core)?,
        wrap_pyfunction!(view::arith::make_set, core)?,
        wrap_pyfunction!(view::arith::set_is, core)?,
        wrap_pyfunction!(view::arith::rewrite_rules, core)?,
        wrap_pyfunction!(view::te::build::te_placeholder, core)?,
        wrap_pyfunction!(view::te::build::te_tensor, core)?,
        wrap_pyfunction!(view::te::build::te_reduce_axis, core)?,
        wrap_pyfunction!(view::te::build::te_compute, core)?,
        wrap_pyfunction!(view::te::build::te_reduce, core)?,
        wrap_pyfunction!(view::te::build::te_reduce_by, core)?,
        wrap_pyfunction!(view::te::build::te_output, core)?,
        wrap_pyfunction!(view::te::build::te_apply, core)?,
        wrap_pyfunction!(view::te::formulas::te_dense, core)?,
        wrap_pyfunction!(view::te::formulas::te_border, core)?,
        wrap_pyfunction!(view::te::formulas::te_layout_transform, core)?,
        wrap_pyfunction!(view::te::formulas::te_adaptive_max, core)?,
        wrap_pyfunction!(view::te::formulas::te_depth_to_space, core)?,
        wrap_pyfunction!(view::te::formulas::te_space_to_depth, core)?,
        wrap_pyfunction!(view::te::build::te_extern, core)?,
        wrap_pyfunction!(view::te::build::te_extern_primfunc, core)?,
        wrap_pyfunction!(view::te::build::te_create_prim_func, core)?,
        wrap_pyfunction!(view::te::build::te_call, core)?,
        wrap_pyfunction!(onnx::import_onnx, core)?,
        wrap_pyfunction!(torch::has_torch_rule, core)?,
        wrap_pyfunction!(torch::import_torch_graph, core)?,
        wrap_pyfunction!(tune::tuning_tasks, core)?,
        wrap_pyfunction!(tune::tuning_space, core)?,
        wrap_pyfunction!(tune::tune_tasks, core)?,
        wrap_pyfunction!(tune::apply_database, core)?,
        wrap_pyfunction!(tune::pipeline_with_database, core)?,
        wrap_pyfunction!(tune::machine_name, core)?,
        wrap_pyfunction!(tune::workload_hash, core)?,
        wrap_pyfunction!(command_line, core)?,
    ] {
        core.add_function(function)?;
    }
    // Loading has touched much of LLVM, which a process that only runs a model never needs.
    tilewright::llvm::release_pages();
    Ok(())
}
