"""No argument is ignored in silence: the parameters of the package's functions are read, or stand here with why not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "tilewright"
# Places in a source, which programs may give and nothing here keeps.
NOWHERE = {"self", "cls", "span"}
WHY_NOT_READ = {
    "another function with these parameters reads them": """
        compat/absent.py __call__ args
        compat/absent.py __call__ kwargs
        compat/absent.py __getitem__ key
        compat/absent.py __mro_entries__ bases
        compat/finder.py create_module spec
        compat/finder.py find_spec path
        compat/finder.py find_spec target
        dlight/gpu/fallback.py apply tunable
        relax/training/optimizer.py _steps state
        relax/training/setup_trainer.py transform_module ctx
        relax/training/utils.py rule var
        dlight/gpu/special.py apply func
        dlight/gpu/special.py apply target
        dlight/gpu/special.py apply tunable
        ir/instrument.py run_after_pass info
        ir/instrument.py run_after_pass mod
        ir/instrument.py run_before_pass mod
        ir/instrument.py should_run info
        ir/instrument.py should_run mod
        ir/transform.py apply context
        ir/transform.py print_ir context
        relax/frontend/nn/visitor.py visit_effect name
        relax/frontend/nn/visitor.py visit_param name
        relax/testing/lib_comparator.py skip_instrument args
        relax/testing/lib_comparator.py skip_instrument before_run
        relax/testing/lib_comparator.py skip_instrument func
        relax/testing/lib_comparator.py skip_instrument name
        relax/testing/lib_comparator.py skip_instrument ret_val
        script/capture.py __get__ instance
        script/capture.py __get__ owner
        script/ir_builder/ir.py end around
        script/ir_builder/relax.py end around
        script/ir_builder/tir.py end around
        script/spelling.py __getitem__ key
        script/spelling.py __or__ other
        torch/compiling.py inference inputs
        torch/importing.py _refuse names
        torch/importing.py _refuse recorder
        torch/partition.py is_node_supported submodules
    """,
    "a hint that nothing is made of, as the documentation says": """
        arith/bound.py deduce_bound hint_map
        arith/int_solver.py solve_linear_inequalities deskew_range
        arith/iter_affine_map.py iter_map_simplify simplify_trivial_iterators
        arith/iter_affine_map.py subspace_divide simplify_trivial_iterators
        compat/mlc_llm.py __init__ enable_tracing
        compat/mlc_llm.py __init__ engine_config
        compat/mlc_llm.py __init__ mode
        compat/mlc_llm.py __init__ model_lib
        compat/mlc_llm.py stats verbose
        contrib/cc.py create_executable ccache_env
        contrib/cc.py create_shared ccache_env
        contrib/tvmjs.py dump_ndarray_cache show_progress
        driver/build_module.py build runtime
        ir/transform.py __new__ traceable
        ir/transform.py module_pass traceable
        relax/backend/contrib/cutlass.py partition_for_cutlass use_flash_mqa
        relax/dpl/pattern.py __call__ add_constraint
        relax/frontend/nn/llm/kv_cache.py __init__ target
        relax/frontend/nn/llm/kv_cache.py _attention_sequence_prefill target
        relax/transform/transform.py VMShapeLower emit_err_ctx
        relax/transform/transform.py dataflowblock_pass traceable
        relax/transform/transform.py function_pass traceable
        runtime/module.py load_module fmt
        script/highlight.py cprint black_format
        script/highlight.py cprint style
        script/ir_builder/values.py handle dtype
        script/ir_builder/values.py handle storage_scope
        meta_schedule/arg_info.py from_entry_func remove_preproc
        meta_schedule/cost_model.py create args
        meta_schedule/cost_model.py create kwargs
        meta_schedule/database.py has_workload mod
        meta_schedule/database.py query_schedule target
        meta_schedule/database.py query_schedule workload_name
        meta_schedule/database.py query_tuning_record target
        meta_schedule/database.py query_tuning_record workload_name
        meta_schedule/relax_integration.py extracted_tasks_to_tune_contexts num_threads
        meta_schedule/relax_integration.py extracted_tasks_to_tune_contexts work_dir
        meta_schedule/search_strategy.py notify_runner_results measure_candidates
        meta_schedule/search_strategy.py pre_tuning cost_model
        meta_schedule/search_strategy.py pre_tuning database
        meta_schedule/tir_integration.py tune_tir num_tuning_cores
        meta_schedule/utils.py cpu_count logical
        tir/schedule/schedule.py __init__ error_render_level
        tir/schedule/schedule.py __init__ mod
        tir/schedule/schedule.py __init__ seed
        tir/schedule/state.py replace block_sref_reuse
        tir/schedule/trace.py show black_format
        tir/schedule/trace.py show style
        tir/transform/lowering.py CommonSubexprElimTIR identify_equiv_terms
        target/codegen.py llvm_version_major allow_none
        te/operation.py thread_axis name
        tir/transform/function_pass.py prim_func_pass traceable
        topi/transform.py strided_slice assume_inbound
    """,
    "what it would tell is known from the other arguments": """
        ir/attrs.py make_node type_key
        relax/analysis.py derive_call_ret_struct_info ctx
        relax/dpl/pattern.py is_call_tir tir_vars
        relax/expr.py __new__ struct_info
        relax/expr.py te_tensor tir_var_map
        relax/frontend/nn/jit.py _tensor name
        relax/testing/transform.py dataflow_inplace_analysis mod
        testing/utils.py check_numerical_grads function_value
        topi/placed.py dynamic_strided_slice end
        tir/tensor_intrin/cuda.py get_wmma_fill_intrin k_dim
        tir/tensor_intrin/cuda.py get_wmma_store_intrin k_dim
        tir/analysis/__init__.py get_block_access_region buffer_var_map
        tir/analysis/__init__.py get_block_read_write_region buffer_var_map
    """,
    "it is always so here": """
        relax/analysis.py erase_to_well_defined var_map
        relax/analysis.py well_formed check_struct_info
        relax/dpl/pattern.py _call add_constraint
        relax/op/__init__.py _alloc_storage dtype
        relax/frontend/nn/modules.py forward cross_attention_kwargs
        relax/struct_info.py opaque_func derive_func
        script/ir_builder/base.py name s
        testing/__init__.py xfail_parameterizations ids
        testing/__init__.py xfail_parameterizations reason
        testing/requirements.py marks support_required
        script/ir_builder/base.py name_many s
    """,
}


def unread(path: Path) -> Iterator[str]:
    """The parameters of a file that their functions never read, as `file function parameter`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.FunctionDef):
            continue
        own = node.args
        every = [*own.posonlyargs, *own.args, *own.kwonlyargs, *filter(None, (own.vararg, own.kwarg))]
        statements = [
            one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        ]
        # A function that has no body but its documentation, or that only raises, says so.
        if all(isinstance(one, (ast.Raise, ast.Pass)) for one in statements):
            continue
        names = [name for one in statements for name in ast.walk(one) if isinstance(name, ast.Name)]
        read = {name.id for name in names if isinstance(name.ctx, ast.Load)}
        for parameter in every:
            if parameter.arg not in read | NOWHERE and not parameter.arg.startswith("_"):
                yield f"{path.relative_to(PACKAGE)} {node.name} {parameter.arg}"


def test_every_parameter_is_read_or_has_a_reason():
    found = {one for path in sorted(PACKAGE.rglob("*.py")) for one in unread(path)}
    known = {line.strip() for lines in WHY_NOT_READ.values() for line in lines.split("\n") if line.strip()}
    assert sorted(found - known) == [] and sorted(known - found) == []


def test_a_parameter_that_is_not_read_is_found(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    read = 'def f(x, y, *, z=1, span=None):\n    """Doc."""\n    return x\n'
    (tmp_path / "a.py").write_text(read + "\ndef g(q): ...\n\ndef h(a, b):\n    del a\n    b = 1\n")
    assert list(unread(tmp_path / "a.py")) == ["a.py f y", "a.py f z", "a.py h a", "a.py h b"]
